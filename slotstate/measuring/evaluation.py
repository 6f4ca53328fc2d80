"""An evaluation: what `slotstate eval --json` prints, made from the scores of its dialogues, and read back to compare.

`json_schema()` is the published JSON Schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from slotstate.errors import InputError
from slotstate.measuring.dialogues import Corpus
from slotstate.measuring.scoring import DialogueScore, SlotCounts, Sums, figure, slot_totals, total
from slotstate.measuring.statistics import Difference, Estimate, Sample, differences, estimates, percentile

Samples = Callable[[int], Iterable[Sample]]
"""Gives samples of so many dialogues."""
GROUPS: Final = ("seen services", "unseen services")
SETTINGS: Final = ("services", "kinds", "schemas", "deadline")
"""What moves figures though dialogues and extractor are the same."""
BETTER_WHEN_LESS: Final = frozenset({"invented_rate", "lost_rate"})


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(_Shown):
    """A figure with its 95 % interval by bootstrap over dialogues (null for fewer than five); `n` values make it up."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int


class SlotFigure(_Shown):
    """A slot over the user turns: how often it should hold something (`gold`), does so rightly, holds something else
    (`wrong`), and holds something when it should not (`invented`).
    """

    gold: int
    right: int
    wrong: int
    invented: int
    precision: float | None
    recall: float | None
    f1: float | None


class Part(_Shown):
    """The figures of a part of the units: of a user turn's number, of a number of slots, of a service."""

    n: int
    jga: float
    jga_exact: float


class Change(_Shown):
    """A figure before and now, on the dialogues that both runs have; the interval is that of the difference. `better`
    is the share of bootstrap samples in which it is better now. `sure`: the interval leaves 0 out.
    """

    before: float
    after: float
    difference: float
    low: float | None
    high: float | None
    better: float | None
    sure: bool


class Judged(_Shown):
    """Of exported sessions, how much stands behind the figures: user turns after which something is known, values that
    are judged over all turns, and values held of which nobody said whether they are right; slots that are judged
    somewhere, of so many.
    """

    turns: int
    values: int
    unjudged: int
    slots: int
    of_slots: int


class Setting(_Shown):
    """A setting that was another one before; null where it was or is not given."""

    before: Any
    after: Any


class Comparison(_Shown):
    """This run compared with an earlier one. `settings` are those in which they differ and which move figures: then a
    difference is not the extractor's alone.
    """

    extractor: str
    dialogues: int
    changes: dict[str, Change]
    settings: dict[str, Setting] = {}


class Evaluation(_Shown):
    """What `slotstate eval --json` prints. Figures are null where a corpus or an extractor has nothing for them.

    jga, aga, slot_f1, requested_f1: as the corpus' own evaluation defines them. jga_exact: the same unit, values
    compared exactly in canonical form. intent_accuracy: null, a tracker tells no intents. invented_rate: of the slots
    that hold something, those that should hold nothing. lost_rate: of right values whose reference stays, those that
    are not right after the next turn. corrections_caught: of the values that the user replaced, those right then.

    confirmed: slots confirmed before a turn, over all turns. at_risk: those at which a change was aimed.
    lost_confirmed: those that changed though the user's words did not call for it. replaced_rightly, replaced_wrongly:
    those that the user's words replaced, as the reference says or not. tokens_in, tokens_out: of all turns together.
    scores: the sums and numbers of the figures by dialogue, for comparisons.
    """

    corpus: str
    version: str | None
    extractor: str
    dialogues: int
    turns: int
    jga: float | None
    jga_exact: float | None
    aga: float | None
    slot_f1: float | None
    requested_f1: float | None
    intent_accuracy: float | None
    invented_rate: float | None
    lost_rate: float | None
    corrections_caught: float | None
    confirmed: int
    at_risk: int
    lost_confirmed: int
    replaced_rightly: int
    replaced_wrongly: int
    ms_per_turn_p50: float | None
    ms_per_turn_p95: float | None
    tokens_in: int | None
    tokens_out: int | None
    failed_turns: int
    by_slot: dict[str, SlotFigure]
    figures: dict[str, Figure]
    groups: dict[str, dict[str, Figure]]
    services: dict[str, Part]
    domains: dict[str, Part] = Field(description="SGD: the services of one domain together, Hotels for Hotels_2")
    by_turn: dict[int, Part]
    by_size: dict[int, Part]
    causes: dict[str, int]
    settings: dict[str, Any]
    replies: dict[str, int] | None = Field(None, description="calls of a model that were made, and kept from before")
    judged: Judged | None = Field(None, description="of exported sessions: the others say of every slot what it holds")
    comparison: Comparison | None = None
    scores: dict[str, dict[str, tuple[float, int]]]


def evaluation(
    corpus: Corpus,
    extractor: str,
    scores: Sequence[DialogueScore],
    samples: Samples,
    *,
    settings: Mapping[str, Any] | None = None,
    replies: Mapping[str, int] | None = None,
) -> Evaluation:
    """The evaluation of a corpus from the scores of its dialogues."""
    found = estimates([score.sums for score in scores], samples(len(scores)))
    grouped = _groups(scores)
    ms = [one for score in scores for one in score.ms]

    def value(name: str) -> float | None:
        return round(found[name].value, 4) if name in found else None

    return Evaluation(
        corpus=corpus.name,
        version=corpus.version,
        extractor=extractor,
        dialogues=len(scores),
        turns=sum(score.turns for score in scores),
        jga=value("jga"),
        jga_exact=value("jga_exact"),
        aga=value("aga"),
        slot_f1=value("slot_f1"),
        requested_f1=value("requested_f1"),
        intent_accuracy=value("intent_accuracy"),
        invented_rate=value("invented_rate"),
        lost_rate=value("lost_rate"),
        corrections_caught=value("corrections_caught"),
        confirmed=sum(score.confirmed for score in scores),
        at_risk=sum(score.at_risk for score in scores),
        lost_confirmed=sum(score.lost for score in scores),
        replaced_rightly=sum(score.changed_rightly for score in scores),
        replaced_wrongly=sum(score.changed_wrongly for score in scores),
        ms_per_turn_p50=_rounded(percentile(ms, 0.5)),
        ms_per_turn_p95=_rounded(percentile(ms, 0.95)),
        tokens_in=_tokens(score.tokens_in for score in scores),
        tokens_out=_tokens(score.tokens_out for score in scores),
        failed_turns=sum(score.failed for score in scores),
        by_slot={path: _slot(counts) for path, counts in sorted(slot_totals(scores).items())},
        figures={name: _figure(one) for name, one in found.items()},
        groups={
            name: {key: _figure(one) for key, one in estimates(grouped[name], samples(len(scores))).items()}
            for name in GROUPS
            if any(grouped.get(name, ()))
        },
        services=_parts({name: total(sums) for name, sums in sorted(grouped.items()) if name not in GROUPS}),
        domains=_parts(_domains(grouped)),
        by_turn=_parts(_by_number(score.by_turn for score in scores)),
        by_size=_parts(_by_number(score.by_size for score in scores)),
        causes=dict(Counter(mistake.cause for score in scores for mistake in score.mistakes).most_common()),
        settings=dict(settings or {}),
        replies=None if replies is None else dict(replies),
        judged=_judged(corpus) if corpus.name == "sessions" else None,
        scores={score.name: {name: (round(one, 6), n) for name, (one, n) in score.sums.items()} for score in scores},
    )


def _judged(corpus: Corpus) -> Judged:
    turns = [turn for dialogue in corpus.dialogues for turn in dialogue.turns if turn.role == "user"]
    slots = {path for turn in turns for path in turn.listed or ()}
    return Judged(
        turns=sum(turn.state is not None for turn in turns),
        values=sum(len(turn.listed or ()) for turn in turns),
        unjudged=sum(len(turn.unjudged) for turn in turns),
        slots=len(slots),
        of_slots=sum(len(domain.slots) for domain in corpus.domains.values()),
    )


def _groups(scores: Sequence[DialogueScore]) -> dict[str, list[Sums]]:
    """The sums of each group by dialogue, those without it included: they are drawn all the same."""
    names = dict.fromkeys(name for score in scores for name in score.groups)
    return {name: [score.groups.get(name, {}) for score in scores] for name in names}


def _domains(grouped: Mapping[str, Sequence[Sums]]) -> dict[str, Sums]:
    """The sums of services whose names are the same up to their number."""
    gathered: dict[str, list[Sums]] = {}
    for name in sorted(name for name in grouped if name not in GROUPS):
        gathered.setdefault(name.partition("_")[0], []).extend(grouped[name])
    return {name: total(sums) for name, sums in gathered.items()}


def _by_number(told: Iterable[Mapping[int, Sums]]) -> dict[int, Sums]:
    gathered: dict[int, list[Sums]] = {}
    for one in told:
        for number, sums in one.items():
            gathered.setdefault(number, []).append(sums)
    return {number: total(gathered[number]) for number in sorted(gathered)}


def _parts(sums: Mapping[Any, Sums]) -> dict[Any, Part]:
    return {
        key: Part(
            n=one["jga"][1], jga=round(figure(one, "jga") or 0, 4), jga_exact=round(figure(one, "jga_exact") or 0, 4)
        )
        for key, one in sums.items()
    }


def _figure(one: Estimate) -> Figure:
    return Figure(value=round(one.value, 4), low=_rounded(one.low, 4), high=_rounded(one.high, 4), n=one.n)


def _slot(counts: SlotCounts) -> SlotFigure:
    held, right = counts.right + counts.wrong + counts.invented, counts.right
    both = counts.gold + held
    return SlotFigure(
        gold=counts.gold,
        right=right,
        wrong=counts.wrong,
        invented=counts.invented,
        precision=round(right / held, 4) if held else None,
        recall=round(right / counts.gold, 4) if counts.gold else None,
        f1=round(2 * right / both, 4) if both else None,
    )


def _tokens(told: Iterable[int | None]) -> int | None:
    known = [one for one in told if one is not None]
    return sum(known) if known else None


def _rounded(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(value, digits)


# Comparing


def read_evaluation(text: str | bytes, where: str) -> Evaluation:
    """An evaluation that `--json` printed. Raises InputError, naming the file."""
    try:
        return Evaluation.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        told = f"{place}: {first['msg']}" if place else first["msg"]
        raise InputError(f"{where}: not what slotstate eval --json prints ({told})") from None


def compare(now: Evaluation, before: Evaluation, samples: Samples) -> Comparison:
    """This run compared with an earlier one, on the dialogues that both have. Raises InputError when there are none, or
    they are not the same: of another corpus, version or split.
    """
    for what in ("corpus", "version"):
        one, other = getattr(before, what), getattr(now, what)
        if one != other:
            raise InputError(f"the baseline is of {what} {one}, not {other}: compare runs on the same dialogues")
    shared = [name for name in now.scores if name in before.scores]
    if not shared:
        raise InputError("the baseline has no dialogue in common with this run")
    _check_same(now, before, shared)
    old, new = ([dict(run.scores[name]) for name in shared] for run in (before, now))
    found = differences(old, new, now.figures, samples(len(shared)))
    changes = {name: _change(one, less=name in BETTER_WHEN_LESS) for name, one in found.items()}
    return Comparison(
        extractor=before.extractor, dialogues=len(shared), changes=changes, settings=_differing(now, before)
    )


def _check_same(now: Evaluation, before: Evaluation, shared: Sequence[str]) -> None:
    """Raises InputError where dialogues of one name are not the same: splits of a corpus number theirs alike."""
    hint = "compare runs on the same dialogues"
    one, other = (run.settings.get("split") for run in (before, now))
    if one and other and one != other:
        raise InputError(f"the baseline is of split {one}, not {other}: {hint}")
    for name in shared:
        old, new = (run.scores[name].get("jga_turn", (0.0, 0))[1] for run in (before, now))
        if old != new:
            turns = f"has {old} judged turns there, {new} here"
            raise InputError(f"the baseline is of other data, dialogue {name!r} {turns}: {hint}")


def _differing(now: Evaluation, before: Evaluation) -> dict[str, Setting]:
    told = {name: (before.settings.get(name), now.settings.get(name)) for name in SETTINGS}
    return {name: Setting(before=old, after=new) for name, (old, new) in told.items() if old != new}


def _change(one: Difference, *, less: bool) -> Change:
    share = None if one.share is None else 1 - one.share if less else one.share
    return Change(
        before=round(one.before, 4),
        after=round(one.after, 4),
        difference=round(one.by, 4),
        low=_rounded(one.low, 4),
        high=_rounded(one.high, 4),
        better=_rounded(share, 4),
        sure=one.is_sure,
    )


def is_worse(comparison: Comparison) -> bool:
    """Whether joint goal accuracy has surely become worse."""
    change = comparison.changes.get("jga")
    return change is not None and change.sure and change.difference < 0


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `slotstate eval --json` prints, as published in docs/."""
    schema = TypeAdapter(Evaluation).json_schema(mode="serialization")
    return {**schema, "title": "slotstate eval"}


__all__ = [
    "Comparison",
    "Evaluation",
    "Figure",
    "Judged",
    "Part",
    "Setting",
    "SlotFigure",
    "compare",
    "evaluation",
    "is_worse",
    "read_evaluation",
]

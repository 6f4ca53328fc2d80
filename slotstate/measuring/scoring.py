"""A played dialogue scored: sums from which every figure of an evaluation is a ratio, and the mistakes.

A figure is (sum of the values) / (how many there are), over whatever its unit is. Kept per dialogue, sums can be added
up over any choice of dialogues: that is what intervals and comparisons need.

Units. SGD: a frame, as its own metrics have it. MultiWOZ, CrossWOZ, conversation tests and sessions: a user turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slotstate.domains import Domains
from slotstate.log import Entry
from slotstate.measuring import multiwoz_metrics as woz
from slotstate.measuring import sgd_metrics as sgd
from slotstate.measuring.agreement import agree, agrees, label
from slotstate.measuring.causes import Mistake, Moment, cause_of
from slotstate.measuring.dialogues import DONTCARE_LABEL, NOTHING, Corpus, Dialogue, Frame, Reference, Turn
from slotstate.measuring.multiwoz_labels import NONE, mended
from slotstate.measuring.records import Found, TurnRecord
from slotstate.slots import SlotSpec

Sums = dict[str, tuple[float, int]]
"""Of each figure the sum of its values and their number."""
_NO_FOUND: Final[Mapping[str, Found]] = {}


@dataclass(slots=True)
class SlotCounts:
    """Of a slot, over the user turns: how often it should hold something, does rightly, does otherwise, and does when
    it should not.
    """

    gold: int = 0
    right: int = 0
    wrong: int = 0
    invented: int = 0

    def add(self, other: SlotCounts) -> None:
        """Count these as well."""
        self.gold += other.gold
        self.right += other.right
        self.wrong += other.wrong
        self.invented += other.invented


@dataclass(slots=True)
class DialogueScore:
    """All that is known of one dialogue. `by_turn` and `by_size` hold the sums of `jga` and `jga_exact` by the number
    of the user turn, and of the slots that should be held; `groups` those of kinds of services; `told` the entries that
    tell what sensitive slots held or were to hold while it was played.
    """

    name: str
    turns: int = 0
    sums: Sums = field(default_factory=dict)
    slots: dict[str, SlotCounts] = field(default_factory=dict)
    by_turn: dict[int, Sums] = field(default_factory=dict)
    by_size: dict[int, Sums] = field(default_factory=dict)
    groups: dict[str, Sums] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    told: list[Entry] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    tokens_in: int | None = None
    tokens_out: int | None = None
    confirmed: int = 0
    at_risk: int = 0
    lost: int = 0
    changed_rightly: int = 0
    changed_wrongly: int = 0
    failed: int = 0
    error: str | None = None


def add(sums: Sums, name: str, value: float | None, number: int = 1) -> None:
    """Add a value of a figure; None where it has none."""
    if value is not None:
        before, count = sums.get(name, (0.0, 0))
        sums[name] = before + value, count + number


@dataclass(frozen=True, slots=True)
class Unit:
    """What one value of joint goal accuracy is about: how right it is, and what it is of."""

    jga: float
    exact: bool
    size: int
    service: str = ""


def score_dialogue(
    corpus: Corpus, dialogue: Dialogue, domains: Domains, records: Sequence[TurnRecord]
) -> DialogueScore:
    """The score of a dialogue that was played with these domains."""
    return _Scorer(corpus, dialogue, domains).score(records)


class _Scorer:
    """Goes through the turns of one dialogue."""

    def __init__(self, corpus: Corpus, dialogue: Dialogue, domains: Domains) -> None:
        self._corpus = corpus
        self._dialogue = dialogue
        self._specs = domains.specs
        self._now = dialogue.now
        self._score = DialogueScore(dialogue.name)

    def score(self, records: Sequence[TurnRecord]) -> DialogueScore:
        """Score all turns."""
        before: tuple[Mapping[str, Reference], Mapping[str, Found]] = NOTHING, _NO_FOUND
        for number, record in enumerate(records):
            turn = self._dialogue.turns[record.turn]
            self._take_cost(record)
            self._score.told += record.told
            self._take_confirmed(record, turn)
            if turn.state is not None:
                judged = [path for path in self._specs if turn.listed is None or path in turn.listed]
                self._take_turn(number, turn, record, judged, *before)
                before = turn.state, record.held
        return self._score

    def _right(self, path: str, reference: Reference | None, found: Found | None) -> bool:
        return agrees(self._specs[path], reference, found, self._now)

    def _take_cost(self, record: TurnRecord) -> None:
        score = self._score
        score.turns += 1
        score.ms.append(record.ms)
        for name, tokens in (("tokens_in", record.tokens_in), ("tokens_out", record.tokens_out)):
            if tokens is not None:
                setattr(score, name, (getattr(score, name) or 0) + tokens)
        if record.extraction == "failed":
            score.failed += 1
            score.error = score.error or record.error

    def _take_confirmed(self, record: TurnRecord, turn: Turn) -> None:
        self._score.confirmed += record.confirmed
        self._score.at_risk += len(record.at_risk)
        for touched in record.touched:
            if not touched.by_words:
                self._score.lost += 1
                continue
            found = None if touched.after is None else Found(touched.after, touched.after == DONTCARE_LABEL)
            if turn.state is not None and self._right(touched.path, turn.state.get(touched.path), found):
                self._score.changed_rightly += 1
            else:
                self._score.changed_wrongly += 1

    def _take_turn(
        self,
        number: int,
        turn: Turn,
        record: TurnRecord,
        judged: Sequence[str],
        state_before: Mapping[str, Reference],
        held_before: Mapping[str, Found],
    ) -> None:
        state = turn.state or NOTHING
        right = {path: self._right(path, state.get(path), record.held.get(path)) for path in judged}
        add(self._score.sums, "jga_turn", float(all(right.values())))
        for unit in self._units(turn, record, right):
            self._take_unit(number, unit)
        for path in judged:
            self._take_slot(path, state.get(path), record.held.get(path), right[path])
            was, had = state_before.get(path), held_before.get(path)
            self._take_change(path, was, had, state.get(path), right[path])
            if not right[path] and not self._is_old(path, was, had, state.get(path), record.held.get(path)):
                self._score.mistakes.append(self._mistake(path, was, had, turn, record, held_before))

    # Units of joint goal accuracy

    def _units(self, turn: Turn, record: TurnRecord, right: Mapping[str, bool]) -> Iterator[Unit]:
        match self._corpus.name:
            case "sgd":
                yield from self._frames(turn, record, right)
            case "multiwoz":
                yield self._woz(turn, record, right)
            case _:
                yield self._plain(turn, record, right)

    def _frames(self, turn: Turn, record: TurnRecord, right: Mapping[str, bool]) -> Iterator[Unit]:
        scores: list[sgd.GoalScore] = []
        for frame in turn.frames:
            if frame.state is None:
                continue
            specs = {spec.name: spec for spec in self._corpus.domains[frame.service].slots.values()}
            gold = {slot: reference.values for slot, reference in frame.state.items()}
            held = {name: found for name, spec in specs.items() if (found := record.held.get(spec.path)) is not None}
            slots = self._categorical(frame.service)
            predicted = {name: label(found) if slots[name] else found.words for name, found in held.items()}
            goal = sgd.goal_score(gold, predicted, slots)
            scores.append(goal)
            sums = self._score.sums
            add(sums, "jga_categorical", goal.joint_categorical)
            add(sums, "jga_noncategorical", goal.joint_noncategorical)
            add(sums, "jga_no_fuzzy", sgd.goal_score(gold, predicted, slots, fuzzy=False).joint)
            add(sums, "aga", goal.average)
            self._requested(frame, record)
            add(sums, "slot_f1", self._f1(frame.state, held, specs))
            exact = all(right.get(spec.path, frame.state.get(name) is None) for name, spec in specs.items())
            yield Unit(goal.joint, exact, len(gold), frame.service)
        if scores:
            add(self._score.sums, "jga_across_turn", sgd.joint_across_turn(scores))

    def _categorical(self, service: str) -> Mapping[str, bool]:
        properties = self._corpus.schemas[service]["properties"]
        return {name: bool(slot["x-categorical"]) for name, slot in properties.items()}

    def _requested(self, frame: Frame, record: TurnRecord) -> None:
        prefix = f"{frame.service}."
        predicted = [path.removeprefix(prefix) for path in record.requested if path.startswith(prefix)]
        add(self._score.sums, "requested_f1", sgd.requested_f1(frame.requested or (), predicted))

    def _woz(self, turn: Turn, record: TurnRecord, right: Mapping[str, bool]) -> Unit:
        gold = {path: reference.values for path, reference in (turn.state or NOTHING).items()}
        written = {path: _woz_label(self._specs[path], found) for path, found in record.held.items() if path in right}
        predicted = {path: value for path, value in written.items() if value != NONE}
        sums = self._score.sums
        add(sums, "slot_accuracy", woz.slot_accuracy(gold, predicted))
        add(sums, "slot_f1", woz.joint_f1(gold, predicted))
        add(sums, "relative_slot_accuracy", woz.relative_slot_accuracy(gold, predicted))
        add(sums, "relative_slot_accuracy_pooled", *woz.relative_slot_counts(gold, predicted))
        add(sums, "aga", woz.average_goal(gold, predicted))
        return Unit(woz.joint_goal(gold, predicted), all(right.values()), len(gold))

    def _plain(self, turn: Turn, record: TurnRecord, right: Mapping[str, bool]) -> Unit:
        state = turn.state or NOTHING
        exact = all(right.values())
        held = {path: found for path, found in record.held.items() if path in right}
        add(self._score.sums, "aga", sum(right[path] for path in state) / len(state) if state else None)
        add(self._score.sums, "slot_f1", self._f1(state, held, self._specs))
        return Unit(float(exact), exact, len(state))

    def _f1(self, gold: Mapping[str, Reference], held: Mapping[str, Found], specs: Mapping[str, SlotSpec]) -> float:
        """F1 of slots and their values, compared exactly; with nothing in gold 1 when nothing is held, else 0."""
        if not gold:
            return float(not held)
        right = sum(agrees(specs[key], gold.get(key), found, self._now) for key, found in held.items())
        return 2 * right / (len(gold) + len(held))

    def _take_unit(self, number: int, unit: Unit) -> None:
        group = self._score.groups
        places = [self._score.sums, self._score.by_turn.setdefault(number + 1, {})]
        places.append(self._score.by_size.setdefault(unit.size, {}))
        if unit.service:
            seen = self._corpus.seen or frozenset[str]()
            kind = "seen services" if unit.service in seen else "unseen services"
            places += [group.setdefault(name, {}) for name in (kind, unit.service)]
        for sums in places:
            add(sums, "jga", unit.jga)
            add(sums, "jga_exact", float(unit.exact))

    # Slots

    def _take_slot(self, path: str, reference: Reference | None, found: Found | None, right: bool) -> None:
        counts = self._score.slots.setdefault(path, SlotCounts())
        counts.gold += reference is not None
        counts.right += reference is not None and right
        counts.wrong += reference is not None and found is not None and not right
        counts.invented += reference is None and found is not None
        if found is not None:
            add(self._score.sums, "invented_rate", float(reference is None))
            add(self._score.sums, "precision", float(right))
        if reference is not None:
            add(self._score.sums, "recall", float(right))

    def _take_change(
        self, path: str, was: Reference | None, had: Found | None, reference: Reference | None, right: bool
    ) -> None:
        """Right values that are no longer so, and corrections that came through."""
        if was is None or reference is None:
            return
        if not agree(was, reference):
            add(self._score.sums, "corrections_caught", float(right))
        elif self._right(path, was, had):
            add(self._score.sums, "lost_rate", float(not right))

    def _is_old(
        self, path: str, was: Reference | None, had: Found | None, reference: Reference | None, found: Found | None
    ) -> bool:
        """Whether the mistake was there before this turn, the same."""
        both = was is None and reference is None
        meant = both or (was is not None and reference is not None and agree(was, reference))
        return meant and had == found and not self._right(path, was, had)

    def _mistake(
        self,
        path: str,
        was: Reference | None,
        had: Found | None,
        turn: Turn,
        record: TurnRecord,
        held_before: Mapping[str, Found],
    ) -> Mistake:
        reference, found = (turn.state or NOTHING).get(path), record.held.get(path)
        texts = [one.text for one in self._dialogue.turns[: record.turn]]
        taken = {key: value for key, value in record.held.items() if key != path and held_before.get(key) != value}
        moment = Moment(self._specs[path], was, reference, had, found, record, taken, turn.text, texts[::-1], self._now)
        return Mistake(
            self._dialogue.name,
            record.turn,
            path,
            cause_of(moment),
            None if reference is None else " / ".join(dict.fromkeys((*reference.values, *reference.canonical))),
            None if found is None else label(found),
            None if found is None or found == had else found.quote,
        )


def _woz_label(spec: SlotSpec, found: Found) -> str:
    """What a slot holds as MultiWOZ writes it."""
    if found.dontcare:
        return DONTCARE_LABEL
    if isinstance(found.value, bool):
        return "yes" if found.value else "no"
    return mended(spec.path, label(found))


# Over several dialogues


def total(sums: Iterable[Sums]) -> Sums:
    """Sums added up."""
    whole: Sums = {}
    for one in sums:
        for name, (value, number) in one.items():
            add(whole, name, value, number)
    return whole


def figure(sums: Sums, name: str) -> float | None:
    """A figure; None where it has no values."""
    value, number = sums.get(name, (0.0, 0))
    return value / number if number else None


def slot_totals(scores: Iterable[DialogueScore]) -> dict[str, SlotCounts]:
    """The counts of every slot over all dialogues."""
    whole: dict[str, SlotCounts] = {}
    for score in scores:
        for path, counts in score.slots.items():
            whole.setdefault(path, SlotCounts()).add(counts)
    return whole


__all__ = ["DialogueScore", "SlotCounts", "Sums", "add", "figure", "score_dialogue", "slot_totals", "total"]

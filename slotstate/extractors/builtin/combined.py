"""The built-in extractor: rules over the schema and models that learned from dialogues, put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from slotstate.extract import Change, Extraction, Request, nearest
from slotstate.extractors.builtin.choose import Candidate
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.contrast import contrasted
from slotstate.extractors.builtin.extractor import JUDGED, changes_of
from slotstate.extractors.builtin.typed import family
from slotstate.extractors.builtin.warrant import warranted
from slotstate.extractors.builtin.words import cue_spans, inside, overlaps
from slotstate.parsing import Span, find, find_ordinals
from slotstate.slots import DONTCARE

if TYPE_CHECKING:
    from slotstate.extractors.builtin.learned.models import Models
    from slotstate.extractors.builtin.learned.reader import Scored

_MARK: Final = re.compile(r"[,;.?!](?=\s)")
"""Where a clause ends; few values go on behind it."""
WHOLE: Final = frozenset({"undo", "start"})
"""Operations that say what the whole turn is about: beside them nothing is added."""
SETTLED: Final = frozenset({"clear", "exclude", "add", "remove"})
"""Operations by which the rules have said what becomes of a slot."""


class BuiltinExtractor:
    """Reads changes out of English and Chinese turns, without key or network: what the rules read, and what models that
    learned from dialogues add to it. `model` is a file of models, by default the one that ships.

    Raises InputError for a file that holds no models of this version.
    """

    def __init__(self, model: str | None = None) -> None:
        self._file = model
        self._models: Models | None = None
        if model is not None:
            self.models()

    def models(self) -> Models:
        """The models, read when first needed."""
        if self._models is None:
            from slotstate.extractors.builtin.learned.modelfile import read

            self._models = read(self._file)[0]
        return self._models

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        return self.reading(request)[0]

    def reading(self, request: Request) -> tuple[Extraction, Scored | None]:
        """The same, with what the models say of all candidates; None where they say nothing."""
        from slotstate.extractors.builtin.learned.reader import confidence, reads, scored, suggested
        from slotstate.extractors.builtin.learned.routing import routed

        known = reads(request, self.models())
        request = routed(request, self.models()) if known else nearest(request)
        context = Context(request)
        ruled = changes_of(context)
        if any(change.op in WHOLE for change in ruled) or not known:
            return Extraction(tuple(ruled), model="builtin"), None
        turn = scored(request, self.models(), proposals(ruled))
        changes = tuple(merged(ruled, turn, context))
        found = tuple(suggested(turn))
        return Extraction(changes, model="builtin", confidence=confidence(turn), suggestions=found), turn

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop, which goes on meanwhile."""
        import asyncio

        return await asyncio.to_thread(self.extract, request)


def proposals(changes: Iterable[Change]) -> dict[str, list[Any]]:
    """The values that changes set, by slot."""
    found: dict[str, list[Any]] = {}
    for change in changes:
        if change.op == "set":
            found.setdefault(change.path, []).append(change.value)
    return found


def merged(ruled: Sequence[Change], turn: Scored, context: Context) -> list[Change]:
    """What the rules and the models propose together.

    Where both know a value for a slot, the models' counts, unless the rules read another one out of the same words or
    leave several open, or read the values of two slots. A value that only the rules know counts, unless the models know
    better what its words are.
    """
    from slotstate.extractors.builtin.learned.guards import is_held_back
    from slotstate.extractors.builtin.learned.reader import SURE, as_change, is_put_forward, picked, said_at

    more: dict[str, Change] = {}
    items: list[Change] = []
    places: dict[str, Span | None] = {}
    settled = {change.path for change in ruled if change.op in SETTLED}
    rules = _Rules(ruled, turn, context)
    takes = bool(cue_spans(context.words, lambda lexicon: lexicon.taking))
    for one, logit in picked(turn, LIKELY if takes else SURE):
        if logit <= SURE and not is_put_forward(turn, one):
            continue
        change, place = as_change(turn, one, logit), said_at(turn, one)
        held_back = is_held_back(turn, one, change, logit, context) or _is_no_choice(change, place, context)
        if change.path in settled or held_back or rules.part(change, place):
            continue
        if change.op == "add":
            items.append(change)
        else:
            more[change.path], places[change.path] = change, place
    ruled = [_longer(change, items, context) if change.op == "set" else change for change in ruled]
    kept = [change for change in ruled if change.op != "set" or rules.stands(change, more.get(change.path), places)]
    touched = {change.path for change in kept if change.op == "set"}
    found = (change for change in (*more.values(), *items) if change.path not in touched)
    return warranted(context, [*kept, *found])


def _longer(change: Change, items: Sequence[Change], context: Context) -> Change:
    """A list that the rules set, with all its items where the models read more than those."""
    more = [item.value for item in items if item.path == change.path]
    if not isinstance(change.value, list) or not {*map(str, more)} > {*map(str, change.value)}:
        return change
    return replace(change, value=more, quote=context.request.user.strip())


def _is_no_choice(change: Change, place: Span | None, context: Context) -> bool:
    """Whether a value stands in words about what once was, in a question that asks for an opinion on it, or is a number
    that tells someone's age: no likelihood makes it a choice.
    """
    if place is None or not (context.judged or context.past or context.ages):
        return False
    span = context.words.inner(place)
    meant = [one for one in context.profiles if one.path == change.path]
    if inside(span, context.past):
        return True
    if inside(span, context.judged):
        return any(one.kind in JUDGED for one in meant)
    counting = any(family(one.kind) == "number" and "age" not in one.concepts for one in meant)
    return counting and inside(span, context.ages)


class _Rules:
    """The rules' values of a turn, beside what the models say of them."""

    def __init__(self, ruled: Sequence[Change], turn: Scored, context: Context) -> None:
        self._values = proposals(ruled)
        self._turn = turn
        self._context = context
        self._kinds = {spec.path: spec.kind for spec in turn.view.every}
        self._places = {change.path: self._where(change) for change in ruled if change.op == "set"}

    def part(self, change: Change, place: Span | None) -> bool:
        """Whether the rules part a text of the models: they read the values of two slots in its words."""
        if place is None or self._kinds.get(change.path) != "text":
            return False
        inside = {one for one in self._places.values() if one is not None and place[0] <= one[0] and one[1] <= place[1]}
        return len(inside) > 1

    def stands(self, change: Change, other: Change | None, places: Mapping[str, Span | None]) -> bool:
        """Whether a value of the rules is proposed; `other` is the models' for the slot."""
        if len(self._values[change.path]) > 1 or change.value is DONTCARE or self._answers(change):
            return True
        where = self._places[change.path]
        if other is not None:
            return change.value == other.value or self._reads_the_same_words(change, other, where, places[change.path])
        return self._is_likely(change, where, places) or self._is_chosen(change)

    def _is_likely(self, change: Change, where: Span | None, places: Mapping[str, Span | None]) -> bool:
        """Whether the models, which propose nothing for the slot, do not speak against a value of the rules."""
        from slotstate.extractors.builtin.learned.reader import UNKNOWN, worth
        from slotstate.extractors.builtin.learned.words import TYPED

        logit = worth(self._turn, change)
        if self._is_offered(change):
            return logit >= (PICKED if find_ordinals(self._context.words.folded) else UNSAID)
        taken = where is not None and any(
            place is not None and overlaps(place, where)
            for path, place in places.items()
            if self._kinds.get(path) not in TYPED  # the words around a number stay free
        )
        if taken and self._kinds.get(change.path) == "text":
            return TAKEN <= logit < UNKNOWN
        crowded = len(self._turn.view.domains) > 1
        if logit == UNKNOWN and self._kinds.get(change.path) == "text":
            if crowded and self._is_about_others(change.path, where):
                return False
            return self._is_asked(change.path) or self._may_be_a_name(str(change.value))
        if self._kinds.get(change.path) == "boolean" and not crowded:
            return logit >= DOUBTED_ANSWER
        return logit >= (DOUBTED_HERE if crowded else DOUBTED)

    def _answers(self, change: Change) -> bool:
        """Whether it is a yes or no to the question that the assistant has just asked: that much rules know."""
        return self._kinds.get(change.path) == "boolean" and change.path in self._turn.view.request.asked

    def _is_chosen(self, change: Change) -> bool:
        """Whether the turn says outright which of two values is meant: "not Leeds, York"."""
        return any(one.profile.path == change.path and change.value in one.values for one in self._contrasted)

    @cached_property
    def _contrasted(self) -> list[Candidate]:
        return contrasted(self._context, ())

    def _is_about_others(self, path: str, where: Span | None) -> bool:
        """Whether the clause of a value names what another domain is about, and its own less."""
        from slotstate.extractors.builtin.learned.nearness import topical

        text, domains = self._context.request.user, self._turn.view.domains
        if where is not None:
            before = max((found.end() for found in _MARK.finditer(text, 0, where[0])), default=0)
            after = _MARK.search(text, where[1])
            text = text[before : after.start() if after else len(text)]
        about = dict(zip((domain.name for domain in domains), topical(tuple(domains), text), strict=True))
        return about[path.partition(".")[0]] < max(about.values())

    def _may_be_a_name(self, value: str) -> bool:
        """Whether a value is written like a name, as far as the user writes names with capitals."""
        said = self._context.request.user
        return said == said.lower() or any(char.isupper() or char.isdigit() for char in value)

    def _is_asked(self, path: str) -> bool:
        """Whether the assistant has just asked for a slot, or there is no other that the words could be for."""
        view = self._turn.view
        index = next(i for i, spec in enumerate(view.every) if spec.path == path)
        free = [i for i in view.fillable if view.every[i].kind == "text"]
        return path in view.request.asked or float(view.slot_logits[0][index]) > 0 or len(free) == 1

    def _where(self, change: Change) -> Span | None:
        """Where the value stands in the user's words, else what was quoted for it."""
        quoted = find(change.quote or "", self._context.words.folded)
        if quoted is None:
            return None
        value = find(str(change.value), self._context.words.folded)
        return value if value is not None and overlaps(value, quoted) else quoted

    def _is_offered(self, change: Change) -> bool:
        """Whether a value stands in the assistant's words and not in the user's."""
        words = str(change.value)
        said = find(words, self._context.words.folded) is not None
        return not said and find(words, self._context.assistant.folded) is not None

    def _reads_the_same_words(self, change: Change, other: Change, mine: Span | None, theirs: Span | None) -> bool:
        if mine is None or theirs is None or not overlaps(mine, theirs):
            return False
        longer = theirs[0] <= mine[0] and theirs[1] >= mine[1] and theirs != mine
        beyond = self._context.request.user[theirs[0] : theirs[1]]
        if longer and (other.confidence or 0) < EVEN and _MARK.search(beyond) is not None:
            return True
        return not (longer and self._kinds.get(change.path) == "text")


UNSAID: Final = -1.0
"""The logit that a value of the rules needs which only the assistant has put into words."""
TAKEN: Final = 0.0
"""The logit that it needs where the models take its words for another slot."""
PICKED: Final = -3.0
"""The same where the user picks by number: "the second one"."""
LIKELY: Final = -1.0
"""The logit above which what the assistant put forward just now is proposed where the user says to take it."""
EVEN: Final = 0.5
"""The confidence below which the models' value does not go on behind the end of a clause."""
DOUBTED: Final = -5.0
"""The logit that it needs anyway."""
DOUBTED_ANSWER: Final = -6.5
"""The same for yes and no: the words that the slot is declared with are there."""
DOUBTED_HERE: Final = -1.5
"""The same where several domains are open: the rules do not know so well which of them a turn is about."""

"""What holds back a value that the models found: what the rules know about words that fill nothing."""

from __future__ import annotations

import re
from typing import Final

from slotstate.extract import Change
from slotstate.extractors.builtin.answers import PLACES
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.learned.known import ANY, Candidate
from slotstate.extractors.builtin.learned.nearness import sorts_of
from slotstate.extractors.builtin.learned.reader import Scored
from slotstate.extractors.builtin.learned.sense import is_pronoun, looks_otherwise
from slotstate.extractors.builtin.learned.takenup import is_left_alone
from slotstate.extractors.builtin.learned.words import TYPED
from slotstate.extractors.builtin.named import is_negated
from slotstate.extractors.builtin.profile import profile
from slotstate.extractors.builtin.restraint import is_idle, leads_nowhere, other_sense
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, affirms, find, find_dates, find_times, fold
from slotstate.slots import SlotSpec

CONVINCED: Final = 2.0
"""The logit that a value needs where the words around it tell of something else, as far as the rules see."""
TYPED_SURE: Final = 3.0
"""The logit that a date, a time or a number needs which the rules do not read and nobody asked for."""
NUMBERED: Final = frozenset({"date", "time", "count", "amount"})
CALENDAR: Final = frozenset({"date", "time", "datetime"})
_WISH: Final = re.compile(
    r"\b(?:i|i'[a-z]+|we|we'[a-z]+|us|our|please|need|want|book|reserve|like|for|let's|make|add|change|how about)\b",
    re.IGNORECASE,
)
"""Words in which users speak of what they want."""
_PROGRAM: Final = re.compile(r"\b(?:true|false|null)\b")
"""Words in which programs say yes and no, and people do not."""
_CODE: Final = re.compile(r"(?=\S*[a-z])(?=\S*[0-9])[\w-]+")
_WORD: Final = re.compile(r"\w")
_FACT: Final = re.compile(r"\W*(?:what|which|who|when|why|how (?:much|many|far|long))\b(?! (?:about|if|other)\b)")
_WORD_BEFORE: Final = re.compile(r"(\w+) \Z")


def is_held_back(turn: Scored, one: Candidate, change: Change, logit: float, context: Context) -> bool:
    """Whether a value that the models picked fills nothing after all."""
    spec = turn.view.every[one.slot]
    if spec.kind == "boolean":
        asked = spec.path in context.request.asked or _is_asked(turn, one.slot)
        return not asked and _PROGRAM.search(context.words.text) is not None
    if one.value == ANY:
        return False
    if _is_none(turn, one, change, context):
        return True
    if all(turn.view.mentions[place].text for place in one.mentions):  # not the user's words
        return spec.kind == "categorical" and logit < CONVINCED and _is_one_of_many(turn, one, context)
    where = find(change.quote or "", context.words.folded)
    told = spec.kind in TYPED and logit < TYPED_SURE and _is_told_of_others(turn, one, context)
    if told or where is None:
        return told
    span = context.words.inner(where)
    if (
        is_negated(context, span)
        or inside(span, context.code)
        or (logit < CONVINCED and (not context.fills(span) or bool(context.small_talk)))
    ):
        return True
    if spec.kind == "categorical":
        return other_sense(context.words.text, span) or (logit < CONVINCED and _wonders(context))
    if spec.kind != "text":
        return False
    if logit < CONVINCED and (_answers_nothing(turn, one, span, context) or _is_bare_number(turn, one, change)):
        return True
    return _is_no_text(spec, span, context)


def _is_none(turn: Scored, one: Candidate, change: Change, context: Context) -> bool:
    """Whether the value is none that the user speaks of, whatever the words around it."""
    if looks_otherwise(turn.view.every[one.slot], one.value) or is_left_alone(turn, one, context):
        return True
    return _counts_nothing(turn, one, change, context) or _is_another_word(turn, one)


def _counts_nothing(turn: Scored, one: Candidate, change: Change, context: Context) -> bool:
    """Whether a number is read out of a "one" that stands for a thing or a direction, and nobody asked for it."""
    if str(change.value).lower() not in {"1", "one"} or not is_pronoun(context.words.text):
        return False
    return turn.view.every[one.slot].path not in turn.view.request.asked and not _is_asked(turn, one.slot)


def _is_another_word(turn: Scored, one: Candidate) -> bool:
    """Whether an option in "-ing" was read out of a word that only begins like it: "check" is not "checking"."""
    said = [turn.view.mentions[place].words.lower() for place in one.mentions if turn.view.mentions[place].text == 0]
    return one.value.endswith("ing") and bool(said) and one.value.lower() not in said


def _is_bare_number(turn: Scored, one: Candidate, change: Change) -> bool:
    """Whether a number, by itself or of something, is for a slot that is about none and that nobody asked for."""
    spec, value = turn.view.every[one.slot], str(change.value)
    if not value[:1].isdigit() or any(char.isupper() for char in value) or sorts_of(spec) & NUMBERED:
        return False
    return not _is_wanted(turn, one)


def _is_told_of_others(turn: Scored, one: Candidate, context: Context) -> bool:
    """Whether a number that the rules do not read stands in words that ask for nothing: "two people told me"."""
    if turn.view.rules.get(turn.view.every[one.slot].path) or _is_wanted(turn, one):
        return False
    said = context.words.text.replace("\u2019", "'")
    return said.isascii() and _WISH.search(said) is None


def _is_wanted(turn: Scored, one: Candidate) -> bool:
    """Whether the assistant has just asked for a candidate's slot."""
    return turn.view.every[one.slot].path in turn.view.request.asked or _is_asked(turn, one.slot)


def _wonders(context: Context) -> bool:
    """Whether the turn asks for a fact, not for something that is like the words in it."""
    return "?" in context.words.text and _FACT.match(context.words.text) is not None


def _answers_nothing(turn: Scored, one: Candidate, span: Span, context: Context) -> bool:
    """Whether the value is all that the user says, and nobody asked for anything."""
    text = context.words.text
    if _WORD.search(text[: span[0]]) or _WORD.search(text[span[1] :]):
        return False
    return not (turn.view.request.asked or "?" in turn.view.request.assistant or _is_asked(turn, one.slot))


def _is_one_of_many(turn: Scored, one: Candidate, context: Context) -> bool:
    """Whether the assistant has just named several options of the slot, and the user does not say which or yes."""
    spec, words = turn.view.every[one.slot], fold(turn.view.request.assistant)
    named = sum(find(str(option), words) is not None for option in spec.options if not str(option).isdigit())
    return named > 1 and affirms(context.words.folded) is None


def _is_asked(turn: Scored, slot: int) -> bool:
    return float(turn.view.slot_logits[0][slot]) > 0


def _is_no_text(spec: SlotSpec, span: Span, context: Context) -> bool:
    """Whether the words are no value of a free slot: a day where days have slots of their own, a code for a place."""
    words = context.words.text[span[0] : span[1]]
    if any(other.kind in CALENDAR for other in context.profiles) and _is_calendar(words, context):
        return True
    if not profile(spec).concepts & PLACES:
        return False
    before = _WORD_BEFORE.search(context.words.text[: span[0]])
    cue = before.span(1) if before is not None else None
    return (
        is_idle(words)
        or _CODE.fullmatch(words) is not None
        or (cue is not None and leads_nowhere(context.words.text, cue, span[0]))
    )


def _is_calendar(words: str, context: Context) -> bool:
    text = fold(words)
    spans = [found.span for found in find_dates(text, context.request.now, "future")]
    spans += [found.span for found in find_times(text)]
    return any(end - start >= len(words.strip()) for start, end in spans)

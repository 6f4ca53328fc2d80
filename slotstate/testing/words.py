"""Words, in English, that say a value or go round it; what they mean is checked by the parsers, not by `decide`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import TypeAdapter

from slotstate.errors import InputError
from slotstate.parsing import (
    affirms,
    asks,
    clears,
    corrects,
    dont_care,
    find,
    find_choice,
    fold,
    hesitates,
    negated,
    refuses,
    removes,
    replaces,
    restarts,
    undoes,
)
from slotstate.slots import Json, SlotSpec
from slotstate.testing.kinds import NOW
from slotstate.values import Reading, follows, spellings, stands_in


@dataclass(frozen=True, slots=True)
class Words:
    """A user's sentence, and the part of it that is the evidence."""

    text: str
    quote: str


def said(spec: SlotSpec, value: Json, *, now: datetime = NOW) -> SearchStrategy[Words]:
    """Sentences from which the value follows. Raises InputError when no words for it are known."""
    quotes = sayings(spec, value, now)
    if not quotes:
        raise InputError(f"{spec.path}: no words are known from which {value!r} follows; give the slot aliases for it")
    return st.sampled_from([Words(sentence_for(spec, quote), quote) for quote in quotes])


def sentence_for(spec: SlotSpec, quote: str) -> str:
    """A sentence about the slot that holds the quote."""
    return f"{spec.label.capitalize()}: {quote}."


def sayings(spec: SlotSpec, value: Json, now: datetime = NOW) -> tuple[str, ...]:
    """Texts from which the value follows, wherever they stand."""
    return tuple(dict.fromkeys(words for words in _candidates(spec, value) if _says(spec, value, words, Reading(now))))


def _says(spec: SlotSpec, value: Json, words: str, reading: Reading) -> bool:
    around = fold(sentence_for(spec, words))
    return (
        find(words, around) is not None
        and follows(spec, value, words, reading)
        and not negated(around, len(spec.label) + 2)
    )


def _candidates(spec: SlotSpec, value: Json) -> Iterator[str]:
    match spec.kind:
        case "list":
            yield from _joined([next(_sayable(spec.element, one), None) for one in value])
        case "composite":
            yield from _joined([next(_sayable(spec.fields[name], part), None) for name, part in value.items()])
        case "map":
            yield from _joined([next(_sayable(spec.element, part), None) for part in value.values()])
        case _:
            yield from _scalar(spec, value)


def _sayable(spec: SlotSpec, value: Json) -> Iterator[str]:
    return (words for words in _scalar(spec, value) if follows(spec, value, words, Reading(NOW)))


def _joined(parts: list[str | None]) -> Iterator[str]:
    known = [part for part in parts if part is not None]
    if known and len(known) == len(parts):
        yield ", ".join(known)


def _scalar(spec: SlotSpec, value: Json) -> Iterator[str]:
    yield from (word for word, option in spellings(spec) if option == value)
    match spec.kind:
        case "integer" | "number":
            yield str(value)
        case "money":
            yield f"{value['value']} {value['currency']}"
        case "date":
            yield value
            yield _written(date.fromisoformat(value))
        case "time":
            yield time.fromisoformat(value).strftime("%H:%M")
        case "datetime":
            moment = datetime.fromisoformat(value)
            yield f"{_written(moment.date())} at {moment:%H:%M}"
            yield f"{moment:%Y-%m-%d %H:%M}"
        case "duration":
            yield from _spans(TypeAdapter(timedelta).validate_python(value))
        case _ if isinstance(value, str):
            yield value
        case _:
            return


def _written(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _spans(span: timedelta) -> Iterator[str]:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60), ("seconds", 1)):
        count, rest = divmod(int(span.total_seconds()), length)
        if count and not rest:
            yield f"{count} {unit}"


@lru_cache(maxsize=8192)
def cues(text: str) -> frozenset[str]:
    """What a text signals beside values."""
    folded = fold(text)
    found = {
        "affirm": affirms(folded),
        "refuse": refuses(folded),
        "correct": corrects(folded),
        "clear": clears(folded),
        "remove": removes(folded),
        "replace": replaces(folded),
        "dontcare": dont_care(folded),
        "undo": undoes(folded),
        "restart": restarts(folded),
        "hesitate": hesitates(folded),
        "ask": asks(folded) or None,
    }
    chosen = {"choice"} if any(find_choice(folded, among) is not None for among in (2, 5)) else set[str]()
    return frozenset(name for name, where in found.items() if where is not None) | chosen


@lru_cache(maxsize=8192)
def repeats(spec: SlotSpec, value: str, text: str, now: datetime = NOW) -> bool:
    """Whether a text may be read as the value (given as JSON text)."""
    return stands_in(spec, TypeAdapter(object).validate_json(value), text, Reading(now))

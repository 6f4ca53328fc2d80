"""What a model may answer: the response model, and what is wrong with an answer, said so that it can be mended."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from slotstate.compact.items import Add, Amend, Drop, Patch, patched
from slotstate.compact.summariser import KINDS, SummaryRequest
from slotstate.errors import near
from slotstate.events import Lost
from slotstate.messages import storable
from slotstate.parsing import Folded, find, fold
from slotstate.providers import Record, judging, why
from slotstate.providers.answers import Answer
from slotstate.providers.calling import is_list, is_object, short, told
from slotstate.state import Summary

MAX_ADDED: Final = 24
"""New items in one answer: a small model may write on and on, and where a grammar enforces the schema this ends it."""
MAX_CHANGED: Final = 40
MAX_LEFT_OUT: Final = 5
_EDGES: Final = " \t\n.,;:!?。，；：！？、…\"'“”‘’「」"
_AGAIN: Final = "Write the whole answer again, all lists with all that was right in them, and these mistakes mended."
_TRIES: Final = 20
"""Places in a text at which an answer is looked for."""
_LISTS: Final = ("amend", "add", "drop", "left_out")
_NAMED: Final = {"names": ", ".join(_LISTS)}

_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_QUOTE: Final = {"type": "string", "description": "The words of one message that tell it, copied exactly; may be empty"}
_SOURCES: Final = {"type": "array", "items": _TEXT, "description": "The ids of the messages that tell it"}
_ITEM: Final = {"type": "integer", "description": "The number of a note"}


class _Notes(Answer):
    """What both response models have."""

    model_config = ConfigDict(hide_input_in_errors=True)


@lru_cache(maxsize=2)
def response_model(*, changing: bool) -> type[BaseModel]:
    """The model of a reply: four lists; only two where there are no items to be changed (`changing` false).

    The order of the parts is the order in which a model writes them: the quote first, then where it stands, and only
    then what it comes to, so that a small model words what it has just copied.
    """
    shapes = {
        "amend": _array({"item": _ITEM, "quote": _QUOTE, "sources": _SOURCES, "text": _TEXT}, MAX_CHANGED),
        "add": _array(
            {"quote": _QUOTE, "sources": _SOURCES, "kind": {"type": "string", "enum": list(KINDS)}, "text": _TEXT},
            MAX_ADDED,
        ),
        "drop": _array({"item": _ITEM, "reason": _TEXT}, MAX_CHANGED),
        "left_out": _array({"text": _TEXT, "reason": _TEXT}, MAX_LEFT_OUT),
    }
    names = _LISTS if changing else ("add", "left_out")
    fields: dict[str, Any] = {name: (Annotated[list[Any], WithJsonSchema(shapes[name])], ...) for name in names}
    model: type[BaseModel] = create_model(
        "Notes",
        __base__=_Notes,
        __doc__="How the notes change.",
        __validators__={"judged": model_validator(mode="before")(_judged)},  # type: ignore[dict-item]
        **fields,
    )
    return model


def _array(properties: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The JSON Schema of a list. Written out, without references, so that every provider's subset takes it."""
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "array", "items": item, "maxItems": most}


def _judged(value: Any) -> Any:
    return judging.get()(value)


@dataclass(frozen=True, slots=True)
class Found:
    """What was read of one answer: the patch, samples of what it leaves out, and what is wrong with it.

    `faults` are mistakes that spoil the patch; `doubts` are told to the model as well, but what becomes of them in the
    end is for the validation to say: sources that there are not, quotes that nobody said, a summary too large, `excess`
    by how many items and characters. `sound` counts the changes without any.
    """

    patch: Patch
    lost: tuple[Lost, ...] = ()
    faults: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    excess: tuple[int, int] = (0, 0)
    sound: int = 0


@dataclass(slots=True)
class Reader:
    """Reads the answers about some messages of a request: `unshield` undoes what was done to their words, `texts` are
    those that were shown by their ids, `sources` the ids of all of the span by what was shown in their place.
    """

    summary: Summary
    request: SummaryRequest
    record: Record
    unshield: Callable[[str], str]
    texts: Mapping[str, str]
    sources: Mapping[str, str]
    answers: list[Found] = field(default_factory=list[Found])
    _folded: dict[str, Folded] = field(default_factory=dict[str, Folded])

    def holder(self, quote: str, among: Iterable[str] | None = None) -> str | None:
        """The id of the first message, of these or of all that were shown, in which the quote stands."""
        for ident in self.texts if among is None else among:
            if ident in self.texts:
                if ident not in self._folded:
                    self._folded[ident] = fold(self.texts[ident])
                if find(quote, self._folded[ident]) is not None:
                    return ident
        return None

    def judge(self, written: Any) -> dict[str, list[Any]]:
        """The four lists as they were written. Raises PydanticCustomError that says what is wrong with them."""
        lists = _lists(written)
        if lists is None:
            raise PydanticCustomError("notes", "the answer must be an object with the lists {names}", _NAMED)
        found = self.read(lists)
        problems = (*found.faults, *found.doubts)
        if problems:
            raise PydanticCustomError("notes", "{told}\n{again}", {"told": told(problems), "again": _AGAIN})
        return lists

    def done(self, reply: object) -> Found | str:
        """The answer that was judged last, which was good; or one before it that says more, if with doubts: a small
        model that is told of a mistake often repeats no more than what was wrong.
        """
        del reply
        return self._best() or self.answers[-1]

    def failed(self, error: BaseException) -> Found | str:
        """An answer that is whole, if only doubtful or wrapped in other text, or one line that says why there is none.

        What was cut off is not kept: the messages that the rest would have told of would be lost.
        """
        if type(error).__name__ != "IncompleteOutputException":
            for lists in _within(self.record.text):
                self.read(lists)
            best = self._best()
            if best is not None:
                return best
        problem = next((found.faults[0] for found in reversed(self.answers) if found.faults), None)
        return why(self.record, error, "change of the notes", problem)

    def _best(self) -> Found | None:
        """The answer without faults that fits best and says most, the later of equals."""
        usable = [found for found in self.answers if not found.faults]
        return min(reversed(usable), key=lambda found: (found.excess, -found.sound, len(found.doubts)), default=None)

    def read(self, lists: Mapping[str, list[Any]]) -> Found:
        """What the lists come to."""
        reading = _Reading(self)
        for name in _LISTS[:3]:
            for number, item in enumerate(lists[name], 1):
                reading.take(name, number, item)
        lost = [_left_out(item, self.unshield) for item in lists["left_out"][:MAX_LEFT_OUT]]
        said = tuple(one for one in lost if one is not None)
        found = Found(reading.patch, said, tuple(reading.faults), tuple(reading.doubts), sound=reading.sound)
        found = found if found.faults else self._measured(found)
        self.answers.append(found)
        return found

    def _measured(self, found: Found) -> Found:
        """With by how much the summary becomes too large."""
        items = patched(self.summary, found.patch, self.summary.covered).items
        size = sum(len(item.text) + len(item.quote or "") for item in items)
        most, most_chars = self.request.most_items, self.request.most_chars
        if len(items) <= most and size <= most_chars:
            return found
        line = (
            f"the notes would have {len(items)} items and {size} characters, and may have {most} and {most_chars}: "
            "join what belongs together, drop what matters least, write shorter"
        )
        excess = max(0, len(items) - most), max(0, size - most_chars)
        return replace(found, doubts=(*found.doubts, line), excess=excess)


@dataclass(slots=True)
class _Reading:
    """One answer while it is read."""

    reader: Reader
    where: str = ""
    faults: list[str] = field(default_factory=list[str])
    doubts: list[str] = field(default_factory=list[str])
    doubtful: set[str] = field(default_factory=set[str])
    add: list[Add] = field(default_factory=list[Add])
    amend: list[Amend] = field(default_factory=list[Amend])
    drop: list[Drop] = field(default_factory=list[Drop])

    @property
    def patch(self) -> Patch:
        return Patch(tuple(self.add), tuple(self.amend), tuple(self.drop))

    @property
    def sound(self) -> int:
        """How many changes there are without a doubt about them."""
        return len(self.add) + len(self.amend) + len(self.drop) - len(self.doubtful)

    def take(self, name: str, number: int, item: Any) -> None:
        """Take a change in, or note what is wrong with it, and what to do about it."""
        self.where = f"{name} {number}"
        take = {"add": self._add, "amend": self._amend, "drop": self._drop}[name]
        fault = take(item) if is_object(item) else f"must be an object, not {_json(item)}"
        if fault is not None:
            self.faults.append(f"{self.where}: {short(fault)}")

    def _add(self, item: dict[str, Any]) -> str | None:
        kind = item.get("kind")
        if kind not in KINDS:
            return f"unknown kind {_json(kind)}{near(str(kind), KINDS)}"
        text = self._text(item)
        if text is None:
            return "needs its text: one sentence that says it"
        said = {one.text for one in self.reader.summary.items} | {one.text for one in self.add}
        if text in said:
            return None  # said already, to the letter
        quote, sources = self._evidence(item)
        if not sources:
            return f"{_json(text)} needs its sources: the ids of the messages that tell it"
        self.add.append(Add(kind, text, sources, quote))
        return None

    def _amend(self, item: dict[str, Any]) -> str | None:
        number, fault = self._number(item)
        if number is None:
            return fault
        text = self._text(item)
        if text is None:
            return f"note {number} needs its new text; to take it out, drop it"
        quote, sources = self._evidence(item)
        if not sources:
            return f"note {number} needs its sources: the ids of the messages that change it"
        self.amend.append(Amend(number, text, sources, quote))
        return None

    def _drop(self, item: dict[str, Any]) -> str | None:
        number, fault = self._number(item)
        if number is None:
            return fault
        reason = self._words(item.get("reason"))
        if reason is None:
            return f"note {number} needs a reason to be dropped"
        self.drop.append(Drop(number, reason))
        return None

    def _number(self, item: dict[str, Any]) -> tuple[int | None, str | None]:
        """The number of an item that is there and not changed yet, or what is wrong with it."""
        given = item.get("item")
        number = int(given.strip(" #")) if isinstance(given, str) and re.fullmatch(r"\s*#?\d{1,9}\s*", given) else given
        known = [one.ident for one in self.reader.summary.items]
        if not isinstance(number, int) or isinstance(number, bool) or number not in known:
            there = f"there are {', '.join(map(str, known))}" if known else "there are none yet; new ones go to add"
            return None, f"there is no note {_json(given)}: {there}"
        changed = {one.ident for one in self.amend} | {one.ident for one in self.drop}
        if number in changed:
            return None, f"note {number} is changed twice: amend it once, or drop it"
        return number, None

    def _text(self, item: dict[str, Any]) -> str | None:
        return self._words(item.get("text"))

    def _evidence(self, item: dict[str, Any]) -> tuple[str | None, tuple[str, ...]]:
        """Quote and sources as they were given. Where the quote stands in another message than those, that is one, too:
        small models copy words well and mix up where they found them.
        """
        reader = self.reader
        quote, sources = self._quote(item), self._sources(item)
        known = set(reader.sources.values())
        for source in sources:
            if source not in known:
                self._doubt(f"there is no message {_json(source)}: copy the id from <message id=…>")
        if quote is not None and reader.holder(quote, sources) is None:
            holder = reader.holder(quote)
            if holder is not None:
                sources = (*sources, holder)
            else:
                self._doubt(f"the quote {_json(quote)} is in no message: copy it word for word, or leave it empty")
        return quote, sources

    def _doubt(self, line: str) -> None:
        self.doubtful.add(self.where)
        self.doubts.append(f"{self.where}: {short(line)}")

    def _quote(self, item: dict[str, Any]) -> str | None:
        """The quote as it was written; with our escapes undone, unless it stands in a message as it is."""
        quote = item.get("quote")
        if not isinstance(quote, str) or not quote.strip():
            return None
        quote = storable(quote)
        if any(quote in text for text in self.reader.texts.values()):
            return quote
        quote = self.reader.unshield(quote)
        bare = quote.strip(_EDGES)
        # A full stop where the message has none is a slip of the pen.
        return bare if bare and not self.reader.holder(quote) and self.reader.holder(bare) else quote

    def _sources(self, item: dict[str, Any]) -> tuple[str, ...]:
        """The ids as they were given, known or not; what was shown in place of a long one is taken for it."""
        given = item.get("sources")
        listed: list[Any] = given if is_list(given) else [given]
        ids = [storable(str(one)).strip() for one in listed if isinstance(one, str | int)]
        return tuple(dict.fromkeys(self.reader.sources.get(one, one) for one in ids if one))

    def _words(self, value: Any) -> str | None:
        """A text on one line, None for none."""
        if not isinstance(value, str):
            return None
        return " ".join(self.reader.unshield(storable(value)).split()) or None


def _lists(written: Any) -> dict[str, list[Any]] | None:
    """The four lists out of what a model wrote: one that is not there is empty; a bare list holds what is added."""
    if isinstance(written, str):
        with suppress(ValueError, RecursionError):
            written = json.loads(written)
    if is_list(written):
        written = {"add": written}
    if not is_object(written) or not any(name in written for name in _LISTS):
        return None
    lists: dict[str, list[Any]] = {}
    for name in _LISTS:
        value = written.get(name)
        if isinstance(value, str):  # some models write JSON within JSON
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if value is not None and not is_list(value):
            return None
        lists[name] = value or []
    return lists


def _within(text: str) -> Iterator[dict[str, list[Any]]]:
    """The first answer that stands whole in a text with other words around it."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return
        with suppress(ValueError, RecursionError):
            value, _end = decoder.raw_decode(text, start)
            lists = _lists(value)
            if lists is not None:
                yield lists
                return
        start = text.find("{", start + 1)


def _left_out(item: Any, unshield: Callable[[str], str]) -> Lost | None:
    if not is_object(item):
        return None
    text, reason = item.get("text"), item.get("reason")
    if not isinstance(text, str) or not text.strip():
        return None
    return Lost(text=unshield(storable(text)), reason=storable(reason) if isinstance(reason, str) else "")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:79]}…"


__all__ = ["Found", "Reader", "response_model"]

"""What a model may answer: the response model, and what is wrong with an answer, said so that it can be mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from slotstate.decide import Said
from slotstate.decide.drafts import Draft, Refusal, draft, whole_domain
from slotstate.domains import Domain, Domains
from slotstate.errors import near
from slotstate.events import Op
from slotstate.extract import Change, Extraction, Request
from slotstate.extractors.instructor.grounding import grounded, readings
from slotstate.extractors.instructor.own_reading import OwnReading
from slotstate.extractors.instructor.shielding import unshield
from slotstate.messages import storable
from slotstate.parsing import find_quote, fold
from slotstate.providers import Record, judging, why
from slotstate.providers.answers import Answer, last_json
from slotstate.providers.calling import is_list, is_object, short, told
from slotstate.slots import UNSET, SlotSpec
from slotstate.values import FORMS

MAX_CHANGES: Final = 16
"""Changes in one answer: a small model may write on and on, and where a grammar enforces the schema this ends it."""
_UNSEEN: Final = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
"""What no one sees and no value needs: controls, marks of direction, empty spaces. Joiners spell words, and stay."""
VALUELESS: Final[frozenset[Op]] = frozenset({"clear", "confirm", "deny", "request", "undo", "start"})


@dataclass(frozen=True, slots=True)
class Shape:
    """What a reply may hold: the paths it can name, the operations, and whether values may be lists or objects."""

    paths: tuple[str, ...]
    ops: tuple[Op, ...]
    lists: bool = False
    objects: bool = False


def offered(spec: SlotSpec) -> bool:
    """Whether a model may propose changes of this slot; what only tools fill is none of its business."""
    return spec.slot.evidence != "tool"


def shape_of(domains: Iterable[Domain], only: Sequence[Op] | None = None) -> Shape:
    """The shape for these domains, of all operations that they can use, or of those among `only`."""
    specs = [spec for domain in domains for spec in domain.slots.values() if offered(spec)]
    # No names of domains among the paths, though `start` is about one: small models take them for slots.
    usable = _usable(specs)
    ops: tuple[Op, ...] = tuple(op for op in usable if only is None or op in only)
    paths = [path for spec in specs for path in (spec.path, *(part.path for part in spec.fields.values()))]
    parts = [part for spec in specs for part in (spec, *spec.fields.values())]
    return Shape(
        tuple(paths),
        ops,
        lists=any(part.kind == "list" for part in parts),
        objects=any(part.kind in {"map", "composite"} for part in parts),
    )


def _usable(specs: Sequence[SlotSpec]) -> tuple[Op, ...]:
    """Operations that these slots can use, the common ones first."""
    lists = any(spec.kind == "list" for spec in specs)
    rules_out = any(spec.kind not in {"composite", "map"} for spec in specs)
    confirms = any(spec.slot.confirm != "never" for spec in specs)
    usable: dict[Op, bool] = {
        "set": bool(specs),
        "add": lists,
        "remove": lists,
        "clear": bool(specs),
        "exclude": rules_out,
        "confirm": confirms,
        "deny": bool(specs),
        "request": bool(specs),
        "undo": bool(specs),
        "start": bool(specs),
    }
    ops: list[Op] = [op for op, use in usable.items() if use]
    return tuple(ops)


class _Changes(Answer):
    """What all response models have."""

    model_config = ConfigDict(hide_input_in_errors=True)


@lru_cache(maxsize=64)
def response_model(shape: Shape) -> type[BaseModel]:
    """The model of a reply: a list of changes and nothing else.

    The order of a change's parts is the order in which a model writes them, and decides how well it does it: first the
    quote, then the slot, then the value (measured: .62 against .07 with the value first). The operation stands right
    before the value, because it says whether there is one; where only `set` is offered it is left out.
    """
    changes = Annotated[
        list[Any],
        BeforeValidator(_unpacked),
        AfterValidator(_judged),
        WithJsonSchema({"type": "array", "items": _item_schema(shape), "maxItems": MAX_CHANGES}),
        Field(description="The changes that the user's message asks for; empty when it asks for none"),
    ]
    model: type[BaseModel] = create_model(
        "Changes",
        __base__=_Changes,
        __doc__="What the user's message changes.",
        __validators__={"wrapped": model_validator(mode="before")(_wrapped)},  # type: ignore[dict-item]
        changes=(changes, ...),
    )
    return model


def _item_schema(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of one change. Written out, without references, so that every provider's subset takes it."""
    value: list[dict[str, Any]] = [{"type": "string"}]
    if shape.lists:
        value.append({"type": "array", "items": {"type": "string"}})
    if shape.objects:
        value.append({"type": "object"})
    properties: dict[str, Any] = {
        "quote": {"type": "string", "description": "The user's words for it, copied word for word"},
        "slot": {"type": "string", "enum": list(shape.paths)},
    }
    if shape.ops != ("set",):
        properties["op"] = {"type": "string", "enum": list(shape.ops)}
        if VALUELESS & set(shape.ops):
            value.append({"type": "null"})
    properties["value"] = value[0] if len(value) == 1 else {"anyOf": value}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read from one answer: all changes that could be read, how many of them hold, and what is wrong."""

    changes: tuple[Change, ...] = ()
    valid: int = 0
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class Reader:
    """Reads the answers to one request."""

    request: Request
    domains: Domains
    shape: Shape
    record: Record
    grounded: bool = True
    own: OwnReading | None = None
    replies: list[Reply] = field(default_factory=list[Reply])

    def judge(self, written: list[Any]) -> list[Any]:
        """The changes in an answer. Raises PydanticCustomError that says what is wrong with them."""
        reply = self.read(written)
        if reply.problems:
            raise PydanticCustomError("changes", "{told}", {"told": told(reply.problems)})
        return list(reply.changes)

    def done(self, reply: Any) -> Extraction:
        """The extraction that a good answer comes to."""
        return Extraction(tuple(reply.changes), self.record.usage, self.record.model)

    def failed(self, error: BaseException) -> Extraction:
        """What can be kept of the answers when none was right: changes that hold, and the others to be recorded."""
        items = salvage(self.record.text)
        if items:
            self.read(items)
        best = self.best
        saved = f" ({best.valid} could be read all the same)" if best.valid else ""
        line = why(self.record, error, "list of changes", next(iter(best.problems), None), saved)
        return Extraction(best.changes, self.record.usage, self.record.model, line)

    def read(self, items: Sequence[Any]) -> Reply:
        """The changes in an answer, each judged as `decide` will judge it."""
        changes: list[Change] = []
        problems: list[str] = []
        valid = 0
        for index, item in enumerate(items[:MAX_CHANGES]):
            read, problem = self._read(item)
            new = [change for change in read if change not in changes]
            changes += new
            if problem is not None:
                problems.append(f"change {index + 1}: {short(problem)}")
            elif new:
                valid += 1
        if len(items) > MAX_CHANGES:
            problems.append(f"{len(items)} changes are too many for one message: name each change once")
        reply = Reply(tuple(changes), valid, tuple(problems))
        self.replies.append(reply)
        return reply

    @property
    def best(self) -> Reply:
        """The answer with the most valid changes, the later of equals; an empty one when none could be read."""
        return max(reversed(self.replies), key=lambda reply: reply.valid, default=Reply())

    def _read(self, item: Any) -> tuple[tuple[Change, ...], str | None]:
        """The change that an item of the list stands for, where it can be read (several where its value may be read in
        several ways), and what is wrong with it; neither where nobody said so.
        """
        if not is_object(item):
            return (), f"must be an object with quote, slot and value, not {_json(item)}"
        path, op = item.get("slot"), item.get("op") or "set"
        if not isinstance(path, str):
            return (), f"its slot must be one of the declared names, not {_json(path)}"
        if op not in self.shape.ops:
            return (), f"unknown op {_json(op)} on {path!r}{near(str(op), self.shape.ops)}"
        quote = item.get("quote")
        words = self._words(quote) if isinstance(quote, str) else None
        value = UNSET if op in VALUELESS else _value(item.get("value"))
        change = Change(op, storable(path), value, words)
        judged, problem = self._judged(change)
        if self.own is not None and op == "set" and isinstance(judged, Draft) and self._misquote(change) is not None:
            change = self.own.requoted(replace(change, value=judged.claim.value))
            judged, problem = self._judged(change)
        if problem is None and op in {"set", "add"} and isinstance(judged, Draft):
            return self._borne_out(judged), None
        if isinstance(judged, Refusal) and judged.reason == "invalid_value" and self._misquote(change) is None:
            spec, part = self.domains.resolve(change.path)
            meant = readings(change, spec, self._words_said) if part is None else ()
            if meant:
                return meant, None
        return (change,), problem

    def _borne_out(self, judged: Draft) -> tuple[Change, ...]:
        """A value as the conversation bears it out, and nothing of what does not stand up to that."""
        if self.own is not None and self.own.doubts(judged):
            return ()
        return grounded(judged, self.request, self._words_said) if self.grounded else (judged.change,)

    @property
    def _words_said(self) -> Said:
        request = self.request
        return Said(
            request.turn, request.user, request.now, request.state.heard, request.asked, before=request.state.slots
        )

    def _judged(self, change: Change) -> tuple[Draft | Refusal, str | None]:
        """A change as `decide` sees it, and what is wrong with it and what to do about it."""
        judged = draft(change, self.domains, self.request.state, self._words_said)
        return judged, "; ".join(filter(None, (self._refusal(change, judged), self._misquote(change)))) or None

    def _words(self, quote: str) -> str:
        quote = storable(quote)
        return quote if self._said(quote) else unshield(quote)

    def _said(self, quote: str) -> bool:
        return bool(find_quote(quote, fold(self.request.user), limit=1))

    def _misquote(self, change: Change) -> str | None:
        if not change.quote or not change.quote.strip():
            return f"{change.path} needs a quote: copy the user's words for it, or leave the change out"
        if not self._said(change.quote):
            return (
                f"the quote {_json(change.quote)} is not in the user's message: copy it word for word from there, "
                f"or leave the change of {change.path} out"
            )
        return None

    def _refusal(self, change: Change, judged: Draft | Refusal) -> str | None:
        if change.op == "start" and whole_domain(change, self.domains) is not None:
            return None
        if not isinstance(judged, Refusal):
            return None
        told = judged.detail if change.path in judged.detail else f"{change.path}: {judged.detail}"
        hinted = judged.reason != "invalid_value" or "write it as" in told
        return told if hinted else told + self._hint(change.path)

    def _hint(self, path: str) -> str:
        """How a value is written that cannot be taken amiss."""
        spec, name = self.domains.resolve(path)
        part = spec.fields.get(name) if name is not None else spec
        owner = part.item or part if part is not None else spec.element
        form = FORMS.get(owner.kind)
        return f"; write it as {form}" if form is not None else ""


def _wrapped(value: Any) -> Any:
    """The reply, also where a model leaves the object around the list out. A change without its list is none: it may
    be all that is whole of an answer that was cut off.
    """
    return {"changes": value} if is_list(value) else value


def _unpacked(value: Any) -> Any:
    """The list of changes, also out of a text: some models write JSON within JSON, and one change without its list."""
    if isinstance(value, str):
        found = last_json(value)
        with suppress(ValueError, RecursionError):
            value = json.loads(value if found is None else found)
    if is_object(value) and "slot" in value:  # the only one
        value = [value]
    if not is_list(value):
        raise PydanticCustomError("changes", "changes must be a list of objects, empty when nothing changes")
    return value


def _judged(items: list[Any]) -> Any:
    return judging.get()(items)


def salvage(text: str) -> list[Any]:
    """The complete objects of a list of changes in a text that is no valid JSON: cut off, or with prose around it."""
    start = text.find('"changes"')
    start = text.find("[", max(start, 0))
    found: list[Any] = []
    decoder = json.JSONDecoder()
    while start >= 0 and len(found) <= MAX_CHANGES:
        start = text.find("{", start)
        if start < 0:
            break
        try:
            item, start = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        found.append(item)
        if not text[start:].lstrip().startswith(","):
            break
    return [item for item in found if is_object(item) and "slot" in item]


def _seen(text: str) -> str:
    return _UNSEEN.sub("", storable(text))


def _value(value: Any) -> Any:
    """A value as a change holds it: writable text, our escapes undone, no preference as its own value."""
    if value is None:
        return UNSET
    if isinstance(value, str):
        return _seen(unshield(value))
    if is_list(value):
        return [None if one is None else _value(one) for one in value]
    if is_object(value):
        return {_seen(str(key)): None if part is None else _value(part) for key, part in value.items()}
    return value


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:79]}…"


__all__ = [
    "Reader",
    "Reply",
    "Shape",
    "offered",
    "response_model",
    "salvage",
    "shape_of",
]

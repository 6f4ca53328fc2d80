"""Messages as bots hold them: the OpenAI chat form, read once into typed parts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, Protocol

from pydantic import BaseModel, ConfigDict

from slotstate.errors import InputError
from slotstate.slots import Json


class ToolCall(BaseModel):
    """A call that the assistant made: its id, the tool's name and the arguments as JSON text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    arguments: str


class Message(BaseModel):
    """One chat message, whatever form it came in. `offers` and `asks` are slotstate's own additions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    text: str
    id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    asks: tuple[str, ...] = ()
    offers: dict[str, Any] | None = None
    usage: Json = None


TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""A tool's name that every provider takes."""
ROLES = ("user", "assistant", "tool", "system", "developer")


def check_tool_name(name: str) -> None:
    """Raise InputError for a tool's name that would be refused in each prompt from here on."""
    if not TOOL_NAME.fullmatch(name):
        hint = f": call it {known_as!r}, here and in its schema" if (known_as := tool_name(name)) else ""
        raise InputError(f"a tool's name is 1 to 64 letters, digits, _ or -, not {name[:80]!r}{hint}")


def tool_name(name: str) -> str:
    """A name with the characters and the length that providers take; empty for an empty one."""
    return re.sub("[^a-zA-Z0-9_-]", "_", name)[:64]


def near_ids(ident: str, messages: Sequence[Named]) -> str:
    """For the id of no message: those near it, else the latest ones."""
    ids = [message.id for message in messages]
    if not ids:
        return ": nothing was said yet"
    close = get_close_matches(ident, ids[-1_000:], n=3)
    told = f"near it are {', '.join(close)}" if close else f"the latest are {', '.join(ids[-3:])}"
    return f": {told}; chat.messages has each with its id"


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str:
        """The id."""
        ...


def storable(text: str) -> str:
    """`text` as it can be written as UTF-8: surrogate pairs joined, lone ones replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_DEEPEST: Final = 100
"""Levels of a JSON value in the log; readers of JSON stop at 128 or at 200."""
_MOST_BITS: Final = 3_400
"""Of a whole number in the log: some thousand digits, which Python and readers of JSON take without being asked to."""


def is_writable(value: object) -> bool:
    """Whether a JSON value can be written to the log and comes back from there as it was."""
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            return False
        match one:
            case str():
                if storable(one) != one:
                    return False
            case int():  # booleans too
                if one.bit_length() > _MOST_BITS:
                    return False
            case float():
                if not math.isfinite(one):
                    return False
            case Mapping():
                waiting += [(part, depth + 1) for pair in one.items() for part in pair]
            case list() | tuple():
                waiting += [(part, depth + 1) for part in one]
            case None:
                pass
            case _:
                return False
    return True


def read_message(raw: object, where: str = "message") -> Message:
    """A Message from the OpenAI chat form (`role`, `content` as text or parts, `tool_calls`, `tool_call_id`, `id`).

    Raises InputError, naming `where` and what is wrong.
    """
    if not isinstance(raw, Mapping):
        raise InputError(f"{where}: a message must be an object with role and content, not {type(raw).__name__}")
    role = raw.get("role")
    if role not in ROLES:
        raise InputError(f"{where}: role must be one of {', '.join(ROLES)}, not {role!r}")
    if "content" not in raw and not raw.get("tool_calls"):
        raise InputError(f"{where}: a message needs its content{_near_key(raw)}")
    ident = raw.get("id")
    if ident is not None and not isinstance(ident, str):
        raise InputError(f"{where}: id must be text, not {type(ident).__name__}")
    calls = tuple(_tool_call(call, where) for call in _sequence(raw.get("tool_calls"), "tool_calls", where))
    call_id = raw.get("tool_call_id")
    if role == "tool" and not isinstance(call_id, str):
        raise InputError(f"{where}: a tool message needs the tool_call_id that it answers")
    offers = raw.get("offers")
    if offers is not None and not isinstance(offers, Mapping):
        raise InputError(f"{where}: offers must be an object of slot paths and values")
    return Message(
        role=role,
        text=storable(_content(raw.get("content"), where)),
        id=ident,
        tool_calls=calls,
        tool_call_id=storable(call_id) if isinstance(call_id, str) else None,
        asks=tuple(str(path) for path in _sequence(raw.get("asks"), "asks", where)),
        offers=dict(offers) if offers is not None else None,
    )


def _near_key(raw: Mapping[Any, Any]) -> str:
    """A hint where a key looks like a slip of the pen."""
    slips = get_close_matches("content", [str(key) for key in raw if key != "role"], n=1, cutoff=0.6)
    return f"; did you mean it by {slips[0]!r}?" if slips else ""


def _sequence(given: object, what: str, where: str) -> Sequence[Any]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"{where}: {what} must be a list")
    return given


def _content(content: object, where: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in _sequence(content, "content", where):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, Mapping) and isinstance(part.get("type"), str):
            texts.append(f"[{part['type']}]")  # an image or a sound: its place is kept, its payload is not text
        else:
            raise InputError(f"{where}: content parts must be objects with a type")
    return "\n".join(texts)


def _tool_call(call: object, where: str) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise InputError(f"{where}: a tool call needs an id and a function with a name")
    arguments = function.get("arguments", "{}")
    text = arguments if isinstance(arguments, str) else _written(arguments, where)
    ident, name = storable(str(call.get("id", ""))), storable(function["name"])
    return ToolCall(id=ident, name=name, arguments=storable(text))


def _written(arguments: object, where: str) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            f"{where}: a call's arguments cannot be written as JSON: give texts, numbers, lists and objects of them"
        ) from None

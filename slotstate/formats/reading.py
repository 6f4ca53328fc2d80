"""What the formats share: reading messages that may hold anything, and copies that JSON can say."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from slotstate.contract import Prompt
from slotstate.formats.rules import DEPTH
from slotstate.messages import storable

Message = dict[str, Any]

_FIRST: Final = {name: rank for rank, name in enumerate(("role", "type", "id", "name", "content", "text"))}
_LONGEST: Final = 4_096
"""Bits of a whole number: Python writes no longer ones without being told to."""

_SHOWN: Final = 40
"""Characters of a name or an id in a message."""


def messages_of(given: object) -> object:
    """The messages of a Prompt; anything else as it is."""
    return given.messages if isinstance(given, Prompt) else given


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether `value` is what JSON writes as a list."""
    return isinstance(value, list | tuple)


def sendable(text: str) -> str:
    """`text` without lone surrogates and NULs: U+FFFD stands for each."""
    return storable(text).replace("\0", "\ufffd")


def _is_sendable(text: str) -> bool:
    return "\0" not in text and (text.isascii() or storable(text) == text)


def flaws(value: object) -> dict[str, str]:
    """What of `value`, at any depth, cannot be sent: codes of check() with what was found first. Never raises."""
    found: dict[str, str] = {}
    left: list[tuple[object, int]] = [(value, 0)]
    while left:
        item, depth = left.pop()
        if depth > DEPTH:
            found["too_deep"] = f"nested deeper than {DEPTH} levels; write it as text"
        elif isinstance(item, str):
            if not _is_sendable(item):
                found["bad_characters"] = "holds a NUL or a lone surrogate; replace it, for example by U+FFFD"
        elif isinstance(item, Mapping):
            left += [(part, depth + 1) for pair in item.items() for part in pair]
            if not all(isinstance(key, str) for key in item):
                found["not_json"] = "holds an object whose keys are not all text; write them as text"
        elif is_list(item):
            left += [(part, depth + 1) for part in item]
        elif not _is_json(item):
            found["not_json"] = f"holds {type(item).__name__} that JSON cannot say; write it as text"
    return found


def shown(value: object) -> str:
    """A value in a message: one line, not too long."""
    text = value if isinstance(value, str) else type(value).__name__ if value is not None else "null"
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"


def _is_json(value: object) -> bool:
    """Whether a single value is one of JSON's."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and value.bit_length() <= _LONGEST)


def cleaned(value: object, depth: int = 0) -> Any:
    """A copy of `value` without flaws: what JSON cannot say is written as text, what is nested too deep as `…`."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, Mapping | list | tuple) and depth >= DEPTH - 8 and value:
        return "…"
    if isinstance(value, Mapping):
        return {sendable(str(key)): cleaned(part, depth + 1) for key, part in value.items()}
    if is_list(value):
        return [cleaned(part, depth + 1) for part in value]
    if _is_json(value):
        return value
    if isinstance(value, int):
        return hex(value)
    return str(value) if isinstance(value, float) else f"[{type(value).__name__}]"


def ordered(value: Any) -> Any:
    """A copy of a JSON value that is written as the same bytes whatever the order in which its keys were added."""
    if isinstance(value, Mapping):
        return {key: ordered(value[key]) for key in sorted(value, key=lambda key: (_FIRST.get(key, len(_FIRST)), key))}
    if is_list(value):
        return [ordered(part) for part in value]
    return sendable(value) if isinstance(value, str) else value


def arguments_of(text: str) -> dict[str, Any] | None:
    """The arguments of a call that `text` holds, or None when it is no JSON object."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def text_part(text: str) -> Message:
    """A text as a part of a content."""
    return {"type": "text", "text": text}


def parts_of(content: object) -> list[Any]:
    """A content as a list of parts."""
    if isinstance(content, str):
        return [text_part(content)] if content else []
    return list(content) if is_list(content) else []


def is_text(part: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether `part` is a well-formed text part."""
    return isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)


def is_blank(content: object) -> bool:
    """Whether a content shows nothing: no text but white space, and no part of another kind."""
    if content is None:
        return True
    if isinstance(content, str):
        return not content.strip()
    return is_list(content) and all(_is_blank_part(part) for part in content)


def _is_blank_part(part: object) -> bool:
    text = part.get(part["type"]) if isinstance(part, Mapping) and part.get("type") in ("text", "refusal") else None
    return isinstance(text, str) and not text.strip()


def joined(first: object, second: object) -> Any:
    """Two contents as one: texts with an empty line between, parts in a row."""
    if first is None or first == "":
        return second
    if second is None or second == "":
        return first
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*parts_of(first), *parts_of(second)]

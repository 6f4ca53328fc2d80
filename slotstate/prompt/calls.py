"""Tool calls as a prompt shows them: as providers take them, nothing secret in them, no marker. The log keeps all."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from slotstate.contract import MASK
from slotstate.events import AssistantTurn
from slotstate.messages import ToolCall, storable
from slotstate.prompt.scene import Mask
from slotstate.templating import escape_markers

_DEEPEST: Final = 80
"""Levels of arguments; servers read somewhat more."""
_LONGEST: Final = 4_096
"""Bits of a whole number that all servers read."""
_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")


def harmless(text: str) -> str:
    """Somebody's words, in which nothing can be taken for one of our markers, and nothing that providers refuse."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return escape_markers(text)


class Idents:
    """The ids of a group's calls as they are shown: another one where there is none that can be shown."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._given: dict[str, list[str]] = {}

    def of_call(self, call: ToolCall, turn: int, at: int) -> str:
        """The id of call number `at` of message number `turn`."""
        unfit = not call.id.strip() or "\0" in call.id or self._mask.mask(call.id) != call.id
        ident = f"call-{turn}-{at}" if unfit else call.id
        self._given.setdefault(call.id, []).append(ident)
        return ident

    def of_result(self, ident: str) -> str:
        """The id of the call that a result answers: of several with one id, the first that has no result yet."""
        return self._given[ident].pop(0)


def shown_calls(spoken: Sequence[AssistantTurn], idents: Idents, mask: Mask) -> list[dict[str, Any]]:
    """The calls of messages of the assistant."""
    return [
        {
            "id": idents.of_call(call, event.turn, at),
            "type": "function",
            "function": {"name": _name(call.name, mask), "arguments": shown_arguments(call.arguments, mask)},
        }
        for event in spoken
        for at, call in enumerate(event.tool_calls)
    ]


def _name(name: str, mask: Mask) -> str:
    hidden = mask.mask(name)
    return name if hidden == name else _NO_NAME.sub("_", hidden)


def shown_arguments(text: str, mask: Mask) -> str:
    """A call's arguments as a JSON object; what is none is put into one."""
    if not text.strip():
        return "{}"
    try:
        given = _DECODER.decode(text)
        shown = _shown(given, mask, 0) if isinstance(given, dict) else None
    except (ValueError, RecursionError):
        given = shown = None  # shown as text below
    if shown is not None:
        written = text if shown == given else json.dumps(shown, ensure_ascii=False)
        if not mask.version or mask.mask(written) == written:
            return written
    return json.dumps({"arguments": harmless(mask.mask(text))}, ensure_ascii=False)


def _shown(part: Any, mask: Mask, depth: int) -> Any:
    """A JSON value with its secrets masked, in keys and numbers too. Raises ValueError for one nested too deeply."""
    match part:
        case str():
            return harmless(mask.mask(storable(part)))
        case bool() | None:
            return part
        case int() | float():
            return _number(part, mask)
        case _ if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        case list():
            return [_shown(one, mask, depth + 1) for one in part]
        case _:
            return _object((_shown(key, mask, depth), _shown(one, mask, depth + 1)) for key, one in part.items())


def _number(number: float, mask: Mask) -> Any:
    if isinstance(number, int) and number.bit_length() > _LONGEST:
        return str(number)
    if not mask.version:
        return number
    spellings = {str(number), str(int(number))} if number == int(number) else {str(number)}
    return number if all(mask.mask(one) == one for one in spellings) else MASK


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object; keys that became the same are told apart."""
    made: dict[str, Any] = {}
    for key, part in pairs:
        name = key
        while name in made:
            name += "'"
        made[name] = part
    return made


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key that comes twice")
    return made


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that is too large")
    return number


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_read_object, parse_float=_read_float, parse_constant=_refuse)

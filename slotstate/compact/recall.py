"""Bringing back what was moved out of the prompt: the tool with which a bot's model asks for it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from slotstate.compact.rules import RECALL
from slotstate.errors import InputError

_RANGE: Final = re.compile(r"(\d{1,9})\.\.(\d{1,9})")


def recall_tool() -> dict[str, Any]:
    """The tool definition, in the form of OpenAI, a new one each time: give what the model calls it with to
    `chat.recalled`.
    """
    return {
        "type": "function",
        "function": {
            "name": RECALL,
            "description": (
                "Brings back what stands in the conversation only as a reference: a long tool result or a picture's "
                "description (blob:…), an earlier message by its id, or a range of messages (12..18)."
            ),
            "parameters": {
                "type": "object",
                "properties": {
                    "reference": {"type": "string", "description": "As it is written in the conversation."},
                    "start": {"type": "integer", "minimum": 0, "description": "First character, 0 by default."},
                    "end": {"type": "integer", "minimum": 0, "description": "Up to this character, not included."},
                },
                "required": ["reference"],
                "additionalProperties": False,
            },
        },
    }


class Asked(NamedTuple):
    """What a model wants to have back."""

    reference: str
    start: int
    end: int | None


def read_arguments(arguments: Mapping[str, Any] | str) -> Asked:
    """The arguments of a call of the tool. Raises InputError."""
    given: object = arguments
    if isinstance(arguments, str):
        try:
            given = json.loads(arguments)
        except (ValueError, RecursionError):
            raise InputError("the arguments are no JSON object: give reference, and start and end if need be") from None
    if not isinstance(given, Mapping) or not isinstance(given.get("reference"), str):
        raise InputError("give the reference as text, as it is written in the conversation")
    start, end = _number(given.get("start"), "start"), _number(given.get("end"), "end")
    return Asked(given["reference"].strip(), start or 0, end)


def read_range(reference: str) -> tuple[int, int] | None:
    """The first and the last message of a reference such as `12..18`; None when it is none. Raises InputError."""
    found = _RANGE.fullmatch(reference)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2])
    if last < first:
        raise InputError(f"{reference} runs backwards: write {last}..{first}")
    return first, last


def _number(value: object, name: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 19:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{name} is a number of characters, 0 or more, not {value!r}")
    return value

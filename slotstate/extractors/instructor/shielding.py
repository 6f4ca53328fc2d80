"""Words of others, kept from being read as our own markers or as a chat template's control tokens.

A llama.cpp or vLLM server tokenises control tokens wherever they stand in a message: `<|im_end|>` in a user's words
would end their turn and could begin a system one.
"""

from __future__ import annotations

import re
from typing import Final

MARKERS: Final = ("state", "offers", "assistant", "asked", "now", "user", "note")
"""The names of the markers that the prompt's template uses."""

_NAMES: Final = (
    *MARKERS,
    "system",
    "think",
    "tool_call",
    "tool_response",
    "start_of_turn",
    "end_of_turn",
    "bos",
    "eos",
    "s",
)
_ANGLE: Final = rf"(?=\s*/?\s*(?:{'|'.join(_NAMES)})\b|[|｜▁]|<\s*/?SYS>>)"
_SQUARE: Final = r"(?=/?(?:INST|SYS|TOOL_CALLS|AVAILABLE_TOOLS)\b)"
_OPEN: Final = re.compile(rf"<{_ANGLE}|\[{_SQUARE}", re.IGNORECASE)
_SHUT: Final = re.compile(rf"&lt;{_ANGLE}|&#91;{_SQUARE}", re.IGNORECASE)
_ESCAPES: Final = {"<": "&lt;", "[": "&#91;", "&lt;": "<", "&#91;": "["}


def shield(text: str) -> str:
    """`text` with whatever looks like a marker or a control token made harmless."""
    return _OPEN.sub(lambda match: _ESCAPES[match.group()], text)


def unshield(text: str) -> str:
    """`text` as it was before `shield`: a model copies what it was shown."""
    return _SHUT.sub(lambda match: _ESCAPES[match.group().lower()], text)

"""Words of others, kept from being read as our own markers or as a chat template's control tokens.

A llama.cpp or vLLM server tokenises control tokens wherever they stand in a message: `<|im_end|>` in a user's words
would end their turn and could begin a system one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_NAMES: Final = ("system", "think", "tool_call", "tool_response", "start_of_turn", "end_of_turn", "bos", "eos", "s")
_SQUARE: Final = r"(?=/?(?:INST|SYS|TOOL_CALLS|AVAILABLE_TOOLS)\b)"
_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*+"
"""Also what has no width: a model reads over it. Possessive, for time in proportion to the text."""
_ESCAPES: Final = {"<": "&lt;", "[": "&#91;", "&lt;": "<", "&#91;": "["}


class Shield:
    """Makes harmless whatever looks like one of these markers (names, without brackets) or like a control token."""

    def __init__(self, markers: Iterable[str]) -> None:
        names = "|".join(map(re.escape, (*markers, *_NAMES)))
        angle = rf"(?={_BLANK}/?{_BLANK}(?:{names})\b|[|｜▁]|<\s*/?SYS>>)"
        self._open = re.compile(rf"<{angle}|\[{_SQUARE}", re.IGNORECASE)
        self._shut = re.compile(rf"&lt;{angle}|&#91;{_SQUARE}", re.IGNORECASE)

    def shield(self, text: str) -> str:
        """`text` with whatever looks like a marker or a control token made harmless."""
        return self._open.sub(lambda match: _ESCAPES[match.group()], text)

    def unshield(self, text: str) -> str:
        """`text` as it was before `shield`: a model copies what it was shown."""
        return self._shut.sub(lambda match: _ESCAPES[match.group().lower()], text)

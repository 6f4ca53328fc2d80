"""What a provider says when a prompt was too long for its model."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_N: Final = r"(\d{1,3}(?:[,_ ]\d{3})+|\d{1,12})"
_SIGNS: Final = re.compile(
    r"context_length_exceeded|context (?:length|window|size|limit)|prompt is too long|too many (?:input )?tokens|"
    r"exceed_context_size|input is too long|range of input length|request_too_large|"
    r"413\b.{0,40}(?:too large|payload|entity)|exceeds? the (?:maximum number of tokens|configured limit)",
    re.IGNORECASE,
)
_PATTERNS: Final = tuple(
    re.compile(pattern.replace("N", _N), re.IGNORECASE)
    for pattern in (
        r"length is N tokens.{0,60}?(?:resulted in|requested) N",  # OpenAI and what speaks like it: window, size
        r"limit of N tokens.{0,60}?resulted in N",
    )
)
"""Window, then size."""
_REVERSED: Final = tuple(
    re.compile(pattern.replace("N", _N), re.IGNORECASE)
    for pattern in (
        r"N tokens > N",  # Anthropic
        r"\(N(?: tokens)?\) exceeds.{0,60}?\(N",  # llama.cpp, Gemini
    )
)
_SUM: Final = re.compile(r"N \+ N > N".replace("N", _N))
_RANGE: Final = re.compile(r"\[\d+, ?N\]".replace("N", _N))
_WINDOW: Final = re.compile(r"(?:length|size|window|limit)(?: is| of|:)? \(?N".replace("N", _N), re.IGNORECASE)


class Overflow(NamedTuple):
    """The tokens of the prompt and of the model's window, by the provider, where it says them."""

    size: int | None
    window: int | None


def read_overflow(text: str) -> Overflow | None:
    """What an error says of a prompt that was too long; None when it speaks of something else.

    Knows the words of OpenAI, Anthropic, Gemini, Bedrock, DashScope, vLLM and llama.cpp's server.
    """
    text = " ".join(text[:4_000].split())
    if not _SIGNS.search(text):
        return None
    for patterns, turned in ((_PATTERNS, False), (_REVERSED, True)):
        for pattern in patterns:
            if found := pattern.search(text):
                one, other = map(_number, found.groups())
                return Overflow(one, other) if turned else Overflow(other, one)
    if found := _SUM.search(text):
        prompt, reply, window = map(_number, found.groups())
        return Overflow(prompt + reply, window)
    found = _RANGE.search(text) or _WINDOW.search(text)
    return Overflow(None, _number(found[1]) if found else None)


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))

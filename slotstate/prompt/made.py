"""Prompts and ledger lines, made without checking what was made here: that would cost more than to make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple

from slotstate.contract import FIELDS, LATER, Cache, LedgerLine, Prompt

_set: Final = object.__setattr__
new: Final = tuple.__new__
"""Makes a named tuple of all its fields, where its own way would take as long as the rest."""
_PROMPT: Final = frozenset(Prompt.model_fields)
_LINE: Final = frozenset(LedgerLine.model_fields)


class Line(NamedTuple):
    """A line of the ledger to be."""

    section: str
    ident: str
    tokens: int | None = None
    reason: str | None = None
    action: Literal["kept", "shortened", "dropped"] = "kept"


def make_prompt(
    messages: list[dict[str, Any]],
    tokens: int,
    limit: int | None,
    ledger: Callable[[], Iterable[Line]],
    cache: Callable[[], Cache],
) -> Prompt:
    """A prompt. Its ledger, and what a cache makes of it, are written out when somebody looks at them."""
    prompt = Prompt.__new__(Prompt)
    _set(prompt, "__pydantic_fields_set__", set(_PROMPT))
    _set(prompt, "__pydantic_extra__", None)
    _set(prompt, "__pydantic_private__", None)
    later = lambda: {"ledger": [_written(line) for line in ledger()], "cache": cache()}  # noqa: E731
    FIELDS.__set__(prompt, {"messages": messages, "tokens": tokens, "budget": limit, LATER: later})
    return prompt


def _written(line: Line) -> LedgerLine:
    section, ident, tokens, reason, action = line
    written = LedgerLine.__new__(LedgerLine)
    _set(written, "__dict__", {"section": section, "id": ident, "action": action, "tokens": tokens, "reason": reason})
    _set(written, "__pydantic_fields_set__", set(_LINE))
    _set(written, "__pydantic_extra__", None)
    _set(written, "__pydantic_private__", None)
    return written

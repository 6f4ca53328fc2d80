"""Prompts and ledger lines, made without checking what was made here: that would cost more than to make them."""

from __future__ import annotations

from typing import Any, Final, Literal

from slotstate.contract import Cache, LedgerLine, Prompt

_set: Final = object.__setattr__
_PROMPT: Final = frozenset(Prompt.model_fields)
_LINE: Final = frozenset(LedgerLine.model_fields)


def make_line(
    section: str,
    ident: str,
    tokens: int | None = None,
    reason: str | None = None,
    action: Literal["kept", "shortened", "dropped"] = "kept",
) -> LedgerLine:
    """A line of the ledger."""
    line = LedgerLine.__new__(LedgerLine)
    _set(line, "__dict__", {"section": section, "id": ident, "action": action, "tokens": tokens, "reason": reason})
    _finish(line, _LINE)
    return line


def make_prompt(
    messages: list[dict[str, Any]], tokens: int, limit: int | None, ledger: list[LedgerLine], cache: Cache
) -> Prompt:
    """A prompt."""
    prompt = Prompt.__new__(Prompt)
    fields = {"messages": messages, "tokens": tokens, "budget": limit, "ledger": ledger, "cache": cache}
    _set(prompt, "__dict__", fields)
    _finish(prompt, _PROMPT)
    return prompt


def _finish(model: LedgerLine | Prompt, names: frozenset[str]) -> None:
    _set(model, "__pydantic_fields_set__", set(names))
    _set(model, "__pydantic_extra__", None)
    _set(model, "__pydantic_private__", None)

"""The errors that slotstate raises, one tree.

    SlotstateError
    ├── SchemaError           a domain cannot be declared like this
    ├── UnknownPath           no such domain or slot; a near name is suggested
    ├── InvalidValue          a value that its slot does not accept
    ├── NotHeld               a call that needs a held slot, on an empty one
    ├── ValueChanged          confirm() of a value that the slot no longer holds
    ├── Incomplete            form() while slots are missing (.missing)
    ├── MessageConflict       a message id that stands for another text already
    ├── InputError            a transcript, message or option that cannot be read
    ├── TemplateError         a template that cannot be rendered
    ├── BudgetTooSmall        what must stay in a prompt does not fit (.items, .missing)
    ├── ToolCallsPending      a prompt is asked for while tool calls have no result (.calls)
    ├── ExtractorError        an extractor that cannot be made or that failed
    │   └── DeadlineExceeded  it did not answer in time
    ├── MissingExtra          an optional dependency is not installed
    └── StoreError            a log that cannot be read or written
        └── StaleWriter       another writer appended first

Messages are one line and say what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class SlotstateError(Exception):
    """Base of every error that slotstate raises on purpose."""


class SchemaError(SlotstateError):
    """A domain or slot declaration that cannot work; the message names the slot and the remedy."""


class UnknownPath(SlotstateError, KeyError):
    """A path that names no declared domain or slot."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class InvalidValue(SlotstateError):
    """A value that its slot does not accept; `path` names the slot and `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class NotHeld(SlotstateError):
    """The call needs a held slot, and this one is empty."""


class ValueChanged(SlotstateError):
    """The slot holds another value than the one to be confirmed; read it again and decide anew."""


class Incomplete(SlotstateError):
    """The form is not complete: `missing` holds a `Missing(path, reason)` for each slot to be asked."""

    def __init__(self, message: str, missing: tuple[object, ...]) -> None:
        super().__init__(message)
        self.missing = missing


class MessageConflict(SlotstateError):
    """The same message id came with another text; nothing was written."""


class InputError(SlotstateError):
    """An input file, message or option that cannot be read."""


class TemplateError(SlotstateError):
    """A template that cannot be loaded or rendered."""


class BudgetTooSmall(SlotstateError):
    """What must stay in the prompt does not fit: `items` are its parts with their tokens, largest first, `missing` the
    tokens that the budget lacks.
    """

    def __init__(self, items: Sequence[tuple[str, int]], missing: int, budget: int) -> None:
        self.items = tuple(sorted(items, key=lambda item: -item[1]))
        self.missing = missing
        shown = ", ".join(f"{name} {tokens}" for name, tokens in self.items[:6])
        more = len(self.items) - 6
        super().__init__(
            f"the budget of {budget} tokens is {missing} too small for what must be kept: {shown}"
            f"{f' and {more} more' if more > 0 else ''}; raise it, shorten the template, or unpin messages"
        )


class ToolCallsPending(SlotstateError):
    """A prompt is asked for while tool calls have no result: `calls` holds their ids."""

    def __init__(self, calls: Sequence[str]) -> None:
        self.calls = tuple(calls)
        shown = ", ".join(map(repr, self.calls[:5])) + (", …" if len(self.calls) > 5 else "")
        super().__init__(
            f"no result yet for tool call {shown}: record it with tool_result(), or ask prompt(pending_calls='close')"
        )


class ExtractorError(SlotstateError):
    """An extractor that cannot be made, or that failed."""


class DeadlineExceeded(ExtractorError):
    """The extractor did not answer before its deadline."""


class MissingExtra(SlotstateError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed; install it with: pip install 'slotstate[{extra}]'")


class StoreError(SlotstateError):
    """The log cannot be read or written."""


class StaleWriter(StoreError):
    """Another writer appended to the session first: reload and decide again."""


def near(name: str, known: Iterable[str], *, shown: int | None = 12) -> str:
    """`; did you mean 'x'?` for the nearest known name, or a list of what is known when nothing is near: `shown` names
    at most, None for all. A name without a dot may be the last part of one: a slot without its domain.
    """
    names = sorted(known)
    lasts = {} if "." in name else {one.rpartition(".")[2]: one for one in reversed(names)}
    for among in (dict(zip(names, names, strict=True)), lasts):
        close = get_close_matches(name, among, n=1, cutoff=0.6)
        if close:
            return f"; did you mean {among[close[0]]!r}?"
    told = ", ".join(names[:shown]) + (", …" if shown is not None and len(names) > shown else "")
    return f"; known: {told}" if names else ""


def one_line(error: Exception) -> str:
    """The kind of an error and the first line of what it says, whatever it is."""
    try:
        text = str(error).strip().splitlines()
    except Exception:  # an exception that cannot say what it is about
        text = []
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__

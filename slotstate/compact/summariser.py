"""Summarisers: what they are shown and what they give back. They propose a patch; validation decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Protocol, cast, get_args, runtime_checkable

from slotstate.compact.items import Add, Amend, Drop, Patch, Span
from slotstate.events import ItemKind, Lost, Usage
from slotstate.state import Summary

_MOST: Final = 10**12
"""No item has a higher number, and no call more tokens."""
KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)
"""What an item can be, see events.ItemKind."""


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """What is to be summarised: the messages of `span`, on top of `summary`.

    `faults` are the reasons why the last patch for this span was refused, one line each. `most_items` and `most_chars`
    (of the texts and quotes together) are what the summary may hold afterwards. `deadline` is seconds for all of it,
    None for no limit. A summariser may send what it is shown to others: whoever asks has masked what nobody may see.
    """

    summary: Summary
    span: Span
    _: KW_ONLY
    faults: tuple[str, ...] = ()
    most_items: int = 40
    most_chars: int = 8_000
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """What a summariser makes of it: a patch, or None and in `error` one line that says why there is none. `usage` are
    the tokens of all attempts. `lost` are samples of what of the span the patch leaves out, for people to review.
    """

    patch: Patch | None
    usage: Usage | None = None
    error: str | None = None
    lost: tuple[Lost, ...] = ()


@runtime_checkable
class Summariser(Protocol):
    """Summarises messages that leave the window. May raise: then nothing changes, as when it gives no patch."""

    @property
    def name(self) -> str:
        """How it is called in the log."""
        ...

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The patch that takes in the messages of the request's span."""
        ...

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same, for callers on an event loop."""
        ...


def checked_reply(given: object) -> SummaryReply:
    """What a summariser gave back, made safe: a patch all of whose parts have their types, or an error of one line.

    Plug-ins are other people's code, and may return anything.
    """
    if not isinstance(given, SummaryReply):
        return SummaryReply(None, error=f"the summariser returned {type(given).__name__}, not a SummaryReply")
    patch, told, usage = cast(tuple[object, object, object], (given.patch, given.error, given.usage))
    usage = _readable(usage)
    lost = tuple(one for one in _each(given.lost) if isinstance(one, Lost))
    if patch is None or told is not None:
        said = " ".join(told.split()) if isinstance(told, str) else ""
        return SummaryReply(None, usage, said or "the summariser gave no patch, and no reason", lost)
    fault = _fault(patch) if isinstance(patch, Patch) else f"it is a {type(patch).__name__}, not a Patch"
    if fault is not None:
        return SummaryReply(None, usage, f"the summariser's patch cannot be read: {fault}", lost)
    return SummaryReply(cast(Patch, patch), usage, None, lost)


def _each(given: object) -> tuple[Any, ...]:
    return tuple(cast(Iterable[Any], given)) if isinstance(given, tuple | list) else ()


def _fault(patch: Patch) -> str | None:
    """What in a patch is not as its types say; None when all is."""
    for name, kind, good in (("add", Add, _is_add), ("amend", Amend, _is_amend), ("drop", Drop, _is_drop)):
        changes: object = getattr(patch, name)
        if not isinstance(changes, tuple):
            return f"{name} is no tuple"
        for number, change in enumerate(cast(tuple[object, ...], changes)):
            if not isinstance(change, kind) or not good(change):
                return f"{name}[{number}] is no {kind.__name__} with all its parts: {change!r:.80}"
    return None


def _is_add(add: Any) -> bool:
    named = add.kind in KINDS and (add.path is None or isinstance(add.path, str))
    return named and _tells(add)


def _is_amend(amend: Any) -> bool:
    return _is_number(amend.ident) and _tells(amend)


def _is_drop(drop: Any) -> bool:
    return _is_number(drop.ident) and isinstance(drop.reason, str)


def _is_number(ident: object) -> bool:
    return isinstance(ident, int) and not isinstance(ident, bool) and abs(ident) < _MOST


def _readable(usage: object) -> Usage | None:
    """A usage object whose figures are figures."""
    if not isinstance(usage, Usage):
        return None
    figures: list[object] = [usage.tokens_in, usage.tokens_out, usage.tokens_cached]
    sound = all(one is None or _is_number(one) for one in figures) and _is_number(usage.attempts)
    return usage if sound else None


def _tells(change: Any) -> bool:
    """Whether text, sources and quote of a change have their types."""
    sources = change.sources
    listed = isinstance(sources, tuple) and all(isinstance(one, str) for one in cast(tuple[object, ...], sources))
    quoted = change.quote is None or isinstance(change.quote, str)
    return listed and quoted and isinstance(change.text, str)

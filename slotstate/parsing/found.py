"""What a finder returns: a place in the text and the readings it allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from slotstate.parsing.folding import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value found in a text: `span` in original offsets and its possible `values`, the likeliest first.

    More than one value means that the words leave it open ("at 7" is 07:00 or 19:00).
    """

    span: Span
    values: tuple[T, ...]

    @property
    def value(self) -> T:
        """The likeliest reading."""
        return self.values[0]

    @property
    def ambiguous(self) -> bool:
        """Whether the words allow more than one reading."""
        return len(self.values) > 1

"""OpenAI's encodings, counted exactly and without network by toktok."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from slotstate.errors import MissingExtra
from slotstate.messages import storable
from slotstate.tokens import Overhead

_ALL: Final = 2**40
"""More tokens than any text has."""


class EncodingCounter:
    """Counts in `o200k_base` or `cl100k_base`; the names of special tokens in a text are ordinary text.

    The first count loads the vocabulary, which takes about a second; the others some microseconds.
    """

    overhead: Final = Overhead()
    parts_at_tags: Final = True

    def __init__(self, encoding: str) -> None:
        try:
            import toktok
        except ImportError:
            raise MissingExtra("toktok-rs, which counts tokens,", "tokens") from None
        self._toktok = toktok
        self._encoding = encoding
        self._counted: Callable[[str], int] | None = None

    @property
    def name(self) -> str:
        """The encoding."""
        return self._encoding

    def count(self, text: str) -> int:
        """Tokens of `text`; what cannot be written as UTF-8 counts as what it is stored as."""
        counted = self._counted or self._load()
        try:
            return counted(text)
        except UnicodeEncodeError:
            return counted(storable(text))

    def _load(self) -> Callable[[str], int]:
        # Of the package's two public functions one starts threads, at thirty times the cost of the other, and both look
        # the encoding up each time.
        loaded, encoding = getattr(self._toktok, "_encoding", None), self._encoding
        counted: Callable[[str], int] = loaded(encoding).count if loaded is not None else self._publicly
        self._counted = counted
        return counted

    def _publicly(self, text: str) -> int:
        total: int = self._toktok.truncate(text, _ALL, self._encoding)[1]
        return total

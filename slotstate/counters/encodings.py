"""OpenAI's encodings, counted exactly and without network by toktok."""

from __future__ import annotations

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

    def __init__(self, encoding: str) -> None:
        try:
            import toktok
        except ImportError:
            raise MissingExtra("toktok-rs, which counts tokens,", "tokens") from None
        self._truncate = toktok.truncate
        self._encoding = encoding

    @property
    def name(self) -> str:
        """The encoding."""
        return self._encoding

    def count(self, text: str) -> int:
        """Tokens of `text`; what cannot be written as UTF-8 counts as what it is stored as."""
        # Of toktok's two public functions the one that counts a single text starts threads, at thirty times the cost.
        try:
            total: int = self._truncate(text, _ALL, self._encoding)[1]
        except UnicodeEncodeError:
            total = self._truncate(storable(text), _ALL, self._encoding)[1]
        return total

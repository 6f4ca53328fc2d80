"""What one rendering may use: steps, characters and depth, counted without a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, cast

from jinja2 import TemplateRuntimeError, Undefined

from slotstate.tokens import Counter, Estimator

STEPS: Final = 250_000
"""About as many parts of expressions are worked out for one section at most; a slot's line takes some forty."""
CHARACTERS: Final = 1_000_000
"""Of a section, and of each text on the way to it."""
DEPTH: Final = 40
"""Calls of macros within each other, and files that include each other."""
BITS: Final = 256
"""Of a whole number."""
LOCALE: Final = 20_000
"""Steps of reading the names of another locale."""
SMALL: Final = 1_000
"""Whole numbers given to filters: widths, lengths, counts."""

T = TypeVar("T")


class TooMuch(TemplateRuntimeError):
    """The template wants more than one rendering may use."""


class Run:
    """What is left for one rendering, and what its filters need to know."""

    __slots__ = ("_counter", "_locales", "depth", "left", "locale", "marked", "written")

    def __init__(self, locale: str, counter: Counter | None) -> None:
        self.left = STEPS
        self.written = 0
        self.marked: tuple[int, int] = (0, 0)
        """What was left and written when a loop last began to write of an item that it is to remember."""
        self.depth = 0
        self.locale = locale
        self._counter = counter
        self._locales: set[str] | None = None

    @property
    def counter(self) -> Counter:
        """Counts tokens: the prompt's, or the estimator where there is none."""
        return Estimator() if self._counter is None else self._counter

    def spend(self, steps: int) -> None:
        """Take `steps` from what is left. Raises TooMuch."""
        self.left -= steps
        if self.left < 0:
            raise TooMuch(f"more than {STEPS:,} steps: a loop or a macro runs too long; loop over less")

    def write(self, size: int) -> None:
        """Count characters that go to the section. Raises TooMuch."""
        self.written += size
        self.left -= size >> 4
        if self.left < 0 or self.written > CHARACTERS:
            self.spend(0)
            raise TooMuch(f"more than {CHARACTERS:,} characters in one section: print less")

    def read(self, size: int) -> None:
        """Pay for reading a text, and for making one of this size of it. Raises TooMuch."""
        self.left -= 1 + (size >> 3)
        if self.left < 0 or size > CHARACTERS:
            self.room(size)

    def room(self, size: int) -> None:
        """Whether a text or list of this size may be made. Raises TooMuch."""
        if size > CHARACTERS:
            raise TooMuch(f"a value of more than {CHARACTERS:,} characters or items: make it smaller")
        self.spend(size >> 4)

    def touch(self, value: object) -> None:
        """Pay for reading a value from end to end, what it holds aside."""
        if isinstance(value, str | list | tuple | dict):
            self.spend(len(cast(Sequence[object], value)) >> 4)

    def weigh(self, value: object) -> None:
        """Pay for reading a value and all that it holds, as often as it holds it."""
        if type(value) is str:
            self.spend(1 + (len(value) >> 4))
            return
        waiting: list[object] = [value]
        left = self.left
        while waiting and left >= 0:
            one = waiting.pop()
            left -= 1
            if isinstance(one, str):
                left -= len(one) >> 4
            elif isinstance(one, dict):
                waiting += one  # its keys
                waiting += one.values()
            elif isinstance(one, list | tuple):
                waiting += one
            elif isinstance(one, Undefined):
                str(one)  # raises
        self.left = left
        self.spend(0)

    def look_up(self, value: object, paths: int) -> None:
        """Pay for looking up `paths` parts of an attribute's name in each item of a value."""
        if isinstance(value, str | list | tuple | dict | range):
            self.spend(4 * paths * len(cast(Sequence[object], value)))

    def speak(self, locale: str) -> None:
        """Pay for a locale of which not a word has been written yet: its names have to be read."""
        if self._locales is None:
            self._locales = {self.locale}
        if locale not in self._locales:
            self._locales.add(locale)
            self.spend(LOCALE)

    def own(self, value: Any) -> Any:
        """Pay for a new value: texts and numbers within bounds, what is made on demand made at once."""
        if isinstance(value, str):
            self.room(len(value))
        elif isinstance(value, int):
            return self.whole(value)
        elif isinstance(value, Iterator):
            return list(self._counted(value))
        elif isinstance(value, list | tuple | dict):
            self.spend(len(cast(Sequence[object], value)))
        return value

    def whole(self, number: int) -> int:
        """A whole number, within bounds. Raises TooMuch."""
        if number.bit_length() > BITS:
            raise TooMuch(f"a number of more than {BITS} bits: count with smaller ones")
        return number

    def _counted(self, items: Iterator[T]) -> Iterator[T]:
        for item in items:
            self.spend(12)
            yield item

    def within(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call what can call itself. Raises TooMuch."""
        if self.depth >= DEPTH:
            raise TooMuch(f"macros or blocks call each other more than {DEPTH} deep: end the recursion")
        self.depth += 1
        try:
            return function(*args, **kwargs)
        finally:
            self.depth -= 1


def search_cost(text: str, sought: str) -> int:
    """Steps of looking for `sought` anywhere in `text`, at worst."""
    return 1 + (len(text) * min(len(sought) + 1, 100) >> 8)

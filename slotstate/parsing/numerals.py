"""Reading numbers: digits with separators, and number words put together by one rule for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache, lru_cache
from typing import NamedTuple

from slotstate.parsing.language import Language, Numerals
from slotstate.parsing.matching import END, START, Hit, Pattern, Ranges, compiled, edged, either, plain
from slotstate.parsing.needed import Needs, lacks, needed, united

_LITERAL = r"[0-9]++(?:[.,][0-9]++)*+"
_SPACED_GROUPS = r"(?<![0-9.,])[1-9][0-9]{0,2}(?: [0-9]{3}){0,3} 000(?:\.[0-9]{1,9})?(?![0-9])"
_RANGE = rf"{START}(?<![.:/#-])(?<![0-9],)([1-9][0-9]{{0,5}}|0)-([1-9][0-9]{{0,5}})(?![:/-]|[.,][0-9]){END}"
_EXACT = 30


class Token(NamedTuple):
    """A part of a number: what it adds (`value`, with room for parts below `room`) or multiplies by (`magnitude`)."""

    start: int
    end: int
    value: Decimal = Decimal(0)
    room: int = 1
    magnitude: int = 0
    article: bool = False
    word: str = ""
    readings: tuple[Decimal, ...] = ()


def times(value: Decimal, factor: Decimal | int) -> Decimal:
    """The exact product, whatever the length of the value."""
    exact = Context(prec=len(value.as_tuple().digits) + _EXACT)
    return _whole(exact.multiply(value, Decimal(factor)), exact)


def plus(one: Decimal, other: Decimal) -> Decimal:
    """The exact sum of two values of ordinary size."""
    exact = Context(prec=len(one.as_tuple().digits) + len(other.as_tuple().digits) + _EXACT)
    return _whole(exact.add(one, other), exact)


def _whole(value: Decimal, exact: Context) -> Decimal:
    """The value without zeros after the point where it is whole."""
    whole = value.to_integral_value(context=exact)
    return whole if whole == value else value


def read_literal(digits: str) -> tuple[Decimal, ...]:
    """The readings of digits with separators, the likeliest first; () when it is no number ("1.2.3")."""
    commas, points = digits.count(","), digits.count(".")
    if not commas and not points:
        return (Decimal(digits),)
    if commas and points:
        decimal, group = (".", ",") if digits.rfind(".") > digits.rfind(",") else (",", ".")
        whole, _, rest = digits.rpartition(decimal)
        if digits.count(decimal) > 1 or not _grouped(whole, group):
            return ()
        return (Decimal(whole.replace(group, "") + "." + rest),)
    separator = "," if commas else "."
    if _grouped(digits, separator):
        as_group = Decimal(digits.replace(separator, ""))
        if points == 1:
            return Decimal(digits), as_group
        return (as_group,)
    if commas + points > 1:
        return ()
    return (Decimal(digits.replace(",", ".")),)


def _grouped(digits: str, separator: str) -> bool:
    head, *groups = digits.split(separator)
    return 1 <= len(head) <= 3 and head[0] != "0" and all(len(group) == 3 for group in groups)


@cache
def _token_pattern(language: Language) -> Pattern:
    numerals = language.numerals
    words = either([*numerals.small, *numerals.magnitudes, *numerals.articles])
    if language.spaced:
        words = f"{START}(?:{words}){END}"
    return Pattern(f"(?P<literal>{_LITERAL})|(?P<word>{words})", edged=language.spaced)


@cache
def _needs(language: Language) -> Needs:
    """What a text must hold for a number to stand in it; an article alone is none."""
    numerals = language.numerals
    return united([needed("[0-9]"), needed(either([*numerals.small, *numerals.magnitudes]))])


def _tokens(text: str, language: Language) -> Iterator[Token]:
    numerals = language.numerals
    attached = edged(f"(?:{either(numerals.attached)}){END}") if numerals.attached else None
    for match in _token_pattern(language).finditer(text):
        start, end = match.span()
        literal = match["literal"]
        if literal is None:
            yield _word_token(match["word"], start, end, numerals)
            continue
        readings = _literal_readings(literal)
        if readings:
            yield Token(start, end, readings[0], readings=readings, word=literal)
        glued = attached.match(text, end) if attached else None
        if readings and glued:
            yield Token(end, glued.end(), magnitude=numerals.attached[glued[0]], word=glued[0])
        if not readings:
            yield from _listed(literal, start)


def _listed(literal: str, start: int) -> Iterator[Token]:
    """ "4,5,6" is three numbers; "1.2.3" is none."""
    if "," not in literal or "." in literal:
        return
    for part in re.finditer("[0-9]+", literal):
        value = Decimal(part[0])
        yield Token(start + part.start(), start + part.end(), value, readings=(value,), word=part[0])


def _literal_readings(literal: str) -> tuple[Decimal, ...]:
    if len(literal) > 2 and literal[0] == "0" and literal[1].isdigit():
        return ()  # a code: "04321", "0071"
    return read_literal(literal)


def _word_token(word: str, start: int, end: int, numerals: Numerals) -> Token:
    if word in numerals.articles:
        return Token(start, end, numerals.articles[word], article=True, word=word)
    if word in numerals.magnitudes:
        return Token(start, end, magnitude=numerals.magnitudes[word], word=word)
    value, room = numerals.small[word]
    return Token(start, end, value, room, word=word)


def _runs(text: str, language: Language) -> Iterator[list[Token]]:
    """Tokens that stand together, as the joiner of the language allows."""
    joiner = compiled(f"(?:{language.numerals.joiner})\\Z") if language.numerals.joiner else None
    run: list[Token] = []
    for token in _tokens(text, language):
        if run and not _joined(text, run[-1], token, joiner, language.numerals.linker):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _joined(text: str, last: Token, token: Token, joiner: re.Pattern[str] | None, linker: str) -> bool:
    gap = text[last.end : token.start] if token.start - last.end < 8 else "\n"
    if token.readings:
        return bool(last.magnitude) and gap in ("", " ") and _fits(last, token)
    if not gap:
        return True
    if gap == linker:
        return last.magnitude >= 100 and not token.magnitude
    if last.readings and gap == " " and token.magnitude:
        return True
    return joiner is not None and joiner.match(gap) is not None


def _fits(last: Token, token: Token) -> bool:
    """Digits go on after a magnitude when they fill its places ("2 thousand 500"), or are glued to it ("3万5千")."""
    return last.end == token.start or 10 ** len(token.word) == last.magnitude


class _Part(NamedTuple):
    value: Decimal
    room: int
    first: Token
    last: Token


class Number(NamedTuple):
    """A number as read: folded offsets, readings, and the tokens it is made of."""

    hit: Hit[Decimal]
    tokens: int
    word: str

    @property
    def literal(self) -> bool:
        return self.word[:1].isdigit() and self.word.isascii()


class _Builder:
    """Puts the tokens of one run together: a stack of parts, each with less room than the one below."""

    def __init__(self, numerals: Numerals) -> None:
        self.numerals = numerals
        self.stack: list[_Part] = []
        self.gap = False
        self.count = 0
        self.done: list[Number] = []

    def flush(self) -> None:
        stack, gap, count = self.stack, self.gap, self.count
        self.stack, self.gap, self.count = [], False, 0
        if not stack or (stack[0].first.article and count == 1) or (count == 1 and stack[0].room == 0):
            return
        first, last = stack[0].first, stack[-1].last
        if count == 1 and first.readings:
            self.done.append(Number(Hit(first.start, last.end, first.readings), 1, first.word))
            return
        total = _sum(stack)
        if self.numerals.elliptic_tail and len(stack) > 1 and not gap:
            total = plus(total, _ellipsis(stack[-2], stack[-1]))
        self.done.append(Number(Hit(first.start, last.end, (total,)), count, first.word))

    def add(self, token: Token) -> None:
        self.count += 1
        if token.magnitude:
            self._multiply(token)
            return
        top = self.stack[-1] if self.stack else None
        if top and token.value == 0 and top.room > 1:
            self.gap = True
            return
        if top and (token.article or token.value >= top.room):
            self.count -= 1
            self.flush()
            self.count = 1
        room = token.room if not token.readings else 1
        self.stack.append(_Part(token.value, room, token, token))

    def _multiply(self, token: Token) -> None:
        popped: list[_Part] = []
        while self.stack and self.stack[-1].room < token.magnitude:
            popped.append(self.stack.pop())
        if not popped and token.word not in self.numerals.implicit_one:
            self.count -= 1
            self.flush()
            return
        if self.stack and self.stack[-1].room <= token.magnitude:
            self.count -= 1 + len(popped)
            self.flush()
            self.count = 1 + len(popped)
        value = times(_sum(popped), token.magnitude) if popped else Decimal(token.magnitude)
        self.stack.append(_Part(value, token.magnitude, popped[-1].first if popped else token, token))


def _sum(parts: list[_Part]) -> Decimal:
    total = parts[0].value
    for part in parts[1:]:
        total = plus(total, part.value)
    return total


def _ellipsis(last: _Part, tail: _Part) -> Decimal:
    """ "三万五" means 35,000: a lone digit after a magnitude counts tenths of it."""
    if tail.first is tail.last and tail.room == 1 and last.room >= 100 and len(tail.first.word) == 1:
        return times(tail.value, last.room // 10 - 1)
    return Decimal(0)


def _read_run(run: list[Token], numerals: Numerals) -> list[Number]:
    builder = _Builder(numerals)
    at = 0
    while at < len(run):
        stop = at
        while numerals.positional and stop < len(run) and _is_digit(run[stop]):
            stop += 1
        if stop - at > 1 and (stop == len(run) or not run[stop].magnitude) and not builder.stack:
            builder.done.extend(_positional(run[at:stop]))
            at = stop
            continue
        stop = max(stop, at + 1)
        for token in run[at:stop]:
            builder.add(token)
        at = stop
    builder.flush()
    return builder.done


def _is_digit(token: Token) -> bool:
    return not token.magnitude and not token.readings and len(token.word) == 1 and token.value < 10


def _positional(tokens: list[Token]) -> Iterator[Number]:
    """Digit by digit ("二零二六"); two neighbours in a row leave it open which is meant ("两三" people)."""
    start, end = tokens[0].start, tokens[-1].end
    one, other = tokens[0].value, tokens[-1].value
    if len(tokens) == 2 and other == one + 1 and one > 0:
        yield Number(Hit(start, end, (one, other)), 1, tokens[0].word)
    elif len(tokens) > 2:
        value = Decimal("".join(str(token.value) for token in tokens))
        yield Number(Hit(start, end, (value,)), len(tokens), tokens[0].word)


def read_numbers(text: str, language: Language) -> list[Number]:
    """Every number of the folded text as its words or digits say, whatever it may be part of."""
    if lacks(text, _needs(language)):
        return []
    found = [number for run in _runs(text, language) for number in _read_run(run, language.numerals)]
    for match in plain(_SPACED_GROUPS).finditer(text):
        value = Decimal(match[0].replace(" ", ""))
        found.append(Number(Hit(match.start(), match.end(), (value,)), 1, match[0]))
    return found


@lru_cache(maxsize=1024)
def read_count(words: str, language: Language) -> Decimal | None:
    """The value of a short text that is one number and nothing else; articles count as one."""
    words = words.strip()
    if words in language.numerals.articles:
        return language.numerals.articles[words]
    if words in language.numerals.phrases:
        return Decimal(language.numerals.phrases[words])
    numbers = read_numbers(words, language)
    if len(numbers) == 1 and (numbers[0].hit.start, numbers[0].hit.end) == (0, len(words)):
        return numbers[0].hit.values[0]
    return Decimal(words) if words.isascii() and words.isdigit() else None


def in_range(text: str) -> Ranges:
    """Where two plain numbers are joined as a range ("2-3 people")."""
    return Ranges(match.span() for match in edged(_RANGE).finditer(text) if int(match[1]) < int(match[2]))

"""Amounts of money."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Final

from slotstate.parsing.folding import Folded
from slotstate.parsing.found import Found
from slotstate.parsing.language import Language
from slotstate.parsing.languages import LANGUAGES
from slotstate.parsing.matching import (
    END,
    START,
    Hit,
    Pattern,
    bounded,
    compiled,
    distinct,
    edged,
    longest,
    plain,
    publish,
)
from slotstate.parsing.needed import lacks
from slotstate.parsing.numbers import number_hits
from slotstate.parsing.numerals import plus, read_count, times

_SIGNS = {
    "us$": ("USD",), "$": ("USD",), "€": ("EUR",), "£": ("GBP",), "₩": ("KRW",), "₹": ("INR",), "₽": ("RUB",),
    "฿": ("THB",),
    "hk$": ("HKD",), "ca$": ("CAD",), "c$": ("CAD",), "a$": ("AUD",), "au$": ("AUD",), "nt$": ("TWD",), "s$": ("SGD",),
}  # fmt: skip
_CODES = (
    "usd eur gbp cny rmb jpy cad aud chf hkd twd sgd inr krw nok sek dkk rub pln thb nzd czk huf mxn brl zar ils"
).split()
_BEFORE = (
    r"(?:(?P<minus>(?<![\w)]) ?-)?(?P<sign>(?<![a-z])(?:us|hk|ca|au|nt|c|a|s)?\$|[€£₩₹₽฿¥])|"
    rf"{START}(?P<code>{'|'.join(_CODES)}))(?P<gap> ?[+-]?)\Z"
)
_SIGN_AFTER = r" ?(?P<sign>[$€£₩₹₽฿¥])(?![0-9])"
_MILLIONS = f"(?P<m>m){END}"
_RANGE = r" ?(?:to|-|or|till|until) ?| ?[到至~] ?"
_KANA = "[\u3041-\u30ff]"
REACH: Final = 16
"""Characters between the ends of a range, at most."""
Word = tuple[Pattern, str, Decimal]
"""A currency word behind a number, its code, and what one of it is worth in the currency."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of money: `currency` is an ISO 4217 code."""

    value: Decimal
    currency: str


def find_money(text: Folded) -> list[Found[Amount]]:
    """Amounts with a currency; a yen or yuan sign has both readings, yen first where the text has kana."""
    hits = longest(Hit(hit.start, hit.end, _in_cents(hit.values)) for hit in _hits(text.text))
    return publish(text, longest([*hits, *_in_ranges(text.text, hits)]))


def _in_ranges(text: str, hits: Sequence[Hit[Amount]]) -> Iterator[Hit[Amount]]:
    """Bare ends of ranges whose other end has a currency ("500 to 800 euros", "£500-800")."""
    ends_of = [hit.end for hit in hits]  # they stand in order, apart from each other
    for number in number_hits(text) if hits else ():
        for hit in islice(hits, bisect_left(ends_of, number.start - REACH), None):
            if hit.start > number.end + REACH:
                break
            first, second = (number.start, number.end), (hit.start, hit.end)
            first, second = sorted((first, second))
            between, before = text[first[1] : second[0]], text[max(0, first[0] - 12) : first[0]]
            joined = compiled(_RANGE).fullmatch(between) or (between == " and " and "between " in before)
            ends = compiled(r" ?(?:\Z|[,.!?;])").match(text, number.end) is not None
            signed = first[0] == hit.start and text[hit.end - 1 : hit.end].isdigit() and ends
            if joined and first[1] <= second[0] and (signed or first[0] != hit.start):
                codes = dict.fromkeys(amount.currency for amount in hit.values)
                yield Hit(number.start, number.end, tuple(Amount(value, c) for c in codes for value in number.values))


def currencies_in(text: Folded) -> tuple[str, ...]:
    """The currencies that a text names, with an amount or without: by a word, a sign or an ISO 4217 code. A yen or yuan
    sign is both, but yuan in Chinese and yen in Japanese.
    """
    folded = text.text
    hits = [Hit(match.start(), match.end(), _currencies(match[0], folded)) for match in plain(_SIGN).finditer(folded)]
    for language in LANGUAGES:
        for pattern, code in _named(language):
            found = (match.span() for match in pattern.finditer(folded) if match[0] not in _OTHERWISE)
            hits += [Hit(start, end, (code,)) for start, end in found]
    chinese = compiled(_HAN).search(folded) is not None
    return distinct(code for hit in longest(hits) for code in hit.values[: 1 if chinese else None])


_SIGN = r"(?<![a-z])(?:us|hk|ca|au|nt|c|a|s)?\$|[€£₩₹₽฿¥]"
_HAN = "[\u3040-\u30ff\u3400-\u9fff]"
_OTHERWISE = frozenset({"won"})
"""Words that name a currency behind a number only."""


@cache
def _named(language: Language) -> tuple[tuple[Pattern, str], ...]:
    after = language.currencies.after.items()
    named = [(Pattern(bounded(words, language), edged=language.spaced), code) for words, code in after]
    codes = [(Pattern(bounded(word, language), edged=True), _code(word)) for word in _CODES if language.spaced]
    return (*named, *codes)


def _in_cents(amounts: tuple[Amount, ...]) -> tuple[Amount, ...]:
    """The readings without fractions of a cent, where there are such: "1.200 €" has a point between thousands."""
    whole = tuple(one for one in amounts if int(one.value.as_tuple().exponent) >= -2)
    return whole or amounts


def _hits(text: str) -> Iterator[Hit[Amount]]:
    numbers = _counts(text)
    named = [
        (language, [words for words in _words(language) if not lacks(text, words[0].needs)])
        for language in (LANGUAGES if numbers else ())
    ]
    for number in numbers:
        before = edged(_BEFORE).search(text[max(0, number.start - 6) : number.start])
        if before:
            yield _prefixed(text, number, before)
        yield from _suffixed(text, number, named)


def _counts(text: str) -> list[Hit[Decimal]]:
    """Numbers, those with a currency glued to them included."""
    hits = number_hits(text)
    extra = [
        Hit(match.start(), match.end("n"), (Decimal(match["n"].replace(",", "")),))
        for match in plain(_GLUED).finditer(text)
    ]
    return longest([*hits, *extra])


_GLUED = (
    r"(?P<n>(?<![0-9.,])(?<=[$€£₩₹₽฿¥])[0-9]{1,9}(?:\.[0-9]{1,9})?(?=m(?![a-z0-9_]))"
    r"|(?<=usd|eur|gbp|cny|rmb|jpy|chf|cad|aud|hkd)[0-9]{1,12}(?:\.[0-9]{1,9})?(?![0-9a-z_]|[.,:/-][0-9]))"
)


def _prefixed(text: str, number: Hit[Decimal], before: re.Match[str]) -> Hit[Amount]:
    start = number.start - (len(before.string) - before.start())
    end, factor = number.end, 1
    million = edged(_MILLIONS).match(text, number.end)
    if before["sign"] and million:
        end, factor = million.end(), 10**6
    values = [
        value.copy_negate() if before["minus"] or before["gap"].endswith("-") else value for value in number.values
    ]
    currencies = _currencies(before["sign"], text) if before["sign"] else (_code(before["code"]),)
    return Hit(start, end, tuple(Amount(times(value, factor), code) for code in currencies for value in values))


def _code(code: str) -> str:
    return "CNY" if code == "rmb" else code.upper()


def _currencies(sign: str, text: str) -> tuple[str, ...]:
    if sign == "¥":
        return ("JPY", "CNY") if compiled(_KANA).search(text) else ("CNY", "JPY")
    return _SIGNS[sign]


def _suffixed(
    text: str, number: Hit[Decimal], named: Sequence[tuple[Language, Sequence[Word]]]
) -> Iterator[Hit[Amount]]:
    sign = compiled(_SIGN_AFTER).match(text, number.end)
    if sign:
        codes = _currencies(sign["sign"], text)
        yield Hit(number.start, sign.end(), tuple(Amount(value, code) for code in codes for value in number.values))
    for language, words in named:
        for pattern, code, factor in words:
            word = pattern.match(text, number.end)
            if word:
                yield _with_tail(text, number, word.end(), code, factor, language)


@cache
def _words(language: Language) -> tuple[Word, ...]:
    table = language.currencies
    whole = [(words, code, Decimal(1)) for words, code in table.after.items()]
    parts = [(words, code, factor) for words, (code, factor) in table.cents.items()]
    by_code = {code: tuple(word for word in _CODES if _code(word) == code) for code in map(_code, _CODES)}
    codes = [("|".join(words), code, Decimal(1)) for code, words in by_code.items()] if language.spaced else []
    gap, end = ("[ -]?", END) if language.spaced else (" ?", "")
    return tuple(
        (Pattern(f"{gap}(?:{words}){end}", edged=language.spaced), code, factor)
        for words, code, factor in [*whole, *parts, *codes]
    )


def _with_tail(
    text: str, number: Hit[Decimal], end: int, code: str, factor: Decimal, language: Language
) -> Hit[Amount]:
    """Cents after the whole ("3 dollars 50 cents", "三块五")."""
    values = [times(value, factor) for value in number.values]
    tail = compiled(language.currencies.tail).match(text, end)
    if tail is None or factor != 1:
        return Hit(number.start, end, tuple(Amount(value, code) for value in values))
    groups = tail.groupdict()
    part, share = (groups["cents"], Decimal("0.01")) if groups.get("cents") else (groups["tenth"], Decimal("0.1"))
    count = Decimal(5) if part == "半" else read_count(str(part), language) or Decimal(0)
    return Hit(number.start, tail.end(), tuple(Amount(plus(value, times(count, share)), code) for value in values))

"""Numbers, ordinals and the choice of an option from a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache

from slotstate.parsing.contacts import email_ranges, phone_hits
from slotstate.parsing.cues import given_up_at, negated_at
from slotstate.parsing.dates import calendar_ranges
from slotstate.parsing.folding import Folded, unspaced
from slotstate.parsing.found import Found
from slotstate.parsing.language import Language
from slotstate.parsing.languages import LANGUAGES, languages_of
from slotstate.parsing.matching import (
    END,
    Forms,
    Hit,
    Pattern,
    Ranges,
    compiled,
    edged,
    longest,
    publish,
    scan,
    trap_ranges,
)
from slotstate.parsing.numerals import Number, in_range, plus, read_count, read_numbers
from slotstate.parsing.times import clock_ranges


def find_numbers(text: Folded) -> list[Found[Decimal]]:
    """Numbers in digits and words; not the digits of dates, times, codes, phone numbers and addresses."""
    hits = number_hits(text.text)
    if not hits:
        return []
    taken = Ranges([*calendar_ranges(text), *clock_ranges(text), *email_ranges(text), *_formal_phones(text)])
    return publish(text, (hit for hit in hits if not taken.touches(hit.start, hit.end)))


@lru_cache(maxsize=256)
def number_hits(text: str) -> tuple[Hit[Decimal], ...]:
    """Numbers of the folded text that stand for themselves, in folded offsets, dates and times included."""
    hits: list[Hit[Decimal]] = []
    for language in languages_of(text):
        numbers = read_numbers(text, language)
        if not numbers:
            continue
        ranges, traps = in_range(text), trap_ranges(language.numerals.traps, language, text)
        for number in numbers:
            if _trapped(number.hit, traps) or not _stands(text, number, language, ranges):
                continue
            hits.append(_with_half(text, _with_sign(text, number.hit, language), language))
    return tuple(longest(hits))


def whole_counts(text: str) -> list[Hit[Decimal]]:
    """Whole numbers of the folded text that count what follows, a lone "one" and the article included."""
    hits: list[Hit[Decimal]] = []
    for language in languages_of(text):
        hits += [number.hit for number in read_numbers(text, language)]
        for article, value in language.numerals.articles.items():
            if language.spaced and text.startswith(f"{article} ") and value == 1:
                hits.append(Hit(0, len(article), (value,)))
    return longest(hit for hit in hits if len(hit.values) == 1 and hit.values[0] == int(hit.values[0]))


def _formal_phones(text: Folded) -> Iterator[tuple[int, int]]:
    """Phone numbers that look like nothing else: with a plus, or grouped."""
    for hit in phone_hits(text.text):
        written = text.text[hit.start : hit.end]
        if written[0] in "+(0" or re.search(r"[0-9][ -][0-9]", written):
            yield hit.start, hit.end


def _trapped(hit: Hit[Decimal], traps: Ranges) -> bool:
    """Whether the number begins or ends in a trap; a longer number may hold one ("四百万一千")."""
    return traps.touches(hit.start, hit.start + 1) or traps.crosses(hit.end)


def _stands(text: str, number: Number, language: Language, ranges: Ranges) -> bool:
    start, end = number.hit.start, number.hit.end
    before = text[max(0, start - 24) : start]
    if compiled(language.numerals.not_after).search(before):
        return False
    if number.literal:
        return _free_before(text, start, ranges) and _free_after(text, number, language, ranges)
    if number.tokens == 1 and (number.word in language.numerals.lone or len(number.hit.values) > 1):
        return _lone_stands(text, start, end, before, language)
    return language.spaced or not _is_letter(text[end : end + 1]) or unspaced(text[end])


def _lone_stands(text: str, start: int, end: int, before: str, language: Language) -> bool:
    numerals = language.numerals
    if _bare_answer(text, start, end):
        return True
    if compiled(numerals.lone_not_before).search(before):
        return False
    if compiled(numerals.lone_after).match(text, end):
        return True
    return (
        bool(compiled(numerals.lone_before).search(before))
        and compiled(r" ?(?:[,.!?;。、]|\Z)").match(text, end) is not None
    )


@cache
def _around_answer() -> tuple[str, str]:
    before, after = (
        "|".join(part for part in parts if part)
        for parts in zip(*((one.numerals.around_answer, one.numerals.after_answer) for one in LANGUAGES), strict=True)
    )
    return rf"[ ,.!]*(?:(?:{before}) ?)?\Z", rf"(?:[ ,.!。]|{after}){{0,4}}\Z"


def _bare_answer(text: str, start: int, end: int) -> bool:
    """Whether the text says no more than this number."""
    return (
        start <= 16
        and compiled(_around_answer()[0]).match(text[:start]) is not None
        and compiled(_around_answer()[1]).match(text, end) is not None
    )


def _is_letter(char: str) -> bool:
    return char != "" and (char.isalpha() or char == "_") and not unspaced(char)


def _free_before(text: str, start: int, ranges: Ranges) -> bool:
    """Whether digits at `start` begin something: not the rest of a code, a date or a time."""
    if start == 0:
        return True
    last, earlier = text[start - 1], text[start - 2 : start - 1] if start > 1 else ""
    if _is_letter(last) or last in "@\\=&":
        return False
    if last == "-":
        joined = earlier.isalnum() and not unspaced(earlier)
        return not joined or ranges.touches(start - 1, start)
    if last in ":.":
        return not earlier.isdigit()
    if last in "/⁄":
        return not earlier.isalnum() or unspaced(earlier)
    return not last.isdigit()


def _free_after(text: str, number: Number, language: Language, ranges: Ranges) -> bool:
    end = number.hit.end
    if end >= len(text):
        return True
    after, later = text[end], text[end + 1 : end + 2]
    if _is_letter(after):
        return text[end - 1].isdigit() and _unit_glued().match(text, end) is not None
    if after == "-" and later.isalnum() and not unspaced(later):
        return ranges.touches(end - 1, end + 1) or compiled("-[a-z]{3}").match(text, end) is not None
    if after in ":/⁄":
        return not later.isalnum() or unspaced(later)
    if after == ".":
        return not later.isdigit()
    return after not in "@\\_" and not after.isdigit()


@cache
def _unit_glued() -> Pattern:
    units = {unit for known in LANGUAGES for unit in known.numerals.units_attached}
    return edged(f"(?:{'|'.join(sorted(units, key=len, reverse=True))}){END}")


_SIGN_BEFORE = r"(?:\A|[ (\[,;:~=<>]|[\u4e00-\u9fff])[+-]\Z"


def _with_sign(text: str, hit: Hit[Decimal], language: Language) -> Hit[Decimal]:
    """The hit with the sign or the word for it right before its digits."""
    word = compiled(language.numerals.minus).search(text[max(0, hit.start - 24) : hit.start])
    if word is not None:
        return Hit(hit.start - len(word["minus"]), hit.end, tuple(value.copy_negate() for value in hit.values))
    if (
        hit.start == 0
        or not text[hit.start].isdigit()
        or not compiled(_SIGN_BEFORE).search(text[max(0, hit.start - 2) : hit.start])
    ):
        return hit
    negative = text[hit.start - 1] == "-"
    values = tuple(value.copy_negate() if negative else value for value in hit.values)
    return Hit(hit.start - 1, hit.end, values)


def _with_half(text: str, hit: Hit[Decimal], language: Language) -> Hit[Decimal]:
    tail = compiled(language.numerals.half_tail).match(text, hit.end)
    if tail is None:
        return hit
    return Hit(hit.start, tail.end(), tuple(plus(value, Decimal("0.5")) for value in hit.values))


def find_ordinals(text: Folded) -> list[Found[int]]:
    """Ordinals that point at one of several things: 1 for the first, -1 for the last."""
    return publish(text, _ordinal_hits(text.text))


def find_positions(text: Folded) -> list[Found[int]]:
    """Ordinals that number a thing: the 21st floor, 第五排."""
    hits: list[Hit[int]] = []
    for language in languages_of(text.text):
        hits += _ordinals(text.text, _position_forms(language), language)
    return publish(text, longest(hits))


def _ordinal_hits(text: str) -> list[Hit[int]]:
    hits: list[Hit[int]] = []
    for language in languages_of(text):
        hits += _ordinals(text, _ordinal_forms(language), language)
    return longest(hits)


def _ordinals(text: str, forms: Forms, language: Language) -> Iterator[Hit[int]]:
    for _, match in forms.scan(text):
        value = _ordinal(match.groupdict(), language)
        if value is not None:
            yield Hit(match.start(), match.end(), (value,))


@cache
def _position_forms(language: Language) -> Forms:
    return Forms((("position", form) for form in language.choices.positions), language)


@cache
def _ordinal_forms(language: Language) -> Forms:
    return Forms((("ordinal", form) for form in language.choices.ordinal_forms), language)


def _ordinal(groups: dict[str, str | None], language: Language) -> int | None:
    number = groups.get("n")
    value = 1
    if number:
        count = read_count(number, language)
        if count is None or count < 1:
            return None
        value = int(count)
    elif groups.get("ordinal"):
        value = language.choices.ordinals[str(groups["ordinal"])]
    return -value if groups.get("back") else value


def find_choice(text: Folded, count: int) -> int | None:
    """The 0-based index of the option that the text picks from a list of `count`; None if none, several, or no such."""
    picked = set(_picks(text, count))
    if len(picked) != 1:
        return None
    index = picked.pop()
    return index if 0 <= index < count else None


def _picks(text: Folded, count: int) -> Iterator[int]:
    for hit in _ordinal_hits(text.text):
        if not negated_at(text.text, hit.start) and not given_up_at(text.text, hit.end):
            value = hit.values[0]
            yield value - 1 if value > 0 else count + value
    for language in LANGUAGES:
        named = (read_count(m["n"], language) for m in _chosen(language.choices.option_forms, text.text, language))
        yield from (int(number) - 1 for number in named if number is not None)
        if count % 2 and count > 1:
            yield from (count // 2 for _ in _chosen(language.choices.middle_forms, text.text, language))
        for match in _chosen(language.choices.pair_forms, text.text, language) if count == 2 else ():
            yield language.choices.pair[match["pair"]]


def _chosen(forms: Sequence[str], text: str, language: Language) -> Iterator[re.Match[str]]:
    """Where forms of a choice stand that is neither negated nor given up."""
    for form in forms:
        for match in scan(form, language, text):
            if not negated_at(text, match.start()) and not given_up_at(text, match.end()):
                yield match

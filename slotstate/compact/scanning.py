"""A text as the figures in it are read: folded, Chinese numerals as digits, cut into words, numbers and signs."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple

from slotstate.compact import figures_zh as zh
from slotstate.parsing import fold
from slotstate.parsing.numerals import read_count
from slotstate.parsing.zh import CHINESE

HAN: Final = "\u3400-\u9fff"
_A: Final = "a-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_TOKEN: Final = re.compile(rf"([{_A}]+(?:[-.,:/@'+&][{_A}]+)*)|([{HAN}]+)|([$€£¥₩₹₽฿%°²])|[。！？；，,;.!?\n]")
_SPLIT: Final = re.compile(r"[-/&+:,]")
NUMBER: Final = re.compile(r"(\d+(?:[.,]\d+)*)([a-z]*)")
_RANGE: Final = re.compile(r"((?:[1-9]\d{0,5}|0)(?:\.\d+)?)[-–]([1-9]\d{0,5}(?:\.\d+)?)([a-z]*)")
_TIMES: Final = re.compile(r"(\d{1,2}:\d\d)-(\d{1,2}:\d\d)")
_COUNTED: Final = re.compile(r"(\d+(?:[.,]\d+)*)-([a-z]{2,}(?:-[a-z]+)*)")
_OFF: Final = re.compile("([一二三四五六七八九])([一二三四五六七八九])折")
_PERCENT: Final = re.compile(r"百分之(\d+(?:\.\d+)?)")
_HALVES: Final = re.compile(r"(?<!个)半(?=个?小[时時]|个?钟头|天|年|斤|公斤|个月|公里)")
_TRAPS: Final = "|".join(
    re.escape(trap) + {"十分": "(?!钟)", "一点": "(?![半整钟一二三四五])", "一共": ""}.get(trap, "")
    for trap in zh.TRAPS
)
_NUMERALS: Final = re.compile(
    rf"{_TRAPS}|(?:(?<![{zh.BEFORE_NONE}])|(?<=[每一二两三四五六七八九十0-9]周)|(?=[两兩]))[零〇一二两兩三四五六七八九十百千万萬亿廿]*[零〇一二两兩三四五六七八九十百]"
    r"[千万萬亿零〇一二三四五六七八九十百]*"
)
_HAS_NUMERAL: Final = re.compile("[零〇一二两兩三四五六七八九十百千万亿半]")


def normal(text: str) -> str:
    """The text folded, with Chinese numerals as digits."""
    folded = fold(text.replace("，", ", ")).text  # a bare comma would join the numbers on its sides
    if _HAS_NUMERAL.search(folded):
        folded = _NUMERALS.sub(_as_digits, _HALVES.sub("0.5", _OFF.sub(_as_off, folded)))
        folded = _PERCENT.sub(r"\1%", folded)
    return folded


def _as_off(found: re.Match[str]) -> str:
    return f"{read_count(found[1], CHINESE)}{read_count(found[2], CHINESE)}折"


def _as_digits(found: re.Match[str]) -> str:
    """Chinese numerals as digits; two neighbours ("两三个") as a range; what is no number as it is."""
    written = found[0]
    if written in zh.TRAPS:
        return written
    if len(written) == 2:
        one, other = (read_count(char, CHINESE) for char in written)
        if one is not None and other is not None and 0 < one == other - 1 and other < 10:
            return f"{one}-{other}"
    count = read_count(written, CHINESE)
    if written[0] in "零〇" and len(written) == 2:
        count = read_count(written[1], CHINESE)
    if count is not None:
        apart = " " if found.string[found.start() - 1 : found.start()].isdigit() else ""
        return f"{apart}{count:f}" if len(written) < 3 or written[0] not in "零〇" else written
    return written


class Token(NamedTuple):
    """A piece of a text and where it stands."""

    kind: str
    """n: with digits, w: a word, h: Chinese characters, s: a sign, p: punctuation."""
    text: str
    at: int
    end: int


def tokens(text: str) -> list[Token]:
    """The pieces of a text that a figure may be made of."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        written = match[0]
        index = match.lastindex
        if index == 2:
            found.append(Token("h", written, start, end))
        elif index == 3:
            found.append(Token("s", written, start, end))
        elif index is None:
            found.append(Token("p", written, start, end))
        elif written.isalpha():
            found.append(Token("w", written, start, end))
        elif any(char.isdigit() for char in written):
            found += _with_digits(written, start, end)
        else:
            found += _parted(written, start)
    return found


def _parted(written: str, start: int) -> list[Token]:
    found: list[Token] = []
    for part in _SPLIT.split(written):
        found.append(Token("w", part, start, start + len(part)))
        start += len(part) + 1
    return found


def _with_digits(written: str, start: int, end: int) -> list[Token]:
    """ "10:00-12:00", "2-3" and "12-mile" are several tokens."""
    times = _TIMES.fullmatch(written)
    span = times or _RANGE.fullmatch(written)
    if span and (times or Decimal(span[1]) < Decimal(span[2])):
        suffix = "" if times else span[3]
        return [
            Token("n", span[1], start, start + len(span[1])),
            Token("n", span[2] + suffix, start + len(span[1]) + 1, end),
        ]
    counted = _COUNTED.fullmatch(written)
    if counted:
        number = Token("n", counted[1], start, start + len(counted[1]))
        return [number, *_parted(counted[2], start + len(counted[1]) + 1)]
    if "," in written and not NUMBER.fullmatch(written):
        return [piece for part in _pieces(written, start) for piece in part]
    return [Token("n", written, start, end)]


def _pieces(written: str, start: int) -> list[list[Token]]:
    """What stands between commas without a space, as in JSON or a table."""
    found: list[list[Token]] = []
    for part in written.split(","):
        if any(char.isdigit() for char in part):
            found.append([Token("n", part, start, start + len(part))])
        else:
            found.append(_parted(part, start))
        start += len(part) + 1
    return found


NONE: Final = Token("", "", -1, -1)
"""What stands beyond the ends of a text."""

"""Tables in text: comma or tab separated, Markdown, drawn, and aligned by spaces."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"')
_FRACTION: Final = re.compile(r"(\d{2}:\d{2}:\d{2}),(?=\d{3}\b)")
_RULE: Final = re.compile(r"[\s|+:=─━┼╪┬┴├┤┌┐└┘║│╔╗╚╝╠╣╬═-]+")
_WORD: Final = re.compile(r"\S+")
_GAP: Final = re.compile(r"\S(?: {2,}|\t+)\S")
_SEPARATORS: Final = ("\t", ",", ";", "|")
_COLUMNS: Final = 30
"""Columns that are looked at."""


@dataclass(frozen=True, slots=True)
class Table:
    """How many lines its header has, and whether a quoted field may hold line ends."""

    header: int = 1
    quoted: bool = False


def table_of(lines: list[str], text: str) -> Table | None:
    """The table that `text` is, by the lines that it begins with; None when it is none."""
    return _ruled(lines) or _separated(lines, text) or _aligned(lines)


def _ruled(lines: list[str]) -> Table | None:
    """A table whose header stands on a rule."""
    if len(lines) < 3:
        return None
    rules = [bool(_RULE.fullmatch(line)) and _is_rule(line) for line in lines[:3]]
    barred = sum("|" in line or "│" in line or "║" in line for line in lines)
    if barred * 10 < len(lines) * 6:
        return None
    if rules[0] and rules[2] and not rules[1]:
        return Table(header=3)
    return Table(header=2) if rules[1] and not rules[0] else None


def _is_rule(line: str) -> bool:
    return sum(char in "-=─━═" for char in line) >= 3 or bool(re.search(r"\|\s*:?-", line))


def _separated(lines: list[str], text: str) -> Table | None:
    """Fields between separators, as many on each row."""
    quoted = '"' in "".join(lines) and text.count('"') % 2 == 0
    rows = _rows(lines) if quoted else lines
    bare = [_FRACTION.sub(r"\1.", _QUOTED.sub("", row)) for row in rows]
    for separator in _SEPARATORS:
        counts = [_count(row, separator) for row in bare]
        usual, times = Counter(counts).most_common(1)[0] if counts else (0, 0)
        enough = 3 if usual > 1 or separator == "\t" else 4
        if usual and counts[0] == usual and len(counts) >= enough and times * 10 >= len(counts) * 9:
            return Table(quoted=quoted)
    return None


def _count(row: str, separator: str) -> int:
    """Separators of a row; a comma with a space behind it belongs to a sentence."""
    count = row.count(separator)
    return count - row.count(", ") if separator == "," else count


def _rows(lines: list[str]) -> list[str]:
    """The lines put together where a quoted field goes over more than one."""
    rows: list[str] = []
    open_row = False
    for line in lines:
        if open_row:
            rows[-1] += "\n" + line
        else:
            rows.append(line)
        open_row ^= line.count('"') % 2 == 1
    return rows[:-1] if open_row else rows


def _aligned(lines: list[str]) -> Table | None:
    """Columns that start or end at the same place on each row, as the header's words do."""
    if len(lines) < 3 or sum(bool(_GAP.search(line)) for line in lines) * 10 < len(lines) * 6:
        return None
    words = [match.span() for match in _WORD.finditer(lines[0])][:_COLUMNS]
    rows = [line for line in lines[1:] if not _RULE.fullmatch(line)]
    if len(words) < 2 or len(rows) < 2:
        return None
    fits = sum(_holds(rows, start, end) for start, end in words)
    if fits < 2 or fits * 10 < len(words) * 6:
        return None
    return Table(header=2 if _RULE.fullmatch(lines[1]) else 1)


def _holds(rows: list[str], start: int, end: int) -> bool:
    """Whether a column stands below the header's word: its fields start, or end, where the word does."""
    left = sum(_splits(row, start, start - 1) for row in rows)
    right = sum(_splits(row, end - 1, end) for row in rows)
    return max(left, right) * 10 >= len(rows) * 8


def _splits(row: str, inside: int, outside: int) -> bool:
    """Whether a field holds one place and not the other."""
    return inside < len(row) and row[inside] != " " and (not 0 <= outside < len(row) or row[outside] == " ")

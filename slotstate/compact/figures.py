"""What a text says in figures: numbers with their units, days, weekdays, times, codes. One pass over its words.

Of a source this is generous, so that every way to tell the same figure finds it; `slotstate.compact.evidence` compares.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from slotstate.compact import figures_en as en
from slotstate.compact import figures_zh as zh
from slotstate.compact.scanning import NONE, NUMBER, Token, normal, tokens
from slotstate.compact.units import Day, Figures, Quantity, Time, Unit, Weekday
from slotstate.parsing.en import ENGLISH
from slotstate.parsing.numerals import read_count, read_literal

_TIME: Final = re.compile(r"(\d{1,2}):([0-5]\d)(?::\d\d)?(am|pm|h)?")
_DAY_TIME: Final = re.compile(r"([12]\d{3})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t_ ](\d\d):(\d\d).*)?")
_DMY: Final = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)")
_DM: Final = re.compile(r"(\d{1,2})/(\d{1,2})")
_PRICED: Final = re.compile(r"([a-z]{3})(\d+(?:[.,]\d+)*)")
_WEEKDAY: Final = re.compile("(下|上|这|本)?(?:下|上|个|個)*(?:周|週|星期|礼拜)([一二三四五六日天])")
_RELATIVE: Final = re.compile("(大后|[今明后昨前])(?:天|日|晚|早|晨)(?!晚饭)")
_PART: Final = re.compile("|".join(sorted(zh.PARTS, key=len, reverse=True)))
_RATE: Final = re.compile(f"每一?个?({'|'.join(zh.RATES)})")
_LASTING: Final = frozenset({"time", "month", "night"})
_LONE: Final = re.compile("|".join(sorted(zh.LONE, key=len, reverse=True)))
_CURRENCY_PREFIX: Final = frozenset({"us", "hk", "ca", "c", "a", "au", "nt", "s"})


@lru_cache(maxsize=1024)
def figures(text: str) -> Figures:
    """The figures of a text. Not to be changed."""
    return _Walk(normal(text)).done()


class _Walk:
    """Reads the tokens of a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.found = Figures(text)

    def done(self) -> Figures:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "w":
                self._word(token)
            elif token.kind == "n":
                self._digits(token)
            elif token.kind == "h":
                self._han(token)
            elif token.kind == "s":
                self.found.units.update(unit.kind for unit in en.UNITS.get(token.text, ()))
        return self.found

    def _peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if 0 <= at < len(self.tokens) else NONE

    # Words

    def _word(self, token: Token) -> None:
        word, found = token.text, self.found
        found.words.add(word)
        if word in en.MONTHS:
            self._month(token)
        elif word in en.WEEKDAYS:
            found.weekdays.append(Weekday(en.WEEKDAYS[word], en.SHIFTS.get(self._peek(-2).text), word))
        elif word in en.NUMBER_WORDS or (word == "one" and self._counts_one()):
            self._number_words(token)
        elif word in ("half", "quarter"):
            self._half(token)
        elif word in en.ORDINALS:
            self._ordinal(token, en.ORDINALS[word])
        elif word in en.COUNTS:
            found.quantities.append(Quantity((Decimal(en.COUNTS[word]),), (), word, token.at))
        elif word in en.RELATIVE:
            shift = en.RELATIVE[word] * (2 if self._peek(-3).text == "day" else 1)
            found.relatives.append((shift, word))
        elif word in en.NAMED_TIMES:
            found.times.append(Time((en.NAMED_TIMES[word],), word, token.at))
        elif word in en.PARTS:
            if en.PARTS[word]:
                found.parts.append((en.PARTS[word], word))
        elif word in en.UNITS:
            self._lone_unit(token)

    def _half(self, token: Token) -> None:
        """ "half past seven", "half an hour", "an hour and a half"."""
        if self._clock_words(token):
            return
        share = Decimal("0.5") if token.text == "half" else Decimal("0.25")
        unit = en.UNITS.get(self._peek(1).text)
        if self._peek().text in ("a", "an") and unit:
            self.found.quantities.append(Quantity((share,), unit, f"{token.text} {self._peek(1).text}", token.at))
        elif self._peek(-3).text == "and" and (unit := en.UNITS.get(self._peek(-4).text)):
            whole = self.found.quantities.pop() if self._ends_count(unit) else None
            values = whole.values if whole else (Decimal(1),)
            total = tuple(value + share for value in values)
            self.found.quantities.append(Quantity(total, unit, f"{total[0]} {self._peek(-4).text}", token.at))

    def _ends_count(self, unit: tuple[Unit, ...]) -> bool:
        """Whether the last number found is what the unit before "and a half" counts."""
        return bool(self.found.quantities) and self.found.quantities[-1].units == unit and self._peek(-5).kind != "p"

    def _counts_one(self) -> bool:
        after = self._peek()
        return after.text in en.UNITS or after.text in en.MAGNITUDES or after.text == "o'clock"

    def _lone_unit(self, token: Token) -> None:
        if token.text not in en.NOT_LONE:
            self.found.units.update(unit.kind for unit in en.UNITS[token.text])
        unit = en.UNITS[token.text][0]
        if self._peek(-2).text in ("an", "a", "per", "each", "every") or token.text.endswith("ly"):
            self.found.units.add(f"1 {unit.kind}")
            if unit.kind in _LASTING:
                self.found.rates[unit.name] = f"{self._peek(-2).text} {token.text}"

    def _month(self, token: Token) -> None:
        """A month: with the day behind it, or alone."""
        month = en.MONTHS[token.text]
        skip = 1 if self._peek().text == "the" else 0
        after = self._peek(skip)
        number = NUMBER.fullmatch(after.text) if after.kind == "n" else None
        day = int(number[1]) if number and number[1].isdigit() and len(number[1]) < 3 else en.ORDINALS.get(after.text)
        if day is not None and 1 <= day <= 31 and (not number or number[2] in _TH):
            self.at += skip + 1
            self._day(month, day, f"{token.text} {after.text}", token.at)
        elif token.text not in en.NOT_ALONE or self._peek(-2).text in en.BEFORE_MONTH:
            self.found.months.append((month, token.text))

    def _day(self, month: int | None, day: int, written: str, at: int) -> None:
        year: int | None = None
        after = self._peek()
        if after.kind == "p" and after.text == ",":
            after = self._peek(1)
        if month is not None and after.kind == "n" and re.fullmatch(r"[12]\d{3}", after.text):
            year = int(after.text)
        self.found.days.append(Day(((month, day),), year, written, at))

    def _ordinal(self, token: Token, number: int) -> None:
        self.found.ordinals.append(number)
        skip = 1 if self._peek().text == "of" else 0
        after = self._peek(skip)
        if after.text in en.MONTHS:
            self.at += skip + 1
            self._day(en.MONTHS[after.text], number, f"{token.text} {after.text}", token.at)

    def _number_words(self, token: Token) -> None:
        """Number words that go together, and what they are of."""
        words, last = [token.text], token
        while self._peek().text in en.NUMBER_PARTS and self._peek().kind == "w":
            words.append(self._peek().text)
            last = self._peek()
            self.at += 1
        if words[-2:] == ["and", "a"] and self._peek().text == "half":
            words.append("half")
            last = self._peek()
            self.at += 1
        while words[-1] in ("and", "a") or (len(words) > 1 and words[-1] == "one" and words[-2] == "and"):
            words.pop()
            self.at -= 1
            last = self._peek(-1)
        if self._clock_words(token, words):
            return
        if self._peek().text == "o'clock" and words[0] in en.HOURS:
            self._time(en.HOURS[words[0]], 0, f"{words[0]} o'clock", token.at)
            return
        count = read_count(" ".join(words), ENGLISH)
        unit = en.ORDINALS.get(self._peek().text, 0)
        if count is not None and count % 10 == 0 and 0 < unit < 10:  # "twenty-first"
            self.at += 1
            self._ordinal(token, int(count) + unit)
            return
        if count is not None:
            self._counted((count,), " ".join(words), token.at, last.end)
            return
        for word in words:  # "seven thirty", "one two three"
            single = read_count(word, ENGLISH)
            if single is not None:
                self.found.quantities.append(Quantity((single,), (), word, token.at))
        if len(words) == 2 and words[0] in en.HOURS and (minute := read_count(words[1], ENGLISH)) and minute < 60:
            self._time(en.HOURS[words[0]], int(minute), " ".join(words), token.at)

    def _clock_words(self, token: Token, words: list[str] | None = None) -> bool:
        """ "half past seven", "a quarter to eight", "half seven"."""
        minutes = en.MINUTES.get("-".join(words) if words else token.text)
        relation, hour = self._peek().text, self._peek(1).text
        if relation == "minutes":
            relation, hour = self._peek(1).text, self._peek(2).text
        at = en.HOURS.get(hour) or (int(hour) if hour.isdigit() and len(hour) < 3 else None)
        if minutes is None:
            return False
        if token.text == "half" and relation in en.HOURS:
            self.at += 1
            self._time(en.HOURS[relation], 30, f"half {relation}", token.at)
            return True
        if at is None or relation not in en.PAST | en.TO or (words and self._peek(-1 - len(words)).text == "from"):
            return False
        self.at += 2
        shift = minutes if relation in en.PAST else -minutes
        total = (at * 60 + shift) % 1440
        self._time(total // 60 or 12, total % 60, f"{token.text} {relation} {hour}", token.at)
        return True

    # Digits

    def _digits(self, token: Token) -> None:
        written = token.text
        if NUMBER.fullmatch(written) and not _DMY.fullmatch(written):
            self._plain(token)
        elif match := _TIME.fullmatch(written):
            self._time(int(match[1]), int(match[2]), written, token.at, self._suffix(match[3]))
        elif match := _DAY_TIME.fullmatch(written):
            year, month, day = int(match[1]), int(match[2]), int(match[3])
            self.found.days.append(Day(((month, day),), year, written, token.at))
            if match[4]:
                self._time(int(match[4]), int(match[5]), written, token.at)
        elif match := _DMY.fullmatch(written):
            one, other = int(match[1]), int(match[3])
            self.found.days.append(Day(_pairs(one, other), None, written, token.at))
        elif match := _DM.fullmatch(written):
            one, other = int(match[1]), int(match[2])
            self.found.days.append(Day(_pairs(one, other), None, written, token.at))
        elif (match := _PRICED.fullmatch(written)) and match[1] in en.UNITS:
            self.found.quantities.append(Quantity(read_literal(match[2]), en.UNITS[match[1]], written, token.at))
        else:
            self.found.codes.append(written)
            self.found.words.update(part for part in re.split(r"[^\w]", written) if part.isalpha())

    def _suffix(self, glued: str | None) -> str | None:
        """Am or pm, glued to the time or behind it."""
        if glued in ("am", "pm"):
            return glued
        after = self._peek().text.replace(".", "")
        if after in ("am", "pm"):
            self.at += 1
            return after
        return None

    def _plain(self, token: Token) -> None:
        number = NUMBER.fullmatch(token.text)
        assert number is not None
        digits, suffix = number[1], number[2]
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            self.found.codes.append(token.text)
            return
        values = read_literal(digits)
        if not values or (suffix and suffix not in _SUFFIXES):
            self.found.codes.append(token.text)
            return
        if suffix in en.GLUED:
            values = tuple(value * en.GLUED[suffix] for value in values)
        if suffix in ("am", "pm"):
            self._time(int(values[0]), 0, token.text, token.at, suffix)
        elif suffix in _TH and suffix:
            self._nth(token, int(values[0]))
        elif not self._dated(token, values):
            self._counted(values, token.text, token.at, token.end, suffix)

    def _nth(self, token: Token, number: int) -> None:
        """ "14th": of a month, a day, or anything else."""
        skip = 1 if self._peek().text == "of" else 0
        after = self._peek(skip)
        if after.text in en.MONTHS:
            self.at += skip + 1
            self._day(en.MONTHS[after.text], number, f"{token.text} {after.text}", token.at)
        else:
            self.found.days.append(Day(((None, number),), None, token.text, token.at))

    def _dated(self, token: Token, values: tuple[Decimal, ...]) -> bool:
        """Whether the number is the day of a month, or an hour."""
        after, value = self._peek(), values[0]
        if value != int(value):
            return False
        if after.kind == "w":
            skip = 1 if after.text == "of" else 0
            month = self._peek(skip)
            if month.text in en.MONTHS and 1 <= value <= 31:
                self.at += skip + 1
                self._day(en.MONTHS[month.text], int(value), f"{token.text} {month.text}", token.at)
                return True
            if after.text.replace(".", "") in ("am", "pm"):
                self._time(int(value), 0, token.text, token.at, self._suffix(None))
                return True
            if after.text == "o'clock":
                self._time(int(value), 0, token.text, token.at)
                return True
        return after.kind == "h" and after.at == token.end and self._han_dated(token, int(value), after)

    def _counted(self, values: tuple[Decimal, ...], written: str, at: int, end: int, suffix: str = "") -> None:
        """A number with its unit: a sign or a code before it, a word, sign or character behind it."""
        after = self._peek()
        while after.text in en.MAGNITUDES and after.kind == "w":
            values = tuple(value * en.MAGNITUDES[after.text] for value in values)
            written = f"{written} {after.text}"
            self.at += 1
            after = self._peek()
        if suffix and suffix not in en.GLUED:
            units = (*en.UNITS.get(suffix, ()), *en.AFTER_NUMBER.get(suffix, ()))
        elif after.kind == "h":
            values, units, written = self._han_unit(values, written, end, after)
        else:
            units, written = self._unit_behind(written, after)
        if not units:
            units = self._unit_before(at)
        self.found.quantities.append(Quantity(values, units, written, at))

    def _unit_before(self, at: int) -> tuple[Unit, ...]:
        index = next((index for index in range(self.at - 1, -1, -1) if self.tokens[index].at < at), None)
        if index is None:
            return ()
        before = self.tokens[index]
        if before.kind == "s" and before.text != "%":
            earlier = self.tokens[index - 1] if index else NONE
            if earlier.text in _CURRENCY_PREFIX and earlier.end == before.at:
                return en.UNITS[earlier.text + "$"] if before.text == "$" else ()
            return en.UNITS.get(before.text, ())
        if before.kind == "w" and len(before.text) == 3 and before.text in en.UNITS:
            found = en.UNITS[before.text]
            return found if found[0].kind.isupper() else ()
        return ()

    def _unit_behind(self, written: str, after: Token) -> tuple[tuple[Unit, ...], str]:
        if after.kind == "s":
            self.at += 1
            return en.UNITS.get(after.text, ()), f"{written} {after.text}"
        skip = 0
        while skip < 2 and after.kind == "w" and after.text in en.SKIPPED and after.text not in en.UNITS:
            skip += 1
            after = self._peek(skip)
        if after.text in ("square", "sq"):
            word = self._peek(skip + 1).text
            return en.SQUARED.get(word, ()), f"{written} square {word}"
        if after.kind != "w":
            return (), written
        units = (*en.UNITS.get(after.text, ()), *(en.AFTER_NUMBER.get(after.text, ()) if not skip else ()))
        return units, f"{written} {after.text}" if units else written

    def _time(self, hour: int, minute: int, written: str, at: int, part: str | None = None) -> None:
        """A time; without am or pm an hour up to twelve may be of either half of the day."""
        if not 0 <= hour <= 24 or not 0 <= minute < 60:
            return
        total = hour % 24 * 60 + minute
        minutes: tuple[int, ...]
        if part in ("pm", "afternoon", "night") and hour < 12 and not (part == "night" and hour < 5):
            minutes = (total + 720,)
        elif part in ("am", "morning") or (part == "night" and hour in (12, 1, 2, 3, 4)):
            minutes = (total % 720,)
        elif part is None and 0 < hour <= 12 and not re.match("0[0-9]:", written):
            minutes = (total, (total + 720) % 1440)
        else:
            minutes = (total,)
        self.found.times.append(Time(minutes, written, at))

    # Chinese characters

    def _han(self, token: Token) -> None:
        text, found = token.text, self.found
        if "周" in text or "星期" in text or "礼拜" in text or "週" in text:
            for match in _WEEKDAY.finditer(text):
                found.weekdays.append(Weekday(zh.WEEKDAYS[match[2]], zh.SHIFTS[match[1] or ""], match[0]))
        for match in _RELATIVE.finditer(text):
            found.relatives.append((zh.RELATIVE[match[1]], match[0]))
        for match in _PART.finditer(text):
            found.parts.append((zh.PARTS[match[0]], match[0]))
        for match in _LONE.finditer(text):
            found.units.update(unit.kind for unit in zh.UNITS[match[0]])
        for match in _RATE.finditer(text):
            found.rates[zh.RATES[match[1]]] = match[0]
        if "中午" in text and self._peek().kind != "n":
            found.times.append(Time((720,), "中午", token.at))

    def _part_before(self, at: int) -> str | None:
        """The part of the day that stands right before offset `at`."""
        before = self.text[max(0, at - 2) : at]
        return zh.PARTS.get(before) or zh.PARTS.get(before[-1:])

    def _han_dated(self, token: Token, value: int, after: Token) -> bool:
        """Whether the characters behind a number make it a month, a day or an hour."""
        text = after.text
        if text[0] == "月" and 1 <= value <= 12:
            self._han_month(token, value, after)
            return True
        if text[0] in "号號日" and 1 <= value <= 31 and text[1:2] not in _NO_DAY:
            self.found.days.append(Day(((None, value),), None, f"{token.text}{text[0]}", token.at))
            return True
        if text[0] in "点點" and value <= 24:
            self._han_time(token, value, after)
            return True
        return False

    def _han_month(self, token: Token, month: int, after: Token) -> None:
        following = self._peek(1)
        day = following.text if following.kind == "n" and following.at == after.end else ""
        if after.text in ("月", "月份") and day.isdigit() and len(day) < 3 and 1 <= int(day) <= 31:
            self.at += 2
            self.found.days.append(Day(((month, int(day)),), None, f"{token.text}月{day}", token.at))
        else:
            self.found.months.append((month, f"{token.text}月"))

    def _han_time(self, token: Token, hour: int, after: Token) -> None:
        rest, following = after.text[1:], self._peek(1)
        minute, written = 0, f"{token.text}点"
        part = self._part_before(token.at)
        if rest.startswith("半"):
            minute, written = 30, f"{written}半"
        elif following.kind == "n" and following.at == after.end and following.text.lstrip("0").isdigit():
            unit = self._peek(2).text if self._peek(2).at == following.end else ""
            minute, written = int(following.text[-3:]), f"{written}{following.text}"
            if rest not in ("", "过") or minute > 59:
                minute = 0
            else:
                self._decimal(token, following, unit)
                minute = minute * 15 if unit.startswith("刻") else minute
                self.at += 2
        self._time(hour, minute, written, token.at, "pm" if part == "noon" and hour < 11 else part)

    def _decimal(self, token: Token, following: Token, unit: str) -> None:
        """ "3点5公里" is no time."""
        value = (Decimal(f"{int(token.text)}.{following.text}"),)
        units = next((zh.UNITS[unit[:size]] for size in range(zh.LONGEST, 0, -1) if unit[:size] in zh.UNITS), ())
        self.found.quantities.append(Quantity(value, units, f"{token.text}点{following.text}", token.at))

    def _han_unit(
        self, values: tuple[Decimal, ...], written: str, end: int, after: Token
    ) -> tuple[tuple[Decimal, ...], tuple[Unit, ...], str]:
        """The number with what the characters behind it make of it."""
        text = after.text
        while text and text[0] in zh.MAGNITUDES:
            values = tuple(value * zh.MAGNITUDES[text[0]] for value in values)
            written, text = written + text[0], text[1:]
        if text[:1] == "折":
            off = tuple(100 - (value * 10 if value < 10 else value) for value in values)
            return (*values, *off), en.UNITS["%"], f"{written}折"
        if text.startswith("个半"):
            values, text = tuple(value + _HALF for value in values), text[0] + text[2:]
        text = text.removeprefix("多").removeprefix("来")
        for size in range(min(zh.LONGEST, len(text)), 0, -1):
            units = zh.UNITS.get(text[:size])
            if units:
                if text[size : size + 1] == "半":
                    values = tuple(value + _HALF for value in values)
                return self._tenths(values, units, after), units, written + text[:size]
        return values, (), written

    def _tenths(self, values: tuple[Decimal, ...], units: tuple[Unit, ...], after: Token) -> tuple[Decimal, ...]:
        """ "3块5" is 3.5 yuan."""
        following = self._peek(1)
        if after.text == "块" and following.kind == "n" and following.at == after.end and len(following.text) == 1:
            self.at += 2
            return tuple(value + Decimal(following.text) / 10 for value in values)
        return values


def _pairs(one: int, other: int) -> tuple[tuple[int | None, int], ...]:
    """Month and day of "3/4", either way round."""
    return tuple(dict.fromkeys(((other, one), (one, other))))


_HALF: Final = Decimal("0.5")
_TH: Final = frozenset({"", "st", "nd", "rd", "th"})
_SUFFIXES: Final = frozenset({*en.UNITS, *en.AFTER_NUMBER, *en.GLUED, *_TH, "am", "pm"})
_NO_DAY: Final = frozenset({*zh.NOT_DAY, "元", "币", "圆", "游", "本"})

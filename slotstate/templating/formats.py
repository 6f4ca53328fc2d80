"""Filters that write a value as people of a locale do. What is no such value comes out as data; nothing is raised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from slotstate.templating.escaping import as_data
from slotstate.values import jsonable

if TYPE_CHECKING:
    from babel import Locale

LONGEST_LOCALE: Final = 40
"""Characters of a locale's name."""
_DURATION: Final = re.compile(
    r"(-)?P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?"
    r"(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?"
)
_UNITS: Final = ("year", "month", "week", "day", "hour", "minute", "second")
_ANY: Final[Mapping[str, str]] = {"en": "no preference", "zh": "都可以"}
_STYLES: Final = frozenset({"short", "medium", "long", "full"})
_BETWEEN: Final[Mapping[str, str]] = {"zh": "、", "ja": "、"}
"""What stands between the items of a list, where it is no comma."""

Writer: TypeAlias = Callable[[Any, "Locale", str], str]


@lru_cache(maxsize=64)
def _locale(name: str) -> Locale:
    """The locale of this name, or English where there is none such."""
    from babel import Locale, UnknownLocaleError  # heavy: only templates that write by locale need it

    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError, TypeError):
        return Locale.parse("en")


def _filter(write: Writer, default: str = "medium") -> Callable[..., str]:
    def formatted(value: Any, style: Any = default, *, locale: Any = "en") -> str:
        known = _locale(str(locale)[:LONGEST_LOCALE])
        return _written(jsonable(value), known, str(style)[:60], write)

    return formatted


def _written(value: Any, locale: Locale, style: str, write: Writer) -> str:
    if value is None:
        return ""
    if value == "dontcare":
        return _ANY.get(locale.language, _ANY["en"])
    if isinstance(value, list):
        return _BETWEEN.get(locale.language, ", ").join(
            _written(one, locale, style, write) for one in cast(Sequence[Any], value)
        )
    try:
        return write(value, locale, style).replace("\u202f", " ").replace("\xa0", " ")
    except Exception:  # whatever Babel or a parser says of odd data
        return as_data(value)


def _date(value: Any, locale: Locale, style: Any) -> str:
    from babel.dates import format_date

    moment = datetime.fromisoformat(value) if len(value) > 10 else date.fromisoformat(value)
    return format_date(moment, style, locale)


def _time(value: Any, locale: Locale, style: Any) -> str:
    from babel.dates import format_time

    moment = datetime.fromisoformat(value).timetz() if value[10:11] in ("T", " ") else time.fromisoformat(value)
    if moment.tzinfo is None and style in {"long", "full"}:
        style = "medium"  # Babel would take it for UTC, and say so
    return format_time(moment, style, locale=locale)


def _datetime(value: Any, locale: Locale, style: Any) -> str:
    from babel.dates import format_date, format_datetime, format_time, get_datetime_format

    moment = datetime.fromisoformat(value)
    if style not in _STYLES:
        return format_datetime(moment, style, tzinfo=moment.tzinfo, locale=locale)
    both = str(get_datetime_format(style, locale)).replace("'", "")
    clock = format_time(moment, "short", tzinfo=moment.tzinfo, locale=locale)
    return both.replace("{0}", clock).replace("{1}", format_date(moment, style, locale))


def _money(value: Any, locale: Locale, style: Any) -> str:
    from babel.numbers import format_currency

    return format_currency(_number_of(value["value"]), value["currency"], locale=locale)


def _number(value: Any, locale: Locale, style: Any) -> str:
    from babel.numbers import format_decimal

    return format_decimal(_number_of(value), locale=locale)


def _number_of(value: Any) -> Decimal:
    if isinstance(value, bool):
        raise InvalidOperation
    number = Decimal(str(value))
    if not number.is_finite() or abs(number.adjusted()) > 40:
        raise InvalidOperation
    return number


def _duration(value: Any, locale: Locale, style: Any) -> str:
    from babel.lists import format_list
    from babel.units import format_unit

    found = _DURATION.fullmatch(value)
    if found is None or found[1]:
        raise ValueError(value)
    parts = [(int(part), unit) for part, unit in zip(found.groups()[1:], _UNITS, strict=True) if part]
    if not parts:
        raise ValueError(value)
    shown = [format_unit(n, f"duration-{unit}", "long", locale=locale) for n, unit in parts if n or len(parts) == 1]
    try:
        return format_list(shown, "unit", locale)
    except (LookupError, ValueError):  # Babel knows no such list in this locale
        return ", ".join(shown)


FORMATS: Final[Mapping[str, Callable[..., str]]] = {
    "date": _filter(_date),
    "time": _filter(_time, "short"),
    "datetime": _filter(_datetime),
    "money": _filter(_money),
    "number": _filter(_number),
    "duration": _filter(_duration),
}

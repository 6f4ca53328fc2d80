"""Where an item gives a held slot another value than the one it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal, NamedTuple

from slotstate.compact.figures import figures
from slotstate.compact.items import Span
from slotstate.compact.scanning import HAN
from slotstate.compact.units import Figures
from slotstate.events import ItemKind
from slotstate.parsing import find, fold, unspaced
from slotstate.slots import Json

ValueKind = Literal["date", "time", "datetime", "number", "weekday", "text", "none"]
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIME: Final = re.compile(r"\d\d:\d\d(?::\d\d)?")
_DATETIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_TELLING: Final[frozenset[ItemKind]] = frozenset({"constraint", "preference", "decision", "fact"})
"""Kinds of items that say what holds; the others may speak of what was refused, failed or is open."""
_GUARDS: Final = re.compile(
    r"\b(?:not|no|never|without|instead|rather|first|originally|initially|earlier|previously|formerly|no longer|"
    r"(?:changed|moved|switched|replaced) from|refus\w*|declin\w*|reject\w*|turned down|ruled out|"
    r"alternatives?|offer\w*|"
    r"options?|suggest\w*|consider\w*|unavailable|sold out|cancel\w*|except|was full|compared|other\w*|or)\b|n't\b|"
    r"而不|不(?!超过|多于|少于|低于|高于|晚于|早于)|没|原来|原本|原定|最初|一开始|起初|先前|之前|曾|从.{1,12}[换改]|拒绝|备选|可选|选项|推荐|提供|考虑|或|还是|取消|已满|排除|另"
)
"""Words that say that a value is not the one that holds."""
_LABELS: Final[Mapping[str, str]] = {
    "date": "日期|日子|哪天", "day": "日期|天", "time": "时间|几点", "departure": "出发|发车|起飞",
    "arrival": "到达|抵达", "origin": "出发地|从", "destination": "目的地|到|去|前往", "city": "城市|在",
    "budget": "预算", "price": "价格|价钱|票价", "people": "人", "guests": "人|位", "party": "人|位",
    "size": "码|尺寸|大小|号", "color": "颜色|色", "colour": "颜色|色", "hotel": "酒店|宾馆|住",
    "name": "姓名|名字|叫", "phone": "电话|手机", "email": "邮箱|邮件", "address": "地址", "quantity": "数量|份|件",
    "number": "数量|号", "nights": "晚", "seats": "座|席", "seat": "座", "room": "房", "doctor": "医生|大夫",
    "guide": "导游", "model": "型号|款", "restaurant": "餐厅|饭店", "train": "火车|高铁|车", "flight": "航班|飞",
    "table": "桌|位", "amount": "金额|数额|钱", "count": "数量|个", "weight": "重", "cuisine": "菜",
    "area": "区|地段", "stay": "住",
}  # fmt: skip
"""Chinese words for what slots are often called."""
_PARTS: Final = re.compile(r"[,;](?=\s)|(?<!\b[MDS][rst])(?<!Mrs)[.!?](?=\s|\Z)|[，；。！？、\n]")
_NEAR: Final = 24


class Contradiction(NamedTuple):
    """A value that an item gives a slot, and the one that the slot holds."""

    path: str
    told: str
    held: str


def contradictions(text: str, kind: ItemKind, path: str | None, span: Span) -> Iterator[Contradiction]:
    """The held slots that an item's text gives another value."""
    if not span.slots:
        return
    folded, whole = fold(text).text, figures(text)
    firm = [part for part in _PARTS.split(text) if part.strip() and not _GUARDS.search(fold(part).text)]
    for slot, held in span.slots.items():
        if _mentions(held, text, whole):
            continue
        named = slot == path or _is_named(slot, folded)
        rivals = [
            other for other in span.others.get(slot, ()) if other != held and not _held_elsewhere(other, slot, span)
        ]
        for part in firm:
            told = next((shown(other) for other in rivals if _gives(other, named, kind, part)), None)
            told = told or _beside_label(slot, held, part)
            if told:
                yield Contradiction(slot, told, shown(held))
                break


def _gives(other: Json, named: bool, kind: ItemKind, part: str) -> bool:
    """Whether a clause of an item says that another value holds: a bare figure counts beside the slot's name only."""
    if not _mentions(other, part, figures(part)):
        return False
    return named or (kind in _TELLING and _is_telling(other))


def _is_telling(value: Json) -> bool:
    """Whether a value is hardly told of anything else: a name, a date, an amount of money."""
    if isinstance(value, str):
        return kind_of(value) != "number" and (len(value) > 3 or any(map(unspaced, value[1:2])))
    return isinstance(value, Mapping) or (isinstance(value, (list, tuple)) and any(map(_is_telling, value)))


def _held_elsewhere(value: Json, slot: str, span: Span) -> bool:
    return any(value == held for path, held in span.slots.items() if path != slot)


def shown(value: Json) -> str:
    """A value in few words."""
    if isinstance(value, Mapping):
        return " ".join(shown(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(one) for one in value)
    return str(value)


def kind_of(value: Json) -> ValueKind:
    """What a canonical value is, as far as a text can tell it."""
    if isinstance(value, Mapping):
        return "number" if "value" in value and "currency" in value else "none"
    if isinstance(value, bool) or value is None or not isinstance(value, (str, int, float)):
        return "none"
    if not isinstance(value, str):
        return "number"
    if _DATE.fullmatch(value):
        return "date"
    if _DATETIME.fullmatch(value):
        return "datetime"
    if _TIME.fullmatch(value):
        return "time"
    if _decimal(value) is not None:
        return "number"
    return "weekday" if len(value) < 10 and figures(value).weekdays else "text"


def _decimal(value: Any) -> Decimal | None:
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _mentions(value: Json, text: str, said: Figures) -> bool:
    """Whether a text tells a value, however it is written there."""
    if isinstance(value, (list, tuple)):
        return any(_mentions(one, text, said) for one in value)
    match kind_of(value):
        case "none":
            return False
        case "number":
            return _counts(value, said)
        case "date" | "datetime":
            month, day = int(str(value)[5:7]), int(str(value)[8:10])
            return any(pair in ((month, day), (None, day)) for one in said.days for pair in one.pairs)
        case "time":
            minutes = _minutes(str(value))
            return any(minutes in one.minutes for one in said.times)
        case "weekday":
            days = {one.day for one in figures(str(value)).weekdays}
            return any(one.day in days for one in said.weekdays)
        case _:
            return find(str(value), fold(text)) is not None


def _counts(value: Json, said: Figures) -> bool:
    """Whether a text tells a number, of money one in its currency or in none."""
    money = isinstance(value, Mapping)
    number = _decimal(value["value"] if isinstance(value, Mapping) else value)
    return any(
        number in quantity.values
        and (not money or not quantity.units or any(unit.kind == value["currency"] for unit in quantity.units))
        for quantity in said.quantities
    )


def _minutes(value: str) -> int:
    return int(value[:2]) * 60 + int(value[3:5])


def _words(path: str) -> list[str]:
    """The words of a slot's path, the domain's first."""
    return [word for word in re.split(r"[._\s-]+", fold(path).text) if len(word) > 2 or any(map(unspaced, word))]


def _is_named(path: str, folded: str) -> bool:
    """Whether a text speaks of the slot by a word of its path."""
    spaced = re.search(f"[{HAN}]", folded) is None
    for word in _words(path):
        if spaced and re.search(rf"\b{re.escape(word.removesuffix('s'))}(?:s|es)?\b", folded):
            return True
        if not spaced and (word in folded or (word in _LABELS and re.search(_LABELS[word], folded))):
            return True
    return False


def _beside_label(path: str, held: Json, text: str) -> str | None:
    """A value of the slot's kind that stands right behind its name."""
    folded, said = fold(text).text, figures(text)
    words = _words(path.rpartition(".")[2])
    label = "|".join(
        part
        for word in words
        for part in (
            (rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)),
            *(_LABELS.get(word, "").split("|")),
        )
        if part
    )
    kind = kind_of(held)
    if not label or kind == "none":
        return None
    source = folded if kind == "text" else said.text
    for match in re.finditer(label, source):
        if told := _behind(kind, match.end(), source, said, text):
            return told
    return None


def _behind(kind: ValueKind, end: int, source: str, said: Figures, text: str) -> str | None:
    if kind == "text":
        match = re.compile(r" ?(?:is|:|=|will be|being|是|为) ?([^\s,.;:!?。，；、()]{2,24})").match(source, end)
        if not match or not _is_proper(match[1], text):
            return None
        return match[1]
    found: list[tuple[int, str]] = []
    if kind == "number":
        found = [(one.at, one.written) for one in said.quantities]
    elif kind == "time":
        found = [(one.at, one.written) for one in said.times]
    elif kind == "weekday":
        return None
    else:
        found = [(one.at, one.written) for one in said.days]
    for at, written in found:
        between = source[end:at]
        if 0 <= at - end <= _NEAR and re.fullmatch(_BETWEEN, between):
            return written
    return None


_BETWEEN: Final = (
    r"[ :=]*(?:(?:is|are|was|of|at|on|for|to|be|will|set|now|most|the|about|around|up|exactly|maximum|max|a|date|time|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|[$€£¥])[ :=,]*){0,4}|"
    r"(?:是|为|定在|定为|在|:|：|周[一二三四五六日]|上午|下午|晚上|早上|中午|最多|上限|不超过|约|大约|大概| ){0,4}"
)


def _is_proper(word: str, text: str) -> bool:
    """Whether a word is written as a name is."""
    at = fold(text).text.find(word)
    return any(map(unspaced, word)) or (0 <= at < len(text) and text[at : at + 1].isupper())

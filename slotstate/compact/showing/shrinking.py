"""JSON values in fewer characters: what comes out is JSON again, never half a value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, takewhile
from typing import Final

from slotstate.compact.showing.cuts import clean, is_opaque
from slotstate.slots import Json

_MORE: Final = "…"
"""The key, or the start of the last item, that says what is not shown."""
_TELLING: Final = re.compile(
    r"error|exception|fail|status|state$|code$|message|reason|warning|success|^ok$|^err$|错误|失败|状态|原因|消息|异常",
    re.IGNORECASE,
)
_NAMING: Final = re.compile(r"^(?:id|uuid|key|name|title|type|ref|url|path)$|(?:_id|Id|ID|_no|编号|名称|名字)$")
_ITEMS: Final = re.compile(r"… (\d{1,3}(?:,\d{3}){0,3}) more items?")
_KEYS: Final = re.compile(r"(\d{1,3}(?:,\d{3}){0,3}) more keys?")
_KEYS_READ: Final = 5_000
"""Keys of an object among which those are chosen that are shown."""
_KEY_SHOWN: Final = 32
_SHORT: Final = 80
"""A text up to here is rather an entry than a text."""
_COUNT: Final = 40
"""Characters of a count of what is missing, with its quotes and separators."""
_NAMES: Final = 160
"""Characters of the names of keys that are missing."""
_PIECE: Final = 12
"""A shorter piece of a text says nothing."""

View = Callable[[int], str]
"""A text in at most so many characters."""


class Shrinker:
    """Writes values in a room. `view` reads a text once and gives what shortens it. `again`: the value was shrunk
    before, and what it says is missing counts as what it stands for.
    """

    def __init__(self, view: Callable[[str], View], *, again: bool = False) -> None:
        self._view = view
        self._again = again

    def noted(self, value: Json, room: int, note: str) -> str:
        """The value in at most `room` characters, with the note in it, which the room has to hold."""
        if isinstance(value, dict):
            return self._object(value, room, note) or _written({_MORE: note})
        if isinstance(value, list):
            return self._array(value, room, note) or _written([note])
        text = clean(value).removesuffix("\n" + note)
        return self._text(text, room, "\n" + note) or _written(note)

    def __call__(self, value: Json, room: int) -> str | None:
        """The value in at most `room` characters, None where it does not fit."""
        whole = written(value, room)
        if whole is not None or room < _PIECE:
            return whole
        if isinstance(value, dict):
            return self._object(value, room)
        if isinstance(value, list):
            return self._array(value, room)
        return self._text(clean(value), room) if isinstance(value, str) else None

    def _text(self, text: str, room: int, note: str = "") -> str | None:
        """A text, shortened until it fits as JSON writes it, and the note."""
        view = self._view(text)
        left = room = room - len(_written(note))
        while left >= _PIECE:
            short = view(left)
            size = len(_written(short))
            if size - 2 <= room:
                return _written(short + note)
            left = min(left - 1 - left // 32, left * room // size)
        return None

    def _array(self, value: Sequence[Json], room: int, note: str = "") -> str | None:
        """The first items, and how many more there are."""
        items, missing = self._items(value, top=bool(note))
        left = room - 2 - _COUNT - (len(_written(note)) if note else 0)
        floor = max(120, room // 4)
        needed = 0
        count = 0
        for item in items:
            needed += min(measure(item, floor), floor) + 1
            if needed > left and count:
                break
            count += 1
        shown = self._shared([(item, 1) for item in items[:count]], left - count)
        parts = list(takewhile(bool, shown))
        missing += len(items) - len(parts)
        more = f"{_MORE} {missing:,} more {'items' if missing > 1 else 'item'}" if missing else ""
        last = "; ".join(filter(None, (more, note)))
        result = f"[{','.join([*filter(None, parts), *([_written(last)] if last else [])])}]"
        return result if len(result) <= room else None

    def _items(self, value: Sequence[Json], *, top: bool) -> tuple[Sequence[Json], int]:
        """The items, and how many more a last one says there are."""
        last = value[-1] if value and self._again else None
        said = _ITEMS.match(last) if isinstance(last, str) else None
        if last is None or not (top or (said and said[0] == last)):
            return value, 0
        return value[:-1], _number(said)

    def _object(self, value: dict[str, Json], room: int, note: str = "") -> str | None:
        """The keys that tell most, in their order, and which others there are."""
        said = self._said(value)
        total = len(value) - (said is not None)
        entries = list(islice(value.items(), min(total, _KEYS_READ)))
        more_key = next(reversed(value)) if said is not None else spare_key(value)
        left = room - 2 - (len(_written(note)) + len(more_key) if note else 0)
        keys, left = _chosen(entries, left - _COUNT, complete=len(entries) == total)
        values = self._shared([(value[key], 3 if _TELLING.search(key) else 1) for key in keys], left)
        written_of = {key: text for key, text in zip(keys, values, strict=True) if text is not None}
        parts = [f"{_written(key)}:{written_of[key]}" for key, _ in entries if key in written_of]
        names = (key for key, _ in entries if key not in written_of)
        missing = total - len(parts) + (said or 0)
        used = sum(len(part) + 1 for part in parts) + len(more_key) + len(note) + 12
        more = _more_keys(missing, names, room - used) if missing else ""
        last = "; ".join(filter(None, (more, note)))
        result = f"{{{','.join([*parts, *([f'{_written(more_key)}:{_written(last)}'] if last else [])])}}}"
        return result if len(result) <= room else None

    def _said(self, value: dict[str, Json]) -> int | None:
        """How many more keys a last one says there are, None where it says nothing of the kind."""
        key = next(reversed(value), "") if self._again else ""
        if not key or key.strip(_MORE) or not isinstance(value[key], str):
            return None
        return _number(_KEYS.match(value[key]))

    def _shared(self, values: Sequence[tuple[Json, int]], room: int) -> list[str | None]:
        """Each value in its share of the room by its weight; what small ones leave goes to the larger ones."""
        cap = max(_SHORT, 4 * room // max(len(values), 1))
        order = sorted(range(len(values)), key=lambda at: _cost(values[at][0], cap))
        weights = sum(weight for _, weight in values)
        texts: list[str | None] = [None] * len(values)
        for at in order:
            value, weight = values[at]
            texts[at] = text = self(value, room * weight // weights)
            room -= len(text or "")
            weights -= weight
        return texts


def _chosen(entries: Sequence[tuple[str, Json]], room: int, *, complete: bool) -> tuple[list[str], int]:
    """The keys that fit, most telling first, and the room that is left for their values."""
    floor = max(32, min(120, room // 8))
    ranked = sorted(entries, key=lambda entry: _rank(*entry))
    needs = [(key, len(_written(key)) + 2, min(measure(value, floor), floor)) for key, value in ranked]
    if sum(own + least for _, own, least in needs) > room or not complete:
        room -= min(_NAMES, room // 5)
    keys: list[str] = []
    needed = taken = 0
    for key, own, least in needs:
        if needed + own + least <= room:
            needed += own + least
            taken += own
            keys.append(key)
    return keys, room - taken


def _rank(key: str, value: Json) -> int:
    """How early a key is chosen: what says how it went, what it is called, figures, short texts, the rest."""
    if _TELLING.search(key):
        return 0
    if _NAMING.search(key):
        return 1
    if not isinstance(value, str | list | dict):
        return 2
    return 3 if isinstance(value, str) and len(value) <= _SHORT else 4


def _more_keys(count: int, names: Iterable[str], room: int) -> str:
    """How many keys are missing, and the names of the first as far as there is room."""
    said = f"{count:,} more {'keys' if count > 1 else 'key'}"
    room = min(room, _NAMES)
    for at, name in enumerate(names):
        added = f"{', ' if at else ': '}{clean(name[:_KEY_SHOWN])}{'…' * (len(name) > _KEY_SHOWN)}"
        if len(_written(said + added)) > room:
            break
        said += added
    return said


def spare_key(value: dict[str, Json]) -> str:
    """A key that the object does not have."""
    key = _MORE
    while key in value:
        key += _MORE
    return key


def _cost(value: Json, most: int) -> int:
    """What the value can make use of, up to `most` characters; of encoded data hardly anything is shown."""
    return 0 if isinstance(value, str) and is_opaque(value) else min(measure(value, most), most)


def _number(said: re.Match[str] | None) -> int:
    return int(said[1].replace(",", "")) if said else 0


def measure(value: Json, most: int) -> int:
    """About how many characters the value takes, never more than it does; counting ends above `most`."""
    total = 0
    left = [value]
    while left and total <= most:
        one = left.pop()
        if isinstance(one, str):
            total += len(one) + 2
        elif isinstance(one, list):
            total += 1 + max(1, len(one))
            left += one[: most + 1]
        elif isinstance(one, dict):
            total += 1 + max(1, len(one))
            for key, part in islice(one.items(), most + 1):
                total += len(key) + 3
                left.append(part)
        else:
            total += len(_scalar(one))
    return total


def written(value: Json, room: int) -> str | None:
    """The whole value as JSON, None when it takes more than `room` characters."""
    if measure(value, room) > room:
        return None
    text = _written(value)
    return text if len(text) <= room else None


def _written(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ",".join([f"{_written(key)}:{_written(part)}" for key, part in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_written(part) for part in value]) + "]"
    return json.dumps(clean(value), ensure_ascii=False) if isinstance(value, str) else _scalar(value)


def _scalar(value: Json) -> str:
    """A number as it is written, true, false or null."""
    return value.decode() if isinstance(value, bytes) else json.dumps(value)

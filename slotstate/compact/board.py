"""The entries of a summary in the making: what says the same, what takes another back, what there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from slotstate.compact.cues import STRONG, moved, negations, small
from slotstate.compact.held import Values
from slotstate.compact.items import Add, Drop, Patch
from slotstate.compact.phrases import MARK, content, words
from slotstate.compact.picking import Picked, Sentence, weighed, weight
from slotstate.events import Item, ItemKind, Lost
from slotstate.parsing import same_text

_REVIEWED: Final = 10
"""Samples of what was left out."""
_EACH_TOOL: Final = 5
"""Results of one tool that stay: newer ones tell more."""
_SAMPLE: Final = 200
"""Characters of a sample."""
_SMALL: Final[frozenset[ItemKind]] = frozenset({"failed", "fact", "tool"})
"""Kinds that may take half of the room together."""
_FACTS: Final[frozenset[ItemKind]] = frozenset({"fact"})
"""What may take a quarter of it."""
_CROWDED: Final = 4
"""Times the room there is: when so many entries are at hand, the lightest go early."""
_SAME: Final = 0.8
"""Share of the content of two entries that they have in common when they say the same."""
_MEANT: Final = 2 / 3
"""Share of the words of what is taken back that an entry must hold to be it."""

_Wanted = Callable[["_Entry"], bool]


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item of the summary, or what may become one."""

    weight: float
    content: frozenset[str]
    figures: frozenset[str]
    negated: bool
    of: Item | Picked

    @property
    def size(self) -> int:
        return len(self.of.text) + len(self.of.quote or "")


class Board:
    """What a summary holds, by age, and what was taken off it."""

    __slots__ = ("_by_text", "_by_word", "_drops", "_entries", "_lost", "_made", "_most")

    def __init__(self, items: Sequence[Item], values: Values, most: int) -> None:
        """The items of the last summary, without those whose slot has gone on."""
        self._most = most
        self._made = 0
        self._entries: dict[int, _Entry] = {}
        self._by_text: dict[tuple[str, str | None], int] = {}
        self._by_word: dict[str, set[int]] = {}
        self._drops: dict[int, str] = {}
        self._lost: list[tuple[float, int, Lost]] = []
        for item in items:
            key = self._enter(
                item, words(item.text if item.quote is None else f"{item.text}\n{item.quote}"), weight(item)
            )
            said = words(item.text)
            if (
                item.path is not None
                and values.contradicted(said, item.path)
                and not values.goes_beyond(said, item.kind, item.path)
            ):
                self._drop(key, values.reason(item.path))

    def put(self, new: Picked) -> None:
        """One more entry, unless it says nothing new; an older one that says the opposite goes."""
        heavy = weighed(new.kind, new.text, new.said)
        if new.strength < STRONG:
            self._miss(new, f"hardly a sign of {_NAMES[new.kind]}", heavy - 2)
            return
        if new.outdated is not None:
            self._miss(new, new.outdated, heavy)
            return
        if (new.text, new.quote) in self._by_text:
            return
        key = self._enter(new, new.said, heavy)
        for other in self._sharing(key):
            if self._says(other, key):
                self._remove(key)
                return
            if self._opposes(other, key) or same_text(self._entries[other].of.text, new.text):
                self._drop(other, f"said otherwise later: {_short(new.text)}")
        if new.kind == "tool":
            self._outrun(new.text.partition(": ")[0])
        if len(self._entries) > _CROWDED * (self._most + 1):
            self._shed(2 * self._most, None)

    def revise(self, one: Sentence) -> None:
        """Take off what the sentence takes back, says to count otherwise now, or says to be done."""

        def otherwise(entry: _Entry) -> bool:
            positive = negations().isdisjoint(one.said)
            return entry.negated == positive or (positive and entry.of.kind in {"refusal", "constraint"})

        for match in moved(one.said, "back"):
            self._take_back(
                one, match.start, match.end, lambda entry: entry.of.kind not in {"refusal", "tool", "failed"}
            )
        for match in moved(one.said, "again"):
            self._take_back(one, match.start, match.end, otherwise)
        for match in moved(one.said, "done"):
            self._take_back(one, match.start, match.end, lambda entry: entry.of.kind == "open")

    def result(self, chars: int) -> tuple[Patch, tuple[Lost, ...]]:
        """The patch once all has been put, and the samples that are most worth a look, in the order of their loss."""
        self._shed(self._most, chars)
        adds = (_added(entry.of) for entry in self._entries.values() if isinstance(entry.of, Picked))
        drops = (Drop(ident, reason) for ident, reason in self._drops.items())
        best = sorted(self._lost, key=lambda one: (-one[0], one[1]))[:_REVIEWED]
        return Patch(add=tuple(adds), drop=tuple(drops)), tuple(
            lost for _, _, lost in sorted(best, key=lambda one: one[1])
        )

    def _enter(self, of: Item | Picked, said: Sequence[str], heavy: float) -> int:
        self._made += 1
        figures = frozenset(word for word in said if word[0].isdigit())
        entry = _Entry(heavy, content(said, small()), figures, not negations().isdisjoint(said), of)
        self._entries[self._made] = entry
        self._by_text[of.text, of.quote] = self._made
        for word in entry.content:
            self._by_word.setdefault(word, set()).add(self._made)
        return self._made

    def _sharing(self, key: int) -> list[int]:
        """Older entries with half of the content of this one, or half of whose content it has."""
        entry = self._entries[key]
        shared = Counter(other for word in entry.content for other in self._by_word[word])
        return [
            other
            for other, many in sorted(shared.items())
            if other != key and 2 * many >= min(len(entry.content), len(self._entries[other].content))
        ]

    def _says(self, other: int, key: int) -> bool:
        """Whether the older entry says all that the new one says."""
        old, new = self._entries[other], self._entries[key]
        if old.negated != new.negated or old.figures != new.figures or new.of.kind == "tool":
            return False
        common = len(old.content & new.content)
        return common == len(new.content) or common >= _SAME * len(old.content | new.content)

    def _opposes(self, other: int, key: int) -> bool:
        """Whether the user says the opposite of what the older entry says, in much the same words."""
        old, new = self._entries[other], self._entries[key]
        if old.negated == new.negated or not {old.of.kind, new.of.kind} <= _SPOKEN:
            return False
        common = len(old.content & new.content)
        return common >= 2 and common >= _SAME * min(len(old.content), len(new.content))

    def _take_back(self, one: Sentence, start: int, end: int, wanted: _Wanted) -> None:
        """Take off the entry that the clause around the words [start, end) of the sentence means, if it means one."""
        if one.hostile:
            return
        for topic in _topics(one.said, start, end):
            shared = Counter(key for word in topic for key in self._by_word.get(word, ()))
            fits = [
                (many / len(topic | self._entries[key].content), key)
                for key, many in shared.items()
                if many >= _MEANT * len(topic) and wanted(self._entries[key])
            ]
            if fits:
                self._drop(max(fits)[1], f"taken back later: {_short(one.piece.text)}")
            if topic:
                return

    def _shed(self, most: int, chars: int | None) -> None:
        """Make room: the small kinds have a share of it, and of all the lightest go first, of these the oldest."""
        lightest = sorted(self._entries, key=lambda key: (self._entries[key].weight, key))
        for share, kinds in ((most // 4, _FACTS), (most // 2, _SMALL)):
            little = [key for key in lightest if key in self._entries and self._entries[key].of.kind in kinds]
            for key in little[: max(0, len(little) - share)]:
                self._drop(key, "no room: other facts and results are newer or matter more")
        over = sum(entry.size for entry in self._entries.values()) - chars if chars is not None else 0
        for key in (key for key in lightest if key in self._entries):
            if len(self._entries) <= most and over <= 0:
                return
            over -= self._entries[key].size
            self._drop(key, "no room: the others are newer or matter more")

    def _outrun(self, tool: str) -> None:
        """Keep the newest results of a tool only."""
        same = [
            key for key, entry in self._entries.items() if entry.of.kind == "tool" and entry.of.text.startswith(tool)
        ]
        for key in same[:-_EACH_TOOL]:
            self._drop(key, f"{_EACH_TOOL} newer results of {tool}")

    def _drop(self, key: int, reason: str) -> None:
        entry = self._remove(key)
        if isinstance(entry.of, Item):
            self._drops[entry.of.ident] = reason
        else:
            self._lose(entry.of.text, reason, entry.weight)

    def _miss(self, new: Picked, reason: str, heavy: float) -> None:
        self._lose(new.text, reason, heavy)

    def _lose(self, text: str, reason: str, heavy: float) -> None:
        self._lost.append((heavy, len(self._lost), Lost(text=text[:_SAMPLE], reason=reason)))

    def _remove(self, key: int) -> _Entry:
        entry = self._entries.pop(key)
        self._by_text.pop((entry.of.text, entry.of.quote), None)
        for word in entry.content:
            self._by_word[word].discard(key)
        return entry


_SPOKEN: Final[frozenset[ItemKind]] = frozenset({"constraint", "preference", "decision", "refusal", "open"})
"""Kinds that are the user's will."""
_NAMES: Final[dict[ItemKind, str]] = {
    "constraint": "a constraint",
    "preference": "a preference",
    "decision": "a decision",
    "refusal": "a refusal",
    "open": "something open",
    "failed": "a failure",
    "fact": "a fact",
    "tool": "a result",
    "quote": "a quote",
}


def _topics(said: Sequence[str], start: int, end: int) -> Iterator[frozenset[str]]:
    """The content of the clause that the words [start, end) stand in, then of the clause before it."""
    first, last = start, end
    while first and said[first - 1] != MARK:
        first -= 1
    while last < len(said) and said[last] != MARK:
        last += 1
    yield content(said[first:last], small())
    earlier = max(0, first - 1)
    while earlier and said[earlier - 1] != MARK:
        earlier -= 1
    yield content(said[earlier:first], small())


def _added(of: Picked) -> Add:
    return Add(of.kind, of.text, of.sources, of.quote, of.path)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"

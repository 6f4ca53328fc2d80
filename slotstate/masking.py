"""What of a conversation may be shown: the values of sensitive slots are masked wherever they stand, and so is what the
patterns match that the application declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from datetime import datetime
from typing import Final, cast, get_args

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.errors import UnknownPath
from slotstate.events import AssistantTurn, Decided, Filled, Offer, Offered, Overwritten, Pended, Rejected, SlotEvent
from slotstate.evolution.shapes import fits
from slotstate.log import Entry
from slotstate.parsing import Folded, Span, find_all, fold, unescaped
from slotstate.patterns import places
from slotstate.slots import Json, SlotSpec
from slotstate.state import SlotState, State
from slotstate.values import Reading, find, same

_LONG: Final = 6
"""A secret of this many characters is masked inside longer words too; one of as many digits also in groups."""
_LONGEST: Final = 64
"""Characters of a number that is looked for in groups."""
_BETWEEN: Final = r"(?: ?[-_./·] ?|[ ,'])?"
"""What people put between the groups of a long number."""


_LEFT_OUT: Final = re.compile(r"\[… [^\]\n]{1,80}\]|…")
"""Where something was left out of a long text."""
_EDGE: Final = 200
"""Characters beside it that are looked at."""
_PART: Final = 4
"""Letters and digits of a secret that tell something of it."""


_DECISIONS: Final[frozenset[type]] = frozenset(get_args(SlotEvent))
_TELLING: Final = _DECISIONS | {AssistantTurn, Offered}
"""The events that can tell a secret; by their type, as a model's own test of what is one of it takes long."""


class Secrets:
    """What the sensitive slots of a log hold, held, were offered or refused, and the words that it came from. `masks`
    are patterns, known from the start, of what is secret wherever it stands.
    """

    def __init__(
        self,
        domains: Domains,
        entries: Iterable[Entry] = (),
        *,
        now: datetime,
        reveal: bool = False,
        masks: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self._masks = () if reveal else tuple(masks)
        self._domains = domains
        self._reading = Reading(now, negated=True)
        self._values: dict[str, list[tuple[Json, int]]] = {}
        self._words: dict[str, int] = {}
        self._groups: dict[str, re.Pattern[str]] = {}
        self._sensitive = {path: spec for path, spec in domains.specs.items() if spec.slot.sensitive and not reveal}
        self._reveal = reveal
        self._removed: set[str] = set()
        """Slots that no domain declares any more, of which the log says that they were sensitive."""
        self._at = -1
        self.newest = -1
        """The number of the log's entry that told the newest secret."""
        self.version = len(self._masks)
        """How many secrets are known, patterns among them."""
        self.learn(entries)

    def until(self, entry: int) -> Secrets:
        """The secrets that were known once entry number `entry` stood in the log."""
        older = copy(self)
        older._words = {word: at for word, at in self._words.items() if at <= entry}
        older._values = {path: [one for one in known if one[1] <= entry] for path, known in self._values.items()}
        older.version = len(older._masks) + len(older._words) + sum(map(len, older._values.values()))
        return older

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take in more of the log."""
        for entry in () if self._reveal else entries:
            if type(entry.event) in _TELLING or not entry.seq:
                self._learn_entry(entry)

    def _learn_entry(self, entry: Entry) -> None:
        event, self._at = entry.event, entry.seq
        if not entry.seq:  # in every process the same
            self._reading = Reading(entry.at.astimezone(self._reading.now.tzinfo), negated=True)
        if isinstance(event, AssistantTurn):
            self._learn_offers(event.offers)
        elif type(event) in _DECISIONS:
            self._learn_decided(cast(Decided, event))
        elif isinstance(event, Offered):
            self._learn_offers([event.offer])

    def _learn_decided(self, event: Decided) -> None:
        if event.aside is not None and event.aside.removed:
            if event.sensitive:
                self._removed.add(event.path)
                self._learn_decision(event, None)
        elif self.hides(event.path):
            self._learn_decision(event, self._domains.resolve(event.path)[0].path)

    def hides(self, path: str) -> bool:
        """Whether the slot that `path` names, or goes into, is sensitive."""
        if not self._sensitive and not self._removed:
            return False
        try:
            return self._domains.resolve(path)[0].path in self._sensitive
        except UnknownPath:
            return path in self._removed

    def spans(self, text: str) -> list[Span]:
        """Where secrets stand in `text`, also as JSON writes them, sorted, none inside or across another."""
        if not (self._words or self._masks) or not text:
            return []
        found = list(self._found(text))
        if "…" in text:
            found += self._cut(text)
        for read in unescaped(text):
            found += (read.span(*span) for span in self._found(read.text))
        return _merged(found)

    def _found(self, text: str) -> Iterator[Span]:
        folded = fold(text)
        if self._masks:
            yield from places(self._masks, text)
            if folded.text != text:  # what stands in full width, or with invisible characters between
                yield from (folded.span(*span) for span in places(self._masks, folded.text))
        for word in self._words:
            yield from _places(word, folded)
            if (groups := self._groups.get(word)) is not None:
                yield from (folded.span(*match.span()) for match in groups.finditer(folded.text))
        for path, values in self._values.items():
            yield from self._written(self._sensitive[path], [value for value, _ in values], text)

    def _cut(self, text: str) -> Iterator[Span]:
        """What is left of a secret at the marks of what was left out, where it was cut before it was known."""
        letters = [one for word in self._words if len(one := [char for char, _ in _letters(word)]) >= _LONG]
        for mark in _LEFT_OUT.finditer(text) if letters else ():
            start = max(0, mark.start() - _EDGE)
            before, after = _letters(text[start : mark.start()]), _letters(text[mark.end() : mark.end() + _EDGE])
            for word in letters:
                if size := _overlap(word, [char for char, _ in before]):
                    yield start + before[-size][1], start + before[-1][1] + 1
                if size := _overlap(word[::-1], [char for char, _ in after][::-1]):
                    yield mark.end() + after[0][1], mark.end() + after[size - 1][1] + 1

    def mask(self, text: str) -> str:
        """`text` with its secrets replaced."""
        if not (self._words or self._masks):
            return text
        for start, end in reversed(self.spans(text)):
            text = text[:start] + MASK + text[end:]
        return text

    def mask_written(self, text: str) -> str:
        """`text` with the secrets replaced that stand in it as they are written, if they are of some length: fast, for
        texts of many megabytes before they are cut. What a cut leaves of a secret could not be told any more.
        """
        found = list(places(self._masks, text))
        for word in self._words:
            at = text.find(word) if len(word) >= _LONG else -1
            while at >= 0:
                found.append((at, at + len(word)))
                at = text.find(word, at + len(word))
        kept: list[str] = []
        last = 0
        for start, end in _merged(found):
            kept += text[last:start], MASK
            last = end
        return "".join((*kept, text[last:])) if kept else text

    def learn_value(self, path: str, value: Json) -> None:
        """Take in a value of which it is known that a slot holds it, should hold it or was offered it. `path` may go
        into the slot. What no slot can hold is masked where it stands as it is written.
        """
        if self.hides(path):
            spec, part = self._domains.resolve(path)
            self._learn_values(None if part is not None else spec.path, [value])

    def learn_state(self, state: State) -> None:
        """Take in what the slots of a state hold, held, wait for or were offered; where in the log is not known."""
        for path in self._sensitive:
            slot = state.slot(path)
            self._learn_slot(path, slot)
            self._learn_offers(slot.offers)
        for path in () if self._reveal else state.secret:
            self._learn_slot(None, state.removed[path])

    def _learn_slot(self, path: str | None, slot: SlotState) -> None:
        pending = slot.pending.values if slot.pending is not None else ()
        helds = (*slot.history, slot.held)
        helds += tuple(held.aside.held for held in helds if held.aside is not None)
        self._learn_values(path, [*(held.value for held in helds), *pending])
        self._learn_words(held.raw for held in helds if held.raw and held.source != "offer")

    def _learn_decision(self, event: Decided, path: str | None) -> None:
        values = [event.value, event.old]
        if isinstance(event, Pended):
            values += event.values
        if event.aside is not None:
            values.append(event.aside.value)
        self._learn_values(path, values)
        raw = event.raw if isinstance(event, Filled | Overwritten) and event.source != "offer" else None
        refused = event.quote if isinstance(event, Rejected) and event.reason == "invalid_value" else None
        self._learn_words(word for word in (raw, refused) if word and not event.dontcare)

    def _learn_offers(self, offers: Sequence[Offer]) -> None:
        for offer in offers:
            if offer.path in self._sensitive:
                self._learn_values(offer.path, [offer.value])
            elif offer.sensitive and not offer.fits:
                self._learn_values(None, [offer.value])

    def _learn_values(self, path: str | None, values: Iterable[Json]) -> None:
        """Take in values of a slot; of one that is removed (None), or that the slot cannot hold, only the words."""
        known = [] if path is None else self._values.setdefault(path, [])
        for value in values:
            if value is None or value == "dontcare":
                continue
            if path is None or not fits(self._sensitive[path], value, self._reading):
                self._learn_words(_texts(value))
            elif not any(value == one for one, _ in known):
                known.append((value, self._at))
                self.version, self.newest = self.version + 1, self._at
                self._learn_words(_texts(value))

    def _learn_words(self, words: Iterable[str]) -> None:
        for word in words:
            if word.strip() and word not in self._words:
                self._words[word] = self.newest = self._at
                self.version += 1
                if (groups := _grouped(word)) is not None:
                    self._groups[word] = groups

    def _written(self, spec: SlotSpec, values: Sequence[Json], text: str) -> Iterator[Span]:
        """Where the values stand in another spelling, such as a phone number with spaces."""
        if spec.kind in {"list", "composite", "map", "boolean", "text"}:
            return
        for found in find(spec, text, self._reading):
            if any(same(spec, one, value) for one in found.values for value in values):
                yield found.span


def telling(domains: Domains, now: datetime) -> Callable[[Entry], bool]:
    """What says of each entry of a log, in order, whether it tells a secret that none before told. The first one counts
    too, where secrets may be dates: its time is that in which they are read.
    """
    secrets = Secrets(domains, now=now)

    dated = any(spec.slot.sensitive for spec in domains.specs.values())

    def tells(entry: Entry) -> bool:
        known = secrets.version
        secrets.learn((entry,))
        return (dated and not entry.seq) or secrets.version != known

    return tells


def _places(word: str, folded: Folded) -> Iterator[Span]:
    yield from find_all(word, folded)
    if len(word) >= _LONG:
        at = folded.original.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = folded.original.find(word, at + len(word))


def _grouped(word: str) -> re.Pattern[str] | None:
    """A pattern, for folded text, of a number that may be written in groups or as a decimal; None for other words."""
    folded = fold(word).text.strip()
    bare = re.sub(r"[-_./·,' ]", "", folded)
    if not bare.isalnum() or not bare.isascii() or len(bare) > _LONGEST:
        return None
    if sum(map(str.isdigit, bare)) >= _LONG:
        return re.compile(rf"(?<!\d){_BETWEEN.join(bare)}(?:\.0+)?(?!\d)")
    return re.compile(rf"(?<![\w.,]){folded}\.0+(?!\w)") if folded.isdigit() else None


def _letters(text: str) -> list[tuple[str, int]]:
    """Letters and digits, whatever their case, with their places."""
    return [(char.casefold(), at) for at, char in enumerate(text) if char.isalnum()]


def _overlap(word: Sequence[str], side: Sequence[str]) -> int:
    """How many of a secret's first letters end a text."""
    most = min(len(word) - 1, len(side))
    return next((size for size in range(most, _PART - 1, -1) if side[-size:] == word[:size]), 0)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _texts(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for part in cast(dict[str, Json], value).values():
                yield from _texts(part)
        case list():
            for part in cast(Sequence[Json], value):
                yield from _texts(part)
        case None | bool():
            return
        case _:
            yield str(value)

"""What the slots must hold, worked out a second time: plain records, written from the promises and the decision table.

It shares no code with `decide` and the reducer. It is told how well each change is supported, and predicts the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from slotstate.domains import Domains
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.testing.told import Heard, Kept, Told, Track, UserSays

RULES: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("set", "said"): ("put", "put", "put"),
    ("set", "accepted"): ("put", "put", "put"),
    ("set", "older"): ("put", "conflict", "conflict"),
    ("set", "meant"): ("put", "put", "conflict"),
    ("clear", "said"): ("", "drop", "drop"),
    ("clear", "meant"): ("", "drop", "conflict"),
    ("exclude", "said"): ("", "drop", "drop"),
    ("exclude", "meant"): ("", "drop", "conflict"),
    ("undo", "said"): ("back", "back", "back"),
    ("undo", "meant"): ("back", "back", "conflict"),
}
"""What a change does to an empty, a filled and a confirmed slot; `exclude` here is of the very value that is held."""
STATUSES = ("empty", "filled", "confirmed")
OFFERS_KEPT = 8


Repeats = Callable[[SlotSpec, Json, str], bool]
Fits = Callable[[SlotSpec, Json], Json | None]


class Oracle:
    """The expected state of a conversation.

    `repeats` tells whether a text may be read as a value, `fits` brings a value into a slot's form, or gives None where
    the slot refuses it.
    """

    def __init__(self, domains: Domains, repeats: Repeats, fits: Fits) -> None:
        self.domains = domains
        self.tracks = {path: Track() for path in domains.specs}
        self.heard: Heard | None = None
        self.turns = 0
        self.step = 0
        self.spoke = -1
        self._repeats, self._fits = repeats, fits

    # Messages

    def assistant(self, text: str, asks: Sequence[str], offers: Sequence[tuple[str, Json]]) -> None:
        """Assistant messages in a row are one turn."""
        turn, self.turns = self.turns, self.turns + 1
        before = self.heard if self.heard is not None and self.heard.turn > self.spoke else Heard(turn)
        joined = "\n".join(part for part in (before.text, text) if part)
        asked = tuple(dict.fromkeys((*before.asks, *asks)))
        self.heard = Heard(turn, joined, asked, (*before.offers, *((path, value, turn) for path, value in offers)))
        for path, value in offers:
            self._offer(path, value, turn)

    def offered(self, heard: Heard, path: str) -> list[Json]:
        """The values that an assistant turn put forward for a slot, each once; none when they were closed since."""
        found: list[Json] = []
        made = [(value, turn) for where, value, turn in heard.offers if where == path]
        for value, _ in made if any(one in self.tracks[path].offers for one in made) else ():
            if value not in found:
                found.append(value)
        return found

    def message(self) -> int:
        """A user message comes in; its number."""
        self.spoke, self.turns = self.turns, self.turns + 1
        return self.spoke

    def user(self, says: UserSays) -> None:
        """A user turn was read."""
        self.step += 1
        self._age(says)
        if says.fresh and not says.objects:
            self._go_on(says)
        for told in (*says.told, *self._unsaid(says)):
            self._judge(told, says)
        for path in says.rivals:
            track = self.tracks[path]
            if says.turn >= track.changed:
                self._ask(track, "ambiguous")

    # The application

    def set(self, path: str, value: Any, confirmed: bool, at: datetime) -> None:
        """The application's word needs no evidence."""
        self.step += 1
        track = self.tracks[path]
        if track.held and track.kept.value == value:
            if confirmed and track.kept.status == "filled":
                self._keep(track, replace(track.kept, status="confirmed"), self._after(), at)
            else:
                track.pending, track.offers, track.since = None, [], at
            return
        self._put(path, value, self._after(), at, "confirmed" if confirmed else "filled")

    def clear(self, path: str, part: str | None, at: datetime) -> None:
        """Empty a slot, or a part of one."""
        self.step += 1
        track = self.tracks[path]
        rest = _without(track.kept.value, part)
        if not track.held or (
            part is not None and (not isinstance(track.kept.value, dict) or part not in track.kept.value)
        ):
            return
        if part is not None and rest:
            self._put(path, rest, self._after(), at, track.kept.status)
        else:
            self._keep(track, Kept(excluded=track.kept.excluded), self._after(), at)

    def confirm(self, path: str, at: datetime) -> None:
        """Confirm what a slot holds."""
        self.step += 1
        track = self.tracks[path]
        if track.kept.status == "filled":
            self._keep(track, replace(track.kept, status="confirmed"), self._after(), at)

    def undo(self, path: str | None, at: datetime) -> bool:
        """Take back a slot's last change, or the last step; whether there was one."""
        self.step += 1
        tracks = [self.tracks[path]] if path is not None else list(self.tracks.values())
        tracks = [track for track in tracks if track.past or track.asked_since]
        if path is None:
            last = max((track.last for track in tracks), default=0)
            tracks = [track for track in tracks if track.last == last]
        for track in tracks:
            self._back(track, self._after(), at)
        return bool(tracks)

    def reset(self, domain: str, moment: float | None = None) -> None:
        """A task ends: its slots start clean."""
        self.step += 1
        for track in self._of(domain):
            if track.kept != Kept(step=track.kept.step):
                self._remember(track)
                track.kept = Kept(step=self.step)
            track.offers, track.pending, track.since = [], None, None
            track.changed = max(track.changed, self._after() if moment is None else moment)

    # What a turn does by itself

    def _age(self, says: UserSays) -> None:
        for path, spec in self.domains.specs.items():
            track = self.tracks[path]
            if spec.slot.ttl is None or not track.held or track.pending or track.since is None:
                continue
            if says.at - track.since > spec.slot.ttl:
                if track.kept.status == "confirmed":
                    track.aged = says.turn
                    changed, offers = track.changed, track.offers
                    self._keep(track, replace(track.kept, status="filled"), changed, says.at)
                    track.offers = offers
                track.pending = "stale"

    def _go_on(self, says: UserSays) -> None:
        """Implicit confirmation."""
        if says.heard is None:
            return
        for path, spec in self.domains.specs.items():
            track = self.tracks[path]
            if spec.slot.confirm != "implicit" or track.kept.status != "filled" or track.kept.value is DONTCARE:
                continue
            if (
                track.pending
                or path in says.rivals
                or path in {told.path for told in says.told}
                or says.turn < track.changed
            ):
                continue
            if track.kept.turn < says.heard.turn and self._repeats(spec, track.kept.value, says.heard.text):
                self._keep(track, replace(track.kept, status="confirmed"), says.turn, says.at)

    def _unsaid(self, says: UserSays) -> Iterator[Told]:
        """What a bare yes or no means for slots of which no change was proposed."""
        spoken_of = {told.path for told in says.told}
        if says.plain is None or says.heard is None:
            return
        for path, spec in self.domains.specs.items():
            if path in spoken_of:
                continue
            offered, track = self.offered(says.heard, path), self.tracks[path]
            asked = says.fresh and path in says.heard.asks and track.held and track.kept.turn < says.heard.turn + 1
            if says.plain == "no":
                if offered or (asked and spec.kind != "boolean"):
                    yield Told("deny", path)
            elif len(offered) == 1:
                yield Told("set", path, offered[0], "accepted")
            elif asked and (spec.kind != "boolean" or track.kept.value is True):
                waiting = track.waiting if track.pending == "conflict" else ()
                if not waiting:
                    yield Told("confirm", path)
                elif spec.kind == "list" and not isinstance(waiting[0], list):  # an item: does it go or stay?
                    if self._repeats(spec.element, waiting[0], says.heard.text):
                        yield Told("add", path, [waiting[0]], "accepted")
                elif self._repeats(spec, waiting[0], says.heard.text):
                    yield Told("set", path, waiting[0], "accepted")

    # One change

    def _judge(self, told: Told, says: UserSays) -> None:
        if told.op == "start":
            self._start(told, says)
            return
        spec, track = self.domains.specs[told.path], self.tracks[told.path]
        refused = spec.slot.evidence == "tool" or (spec.slot.evidence == "user" and told.grade in {"accepted", "older"})
        if told.grade == "none" or refused or says.turn < track.changed:
            return
        match told.op:
            case "set" | "add" | "remove":
                self._set(told, says)
            case "clear":
                self._clear(told, says)
            case "exclude":
                self._exclude(told, says)
            case "undo" if track.asked_since:
                self._back(track, says.turn, says.at)
            case "undo" if track.past:
                self._rule(told, says, None)
            case "confirm" if track.kept.status == "filled" and self._shown(spec, track.kept, says.heard):
                self._keep(track, replace(track.kept, status="confirmed"), says.turn, says.at)
            case "deny":
                self._deny(track, says)
            case _:
                return

    def _set(self, told: Told, says: UserSays) -> None:
        track = self.tracks[told.path]
        value, ambiguous = self._combined(told)
        if value is None:
            return
        if value == []:
            self._rule(replace(told, op="clear"), says, None)
            return
        if track.held and track.kept.value == value:
            track.pending, track.offers, track.since = None, [], says.at
        elif not self._rule(replace(told, op="set"), says, value):
            return
        if ambiguous:
            self._ask(track, "ambiguous")

    def _combined(self, told: Told) -> tuple[Json | None, bool]:
        """The value that the slot would hold (None where the change is impossible), and whether it must be asked."""
        spec, held = self.domains.specs[told.path], self.tracks[told.path].kept.value
        if told.value is DONTCARE:
            return DONTCARE, False
        if spec.kind in {"composite", "map"}:
            return _merged(spec, held if isinstance(held, dict) else {}, told.value), False
        if spec.kind != "list":
            return told.value, False
        before: list[Json] = held if isinstance(held, list) else []
        more = [one for one in told.value if one not in before]
        if told.op == "remove":
            if any(one not in before for one in told.value):
                return None, False
            rest = [one for one in before if one not in told.value]
            return (rest if not rest or self._fits(spec, rest) is not None else None), False
        drops = told.op == "set" and not told.replaces and any(one not in told.value for one in before)
        whole = told.value if told.op == "set" and not drops else before + more
        return (whole if self._fits(spec, whole) is not None else None), drops

    def _rule(self, told: Told, says: UserSays, value: Json | None) -> bool:
        """Do what the table says; whether the value was put."""
        track = self.tracks[told.path]
        what = RULES[told.op, told.grade][STATUSES.index(_met(track, told, says))]
        if what == "put":
            self._put(told.path, value, says.turn, says.at)
            self._share(told.path, value, says.turn)
        elif what == "drop":
            gone = (told.value,) if told.op == "exclude" else ()
            self._keep(track, Kept(excluded=(*track.kept.excluded, *gone)), says.turn, says.at)
        elif what == "back":
            self._back(track, says.turn, says.at)
        elif what == "conflict":
            self._ask(track, "conflict", *(() if value is None else (value,)))
            track.asked = 0 if told.op == "undo" else track.asked  # "undo" answers it
        return what == "put"

    def _clear(self, told: Told, says: UserSays) -> None:
        track = self.tracks[told.path]
        value = track.kept.value
        if told.part is None or value == {told.part: _part(value, told.part)}:
            self._rule(told, says, None)
        elif isinstance(value, dict) and told.part in value:
            if RULES["clear", told.grade][STATUSES.index(_met(track, told, says))] == "conflict":
                self._ask(track, "conflict", _without(value, told.part))
            else:
                self._put(told.path, _without(value, told.part), says.turn, says.at)
                self._share(told.path, _without(value, told.part), says.turn)

    def _exclude(self, told: Told, says: UserSays) -> None:
        spec, track = self.domains.specs[told.path], self.tracks[told.path]
        items = track.kept.value if spec.kind == "list" and isinstance(track.kept.value, list) else []
        if spec.kind in {"composite", "map"}:
            return
        if track.kept.value == told.value and track.held:
            self._rule(told, says, told.value)
        elif told.value in items and _met(track, told, says) == "confirmed" and told.grade == "meant":
            self._ask(track, "conflict", told.value)
        elif told.value in items:
            rest = [one for one in items if one != told.value]
            excluded = (*track.kept.excluded, told.value)
            kept = replace(track.kept, status="filled", value=rest, turn=says.turn) if rest else Kept()
            self._keep(track, replace(kept, excluded=excluded), says.turn, says.at)
        elif told.value not in track.kept.excluded:
            pending, waiting, since = track.pending, track.waiting, track.since
            self._keep(track, replace(track.kept, excluded=(*track.kept.excluded, told.value)), says.turn, says.at)
            track.pending, track.waiting, track.since = pending, waiting, since

    def _start(self, told: Told, says: UserSays) -> None:
        """A fresh task; read late, it spares what has changed since."""
        if all(says.turn >= track.changed for track in self._of(told.path)):
            self.step -= 1
            self.reset(told.path, says.turn)
            return
        for spec in self.domains[told.path].slots.values():
            if self.tracks[spec.path].held:
                self._judge(replace(told, op="clear", path=spec.path), says)

    def _shown(self, spec: SlotSpec, kept: Kept, heard: Heard | None) -> bool:
        """Whether what the slot holds stands before the user."""
        if heard is None:
            return False
        if spec.path in heard.asks and kept.turn < heard.turn + 1:
            return True  # asked about what it held, not for a value
        return kept.value is not DONTCARE and self._repeats(spec, kept.value, heard.text)

    def _deny(self, track: Track, says: UserSays) -> None:
        if track.kept.status == "confirmed":
            self._keep(track, replace(track.kept, status="filled"), says.turn, says.at)
        track.offers = []
        if track.held:
            self._ask(track, "denied")

    # Bookkeeping

    def _put(self, path: str, value: Any, moment: float, at: datetime, status: str = "filled") -> None:
        track = self.tracks[path]
        allowed: list[Json] = value if isinstance(value, list) else [value]
        excluded = tuple(one for one in track.kept.excluded if one not in allowed)
        self._keep(track, Kept(status, value, excluded, moment), moment, at)

    def _keep(self, track: Track, kept: Kept, moment: float, at: datetime) -> None:
        """The slot holds this from now on; its past is kept, what was open is closed."""
        self._remember(track)
        track.kept = replace(kept, step=self.step)
        track.offers, track.pending, track.waiting = [], None, ()
        track.changed, track.since = max(track.changed, moment), at

    def _remember(self, track: Track) -> None:
        if track.kept.step != self.step:
            track.past.append(track.kept)

    def _ask(self, track: Track, why: str, *waiting: Json) -> None:
        """The slot keeps what it has, and must be asked about."""
        track.pending, track.waiting, track.asked = why, waiting, self.step

    def _back(self, track: Track, moment: float, at: datetime) -> None:
        if not track.asked_since:
            track.kept = track.past.pop()
            track.changed = max(track.changed, moment)
        track.offers, track.pending, track.waiting, track.since = [], None, (), at

    def _after(self) -> float:
        """The moment of an application's call: after the last message, before the next."""
        return self.turns - 0.5

    def _of(self, domain: str) -> list[Track]:
        return [self.tracks[spec.path] for spec in self.domains[domain].slots.values()]

    def _offer(self, path: str, value: Json, turn: int) -> None:
        track = self.tracks[path]
        track.offers = [*(one for one in track.offers if one[0] != value), (value, turn)][-OFFERS_KEPT:]

    def _share(self, path: str, value: Any, turn: int) -> None:
        spec = self.domains.specs[path]
        if spec.slot.share is None or value is DONTCARE:
            return
        for other in self.domains.specs.values():
            if other.slot.share == spec.slot.share and other.domain != spec.domain and not self.tracks[other.path].held:
                offered = self._fits(other, value)
                if offered is not None:
                    self._offer(other.path, offered, turn)


def _merged(spec: SlotSpec, held: Mapping[str, Json], parts: Mapping[str, Json]) -> dict[str, Json]:
    merged = dict(held)
    for name, part in parts.items():
        inner = spec.fields.get(name)
        nested = inner is not None and inner.kind == "composite" and isinstance(merged.get(name), dict)
        merged[name] = _merged(inner, merged[name], part) if inner is not None and nested else part
    return merged


def _without(value: Any, part: str | None) -> Any:
    return {name: one for name, one in value.items() if name != part} if isinstance(value, dict) and part else None


def _met(track: Track, told: Told, says: UserSays) -> str:
    """The status that a change meets: what went stale in its own turn is still confirmed to what is only meant."""
    fresh = track.aged == says.turn and track.changed < says.turn and track.held
    return "confirmed" if fresh and told.grade == "meant" else track.kept.status


def _part(value: Any, part: str) -> Any:
    return value.get(part) if isinstance(value, dict) else None

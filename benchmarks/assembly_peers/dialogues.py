"""Real dialogues, chained into sessions of 200 turns as one user's successive tasks.

The slots of a task stay until its domain comes up again, or until five dialogues later; then the application ends it.
What the dialogue gives as the state after each user turn is the gold: a value that stands in the user's words is
proposed with them as its quote, another one is set by the application. Pinned are the longest user messages among
turns 0 to 7, 8 to 15, and so on up to turn 39. Yes, no and "no preference" are set, but not looked for: no text shows
them word for word.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.assembly_peers.measure import stands
from benchmarks.assembly_peers.scenario import SYSTEM, Change, Gold, Message, Plan, Turn
from benchmarks.builtin_corpora import CORPORA, NOW, Dialogue
from slotstate.domains import compile_domains
from slotstate.errors import InvalidValue
from slotstate.jsonschema import domain_from_json_schema
from slotstate.slots import SlotSpec
from slotstate.values import Reading, normalise

TURNS: Final = 200
BUDGET: Final = 1_500
STAY: Final = 5
"""Dialogues for which a finished task's slots stay."""
PINNED: Final = (0, 8, 16, 24, 32, 40)
_UNSHOWN: Final = frozenset({"true", "false", "yes", "no", "free", "dontcare"})


def sessions(corpus: str, data: Path, limit: int | None) -> list[Plan]:
    """Whole sessions of 200 turns; what is left over at the end makes none."""
    dialogues = iter(CORPORA[corpus](data))
    plans: list[Plan] = []
    while len(plans) != limit and (plan := _session(f"{corpus} {len(plans)}", dialogues)):
        plans.append(plan)
    return plans


def _session(name: str, dialogues: Iterator[Dialogue]) -> Plan | None:
    turns: list[Turn] = []
    gold: list[Gold] = []
    schemas: dict[str, Mapping[str, Any]] = {}
    tasks = _Tasks()
    for dialogue in dialogues:
        schemas |= {str(schema["title"]): schema for schema in dialogue.schemas}
        for turn, after in _turns(dialogue, len(turns), tasks):
            turns.append(turn)
            gold.append(
                {path: values for path, values in after.items() if not _UNSHOWN & {v.casefold() for v in values}}
            )
        if len(turns) >= TURNS:
            pinned = _pinned(turns)
            facts = tuple(turn[0].text for turn in pinned if turn[0].pinned)
            return Plan(name, SYSTEM, pinned[:TURNS], BUDGET, facts, tuple(schemas.values()), gold[:TURNS])
    return None


class _Tasks:
    """Which domains hold values, and since which dialogue."""

    def __init__(self) -> None:
        self.dialogue = 0
        self.held: dict[str, frozenset[str]] = {}
        self._last: dict[str, int] = {}

    def begin(self) -> None:
        """A dialogue begins."""
        self.dialogue += 1

    def due(self, domains: set[str]) -> tuple[str, ...]:
        """The tasks that end here, as these domains come up: their slots are empty again."""
        over = {name for name, last in self._last.items() if self.dialogue - last > STAY}
        over |= {name for name in domains if self._last.get(name, self.dialogue) != self.dialogue}
        for name in over:
            del self._last[name]
        self._last |= dict.fromkeys(domains, self.dialogue)
        self.held = {path: values for path, values in self.held.items() if path.partition(".")[0] not in over}
        return tuple(sorted(over))

    def take(self, gold: Gold) -> Iterator[tuple[str, frozenset[str] | None]]:
        """What a turn changes in the domains of its dialogue."""
        mine = {name for name, last in self._last.items() if last == self.dialogue}
        for path in [path for path in self.held if path.partition(".")[0] in mine and path not in gold]:
            del self.held[path]
            yield path, None
        for path, values in gold.items():
            if self.held.get(path) != values:
                self.held[path] = values
                yield path, values


def _turns(dialogue: Dialogue, start: int, tasks: _Tasks) -> Iterator[tuple[Turn, Gold]]:
    tasks.begin()
    slots = _specs(tuple(json.dumps(schema) for schema in dialogue.schemas))
    messages: list[Message] = []
    after: Gold = {}
    for said in dialogue.turns:
        text = " ".join(said.text.split())
        if said.role == "user":
            if messages:
                yield tuple(messages), after
                start += 1
            gold = dict(_spelled(said.gold, slots))
            ended = tasks.due({path.partition(".")[0] for path in gold})
            changes = tuple(_change(path, values, text, slots[path]) for path, values in tasks.take(gold))
            messages, after = [Message("user", text, f"u{start}", changes=changes, ended=ended)], dict(tasks.held)
        elif messages:
            messages.append(Message("assistant", text, f"a{start}-{len(messages)}"))
    if messages:
        yield tuple(messages), after


def _spelled(gold: Gold, slots: Mapping[str, SlotSpec]) -> Iterator[tuple[str, frozenset[str]]]:
    """The gold values as their slots write them, too; without those that their slots would refuse."""
    for path, values in gold.items():
        written = {form for value in values for form in _written(slots[path], value)}
        if written or "dontcare" in values:
            yield path, values | written


def _written(slot: SlotSpec, value: str) -> Iterator[str]:
    for spelling in (value, value.replace(" ", "")):
        try:
            yield str(normalise(slot, spelling, Reading(NOW)))
        except InvalidValue:
            continue
        return


@cache
def _specs(schemas: tuple[str, ...]) -> Mapping[str, SlotSpec]:
    return compile_domains([domain_from_json_schema(json.loads(schema)) for schema in schemas]).specs


def _change(path: str, values: frozenset[str] | None, text: str, slot: SlotSpec) -> Change:
    if values is None:
        return path, None, ""
    folded = text.casefold()
    written = [form for value in sorted(values) for form in _written(slot, value)]
    for value in sorted(values, key=len, reverse=True):
        if stands([value], folded):
            begin = folded.index(value.casefold())
            forms = [*_written(slot, value), *written]
            return path, forms[0] if forms else value, text[begin : begin + len(value)]
    return path, written[0] if written else "dontcare", ""


def _pinned(turns: Sequence[Turn]) -> list[Turn]:
    chosen = {max(range(first, last), key=lambda index: len(turns[index][0].text)) for first, last in pairwise(PINNED)}
    return [(_with_pin(turn[0]), *turn[1:]) if index in chosen else turn for index, turn in enumerate(turns)]


def _with_pin(message: Message) -> Message:
    return Message("user", message.text, message.id, True, message.changes, message.ended)

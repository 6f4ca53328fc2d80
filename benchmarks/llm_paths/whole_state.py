"""What people write without a tracker: a model fills the whole state from the whole history, at each turn."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, create_model

from slotstate.errors import InvalidValue
from slotstate.evaluating.playing import Services, domains_for
from slotstate.measuring.agreement import spoken
from slotstate.measuring.dialogues import DONTCARE_LABEL, Corpus, Dialogue
from slotstate.measuring.records import Found, TurnRecord
from slotstate.providers import Asker, Calls, Record, calls
from slotstate.slots import SlotSpec
from slotstate.values import Reading, jsonable, normalise

SYSTEM = """You fill in the state of a task-oriented dialogue. Give the value of every slot that the user has settled \
so far, in the user's own words or one of the options; "{dontcare}" where the user has no preference; null where \
nothing was said.

Slots:
{slots}"""


@dataclass
class State:
    """The state that a model filled in last, or nothing with the line that says why."""

    values: Mapping[str, Any] = field(default_factory=dict)
    record: Record | None = None
    error: str | None = None


@dataclass
class Filled:
    """Reads the answer: whatever fits the model of the state."""

    record: Record

    def judge(self, written: Any) -> Any:
        return written

    def done(self, reply: Any) -> State:
        return State(reply.model_dump(by_alias=True, exclude_none=True), self.record)

    def failed(self, error: BaseException) -> State:
        return State({}, self.record, f"{type(error).__name__}: {error}"[:200])


class WholeState:
    """Fills in the state of the services shown, turn by turn; what other services hold stays."""

    def __init__(self, name: str, **options: Any) -> None:
        self._asker: Asker[State] = Asker(name, lambda record, line: State({}, record, line), **options)

    def play(self, corpus: Corpus, dialogue: Dialogue, services: Services, deadline: float) -> Iterator[TurnRecord]:
        """The user turns, as the model filled in the state after each."""
        specs = domains_for(corpus, dialogue, services).specs
        held: dict[str, Found] = {}
        heard: list[dict[str, Any]] = []
        for index, turn in enumerate(dialogue.turns):
            heard.append({"role": turn.role, "content": turn.text})
            if turn.role == "assistant":
                continue
            shown = tuple(spec for spec in specs.values() if services != "turn" or spec.domain in turn.services)
            began = time.perf_counter()
            state = self._asker.ask(partial(self._course, shown, list(heard)), deadline)
            ms = (time.perf_counter() - began) * 1000
            if state.error is None:
                paths = {spec.path for spec in shown}
                kept = {path: found for path, found in held.items() if path not in paths}
                held = kept | {path: _found(specs[path], value, dialogue) for path, value in state.values.items()}
            usage = state.record.usage if state.record else None
            yield TurnRecord(
                index,
                dict(held),
                extraction="ok" if state.error is None else "failed",
                error=state.error,
                ms=ms,
                tokens_in=usage.tokens_in if usage else None,
                tokens_out=usage.tokens_out if usage else None,
            )

    def close(self) -> None:
        self._asker.close()

    def _course(self, shown: Sequence[SlotSpec], heard: list[dict[str, Any]], record: Record) -> Calls[State]:
        system = {"role": "system", "content": _system(tuple(shown))}
        arguments = self._asker.arguments(record, _model(tuple(shown)), [system, *heard])
        return (yield from calls(record, Filled(record), arguments, self._asker.dropped))


def _options(spec: SlotSpec) -> tuple[str, ...]:
    return ("true", "false") if spec.kind == "boolean" else tuple(map(str, spec.options))


@lru_cache
def _system(shown: tuple[SlotSpec, ...]) -> str:
    lines = [f"- {spec.path}: {spec.description or spec.slot.ask or ''} {' / '.join(_options(spec))}" for spec in shown]
    return SYSTEM.format(dontcare=DONTCARE_LABEL, slots="\n".join(line.rstrip() for line in lines))


@lru_cache
def _model(shown: tuple[SlotSpec, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for number, spec in enumerate(shown):
        options = _options(spec)
        kind: Any = Literal[(*options, DONTCARE_LABEL)] if options else str
        fields[f"s{number}"] = (Optional[kind], Field(None, alias=spec.path, description=spec.description))  # noqa: UP045
    return create_model("State", __config__=ConfigDict(populate_by_name=True), **fields)


def _found(spec: SlotSpec, value: Any, dialogue: Dialogue) -> Found:
    if value == DONTCARE_LABEL:
        return Found(None, True, DONTCARE_LABEL)
    try:
        meant = jsonable(normalise(spec, value, Reading(dialogue.now)))
    except InvalidValue:
        meant = value
    return Found(meant, False, spoken(meant) if spec.kind in {"boolean", "categorical"} else value)

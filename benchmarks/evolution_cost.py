"""What it costs to read a log under the present schema, and under one that has changed.

usage: python -m benchmarks.evolution_cost [--number 5000] [--repeats 5]

Reported: microseconds an entry, the least of the repeats. Of one decision by kind of slot, under the schema that it was
written under and under one in which the slot has another name; beside that what it costs anyway to read its JSON and to
fold it. Then of a whole log of mixed entries: user turns, assistant turns, extractions and decisions.
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from slotstate import Money, Slot
from slotstate.domains import Domains, compile_domains
from slotstate.events import AnyEvent, AssistantTurn, Extracted, Filled, UserTurn, dump_event, load_event
from slotstate.evolution import Reader
from slotstate.log import Entry
from slotstate.state import State, apply

NOW = datetime(2026, 1, 5, tzinfo=UTC)


class Address(BaseModel):
    street: str
    floor: int = 0


KINDS: dict[str, tuple[Any, Any]] = {
    "text": (str, "Oslo"),
    "categorical": (Literal["second", "first"], "second"),
    "integer with limits": (Annotated[int, Field(ge=1, le=9)], 4),
    "decimal": (Decimal, "19.90"),
    "date": (date, "2026-12-04"),
    "datetime": (datetime, "2026-12-04T21:00:00+01:00"),
    "money": (Money, {"value": "40", "currency": "GBP"}),
    "list of texts": (list[str], ["a", "b", "c"]),
    "composite": (Address, {"street": "High St", "floor": 2}),
}


def domains(*, renamed: bool) -> Domains:
    """A slot of each kind, by its first name or by another one."""
    fields: dict[str, Any] = {}
    for at, (kind, _) in enumerate(KINDS.values()):
        fields[f"new{at}" if renamed else f"slot{at}"] = (
            Annotated[kind | None, Slot(was=f"slot{at}" if renamed else ())],
            None,
        )
    return compile_domains(create_model("Trip", **fields))


def filled(at: int, value: Any) -> Filled:
    """A decision as the log has it."""
    event = Filled(
        turn=2, step=1, at=NOW, op="set", path=f"trip.slot{at}", value=value, quote="x", span=(0, 1), raw="x"
    )
    loaded = load_event(dump_event(event))
    assert isinstance(loaded, Filled)
    return loaded


def micros(call: Callable[[], object], number: int, repeats: int) -> float:
    """The least time of a call."""
    return min(timeit.repeat(call, number=number, repeat=repeats)) / number * 1e6


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(argv)
    number, repeats = options.number, options.repeats
    same, other = Reader(domains(renamed=False)), Reader(domains(renamed=True))
    print("kind                 read  renamed   load   fold")
    for at, (kind, (_, value)) in enumerate(KINDS.items()):
        event = filled(at, value)
        entry, text = Entry(3, NOW, event), dump_event(event)
        told = [
            micros(lambda entry=entry: same.read(entry), number, repeats),
            micros(lambda entry=entry: other.read(entry), number, repeats),
            micros(lambda text=text: load_event(text), number, repeats),
            micros(lambda event=event: apply(State(), event), number, repeats),
        ]
        print(f"{kind:20}" + "".join(f"{one:7.1f}" for one in told))
    log: list[AnyEvent] = []
    for turn in range(0, 4 * len(KINDS), 4):
        at = turn // 4
        log += [
            UserTurn(turn=turn, id=str(turn), text="Oslo, please", at=NOW),
            Extracted(turn=turn, result="ok", model="m", decided=1),
            filled(at, list(KINDS.values())[at][1]),
            AssistantTurn(turn=turn + 1, id=f"{turn}a", text="Which day?", asks=("trip.slot0",)),
        ]
    entries = [Entry(seq, NOW, event) for seq, event in enumerate(log)]
    for name, reader in (("the same schema", same), ("all slots renamed", other)):
        spent = micros(lambda reader=reader: [reader.read(entry) for entry in entries], max(1, number // 20), repeats)
        print(f"a mixed log, {name}: {spent / len(entries):.1f} an entry")


if __name__ == "__main__":
    main()

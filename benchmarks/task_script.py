"""The benchmark's task: fifteen steps with tools, what the user says between them, and what the end needs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.task_outputs import Maker, booked, failed, log, rules, search, short, table

Event = dict[str, Any]
"""A message in the OpenAI form, with an id."""


@dataclass(frozen=True, slots=True)
class Step:
    """Calls that the assistant makes at once. `said` is what the user says before them, `needs` what of that the end
    needs, `told` what the assistant says when it has the results.
    """

    calls: tuple[tuple[str, dict[str, Any], Maker], ...]
    said: str = ""
    needs: tuple[str, ...] = ()
    told: str = ""


STEPS: Final = (
    Step(
        (("search_sites", {"near": "Dunmere", "from": "2026-09-18"}, search("site", 42_000)),),
        "We need a site, tents, power and a stage for a harvest fair near Dunmere on 18 and 19 September. Everything "
        "together must stay under £23,750. And please never hire from Tolland Bros again, they let us down last year.",
        ("£23,750", "hire from Tolland Bros again"),
    ),
    Step((("site_terms", {"site": "first choice"}, rules(14_000)),)),
    Step(
        (
            ("search_tents", {"area_m2": 400}, search("tent", 33_000)),
            ("search_generators", {"kva": 60}, search("generator", 27_000)),
        )
    ),
    Step((("ledger", {"year": 2026}, table(24_000)),)),
    Step((("book", {"item": "tent"}, failed(502, "upstream closed the connection")),)),
    Step(
        (("service_log", {"service": "hire", "minutes": 90}, log(58_000)),),
        told="The booking service had dropped its connection for a while; it is up again, so I try once more.",
    ),
    Step((("book", {"item": "tent"}, failed(429, "too many requests")),)),
    Step(
        (("book", {"item": "tent"}, booked("tent")),),
        told="The tent is held for us.",
    ),
    Step(
        (("search_stages", {"width_m": 8}, search("stage", 38_000)),),
        "Good. The stage has to be covered because the choir's instruments may not get wet. Their van, registration "
        "KV26 TRM, arrives first.",
        ("may not get wet", "KV26 TRM"),
    ),
    Step((("search_lights", {"hours": 5}, search("light", 11_000, nested=False)),)),
    Step(
        (
            ("calendar", {"week": 38}, table(18_000)),
            ("weather", {"place": "Dunmere"}, short('{"outlook": "mixed", "wind_kmh": [12, 31], "rain": 0.4}')),
        )
    ),
    Step((("search_caterers", {"guests": 650}, search("caterer", 52_000)),)),
    Step(
        (("book", {"item": "stage"}, booked("stage")),),
        "Take the covered one. We decided against a bar, the council would want a licence for it.",
        ("against a bar",),
        "The stage is booked, and there will be no bar.",
    ),
    Step((("road_log", {"roads": ["A417", "B4021"]}, log(31_000)),)),
    Step((("book", {"item": "generator"}, booked("generator")),)),
)
ENDING: Final = (
    "Now write the whole order for the council: site, codes, confirmations, limits and what to keep in mind."
)


@dataclass(frozen=True)
class Task:
    """All messages in their order, and what of them the end needs."""

    events: tuple[Event, ...]
    needed: tuple[str, ...]


def make_task(seed: int) -> Task:
    """The task with outputs from this seed. What is needed stands in one message only, and once in it."""
    rng = random.Random(seed)
    needed: list[str] = []
    events = tuple(_events(rng, needed))
    for one in needed:
        if sum(_text(event).count(one) for event in events if event["role"] != "assistant") != 1:
            raise SystemExit(f"{one!r} stands more than once: take another seed")
    return Task(events, tuple(needed))


def _text(event: Event) -> str:
    return str(event["content"] or "")


def _events(rng: random.Random, needed: list[str]) -> Iterator[Event]:
    for number, step in enumerate(STEPS, 1):
        if step.said:
            needed += step.needs
            yield {"role": "user", "content": step.said, "id": f"user{number}"}
        calls = [
            {
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for at, (name, arguments, _) in enumerate(step.calls)
        ]
        yield {"role": "assistant", "content": "", "tool_calls": calls, "id": f"calls{number}"}
        for at, (_, _, make) in enumerate(step.calls):
            output = make(rng)
            if output.needed:
                needed.append(output.needed)
            yield {
                "role": "tool",
                "content": output.text,
                "tool_call_id": f"call_{number}_{at}",
                "id": f"r{number}-{at}",
            }
        if step.told:
            yield {"role": "assistant", "content": step.told, "id": f"told{number}"}
    yield {"role": "user", "content": ENDING, "id": "ending"}

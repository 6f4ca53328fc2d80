"""Playing a plan through a system, and what came of it."""

from __future__ import annotations

import asyncio
import re
import statistics
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import isawaitable
from typing import Any

from benchmarks.assembly_peers.accounting import RULES, Accountant, Charge
from benchmarks.assembly_peers.counting import text_of
from benchmarks.assembly_peers.scenario import Message, Plan, Turn
from benchmarks.assembly_peers.systems import Entry, Prompt, System


@dataclass
class Request:
    """One request, as it was sent."""

    turn: int
    messages: Prompt
    charge: Charge
    spent: tuple[int, int]
    own: dict[str, Any]
    """What our system says of it."""


@dataclass
class Result:
    """All requests of a plan in one system."""

    entry: Entry
    plan: Plan
    requests: list[Request] = field(default_factory=list)
    system: Any = None

    def row(self) -> dict[str, Any]:
        """The numbers that are told."""
        charges = [one.charge for one in self.requests]
        totals = [charge.total for charge in charges]
        turns = len(self.plan.turns)
        summaries = sum(sum(one.spent) for one in self.requests)
        costs = {rule: (sum(c.equivalents(rule) for c in charges) + summaries) / turns for rule in RULES}
        pins = self.pins()
        every = len(self.plan.facts)
        return {
            "name": self.entry.name,
            **{rule: round(cost, 1) for rule, cost in costs.items()},
            "summariser": round(summaries / turns, 1),
            "calls": sum(1 for one in self.requests if any(one.spent)),
            "tokens": round(statistics.fmean(totals)),
            "messages": round(statistics.fmean(len(one.messages) for one in self.requests), 1),
            "prefix_share": round(sum(c.prefix for c in charges) / sum(totals), 3),
            "most": max(totals),
            "over": self.over(),
            "pins": min((kept for kept, due in pins if due == every), default=0),
            "pins_share": round(sum(kept for kept, _ in pins) / max(sum(due for _, due in pins), 1), 4),
            "slots": round(self.slots(), 4),
            **self.own(),
        }

    def over(self) -> int:
        """Turns with a request above the budget."""
        return len({one.turn for one in self.requests if one.charge.total > self.plan.budget})

    def own(self) -> dict[str, Any]:
        """What only our system can tell."""
        report = getattr(self.system, "report", None)
        return report(self.requests, self.plan) if report else {}

    def pins(self) -> list[tuple[int, int]]:
        """For each request, how many of the facts stated so far stand in it, and how many were stated."""
        stated = [index for index, turn in enumerate(self.plan.turns) if turn[0].pinned]
        counts = []
        for one in self.requests:
            text = "\n".join(map(text_of, one.messages))
            due = [fact for fact, at in zip(self.plan.facts, stated, strict=True) if at <= one.turn]
            counts.append((sum(fact in text for fact in due), len(due)))
        return counts

    def slots(self) -> float:
        """Share of the held slots' values that stand anywhere in the request, over all requests."""
        found = due = 0
        for one in self.requests:
            gold = self.plan.gold[one.turn]
            text = "\n".join(map(text_of, one.messages)).casefold()
            found += sum(stands(values, text) for values in gold.values())
            due += len(gold)
        return found / due if due else 1.0


def stands(values: Iterable[str], text: str) -> bool:
    """Whether one of the ways to write a value stands as words in a casefolded text."""
    return any(_pattern(value).search(text) for value in values)


@lru_cache(maxsize=1 << 14)
def _pattern(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(value.casefold())}(?!\w)")


def play(entry: Entry, plan: Plan) -> Result:
    """Run a plan through a system."""
    return asyncio.run(_play(entry, plan))


async def _play(entry: Entry, plan: Plan) -> Result:
    system = entry.factory()(plan)
    result, accountant = Result(entry, plan, system=system), Accountant(plan.tools)
    for index, turn in enumerate(plan.turns):
        for message, ask in steps(turn):
            system.add(message)
            if ask:
                messages = await settled(system.prompt())
                charge = accountant.request(messages)
                observed: dict[str, Any] = getattr(system, "observed", dict)()
                result.requests.append(Request(index, messages, charge, system.spent(), observed))
                await after(system)
        await end(system)
    return result


def steps(turn: Turn) -> Iterator[tuple[Message, bool]]:
    """The messages of a turn, and whether a request follows each."""
    for message in turn:
        yield message, message.role in {"user", "tool"}


async def settled(prompt: Prompt | Awaitable[Prompt]) -> Prompt:
    """The prompt, awaited where it must be."""
    return await prompt if isawaitable(prompt) else prompt


async def after(system: System) -> None:
    """What the provider does once it has the request."""
    replied: Callable[[], None] | None = getattr(system, "replied", None)
    if replied:
        replied()


async def end(system: System) -> None:
    """What happens once a turn is over."""
    saved: Callable[[], Awaitable[None]] | None = getattr(system, "saved", None)
    if saved:
        await saved()

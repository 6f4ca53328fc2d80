"""What the tools of the benchmark's task give back: searches, tables, logs, rules, bookings that fail; from a seed.

Each output tells one thing that the task needs at its end, once and somewhere in its middle: nobody can tell from its
form that it matters.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

_TOWNS: Final = ("Aldermoor", "Brackwell", "Cotterby", "Dunmere", "Eastholt", "Fernleigh", "Garrowby", "Hexlow")
_FIRMS: Final = ("Orchard & Vale", "Kestrel Hire", "Northline", "Tolland Bros", "Quayside", "Merrow", "Pellworth")
_GOODS: Final = ("marquee", "stage deck", "generator", "light tower", "barrier", "water tank", "floor panel")
_NOTES: Final = (
    "Delivery on working days only, the gate has to be open by seven.",
    "The deposit is returned within ten days when nothing is damaged.",
    "Not available in the last week of the month because of maintenance.",
    "Needs two people on site to take it over, and level ground.",
    "Price without fuel; a second driver is charged by the hour.",
    "Photographs and drawings are sent on request.",
)
_PARTS: Final = ("gateway", "quotes", "stock", "payments", "calendar", "mailer", "auth")
_DONE: Final = (
    "request accepted in {n} ms",
    "cache hit for key stock:{n}",
    "released {n} connections",
    "rendered template offer-{n}",
    "worker {n} idle, waiting for jobs",
    "synchronised {n} rows with the calendar",
)
_TROUBLES: Final = ("timeout after {n} ms, trying again", "slow query ({n} ms)", "row {n} locked, waiting")


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gives back, and what of it the task needs; "" when it is nothing."""

    text: str
    needed: str = ""


Maker = Callable[[random.Random], Output]


def search(what: str, size: int, *, nested: bool = True) -> Maker:
    """A search's JSON of about so many characters; needed is the code of one offer."""

    def make(rng: random.Random) -> Output:
        offers: list[dict[str, Any]] = []
        length = 0
        while length < size:
            offers.append(_offer(rng, what, nested))
            length += len(json.dumps(offers[-1], indent=1))
        chosen = offers[rng.randrange(len(offers) // 4, 3 * len(offers) // 4)]
        found = {"query": what, "total": len(offers), "page": 1, "offers": offers, "took_ms": rng.randint(40, 900)}
        return Output(json.dumps(found, indent=1), str(chosen["code"]))

    return make


def _offer(rng: random.Random, what: str, nested: bool) -> dict[str, Any]:
    firm = rng.choice(_FIRMS)
    offer: dict[str, Any] = {
        "code": f"{what[:2].upper()}-{rng.randrange(10**6, 10**7)}",
        "title": f"{rng.choice(_GOODS)} {rng.randint(2, 40)}",
        "firm": firm,
        "price": {"amount": rng.randint(80, 9_000), "currency": "GBP", "per": rng.choice(["day", "weekend"])},
        "note": rng.choice(_NOTES),
    }
    if nested:
        offer["depot"] = {
            "town": rng.choice(_TOWNS),
            "phone": f"0{rng.randrange(10**9, 10**10)}",
            "opens": [f"{rng.randint(6, 9):02}:30", f"{rng.randint(15, 19):02}:00"],
        }
        offer["stock"] = [{"week": week, "free": rng.randint(0, 9)} for week in range(rng.randint(2, 6))]
    return offer


def table(size: int) -> Maker:
    """Rows of a ledger, as CSV; needed is the number of one booking."""

    def make(rng: random.Random) -> Output:
        rows, length, number = ["booking,day,payee,town,net,vat,state"], 0, rng.randrange(10**6, 10**7)
        while length < size:
            number += rng.randint(3, 4_000)
            net = rng.randint(4_000, 900_000) / 100
            state = rng.choice(["paid", "paid", "open", "queried"])
            day = f"2026-{rng.randint(1, 9):02}-{rng.randint(1, 28):02}"
            row = f"L{number},{day},{rng.choice(_FIRMS)},{rng.choice(_TOWNS)},{net:.2f},{net / 5:.2f},{state}"
            rows.append(row)
            length += len(row) + 1
        chosen = rows[rng.randrange(len(rows) // 4, 3 * len(rows) // 4)]
        return Output("\n".join(rows) + "\n", chosen.partition(",")[0])

    return make


def log(size: int) -> Maker:
    """A service's log with a few errors; needed is the number in one of its plain lines."""

    def make(rng: random.Random) -> Output:
        lines, length, second = [], 0, rng.randrange(86_400 // 2)
        while length < size:
            second += rng.randint(0, 4)
            level, said = "INFO", rng.choice(_DONE)
            if rng.random() < 0.04:
                level, said = "WARN", rng.choice(_TROUBLES)
            elif rng.random() < 0.01:
                level, said = "ERROR", "booking {n} was not written: upstream closed the connection"
            at = f"2026-05-04T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
            lines.append(f"{at} {level:<5} {rng.choice(_PARTS)}: {said.format(n=rng.randint(2, 900))}")
            length += len(lines[-1]) + 1
        trace = f"R{rng.randrange(10**8, 10**9)}"
        at = rng.randrange(len(lines) // 4, 3 * len(lines) // 4)
        lines[at] += f" (trace {trace})"
        return Output("\n".join(lines), trace)

    return make


def rules(size: int) -> Maker:
    """The terms of a place, in prose; needed is one figure."""

    def make(rng: random.Random) -> Output:
        parts, number = [], 0
        while sum(map(len, parts)) < size:
            number += 1
            said = " ".join(rng.choice(_NOTES) for _ in range(rng.randint(2, 5)))
            parts.append(f"## {number}. {rng.choice(_GOODS).title()}s in {rng.choice(_TOWNS)}\n\n{said}\n\n")
        needed = f"{rng.randrange(10_001, 99_999)} kg"
        at = rng.randrange(len(parts) // 4, 3 * len(parts) // 4)
        parts[at] += f"No axle may carry more than {needed} on the grass.\n\n"
        return Output("".join(parts), needed)

    return make


def booked(what: str) -> Maker:
    """A booking that went through; needed is its confirmation."""

    def make(rng: random.Random) -> Output:
        code = f"CONF-{what[:2].upper()}-{rng.randrange(10**7, 10**8)}"
        return Output(json.dumps({"ok": True, "item": what, "confirmation": code, "hold_hours": 48}), code)

    return make


def failed(status: int, reason: str) -> Maker:
    """A call that failed with a traceback."""

    def make(rng: random.Random) -> Output:
        frames = "".join(
            f'  File "/srv/hire/{rng.choice(_PARTS)}.py", line {rng.randint(20, 800)}, in {rng.choice(_PARTS)}_call\n'
            f"    return self._send(request, retries={rng.randint(0, 3)})\n"
            for _ in range(rng.randint(12, 30))
        )
        return Output(f"HTTP {status}: {reason}\nTraceback (most recent call last):\n{frames}HireError: {reason}")

    return make


def short(text: str) -> Maker:
    """A short answer, always the same."""
    return lambda _: Output(text)

"""Tables, and the conditions that ours must meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.assembly_peers.measure import Result
from benchmarks.assembly_peers.systems import Entry
from benchmarks.assembly_peers.timing import Timed

Row = Mapping[str, Any]
COLUMNS = {
    "prefix": "eq/turn",
    "whole": "whole rule",
    "steps": "1,024/128",
    "breakpoints": "breakpoints",
    "summariser": "summariser",
    "tokens": "tokens",
    "messages": "messages",
    "prefix_share": "prefix",
    "most": "most",
    "over": "turns over",
    "pins": "pins",
    "slots": "slots",
}


@dataclass(frozen=True)
class Verdict:
    """A condition, and whether it holds."""

    text: str
    ok: bool

    def __str__(self) -> str:
        return f"{'PASS' if self.ok else 'FAIL'}  {self.text}"


def table(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """Rows as text, numbers to the right."""
    width = max(len(str(row["name"])) for row in rows)
    cells = [[str(row.get(key, "")) for key in columns] for row in rows]
    widths = [max(len(title), *(len(line[at]) for line in cells)) for at, title in enumerate(columns.values())]
    head = " ".join(title.rjust(wide) for title, wide in zip(columns.values(), widths, strict=True))
    lines = [f"{'':{width}} {head}"]
    for row, line in zip(rows, cells, strict=True):
        body = " ".join(cell.rjust(wide) for cell, wide in zip(line, widths, strict=True))
        lines.append(f"{row['name']:{width}} {body}")
    return "\n".join(lines)


def own_lines(rows: Iterable[tuple[Entry, Row]]) -> str:
    """What is told of ours alone."""
    return "\n".join(
        f"{row['name']}: {row['epochs']} epochs {row['reasons']}; slot lines out of date a turn: {row['stale_lines']} "
        f"({row['stale_snapshot']} in the snapshot, {row['stale_notes']} in notes), quotes {row['stale_quotes']}; "
        f"held slots in slot lines {row['slots_in_lines']:.2%}, last line about a slot wrong {row['overruled']} times; "
        f"prompts counted otherwise by us {row['miscounted']}"
        for entry, row in rows
        if entry.ours
    )


def best_peer(rows: Iterable[tuple[Entry, Row]], facts: int, key: str) -> Row | None:
    """Of the peers that are judged, stay within the budget and keep every fact on every turn, the best."""
    able = [row for entry, row in rows if entry.judged and not entry.ours and not row["over"] and row["pins"] == facts]
    return min(able, key=lambda row: row[key], default=None)


def cost_verdicts(rows: Sequence[tuple[Entry, Row]], facts: int) -> list[Verdict]:
    """Cost against the best peer, what is kept, and lines out of date."""
    verdicts: list[Verdict] = []
    for layout, rule, most in (
        ("quotes_last", "prefix", 1.15),
        ("append_only", "prefix", 0.95),
        ("append_only", "whole", 0.95),
    ):
        peer = best_peer(rows, facts, rule)
        for entry, row in rows:
            if peer and entry.ours and layout in entry.name:
                times = row[rule] / peer[rule]
                text = f"{entry.name}, {rule} rule: {row[rule]} is {times:.2f} times {peer['name']} ({peer[rule]})"
                text += f"; at most {most}"
                verdicts.append(Verdict(text, times <= most))
    for entry, row in rows:
        if entry.ours:
            kept = row["pins"] == facts and row["slots_in_lines"] == 1 and not row["overruled"] and not row["over"]
            verdicts.append(Verdict(f"{entry.name}: every slot, every pin, within the budget, on every turn", kept))
            stale = row["stale_lines"]
            verdicts.append(Verdict(f"{entry.name}: {stale} slot lines out of date a turn; at most 4", stale <= 4))
            same = not row["miscounted"]
            verdicts.append(Verdict(f"{entry.name}: prompts counted the same by an independent count", same))
    return verdicts


def time_verdicts(timed: Sequence[Timed], keeping: set[str], turn: int) -> list[Verdict]:
    """Time against the fastest peer that keeps what is pinned."""
    peers = {one.entry.name: one.at(turn)[0] for one in timed if one.entry.name in keeping and not one.entry.ours}
    if not peers:
        return []
    name = min(peers, key=lambda peer: peers[peer])
    verdicts = []
    for one in timed:
        if one.entry.ours:
            alone, both = one.at(turn)
            times = alone / peers[name]
            text = f"{one.entry.name}: {alone:.0f} µs is {times:.2f} times {name} ({peers[name]:.0f}); at most .4 "
            text += (
                f"(its mean, with the turns that summarise, {one.mean(turn):.0f}; with extraction, decision and log "
            )
            text += f"{both:.0f} µs)"
            verdicts.append(Verdict(text, times <= 0.4))
    return verdicts


def growth_verdict(entry: Entry, early: float, old: float, turn: int, late: int) -> Verdict:
    """Time late in a conversation against its own early time."""
    text = f"{entry.name}: turn {late} {old:.0f} µs is {old / early:.2f} times turn {turn} ({early:.0f}); at most 1.3"
    return Verdict(text, old / early <= 1.3)


def kept_row(entry: Entry, results: Sequence[Result]) -> dict[str, Any]:
    """One system's share of slots and pins over sessions."""
    rows = [result.row() for result in results]
    row: dict[str, Any] = {"name": entry.name}
    for key in ("slots", "pins_share", "prefix", "steps", "tokens", "prefix_share"):
        row[key] = round(fmean(one[key] for one in rows), 4 if key in {"slots", "pins_share"} else 3)
    row["over"] = sum(one["over"] for one in rows)
    if entry.ours:
        for key in ("stale_lines", "epochs"):
            row[key] = round(fmean(one[key] for one in rows), 2)
        for key in ("unset", "overruled", "miscounted"):
            row[key] = sum(one[key] for one in rows)
        row["slots_in_lines"] = round(fmean(one["slots_in_lines"] for one in rows), 4)
    return row

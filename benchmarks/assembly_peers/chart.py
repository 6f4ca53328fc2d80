"""A picture of a conversation's prompts: tokens by section over the turns, and cached against new tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.assembly_peers.measure import Result

ORDER = ("system", "slots", "summary", "pins", "recent", "note", "quotes", "overhead")
COLORS = {
    "system": "#4d4d4d",
    "slots": "#1b7837",
    "summary": "#80cdc1",
    "pins": "#dfc27d",
    "recent": "#92c5de",
    "note": "#d6604d",
    "quotes": "#762a83",
    "overhead": "#bdbdbd",
}


def draw(results: Sequence[Result], path: Path) -> None:
    """Write the chart of our results, a column each, with what the best peer that keeps pins pays anew."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    ours = [one for one in results if one.entry.ours]
    peers = [one for one in results if one.entry.judged and one.entry.pins and not one.entry.ours]
    peers.sort(key=lambda one: one.row()["prefix"])
    figure, axes = plt.subplots(
        2, len(ours), figsize=(6.5 * len(ours), 7.5), sharex=True, sharey="row", squeeze=False, layout="constrained"
    )
    for column, result in enumerate(ours):
        _sections(axes[0][column], result)
        _cached(axes[1][column], result, peers)
        axes[1][column].set_xlabel("turn")
        axes[0][column].set_xlim(0, len(result.plan.turns))
    for row in axes:
        row[0].set_ylabel("tokens of the prompt")
        handles, labels = row[-1].get_legend_handles_labels()  # the last one on top, as in the stack
        row[-1].legend(
            handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize="medium"
        )
    figure.suptitle(f"Prompts over {ours[0].plan.name}, budget {ours[0].plan.budget:,} tokens")
    figure.savefig(path, dpi=110)


def _sections(axes: Any, result: Result) -> None:
    found = {name for one in result.requests for name in one.own["sections"]}
    names = [name for name in ORDER if name in found] + sorted(found - set(ORDER))
    turns = [one.turn for one in result.requests]
    axes.stackplot(
        turns,
        [[one.own["sections"].get(name, 0) for one in result.requests] for name in names],
        labels=names,
        colors=[COLORS.get(name, "#f7f7f7") for name in names],
    )
    _bound(axes, result)
    axes.set_title(f"{result.entry.name}: sections")


def _cached(axes: Any, result: Result, peers: Sequence[Result]) -> None:
    turns = [one.turn for one in result.requests]
    cached = [one.charge.prefix for one in result.requests]
    new = [one.charge.total - one.charge.prefix for one in result.requests]
    axes.stackplot(turns, [cached, new], labels=["cached", "new"], colors=["#c6dbef", "#d95f02"])
    for peer in peers[:1]:
        anew = [one.charge.total - one.charge.prefix for one in peer.requests]
        axes.plot(
            [one.turn for one in peer.requests], anew, color="black", linewidth=0.8, label=f"new: {peer.entry.name}"
        )
    _bound(axes, result)
    axes.set_title(f"{result.entry.name}: cached and new")


def _bound(axes: Any, result: Result) -> None:
    axes.axhline(result.plan.budget, color="black", linestyle="--", linewidth=0.8, label="budget")
    axes.set_ylim(0, 1.08 * result.plan.budget)
    axes.yaxis.set_major_formatter("{x:,.0f}")

"""A picture of a conversation's prompts: tokens by section over the turns, and cached against new tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.assembly_peers.measure import Result

ORDER = ("system", "slots", "summary", "pins", "recent", "note", "quotes", "other")


def draw(results: Sequence[Result], path: Path) -> None:
    """Write the chart of our results, a column each, with what the best peer that keeps pins pays anew."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    ours = [one for one in results if one.entry.ours]
    peers = [one for one in results if one.entry.judged and one.entry.pins and not one.entry.ours]
    peers.sort(key=lambda one: one.row()["prefix"])
    figure, axes = plt.subplots(2, len(ours), figsize=(7 * len(ours), 8), sharex=True, sharey="row", squeeze=False)
    for column, result in enumerate(ours):
        _sections(axes[0][column], result)
        _cached(axes[1][column], result, peers)
    figure.suptitle(f"Prompts over {ours[0].plan.name}, budget {ours[0].plan.budget} tokens")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _sections(axes: Any, result: Result) -> None:
    found = {name for one in result.requests for name in one.own["sections"]}
    names = [name for name in ORDER if name in found] + sorted(found - set(ORDER))
    turns = [one.turn for one in result.requests]
    axes.stackplot(
        turns, [[one.own["sections"].get(name, 0) for one in result.requests] for name in names], labels=names
    )
    axes.axhline(result.plan.budget, color="black", linestyle="--", linewidth=0.8)
    axes.set_ylim(0, 1.3 * result.plan.budget)
    axes.set_title(f"{result.entry.name}: tokens by section")
    axes.set_ylabel("tokens")
    axes.legend(loc="upper center", ncols=8, fontsize="small")


def _cached(axes: Any, result: Result, peers: Sequence[Result]) -> None:
    turns = [one.turn for one in result.requests]
    cached = [one.charge.prefix for one in result.requests]
    new = [one.charge.total - one.charge.prefix for one in result.requests]
    axes.stackplot(turns, [cached, new], labels=["cached", "new"], colors=["#9ecae1", "#d95f02"])
    for peer in peers[:1]:
        anew = [one.charge.total - one.charge.prefix for one in peer.requests]
        axes.plot(
            [one.turn for one in peer.requests], anew, color="black", linewidth=0.7, label=f"new: {peer.entry.name}"
        )
    axes.set_ylim(0, 1.3 * result.plan.budget)
    axes.set_title(f"{result.entry.name}: cached and new tokens")
    axes.set_xlabel("turn")
    axes.set_ylabel("tokens")
    axes.legend(loc="upper center", ncols=8, fontsize="small")

"""An evaluation as a terminal shows it: figures with their intervals, what changed, where it goes wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from slotstate.cli.text import visible
from slotstate.measuring.evaluation import BETTER_WHEN_LESS, Change, Comparison, Evaluation, Figure, Judged
from slotstate.measuring.naming import ABOUT
from slotstate.measuring.statistics import FEWEST

_WORST: Final = 8
"""Slots and causes that are listed: the page of --report has all."""


def evaluation_page(run: Evaluation) -> Iterator[RenderableType]:
    """The lines about an evaluation."""
    name = f"{run.corpus} {run.version}" if run.version else run.corpus
    yield Text(visible(f"{run.extractor} on {name}"), style="bold") + Text(
        f": {_many(run.dialogues, 'dialogue')}, {_many(run.turns, 'user turn')}", style="not bold"
    )
    if run.failed_turns:
        yield Text(f"{run.failed_turns:,} turns could not be read", style="red")
    if run.comparison:
        against = f"against {visible(run.comparison.extractor)} on the {run.comparison.dialogues:,} dialogues of both"
        yield Text(against)
        if run.comparison.settings:
            yield Text(f"other settings than now: {_settings(run.comparison)}", style="red")
    if run.judged:
        yield Text(_judged(run.judged))
    yield Text("")
    yield _figures(run)
    if run.dialogues < FEWEST:
        yield Text(f"no intervals: fewer than {FEWEST} dialogues say nothing about others", style="dim")
    yield Text("")
    if run.groups:
        yield _groups(run.groups)
        yield Text("")
    yield _confirmed(run)
    yield _cost(run)
    if run.causes:
        yield Text("")
        yield Text("mistakes, each where it begins", style="bold")
        yield _counts(run.causes)
    worst = _worst(run)
    if worst:
        yield Text("")
        yield Text("slots that are wrong most often", style="bold")
        yield _counts(worst)


def _settings(comparison: Comparison) -> str:
    return "; ".join(
        f"{name} {visible(_setting(one.before))} before, {visible(_setting(one.after))} now"
        for name, one in comparison.settings.items()
    )


def _setting(value: Any) -> str:
    """A setting as it is given on the command line."""
    if value is None:
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _judged(one: Judged) -> str:
    told = f"{one.slots:,} of {one.of_slots:,} slots, {_many(one.values, 'value')} after {_many(one.turns, 'turn')}"
    return f"judged: {told}; not judged, for nobody confirmed or corrected them: {_many(one.unjudged, 'value')}"


def _figures(run: Evaluation) -> Table:
    changes = run.comparison.changes if run.comparison else {}
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for _ in range(4 if changes else 2):
        grid.add_column(justify="right", no_wrap=True)
    heads = ("", "", "95 % interval", "points", "95 % interval")[: 5 if changes else 3]
    grid.add_row(*(Text(one, style="dim") for one in heads))
    for name in (one for one in ABOUT if one in run.figures):
        figure = run.figures[name]
        row = [Text(ABOUT[name][0]), Text(_percent(figure.value)), Text(_interval(figure), style="dim")]
        if changes:
            row += _changed(changes.get(name), less=name in BETTER_WHEN_LESS)
        grid.add_row(*row)
    return grid


def _changed(change: Change | None, *, less: bool) -> list[Text]:
    if change is None:
        return [Text(""), Text("")]
    better = change.difference < 0 if less else change.difference > 0
    style = ("green" if better else "red") if change.sure else ""
    between = "" if change.low is None else f"{100 * change.low:+.1f} to {100 * (change.high or 0):+.1f}"
    return [Text(f"{100 * change.difference:+.1f}", style=style), Text(between, style="dim")]


def _groups(groups: Mapping[str, Mapping[str, Figure]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    for _ in range(3):
        grid.add_column(justify="right", no_wrap=True)
    for name, group in groups.items():
        jga = group["jga"]
        grid.add_row(Text(name), Text(_percent(jga.value)), Text(_interval(jga), style="dim"), Text(f"of {jga.n:,}"))
    return grid


def _confirmed(run: Evaluation) -> Text:
    lost = Text(f"{run.lost_confirmed:,} lost", style="bold red" if run.lost_confirmed else "bold green")
    replaced = f"; the user's words replaced {run.replaced_rightly:,} rightly, {run.replaced_wrongly:,} wrongly"
    return (
        Text(f"confirmed values: {run.confirmed:,} over all turns, {run.at_risk:,} at risk, ") + lost + Text(replaced)
    )


def _cost(run: Evaluation) -> Text:
    told = f"a turn: {run.ms_per_turn_p50 or 0:,.1f} ms in the median, 95 % within {run.ms_per_turn_p95 or 0:,.1f} ms"
    if run.tokens_in is not None and run.turns:
        told += f"; tokens: {run.tokens_in / run.turns:,.0f} in, {(run.tokens_out or 0) / run.turns:,.0f} out"
    if run.replies:
        told += f"; calls: {run.replies['made']:,} made, {run.replies['kept']:,} kept from before"
    return Text(told)


def _worst(run: Evaluation) -> dict[str, int]:
    wrong = {path: one.gold - one.right + one.invented for path, one in run.by_slot.items()}
    ordered = sorted((path for path, count in wrong.items() if count), key=lambda path: -wrong[path])
    return {path: wrong[path] for path in ordered[:_WORST]}


def _counts(counts: Mapping[str, int]) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    for name, count in list(counts.items())[:_WORST]:
        grid.add_row(Text(visible(name)), Text(f"{count:,}"))
    return Padding(grid, (0, 0, 0, 2))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _interval(figure: Figure) -> str:
    return "" if figure.low is None else f"{100 * figure.low:.1f} to {100 * (figure.high or 0):.1f}"

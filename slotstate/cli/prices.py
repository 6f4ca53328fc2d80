"""What a conversation costs, for people: a table of cache profiles, one of models, and what to know beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from slotstate.caching import find_profile
from slotstate.cli.bars import LAYOUTS
from slotstate.cli.text import visible
from slotstate.contract import CostLine, CostReport, ModelCost

MARK: Final = "*"
"""In front of the layout that costs least under a profile."""
NARROW: Final = 72
"""Columns below which only the figures that matter most are shown."""
SLACK: Final = 16
"""Tokens by which an expectation may miss what the simulator reads: the line in which two prompts part."""
CONVERSATIONS: Final = 1_000
"""Conversations that dollars are told for: one costs fractions of a cent."""


def cost_page(report: CostReport) -> Iterator[RenderableType]:
    """The whole report."""
    budget = "no budget" if report.budget is None else f"budget {report.budget:,} tokens"
    requests = f"{report.requests:,} request{'' if report.requests == 1 else 's'}"
    yield Text(f"{requests}, {budget}, counted by {visible(report.counter)}, {report.interval:g} s between messages")
    yield Text("")
    yield _Profiles(report.profiles)
    yield Text("")
    yield _listed(_notes(report))
    if report.models:
        yield Text("")
        yield _models(report)


def _table(*columns: str) -> Table:
    """A table whose columns before an empty name are words, and figures after it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0, show_edge=False, header_style="bold")
    words = columns.index("")
    for at, name in enumerate(columns):
        if at < words:
            table.add_column(name, overflow="fold")
        elif at > words:
            table.add_column(name, justify="right", no_wrap=True)
    return table


def _listed(lines: Iterable[str]) -> RenderableType:
    return Group(*(Text(line, style="dim") for line in lines))


class _Profiles:
    """The table of profiles, with fewer columns where there is little room."""

    def __init__(self, lines: Sequence[CostLine]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= NARROW
        figures = ("Sent", "Read", "Written", "Fresh", "Price", "Ratio") if wide else ("Read", "Price", "Ratio")
        table = _table("Profile", "  Layout", "", *figures)
        before = ""
        for line in self._lines:
            alike = [one for one in self._lines if one.profile == line.profile and _figures(one) == _figures(line)]
            if alike[0] is not line:
                continue
            layout = "either" if alike[1:] else LAYOUTS[line.layout]
            first, best = line.profile != before, _is_best(line, self._lines)
            table.add_row(*_cells(line, layout, first=first, wide=wide, best=best))
            before = line.profile
        yield table


def _figures(line: CostLine) -> tuple[float, ...]:
    return line.sent, line.read, line.written, line.fresh, line.per_request, line.ratio


def _is_best(line: CostLine, lines: Sequence[CostLine]) -> bool:
    """Whether the line's layout costs less than the other one under its profile."""
    return line.cheapest and not all(one.cheapest for one in lines if one.profile == line.profile)


def _cells(line: CostLine, layout: str, *, first: bool, wide: bool, best: bool) -> Iterator[Text]:
    style = "bold green" if best else "dim" if not line.cacheable else ""
    yield Text(visible(line.profile) if first else "", style="bold")
    yield Text(f"{MARK if best else ' '} {layout}", style=style)
    if wide:
        yield Text(f"{line.sent:,}", style=style)
    yield Text(f"{line.read / line.sent:.0%}", style=style)
    if wide:
        yield Text(f"{line.written:,}", style=style)
        yield Text(f"{line.fresh:,}", style=style)
    yield Text(f"{line.per_request:,.0f}", style=style)
    yield Text(f"{line.ratio:.2f}", style=style)


def _notes(report: CostReport) -> Iterator[str]:
    """What the columns mean, under which profiles nothing is cached, and whether the prompts' own predictions hold."""
    yield "Price: of a request, in fresh tokens. Ratio: to the same without any cache."
    if any(_is_best(line, report.profiles) for line in report.profiles):
        yield f"{MARK} The layout that costs less."
    short = _short(report)
    if short:
        longest = max(line.longest for line in report.profiles if not line.cacheable)
        told = "; ".join(f"{', '.join(names)} from {minimum:,} tokens on" for minimum, names in sorted(short.items()))
        yield f"Nothing is cached, as the longest prompt has {longest:,} tokens, under: {told}."
    caching = [line for line in report.profiles if line.cacheable]
    wrong = [line for line in caching if line.off > max(find_profile(line.profile).step, SLACK)]
    for line in wrong:
        where = f"{visible(line.profile)}, {LAYOUTS[line.layout]}"
        told = f"the prompts expected {line.predicted:,} tokens to be read, the simulator read {line.read:,}"
        yield f"{where}: {told}; in one request the two are {line.off:,} apart."
    if caching and not wrong:
        yield "The prompts' own expectations agree with the simulator, request by request."


def _short(report: CostReport) -> dict[int, list[str]]:
    """The profiles under which no prompt is long enough to be cached, by the tokens that it would need."""
    found: dict[int, list[str]] = {}
    for line in report.profiles:
        if not line.cacheable and find_profile(line.profile).rule != "none":
            names = found.setdefault(line.minimum, [])
            names += [line.profile] if line.profile not in names else []
    return found


def _models(report: CostReport) -> RenderableType:
    notes: dict[str, int] = {}
    for model in report.models:
        if model.note:
            notes.setdefault(model.note, len(notes) + 1)
    dollars = f"The prompts of {CONVERSATIONS:,} such conversations in US dollars; sources: docs/caching.md"
    listed = [Text(""), _listed(f"({at}) {note}" for note, at in notes.items())] if notes else []
    return Group(Text(dollars), Text(""), _Models(report.models, notes), *listed)


class _Models:
    """The table of models; where there is little room, without what is cheapest."""

    def __init__(self, models: Sequence[ModelCost], notes: Mapping[str, int]) -> None:
        self._models = models
        self._notes = notes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= NARROW
        ways = ("Cheapest with", "Layout") if wide else ()
        table = _table("Model", *ways, "", "Prompts", "Uncached", "As of")
        for model in self._models:
            table.add_row(*self._cells(model, wide=wide))
        yield table

    def _cells(self, model: ModelCost, *, wide: bool) -> Iterator[Text]:
        yield Text(visible(model.model) + (f" ({self._notes[model.note]})" if model.note else ""))
        if wide:
            yield Text(visible(model.profile), style="dim")
            yield Text(LAYOUTS[model.layout] if model.input != model.uncached else "either", style="dim")
        yield Text(f"{model.input * CONVERSATIONS:,.2f}", style="bold")
        yield Text(f"{model.uncached * CONVERSATIONS:,.2f}")
        yield Text(model.as_of, style="dim")

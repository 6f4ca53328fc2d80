"""The token bar: what each section of a prompt takes of the budget, cached and new apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from slotstate.cli.anatomy import SECTIONS, Anatomy
from slotstate.contract import Prompt
from slotstate.prompt import Budget

CACHED, NEW, FREE = "green", "yellow", "dim"
_BLOCKS: Final = ("█", "▒", "·")
_ASCII: Final = ("#", "+", ".")
"""In place of the blocks where the output has no such characters."""
EPOCHS: Final[Mapping[str, str]] = {
    "start": "the conversation begins",
    "compaction": "turns left it for a summary",
    "idle": "the cache had run out anyway",
    "notes": "too many lines were out of date",
    "task_end": "a task ended",
    "template": "the template changed",
    "locale": "the locale changed",
    "schema": "the schema changed",
    "tools": "the tools changed",
    "masking": "other texts are masked",
    "provider": "another provider or layout",
    "rollback": "the conversation was rolled back",
    "erasure": "something was erased",
    "cleared": "a sensitive slot was emptied",
    "system": "a system message was added",
    "pin": "a message was pinned that no longer stood in it",
}
LAYOUTS: Final[Mapping[str, str]] = {"quotes_last": "quotes last", "append_only": "append only", "live": "live slots"}


class Bar:
    """Tokens as a bar: `cached`, `new` and `free` ones, `whole` tokens being the width that there is."""

    def __init__(self, cached: int, new: int, whole: int, free: int = 0) -> None:
        self._parts = (cached, new, free)
        self._whole = max(whole, 1)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        blocks = _ASCII if options.ascii_only else _BLOCKS
        width = options.max_width
        ends, end = [0], 0
        for tokens in self._parts:
            end += tokens
            cells = round(end * width / self._whole)
            ends.append(min(width, max(cells, ends[-1] + bool(tokens))))  # a few tokens are still to be seen
        text = Text(no_wrap=True, overflow="crop")
        for at, style in enumerate((CACHED, NEW, FREE)):
            text.append(blocks[at] * (ends[at + 1] - ends[at]), style)
        yield text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(4, options.max_width)


def size_of(prompt: Prompt) -> Text:
    """The prompt's tokens, and the budget that they have to fit."""
    size = Text(f"{prompt.tokens or 0:,}", style="bold")
    return Text.assemble(size, " tokens" if prompt.budget is None else f" of {prompt.budget:,} tokens")


def room_line(prompt: Prompt, budget: Budget, tools: int) -> Text | None:
    """How the prompt's budget comes of the window; None where nothing comes off it."""
    if prompt.budget is None or prompt.budget == budget.context:
        return None
    takes = [(budget.reply, "for the reply"), (budget.margin, "as a margin"), (tools, "for the tools' schemas")]
    told = [f"{tokens:,} {what}" for tokens, what in takes if tokens]
    last = f" and {told[-1]}" if told[1:] else ""
    return Text(f"{prompt.budget:,} = {budget.context:,} minus {', '.join(told[:-1] or told)}{last}", style="dim")


def budget_line(prompt: Prompt) -> Text:
    """The prompt's tokens, what of them is cached, and the epoch, in one line."""
    cache = prompt.cache
    if cache is None:
        return Text.assemble("Prompt ", size_of(prompt), style="dim")
    reason = cache["epoch_reason"].replace("_", " ")
    read = f"{cache['expected_cached']:,} read from the cache"
    return Text.assemble("Prompt ", size_of(prompt), f" · {read} · epoch {cache['epoch']} ({reason})", style="dim")


def token_bars(anatomy: Anatomy) -> RenderableType:
    """A bar for the whole prompt in its budget, and one for each section that has tokens."""
    room, total = anatomy.room, anatomy.total
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1, no_wrap=True)
    for _ in range(3):
        grid.add_column(justify="right", no_wrap=True)
    grid.add_row("", "", Text("tokens", style="dim"), Text("cached", style="dim"), Text("share", style="dim"))
    largest = max((anatomy.of(section)[0] for section in SECTIONS), default=0)
    for section in SECTIONS:
        tokens, cached = anatomy.of(section)
        if tokens or section not in _SELDOM:
            bar = Bar(cached, tokens - cached, largest) if tokens else ""
            grid.add_row(section, bar, *_figures(tokens, cached, room or total))
    grid.add_row()
    whole = Bar(anatomy.cached, total - anatomy.cached, room or total, (room or total) - total)
    grid.add_row(Text("all", style="bold"), whole, *_figures(total, anatomy.cached, room or total))
    if room is not None:
        grid.add_row(Text("free", style="dim"), "", *_figures(room - total, 0, room))
    return Group(grid, _Key(room is not None))


_SELDOM: Final = frozenset({"tools"})
"""Sections that are not named where they have no tokens."""


def _figures(tokens: int, cached: int, whole: int) -> Iterator[Text]:
    yield Text(f"{tokens:,}", style="" if tokens else "dim")
    yield Text(f"{cached:,}", style=CACHED if cached else "dim")
    yield Text(f"{tokens / max(whole, 1):.1%}", style="" if tokens else "dim")


class _Key:
    """What the bars' characters mean."""

    def __init__(self, free: bool) -> None:
        self._free = free

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        blocks = _ASCII if options.ascii_only else _BLOCKS
        free = (f"   {blocks[2]} free", FREE) if self._free else ""
        yield Text.assemble((blocks[0], CACHED), " read from the cache   ", (blocks[1], NEW), " new", free, style="dim")

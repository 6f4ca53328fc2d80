"""The timeline of a conversation for people to read: who said what, what it changed, by whose words and which rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, tzinfo
from typing import Final, assert_never

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from slotstate.archive import Acted, Began, Condensed, Kept, Said
from slotstate.cli.bars import EPOCHS
from slotstate.cli.text import Mark, marked, visible
from slotstate.cli.timeline import Happening, Told
from slotstate.cli.turns import Look, decision_lines, extraction_line
from slotstate.cli.versions import WHY, spent
from slotstate.contract import MASK
from slotstate.events import Reset, SlotEvent, Source, UserTurn

FIRST: Final = 160
"""Characters of a user's words that are shown; of others as many as the line has room for."""
_WORDS: Final[Mapping[Source, str]] = {"user": "user", "offer": "user, taking an offer"}
"""Whose words; where the application acts, the rule says so."""


def timeline_page(
    found: Sequence[Happening], told: Sequence[Told], look: Look, zone: tzinfo
) -> Iterator[RenderableType]:
    """A part for each thing that happened, with a line where another day begins."""
    day: date | None = None
    epoch = 0
    for one, shown in zip(found, told, strict=True):
        at = shown.at.astimezone(zone)
        if at.date() != day:
            day = at.date()
            yield Text(f"{day:%Y-%m-%d}", style="bold dim")
        if isinstance(shown, Began):
            yield _grid([_row("", f"{at:%H:%M:%S}", "epoch", Text(_epoch(shown, epoch), style="dim cyan"))])
            epoch = shown.number
        else:
            yield _part(one, shown, look, f"{at:%H:%M:%S}")


def _part(one: Happening, shown: Said | Acted | Kept | Condensed, look: Look, at: str) -> RenderableType:
    match shown:
        case Said():
            rows = [_row(f"[{shown.turn}]", at, shown.role, _words(one, shown, look))]
            more = [*_asked(shown, look), *_result(one, look), *_reported(shown)]
            return Group(_grid(rows), *more)
        case Acted():
            did = _row("", at, "tool" if _by_tool(one) else "app", Text("acts" if one.ruled else "offers", style="dim"))
            return Group(_grid([did]), *_asked(shown, look), *_result(one, look))
        case Kept():
            text = f"message {visible(shown.id)} is {'pinned' if shown.pinned else 'no longer pinned'}"
            return _grid([_row("", at, "pin", Text(text, style="dim"))])
        case Condensed():
            return _grid([_row("", at, "summary", _summary(shown, look))])
        case _:
            assert_never(shown)


def _by_tool(one: Happening) -> bool:
    return any(event.source == "tool" for event, _ in one.ruled)


def _row(number: str, at: str, who: str, text: Text) -> tuple[Text, ...]:
    style = "bold" if who == "user" else "dim"
    return Text(number, style="dim"), Text(at, style="dim"), Text(who, style=style), text


def _grid(rows: Iterable[tuple[Text, ...]]) -> Table:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=5, no_wrap=True, justify="right")
    grid.add_column(width=8, no_wrap=True)
    grid.add_column(width=9, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return grid


def _words(one: Happening, shown: Said, look: Look) -> Text:
    event = one.entry.event
    if not isinstance(event, UserTurn):
        parts = (" ".join(shown.text.split())[:400], *(f"calls {call[:200]}" for call in shown.calls))
        said = " ".join(part for part in parts if part)
        return Text(visible(said), style="dim", no_wrap=True, overflow="ellipsis")
    if not event.text.strip():
        return Text("(nothing)", style="dim")
    marks = [Mark(start, end, "", MASK) for start, end in look.secrets.spans(event.text)]
    spans = (decided.span for decided, _ in one.ruled if decided.span is not None)
    marks += [Mark(*span, "bold cyan") for span in spans if span[1] - span[0] < len(event.text)]
    return marked(event.text, marks, limit=FIRST)


def _asked(shown: Said | Acted, look: Look) -> Iterator[RenderableType]:
    asks = shown.asks if isinstance(shown, Said) else []
    if asks:
        yield _under(Text(f"asks for {', '.join(look.name(path) for path in asks)}", style="dim"))
    if shown.offers:
        offers = (Text(f"{look.name(one.path)} ") + look.value(one.path, one.value) for one in shown.offers)
        line = Text("offers ", style="dim") + Text(", ").join(offers)
        line.stylize("dim")
        yield _under(line)


def _result(one: Happening, look: Look) -> Iterator[RenderableType]:
    """What was decided, each with whose words it goes back to and by which rule; and how the reading went."""
    rules = {id(event): _rule(event, rule) for event, rule in one.ruled}
    lines = decision_lines([event for event, _ in one.ruled], look, under=lambda event: rules[id(event)])
    if lines is not None:
        yield lines
    if one.read is not None and (line := extraction_line(one.read, look, changed=True)) is not None:
        yield line
    elif one.read is None and isinstance(one.entry.event, UserTurn):
        yield _under(Text("! not read yet: it is when its message comes again", style="yellow"))


def _rule(event: SlotEvent | Reset, rule: str) -> Text:
    words = _WORDS.get(event.source)
    return Text(rule if words is None else f"{words}: {rule}", style="dim italic")


def _reported(shown: Said) -> Iterator[RenderableType]:
    """The tokens of reading a user's turn, or of the assistant's reply, where they are known."""
    reading = shown.reading
    if reading is not None and (reading.usage is not None or reading.tries > 1):
        tries = f", in the last of {reading.tries} readings" if reading.tries > 1 else ""
        told = "" if reading.usage is None else f", {spent(reading.usage)}"
        yield _under(Text(f"read by {visible(reading.model or 'the extractor')}{told}{tries}", style="dim"))
    if shown.usage is not None:
        yield _under(Text(f"reported {spent(shown.usage)}", style="dim"))


def _under(what: RenderableType) -> RenderableType:
    return Padding(what, (0, 0, 0, 6))


def _epoch(shown: Began, before: int) -> str:
    why = "goes on with fewer turns" if shown.number == before else EPOCHS[shown.reason]
    window = f", from message {shown.window} on" if shown.window else ""
    size = f", {shown.tokens:,} tokens" if shown.tokens else ""
    return f"{shown.number}: {why}{window}{size}"


def _summary(shown: Condensed, look: Look) -> Text:
    by = f", by {visible(shown.model)}" if shown.model else ""
    used = f", {spent(shown.usage)}" if shown.usage is not None else ""
    if shown.kind == "compaction_failed":
        return Text(f"failed: {look.words(shown.reason or '')}{by}{used}", style="red")
    if shown.kind == "rolled_back":
        return Text(f"version {shown.version}: an earlier one was brought back, with {shown.items} items", style="dim")
    why = WHY[shown.trigger] if shown.trigger is not None else ""
    span = f"messages {shown.since} to {shown.covered - 1}"
    return Text(f"version {shown.version} takes in {span}, because {why}{by}{used}", style="dim cyan")

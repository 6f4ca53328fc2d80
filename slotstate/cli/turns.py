"""A turn as a person sees it: what was said, and what became of each change that was read out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, assert_never

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from slotstate.cli.text import Mark, marked, visible
from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.elicit import say_value
from slotstate.events import (
    AssistantTurn,
    Confirmed,
    Denied,
    Emptied,
    Excluded,
    Extracted,
    Filled,
    MessageEvent,
    Overwritten,
    Pended,
    Reason,
    Rejected,
    Reset,
    Restated,
    SlotEvent,
    Superseded,
    SystemTurn,
    ToolTurn,
    Unchanged,
    Undone,
    UserTurn,
)
from slotstate.masking import Secrets
from slotstate.prompt.scene import masked
from slotstate.slots import Json

SIGNS: Final = """\
✓ filled  ↻ overwritten  ✓✓ confirmed  = said again  ∅ taken back  ⊘ ruled out  ↶ undone
              ↺ a fresh task  ? to be asked about  · nothing to change  ✗ does not count"""
"""The legend of the signs, as help texts show it behind a heading of fourteen characters."""
USER_LIMIT: Final = 320
"""Characters of a user's words that are shown whole."""
_QUOTE_LIMIT: Final = 48
_VALUE_LIMIT: Final = 200
_REASONS: Final[Mapping[Reason, str]] = {
    "unknown_slot": "there is no such slot",
    "invalid_value": "the slot does not accept this value",
    "no_quote": "no words of the user were given for it",
    "quote_not_found": "the user did not say this",
    "does_not_follow": "it does not follow from the user's words",
    "ambiguous": "the words can be read in several ways",
    "not_allowed": "this is not allowed here",
    "nothing_asked": "nothing was asked that this could answer",
    "not_in_list": "the list does not hold this",
    "unknown_offer": "no such value was put forward",
}


class Outcome(NamedTuple):
    """A decision's line: its sign, how the sign looks, and what happened in words."""

    sign: str
    style: str
    body: Text


@dataclass(frozen=True, slots=True)
class Look:
    """How a conversation is shown: its domains, and what of it must be masked."""

    domains: Domains
    secrets: Secrets

    def name(self, path: str) -> str:
        """A slot's path, without its domain where only one is tracked."""
        domain, _, rest = path.partition(".")
        return visible(rest if len(self.domains) == 1 and rest and domain in self.domains else path)

    @property
    def name_width(self) -> int:
        """Cells that the slots' names take, within bounds, so that turns stand in line."""
        return min(24, max(cell_len(self.name(path)) for path in self.domains.specs))

    def value(self, path: str, value: Json) -> Text:
        """A slot's value in one line, masked where it is sensitive."""
        if self.secrets.hides(path) and value is not None:
            return Text(MASK)
        said = say_value(masked(value, self.secrets))
        return marked(said, limit=_VALUE_LIMIT) if said else Text('""')

    def words(self, text: str) -> str:
        """A text of ours or of the assistant, masked and visible."""
        return visible(self.secrets.mask(text))


def message_line(message: MessageEvent, look: Look, decided: Iterable[SlotEvent | Reset] = ()) -> RenderableType:
    """What was said, and by whom. A user's words are shown with the quotes in them highlighted, others in one line."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=4, no_wrap=True, justify="right")
    grid.add_column(width=9, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    number = Text(f"[{message.turn}]", style="dim")
    match message:
        case UserTurn():
            text = _user_words(message.text, look, decided)
            grid.add_row(number, Text("user", style="bold"), text)
        case AssistantTurn() | ToolTurn() | SystemTurn():
            text = Text(look.words(_other_words(message)), style="dim", no_wrap=True, overflow="ellipsis")
            grid.add_row(number, Text(message.kind, style="dim"), text)
        case _:
            assert_never(message)
    return grid


def _other_words(message: AssistantTurn | ToolTurn | SystemTurn) -> str:
    calls = message.tool_calls if isinstance(message, AssistantTurn) else ()
    return " ".join(
        part for part in (message.text[:400], *(f"{call.name}({call.arguments[:200]})" for call in calls)) if part
    )


def _user_words(text: str, look: Look, decided: Iterable[SlotEvent | Reset]) -> Text:
    marks = [Mark(start, end, "", MASK) for start, end in look.secrets.spans(text)]
    quotes = [event.span for event in decided if event.span is not None and event.span[1] - event.span[0] < len(text)]
    marks += [Mark(start, end, "bold cyan") for start, end in quotes]
    return marked(text, marks, limit=USER_LIMIT) if text.strip() else Text("(nothing)", style="dim")


def decision_lines(
    decided: Iterable[SlotEvent | Reset], look: Look, *, under: Callable[[SlotEvent | Reset], Text] | None = None
) -> RenderableType | None:
    """A line for each decision, with what stands `under` it; None when there is none."""
    rows: list[_Row] = []
    shown: set[tuple[str, ...]] = set()
    for event in decided:
        sign, style, body = describe(event, look)
        path = visible(event.domain) if isinstance(event, Reset) else look.name(event.path)
        line = body + _quoted(event, look)
        if (sign, path, line.plain) not in shown:  # each of several candidates leaves the same words
            shown.add((sign, path, line.plain))
            rows.append((Text(sign, style=style), path, (line,) if under is None else (line, under(event))))
    return _indented(_Decisions(rows, look.name_width)) if rows else None


_Row: TypeAlias = tuple[Text, str, tuple[Text, ...]]
"""A sign, the name of a slot, and the lines about it."""
_ROOM: Final = 20
"""Cells without which words beside a name are too narrow to be read."""


@dataclass(frozen=True, slots=True)
class _Decisions:
    """Lines about slots: their names beside them, or above them on a narrow screen."""

    rows: Sequence[_Row]
    name_width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The grid as it fits."""
        beside = options.max_width >= self.name_width + _ROOM + 4
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(width=2, no_wrap=True)
        if beside:
            grid.add_column(width=self.name_width, overflow="fold")
        grid.add_column(ratio=1, overflow="fold")
        for sign, name, lines in self.rows:
            if beside:
                first, *rest = lines
                grid.add_row(sign, Text(name), first)
                for line in rest:
                    grid.add_row("", "", line)
            else:
                grid.add_row(sign, Text(name, style="bold"))
                for line in lines:
                    grid.add_row("", line)
        yield grid


def extraction_line(extracted: Extracted, look: Look, changed: bool) -> RenderableType | None:
    """What is to be said about the reading of a turn as a whole: a failure, what the user asked about, or no change."""
    error = look.words(extracted.error or "no reason given")
    lines: list[Text] = []
    if extracted.result == "failed":
        lines.append(Text(f"! not read: {error}", style="red"))
    elif extracted.result == "partial":
        lines.append(Text(f"! read in part: {error}", style="yellow"))
    if extracted.requested:
        asked = ", ".join(look.name(path) for path in extracted.requested)
        lines.append(Text(f"the user asks about: {asked}", style="cyan"))
    if not lines and not changed:
        lines.append(Text("no change", style="dim"))
    return _indented(Group(*lines)) if lines else None


def _indented(what: RenderableType) -> RenderableType:
    return Padding(what, (0, 0, 0, 5))


def _quoted(event: SlotEvent | Reset, look: Look) -> Text:
    """The words for a decision, masked where they hold a secret, with room before them; nothing where it has none."""
    if not event.quote:
        return Text("")
    marks = [Mark(start, end, "", MASK) for start, end in look.secrets.spans(event.quote)]
    if isinstance(event, Filled | Overwritten | Rejected) and event.source == "user" and look.secrets.hides(event.path):
        marks = marks or [Mark(0, len(event.quote), "", MASK)]  # the value stands in it, in words that are not known
    return Text("  “", style="dim") + marked(event.quote, marks, limit=_QUOTE_LIMIT) + Text("”", style="dim")


def describe(event: SlotEvent | Reset, look: Look) -> Outcome:
    """What happened, in a sign and a few words."""
    match event:
        case Filled() | Overwritten() | Confirmed() | Restated() | Undone():
            return _holds(event, look)
        case Emptied() | Excluded() | Denied():
            return _lost(event, look)
        case Reset():
            return Outcome("↺", "yellow", Text("a fresh task begins; its slots start clean"))
        case Pended():
            return Outcome("?", "magenta", _pended(event, look))
        case Unchanged():
            return Outcome("·", "dim", Text(f"nothing to change{_because(event, look)}", style="dim"))
        case Superseded():
            late = _because(event, look, "it came too late")
            return Outcome("✗", "dim", _proposed(event, look) + Text(f" does not count{late}"))
        case Rejected():
            return Outcome("✗", "red", _proposed(event, look) + Text(f" rejected{_because(event, look)}"))
        case _:
            assert_never(event)


def _holds(event: Filled | Overwritten | Confirmed | Restated | Undone, look: Look) -> Outcome:
    match event:
        case Filled():
            return Outcome("✓✓" if event.confirmed else "✓", "green", _new(event, look) + _how(event))
        case Overwritten():
            old = look.value(event.path, event.old)
            return Outcome("↻", "yellow", old + Text(" → ", style="dim") + _new(event, look) + _how(event))
        case Confirmed():
            tacit = "" if event.quote or event.source == "app" else " (the user went on without objecting)"
            return Outcome("✓✓", "bold green", _new(event, look) + Text(f" confirmed{tacit}"))
        case Restated():
            return Outcome("=", "green", _new(event, look) + Text(" again"))
        case Undone():
            return Outcome("↶", "yellow", _undone(event, look))


def _lost(event: Emptied | Excluded | Denied, look: Look) -> Outcome:
    match event:
        case Emptied():
            out = " and ruled out" if event.excludes else ""
            return Outcome("∅", "yellow", look.value(event.path, event.old) + Text(f" taken back{out}"))
        case Excluded():
            return Outcome("⊘", "yellow", Text("not ") + look.value(event.path, event.value))
        case Denied():
            return Outcome("?", "magenta", _denied(event, look))


def _new(event: SlotEvent, look: Look) -> Text:
    return look.value(event.path, "dontcare" if event.dontcare else event.value)


def _how(event: Filled | Overwritten) -> Text:
    if event.source == "offer":
        return Text(" (taken from what was offered)", style="dim")
    return Text(" (understood, not said)", style="dim") if event.grade == "meant" else Text("")


def _proposed(event: SlotEvent, look: Look) -> Text:
    verb = "" if event.op in {"set", "add"} else f"{event.op} "
    if event.value is None and not event.dontcare:
        return Text(event.op)
    return Text(verb) + _new(event, look)


def _because(event: SlotEvent, look: Look, otherwise: str = "") -> str:
    detail = None if look.secrets.hides(event.path) else event.detail
    words = (detail or "").removeprefix(f"{event.path}: ") or (_REASONS[event.reason] if event.reason else otherwise)
    return f": {look.words(words)}" if words else ""


def _denied(event: Denied, look: Look) -> Text:
    if event.old is None:
        return Text("refused; what was offered is closed")
    return look.value(event.path, event.old) + Text(" refused; it stays until there is another value")


def _undone(event: Undone, look: Look) -> Text:
    back = Text("empty") if event.value is None and not event.dontcare else _new(event, look)
    now = Text("empty") if event.old is None else look.value(event.path, event.old)
    if event.detail is not None:  # the value is the same: its confirmation is taken back
        return now + Text(f" {event.detail}") + Text(" (taken back)", style="dim")
    if event.result == "confirmed":
        return now + Text(" confirmed again") + Text(" (taken back)", style="dim")
    return now + Text(" → ", style="dim") + back + Text(" (taken back)", style="dim")


def _pended(event: Pended, look: Look) -> Text:
    kept = Text("") if event.old is None else look.value(event.path, event.old) + Text(" stays; ")
    candidates = Text(", ").join(look.value(event.path, value) for value in event.values)
    match event.why:
        case "stale":
            return look.value(event.path, event.old) + Text(" is old by now: to be asked again")
        case "ambiguous":
            return kept + Text("to be asked which is meant: ") + candidates
        case "denied":
            return kept + Text("refused: to be asked again")
        case "conflict":
            asked = Text("to be asked whether it becomes ") + candidates if event.values else Text("to be asked again")
            return kept + asked + Text(_because(event, look) if event.detail else "", style="dim")

"""The slots of a conversation as a table, with what is missing and what to ask next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from slotstate.chat import Chat
from slotstate.cli.text import visible
from slotstate.cli.turns import Look
from slotstate.contract import View
from slotstate.elicit import Missing
from slotstate.state import SlotState, State, replay
from slotstate.values import jsonable

_STATUS: Final[Mapping[str, tuple[str, str]]] = {
    "empty": ("–", "dim"),
    "filled": ("✓ filled", "green"),
    "confirmed": ("✓✓ confirmed", "bold green"),
}
_REASONS: Final[Mapping[str, str]] = {"empty": "", "unconfirmed": "to be confirmed"}


def state_of(chat: Chat) -> State:
    """The state that the conversation's log makes."""
    return replay(entry.event for entry in chat.entries)


def slot_table(chat: Chat, look: Look, *, touched: bool = False) -> RenderableType:
    """Domain, slot, value, status and source of every slot, or of those `touched` so far."""
    table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1), header_style="bold", show_edge=False)
    table.add_column("Domain", overflow="fold", max_width=14)
    table.add_column("Slot", overflow="fold", max_width=20)
    table.add_column("Value", overflow="fold", min_width=12)
    table.add_column("Status", no_wrap=True)
    table.add_column("From", no_wrap=True)
    state = state_of(chat)
    for name, domain in chat.domains.items():
        views = chat.state[name]
        shown = [slot for slot, spec in domain.slots.items() if not touched or spec.path in state.slots]
        for slot in shown:
            path = f"{name}.{slot}"
            first = Text(name if slot == shown[0] else "", style="bold")
            table.add_row(first, slot, _value(path, views[slot], look), _status(views[slot]), _source(views[slot]))
    return table if table.row_count else Text("Nothing is known yet.", style="dim")


def outlook(chat: Chat, look: Look) -> RenderableType:
    """What is missing, and the next question."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=8, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    lines = list(_missing(chat, look))
    for index, line in enumerate(lines):
        grid.add_row(Text("Missing" if index == 0 else "", style="bold"), line)
    question = chat.next_question()
    asked = Text(look.words(question.text)) if question is not None else Text("nothing is left to ask", style="green")
    grid.add_row(Text("Next", style="bold"), asked)
    return grid


def overview(chat: Chat, look: Look, *, touched: bool = False) -> RenderableType:
    """The table and the outlook, and what the schema has no place for."""
    parts: list[RenderableType] = [slot_table(chat, look, touched=touched), Text(""), outlook(chat, look)]
    if chat.aside:
        parts += [Text(""), aside_page(chat, look)]
    return Group(*parts)


def aside_page(chat: Chat, look: Look) -> RenderableType:
    """What the log holds and no slot of the schema can, with the reason."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=8, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for index, one in enumerate(chat.aside):
        value = look.value(one.now or one.path, one.value)
        line = Text.assemble(look.name(one.path), " ", value, Text(f"  {visible(one.detail)}", style="dim"))
        grid.add_row(Text("Aside" if index == 0 else "", style="bold"), line)
    return grid


def _missing(chat: Chat, look: Look) -> Iterator[Text]:
    slots = state_of(chat).slots
    spoken = {path.partition(".")[0] for path, slot in slots.items() if _is_used(slot)}
    for name in chat.domains:
        if spoken and name not in spoken:
            continue
        missing = chat.missing(name)
        if missing:
            yield Text(", ").join(_lacking(item, look) for item in missing)
        elif len(chat.domains) > 1:
            yield Text(f"{name}: nothing")
        else:
            yield Text("nothing")
    idle = [name for name in chat.domains if spoken and name not in spoken]
    if idle:
        yield Text(f"({', '.join(idle)}: not spoken of)", style="dim")


def _is_used(slot: SlotState) -> bool:
    return slot.is_held or slot.pending is not None or bool(slot.held.excluded)


def _lacking(item: Missing, look: Look) -> Text:
    reason = _REASONS.get(item.reason, item.reason)
    return Text(look.name(item.path)) + Text(f" ({reason})" if reason else "", style="magenta")


def _value(path: str, view: View, look: Look) -> Text:
    lines: list[Text] = []
    if view.status != "empty":
        lines.append(look.value(path, "dontcare" if view.dontcare else jsonable(view.value)))
    if view.excluded:
        excluded = Text(", ").join(look.value(path, jsonable(value)) for value in view.excluded)
        lines.append(Text("not ", style="yellow") + excluded)
    if view.pending is not None and view.pending.values:
        candidates = Text(" or ").join(look.value(path, jsonable(value)) for value in view.pending.values)
        lines.append(Text("? ", style="magenta") + candidates)
    if view.offers and view.status == "empty":
        offered = Text(", ").join(look.value(path, jsonable(offer.value)) for offer in view.offers)
        lines.append(Text("offered: ", style="dim") + offered)
    return Text("\n").join(lines)


def _status(view: View) -> Text:
    if view.pending is not None:
        return Text(f"? {view.pending.why}", style="magenta")
    words, style = _STATUS[view.status]
    return Text(words, style=style)


def _source(view: View) -> Text:
    if view.source is None:
        return Text("")
    return Text(view.source) + Text("" if view.turn is None else f" [{view.turn}]", style="dim")

"""A prompt's messages, its ledger and its cache, for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from slotstate.caching import Profile
from slotstate.cli.anatomy import Anatomy
from slotstate.cli.bars import CACHED, EPOCHS, LAYOUTS, NEW
from slotstate.cli.text import visible
from slotstate.contract import Cache, Prompt

HEAD: Final = 12
TAIL: Final = 8
"""Lines of a long message that are shown, of its beginning and of its end."""
WIDE: Final = 600
"""Characters of a long line that are shown, half of them from its end."""
_ROLES: Final[Mapping[str, str]] = {"user": "bold cyan", "assistant": "bold", "tool": "bold magenta"}


def lines_of(message: Mapping[str, Any]) -> list[str]:
    """A message's content and calls in lines, as they are."""
    lines = str(message["content"] or "").split("\n") if message.get("content") else []
    for call in message.get("tool_calls", ()):
        lines.append(f"calls {call['function']['name']}({call['function']['arguments']})  [{call['id']}]")
    return lines


def title(message: Mapping[str, Any]) -> str:
    """A message's role, and the call that it answers."""
    answered = message.get("tool_call_id")
    return message["role"] if answered is None else f"{message['role']} [{answered}]"


def messages_page(prompt: Prompt, parts: Anatomy, *, full: bool) -> RenderableType:
    """Each message with its sections; long ones cut unless `full`. A rule parts what is cached from what is new."""
    shown: list[RenderableType] = []
    parted = parts.cached == 0
    for at, message in enumerate(prompt.messages):
        stretches = parts.within(at)
        tokens, cached = sum(one.tokens for one in stretches), sum(one.cached for one in stretches)
        if not parted and cached < tokens:
            parted = True
            shown.append(_seam(parts.cached, cached))
        if at:
            shown.append(Text(""))
        shown.append(_head(at, message, parts))
        shown.append(Padding(_body(message, full=full), (0, 0, 0, 5)))
    if not parted:
        shown.append(_seam(parts.cached, 0))
    return Group(*shown)


def _seam(cached: int, beyond: int) -> RenderableType:
    partly = f", {beyond:,} of them in the message below" if beyond else ""
    return Rule(Text(f"read from the cache up to here: {cached:,} tokens{partly}", style=CACHED), characters="─")


def _head(at: int, message: Mapping[str, Any], parts: Anatomy) -> RenderableType:
    stretches = parts.within(at)
    tokens, cached = sum(one.tokens for one in stretches), sum(one.cached for one in stretches)
    sizes: dict[str, int] = {}
    for one in stretches:
        sizes[one.section] = sizes.get(one.section, 0) + one.tokens
    told = " + ".join(sizes) if len(sizes) == 1 else " + ".join(f"{name} {size:,}" for name, size in sizes.items())
    number = parts.numbers.get(at)
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=4, no_wrap=True, justify="right")
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(no_wrap=True, justify="right")
    name = Text(visible(title(message)), style=_ROLES.get(message["role"], "bold green"))
    state = ("cached", CACHED) if cached == tokens else ("partly cached" if cached else "new", NEW)
    grid.add_row(
        Text("" if number is None else f"[{number}]", style="dim"),
        Text.assemble(name, (f"  {told}", "dim")),
        Text.assemble(f"{tokens:,}  ", state),
    )
    return grid


def _body(message: Mapping[str, Any], *, full: bool) -> Text:
    lines = lines_of(message)
    text = Text(overflow="fold")
    if full or len(lines) <= HEAD + TAIL + 1:
        kept, left, gone = lines, [], []
    else:
        kept, gone, left = lines[:HEAD], lines[HEAD:-TAIL], lines[-TAIL:]
    shown = [_line(line, full=full) for line in kept]
    if gone:
        size = sum(map(len, gone)) + len(gone)
        shown.append(Text(f"… {len(gone):,} lines, {size:,} characters left out (--full shows them)", style="dim"))
        shown += [_line(line, full=full) for line in left]
    for index, line in enumerate(shown):
        text.append("\n" if index else "").append_text(line)
    return text


def _line(line: str, *, full: bool) -> Text:
    if full or len(line) <= WIDE:
        return Text(visible(line))
    half = WIDE // 2
    return Text.assemble(visible(line[:half]), (f" … {len(line) - WIDE:,} characters … ", "dim"), visible(line[-half:]))


def ledger_page(prompt: Prompt) -> RenderableType:
    """What was shortened or dropped, and why."""
    lines = [line for line in prompt.ledger if line.action != "kept"]
    if not lines:
        return Text("Ledger   nothing was dropped or shortened", style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=7, no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for index, line in enumerate(lines):
        grid.add_row(
            Text("Ledger" if index == 0 else "", style="bold"),
            Text(line.action, style="yellow"),
            Text(f"{line.section} {visible(line.id)}" if line.id != line.section else line.section),
            Text(visible(line.reason or "")),
        )
    return grid


def cache_page(cache: Cache, profile: Profile, tokens: int, tools: int = 0) -> RenderableType:
    """The epoch with its reason, the layout, and what the prompt of so many tokens costs, the tools' among them."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=7, no_wrap=True)
    grid.add_column(overflow="fold")
    reason = EPOCHS.get(cache["epoch_reason"], cache["epoch_reason"])
    grid.add_row(Text("Epoch", style="bold"), Text(f"{cache['epoch']}: {reason}"))
    grid.add_row(Text("Cache", style="bold"), Text("; ".join(_told(cache, profile, tokens, tools))))
    return grid


def _told(cache: Cache, profile: Profile, tokens: int, tools: int) -> Iterator[str]:
    cost = cache["cost"]
    yield f"{profile.name}, {LAYOUTS[cache['layout']]}"
    if profile.rule == "none":
        return
    if cache["layout"] == "live":
        yield f"{profile.name} caches from {profile.minimum:,} tokens on, so the slots are written anew each time"
        return
    yield f"{cache['stable_tokens']:,} tokens stay as they are"
    if cost["written"]:
        yield f"{cost['written']:,} written"
    if profile.rule == "breakpoints":
        yield f"breakpoints after {_and([format(mark['tokens'], ',') for mark in cache['breakpoints']])} tokens"
    among = " with the tools'" if tools else ""
    yield f"costs as much as {cost['equivalents']:,.0f} uncached tokens, of {tokens:,}{among}"


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

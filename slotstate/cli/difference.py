"""What changed from one prompt to the next: which bytes stayed, what came, what went, and why an epoch began."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from slotstate.cli.anatomy import counter_of
from slotstate.cli.bars import EPOCHS
from slotstate.cli.pages import lines_of, title
from slotstate.cli.text import visible
from slotstate.contract import Prompt, PromptChange
from slotstate.prompt import Budget
from slotstate.tokens import message_tokens, overhead_of, tools_tokens

CONTEXT: Final = 3
"""Lines around a change."""
_STYLES: Final[Mapping[str, str]] = {"+": "green", "-": "red", "@": "cyan"}
_PLACE: Final = re.compile(r"([-+])(\d+)")


def change_between(before: tuple[int, Prompt], after: tuple[int, Prompt], budget: Budget) -> PromptChange:
    """The change from one prompt to a later one, each with the number of messages before it."""
    counter = counter_of(budget)
    old, new = before[1], after[1]
    same = _common(old.messages, new.messages)
    tokens = tools_tokens(counter, budget.tools) + sum(message_tokens(counter, one) for one in new.messages[:same])
    part = _part(old.messages[same : same + 1], new.messages[same : same + 1])
    tokens += message_tokens(counter, part) if part else 0
    beside = tools_tokens(counter, budget.tools) - overhead_of(counter).reply - tokens
    epoch = new.cache
    began = epoch is not None and old.cache is not None and epoch["epoch"] != old.cache["epoch"]
    return PromptChange(
        before=before[0],
        after=after[0],
        same_messages=same,
        same_characters=len(part["content"]) if part else 0,
        same_tokens=tokens,
        added_tokens=max(0, (new.tokens or 0) + beside),
        removed_tokens=max(0, (old.tokens or 0) + beside),
        new_epoch=epoch["epoch_reason"] if epoch is not None and began else None,
        diff="\n".join(_diff(before, after)),
    )


def _common(old: Sequence[Any], new: Sequence[Any]) -> int:
    """How many items both begin with."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))


def _part(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """What the first messages that differ both begin with, as a message; None for nothing."""
    if not old or not new or title(old[0]) != title(new[0]):
        return None
    texts = [str(one[0]["content"] or "") for one in (old, new)]
    same = _common(*texts)
    return {"role": new[0]["role"], "content": texts[0][:same]} if same else None


def change_page(change: PromptChange, before: Prompt, after: Prompt) -> RenderableType:
    """What stayed, came and went, in a few lines."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=7, no_wrap=True)
    grid.add_column(overflow="fold")
    rows = {
        "Before": f"the prompt before message {change.before}",
        "Same": f"{change.same_tokens:,} tokens, byte for byte: {_stretch(change)}",
        "Added": f"{change.added_tokens:,} tokens behind them",
        "Removed": f"{change.removed_tokens:,} tokens that stood behind them" if change.removed_tokens else "nothing",
        "Epoch": _epoch(change, after),
        "Slots": _slots(before, after),
    }
    for name, told in rows.items():
        if not told:
            continue
        grid.add_row(Text(name, style="bold"), Text(told))
    return grid


def _stretch(change: PromptChange) -> str:
    count = change.same_messages
    messages = f"the first {count} messages" if count != 1 else "the first message"
    if not change.same_characters:
        return messages if count else "nothing"
    part = f"{change.same_characters:,} characters of the next" if count else "the beginning of the first"
    return f"{messages} and {part}" if count else part


def _epoch(change: PromptChange, after: Prompt) -> str:
    cache = after.cache
    if cache is None:
        return "none"
    if change.new_epoch is not None:
        return f"a new one, {cache['epoch']}: {EPOCHS.get(change.new_epoch, change.new_epoch)}"
    live = "; while nothing can be cached the slots are written anew each time" if cache["layout"] == "live" else ""
    return f"{cache['epoch']} goes on{live}"


def _slots(before: Prompt, after: Prompt) -> str:
    """What it means that the slots are no longer written anew each time, or are again."""
    was, now = (one.cache is not None and one.cache["layout"] == "live" for one in (before, after))
    if was and not now:
        return (
            "frozen from here on, as the prompt is long enough to be cached: they stand as they are now, and what "
            "changes them follows as notes"
        )
    return "written anew each time from here on, as the prompt is too short to be cached" if now and not was else ""


def diff_lines(change: PromptChange) -> Iterator[Text]:
    """The unified diff in colour."""
    for line in change.diff.split("\n") if change.diff else ():
        heading = line.startswith(("+++", "---"))
        yield Text(line, style="bold" if heading else _STYLES.get(line[:1], ""), overflow="fold")


def _diff(before: tuple[int, Prompt], after: tuple[int, Prompt]) -> Iterator[str]:
    """A unified diff of the prompts' text. What both begin with is not compared line by line: it may be long."""
    old, new = (list(_text(prompt.messages)) for _, prompt in (before, after))
    skip = max(_common(old, new) - CONTEXT, 0)
    name, other = (f"the prompt before message {number}" for number, _ in (before, after))
    for line in unified_diff(old[skip:], new[skip:], name, other, lineterm="", n=CONTEXT):
        yield _PLACE.sub(lambda found: f"{found[1]}{int(found[2]) + skip}", line) if line.startswith("@@") else line


def _text(messages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The messages in lines fit for a terminal, each message under its role."""
    for message in messages:
        yield f"[{visible(title(message))}]"
        yield from map(visible, lines_of(message))

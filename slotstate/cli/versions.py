"""The history of a summary for people to read: each version as a diff, what was left out, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from slotstate.archive import Amended, Failure, Inspection, Version
from slotstate.cli.text import visible
from slotstate.events import Item, Lost, Trigger, Usage

WHY: Final[Mapping[Trigger, str]] = {
    "window": "turns were leaving the prompt",
    "high": "the prompt stood above the high mark",
    "limit": "the prompt no longer fitted",
    "manual": "it was asked for",
    "overflow": "the provider said that the prompt was too long",
}
KINDS: Final = {"failed": "failed try", "open": "still open", "tool": "tool result"}
"""Kinds of items, where another word says more."""
_MEASURED: Final[Mapping[str, str]] = {
    "slots": "slots",
    "numbers": "numbers",
    "negations": "negations",
    "open": "open tasks",
}
_ALARMS: Final[Mapping[str, str]] = {
    "orphans": "tool messages parted from their calls",
    "protocol_errors": "places for which a provider would refuse the prompt",
    "stale": "items that tell an old value of a slot",
    "secrets": "items with something that must be masked",
}
"""Measures that should be 0."""


def version_page(version: Version, turns: Mapping[str, int]) -> RenderableType:
    """One version. `turns` has the numbers of messages by their ids."""
    rows = [
        *(_item_row("+", "green", item, turns) for item in version.added),
        *(row for one in version.amended for row in _amended(one, turns)),
        *(_lost_row("-", "red", one) for one in version.dropped),
    ]
    parts: list[RenderableType] = [_head(version), _indented(Text(_told(version)))]
    if rows:
        parts.append(_indented(_grid(rows)))
    if not rows:
        parts.append(_indented(Text("no item changed", style="dim")))
    if version.left_out:
        parts.append(_indented(Text("Left out, samples to review:", style="dim")))
        parts.append(_indented(_grid(_lost_row("·", "dim", one) for one in version.left_out)))
    if version.refused:
        parts.append(_indented(Text("Refused of what the model wrote:", style="yellow")))
        parts.append(_indented(_grid((Text("!", style="yellow"), Text(visible(line))) for line in version.refused)))
    if version.measures:
        parts.append(_indented(Text(_sizes(version.measures, version.usage), style="dim")))
        parts += [_indented(line) for line in _survival(version.measures)]
        parts += [_indented(line) for line in _alarms(version.measures)]
    return Group(*parts)


def failure_page(failure: Failure) -> RenderableType:
    """A compaction that came to nothing."""
    head = Text.assemble(("Failed", "bold red"), f"  {failure.at:%Y-%m-%d %H:%M:%S}  by {visible(failure.model)}")
    usage = f"; {_tokens(failure.usage)}" if failure.usage is not None else ""
    told = Text(f"begun because {WHY[failure.trigger]}{usage}; summary and prompt stayed as they were")
    return Group(head, _indented(told), _indented(Text(visible(failure.reason), style="red")))


def history_pages(
    versions: Sequence[Version], failures: Iterable[Failure], turns: Mapping[str, int]
) -> Iterator[RenderableType]:
    """Versions and failures in the order in which they came."""
    behind: dict[int, list[Failure]] = {}
    for failure in failures:
        behind.setdefault(failure.version, []).append(failure)
    yield from map(failure_page, behind.get(0, ()))
    for version in versions:
        yield version_page(version, turns)
        yield from map(failure_page, behind.get(version.version, ()))


def items_page(items: Sequence[Item], turns: Mapping[str, int]) -> RenderableType:
    """The items of the present summary."""
    return _indented(_grid(_item_row("", "", item, turns) for item in items))


def session_page(inspected: Inspection) -> RenderableType:
    """The measures of the whole session."""
    told = inspected.measures
    counts = ", ".join(
        _count(int(told[name]), noun)
        for name, noun in (("compactions", "compaction"), ("failures", "failure"), ("rollbacks", "rollback"))
    )
    sizes = (
        f"{told['tokens_covered']:,.0f} tokens of messages are told in {told['tokens_summary']:,.0f}"
        f" ({_share(told['ratio'])}); {told['tokens_spent']:,.0f} were spent on summaries"
    )
    said = int(told["repeated"])
    again = f"the user said a constraint again {_count(said, 'time')}" if said else ""
    lines = [counts, sizes, again]
    return Group(
        Text("Session", style="bold"),
        *(_indented(Text(line)) for line in lines if line),
        *(_indented(line) for line in _survival(told)),
        *(_indented(line) for line in _alarms(told)),
    )


def _head(version: Version) -> Text:
    made = f"by {visible(version.model)}" if version.model else f"version {version.to} brought back"
    return Text.assemble((f"Version {version.version}", "bold"), f"  {version.at:%Y-%m-%d %H:%M:%S}  {made}")


def _told(version: Version) -> str:
    if version.trigger is None:
        return f"covers {_range(0, version.covered)}; {_count(version.items, 'item')}"
    taken = _range(version.since, version.covered)
    return f"took in {taken}, because {WHY[version.trigger]}; {_count(version.items, 'item')}"


def _range(since: int, until: int) -> str:
    if until - since < 1:
        return "no messages"
    return f"message {since}" if until - since == 1 else f"messages {since} to {until - 1}"


def _item_row(sign: str, style: str, item: Item, turns: Mapping[str, int]) -> tuple[Text, ...]:
    where = ", ".join(str(turns.get(source, visible(source))) for source in item.sources)
    text = Text(visible(item.text))
    if item.quote is not None and item.quote not in item.text:
        text.append(f"  “{visible(item.quote)}”", "dim")
    slot = f" {visible(item.path)}" if item.path else ""
    text.append(f"  [{where}]{slot}", "dim")
    return Text(sign, style=style), Text(KINDS.get(item.kind, item.kind)), text


def _amended(one: Amended, turns: Mapping[str, int]) -> Iterator[tuple[Text, ...]]:
    yield _item_row("~", "yellow", one.after, turns)
    if one.before.text != one.after.text:
        yield Text(""), Text("was", style="dim"), Text(visible(one.before.text), style="dim")


def _lost_row(sign: str, style: str, lost: Lost) -> tuple[Text, ...]:
    text = Text.assemble(visible(lost.text), (f"  {visible(lost.reason)}", "dim italic"))
    return Text(sign, style=style), text


def _grid(rows: Iterable[tuple[Text, ...]]) -> RenderableType:
    """Rows of a sign and a text, with a kind between them where they have one."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=1, no_wrap=True)
    grid.add_column(width=11, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    bare = Table.grid(padding=(0, 1), expand=True)
    bare.add_column(width=1, no_wrap=True)
    bare.add_column(ratio=1, overflow="fold")
    parts: list[RenderableType] = []
    for row in rows:
        table = grid if len(row) == 3 else bare
        table.add_row(*row)
    parts += [table for table in (grid, bare) if table.row_count]
    return Group(*parts)


def _sizes(measures: Mapping[str, float], usage: Usage | None) -> str:
    before, after = measures.get("tokens_before", 0), measures.get("tokens_after", 0)
    spent = f"; {_tokens(usage)}" if usage is not None else ""
    return f"{before:,.0f} tokens became {after:,.0f} ({_share(measures.get('ratio', 1))}){spent}"


def _share(ratio: float) -> str:
    return f"{ratio:.0%}" if ratio >= 0.01 or not ratio else f"{ratio:.1%}"


def spent(usage: Usage, noun: str = "attempt") -> str:
    """Tokens in and out, as far as they are known, and in how many attempts, where there were several."""
    counts = (usage.tokens_in, " in"), (usage.tokens_cached or None, " of them cached"), (usage.tokens_out, " out")
    told = [f"{count:,}{way}" for count, way in counts if count is not None]
    tries = f" by {_count(usage.attempts, noun)}" if usage.attempts > 1 else ""
    return (", ".join(told).replace(" ", " tokens ", 1) if told else "an unknown number of tokens") + tries


def _tokens(usage: Usage) -> str:
    read, wrote = usage.tokens_in, usage.tokens_out
    told = "an unknown number of tokens" if read is None and wrote is None else f"{(read or 0) + (wrote or 0):,} tokens"
    return f"{told} spent in {_count(usage.attempts, 'attempt')}"


def _survival(measures: Mapping[str, float]) -> Iterator[Text]:
    told = [
        f"{round(measures[name] * measures[f'{name}_kept']):,} of {measures[name]:,.0f} {noun}"
        for name, noun in _MEASURED.items()
        if measures.get(name) and f"{name}_kept" in measures
    ]
    if told:
        yield Text(f"kept at least {', '.join(told)}", style="dim")


def _alarms(measures: Mapping[str, float]) -> Iterator[Text]:
    for name, what in _ALARMS.items():
        if measures.get(name):
            yield Text(f"! {measures[name]:,.0f} {what}", style="red")


def _indented(what: RenderableType) -> RenderableType:
    return Padding(what, (0, 0, 0, 2))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

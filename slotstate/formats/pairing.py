"""Calls and their results brought together: each group whole, each result behind its call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from slotstate.formats.mending import Item, Say, record
from slotstate.formats.reading import Message, is_blank, is_text, parts_of, shown, text_part
from slotstate.formats.rules import NO_RESULT, Rules, fitted


@dataclass(slots=True)
class _Call:
    """A call: the id that it came with, the one that it gets, and its result once that is found."""

    given: object
    ident: str
    result: Item | None = None


@dataclass(slots=True)
class _Group:
    """A message with its calls and the results in the order in which they came, or any other message."""

    item: Item
    calls: list[_Call] = field(default_factory=list)
    results: list[Item] = field(default_factory=list)


def paired(items: Sequence[Item], rules: Rules, say: Say) -> list[Item]:
    """The items with every result directly behind its call, in the order in which they came. A call without one gets
    `[no result]`; a result without a call, or a second one, becomes a record in a user message.
    """
    groups: list[_Group] = []
    used: set[str] = set()
    for item in items:
        if item.role != "tool":
            groups.append(_Group(item, list(_calls(item, used, rules, say))))
            continue
        group, call = _call_for(item, groups)
        if group is None or call is None:
            groups += [_Group(told) for told in _told(item, groups, say)]
            continue
        if group is not groups[-1]:
            say(item, "moved up, directly behind its call")
        call.result = item.with_(tool_call_id=call.ident)
        group.results.append(call.result)
    return [item for group in groups for item in _whole(group, say)]


def _calls(item: Item, used: set[str], rules: Rules, say: Say) -> Iterator[_Call]:
    """The calls of a message, each with an id of its own that the provider takes."""
    for number, call in enumerate(item.message.get("tool_calls", ())):
        given = call.get("id")
        base = str(given) if isinstance(given, str | int) else f"call_{item.index}_{number}"
        ident, count = fitted(base, rules), 1
        while ident in used:
            count += 1
            ident = fitted(f"{base}_{count}", rules)
        used.add(ident)
        if ident != given:
            say(item, f"the call id {shown(given)} became {ident!r}{', being there twice' if count > 1 else ''}")
        yield _Call(given, ident)


def _call_for(item: Item, groups: Sequence[_Group]) -> tuple[_Group, _Call] | tuple[None, None]:
    """The latest group's first open call that the result names, or that like the result has no id."""
    ident = item.message.get("tool_call_id")
    for group in reversed(groups):
        for call in group.calls:
            if call.result is None and _same(call.given, ident):
                return group, call
    return None, None


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _told(item: Item, groups: Sequence[_Group], say: Say) -> list[Item]:
    """A result for which there is no open call, as a user message, unless it says nothing new."""
    ident, content = item.message.get("tool_call_id"), item.message["content"]
    answered = [
        call.result for group in groups for call in group.calls if call.result is not None and _same(call.given, ident)
    ]
    if is_blank(content):
        say(item, "a result without its call, and empty, left out")
        return []
    if any(result.message["content"] == content for result in answered):
        say(item, "a result that is there twice, left out")
        return []
    why = "another result of a call" if answered else "the result of a call that is not here"
    say(item, f"{why}: it became a record in a user message")
    return [Item(item.index, {"role": "user", "content": retold(f"{why}:", content)})]


def retold(said: str, content: Any) -> Any:
    """A content as a record; parts that are no text follow it."""
    if isinstance(content, str):
        return record(said, content)
    parts = parts_of(content)
    texts = [part["text"] for part in parts if is_text(part)]
    others = [part for part in parts if not is_text(part)]
    return [text_part(record(said, "\n".join(texts))), *others] if others else record(said, "\n".join(texts))


def _whole(group: _Group, say: Say) -> Iterator[Item]:
    """The messages of a group, with a result for each call."""
    if not group.calls:
        yield group.item
        return
    calls = group.item.message["tool_calls"]
    yield group.item.with_(tool_calls=[{**call, "id": one.ident} for call, one in zip(calls, group.calls, strict=True)])
    yield from group.results
    for call in group.calls:
        if call.result is None:
            say(group.item, f"the call {call.ident!r} has no result: it got {NO_RESULT!r}")
            message: Message = {"role": "tool", "tool_call_id": call.ident, "content": NO_RESULT}
            yield Item(group.item.index, message)

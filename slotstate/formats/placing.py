"""The order of the messages: empty ones out, system first, a user next, turns where the provider wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slotstate.formats.chat import merge, mergeable
from slotstate.formats.mending import Item, Say, with_content
from slotstate.formats.pairing import retold
from slotstate.formats.reading import Message, is_blank, is_list, is_text, joined
from slotstate.formats.rules import MARKS, SYSTEM, Rules


def placed(items: Sequence[Item], rules: Rules, say: Say) -> list[Item]:
    """The items in an order that the provider takes; groups of calls and results are whole already."""
    items = [item for item in items if not _left_out(item, rules, say)]
    if rules.system_first:
        items = _system_first(items, rules, say)
        items = _with_user(_user_first(items, rules, say), say)
    return _in_turns(items, rules, say) if rules.alternates else items


def _left_out(item: Item, rules: Rules, say: Say) -> bool:
    content = item.message.get("content")
    if item.role == "tool" or "tool_calls" in item.message or (content is None and _is_sound(item, rules)):
        return False
    out = is_blank(content) if rules.blank else content is None
    if out:
        say(item, "it says nothing, left out")
    return out


def _is_sound(item: Item, rules: Rules) -> bool:
    """Whether the message is a sound that OpenAI keeps."""
    return rules.name == "openai" and item.role == "assistant" and bool(item.message.get("audio"))


def _system_first(items: Sequence[Item], rules: Rules, say: Say) -> list[Item]:
    """System messages at the front, as one where only one is taken."""
    system: list[Item] = []
    others: list[Item] = []
    for item in items:
        if item.role not in SYSTEM:
            others.append(item)
            continue
        if others:
            say(item, "a system message in the middle: moved to the front")
        if system and (others or rules.alternates):
            say(item, f"merged into the system message of messages[{system[-1].index}]")
            system[-1] = Item(system[-1].index, _merged_system(system[-1].message, item.message))
        else:
            system.append(item)
    return [*system, *others]


def _merged_system(first: Message, second: Message) -> Message:
    return {**first, "content": joined(first["content"], second["content"])}


def _user_first(items: Sequence[Item], rules: Rules, say: Say) -> list[Item]:
    """What the assistant did ahead of any user, as a record in a user message."""
    start = next((at for at, item in enumerate(items) if item.role not in SYSTEM), len(items))
    end = next((at for at, item in enumerate(items) if item.role == "user"), len(items))
    records = [record for item in items[start:end] for record in _as_record(item, rules, say)]
    return [*items[:start], *_together(records), *items[end:]]


def _with_user(items: Sequence[Item], say: Say) -> list[Item]:
    """The items with the last system message as the user's when there is nothing else."""
    if not items or items[-1].role not in SYSTEM:
        return list(items)
    say(items[-1], "there is no user message: this one became the user's")
    return [*items[:-1], items[-1].with_(role="user")]


def _together(records: Sequence[Item]) -> list[Item]:
    """Records as one user message."""
    if not records:
        return []
    content: Any = None
    for item in records:
        content = joined(content, item.message["content"])
    return [records[0].with_(content=content)]


def _as_record(item: Item, rules: Rules, say: Say) -> list[Item]:
    """A message of the assistant, or a tool's result, as a user message that tells of it, if it says anything."""
    say(item, "became a record in a user message: no assistant message can stand here")
    given = with_content(item.with_(role="user"), rules, say).message.get("content")
    content: Any = None
    if item.role == "tool" or not is_blank(given):
        content = retold("the result of a call:" if item.role == "tool" else "the assistant said:", given)
    for call in item.message.get("tool_calls", ()):
        function = call["function"]
        content = joined(content, retold(f"the assistant called {function['name']}:", function["arguments"]))
    return [Item(item.index, {"role": "user", "content": content})] if content is not None else []


def _in_turns(items: Sequence[Item], rules: Rules, say: Say) -> list[Item]:
    """User and assistant in turns: neighbours merged, and calls that a user's message cut off told as records."""
    found: list[Item] = []
    for item in items:
        cut = len(found)
        while item.role == "user" and cut and (found[cut - 1].role == "tool" or "tool_calls" in found[cut - 1].message):
            cut -= 1
        records = [record for one in found[cut:] for record in _as_record(one, rules, say)]
        del found[cut:]
        for one in (*records, item):
            if found and mergeable(found[-1].message, one.message):
                if one is item:
                    say(item, f"merged with the {item.role} message ahead of it")
                found[-1] = Item(found[-1].index, merge(found[-1].message, one.message))
            else:
                found.append(one)
    return found


def finished(items: Sequence[Item], rules: Rules, say: Say) -> list[Message]:
    """The messages, at Anthropic without white space at the very end and with 4 cache marks that live alike."""
    found = list(items)
    if rules.name == "anthropic" and found:
        found[-1] = _stripped(found[-1], say)
        found = _with_marks(found, say)
    return [item.message for item in found]


def _stripped(item: Item, say: Say) -> Item:
    """The last message without white space at its end, when it is the assistant's: there the reply goes on."""
    content = item.message.get("content")
    kept = content.rstrip() if isinstance(content, str) else content
    if is_list(content):
        kept = list(content)
        while kept and is_text(kept[-1]) and not kept[-1]["text"].strip():
            kept.pop()
        if kept and is_text(kept[-1]):
            kept[-1] = {**kept[-1], "text": kept[-1]["text"].rstrip()}
    if item.role != "assistant" or kept == content:
        return item
    say(item, "white space at its end stripped")
    return item.with_(content=kept)


def _with_marks(items: Sequence[Item], say: Say) -> list[Item]:
    """At most 4 well-formed marks, the first and the last ones, none that lives longer than one ahead of it."""
    marks = [(at, number) for at, item in enumerate(items) for number in _marked(item)]
    kept = {*marks[:1], *marks[-(MARKS - 1) :]}
    found = list(items)
    longest = "1h"
    for at, number in marks:
        item = found[at]
        parts = list(item.message["content"])
        mark = parts[number]["cache_control"]
        ttl = _ttl(mark)
        if ttl is None or (at, number) not in kept:
            say(item, "a cache mark too many, or malformed, left out")
            parts[number] = {key: value for key, value in parts[number].items() if key != "cache_control"}
        elif ttl == "1h" and longest == "5m":
            say(item, "a cache mark that lives longer than one ahead of it got its ttl")
            parts[number] = {**parts[number], "cache_control": {**mark, "ttl": "5m"}}
        else:
            longest = ttl
        found[at] = item.with_(content=parts)
    return found


def _marked(item: Item) -> list[int]:
    content = item.message.get("content")
    parts = content if is_list(content) else ()
    return [number for number, part in enumerate(parts) if part.get("cache_control") is not None]


def _ttl(mark: object) -> str | None:
    """How long a mark lives, or None for what is no mark."""
    if not isinstance(mark, Mapping) or mark.get("type") != "ephemeral":
        return None
    ttl = mark.get("ttl", "5m")
    return ttl if ttl in ("5m", "1h") else None

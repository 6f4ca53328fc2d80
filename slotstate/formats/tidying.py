"""What every format does first: the same messages, said so that the provider takes them, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slotstate.contract import Prompt
from slotstate.errors import InputError
from slotstate.formats.checking import check
from slotstate.formats.reading import Message, flaws, is_blank, is_list, messages_of, ordered
from slotstate.formats.rules import TOOL_NAME, Rules, fitted, named
from slotstate.tokens import canonical_json

_OURS = frozenset({"id", "asks", "offers", "usage"})
"""Keys of a transcript's messages that no provider knows."""


def tidied(given: object, rules: Rules) -> list[tuple[int, Message]]:
    """The messages of a Prompt or a list, each with its index, as ordered copies: without empty fields, with ids that
    fit and are told apart, and without blank messages where the provider refuses those; the tools' names of a Prompt
    fit, too. Raises InputError for what cannot be read.
    """
    messages = messages_of(given)
    if not is_list(messages):
        raise InputError(f"give a Prompt or a list of chat messages, not {type(given).__name__}")
    found: list[tuple[int, Message]] = []
    for index, message in enumerate(messages):
        flawed = flaws(message)
        unreadable = flawed.get("not_json") or flawed.get("too_deep")
        if not isinstance(message, Mapping) or unreadable:
            raise InputError(f"messages[{index}]: {unreadable or 'a message is an object with role and content'}")
        one = _tidy(ordered(message), rules)
        if not (rules.blank and one.get("role") != "tool" and not one.get("tool_calls") and _shows_nothing(one)):
            found.append((index, one))
    if isinstance(given, Prompt):
        _fit_names(found)
    _tell_apart(found, rules)
    return found


def refuse_problems(messages: Sequence[tuple[int, Message]], rules: Rules) -> None:
    """Raise InputError when the provider would not take these messages, naming the first problem."""
    problems = check([message for _, message in messages], rules.name)
    if not problems:
        return
    first = problems[0]
    said = first.message
    if first.index is not None:
        said = said.replace(f"messages[{first.index}]", f"messages[{messages[first.index][0]}]", 1)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    raise InputError(f"{said}{more}; repair(messages, {rules.name!r}) mends it [{first.code}]")


def _shows_nothing(message: Message) -> bool:
    return "content" in message and is_blank(message["content"])


def _tidy(message: Message, rules: Rules) -> Message:
    for key in _OURS & message.keys():
        del message[key]
    if message.get("name", "") is None:
        del message["name"]
    if "tool_calls" in message and not message["tool_calls"]:
        del message["tool_calls"]
    if is_list(calls := message.get("tool_calls")):
        message["tool_calls"] = [_call(call, rules) for call in calls]
    if isinstance(ident := message.get("tool_call_id"), str):
        message["tool_call_id"] = fitted(ident, rules)
    if rules.blank and is_list(content := message.get("content")):
        kept = [part for part in content if not (isinstance(part, dict) and is_blank([part]))]
        empty: Any = "" if message.get("role") == "tool" else None if message.get("tool_calls") else []
        message["content"] = kept or empty
    return message


def _calls(message: Message) -> Iterator[dict[str, Any]]:
    calls = message.get("tool_calls")
    yield from (call for call in (calls if is_list(calls) else ()) if isinstance(call, dict))


def _fit_names(messages: Sequence[tuple[int, Message]]) -> None:
    """Give tools names that providers take: a log of elsewhere may hold others, and it cannot be changed."""
    for _, message in messages:
        for call in _calls(message):
            function = call.get("function")
            if isinstance(function, dict) and isinstance(name := function.get("name"), str):
                function["name"] = name if TOOL_NAME.fullmatch(name) else named(name) or "unnamed"


def _tell_apart(messages: Sequence[tuple[int, Message]], rules: Rules) -> None:
    """Give a call whose id an earlier call has another one, made of it, and its result too: always the same ones."""
    used: set[str] = set()
    waiting: dict[str, list[str]] = {}
    for _, message in messages:
        latest: dict[str, list[str]] = {}
        for call in _calls(message):
            if isinstance(given := call.get("id"), str):
                call["id"], count = given, 1
                while call["id"] in used:
                    count += 1
                    call["id"] = fitted(f"{given}_{count}", rules)
                used.add(call["id"])
                latest.setdefault(given, []).append(call["id"])
        waiting |= latest
        answered = message.get("tool_call_id")
        if isinstance(answered, str) and waiting.get(answered):
            message["tool_call_id"] = waiting[answered].pop(0)


def _call(call: Any, rules: Rules) -> Any:
    if not isinstance(call, dict):
        return call
    if isinstance(call.get("id"), str):
        call["id"] = fitted(call["id"], rules)
    if isinstance(function := call.get("function"), dict):
        arguments = function.get("arguments")
        if not arguments:
            function["arguments"] = "{}"
        elif isinstance(arguments, dict):
            function["arguments"] = canonical_json(arguments)
    return call

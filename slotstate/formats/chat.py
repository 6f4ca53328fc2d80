"""The OpenAI chat form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from slotstate.contract import Prompt
from slotstate.errors import InputError, near
from slotstate.formats.reading import Message, joined
from slotstate.formats.rules import SYSTEM, rules_of
from slotstate.formats.tidying import refuse_problems, tidied


def openai(
    prompt: Prompt | Sequence[Mapping[str, Any]],
    *,
    alternate: bool = False,
    system_role: Literal["system", "developer"] = "system",
) -> list[Message]:
    """Chat messages as OpenAI's API takes them; tools are passed apart, as they are.

    `alternate` merges neighbours of one role, for local chat templates and providers that want user and assistant to
    take turns. `system_role` is the role of the system messages. The same content gives the same bytes, whatever the
    order in which keys were added. Raises InputError for messages that the provider would refuse: repair() mends those.
    """
    if system_role not in SYSTEM:
        raise InputError(f"no system role {system_role!r}{near(str(system_role), SYSTEM)}")
    rules = rules_of("strict" if alternate else "openai")
    messages = [(index, _with_role(message, "system")) for index, message in tidied(prompt, rules)]
    if alternate:
        messages = merged(messages)
    refuse_problems(messages, rules)
    return [_with_role(message, system_role) for _, message in messages]


def _with_role(message: Message, role: str) -> Message:
    return {**message, "role": role} if message.get("role") in SYSTEM else message


def merged(messages: Sequence[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """The messages with neighbours of one role made one. A call's message stays the last of its turn."""
    found: list[tuple[int, Message]] = []
    for index, message in messages:
        if found and mergeable(found[-1][1], message):
            found[-1] = (found[-1][0], merge(found[-1][1], message))
        else:
            found.append((index, message))
    return found


def mergeable(first: Message, second: Message) -> bool:
    """Whether the second message can go on the first one: the same role, and no results expected in between."""
    role = first.get("role")
    return role == second.get("role") and role in {"system", "user", "assistant"} and not first.get("tool_calls")


def merge(first: Message, second: Message) -> Message:
    """Two messages of one role as one: the fields of both, the contents in a row."""
    return {**first, **second, "content": joined(first.get("content"), second.get("content"))}

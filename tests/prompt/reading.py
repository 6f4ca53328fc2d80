"""Reading prompts back, independently of the code that writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slotstate import Prompt

BLOCK = re.compile(r"<(slots|note)>\n(.*?)\n</\1>", re.DOTALL)


class CharCounter:
    """A tokenizer of one character a token: counts that anybody can check."""

    name = "characters"

    def count(self, text: str) -> int:
        return len(text)


def counted(messages: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of messages under CharCounter, by the published overheads."""
    total = 3
    for message in messages:
        total += 4 + len(message["content"] or "") + len(message.get("tool_call_id", ""))
        for call in message.get("tool_calls", ()):
            total += 8 + len(call["function"]["name"]) + len(call["function"]["arguments"])
    return total


def blocks(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The text of the slots block and of every note, in order."""
    for message in messages:
        if message["role"] == "user":
            yield from (found[2] for found in BLOCK.finditer(message["content"] or ""))


def value_read(messages: Sequence[Mapping[str, Any]], path: str) -> Any:
    """What a reader who goes from top to bottom believes the slot to hold in the end; None when nothing is said."""
    believed = None
    for block in blocks(messages):
        for line in block.splitlines():
            if found := re.match(rf"- {re.escape(path)}(?:: | is now )(.*)", line):
                try:
                    believed, _ = json.JSONDecoder().raw_decode(found[1].strip())
                except ValueError:
                    believed = None
    return believed


def serialised(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each message as one text, open at its end."""
    return [
        "\0".join(
            [
                message["role"],
                json.dumps(message.get("tool_calls")),
                str(message.get("tool_call_id")),
                message["content"] or "",
            ]
        )
        for message in messages
    ]


def stable_text(prompt: Prompt) -> str:
    """All that the prompt says will not change in its epoch, as one text; empty when it says so of nothing."""
    if prompt.cache is None or not prompt.cache["breakpoints"]:
        return ""
    marks = [mark for mark in prompt.cache["breakpoints"] if mark["tokens"] == prompt.cache["stable_tokens"]]
    if marks:
        message, chars = marks[-1]["message"], marks[-1]["chars"]
    else:  # marks go on behind it
        message = max(at for at, one in enumerate(prompt.messages) if one["role"] == "user")
        chars = len(re.split(r"\n<(?:note|quotes)>\n", prompt.messages[message]["content"])[0])
    texts = serialised(prompt.messages[: message + 1])
    cut = len(prompt.messages[message]["content"] or "") - chars
    return "\1".join(texts)[: -cut or None]


def whole_text(prompt: Prompt) -> str:
    """The prompt as one text."""
    return "\1".join(serialised(prompt.messages))


def orphans(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a provider would refuse about tool messages."""
    found: list[str] = []
    waiting: list[str] = []
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                found.append(f"message {at}: result without a call")
            continue
        if waiting:
            found.append(f"message {at}: calls {waiting} have no result")
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    return [*found, *(f"call {call} at the end" for call in waiting)]

"""Tokens as the benchmark counts them: o200k_base, and what a chat adds to its texts. Independent of slotstate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import toktok

MESSAGE: Final = 4
"""Tokens around each message's text: three before it (the role among them), one behind."""
HEADER: Final = 3
REPLY: Final = 3
"""Once in a request, for the reply's beginning."""
CALL: Final = 8
"""Each tool call, beside its name and arguments."""
TOOL: Final = 8
TOOLS: Final = 16

_ENCODING: Final = toktok._encoding("o200k_base")  # batch_count, its public door, starts threads for each call

count: Final[Callable[[str], int]] = _ENCODING.count
"""Tokens of a text. What every system here counts with."""


encode: Final[Callable[[str], list[int]]] = _ENCODING.encode
"""The tokens of a text, for those who need them."""


@lru_cache(maxsize=1 << 16)
def ids(text: str) -> tuple[int, ...]:
    """The tokens of a text."""
    return tuple(encode(text))


def text_of(message: Mapping[str, Any]) -> str:
    """All that a message says, its tool calls behind its text."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(part["text"] for part in content)
    for call in message.get("tool_calls") or ():
        content += call["function"]["name"] + call["function"]["arguments"]
    return content


def message_tokens(message: Mapping[str, Any]) -> int:
    """Tokens of one message in the OpenAI form."""
    content = message.get("content") or ""
    texts = [content] if isinstance(content, str) else [part["text"] for part in content]
    calls = message.get("tool_calls") or ()
    for call in calls:
        texts += [call["function"]["name"], call["function"]["arguments"]]
    if message.get("tool_call_id"):
        texts.append(message["tool_call_id"])
    return MESSAGE + CALL * len(calls) + sum(len(ids(text)) for text in texts if text)


def tools_tokens(tools: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of tool schemas."""
    sizes = [TOOL + len(ids(json.dumps(one, sort_keys=True, separators=(",", ":")))) for one in tools]
    return TOOLS + sum(sizes) if sizes else 0


def prompt_tokens(messages: Iterable[Mapping[str, Any]], tools: Iterable[Mapping[str, Any]] = ()) -> int:
    """Tokens of a whole request."""
    return sum(map(message_tokens, messages)) + REPLY + tools_tokens(tools)

"""prompt-poet: the whole history rendered on every turn, cut in steps from the oldest on; pinned messages never.

Its messages have no tool calls. The encoder adds what a chat adds to each message, so that the limit is a limit of
the whole request.
"""

from __future__ import annotations

import logging
from typing import Any

from prompt_poet import Prompt as PoetPrompt  # type: ignore[import-untyped]

from benchmarks.assembly_peers.counting import MESSAGE, REPLY, encode
from benchmarks.assembly_peers.scenario import Message, Plan
from benchmarks.assembly_peers.systems import Prompt

_TEMPLATE = """
- name: system instructions
  role: system
  content: |
    {{ escape_special_characters(system) }}
{% for message in messages %}
- name: chat_message
  role: {{ message.role }}
  truncation_priority: {{ message.priority }}
  content: |
    {{ escape_special_characters(message.content) }}
{% endfor %}
"""
_PADDING = [0] * MESSAGE


def _encode(text: str) -> list[int]:
    return [*encode(text), *_PADDING]


class Poet:
    """A conversation in a template."""

    def __init__(self, plan: Plan, *, step: int = 1000) -> None:
        logging.getLogger("prompt").setLevel(logging.ERROR)
        self._plan = plan
        self._step = step or plan.budget // 2
        self._messages: list[dict[str, Any]] = []

    def add(self, message: Message) -> None:
        """Record a message."""
        priority = 0 if message.pinned else 1
        self._messages.append({"role": message.role, "content": message.text, "priority": priority})

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        prompt = PoetPrompt(
            raw_template=_TEMPLATE,
            template_data={"system": self._plan.system, "messages": self._messages},
            encode_func=_encode,
            token_limit=self._plan.budget - REPLY,
            truncation_step=self._step,
        )
        prompt.tokenize()
        prompt.truncate()
        messages: Prompt = prompt.messages
        return messages

    def spent(self) -> tuple[int, int]:
        """No summariser."""
        return 0, 0

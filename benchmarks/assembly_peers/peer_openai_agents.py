"""openai-agents: a SQLiteSession in memory, read on every turn, with the agent's instructions in front.

Its only bound is a number of items; the one used here is the largest that keeps this conversation within its budget.
"""

from __future__ import annotations

from typing import Any

from agents import SessionSettings, SQLiteSession
from agents.models.chatcmpl_converter import Converter

from benchmarks.assembly_peers.counting import message_tokens, prompt_tokens
from benchmarks.assembly_peers.scenario import Message, Plan
from benchmarks.assembly_peers.systems import Prompt


class Sqlite:
    """A conversation in a session."""

    def __init__(self, plan: Plan, *, limited: bool = False) -> None:
        self._plan = plan
        settings = SessionSettings(limit=_largest(plan)) if limited else None
        self._session = SQLiteSession("bench", session_settings=settings)
        self._system = {"role": "system", "content": plan.system}
        self._new: list[Any] = []

    def add(self, message: Message) -> None:
        """Record a message; the session gets it when the run that it belongs to ends."""
        self._new += _items(message)

    async def prompt(self) -> Prompt:
        """The messages of the next request."""
        history = await self._session.get_items()
        return [self._system, *Converter.items_to_messages([*history, *self._new])]  # type: ignore[list-item]

    async def saved(self) -> None:
        """Write what is new, as the runner does at the end of a run."""
        await self._session.add_items(self._new)
        self._new = []

    def spent(self) -> tuple[int, int]:
        """No summariser."""
        return 0, 0


def _items(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.call_id, "output": message.text}]
    items: list[dict[str, Any]] = [{"role": message.role, "content": message.text}] if message.text else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.calls
    ]
    return [*items, *calls]


def _largest(plan: Plan) -> int:
    """The largest number of latest items that never breaks the budget with the turn that comes on top of them."""
    sizes = [message_tokens(message.openai()) for turn in plan.turns for message in turn]
    room = plan.budget - prompt_tokens([{"role": "system", "content": plan.system}], plan.tools)
    room -= max(sum(message_tokens(message.openai()) for message in turn) for turn in plan.turns)
    length = len(sizes)
    while any(sum(sizes[start : start + length]) > room for start in range(len(sizes))):
        length -= 1
    return length

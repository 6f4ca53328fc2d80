"""LangChain: trim_messages, and the summarisation middleware with a model that always answers the same.

The system text is the agent's, so it is no part of the state that the middleware counts. A turn is the middleware's
hook, the state's reducer where the hook changed it, and LangChain's conversion to OpenAI messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    trim_messages,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages
from pydantic import PrivateAttr

from benchmarks.assembly_peers.counting import CALL, MESSAGE, REPLY, count, tools_tokens
from benchmarks.assembly_peers.scenario import Message, Plan
from benchmarks.assembly_peers.systems import SUMMARY, Prompt


def tokens(messages: Iterable[Any]) -> int:
    """Tokens of messages, with what a chat adds to each."""
    return sum(map(_one, messages))


def _one(message: BaseMessage) -> int:
    size = MESSAGE + count(cast(str, message.content))
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            size += CALL + count(call["name"]) + count(json.dumps(call["args"]))
    elif isinstance(message, ToolMessage):
        size += count(message.tool_call_id)
    return size


class _Constant(BaseChatModel):
    """A model that answers the same to everything, and counts what it reads."""

    _read: int = PrivateAttr(default=0)
    _written: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "constant"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._read += tokens(messages) + REPLY
        self._written += count(SUMMARY)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(SUMMARY))])

    def spent(self) -> tuple[int, int]:
        """Tokens since last asked."""
        spent = self._read, self._written
        self._read = self._written = 0
        return spent


class _Base:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._system = SystemMessage(plan.system)
        self._messages: list[BaseMessage] = []

    def add(self, message: Message) -> None:
        """Record a message."""
        self._messages.append(_message(message))

    def spent(self) -> tuple[int, int]:
        """No summariser."""
        return 0, 0


class Trim(_Base):
    """The whole history, trimmed anew on every turn."""

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        kept = trim_messages(
            [self._system, *self._messages],
            max_tokens=self._plan.budget - REPLY - tools_tokens(self._plan.tools),
            token_counter=tokens,
            strategy="last",
            start_on="human",
            end_on=("human", "tool"),
            include_system=True,
        )
        return convert_to_openai_messages(kept)


class Summarisation(_Base):
    """The history in an agent's state, summarised by the middleware."""

    def __init__(self, plan: Plan, *, keep: str = "tokens") -> None:
        super().__init__(plan)
        self._model = _Constant()
        fixed = tokens([self._system]) + REPLY + tools_tokens(plan.tools)
        self._middleware = SummarizationMiddleware(
            self._model,
            trigger=("tokens", plan.budget - fixed + 1),  # it runs when this is reached
            keep=("tokens", plan.budget // 2) if keep == "tokens" else ("messages", 20),
            token_counter=tokens,
        )

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        update = self._middleware.before_model(cast(Any, {"messages": self._messages}), cast(Any, None))
        if update is not None:
            self._messages = cast(Any, add_messages(cast(Any, self._messages), update["messages"]))
        return convert_to_openai_messages([self._system, *self._messages])

    def spent(self) -> tuple[int, int]:
        """Tokens of the summariser since last asked."""
        return self._model.spent()


def _message(message: Message) -> BaseMessage:
    if message.role == "user":
        return HumanMessage(message.text)
    if message.role == "tool":
        return ToolMessage(message.text, tool_call_id=message.call_id)
    calls: list[Any] = [
        {"type": "tool_call", "id": call.id, "name": call.name, "args": json.loads(call.arguments)}
        for call in message.calls
    ]
    return AIMessage(message.text, tool_calls=calls)

"""LangChain's SummarizationMiddleware with a model that always answers the same."""

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
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages
from pydantic import PrivateAttr

from benchmarks.assembly_peers.counting import CALL, MESSAGE, REPLY, count
from benchmarks.compaction_peers.picking import pick
from benchmarks.compaction_peers.systems import CANNED, Canned, Prompt
from benchmarks.compaction_peers.talk import Message, Turn

SYSTEM = "You help people to plan journeys."


class CannedModel(BaseChatModel):
    """A model that answers the same to everything, and keeps what it read."""

    _canned: Canned = PrivateAttr(default_factory=Canned)

    @property
    def canned(self) -> Canned:
        """What it read so far."""
        return self._canned

    @property
    def _llm_type(self) -> str:
        return "canned"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self._canned.calls += 1
        self._canned.read += tokens(messages) + REPLY
        self._canned.written += count(CANNED)
        self._canned.seen += [cast(str, message.content) for message in messages]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(CANNED))])


def tokens(messages: Iterable[Any]) -> int:
    """Tokens of LangChain's messages, counted as the benchmark counts all."""
    return sum(map(_one, messages))


def _one(message: BaseMessage) -> int:
    size = MESSAGE + count(cast(str, message.content))
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            size += CALL + count(call["name"]) + count(json.dumps(call["args"]))
    elif isinstance(message, ToolMessage):
        size += count(message.tool_call_id)
    return size


class LangChain:
    """A conversation."""

    def __init__(self, language: str, budget: int, *, half: bool = False, picking: bool = False) -> None:
        model = CannedModel()
        self.canned = model.canned
        self._messages: list[BaseMessage] = []
        self._system = SystemMessage(SYSTEM)
        fixed = tokens([self._system]) + REPLY
        options: dict[str, Any] = {"keep": ("tokens", budget // 2)} if half else {}
        if picking:
            options["summarizer"] = self._pick
        self._middleware = SummarizationMiddleware(
            model, trigger=("tokens", budget - fixed + 1), token_counter=tokens, **options
        )

    def _pick(self, messages: list[Any]) -> str:
        roles = {"human": "user", "ai": "assistant", "tool": "tool"}
        self.canned.seen += [cast(str, message.content) for message in messages]
        return pick([(roles.get(message.type, "system"), cast(str, message.content)) for message in messages])

    def add(self, message: Message, turn: Turn) -> None:
        """Record a message."""
        self._messages.append(to_langchain(message))

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        update = self._middleware.before_model(cast(Any, {"messages": self._messages}), cast(Any, None))
        if update is not None:
            self._messages = cast(Any, add_messages(cast(Any, self._messages), update["messages"]))
        return convert_to_openai_messages([self._system, *self._messages])

    def is_covered(self, ident: str) -> bool:
        """It has no source ranges."""
        return False


def to_langchain(message: Message) -> BaseMessage:
    """A message in LangChain's form."""
    text, ident = message["content"], message["id"]
    if message["role"] == "user":
        return HumanMessage(text, id=ident)
    if message["role"] == "tool":
        return ToolMessage(text, tool_call_id=message["tool_call_id"], id=ident)
    calls: list[Any] = [
        {
            "type": "tool_call",
            "id": call["id"],
            "name": call["function"]["name"],
            "args": json.loads(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls", ())
    ]
    return AIMessage(text, tool_calls=calls, id=ident)

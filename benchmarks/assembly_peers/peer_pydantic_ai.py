"""pydantic-ai-harness: its compaction capabilities with pins, driven by the hook that an agent calls.

A turn is the hook before the model request, on the run's history, and the OpenAI model's own mapping of the messages.
The tokenizer adds what a chat adds to each message, so that the budget is used up to the last token.
"""

from __future__ import annotations

from typing import Any

from openai import AsyncOpenAI
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.usage import RequestUsage, RunUsage
from pydantic_ai_harness.compaction import SlidingWindowCompaction, SummarizingCompaction, pin

from benchmarks.assembly_peers.counting import MESSAGE, REPLY, count, message_tokens, prompt_tokens, tools_tokens
from benchmarks.assembly_peers.scenario import Message, Plan
from benchmarks.assembly_peers.systems import SUMMARY, Prompt


def tokens(text: str) -> int:
    """Tokens of a message that holds this text."""
    return count(text) + MESSAGE


class Sliding:
    """A conversation whose oldest messages go; pinned ones stay."""

    def __init__(self, plan: Plan, *, usage: bool = True, keep: str = "tokens") -> None:
        self._plan, self._usage, self._keep = plan, usage, keep
        client = AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9/")  # never called
        self._model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
        self._tools = [_tool(one["function"]) for one in plan.tools]
        self._history: list[ModelMessage] = []
        self._sent = 0
        self._read = self._written = 0
        # Without reported usage tool schemas, the reply's beginning and what surrounds tool calls are not counted.
        unseen = 0 if usage else REPLY + tools_tokens(plan.tools) + (200 if plan.tools else 0)
        self._capability: Any = self._make(plan.budget - unseen, plan.budget // 2)

    def _make(self, trigger: int, keep: int) -> Any:
        return SlidingWindowCompaction[None](max_tokens=trigger, keep_tokens=keep, tokenizer=tokens)

    def add(self, message: Message) -> None:
        """Record a message; a reply with the usage that a provider would report."""
        if message.role == "user":
            part = pin(message.text) if message.pinned else UserPromptPart(content=message.text)
            self._history.append(ModelRequest(parts=[part], instructions=self._plan.system))
        elif message.role == "tool":
            result = ToolReturnPart("look_up", message.text, message.call_id)
            self._history.append(ModelRequest(parts=[result], instructions=self._plan.system))
        else:
            parts: list[Any] = [TextPart(message.text)] if message.text else []
            parts += [ToolCallPart(call.name, call.arguments, call.id) for call in message.calls]
            usage = RequestUsage(input_tokens=self._sent, output_tokens=message_tokens(message.openai()))
            self._history.append(ModelResponse(parts=parts, usage=usage if self._usage else RequestUsage()))

    async def prompt(self) -> Prompt:
        """The messages of the next request."""
        parameters = ModelRequestParameters(function_tools=self._tools)
        context = RunContext[None](deps=None, model=self._model, usage=RunUsage(), messages=self._history)
        request = ModelRequestContext(
            model=self._model,
            messages=list(self._history),
            model_settings=None,
            model_request_parameters=parameters,
        )
        request = await self._capability.before_model_request(context, request)
        messages: Prompt = await self._model._map_messages(request.messages, parameters)  # type: ignore[assignment]
        self._sent = 0
        self._last = messages
        return messages

    def replied(self) -> None:
        """What the provider counts of the last request; its work, not the peer's."""
        self._sent = prompt_tokens(self._last, self._plan.tools)

    def spent(self) -> tuple[int, int]:
        """Tokens of the summariser since last asked."""
        spent = self._read, self._written
        self._read = self._written = 0
        return spent


class Summarising(Sliding):
    """The same with a summary of what went."""

    def _make(self, trigger: int, keep: int) -> Any:
        kept: dict[str, Any] = {"keep_tokens": keep} if self._keep == "tokens" else {}
        return SummarizingCompaction[None](
            model=FunctionModel(self._summarise), max_tokens=trigger, tokenizer=tokens, **kept
        )

    def _summarise(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        texts = [info.instructions or ""]
        for message in messages:
            texts += [str(getattr(part, "content", "")) for part in message.parts]
        self._read += sum(tokens(text) for text in texts if text) + REPLY
        self._written += count(SUMMARY)
        return ModelResponse(parts=[TextPart(SUMMARY)])


def _tool(function: dict[str, Any]) -> ToolDefinition:
    name, about, parameters = function["name"], function["description"], function["parameters"]
    return ToolDefinition(name=name, description=about, parameters_json_schema=parameters)

"""langmem's SummarizationNode as its documentation sets it up: the state keeps all messages, a context the summary."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import BaseMessage, SystemMessage, convert_to_openai_messages
from langmem.short_term import SummarizationNode

from benchmarks.assembly_peers.counting import REPLY
from benchmarks.compaction_peers.peer_langchain import SYSTEM, CannedModel, to_langchain, tokens
from benchmarks.compaction_peers.systems import Prompt
from benchmarks.compaction_peers.talk import Message, Turn


class LangMem:
    """A conversation."""

    def __init__(self, language: str, budget: int, *, half: bool = False) -> None:
        model = CannedModel()
        self.canned = model.canned
        self._messages: list[BaseMessage] = [SystemMessage(SYSTEM, id="system")]
        self._context: dict[str, Any] = {}
        self._node = SummarizationNode(
            model=model,
            max_tokens=budget - REPLY,
            max_tokens_before_summary=budget // 2 if half else None,
            max_summary_tokens=min(256, budget // 4),
            token_counter=tokens,
        )

    def add(self, message: Message, turn: Turn) -> None:
        """Record a message."""
        self._messages.append(to_langchain(message))

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        update = cast(Any, self._node.invoke({"messages": list(self._messages), "context": self._context}))
        self._context = update.get("context", self._context)
        return convert_to_openai_messages(update["summarized_messages"])

    def is_covered(self, ident: str) -> bool:
        """Only what its summariser read counts: the ids that it notes as summarised have some that were cut off."""
        return False

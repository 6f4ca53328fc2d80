"""What each system looks like to the benchmark, and the summariser that all of them get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Protocol

from benchmarks.compaction_peers.talk import Message, Turn

Prompt = list[dict[str, Any]]
CANNED: Final = "The user talks with the assistant about a journey and a hotel, and about everyday things."
"""What the summariser answers, whatever it is given."""


@dataclass
class Canned:
    """What was handed to a summariser: how often, and which texts. `read` and `written` are tokens."""

    calls: int = 0
    read: int = 0
    written: int = 0
    seen: list[str] = field(default_factory=list)


class System(Protocol):
    """One conversation in one system."""

    canned: Canned

    def add(self, message: Message, turn: Turn) -> None:
        """Record a message of a turn."""
        ...

    def prompt(self) -> Prompt:
        """The messages of the next request."""
        ...

    def is_covered(self, ident: str) -> bool:
        """Whether a summary's source range has this message in it, as far as the system tells."""
        ...


@dataclass(frozen=True)
class Entry:
    """A system in the list."""

    name: str
    module: str
    make: str
    setup: str
    options: tuple[tuple[str, Any], ...] = ()
    ours: bool = False
    free: bool = False
    """Whether it summarises without a model."""

    def factory(self) -> Callable[[str, int], System]:
        """Makes conversations, by template language and budget. Raises ModuleNotFoundError."""
        make = getattr(import_module(f"benchmarks.compaction_peers.{self.module}"), self.make)
        return lambda language, budget: make(language, budget, **dict(self.options))


SYSTEMS: Final = (
    Entry("slotstate", "ours", "Ours", "defaults: the summariser that needs no model", ours=True, free=True),
    Entry("slotstate, canned", "ours", "Ours", "the canned summariser", (("model", True),), ours=True),
    Entry(
        "langchain, defaults",
        "peer_langchain",
        "LangChain",
        "SummarizationMiddleware(trigger=('tokens', budget)): keeps 20 messages",
    ),
    Entry(
        "langchain, half kept",
        "peer_langchain",
        "LangChain",
        "the same with keep=('tokens', budget / 2)",
        (("half", True),),
    ),
    Entry("langmem, defaults", "peer_langmem", "LangMem", "SummarizationNode(max_tokens=budget)"),
    Entry(
        "langmem, half",
        "peer_langmem",
        "LangMem",
        "the same with max_tokens_before_summary=budget / 2",
        (("half", True),),
    ),
    Entry(
        "langchain, picking",
        "peer_langchain",
        "LangChain",
        "half kept, slotstate's model-free summariser as its own",
        (("half", True), ("picking", True)),
        free=True,
    ),
)

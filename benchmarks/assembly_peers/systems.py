"""What each system looks like to the benchmark, and where it is found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol

from benchmarks.assembly_peers.scenario import Message, Plan

Prompt = list[dict[str, Any]]
"""The messages of one request, in the OpenAI form."""

SUMMARY: Final = (
    "The user plans an outing for a group of guests and changes parts of the plan from time to time. The assistant has "
    "noted each change and answered small talk about the place, the weather, the music and the food. Nothing has been "
    "booked yet. The user expects short answers, wants to be asked about one open point at a time, and will come back "
    "to the points that can wait. The next step is to go on collecting what is missing from the plan."
)
"""What every summariser answers, whatever it is given."""


class System(Protocol):
    """One conversation in one system. `add` records a message, `prompt` makes the next request's messages."""

    def add(self, message: Message) -> None:
        """Record a message."""
        ...

    def prompt(self) -> Prompt | Awaitable[Prompt]:
        """The messages that would be sent now."""
        ...

    def spent(self) -> tuple[int, int]:
        """Tokens that a summariser has read and written since this was last asked."""
        ...


@dataclass(frozen=True)
class Entry:
    """A system in the list: how it is set up is said in `setup`."""

    name: str
    module: str
    make: str
    setup: str
    options: tuple[tuple[str, Any], ...] = ()
    pins: bool = False
    """Whether it keeps what is pinned, within the budget."""
    tools: bool = True
    """Whether it knows tool calls."""
    judged: bool = True
    """Whether its numbers are what ours must meet: it keeps half of the budget when it cuts, as ours does."""
    ours: bool = False

    def factory(self) -> Callable[[Plan], System]:
        """Makes conversations. Raises MissingPeer."""
        try:
            module = import_module(f"benchmarks.assembly_peers.{self.module}")
        except ModuleNotFoundError as error:
            raise MissingPeer(f"{self.name}: {error.name} is not installed") from error
        make = getattr(module, self.make)
        return lambda plan: make(plan, **dict(self.options))


class MissingPeer(Exception):
    """A peer is not installed."""


OURS: Final = (
    Entry("slotstate quotes_last", "ours", "Ours", "defaults", (("layout", "quotes_last"),), pins=True, ours=True),
    Entry(
        "slotstate append_only",
        "ours",
        "Ours",
        "layout append_only",
        (("layout", "append_only"),),
        pins=True,
        ours=True,
    ),
)
_PYDANTIC: Final = "peer_pydantic_ai"
PEERS: Final = (
    Entry(
        "pydantic-ai sliding",
        _PYDANTIC,
        "Sliding",
        "SlidingWindowCompaction(max_tokens=budget, keep_tokens=budget / 2), pin(), usage reported",
        pins=True,
    ),
    Entry(
        "pydantic-ai sliding, no usage",
        _PYDANTIC,
        "Sliding",
        "the same, the provider reporting no usage: all is counted on every turn",
        (("usage", False),),
        pins=True,
    ),
    Entry(
        "pydantic-ai summarising",
        _PYDANTIC,
        "Summarising",
        "SummarizingCompaction(max_tokens=budget, keep_tokens=budget / 2), pin(), usage reported",
        pins=True,
    ),
    Entry(
        "pydantic-ai summarising, keep 20",
        _PYDANTIC,
        "Summarising",
        "SummarizingCompaction(max_tokens=budget, keep_messages=20), its default",
        (("keep", "messages"),),
        judged=False,
        pins=True,
    ),
    Entry(
        "langchain summarisation",
        "peer_langchain",
        "Summarisation",
        "SummarizationMiddleware(trigger=('tokens', budget), keep=('tokens', budget / 2))",
    ),
    Entry(
        "langchain summarisation, keep 20",
        "peer_langchain",
        "Summarisation",
        "SummarizationMiddleware(trigger=('tokens', budget), keep=('messages', 20)), its default",
        (("keep", "messages"),),
        judged=False,
    ),
    Entry(
        "langchain trim_messages",
        "peer_langchain",
        "Trim",
        "trim_messages(strategy='last', start_on='human', end_on=('human', 'tool'), include_system=True)",
    ),
    Entry(
        "prompt-poet, step 1000",
        "peer_prompt_poet",
        "Poet",
        "truncation_step=1000, chat messages at truncation_priority 1, pinned ones at 0",
        tools=False,
        pins=True,
    ),
    Entry(
        "prompt-poet, step half",
        "peer_prompt_poet",
        "Poet",
        "the same with truncation_step=budget / 2",
        (("step", 0),),
        tools=False,
        pins=True,
    ),
    Entry("openai-agents SQLiteSession", "peer_openai_agents", "Sqlite", "get_items() without a limit"),
    Entry(
        "openai-agents SQLiteSession, limit",
        "peer_openai_agents",
        "Sqlite",
        "SessionSettings(limit=as many items as the budget holds)",
        (("limited", True),),
    ),
)


def find(names: str) -> tuple[Entry, ...]:
    """The systems whose names hold one of these words, parted by commas; all for an empty text."""
    every = (*OURS, *PEERS)
    wanted = [word.strip() for word in names.split(",") if word.strip()]
    return tuple(one for one in every if not wanted or any(word in one.name for word in wanted))

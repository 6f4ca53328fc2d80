"""The budget of a prompt: what the model's window leaves for messages, and how they are laid out in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slotstate.errors import InputError
from slotstate.events import Layout
from slotstate.tokens import Counter


@dataclass(frozen=True, slots=True)
class Budget:
    """How large a prompt may be, in tokens, and for whom it is laid out.

    context: the model's window, None for no limit. reply: what is kept free for the answer. margin: what is kept free
    beside it. tools: the tools' schemas as they are sent; their tokens come off the budget. counter: a Counter, or the
    name of one ("estimate", "o200k_base", a model of OpenAI, "hf:PATH"). profile: the cache rules of the provider.
    layout: "quotes_last", or "append_only" for providers that reuse whole earlier prompts only. low: the share of the
    budget to which the turns are cut once they no longer fit.

    Raises InputError for figures that leave nothing.
    """

    context: int | None
    reply: int = 0
    margin: int = 0
    tools: Sequence[Mapping[str, Any]] = ()
    counter: Counter | str = "estimate"
    profile: str = "openai"
    layout: Layout = "quotes_last"
    low: float = 0.5

    def __post_init__(self) -> None:
        for name in ("context", "reply", "margin"):
            value: object = getattr(self, name)
            if value is None and name == "context":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(f"a budget's {name} is a number of tokens, not {value!r}")
        tools: object = self.tools
        if not isinstance(tools, list | tuple) or not all(isinstance(tool, Mapping) for tool in tools):
            raise InputError("a budget's tools are a list of the tools' schemas, as they are sent: each an object")
        if self.layout not in ("quotes_last", "append_only"):
            raise InputError(f"a budget's layout is 'quotes_last' or 'append_only', not {self.layout!r}")
        low: object = self.low
        if not isinstance(low, int | float) or not 0 < low <= 1:
            raise InputError(f"a budget's low mark is a share of it, above 0 and up to 1, not {self.low!r}")
        if self.context is not None and self.context <= self.reply + self.margin:
            raise InputError(
                f"a budget of {self.context} tokens leaves nothing beside reply {self.reply} and margin {self.margin}"
            )

    @classmethod
    def of(cls, budget: Budget | int | None) -> Budget:
        """The budget itself, one of so many tokens, or one without a limit."""
        if isinstance(budget, Budget):
            return budget
        return cls(budget)

    def limit(self, tools: int) -> int | None:
        """Tokens for messages, beside `tools` tokens of schemas. Raises InputError when nothing is left."""
        if self.context is None:
            return None
        left = self.context - self.reply - self.margin - tools
        if left <= 0:
            raise InputError(
                f"the tools' schemas take {tools} tokens, which leaves none of {self.context} for messages: pass fewer"
            )
        return left

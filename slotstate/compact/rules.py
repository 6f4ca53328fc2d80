"""When a conversation is compacted, and what its tools' results may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from slotstate.compact.policy import ToolPolicy
from slotstate.errors import InputError

EXTRACTIVE: Final = "extractive"
"""The name of the summariser that needs no model."""


RECALL: Final = "recall"
"""The name of the tool that brings back what was moved out."""
_RECALLED: Final = ToolPolicy(limit=10_000_000)


@dataclass(frozen=True, slots=True)
class Rules:
    """The pure part of what governs compaction.

    high: the share of the budget above which a prompt is compacted, to the budget's low mark. results: what holds for
    the results of tools; tools: by a tool's name, where something else holds. recent: so many of the last results never
    fold. most: items of the summary. spare: whether turns leave the window only when it is full, because it costs a
    model call to summarise them.

    Raises InputError for figures that cannot be meant.
    """

    high: float = 0.85
    results: ToolPolicy = field(default_factory=ToolPolicy)
    tools: Mapping[str, ToolPolicy] = field(default_factory=dict[str, ToolPolicy])
    recent: int = 3
    most: int = 40
    spare: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.high <= 1:
            raise InputError(f"the high mark is a share of the budget, above 0 and up to 1, not {self.high!r}")
        for tool, policy in {"": self.results, **self.tools}.items():
            if not isinstance(policy, ToolPolicy):
                what = f"tool {tool!r}" if tool else "results"
                raise InputError(f"what holds for {what} must be a ToolPolicy, not {type(policy).__name__}")
        for name in ("recent", "most"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is a number of them, not {getattr(self, name)!r}")

    def policy(self, tool: str) -> ToolPolicy:
        """What holds for this tool's results; what was recalled is never moved out again."""
        return self.tools.get(tool, _RECALLED if tool == RECALL else self.results)

"""The terms of a prompt, and a prompt before its turns are set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slotstate.caching import Profile
from slotstate.compact import Rules
from slotstate.events import Compacted, Epoch, Layout
from slotstate.templating import SectionOptions, Template
from slotstate.tokens import Counter


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms prompts are made: a budget with its parts looked up, and digests of what decides over bytes.

    `limit` are the tokens for messages, None for any; `tools` those of the tools' schemas, which come off it already.
    `rules` say when turns are summarised, and what tool results may take.
    """

    template: Template
    counter: Counter
    profile: Profile
    layout: Layout
    limit: int | None
    low: float
    tools: int
    locale: str
    key: Mapping[str, str]
    rules: Rules = field(default_factory=Rules)
    reveal: bool = False

    @property
    def caches(self) -> bool:
        """Whether any prompt under these terms can be cached."""
        return self.profile.rule != "none" and (self.limit is None or self.limit + self.tools >= self.profile.minimum)

    @property
    def high(self) -> float | None:
        """Tokens above which a prompt is compacted before it has to be; None without a limit."""
        return None if self.limit is None else self.rules.high * self.limit

    def options(self, section: str) -> SectionOptions:
        """What the template says of a section."""
        return self.template.options.get(section) or SectionOptions()

    def share(self, part: float | None, default: float) -> int | None:
        """Tokens of a section's bound: a number of them, or a share of the budget. None where there is no limit."""
        bound = default if part is None else part
        if isinstance(bound, int):
            return bound
        return None if self.limit is None else int(bound * self.limit)


@dataclass(frozen=True, slots=True)
class Draft:
    """A prompt before its turns are set: its epoch, the unit where its window begins, the units of pins before that.

    `noted`: changes since the epoch began are noted, `inline`: each in the user message that made it, so that the
    prompt only grows. `recorded`: the log has to know of the epoch. `compacted` is the version of the summary that
    comes with it, if one does.
    """

    epoch: Epoch
    start: int
    pins: tuple[int, ...]
    noted: bool
    recorded: bool = False
    compacted: Compacted | None = None
    inline: bool = False

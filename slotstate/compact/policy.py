"""What is to become of a tool's results, and the reference by which what was moved out is found again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from slotstate.errors import InputError

PREVIEWED: Final = 2_000
"""Characters that stay of a result that was moved out."""
FOLDED: Final = 600
"""Characters that stay of a result that folded."""

_LEAST: Final = 200
"""A shorter result is no longer than what would stand for it."""


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What becomes of the results of a tool. Above `limit` characters one moves out as it arrives, and a preview stays;
    above `fold` characters an older one is folded. `keep`: it never folds, because it cannot be fetched again. `drop`:
    its text is always left out, a line with the reference stays.

    Raises InputError for limits that make no sense, and for keep with drop.
    """

    limit: int = 10_000
    fold: int = 4_000
    keep: bool = False
    drop: bool = False

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("fold", self.fold)):
            if type(value) is not int or value < _LEAST:
                raise InputError(f"{name} must be a whole number of {_LEAST} characters or more, not {value!r}")
        for name, flag in (("keep", self.keep), ("drop", self.drop)):
            if type(flag) is not bool:
                raise InputError(f"{name} must be true or false, not {flag!r}")
        if self.keep and self.drop:
            raise InputError("keep and drop contradict each other: choose one for the tool")


def reference(content: bytes) -> str:
    """The name of a content: the same for the same bytes, on every machine."""
    return f"blob:{hashlib.sha256(content).hexdigest()[:16]}"

"""The sections of a prompt, and what a template may say about each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from slotstate.errors import near

SECTIONS: Final = ("system", "slots", "summary", "recent", "quotes")
"""The sections of a prompt, in the order in which they stand there."""
NOTE: Final = "note"
"""Beside them: what changed, inside a user message, while the slots section is frozen."""
NAMES: Final = (*SECTIONS, NOTE)

Role: TypeAlias = Literal["system", "developer", "user"]
_ROLES: Final[Mapping[str, tuple[str, ...]]] = {"system": ("system", "developer")}


@dataclass(frozen=True, slots=True)
class SectionOptions:
    """What a template says about a section. `max` and `min` are tokens, as a float a share of the budget (.25 is 25 %);
    `keep`: whether a prompt without it is refused; `min_turns`: user turns of `recent` that must stay.
    """

    role: Role = "user"
    max: int | float | None = None
    min: int | float | None = None
    keep: bool = False
    min_turns: int = 0


def default_options(section: str) -> SectionOptions:
    """What holds for a section that says nothing."""
    role: Role = "system" if section == "system" else "user"
    return SectionOptions(role, keep=section in {"system", "slots"}, min_turns=1 if section == "recent" else 0)


def read_options(section: str, written: Mapping[str, Any], base: SectionOptions | None = None) -> SectionOptions:
    """The options as written in the tag, over `base`, which a template that is extended gave.

    Raises ValueError: what is wrong, and the remedy.
    """
    options = base or default_options(section)
    for name, value in written.items():
        if name not in _READERS:
            raise ValueError(f"unknown option {name!r}{near(name, _READERS)}")
        options = replace(options, **{name: _READERS[name](section, value)})
    low, high = options.min, options.max
    if low is not None and high is not None and isinstance(low, float) == isinstance(high, float) and low > high:
        raise ValueError(f"min is above max: {_shown(low)} > {_shown(high)}")
    return options


def _shown(size: int | float) -> str:
    return f"{size:.0%}" if isinstance(size, float) else str(size)


def _role(section: str, value: object) -> str:
    allowed = _ROLES.get(section, ("user",))
    for role in allowed:
        if value == role:
            return role
    choices = " or ".join(f'role="{role}"' for role in allowed)
    raise ValueError(f"role {value!r} is not possible here: use {choices}, or leave it out")


def _size(name: str) -> Any:
    def read(section: str, value: object) -> int | float | None:
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        if isinstance(value, str) and (share := re.fullmatch(r"(\d{1,3}(?:\.\d{1,6})?) ?%", value)):
            percent = float(share[1])
            if 0 < percent <= 100:
                return percent / 100
            raise ValueError(f'{name}="{value}" is no share of the budget: use a percentage above 0, up to 100')
        raise ValueError(f'{name}={value!r} is no size: write tokens as {name}=400 or a share as {name}="25%"')

    return read


def _keep(section: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"keep={value!r} is neither true nor false")
    return value


def _min_turns(section: str, value: object) -> int:
    if section != "recent":
        raise ValueError('min_turns belongs to section "recent": move it there')
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10_000:
        raise ValueError(f"min_turns={value!r} is no number of turns: use a whole number from 0 to 10000")
    return value


_READERS: Final[Mapping[str, Any]] = {
    "role": _role,
    "max": _size("max"),
    "min": _size("min"),
    "keep": _keep,
    "min_turns": _min_turns,
}

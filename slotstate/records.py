"""What is logged: the loggers' names, and the fields that a record may have.

A record has a constant message and fields of its own (`extra`): names, numbers, and words of ours. What people said,
values of slots, quotes, keys, URLs and the texts of errors are never in one: there is no field for them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

ROOT: Final = "slotstate"
TURNS: Final = logging.getLogger(f"{ROOT}.turns")
"""What came of user turns, and what the application changed."""
PROMPTS: Final = logging.getLogger(f"{ROOT}.prompts")
"""Prompts and their epochs."""
COMPACTION: Final = logging.getLogger(f"{ROOT}.compaction")
"""Versions of summaries, and what failed."""
STORES: Final = logging.getLogger(f"{ROOT}.stores")
"""Erasure, export, migration, conflicts, damage."""
logging.getLogger(ROOT).addHandler(logging.NullHandler())

_LONGEST: Final = 200
_MODEL: Final = re.compile(r"[\w.:/@+-]{1,120}", re.ASCII)


Told: TypeAlias = str | int | float | Mapping[str, int] | None
"""What a field may hold: a name, a word of ours, a number, or counts by words of ours."""
FIELDS: Final = frozenset(
    "session tenant turn result outcomes reasons source model error attempts ms tokens tokens_in tokens_out "
    "tokens_cached budget messages dropped shortened epoch epoch_reason window version trigger since covered items "
    "sessions entries snapshots blobs left revision tries".split()
)
"""What records may tell beside their message. `session` and `tenant` are as the application named them, `error` is the
class of an error, `ms` wall time; counts are by the words of the published contract.
"""


def tell(logger: logging.Logger, level: int, message: str, **fields: Told) -> None:
    """Log a message of ours with its fields; names without what could pass for another line."""
    if logger.isEnabledFor(level):
        safe = {name: _name(told) if isinstance(told, str) else told for name, told in fields.items() if name in FIELDS}
        logger.log(level, message, extra=safe, stacklevel=2)


def model_name(name: str | None) -> str | None:
    """A model's name, as far as it looks like one: plug-ins may say anything."""
    return name if name is None or _MODEL.fullmatch(name) else "unnamed"


def error_class(text: str | None) -> str | None:
    """The class that an error's line begins with, where there is such a class; "unknown" for other texts."""
    if text is None:
        return None
    name = text.partition(":")[0].strip()
    return name if name.isidentifier() and name in _classes(Exception) else "unknown"


def _classes(base: type[BaseException]) -> Iterator[str]:
    seen: set[type[BaseException]] = {base}
    left = [base]
    while left:
        one = left.pop()
        yield one.__name__
        following = [sub for sub in type.__subclasses__(one) if sub not in seen]
        seen.update(following)
        left += following


def _name(text: str) -> str:
    shown = "".join(one if one.isprintable() else f"<U+{ord(one):04X}>" for one in text[:_LONGEST])
    return f"{shown}…" if len(text) > _LONGEST else shown

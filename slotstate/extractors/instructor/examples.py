"""Examples of extraction: synthetic, from a domain that no user has, so that their content cannot pass for an answer.

Five of them, in the order that measured best: an opening question that tells what is looked for, a confirmation that
changes nothing, a rich turn, a question that changes nothing, a rich turn. With none a model proposes little; with rich
ones only it proposes too much; where every question changes nothing, so does "do you have any cheap ones?".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from slotstate.extract import Change
from slotstate.slots import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A user turn and the changes that should be proposed for it. `state` maps paths to held values."""

    user: str
    assistant: str = ""
    state: tuple[tuple[str, Json], ...] = ()
    asked: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


def _set(path: str, value: str, quote: str) -> Change:
    return Change("set", path, value, quote)


EXAMPLES: Final[Sequence[Example]] = (
    Example(
        user="Hello, do you repair e-bikes at all, and could I bring one in on Thursday?",
        changes=(
            _set("workshop.bike", "e-bike", "do you repair e-bikes at all"),
            _set("workshop.drop_off", "Thursday", "could I bring one in on Thursday"),
        ),
    ),
    Example(
        state=(("workshop.bike", "cargo bike"), ("workshop.drop_off", "Monday")),
        assistant="So that is a cargo bike, dropped off on Monday. Is that right?",
        user="Yes, that's right, thanks.",
    ),
    Example(
        state=(("workshop.bike", "折叠车"),),
        assistant="好的,折叠车。哪里坏了?什么时候送来?",
        asked=("workshop.problem", "workshop.drop_off"),
        user="刹车不灵了,我周四下午送过去。不用备用车。",
        changes=(
            _set("workshop.problem", "刹车不灵", "刹车不灵了"),
            _set("workshop.drop_off", "周四", "周四下午送过去"),
            _set("workshop.loan_bike", "false", "不用备用车"),
        ),
    ),
    Example(
        state=(("workshop.bike", "racing bike"),),
        assistant="We can look at your racing bike this week. What is wrong with it?",
        asked=("workshop.problem",),
        user="Hold on, do you open on Saturdays at all?",
    ),
    Example(
        state=(
            ("workshop.bike", "racing bike"),
            ("workshop.drop_off", "Monday"),
            ("workshop.extras", ("bell",)),
            ("workshop.loan_bike", True),
        ),
        assistant="Noted: drop-off on Monday. Anything else?",
        user="The chain keeps slipping. Oh, and make it Wednesday instead, add mudguards, and forget about the loan "
        "bike. What will it cost?",
        changes=(
            _set("workshop.problem", "chain keeps slipping", "The chain keeps slipping"),
            _set("workshop.drop_off", "Wednesday", "make it Wednesday instead"),
            Change("add", "workshop.extras", "mudguards", "add mudguards"),
            Change("clear", "workshop.loan_bike", quote="forget about the loan bike"),
            Change("request", "workshop.price", quote="What will it cost"),
        ),
    ),
)

KEEN: Final[Sequence[Example]] = tuple(one for one in EXAMPLES if one.changes)
"""Those that change something: a small model proposes more after them, which is good where its answers are checked."""

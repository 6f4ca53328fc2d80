"""What the summariser needs to know of a language: one table each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slotstate.events import ItemKind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Wordings:
    """Phrases by what they tell, separated by bars, as `slotstate.compact.phrases` reads them.

    `strong` ones make an item of a sentence by themselves, of `weak` ones it takes two. In `traps` they mean
    nothing. `back` takes something back, `again` tells that something counts otherwise now, `done` that something
    is no longer open; `rules` are words about the assistant's own rules. `offer` is how an assistant proposes
    something, `yes` how a user accepts; `own` says something by itself whatever slots tell, `bars` keeps what
    follows it out; `request` makes a question a wish, `checks` a mere question again; `setting` says no more than a
    slot that shows the value beside it. `leads` are words that may stand between the start of a clause and a phrase
    that starts one; `small` ones carry no content, `negations` turn it round. For a script without spaces these
    three are characters.
    """

    strong: Mapping[ItemKind, str]
    weak: Mapping[ItemKind, str]
    traps: str
    back: str
    again: str
    done: str
    rules: str
    offer: str
    yes: str
    own: str
    bars: str
    request: str
    checks: str
    setting: str
    leads: str
    small: str
    negations: str

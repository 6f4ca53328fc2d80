"""The models together, as the extractor uses them."""

from __future__ import annotations

from dataclasses import dataclass

from slotstate.extractors.builtin.learned.linear import Crossed, Several
from slotstate.extractors.builtin.learned.tagger import Tagger
from slotstate.extractors.builtin.learned.trees import Trees

USER_ACTS = (
    "AFFIRM", "NEGATE", "SELECT", "REQUEST", "REQUEST_ALTS", "INFORM", "INFORM_INTENT", "AFFIRM_INTENT",
    "NEGATE_INTENT", "THANK_YOU", "GOODBYE",
)  # fmt: skip
SYSTEM_ACTS = (
    "OFFER", "INFORM", "CONFIRM", "REQUEST", "OFFER_INTENT", "NOTIFY_SUCCESS", "NOTIFY_FAILURE", "INFORM_COUNT",
    "REQ_MORE", "GOODBYE",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """Everything that was learned. The crossed models judge pairs: a stretch and a slot (`fits`), the assistant's turn
    and a slot that it asks for, the user's turn and a slot that it tells of, an option, a domain, a slot that any value
    will do for (`open`), and the slot of a held value with one that may take it over (`carries`).
    """

    tagger: Tagger
    user_acts: Several
    system_acts: Several
    fits: Crossed
    asks: Crossed
    tells: Crossed
    option: Crossed
    carries: Crossed
    routes: Crossed
    open: Crossed
    first: Trees | None = None
    second: Trees | None = None
    languages: tuple[str, ...] = ("en",)
    lists: bool = False
    """Whether they learned from lists, and read their items."""


CROSSED = ("fits", "asks", "tells", "option", "carries", "routes", "open")
"""The models that judge pairs, by name."""

"""A conversation's log read back: each user turn with its reading, and the whole as the published contract shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from slotstate.chat import Chat
from slotstate.cli.table import state_of
from slotstate.contract import Decision, Run, Shown, Turn, decision, turn_report, view
from slotstate.events import Extracted, Reset, SlotEvent, UserTurn
from slotstate.log import Entry
from slotstate.masking import Secrets
from slotstate.prompt.scene import masked
from slotstate.session import decisions
from slotstate.values import jsonable

T = TypeVar("T", bound=Shown)
_TOLD: Final = frozenset({"value", "raw", "quote", "excluded", "offers", "pending", "values", "old", "detail"})
"""Fields with values or somebody's words in them."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A user turn, how its last reading went, and what was decided in it."""

    turn: UserTurn
    extracted: Extracted
    decided: Sequence[SlotEvent | Reset]


def heard_in(entries: Sequence[Entry]) -> list[Heard]:
    """The user turns that were read, in order; of several readings of a turn, the last."""
    turns = {entry.event.turn: entry.event for entry in entries if isinstance(entry.event, UserTurn)}
    found: dict[int, Heard] = {}
    for at, entry in enumerate(entries):
        event = entry.event
        if isinstance(event, Extracted) and event.turn in turns:
            following = [one.event for one in entries[at + 1 : at + 1 + event.decided]]
            found[event.turn] = Heard(turns[event.turn], event, decisions(following))
    return [found[turn] for turn in sorted(found)]


def report(chat: Chat, secrets: Secrets, *, reveal: bool, timed: bool) -> Run:
    """State, turns and prompt of a conversation; sensitive values masked unless `reveal`, times told where `timed`."""
    state = state_of(chat)
    views = {
        name: {
            slot: _safe(view(spec, state.slot(spec.path), masked=not reveal), secrets)
            for slot, spec in domain.slots.items()
        }
        for name, domain in chat.domains.items()
    }
    turns = [_turn(one, secrets, timed=timed) for one in heard_in(chat.entries)]
    return Run(state=views, turns=turns, prompt=chat.preview(reveal=reveal))


def _turn(heard: Heard, secrets: Secrets, *, timed: bool) -> Turn:
    extracted = heard.extracted
    if extracted.error is not None:
        extracted = extracted.model_copy(update={"error": secrets.mask(extracted.error)})
    if not timed:
        extracted = extracted.model_copy(update={"ms": None})
    shown = [shown_decision(event, secrets) for event in heard.decided]
    return turn_report(heard.turn.turn, heard.turn.id, extracted, shown)


def shown_decision(event: SlotEvent | Reset, secrets: Secrets) -> Decision:
    """A decision with its secrets masked."""
    hide = not isinstance(event, Reset) and secrets.hides(event.path)
    return _safe(decision(event, hide=hide), secrets)


def _safe(shown: T, secrets: Secrets) -> T:
    """What is shown, with the secrets masked that stand in values and words, also those of other slots."""
    changed: dict[str, Any] = {}
    for name in _TOLD & type(shown).model_fields.keys():
        told = getattr(shown, name)
        if isinstance(told, Shown):
            changed[name] = _safe(told, secrets)
        elif isinstance(told, list) and all(isinstance(one, Shown) for one in told):
            changed[name] = [_safe(one, secrets) for one in told]
        elif told is not None:
            plain = jsonable(told)
            hidden = masked(plain, secrets)
            changed[name] = told if hidden == plain else hidden
    return shown.model_copy(update=changed)

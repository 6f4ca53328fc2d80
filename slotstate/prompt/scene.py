"""What a template is given: slots, question and quotes as plain data, sensitive values masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.elicit import next_question
from slotstate.slots import SlotSpec
from slotstate.state import SlotState, State


class Mask(Protocol):
    """Hides secrets in texts. `version` grows with each secret that becomes known."""

    @property
    def version(self) -> int:
        """How many secrets are known."""
        ...

    def mask(self, text: str) -> str:
        """The text without them."""
        ...


class Scene:
    """Makes the variables of the template's sections from a state."""

    def __init__(self, domains: Domains, mask: Mask, *, reveal: bool, locale: str) -> None:
        self._domains = domains
        self._mask = mask
        self._masked = not reveal
        self._locale = locale
        self._asked: tuple[Mapping[str, SlotState], dict[str, Any] | None] | None = None

    def variables(self, state: State, *, brief: bool = False, left_out: int = 0, **more: Any) -> dict[str, Any]:
        """What every section may use; `brief` leaves out slots that have nothing to tell."""
        domains = [
            {
                "name": domain.name,
                "label": domain.name.replace("_", " "),
                "description": domain.description,
                "slots": [
                    self._shown(spec, state.slot(spec.path))
                    for spec in domain.slots.values()
                    if not brief or _tells(state.slot(spec.path))
                ],
            }
            for domain in self._domains.values()
        ]
        return {**self._rest(state, left_out), "domains": domains, **more}

    def note(self, state: State, paths: Iterable[str]) -> dict[str, Any]:
        """The variables of a note on the slots that changed."""
        changes = [
            self._shown(self._domains.spec(path), state.slot(path)) for path in paths if path in self._domains.specs
        ]
        return {**self._rest(state, 0), "domains": [], "changes": changes}

    def quoting(self, state: State, quotes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The variables of the section of quotes."""
        return {**self._rest(state, 0), "domains": [], "quotes": quotes}

    def quotes(self, state: State, before: int) -> list[dict[str, Any]]:
        """The words behind what is held, where they stand in a message before number `before`; confirmed slots first,
        then the newest.
        """
        held = [
            (slot.held, spec)
            for path, spec in self._domains.specs.items()
            if (slot := state.slots.get(path)) is not None
            and slot.held.quote
            and slot.held.status != "empty"
            and slot.held.turn is not None
            and slot.held.turn < before
            and not (self._masked and spec.slot.sensitive)
        ]
        held.sort(key=lambda one: (one[0].status != "confirmed", -(one[0].turn or 0)))
        return [
            {"path": spec.path, "label": spec.label, "text": self._mask.mask(held.quote or ""), "turn": held.turn}
            for held, spec in held
        ]

    def _rest(self, state: State, left_out: int) -> dict[str, Any]:
        return {
            "question": self._question(state),
            "quotes": [],
            "changes": [],
            "summary": [],
            "left_out": left_out,
            "locale": self._locale,
        }

    def _question(self, state: State) -> dict[str, Any] | None:
        """What to ask next; worked out once for a state, since several sections use it."""
        if self._asked is None or self._asked[0] is not state.slots:
            asked = next_question(self._domains, state)
            shown = None
            if asked is not None:
                shown = {"path": asked.path, "text": self._mask.mask(asked.text), "reason": asked.reason}
            self._asked = state.slots, shown
            return shown
        return self._asked[1]

    def _shown(self, spec: SlotSpec, slot: SlotState) -> dict[str, Any]:
        """A slot; what another, sensitive slot holds too is masked here as well."""
        held, pending = slot.held, slot.pending
        hide = self._masked and spec.slot.sensitive
        open_book = not hide and not self._mask.version

        def hidden(part: Any) -> Any:
            if part is None or open_book:
                return part
            return MASK if hide else masked(part, self._mask)

        return {
            "domain": spec.domain,
            "name": spec.name,
            "label": spec.label,
            "path": spec.path,
            "kind": spec.kind,
            "description": spec.description,
            "value": hidden(held.value),
            "raw": hidden(held.raw),
            "status": held.status,
            "dontcare": held.dontcare,
            "source": held.source,
            "quote": hidden(held.quote),
            "turn": None if held.turn is None or held.turn < 0 else held.turn,
            "excluded": [hidden(value) for value in held.excluded],
            "offers": [{"value": hidden(offer.value), "turn": offer.turn} for offer in slot.offers],
            "pending": None
            if pending is None
            else {
                "why": pending.why,
                "values": [hidden(value) for value in pending.values],
                "quote": hidden(pending.quote),
                "turn": pending.turn,
            },
        }


def _tells(slot: SlotState) -> bool:
    return slot.is_held or slot.pending is not None or bool(slot.held.excluded)


def masked(part: Any, mask: Mask) -> Any:
    """The strings of a JSON value masked, keys aside."""
    match part:
        case str():
            return mask.mask(part)
        case list():
            return [masked(one, mask) for one in part]
        case dict():
            return {key: masked(one, mask) for key, one in part.items()}
        case _:
            return part

"""What a template is given: slots, question and quotes as plain data, sensitive values masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, Protocol

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.elicit import next_question
from slotstate.slots import SlotSpec
from slotstate.state import Held, Pending, SlotState, State

_LONG: Final = 6
"""Characters of a number that is a secret where another slot holds it too: a short one is often the same by chance."""


class Mask(Protocol):
    """Hides secrets in texts. `version` grows with each secret that becomes known; `newest` is the entry of the log
    that told the last one.
    """

    @property
    def newest(self) -> int:
        """The number of that entry."""
        ...

    @property
    def version(self) -> int:
        """How many secrets are known."""
        ...

    def mask(self, text: str) -> str:
        """The text without them."""
        ...

    def until(self, entry: int) -> Mask:
        """The mask as it was when entry number `entry` of the log was the last one."""
        ...


class Scene:
    """Makes the variables of the template's sections from a state."""

    def __init__(self, domains: Domains, mask: Mask, *, reveal: bool, locale: str) -> None:
        self._domains = domains
        self._mask = mask
        self._masked = not reveal
        self._locale = locale
        self._quoted: dict[str, tuple[SlotState, int, dict[str, Any]]] = {}
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
        slots, version = state.slots, self._mask.version
        found: list[tuple[bool, int, dict[str, Any]]] = []
        for path, spec in self._domains.specs.items():
            slot = slots.get(path)
            if slot is None or not slot.held.quote or slot.held.turn is None or slot.held.turn >= before:
                continue
            if slot.held.status == "empty" or (self._masked and spec.slot.sensitive):
                continue
            known = self._quoted.get(path)
            if known is None or known[0] is not slot or known[1] != version:
                known = self._quoted[path] = slot, version, self._quote(spec, slot.held)
            found.append((slot.held.status != "confirmed", -slot.held.turn, known[2]))
        found.sort(key=itemgetter(0, 1))
        return [quote for _, _, quote in found]

    def _quote(self, spec: SlotSpec, held: Held) -> dict[str, Any]:
        return {"path": spec.path, "label": spec.label, "text": self._mask.mask(held.quote or ""), "turn": held.turn}

    def _rest(self, state: State, left_out: int) -> dict[str, Any]:
        return {
            "question": self._question(state),
            "quotes": [],
            "changes": [],
            "summary": [],
            "left_out": left_out,
            "left_out_ref": "",
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
        shown = {
            "domain": spec.domain,
            "name": spec.name,
            "label": spec.label,
            "path": spec.path,
            "kind": spec.kind,
            "description": spec.description,
            "value": held.value,
            "raw": held.raw,
            "status": held.status,
            "dontcare": held.dontcare,
            "source": held.source,
            "quote": held.quote,
            "turn": None if held.turn is None or held.turn < 0 else held.turn,
            "excluded": list(held.excluded),
            "offers": [{"value": offer.value, "turn": offer.turn} for offer in slot.offers] if slot.offers else [],
            "pending": None if pending is None else _pending(pending),
        }
        if hide or self._mask.version:
            self._hide(shown, hide, _fields(spec))
        return shown

    def _hide(self, shown: dict[str, Any], all_of_it: bool, fields: frozenset[str]) -> None:
        """Mask what was said or held, or the secrets in it; names of fields stay."""

        def hidden(part: Any) -> Any:
            if part is None:
                return None
            return MASK if all_of_it else masked(part, self._mask, fields)

        for one in (shown, *shown["offers"], *([shown["pending"]] if shown["pending"] else ())):
            one.update({key: hidden(one[key]) for key in ("value", "raw", "quote") if key in one})
            one.update({key: [hidden(value) for value in one[key]] for key in ("excluded", "values") if key in one})


def _pending(pending: Pending) -> dict[str, Any]:
    return {"why": pending.why, "values": list(pending.values), "quote": pending.quote, "turn": pending.turn}


def _tells(slot: SlotState) -> bool:
    return slot.is_held or slot.pending is not None or bool(slot.held.excluded)


@lru_cache(maxsize=1024)
def _fields(spec: SlotSpec) -> frozenset[str]:
    """The names in the slot's values that come from its type."""
    inner = [*spec.fields.values(), *([spec.element] if spec.kind in {"list", "map"} else [])]
    own = {"value", "currency"} if spec.kind == "money" else set(spec.fields)
    return frozenset(own).union(*map(_fields, inner))


def masked(part: Any, mask: Mask, fields: frozenset[str] = frozenset()) -> Any:
    """A JSON value with the secrets in it masked, long numbers and keys too; keys that are `fields` stay."""
    match part:
        case str():
            return mask.mask(part)
        case list():
            return [masked(one, mask, fields) for one in part]
        case dict():
            return {key if key in fields else mask.mask(key): masked(one, mask, fields) for key, one in part.items()}
        case int() | float() if len(str(part)) >= _LONG and not isinstance(part, bool):
            return part if mask.mask(str(part)) == str(part) else MASK
        case _:
            return part

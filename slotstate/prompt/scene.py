"""What a template is given: slots, question and quotes as plain data, sensitive values masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias

from slotstate.contract import MASK
from slotstate.domains import Domains
from slotstate.elicit import next_question
from slotstate.slots import SlotSpec
from slotstate.state import Pending, SlotState, State
from slotstate.templating import Fixed

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


_Quoted: TypeAlias = tuple[bool, int, int, Fixed]
"""A quote behind what quotes are sorted by: whether its slot is not confirmed, the turn (the newest first), a place."""


class Scene:
    """Makes the variables of the template's sections from a state."""

    def __init__(self, domains: Domains, mask: Mask, *, reveal: bool, locale: str) -> None:
        self._domains = domains
        self._mask = mask
        self._masked = not reveal
        self._locale = locale
        self._places = {path: place for place, path in enumerate(domains.specs)}
        self._seen = mask.version
        self._slots: dict[str, tuple[SlotState, Fixed]] = {}
        self._quoted: dict[str, tuple[SlotState, _Quoted | None]] = {}
        self._asked: tuple[Mapping[str, SlotState], dict[str, Any] | None] | None = None

    def variables(self, state: State, *, brief: bool = False, left_out: int = 0, **more: Any) -> dict[str, Any]:
        """What every section may use; `brief` leaves out slots that have nothing to tell."""
        self._look()
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
        self._look()
        specs, slot = self._domains.specs, state.slot
        changes = [self._shown(specs[path], slot(path)) for path in paths if path in specs]
        return {**self._rest(state, 0), "domains": [], "changes": changes}

    def quoting(self, state: State, quotes: Sequence[Fixed]) -> dict[str, Any]:
        """The variables of the section of quotes."""
        return {**self._rest(state, 0), "domains": [], "quotes": quotes}

    def quotes(self, state: State, before: int) -> list[Fixed]:
        """The words behind what is held, where they stand in a message before number `before`; confirmed slots first,
        then the newest.
        """
        self._look()
        known, found = self._quoted, list[_Quoted]()
        for path, slot in state.slots.items():
            entry = known.get(path)
            if entry is None or entry[0] is not slot:
                entry = known[path] = slot, self._quote(path, slot)
            quoted = entry[1]
            if quoted is not None and -quoted[1] < before:
                found.append(quoted)
        found.sort()  # no two have the same place
        return [quoted[3] for quoted in found]

    def _quote(self, path: str, slot: SlotState) -> _Quoted | None:
        """The words behind what a slot holds, with what they are sorted by; None where there are none to show."""
        spec, held = self._domains.specs.get(path), slot.held
        if spec is None or not held.quote or held.turn is None or held.status == "empty":
            return None
        if self._masked and spec.slot.sensitive:
            return None
        quote = {"path": path, "label": spec.label, "text": self._mask.mask(held.quote), "turn": held.turn}
        return held.status != "confirmed", -held.turn, self._places[path], Fixed(quote)

    def _look(self) -> None:
        """Forget what was made when less was secret."""
        if self._seen != self._mask.version:
            self._seen = self._mask.version
            self._slots.clear()
            self._quoted.clear()

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

    def _shown(self, spec: SlotSpec, slot: SlotState) -> Fixed:
        """A slot, made once for as long as it stays as it is."""
        known = self._slots.get(spec.path)
        if known is None or known[0] is not slot:
            known = self._slots[spec.path] = slot, Fixed(self._made(spec, slot))
        return known[1]

    def _made(self, spec: SlotSpec, slot: SlotState) -> dict[str, Any]:
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

"""What a template is given: slots, question and quotes as plain data, sensitive values masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import is_not
from typing import Any, Final, Protocol, TypeAlias

from slotstate.contract import MASK
from slotstate.domains import Domain, Domains
from slotstate.elicit import Missing, in_order, missing_of, next_question
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
    """Makes the variables of the template's sections from a state. What it has made of a slot is kept for as long as
    the slot stays as it is: in a turn few change.
    """

    def __init__(self, domains: Domains, mask: Mask, *, reveal: bool, locale: str) -> None:
        self._domains = domains
        self._mask = mask
        self._masked = not reveal
        self._locale = locale
        self._specs = domains.specs
        self._places = {path: place for place, path in enumerate(domains.specs)}
        self._declared = {path: _declared(spec) for path, spec in domains.specs.items()}
        self._asked: tuple[Mapping[str, SlotState], dict[str, Any] | None] | None = None
        self._known: Mapping[str, SlotState] = {}
        self._begin()

    def _begin(self) -> None:
        """Know nothing of any state."""
        self._secrets = self._mask.version
        self._slots: dict[str, SlotState] = {}
        """The slots that the rest was made of."""
        self._shown: dict[str, Fixed] = {}
        self._quotes: dict[str, _Quoted] = {}
        """Of those that were shown."""
        self._before = 0
        self._standing: list[Fixed] | None = None
        """The quotes that stand before message `before`, where they were looked for."""
        self._missing = {name: self._missing_of(domain) for name, domain in self._domains.items()}

    def _missing_of(self, domain: Domain) -> dict[str, Sequence[Missing]]:
        found = {spec.path: missing_of(spec, None) for spec in domain.slots.values()}
        return {path: missing for path, missing in found.items() if missing}

    def _look_at(self, state: State) -> None:
        """Forget what was made of slots that have changed, or when less was secret."""
        if self._secrets != self._mask.version:
            self._begin()
            self._known = {}
        slots = state.slots
        if self._known is slots:
            return
        mine = self._slots
        for path in [*compress(slots, map(is_not, slots.values(), map(mine.get, slots)))]:
            mine[path] = slots[path]
            self._changed(path, slots[path])
        if len(mine) > len(slots):  # an earlier state
            for path in mine.keys() - slots.keys():
                del mine[path]
                self._changed(path, None)
        self._known = slots

    def _changed(self, path: str, slot: SlotState | None) -> None:
        spec = self._specs.get(path)
        if spec is None:  # of another schema
            return
        self._shown.pop(path, None)
        lacking = self._missing[self._declared[path]["domain"]]
        if missing := missing_of(spec, slot):
            lacking[path] = missing
        elif lacking:
            lacking.pop(path, None)
        stood = self._quotes.pop(path, None) is not None
        if stood or (slot is not None and slot.held.turn is not None and slot.held.turn < self._before):
            self._standing = None

    def variables(self, state: State, *, brief: bool = False, left_out: int = 0, **more: Any) -> dict[str, Any]:
        """What every section may use; `brief` leaves out slots that have nothing to tell."""
        self._look_at(state)
        domains = [
            {
                "name": domain.name,
                "label": domain.name.replace("_", " "),
                "description": domain.description,
                "slots": [
                    self._shown.get(spec.path) or self._slot(spec.path, state)
                    for spec in domain.slots.values()
                    if not brief or _tells(state.slot(spec.path))
                ],
            }
            for domain in self._domains.values()
        ]
        return {**self._rest(state, left_out), "domains": domains, **more}

    def note(self, state: State, paths: Iterable[str]) -> dict[str, Any]:
        """The variables of a note on the slots that changed."""
        self._look_at(state)
        shown, specs = self._shown, self._specs
        given = self._rest(state, 0)
        given["changes"] = [shown.get(path) or self._slot(path, state) for path in paths if path in specs]
        return given

    def quoting(self, state: State, quotes: Sequence[Fixed]) -> dict[str, Any]:
        """The variables of the section of quotes."""
        self._look_at(state)
        given = self._rest(state, 0)
        given["quotes"] = quotes
        return given

    def quotes(self, state: State, before: int) -> Sequence[Fixed]:
        """The words behind what is held, where they stand in a message before number `before`; confirmed slots first,
        then the newest.
        """
        self._look_at(state)
        if self._standing is None or self._before != before:
            found = sorted(quoted for path, slot in state.slots.items() if (quoted := self._quoted(path, slot, before)))
            self._before, self._standing = before, [quoted[3] for quoted in found]
        return self._standing

    def _quoted(self, path: str, slot: SlotState, before: int) -> _Quoted | None:
        """The words behind what a slot holds; None where there are none to show."""
        spec, held = self._specs.get(path), slot.held
        if spec is None or not held.quote or held.turn is None or held.turn >= before or held.status == "empty":
            return None
        if self._masked and spec.slot.sensitive:
            return None
        known = self._quotes.get(path)
        if known is None:
            label, text = self._declared[path]["label"], self._mask.mask(held.quote)
            quote = Fixed({"path": path, "label": label, "text": text, "turn": held.turn})
            known = self._quotes[path] = held.status != "confirmed", -held.turn, self._places[path], quote
        return known

    def _rest(self, state: State, left_out: int) -> dict[str, Any]:
        return {
            "domains": [],
            "question": self._question(state) if any(self._missing.values()) else None,
            "quotes": [],
            "changes": [],
            "summary": [],
            "left_out": left_out,
            "left_out_ref": "",
            "locale": self._locale,
        }

    def question(self, state: State) -> dict[str, Any] | None:
        """What to ask next."""
        self._look_at(state)
        return self._question(state) if any(self._missing.values()) else None

    def _question(self, state: State) -> dict[str, Any] | None:
        """The same, where something is missing; worked out once for a state, since several sections use it."""
        if self._asked is None or self._asked[0] is not state.slots:
            asked = next_question(self._domains, state, missing=self._lacking)
            shown = None
            if asked is not None:
                shown = {"path": asked.path, "text": self._mask.mask(asked.text), "reason": asked.reason}
            self._asked = state.slots, shown
            return shown
        return self._asked[1]

    def _lacking(self, domain: Domain, state: State) -> Sequence[Missing]:
        """What a domain's form needs in the state that was looked at."""
        found = self._missing[domain.name]
        return in_order(one for path in sorted(found, key=self._places.__getitem__) for one in found[path])

    def _slot(self, path: str, state: State) -> Fixed:
        """A slot of the state that was looked at; what another, sensitive slot holds too is masked here as well."""
        slot, hide = state.slots.get(path, _UNTOUCHED), self._masked and self._specs[path].slot.sensitive
        held, pending = slot.held, slot.pending
        shown = self._shown[path] = Fixed(
            {
                **self._declared[path],
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
        )
        if hide or self._secrets:
            self._hide(shown, hide, _fields(self._specs[path]))
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


_UNTOUCHED: Final = SlotState()


def _declared(spec: SlotSpec) -> dict[str, Any]:
    """What is shown of a slot whatever it holds."""
    return {
        "domain": spec.domain,
        "name": spec.name,
        "label": spec.label,
        "path": spec.path,
        "kind": spec.kind,
        "description": spec.description,
    }


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

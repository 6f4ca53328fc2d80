"""What a template is given: slots, question and quotes as plain data, sensitive values masked."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import is_not, itemgetter
from typing import Any, Final, Protocol, TypeAlias

from slotstate.contract import MASK
from slotstate.domains import Domain, Domains
from slotstate.elicit import Missing, Question, in_order, missing_of, next_question
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


_QUOTE: Final[Callable[[_Quoted], Fixed]] = itemgetter(3)


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
        self._begin()

    def _begin(self) -> None:
        """Know nothing of any state."""
        self._secrets = self._mask.version
        self._known: Mapping[str, SlotState] = {}
        """The slots that the rest was made of."""
        self._asked: tuple[Mapping[str, SlotState], dict[str, Any] | None] | None = None
        self._shown: dict[str, Fixed] = {}
        self._before = 0
        self._quotes: dict[str, _Quoted] = {}
        """By slot, the quotes that stand before message number `before`."""
        self._sorted: list[_Quoted] = []
        self._standing: list[Fixed] | None = None
        """The same in order, where they were looked for."""
        self._missing: dict[str, dict[str, Sequence[Missing]]] = {}
        """By domain and slot."""
        self._missing_in: dict[str, dict[str, Sequence[Missing]]] = {}
        """Those of a slot's domain, by the slot."""
        for name, domain in self._domains.items():
            found = {spec.path: missing_of(spec, None) for spec in domain.slots.values()}
            lacking = self._missing[name] = {path: missing for path, missing in found.items() if missing}
            self._missing_in.update(dict.fromkeys(found, lacking))

    def _look_at(self, state: State) -> None:
        """Forget what was made of slots that have changed, or when less was secret."""
        slots, secrets = state.slots, self._mask.version
        if self._known is slots and self._secrets == secrets:
            return
        if self._secrets != secrets:
            self._begin()
        known, self._known = self._known, slots
        for path in [*compress(slots, map(is_not, slots.values(), map(known.get, slots)))]:
            self._changed(path, slots[path])
        for path in () if known.keys() <= slots.keys() else known.keys() - slots.keys():  # of a later state
            self._changed(path, None)

    def _changed(self, path: str, slot: SlotState | None) -> None:
        lacking = self._missing_in.get(path)
        if lacking is None:  # of another schema
            return
        self._shown.pop(path, None)
        if missing := missing_of(self._specs[path], slot):
            lacking[path] = missing
        elif lacking:
            lacking.pop(path, None)
        if (stood := self._quotes.pop(path, None)) is not None:
            self._sorted.remove(stood)
            self._standing = None
        if slot is None or slot.held.turn is None or slot.held.turn >= self._before:  # as what is new is
            return
        if (quoted := self._quoted(path, slot)) is not None:
            insort(self._sorted, quoted)
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

    def changes(self, state: State, paths: Collection[str]) -> list[Fixed]:
        """The slots of these paths, as far as they are declared."""
        self._look_at(state)
        shown = self._shown
        for path in paths:
            if path not in shown and path in self._specs:
                self._slot(path, state)
        return [*filter(None, map(shown.get, paths))]

    def given(self, state: State, **more: Any) -> dict[str, Any]:
        """The variables of a section that shows no domain."""
        self._look_at(state)
        return {**self._rest(state, 0), **more}

    def quotes(self, state: State, before: int) -> Sequence[Fixed]:
        """The words behind what is held, where they stand in a message before number `before`; confirmed slots first,
        then the newest.
        """
        self._look_at(state)
        if self._before != before:
            self._before, self._standing, known, self._quotes = before, None, self._quotes, {}
            found = (self._quoted(path, slot, known.get(path)) for path, slot in state.slots.items())
            self._sorted = sorted(quoted for quoted in found if quoted is not None)
        if self._standing is None:
            self._standing = [*map(_QUOTE, self._sorted)]
        return self._standing

    def _quoted(self, path: str, slot: SlotState, known: _Quoted | None = None) -> _Quoted | None:
        """The words behind what a slot holds; None where there are none to show."""
        spec, held = self._specs.get(path), slot.held
        if spec is None or not held.quote or held.turn is None or held.turn >= self._before or held.status == "empty":
            return None
        if self._masked and spec.slot.sensitive:
            return None
        if known is None:
            label, text = self._declared[path]["label"], self._mask.mask(held.quote)
            quote = Fixed({"path": path, "label": label, "text": text, "turn": held.turn})
            known = held.status != "confirmed", -held.turn, self._places[path], quote
        self._quotes[path] = known
        return known

    def _rest(self, state: State, left_out: int) -> dict[str, Any]:
        return {
            "domains": [],
            "question": self.question(state),
            "quotes": [],
            "changes": [],
            "summary": [],
            "left_out": left_out,
            "left_out_ref": "",
            "locale": self._locale,
        }

    def question(self, state: State) -> dict[str, Any] | None:
        """What to ask next; worked out once for a state, since several sections use it."""
        self._look_at(state)
        if self._asked is None or self._asked[0] is not state.slots:
            self._asked = state.slots, self._question(state) if any(self._missing.values()) else None
        return self._asked[1]

    def _question(self, state: State) -> dict[str, Any] | None:
        asked = next_question(self._domains, state, missing=self._lacking)
        return None if asked is None else _asked(asked, self._mask)

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


def _asked(question: Question, mask: Mask) -> dict[str, Any]:
    return {"path": question.path, "text": mask.mask(question.text), "reason": question.reason}


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

"""Elicitation: what is missing, what to ask next, and the finished form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from slotstate.domains import Domain, Domains
from slotstate.errors import Incomplete, InvalidValue
from slotstate.events import Why
from slotstate.parsing import unspaced
from slotstate.slots import Json, SlotSpec
from slotstate.state import SlotState, State
from slotstate.values import to_python

M = TypeVar("M", bound=BaseModel)
MissingReason: TypeAlias = Literal["empty", "unconfirmed"] | Why


@dataclass(frozen=True, slots=True)
class Missing:
    """A slot that must still be asked about, and why: empty, unconfirmed, or what is pending."""

    path: str
    reason: MissingReason


@dataclass(frozen=True, slots=True)
class Question:
    """The next thing to ask: pass its `path` as `asks=[path]` with the assistant turn that asks it."""

    path: str
    text: str
    reason: MissingReason


def missing_slots(domain: Domain, state: State) -> tuple[Missing, ...]:
    """What a domain's form still needs: pending slots first, then required empty ones, then confirmations."""
    slots = state.slots
    return in_order(one for spec in domain.slots.values() for one in missing_of(spec, slots.get(spec.path)))


def in_order(found: Iterable[Missing]) -> tuple[Missing, ...]:
    """What is missing, in the order of asking."""
    return tuple(sorted(found, key=lambda item: _ORDER.get(item.reason, 0)))


_ORDER: Final[Mapping[str, int]] = {"empty": 1, "unconfirmed": 2}


def missing_of(spec: SlotSpec, slot: SlotState | None) -> Sequence[Missing]:
    """What is missing of one slot; an untouched one is None."""
    if slot is None:
        return (Missing(spec.path, "empty"),) if spec.required else ()
    status = slot.held.status
    settled = status == "confirmed" or (status == "filled" and spec.slot.confirm != "explicit")
    return () if settled and slot.pending is None and spec.kind != "composite" else tuple(_looked_into(spec, slot))


def _looked_into(spec: SlotSpec, slot: SlotState) -> Iterator[Missing]:
    if slot.pending is not None and (slot.is_held or spec.required or slot.pending.why != "denied"):
        yield Missing(spec.path, slot.pending.why)
    elif not slot.is_held:
        if spec.required:
            yield Missing(spec.path, "empty")
    elif absent := list(_absent_parts(spec, slot.held.value)):
        yield from (Missing(path, "empty") for path in absent)
    elif spec.slot.confirm == "explicit" and slot.held.status != "confirmed":
        yield Missing(spec.path, "unconfirmed")


def _absent_parts(spec: SlotSpec, value: Json) -> Iterator[str]:
    if spec.kind != "composite" or not isinstance(value, dict):
        return
    for name, part in spec.fields.items():
        if name not in value:
            if part.required:
                yield part.path
        else:
            yield from _absent_parts(part, value[name])


def next_question(
    domains: Domains,
    state: State,
    domain: str | None = None,
    missing: Callable[[Domain, State], Sequence[Missing]] = missing_slots,
) -> Question | None:
    """What to ask next, in the domain most recently spoken of first; None when nothing is missing.

    Domains that nobody has spoken of are left alone, unless `domain` names one or none was spoken of yet. `missing`
    tells what a domain's form needs.
    """
    names = [domain] if domain is not None else _spoken_of(domains, state)
    for name in names:
        for item in missing(domains[name], state):
            spec = _part(domains, item.path)
            return Question(
                item.path, _question(spec, state.slot(".".join(item.path.split(".")[:2])), item), item.reason
            )
    return None


def _spoken_of(domains: Domains, state: State) -> list[str]:
    if len(domains) == 1:
        return list(domains)
    recency: dict[str, int] = {}
    for path, slot in state.slots.items():
        name = path.split(".", 1)[0]
        if name in domains and (slot.is_held or slot.pending is not None):
            recency[name] = max(recency.get(name, -1), slot.changed, slot.pending.turn or 0 if slot.pending else -1)
    return sorted(recency, key=lambda name: -recency[name]) or list(domains)[:1]


def _part(domains: Domains, path: str) -> SlotSpec:
    head, *inner = path.split(".")[1:]
    spec = domains.spec(f"{path.split('.', 1)[0]}.{head}")
    for name in inner:
        spec = spec.fields[name]
    return spec


_ENGLISH: dict[MissingReason, str] = {
    "empty": "What is the {label}?",
    "unconfirmed": "{label}: {value}. Is that right?",
    "conflict": "{label}: {candidate} now. Is that right?",
    "ambiguous": "{ask} {candidates}?",
    "denied": "{ask}",
    "stale": "{label}: still {value}?",
}
_CHINESE: dict[MissingReason, str] = {
    "empty": "请问{label}是什么？",
    "unconfirmed": "{label}：{value}，对吗？",
    "conflict": "{label}改成{candidate}，对吗？",
    "ambiguous": "{ask}{candidates}？",
    "denied": "{ask}",
    "stale": "{label}还是{value}吗？",
}


def _question(spec: SlotSpec, slot: SlotState, item: Missing) -> str:
    chinese = any(map(unspaced, spec.slot.ask or spec.label))
    words = _CHINESE if chinese else _ENGLISH
    waiting = slot.pending.values if slot.pending is not None else ()
    reason = item.reason
    if not waiting:  # nothing to choose between
        reason = "stale" if reason == "conflict" else "denied" if reason == "ambiguous" else reason
    held = "dontcare" if slot.held.dontcare else slot.held.value
    said = {
        "label": spec.label,
        "ask": spec.slot.ask or words["empty"].format_map({"label": spec.label}),
        "value": say_value(held),
        "candidate": say_value(waiting[0]) if waiting else "",
        "candidates": ("还是" if chinese else " or ").join(map(say_value, waiting)),
    }
    return said["ask"] if reason == "empty" else words[reason].format_map(said)


def say_value(value: Json) -> str:
    """A canonical value as a person reads it in one line."""
    match value:
        case None:
            return "–"
        case "dontcare":
            return "no preference"
        case bool():
            return "yes" if value else "no"
        case {"value": amount, "currency": currency}:
            return f"{amount} {currency}"
        case dict():
            return ", ".join(f"{key}: {say_value(part)}" for key, part in value.items())
        case list():
            return ", ".join(say_value(part) for part in value)
        case _:
            return str(value)


def fill_form(domain: Domain, model: type[M], state: State) -> M:
    """The domain's model filled from the state, its cross-field validators run.

    Raises Incomplete while slots are missing, and InvalidValue when a cross-field validator refuses the whole.
    """
    missing = missing_slots(domain, state)
    if missing:
        paths = ", ".join(f"{item.path} ({item.reason})" for item in missing)
        raise Incomplete(f"the form of {domain.name!r} is not complete: ask for {paths}", missing)
    held = {name: state.slot(spec.path).held for name, spec in domain.slots.items()}
    values = {
        _key(model, name): to_python(domain.slots[name], one.value)
        for name, one in held.items()
        if one.status != "empty" and not one.dontcare
    }
    nulls = {_key(model, name): None for name, one in held.items() if one.dontcare and domain.slots[name].required}
    try:
        return model.model_validate(values | nulls)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([domain.name, *map(str, first["loc"])])
        raise InvalidValue(where, first["msg"].removeprefix("Value error, ")) from None


def _key(model: type[BaseModel], name: str) -> str:
    """The name under which the model takes a field: its alias, where it has one."""
    alias = model.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else name

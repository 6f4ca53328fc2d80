"""Schema-Guided Dialogue (SGD) and its reworded schemas (SGD-X), read from their JSON.

Rastogi et al. 2020, "Towards Scalable Multi-domain Conversational Agents: The Schema-Guided Dialogue Dataset"; Lee et
al. 2022, "SGD-X: A Benchmark for Robust Generalization in Schema-Guided Dialogue Systems".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from slotstate.measuring.dialogues import (
    NOTHING,
    Act,
    Call,
    Dialogue,
    Frame,
    JsonSchema,
    Marked,
    Reference,
    Turn,
    domain_schema,
)

VARIANTS: Final = ("v1", "v2", "v3", "v4", "v5")
"""The rewordings of SGD-X: service Alarm_1 is Alarm_11 in the first."""

SEEN: Final = frozenset(
    "Banks_1 Buses_1 Buses_2 Calendar_1 Events_1 Events_2 Flights_1 Flights_2 Homes_1 Hotels_1 Hotels_2 Hotels_3 "
    "Media_1 Movies_1 Music_1 Music_2 RentalCars_1 RentalCars_2 Restaurants_1 RideSharing_1 RideSharing_2 Services_1 "
    "Services_2 Services_3 Travel_1 Weather_1".split()
)
"""The services of the training split."""

Raw = Mapping[str, Any]


def is_dialogues(data: Any) -> bool:
    """Whether a JSON document holds dialogues of SGD: a list, services named as Alarm_1 is."""
    if not isinstance(data, list) or not data or not isinstance(data[0], dict):
        return False
    first: Raw = data[0]
    services = first.get("services")
    return "turns" in first and isinstance(services, list) and all(_is_service(one) for one in services)


def is_schema(data: Any) -> bool:
    """Whether a JSON document holds schemas of SGD's services."""
    return is_schema_list(data) and all(_is_service(one["service_name"]) for one in data)


def is_schema_list(data: Any) -> bool:
    """Whether a JSON document holds schemas of services, of SGD or of MultiWOZ 2.2."""
    return (
        isinstance(data, list)
        and bool(data)
        and all(isinstance(one, dict) and {"service_name", "slots"} <= one.keys() for one in data)
    )


def _is_service(name: Any) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z]+_[0-9]+", name) is not None


# Services


@dataclass(frozen=True, slots=True)
class Renaming:
    """A service of the original schema as a rewording calls it: its name, slots and intents by their original names."""

    service: str
    slots: Mapping[str, str]
    intents: Mapping[str, str]


def service_schema(service: Raw, original: Raw | None = None, *, typed: bool = True) -> JsonSchema:
    """The JSON Schema of a service. What no intent takes in is a result: tools fill it, the user's words do not.

    The corpus' schema says of a slot that its values are free or options. `typed`: dates, times and phone numbers are
    such, which slots' names tell, and options that are numbers are whole numbers; else they are texts and options as
    the schema has them. The names are those of `original`, slot by slot, where the service is a rewording: a
    declaration is typed; its words are not.
    """
    known = (original or service)["slots"]
    intents: Sequence[Raw] = service.get("intents", ())
    required = {slot for intent in intents for slot in intent.get("required_slots", ())}
    taken = required.union(*(intent.get("optional_slots", ()) for intent in intents))
    slots: dict[str, Any] = {}
    for slot, base in zip(service["slots"], known, strict=True):
        name = slot["name"]
        hints = {"dont_care": True} if name in taken or not intents else {"evidence": "tool"}
        kind = _kind(slot, base["name"] if typed else None)
        about = slot.get("description", "")
        categorical = bool(slot["is_categorical"])
        slots[name] = {**kind, "description": about, "x-slot": hints, "x-categorical": categorical}
    about = [service.get("description", ""), *(intent.get("description", "") for intent in intents)]
    described = ". ".join(one.rstrip(". ") for one in about if one)
    told = [
        {
            "name": intent["name"],
            "description": intent.get("description", ""),
            "required": list(intent.get("required_slots", ())),
            "optional": list(intent.get("optional_slots", ())),
        }
        for intent in intents
    ]
    ordered = [name for name in slots if name in required]
    return domain_schema(service["service_name"], described, slots, **{"required": ordered, "x-intents": told})


def _kind(slot: Raw, name: str | None) -> Mapping[str, Any]:
    """The type of a slot: by its options, and by its name where one is given."""
    options: Sequence[str] = list(dict.fromkeys(slot.get("possible_values") or ()))
    if slot["is_categorical"] and set(options) == {"True", "False"}:
        return {"type": "boolean"}
    if slot["is_categorical"] and options:
        if name is not None and all(option.isdigit() for option in options):
            return {"type": "integer", "minimum": min(map(int, options)), "maximum": max(map(int, options))}
        return {"type": "string", "enum": options}
    if name is None:
        return {"type": "string"}
    if re.search(r"date|check_in|check_out", name):
        return {"type": "string", "format": "date"}
    if name.endswith("time") and "wait" not in name and "ride" not in name:
        return {"type": "string", "format": "time"}
    return {"type": "string", "format": "phone"} if "phone" in name else {"type": "string"}


def renaming(original: Raw, variant: Raw) -> Renaming:
    """How a rewording calls the parts of a service: SGD-X keeps the order of slots and intents."""
    slots = zip(original["slots"], variant["slots"], strict=True)
    intents = zip(original["intents"], variant["intents"], strict=True)
    return Renaming(
        variant["service_name"],
        {one["name"]: other["name"] for one, other in slots},
        {one["name"]: other["name"] for one, other in intents},
    )


def same_words(names: Raw) -> Renaming:
    """A service that is called as it is."""
    return Renaming(
        names["service_name"],
        {slot["name"]: slot["name"] for slot in names["slots"]},
        {intent["name"]: intent["name"] for intent in names.get("intents", ())},
    )


# Dialogues


def read_dialogue(raw: Raw, names: Mapping[str, Renaming]) -> Dialogue:
    """A dialogue of SGD. `names` says how each of its services is called."""
    reader = _Reader(names)
    turns = tuple(reader.turn(turn) for turn in raw["turns"])
    return Dialogue(str(raw["dialogue_id"]), tuple(names[one].service for one in raw["services"]), turns)


class _Reader:
    """Reads turns in order; keeps the state of services that are not spoken of, and the standard forms told so far."""

    def __init__(self, names: Mapping[str, Renaming]) -> None:
        self._names = names
        self._canonical: dict[tuple[str, str], dict[str, None]] = {}
        self._state: dict[str, Mapping[str, Reference]] = {}

    def turn(self, raw: Raw) -> Turn:
        """The next turn."""
        for frame in raw["frames"]:
            self._learn(frame)
        frames = tuple(self._frame(frame) for frame in raw["frames"])
        if raw["speaker"] != "USER":
            return Turn("assistant", raw["utterance"], frames)
        self._state.update({frame.service: frame.state for frame in frames if frame.state is not None})
        state = {f"{service}.{slot}": value for service, slots in self._state.items() for slot, value in slots.items()}
        return Turn("user", raw["utterance"], frames, MappingProxyType(state) if state else NOTHING)

    def _learn(self, frame: Raw) -> None:
        """Take in the standard forms that the acts tell."""
        for action in frame.get("actions", ()):
            for written, meant in zip(action["values"], action.get("canonical_values", ()), strict=False):
                self._canonical.setdefault((action["slot"], written), {})[meant] = None

    def _frame(self, raw: Raw) -> Frame:
        names = self._names[raw["service"]]
        state: Raw | None = raw.get("state")
        return Frame(
            names.service,
            None if state is None else MappingProxyType(dict(self._slots(state["slot_values"], names))),
            None if state is None else names.intents.get(state["active_intent"], state["active_intent"]),
            None if state is None else tuple(names.slots.get(slot, slot) for slot in state["requested_slots"]),
            tuple(_act(action, names) for action in raw.get("actions", ())),
            tuple(
                Marked(names.slots.get(one["slot"], one["slot"]), one["start"], one["exclusive_end"])
                for one in raw.get("slots", ())
                if "start" in one
            ),
            _call(raw, names),
        )

    def _slots(self, values: Mapping[str, Sequence[str]], names: Renaming) -> Iterator[tuple[str, Reference]]:
        for slot, written in values.items():
            meant = {form: None for value in written for form in self._canonical.get((slot, value), ())}
            yield names.slots.get(slot, slot), Reference(tuple(written), tuple(meant))


def _call(raw: Raw, names: Renaming) -> Call | None:
    """The call of the service. What it returned keeps the original names: a service is not reworded."""
    told: Raw | None = raw.get("service_call")
    if told is None:
        return None
    parameters = {names.slots.get(slot, slot): value for slot, value in told["parameters"].items()}
    return Call(names.intents.get(told["method"], told["method"]), parameters, raw.get("service_results", ()))


def _act(raw: Raw, names: Renaming) -> Act:
    values, canonical = tuple(raw.get("values", ())), tuple(raw.get("canonical_values", ()))
    if raw["slot"] == "intent" or raw["act"] in {"INFORM_INTENT", "OFFER_INTENT"}:
        values, canonical = (tuple(names.intents.get(value, value) for value in one) for one in (values, canonical))
    return Act(raw["act"], names.slots.get(raw["slot"], raw["slot"]), values, canonical)


__all__ = ["SEEN", "VARIANTS", "Renaming", "is_dialogues", "is_schema", "read_dialogue", "service_schema"]

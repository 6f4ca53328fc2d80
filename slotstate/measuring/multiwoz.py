"""MultiWOZ 2.1, 2.2 and 2.4, read from their JSON: the thirty slots of five domains that trackers are measured on.

Budzianowski et al. 2018 (MultiWOZ), Eric et al. 2020 (2.1), Zang et al. 2020 (2.2), Ye et al. 2022 (2.4). Three forms
are read: `data.json` (2.1, 2.4), the one of SGD (2.2), and the `*_dials.json` that preprocessing scripts make of 2.1
and 2.4. The reference of 2.1 and 2.4 is the metadata of the system turn that follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from slotstate.measuring.dialogues import Act, Dialogue, Frame, JsonSchema, Reference, Turn, domain_schema
from slotstate.measuring.multiwoz_labels import DONTCARE, NONE, mended

VERSIONS: Final = ("2.1", "2.2", "2.4")

Raw = Mapping[str, Any]
Labels = Sequence[tuple[str, Sequence[str]]]
Labelled = tuple[str, str, Labels | None]
"""What the assistant said, what the user said then, and the labels after it; None where there are none."""

_DAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_AREAS: Final = "centre east north south west"
_PRICES: Final = "cheap moderate expensive"
_STATIONS: Final = (
    "birmingham new street|bishops stortford|broxbourne|cambridge|ely|kings lynn|leicester|london kings cross|"
    "london liverpool street|norwich|peterborough|stansted airport|stevenage"
)
_SIGHTS: Final = (
    "architecture|boat|cinema|college|concert hall|entertainment|museum|multiple sports|nightclub|park|swimming pool|"
    "theatre"
)

_SLOTS: Final[Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]]] = {
    # domain: what it is for; slot: kind or options, what it means
    "attraction": (
        "Sights and things to do in the city",
        {
            "area": (_AREAS, "part of the city"),
            "name": ("text", "name of the sight"),
            "type": (_SIGHTS, "kind of sight"),
        },
    ),
    "hotel": (
        "Hotels and guest houses",
        {
            "area": (_AREAS, "part of the city"),
            "bookday": (_DAYS, "day on which the stay begins"),
            "bookpeople": ("count", "how many people stay"),
            "bookstay": ("count", "how many nights they stay"),
            "internet": ("boolean", "whether it has internet"),
            "name": ("text", "name of the hotel"),
            "parking": ("boolean", "whether it has parking"),
            "pricerange": (_PRICES, "how expensive it is"),
            "stars": ("count", "how many stars it has"),
            "type": ("guest house|hotel", "guest house or hotel"),
        },
    ),
    "restaurant": (
        "Restaurants and tables in them",
        {
            "area": (_AREAS, "part of the city"),
            "bookday": (_DAYS, "day of the table"),
            "bookpeople": ("count", "how many people eat"),
            "booktime": ("time", "time of the table"),
            "food": ("text", "cuisine"),
            "name": ("text", "name of the restaurant"),
            "pricerange": (_PRICES, "how expensive it is"),
        },
    ),
    "taxi": (
        "Taxis in the city",
        {
            "arriveby": ("time", "time of arrival"),
            "departure": ("text", "place where the ride begins"),
            "destination": ("text", "place where the ride ends"),
            "leaveat": ("time", "time of departure"),
        },
    ),
    "train": (
        "Trains from and to the city",
        {
            "arriveby": ("time", "time of arrival"),
            "bookpeople": ("count", "how many tickets"),
            "day": (_DAYS, "day of the journey"),
            "departure": (_STATIONS, "station where the journey begins"),
            "destination": (_STATIONS, "station where the journey ends"),
            "leaveat": ("time", "time of departure"),
        },
    ),
}
DOMAINS: Final = tuple(_SLOTS)
PATHS: Final = tuple(f"{domain}.{slot}" for domain, (_, slots) in _SLOTS.items() for slot in slots)
"""The thirty slots."""
_KNOWN: Final = frozenset(PATHS)


# Schemas


def schemas(services: Sequence[Raw] = ()) -> Mapping[str, JsonSchema]:
    """The five domains. `services` is the schema of MultiWOZ 2.2, whose descriptions and options are then used."""
    told = {slot["name"]: slot for service in services for slot in service["slots"]}
    about = {service["service_name"]: service.get("description", "") for service in services}
    return {
        domain: domain_schema(
            domain,
            about.get(domain) or purpose,
            {
                name: _slot(domain, name, kind, what, told.get(f"{domain}-{name}"))
                for name, (kind, what) in slots.items()
            },
        )
        for domain, (purpose, slots) in _SLOTS.items()
    }


def _slot(domain: str, name: str, kind: str, what: str, told: Raw | None) -> JsonSchema:
    options: Sequence[str] = kind.split("|") if "|" in kind else kind.split()
    schema: dict[str, Any] = {"type": "string"}
    slot: dict[str, Any] = {"dont_care": True}
    match kind:
        case "boolean":
            schema = {"type": "boolean"}
        case "count":
            schema = {"type": "integer", "minimum": 0, "maximum": 30}
        case "time":
            schema = {"type": "string", "format": "time"}
        case "text":
            pass
        case _:
            written = [one for one in (told or {}).get("possible_values", ()) if one != DONTCARE] or options
            schema["enum"] = list(dict.fromkeys(mended(f"{domain}.{name}", one) for one in written))
            aliases = {value: one for one in written if (value := mended(f"{domain}.{name}", one)) != one}
            if aliases:
                slot["aliases"] = {value: [one] for value, one in aliases.items()}
    if name.startswith("book"):
        slot["cues"] = [name.removeprefix("book")]
    return {**schema, "description": (told or {}).get("description") or what, "x-slot": slot}


# Dialogues


def is_data(data: Any) -> bool:
    """Whether a JSON document is a `data.json`: dialogues by name, each with goal and log."""
    if not isinstance(data, dict) or not data:
        return False
    return _has(next(iter(data.values())), "log", "goal")


def is_frames(data: Any) -> bool:
    """Whether a JSON document holds dialogues of MultiWOZ 2.2."""
    return isinstance(data, list) and bool(data) and _has(data[0], "dialogue_id", "services", "turns")


def is_dials(data: Any) -> bool:
    """Whether a JSON document holds preprocessed dialogues, as trackers' scripts write them."""
    return isinstance(data, list) and bool(data) and _has(data[0], "dialogue_idx", "dialogue")


def _has(part: Any, *keys: str) -> bool:
    return isinstance(part, dict) and all(key in part for key in keys)


def told_version(data: Any) -> str | None:
    """What a document says of its version by the way in which it is written: only 2.2 has frames, and of `data.json`
    only 2.4 writes "guest house" where 2.1 has "guesthouse". None where it does not say.
    """
    if is_frames(data):
        return "2.2"
    if not is_data(data):  # scripts have written both versions the same way
        return None
    found = [labels for _, turns in _labelled(data) for _, _, labels in turns if labels is not None]
    labels = {value for state in found for _, values in state for value in values}
    return "2.4" if "guest house" in labels else "2.1" if "guesthouse" in labels else None


def read_dialogues(data: Any) -> Iterator[Dialogue]:
    """The dialogues of a document, in any of the three forms."""
    if is_frames(data):
        yield from (_framed(raw) for raw in data)
        return
    acts = _user_acts(data) if isinstance(data, dict) else {}
    for name, turns in _labelled(data):
        yield _dialogue(name, turns, acts.get(name, ()))


def _labelled(data: Any) -> Iterator[tuple[str, Iterator[Labelled]]]:
    """The name and the turns of each dialogue."""
    if isinstance(data, dict):
        for name, raw in data.items():
            yield str(name), _log_turns(raw["log"])
    else:
        for raw in data:
            yield str(raw["dialogue_idx"]), _dial_turns(raw["dialogue"])


def _log_turns(log: Sequence[Raw]) -> Iterator[Labelled]:
    for index in range(0, len(log), 2):
        before = log[index - 1]["text"] if index else ""
        after = log[index + 1]["metadata"] if index + 1 < len(log) else None
        yield before, log[index]["text"], None if after is None else list(_metadata(after))
    if log and len(log) % 2 == 0:
        yield log[-1]["text"], "", None


def _metadata(metadata: Raw) -> Iterator[tuple[str, Sequence[str]]]:
    for domain, parts in metadata.items():
        booked = {f"book{key}": value for key, value in parts.get("book", {}).items() if key != "booked"}
        for slot, value in {**parts.get("semi", {}), **booked}.items():
            yield f"{domain}.{_slot_name(slot)}", _alternatives(value)


def _dial_turns(dialogue: Sequence[Raw]) -> Iterator[Labelled]:
    for turn in dialogue:
        labels = [pair for one in turn["belief_state"] for pair in (one["slots"] if isinstance(one, dict) else [one])]
        state = [(_path(name), _alternatives(value)) for name, value in labels]
        yield turn["system_transcript"], turn["transcript"], state


def _path(name: str) -> str:
    domain, _, slot = name.partition("-")
    return f"{domain.lower()}.{_slot_name(slot)}"


def _slot_name(name: str) -> str:
    """`leaveAt`, `price range`, `book day`: as 2.2 writes them."""
    return name.replace(" ", "").lower()


def _alternatives(value: Any) -> Sequence[str]:
    """The values that a label allows: a list of them, or texts between bars."""
    if isinstance(value, str):
        return value.replace("<", "|").replace(">", "|").split("|")
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _dialogue(name: str, turns: Iterable[Labelled], acts: Sequence[Sequence[Frame]]) -> Dialogue:
    read: list[Turn] = []
    for index, (assistant, user, labels) in enumerate(turns):
        if assistant:
            read.append(Turn("assistant", assistant))
        if user:
            frames = acts[index] if index < len(acts) else ()
            read.append(Turn("user", user, tuple(frames), None if labels is None else _state(labels)))
    return Dialogue(name.removesuffix(".json"), _used(read), tuple(read))


def _state(labels: Labels) -> Mapping[str, Reference]:
    state: dict[str, Reference] = {}
    for path, values in labels:
        kept = dict.fromkeys(mended(path, value) for value in values)
        kept.pop(NONE, None)
        if path in _KNOWN and kept:
            state[path] = Reference(tuple(kept))
    return MappingProxyType(state)


def _used(turns: Iterable[Turn]) -> tuple[str, ...]:
    """The domains that the dialogue is about, in the order in which they come up."""
    return tuple(dict.fromkeys(path.partition(".")[0] for turn in turns for path in turn.state or ())) or ("hotel",)


def _user_acts(data: Raw) -> Mapping[str, Sequence[Sequence[Frame]]]:
    return {str(name): [_acts(turn.get("dialog_act")) for turn in raw["log"][::2]] for name, raw in data.items()}


def _acts(told: Any) -> Sequence[Frame]:
    """The frames of a turn whose acts are written as {"Hotel-Inform": [["Area", "north"]]}."""
    found: dict[str, list[Act]] = {}
    for name, slots in told.items() if isinstance(told, dict) else ():
        domain, _, act = name.lower().partition("-")
        if domain in DOMAINS:
            found.setdefault(domain, []).extend(Act(act.upper(), slot.lower(), (str(value),)) for slot, value in slots)
    return [Frame(domain, acts=tuple(acts)) for domain, acts in found.items()]


def _framed(raw: Raw) -> Dialogue:
    """A dialogue of 2.2."""
    turns: list[Turn] = []
    for turn in raw["turns"]:
        if turn["speaker"] != "USER":
            turns.append(Turn("assistant", turn["utterance"]))
            continue
        states = [frame.get("state", {}).get("slot_values", {}) for frame in turn["frames"]]
        labels = [(_path(name), values) for state in states for name, values in state.items()]
        turns.append(Turn("user", turn["utterance"], (), _state(labels)))
    return Dialogue(str(raw["dialogue_id"]).removesuffix(".json"), _used(turns), tuple(turns))


__all__ = ["DOMAINS", "PATHS", "VERSIONS", "read_dialogues", "schemas", "told_version"]

"""The corpora as the benchmark of the built-in extractor reads them: services as JSON Schemas, gold values by turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from slotstate.domains import compile_domains
from slotstate.jsonschema import domain_from_json_schema
from slotstate.parsing import fold

NOW: Final = datetime(2019, 3, 1, 9, tzinfo=UTC)
"""The day on which the dialogues of SGD take place."""
Gold = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Turn:
    """A message, with the gold values of all slots after it where it is the user's."""

    role: str
    text: str
    gold: Gold


@dataclass(frozen=True)
class Dialogue:
    """A dialogue with the schemas of its services."""

    name: str
    schemas: tuple[Mapping[str, Any], ...]
    turns: tuple[Turn, ...]

    def kinds(self) -> dict[str, str]:
        """The kind of each slot."""
        domains = compile_domains([domain_from_json_schema(dict(schema)) for schema in self.schemas])
        return {path: spec.kind for path, spec in domains.specs.items()}


def matches(value: Any, gold: Iterable[str]) -> bool:
    """Whether a proposed value is one of the gold ones, letter case, punctuation and articles aside."""
    if isinstance(value, bool):
        return bool({"true", "yes", "free", "1"} & set(map(_plain, gold))) is value
    if isinstance(value, dict):
        value = value.get("value")
    return _plain(str(value)) in {_plain(one) for one in gold}


@cache
def _plain(text: str) -> str:
    folded = re.sub(r"\b(?:the|a|an)\b", " ", fold(text).text)
    plain = re.sub(r"[\W_]+", "", folded)
    return re.sub(r"\.0\Z", "", text) if re.fullmatch(r"[0-9]+\.0", text) else plain


def _schema(title: str, description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"title": title, "type": "object", "description": description, "properties": dict(properties)}


# -- SGD ---------------------------------------------------------------------------------------------------------------


def sgd(data: Path) -> list[Dialogue]:
    """The sample of SGD's test split; dates and times are compared in their canonical form."""
    services = {service["service_name"]: service for service in _read(data / "sgd" / "schema.json")}
    return [_sgd_dialogue(one, services) for one in _read(data / "sgd" / "sgd_test_dev.json")]


def _sgd_dialogue(raw: Mapping[str, Any], services: Mapping[str, Any]) -> Dialogue:
    canonical: dict[tuple[str, str], set[str]] = {}
    gold: dict[str, frozenset[str]] = {}
    turns: list[Turn] = []
    for turn in raw["turns"]:
        for frame in turn["frames"]:
            for action in frame["actions"]:
                for written, meant in zip(action["values"], action["canonical_values"], strict=True):
                    canonical.setdefault((action["slot"], written), set()).add(meant)
        for frame in turn["frames"] if turn["speaker"] == "USER" else ():
            prefix = f"{frame['service']}."
            gold = {path: values for path, values in gold.items() if not path.startswith(prefix)}
            for slot, values in frame["state"]["slot_values"].items():
                meant = [more for value in values for more in canonical.get((slot, value), ())]
                gold[prefix + slot] = frozenset([*values, *meant])
        turns.append(Turn("user" if turn["speaker"] == "USER" else "assistant", turn["utterance"], gold))
    schemas = tuple(_sgd_schema(services[name]) for name in raw["services"])
    return Dialogue(raw["dialogue_id"], schemas, tuple(turns))


def _sgd_schema(service: Mapping[str, Any]) -> dict[str, Any]:
    properties = {slot["name"]: _sgd_slot(slot) for slot in service["slots"]}
    return _schema(service["service_name"], service["description"], properties)


def _sgd_slot(slot: Mapping[str, Any]) -> dict[str, Any]:
    options, name = slot["possible_values"], slot["name"]
    kind: dict[str, Any] = {"type": "string"}
    if slot["is_categorical"] and set(options) == {"True", "False"}:
        kind = {"type": "boolean"}
    elif slot["is_categorical"] and all(option.isdigit() for option in options):
        kind = {"type": "integer", "minimum": min(map(int, options)), "maximum": max(map(int, options))}
    elif slot["is_categorical"]:
        kind = {"type": "string", "enum": options}
    elif re.search(r"date|check_in|check_out", name):
        kind = {"type": "string", "format": "date"}
    elif name.endswith("time") and "wait" not in name and "ride" not in name:
        kind = {"type": "string", "format": "time"}
    elif "phone" in name:
        kind = {"type": "string", "format": "phone"}
    return {**kind, "description": slot["description"], "x-slot": {"dont_care": True}}


# -- MultiWOZ ----------------------------------------------------------------------------------------------------------

_WOZ_TIMES = {"leaveat", "arriveby", "booktime"}
_WOZ_COUNTS = {"bookpeople", "bookstay", "stars"}


def multiwoz(data: Path) -> list[Dialogue]:
    """The sample of MultiWOZ 2.4 with the schema of 2.2."""
    folder = data / "multiwoz"
    schemas = {one["service_name"]: _woz_schema(one) for one in _read(folder / "schema_2.2.json")}
    raw = _read(folder / "multiwoz24_test_dev.json")
    return [_woz_dialogue(name, one["log"], schemas) for name, one in raw.items()]


def _woz_schema(service: Mapping[str, Any]) -> dict[str, Any]:
    title = service["service_name"]
    properties = {slot["name"].removeprefix(f"{title}-"): _woz_slot(slot, title) for slot in service["slots"]}
    return _schema(title, service.get("description", ""), properties)


def _woz_slot(slot: Mapping[str, Any], title: str) -> dict[str, Any]:
    name = slot["name"].removeprefix(f"{title}-")
    options = slot["possible_values"] if slot["is_categorical"] else []
    kind: dict[str, Any] = {"type": "string"}
    if {"yes", "no"} <= set(options):
        kind = {"type": "boolean"}
    elif name in _WOZ_COUNTS:
        kind = {"type": "integer", "minimum": 0, "maximum": 30}
    elif name in _WOZ_TIMES:
        kind = {"type": "string", "format": "time"}
    elif options:
        kind = {"type": "string", "enum": [option for option in options if option != "dontcare"]}
    cues = [name.removeprefix("book")] if name.startswith("book") else []
    return {**kind, "description": slot["description"], "x-slot": {"dont_care": True, "cues": cues}}


def _woz_dialogue(name: str, log: list[Mapping[str, Any]], schemas: Mapping[str, Any]) -> Dialogue:
    turns: list[Turn] = []
    for index, message in enumerate(log):
        after = log[index + 1]["metadata"] if index % 2 == 0 and index + 1 < len(log) else {}
        gold = dict(_woz_gold(after, schemas))
        turns.append(Turn("assistant" if index % 2 else "user", message["text"], gold))
    used = dict.fromkeys(path.split(".")[0] for turn in turns for path in turn.gold)
    return Dialogue(name, tuple(schemas[title] for title in used or ["hotel"]), tuple(turns))


def _woz_gold(metadata: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterable[tuple[str, frozenset[str]]]:
    for title, parts in metadata.items():
        known = schemas[title]["properties"] if title in schemas else {}
        values = {**parts["semi"], **{f"book{key}": value for key, value in parts["book"].items()}}
        for slot, value in values.items():
            if isinstance(value, str) and value not in ("", "not mentioned", "none") and slot.lower() in known:
                yield f"{title}.{slot.lower()}", frozenset(value.split("|"))


# -- CrossWOZ ----------------------------------------------------------------------------------------------------------

_OPTIONS = {"评分", "门票", "游玩时间", "人均消费", "价格", "酒店类型"}


def crosswoz(data: Path) -> list[Dialogue]:
    """The sample of CrossWOZ's test split; slots with a few values take those of the goals as their options."""
    raw = _read(data / "crosswoz" / "crosswoz_test_dev.json")
    schemas = _crosswoz_schemas(raw.values())
    return [_crosswoz_dialogue(name, one["messages"], schemas) for name, one in raw.items()]


def _crosswoz_schemas(dialogues: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    slots: dict[str, dict[str, dict[str, None]]] = {}
    for dialogue in dialogues:
        for message in dialogue["messages"]:
            for title, values in message.get("sys_state_init", {}).items():
                for slot in values:
                    slots.setdefault(title, {}).setdefault(slot, {})
        for _, title, slot, value, _ in dialogue["goal"]:
            if slot in _OPTIONS and isinstance(value, str) and value:
                slots.setdefault(title, {}).setdefault(slot, {})[value] = None
    schemas: dict[str, dict[str, Any]] = {}
    for title, known in slots.items():
        read = {slot: _crosswoz_slot(slot, list(values)) for slot, values in known.items() if slot in _READ | _OPTIONS}
        schemas[title] = _schema(title, "", read)
    return schemas


_READ = {"名称", "出发地", "目的地"}


def _crosswoz_slot(slot: str, options: list[str]) -> dict[str, Any]:
    return {"type": "string", "enum": options} if slot in _OPTIONS and options else {"type": "string"}


def _crosswoz_dialogue(name: str, messages: list[Mapping[str, Any]], schemas: Mapping[str, Any]) -> Dialogue:
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        after = messages[index + 1].get("sys_state_init", {}) if index + 1 < len(messages) else {}
        gold = {
            f"{title}.{slot}": frozenset([value])
            for title, values in after.items()
            for slot, value in values.items()
            if value and isinstance(value, str) and slot in schemas[title]["properties"]
        }
        turns.append(Turn("user" if message["role"] == "usr" else "assistant", message["content"], gold))
    used = dict.fromkeys(path.split(".")[0] for turn in turns for path in turn.gold)
    return Dialogue(name, tuple(schemas[title] for title in used or ["景点"]), tuple(turns))


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


CORPORA: Final[Mapping[str, Callable[[Path], list[Dialogue]]]] = {
    "sgd": sgd,
    "multiwoz": multiwoz,
    "crosswoz": crosswoz,
}

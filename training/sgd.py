"""The Schema-Guided Dialogue corpus as training material."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slotstate.domains import Domains
from training.playing import Played
from training.tagging import Marked

if TYPE_CHECKING:
    from training.lessons import Service


def dialogues(folder: Path) -> Iterator[dict[str, Any]]:
    """The dialogues of a split, in the order of its files."""
    for path in sorted(folder.glob("dialogues_*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))


def schemas(folder: Path) -> list[dict[str, dict[str, Any]]]:
    """The services of a split by their original name: the original schema, then its rewordings (SGD-X), if there."""
    found = []
    for path in [folder / "schema.json", *sorted(folder.glob("schema_v*.json"))]:
        services = json.loads(path.read_text(encoding="utf-8"))
        found.append(services)
    names = [service["service_name"] for service in found[0]]
    return [dict(zip(names, services, strict=True)) for services in found]


def kind_of(slot: str) -> str:
    """Roughly what the values of a free slot look like, by its name: a label for the tagger."""
    if re.search(r"date|check_in|check_out", slot):
        return "date"
    if slot.endswith("time"):
        return "time"
    if re.search(r"price|fare|rent|balance|amount|phone|rating|humid|temp|precip|wind|number_of|count|duration", slot):
        return "number"
    if re.search(r"city|area|location|destination|origin|where_to|address|station|venue|airport", slot):
        return "place"
    if re.search(r"genre|cuisine|category|type", slot):
        return "sort"
    return "name"


def _typed(slot: Mapping[str, Any]) -> dict[str, Any]:
    """A slot for dates, times or whole numbers where its values are such: the type of the original schema's name."""
    options = slot["possible_values"]
    if slot["is_categorical"] and options and all(one.isdigit() for one in options):
        return {"type": "integer", "minimum": min(map(int, options)), "maximum": max(map(int, options))}
    kind = "" if slot["is_categorical"] else kind_of(slot["name"])
    if kind == "time" and re.search(r"wait|ride", slot["name"]):
        return {}
    return {"type": "string", "format": kind} if kind in {"date", "time"} else {}


def domain_schema(service: Mapping[str, Any], original: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON Schema of a service's domain: what no intent takes in only tools can fill. With the `original` of a
    rewording (or itself) slots are typed as its names tell.
    """
    needed = {slot for intent in service["intents"] for slot in intent["required_slots"]}
    taken = needed | {slot for intent in service["intents"] for slot in intent["optional_slots"]}
    properties: dict[str, Any] = {}
    for place, slot in enumerate(service["slots"]):
        options = slot["possible_values"]
        kind: dict[str, Any] = {"type": "string"}
        if slot["is_categorical"] and set(options) == {"True", "False"}:
            kind = {"type": "boolean"}
        elif slot["is_categorical"]:
            kind = {"type": "string", "enum": list(dict.fromkeys(options))}
        if original is not None:
            kind = _typed(original["slots"][place]) or kind
        hints = {"dont_care": True} if slot["name"] in taken else {"evidence": "tool"}
        properties[slot["name"]] = {**kind, "description": slot["description"], "x-slot": hints}
    about = [service["description"], *(intent["description"] for intent in service["intents"])]
    return {
        "title": service["service_name"],
        "type": "object",
        "description": ". ".join(about),
        "properties": properties,
        "required": sorted(needed),
    }


def marked(dialogues: Iterable[Mapping[str, Any]]) -> Iterator[Marked]:
    """Every turn with the stretches that are values of free slots."""
    for dialogue in dialogues:
        for turn in dialogue["turns"]:
            spans = [
                (span["start"], span["exclusive_end"], kind_of(span["slot"]))
                for frame in turn["frames"]
                for span in frame["slots"]
                if "start" in span
            ]
            yield turn["utterance"], "u" if turn["speaker"] == "USER" else "s", spans


def played(dialogue: Mapping[str, Any], services: Mapping[str, Service]) -> Played:
    """A dialogue ready to be played with services by their names: its own, and any beside them."""
    gold: dict[str, list[str]] = {}
    turns = []
    assistant = ""
    for turn in dialogue["turns"]:
        if turn["speaker"] != "USER":
            assistant = turn["utterance"]
            continue
        for frame in turn["frames"]:
            service = services[frame["service"]]
            gold = {path: values for path, values in gold.items() if path.split(".")[0] != service.domain.name}
            for slot, values in frame["state"]["slot_values"].items():
                gold[service.slots[slot].path] = values
        about = frozenset(services[frame["service"]].domain.name for frame in turn["frames"])
        turns.append((assistant, turn["utterance"], dict(gold), about))
        assistant = ""
    return Played(Domains([service.domain for service in services.values()]), turns)

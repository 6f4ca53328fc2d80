"""The corpora as the benchmarks use them: gold values are texts, and slots that hold lists are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from slotstate.domains import compile_domains
from slotstate.evaluating import read_corpus
from slotstate.jsonschema import domain_from_json_schema
from slotstate.measuring import Corpus
from slotstate.measuring import Dialogue as Read
from slotstate.measuring.dialogues import NOW
from slotstate.parsing import fold

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


def read(name: str, data: Path) -> list[Dialogue]:
    """The dialogues of a corpus in a folder."""
    corpus = read_corpus(name, data, kinds="typed")
    return [_dialogue(corpus, dialogue) for dialogue in corpus.dialogues]


def _dialogue(corpus: Corpus, dialogue: Read) -> Dialogue:
    schemas = tuple(_without_lists(corpus.schemas[service]) for service in dialogue.services)
    kept = {f"{schema['title']}.{slot}" for schema in schemas for slot in schema["properties"]}
    turns: list[Turn] = []
    gold: Gold = {}
    for turn in dialogue.turns:
        if turn.state is not None:
            gold = {path: reference.forms for path, reference in turn.state.items() if path in kept}
        turns.append(Turn(turn.role, turn.text, gold))
    return Dialogue(dialogue.name, schemas, tuple(turns))


def _without_lists(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = {name: slot for name, slot in schema["properties"].items() if slot.get("type") != "array"}
    return {**schema, "properties": properties}


CORPORA: Final[Mapping[str, Callable[[Path], list[Dialogue]]]] = {
    name: partial(read, name) for name in ("sgd", "multiwoz", "crosswoz")
}

__all__ = ["CORPORA", "NOW", "Dialogue", "Gold", "Turn", "matches", "read"]

"""Real dialogues chained into conversations, with questions about what was said early in them.

A conversation is one user's successive tasks: dialogues of one corpus, until they fill so many tokens. Every second
slot is tracked, and the rest stands in the words only, as what no schema foresaw. Asked for is what the user said word
for word in the first part of the conversation, in a service that comes up in one dialogue only, and never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from benchmarks.answers_forms import forms_of
from benchmarks.builtin_corpora import CORPORA, Dialogue
from benchmarks.reading_texts import Value
from slotstate import Change
from slotstate.domains import compile_domains
from slotstate.jsonschema import domain_from_json_schema
from slotstate.slots import SlotSpec

EARLY: Final = 0.5
"""The first part of the turns, in which what is asked for was said."""
CHINESE: Final = frozenset({"crosswoz"})
ENGLISH_QUESTION: Final = (
    "One question about what I told you before, when it was about {service}: what did I say for “{slot}”? "
    "Answer with the value only."
)
CHINESE_QUESTION: Final = "问一下我前面说过的话:谈到{service}的时候,我要求的“{slot}”是什么?只回答这个值。"


@dataclass(frozen=True, slots=True)
class Question:
    """A question at the end. `turn` is where the user said it, `forms` are the right answers."""

    text: str
    path: str
    tracked: bool
    turn: int
    right: Value
    spec: SlotSpec


@dataclass
class Step:
    """A user message with the changes that an extractor finds and what the application sets, and the reply."""

    text: str
    reply: str = ""
    found: list[Change] = field(default_factory=list)


@dataclass(frozen=True)
class Talk:
    """A conversation, its domains with the slots that are tracked, and what can be asked at its end."""

    name: str
    chinese: bool
    schemas: tuple[Mapping[str, Any], ...]
    steps: tuple[Step, ...]
    questions: tuple[Question, ...]


def talks(corpus: str, data: Path, size: Callable[[str], int], tokens: int, most: int) -> Iterator[Talk]:
    """Conversations of about so many tokens, as `size` counts them, with up to `most` questions each. What the first
    half is about does not come up again.
    """
    left = list(CORPORA[corpus](data))
    number = 0
    while left:
        chosen: list[Dialogue] = []
        early: set[str] = set()
        held = 0
        for one in list(left):
            length = sum(size(turn.text) + 5 for turn in one.turns)
            if held + length > 1.1 * tokens or early & _topics(one):
                continue
            if held < EARLY * tokens:
                early |= _topics(one)
            chosen.append(one)
            left.remove(one)
            held += length
        if held < 0.8 * tokens:
            return
        number += 1
        yield _talk(f"{corpus} {number}", chosen, early, corpus in CHINESE, most)


def is_tracked(path: str) -> bool:
    """Whether a slot is one of those that are tracked: about half are."""
    return sha256(path.encode()).digest()[0] % 2 == 0


def _topics(dialogue: Dialogue) -> set[str]:
    """What a dialogue is about: its services, those of one kind being the same."""
    return {path.partition(".")[0].partition("_")[0] for turn in dialogue.turns for path in turn.gold}


def _talk(name: str, dialogues: Sequence[Dialogue], early: set[str], chinese: bool, most: int) -> Talk:
    schemas = {str(schema["title"]): schema for one in dialogues for schema in one.schemas}
    domains = compile_domains([domain_from_json_schema(dict(schema)) for schema in schemas.values()])
    writer = _Writer(domains.specs)
    for one in dialogues:
        writer.dialogue(one)
    found = [
        _question(path, schemas, domains.specs[path], turn, forms, chinese)
        for path, (turn, forms) in writer.said.items()
        if path.partition(".")[0].partition("_")[0] in early and turn < EARLY * len(writer.steps)
    ]
    kept = tuple(part for part in (_tracked_part(schema) for schema in schemas.values()) if part is not None)
    return Talk(name, chinese, kept, tuple(writer.steps), tuple(_balanced(found, most)))


class _Writer:
    """Writes the steps, and keeps in mind where each slot's value was said."""

    def __init__(self, specs: Mapping[str, SlotSpec]) -> None:
        self.steps: list[Step] = []
        self.said: dict[str, tuple[int, frozenset[str]]] = {}
        self._specs = specs
        self._changed: set[str] = set()

    def dialogue(self, dialogue: Dialogue) -> None:
        """Take in a dialogue."""
        held: dict[str, frozenset[str]] = {}
        for turn in dialogue.turns:
            text = " ".join(turn.text.split())
            if turn.role != "user":
                if self.steps:
                    last = self.steps[-1]
                    last.reply = f"{last.reply} {text}".strip()
                continue
            step = Step(text)
            for path, values in turn.gold.items():
                if held.get(path) != values and path in self._specs:
                    self._take(path, values, step)
            held = dict(turn.gold)
            self.steps.append(step)

    def _take(self, path: str, values: frozenset[str], step: Step) -> None:
        at, quote, forms = len(self.steps), "", forms_of(self._specs[path], values)
        for form in sorted(values, key=len, reverse=True):
            begin = step.text.casefold().find(form.casefold())
            if begin >= 0 and _is_whole(step.text, begin, len(form)):
                quote = step.text[begin : begin + len(form)]
                break
        if path in self.said or path in self._changed or not quote or not forms:
            self._changed.add(path)
            self.said.pop(path, None)
        else:
            self.said[path] = at, forms
        if quote and is_tracked(path):
            step.found.append(Change("set", path, quote, quote))


def _is_whole(text: str, begin: int, length: int) -> bool:
    around = text[max(0, begin - 1) : begin] + text[begin + length : begin + length + 1]
    return not any(letter.isascii() and letter.isalnum() for letter in around)


def _question(
    path: str, schemas: Mapping[str, Mapping[str, Any]], spec: SlotSpec, turn: int, forms: frozenset[str], chinese: bool
) -> Question:
    service, _, slot = path.partition(".")
    schema = schemas[service]
    about = schema.get("description") or service
    named = schema["properties"][slot].get("description") or slot
    text = (CHINESE_QUESTION if chinese else ENGLISH_QUESTION).format(service=about, slot=named)
    return Question(text, path, is_tracked(path), turn, Value(None, "", tuple(sorted(forms))), spec)


def _balanced(questions: Sequence[Question], most: int) -> list[Question]:
    """The earliest ones, as many of what is tracked as of what is not, as far as there are."""
    early = sorted(questions, key=lambda one: (one.turn, one.path))
    tracked, bare = ([one for one in early if one.tracked is kind] for kind in (True, False))
    chosen: list[Question] = []
    while len(chosen) < most and (tracked or bare):
        for source in (bare, tracked):
            if source and len(chosen) < most:
                chosen.append(source.pop(0))
    return chosen


def _tracked_part(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A schema with the slots that are tracked."""
    title = schema["title"]
    kept = {name: one for name, one in schema["properties"].items() if is_tracked(f"{title}.{name}")}
    return {**schema, "properties": kept} if kept else None

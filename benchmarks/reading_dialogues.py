"""Invented conversations with questions on what their slots hold, for benchmarks that ask a model to read a prompt.

A conversation is a list of steps: what the user says with the changes that he asks for, what the application sets, what
the assistant answers. It opens with turns that fill all slots; then some of them change, between turns that change
nothing. `hold` plays it into a tracker, so that the same conversation can be shown in different prompts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal, TypeAlias, get_args

from pydantic import BaseModel

from benchmarks.reading_texts import LANGUAGES, Language, Topic, Value
from slotstate import Budget, Change, Chat, Tracker
from slotstate.testing import ScriptedExtractor

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
Kind: TypeAlias = Literal["unchanged", "words", "words, several", "app", "app, several", "new"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""How a slot that is asked for came to its value: before the first prompt; after it, by the user's words or by the
application, in one change or in several of which it made the last; or filled for the first time after it.
"""


ASKED: tuple[Kind, ...] = ("unchanged", "words", "app", *KINDS)
"""The kinds of the slots that are asked for, six of which change: more, and they would be written anew."""


class Trip(BaseModel):
    """A journey by train."""

    origin: str | None = None
    destination: str | None = None
    leave_on: date | None = None
    travellers: int | None = None
    carriage: str | None = None


class Stay(BaseModel):
    """A place to stay."""

    hotel: str | None = None
    nights: int | None = None
    meals: str | None = None


class Dinner(BaseModel):
    """A table for the first evening."""

    restaurant: str | None = None
    at: time | None = None
    cuisine: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn. `app` is set by the application before the user speaks, `found` is what his words change."""

    text: str
    reply: str
    found: tuple[Change, ...] = ()
    app: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at the end, with the value that is right and those that the slot held before."""

    text: str
    path: str
    kind: Kind
    right: Value
    outdated: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Steps, the first `opening` of them before the first prompt, and the questions that can be asked behind them."""

    name: str
    language: str
    opening: int
    steps: tuple[Step, ...]
    questions: tuple[Question, ...]


def conversations(count: int, *, chinese: int = 4, idle: int = 2, seed: int = 7) -> list[Conversation]:
    """So many conversations, every `chinese`-th in Chinese, with `idle` turns that change nothing in each."""
    return [
        _Writer(LANGUAGES["zh" if at % chinese == chinese - 1 else "default"], f"{seed}/{at}", idle).conversation()
        for at in range(count)
    ]


def hold(conversation: Conversation, question: Question, budget: Budget, template: str | None = None) -> Chat:
    """The conversation played up to its question, a prompt made on each turn behind the opening."""
    script = [step.found for step in conversation.steps]
    chat = Tracker(
        [Trip, Stay, Dinner],
        extractor=ScriptedExtractor(script),
        template=template or LANGUAGES[conversation.language].template,
        clock=lambda: NOW,
    ).open(conversation.name)
    for turn, step in enumerate(conversation.steps, 1):
        for path, value in step.app:
            chat.set(path, value)
        changes = chat.user(step.text).changes
        taken = [one.outcome for one in changes if one.outcome in ("filled", "overwritten")]
        if len(taken) != len(step.found):
            raise SystemExit(f"{conversation.name}, turn {turn}: not taken: {[str(one) for one in changes]}")
        if turn >= conversation.opening:
            chat.prompt(budget)
        chat.assistant(step.reply)
    chat.user(question.text)
    return chat


class _Writer:
    """Writes one conversation."""

    def __init__(self, language: Language, seed: str, idle: int) -> None:
        self._random = random.Random(seed)
        self._name = seed
        self._language = language
        self._idle_turns = idle
        self._idle = _endless(self._shuffled(language.idle))
        self._replies = _endless(self._shuffled(language.replies))
        topics = self._shuffled(language.topics)
        self._kinds: dict[str, Kind] = {topic.path: kind for topic, kind in zip(topics, ASKED, strict=False)}
        self._held: dict[str, list[Value]] = {}
        self._unused = {topic.path: self._shuffled(topic.values) for topic in topics}
        self._asked = topics[: len(ASKED)]

    def conversation(self) -> Conversation:
        """Its opening, the changes with idle turns between them, and a question for each slot of ASKED."""
        opening = [self._opening(topics) for topics in self._in_groups()]
        later = [self._changed(topic, by) for topic, by in self._changes()]
        for _ in range(self._idle_turns):
            text, reply = next(self._idle)
            later.insert(self._random.randint(0, len(later)), Step(text, reply))
        steps = [*opening, *later]
        questions = tuple(self._question(topic) for topic in self._asked)
        return Conversation(self._name, self._language.template, len(opening), tuple(steps), questions)

    def _shuffled(self, items: Sequence[Any]) -> list[Any]:
        return self._random.sample(items, len(items))

    def _in_groups(self) -> Iterator[list[Topic]]:
        """The slots that the opening fills, turn by turn, each domain by itself."""
        topics = [topic for topic in self._language.topics if self._kinds.get(topic.path) != "new"]
        for domain in dict.fromkeys(topic.domain for topic in topics):
            own = self._shuffled([topic for topic in topics if topic.domain == domain])
            yield from (own[at : at + 2] for at in range(0, len(own), 2))

    def _opening(self, topics: Sequence[Topic]) -> Step:
        found = [(topic, self._next(topic)) for topic in topics]
        said = [self._random.choice(topic.first).format(value.said) for topic, value in found]
        changes = tuple(Change("set", topic.path, value.held, value.said) for topic, value in found)
        return Step(self._language.between.join(said), next(self._replies), changes)

    def _next(self, topic: Topic) -> Value:
        value: Value = self._unused[topic.path].pop()
        self._held.setdefault(topic.path, []).append(value)
        return value

    def _changes(self) -> list[tuple[Topic, Literal["words", "app"]]]:
        """Who changes which slot, in the order of the turns: the last change of a slot is that of its kind."""
        planned: list[tuple[Topic, list[Literal["words", "app"]]]] = []
        for topic in self._asked:
            match self._kinds[topic.path]:
                case "words" | "app" as by:
                    planned.append((topic, [by]))
                case "new":
                    planned.append((topic, ["words"]))
                case "words, several":
                    planned.append((topic, [self._random.choice(("words", "app")), "words"]))
                case "app, several":
                    planned.append((topic, [self._random.choice(("words", "app")), "app"]))
                case _:
                    pass
        order = self._shuffled([topic for topic, changes in planned for _ in changes])
        left = {topic.path: iter(changes) for topic, changes in planned}
        return [(topic, next(left[topic.path])) for topic in order]

    def _changed(self, topic: Topic, by: Literal["words", "app"]) -> Step:
        """A turn in which a slot changes; where the application changes it, no words tell of it."""
        begins = topic.path not in self._held
        value = self._next(topic)
        if by == "app":
            text, reply = next(self._idle)
            return Step(text, reply, app=((topic.path, value.held),))
        text = self._random.choice(topic.first if begins else topic.again).format(value.said)
        return Step(text, next(self._replies), (Change("set", topic.path, value.held, value.said),))

    def _question(self, topic: Topic) -> Question:
        *outdated, right = self._held[topic.path]
        text = f"{topic.question} {self._language.briefly}"
        return Question(text.strip(), topic.path, self._kinds[topic.path], right, tuple(outdated))


def _endless(items: Sequence[Any]) -> Iterator[Any]:
    while True:
        yield from items

"""The conversations that every system gets: those of summary_facts, as chat messages with tool calls."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.summary_facts import EVERY, FACTS
from benchmarks.summary_talk import Conversation
from slotstate import Change

Message = dict[str, Any]
"""In the OpenAI form, with an id."""
PLANTED: Final = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and all that follows it, with the slots that it changes."""

    messages: tuple[Message, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Talk:
    """Turns, and the facts that are planted in them. `marks` are texts that stand in one user message each."""

    language: str
    turns: tuple[Turn, ...]
    facts: tuple[Mapping[str, Any], ...]
    marks: tuple[str, ...]


def make_talk(
    language: str, seed: int, *, turns: int = 400, chosen: str = "planted", marked: bool = False, tools: float = 0.0
) -> Talk:
    """A conversation with 20 planted facts. marked: each user message ends with a mark of its own. tools: the share of
    turns with tool calls beside those that the talk has anyway, half of them parallel.
    """
    rng = random.Random(f"{language} {chosen} {seed}")
    facts = rng.sample(FACTS[language][chosen], PLANTED)
    places = dict(zip(rng.sample(range(max(turns - EVERY, PLANTED)), PLANTED), facts, strict=True))
    talk, extra = Conversation(rng, language), random.Random(seed)
    made: list[Turn] = []
    marks: list[str] = []
    for number in range(turns):
        start, before = len(talk.messages), dict(talk.slots)
        talk.turn(places.get(number))
        messages: list[Message] = []
        for said in talk.messages[start:]:
            if said.role == "tool":
                messages += _called(said.id, [said.text], number)
                continue
            text = said.text
            if said.role == "user" and marked:
                marks.append(f"q{number:04}x")
                text = f"{text} {marks[-1]}"
            messages.append({"role": said.role, "content": text, "id": said.id})
            if said.role == "user" and extra.random() < tools:
                messages += _called(f"{said.id}t", list(_results(extra)), number)
        changes = tuple(
            Change("set", path, value, talk.spelt(path, value))
            for path, value in talk.slots.items()
            if before.get(path) != value
        )
        made.append(Turn(tuple(messages), changes))
    return Talk(language, tuple(made), tuple(facts), tuple(marks))


def _results(rng: random.Random) -> Iterator[str]:
    for _ in range(rng.choice([1, 2, 3, 1])):
        found = [{"id": f"K{rng.randint(1000, 9999)}", "price": rng.randint(60, 240)} for _ in range(rng.randint(1, 9))]
        yield json.dumps({"results": found})


def _called(ident: str, results: Sequence[str], number: int) -> list[Message]:
    """Calls at once, and their results."""
    calls = [
        {
            "id": f"call-{ident}-{at}",
            "type": "function",
            "function": {"name": "search_hotels", "arguments": json.dumps({"page": at, "turn": number})},
        }
        for at in range(len(results))
    ]
    call: Message = {"role": "assistant", "content": "", "tool_calls": calls, "id": f"{ident}-calls"}
    return [
        call,
        *(
            {"role": "tool", "content": text, "tool_call_id": made["id"], "id": f"{ident}-{at}"}
            for at, (text, made) in enumerate(zip(results, calls, strict=True))
        ),
    ]

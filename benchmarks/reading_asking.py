"""Asking a model about a prompt, and judging what it answers: replies kept on disk, scores, an interval."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from benchmarks.prompt_server import Server
from benchmarks.reading_dialogues import Conversation, Question
from benchmarks.reading_texts import Value

REPLY: Final = 24
"""Tokens of a reply at most."""
Messages = Sequence[Mapping[str, Any]]


class Replies:
    """What a model replies, each request asked once: replies are kept in a file by the content of the request."""

    def __init__(self, server: Server, file: Path | None = None) -> None:
        self._server = server
        self._kept = sqlite3.connect(":memory:" if file is None else file)
        self._kept.execute("CREATE TABLE IF NOT EXISTS replies (request TEXT PRIMARY KEY, reply TEXT)")
        self.asked = 0
        """How many had to be asked."""

    def reply(self, messages: Messages) -> str:
        """The reply to a prompt."""
        request = json.dumps([self._server.model.name, REPLY, messages], sort_keys=True)
        key = sha256(request.encode()).hexdigest()
        known = self._kept.execute("SELECT reply FROM replies WHERE request = ?", (key,)).fetchone()
        if known is not None:
            return str(known[0])
        text: str = self._server.reply(messages, most=REPLY, cache=True)["choices"][0]["message"]["content"]
        self.asked += 1
        with self._kept:
            self._kept.execute("INSERT INTO replies VALUES (?, ?)", (key, text))
        return text


def normalised(text: str) -> str:
    """Lower case, one width, single spaces."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).casefold().strip()


def names(reply: str, value: Value) -> bool:
    """Whether a reply names a value in one of its forms, as words of their own."""
    text = normalised(reply)
    return any(re.search(rf"(?<![\da-z]){re.escape(normalised(form))}(?![\da-z])", text) for form in value.forms)


def is_right(reply: str, question: Question) -> bool:
    """Whether it names the right value and none that the slot held before."""
    return names(reply, question.right) and not any(names(reply, value) for value in question.outdated)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to a question, judged; `tokens` are those of the prompt."""

    conversation: Conversation
    question: Question
    reply: str
    tokens: int

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return is_right(self.reply, self.question)

    @property
    def outdated(self) -> bool:
        """Whether it names what the slot held before."""
        return any(names(self.reply, value) for value in self.question.outdated)


def share(answers: Iterable[Answer]) -> float:
    """The share of right answers."""
    judged = [answer.right for answer in answers]
    return sum(judged) / len(judged) if judged else 0.0


def interval(
    one: Sequence[Answer], other: Sequence[Answer], *, draws: int = 10_000, seed: int = 1
) -> tuple[float, float]:
    """Where 95 % of the differences `one - other` lie, when the conversations are drawn anew (paired bootstrap)."""
    gains: dict[str, list[int]] = {}
    for mine, theirs in zip(one, other, strict=True):
        gains.setdefault(mine.conversation.name, []).append(mine.right - theirs.right)
    drawn, sums = random.Random(seed), [(sum(found), len(found)) for found in gains.values()]
    found = []
    for _ in range(draws):
        sample = drawn.choices(sums, k=len(sums))
        found.append(sum(gain for gain, _ in sample) / sum(count for _, count in sample))
    found.sort()
    return found[int(draws * 0.025)], found[int(draws * 0.975)]

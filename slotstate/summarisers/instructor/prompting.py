"""The prompt of a summariser: a prefix that stays the same, and as many messages as there is room for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from slotstate.compact.items import Span, Spoken
from slotstate.compact.summariser import SummaryRequest
from slotstate.errors import InputError
from slotstate.messages import storable
from slotstate.providers.calling import short
from slotstate.providers.rendering import render, template_folder
from slotstate.providers.shielding import Shield
from slotstate.slots import Json
from slotstate.state import Summary
from slotstate.summarisers.instructor import examples
from slotstate.summarisers.instructor.response import MAX_LEFT_OUT, response_model
from slotstate.tokens import Counter, prompt_tokens
from slotstate.values import jsonable

MARKERS: Final = ("notes", "slots", "messages", "message", "faults")
"""The names of the markers that the prompt's templates use."""
TEMPLATES: Final = ("system.jinja", "turn.jinja", "message.jinja")
MAX_ID: Final = 24
"""Characters of an id that is shown as it is; a longer one, which a small model would not copy, shows as its turn."""
MAX_VALUE: Final = 200
"""Characters of a slot's value that are shown."""
MAX_FAULTS: Final = 12
MIN_ROOM: Final = 200
"""Tokens that must be left for messages, so that a cut one still says something."""
_PER_TOKEN: Final = 8
"""Characters of a text that surely has more tokens than an eighth of them; blanks aside, which may be cut as well."""

_shield: Final = Shield(MARKERS)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What the model is asked at a time: the chat messages, how many messages of the span they show, the texts of those
    by their ids, and the ids of all of the span by what is shown in their place.
    """

    prompt: list[dict[str, Any]]
    taken: int
    texts: Mapping[str, str]
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prompting:
    """Makes prompts of at most `limit` tokens, from the templates in a folder."""

    directory: Path
    counter: Counter
    limit: int

    def chunk(self, summary: Summary, pending: Sequence[Spoken], request: SummaryRequest) -> Chunk:
        """The next of the messages that are pending, as many as fit, at least one: the first is cut where it alone is
        too long.

        Raises InputError when there is no room beside the summary, TemplateError.
        """
        sources = shown_ids(request.span.messages)
        room = self._room(summary, request)
        taken = self._fitting(pending, sources, room)
        while True:
            shown = list(pending[: max(1, taken)])
            if taken == 0:
                shown[0] = self._cut(shown[0], sources, room)
            prompt = self._prompt(summary, shown, request, sources)
            over = self._tokens(summary, prompt) - self.limit
            if over <= 0 or (taken == 0 and room < MIN_ROOM // 2):
                ids = {handle: ident for ident, handle in sources.items()}
                return Chunk(prompt, len(shown), {one.id: one.text for one in shown}, ids)
            taken, room = (taken - 1, room) if taken > 1 else (0, room - over)

    def _room(self, summary: Summary, request: SummaryRequest) -> int:
        """Tokens that are left for messages."""
        fixed = self._tokens(summary, self._prompt(summary, (), request, {}))
        if self.limit - fixed < MIN_ROOM:
            raise InputError(
                f"the summariser's window has no room for messages: instructions, summary and slots take {fixed} of "
                f"the {self.limit} tokens that the answer leaves; raise window, or lower most_chars"
            )
        return self.limit - fixed

    def _fitting(self, pending: Sequence[Spoken], sources: Mapping[str, str], room: int) -> int:
        """How many of them fit."""
        for number, spoken in enumerate(pending):
            room -= self._cost(spoken, sources) if len(spoken.text) <= room * _PER_TOKEN else room + 1
            if room < 0:
                return number
        return len(pending)

    def _cost(self, spoken: Spoken, sources: Mapping[str, str]) -> int:
        rendered = render(self.directory, "message.jinja", {"message": _message(spoken, sources)})
        return self.counter.count(rendered + "\n")

    def _cut(self, spoken: Spoken, sources: Mapping[str, str], room: int) -> Spoken:
        """The message with its middle left out, so that it fits."""
        limit = min(len(spoken.text), max(room, 1) * _PER_TOKEN)
        while True:
            cut = Spoken(spoken.id, spoken.turn, spoken.role, cut_text(spoken.text, limit), spoken.tool)
            cost = self._cost(cut, sources)
            if cost <= room or limit == 0:
                return cut
            limit = min(limit - 1, limit * max(room, 0) // cost)

    def _prompt(
        self, summary: Summary, shown: Sequence[Spoken], request: SummaryRequest, sources: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """The chat messages: what anybody said stands in the user message only."""
        turn = _turn(summary, shown, request.span, request.faults, sources)
        return [
            {"role": "system", "content": _prefix(self.directory, request.most_items, request.most_chars)},
            {"role": "user", "content": render(self.directory, "turn.jinja", turn)},
        ]

    def _tokens(self, summary: Summary, prompt: Sequence[Mapping[str, Any]]) -> int:
        return prompt_tokens(self.counter, prompt) + self.counter.count(_schema(bool(summary.items)))


def make_prompting(template: str | Path | None, counter: Counter, limit: int) -> Prompting:
    """The prompt of a template folder, by default the bundled one. Raises TemplateError."""
    directory = template_folder(template, "summarise", TEMPLATES, "a template for summaries")
    return Prompting(directory, counter, limit)


def shown_ids(messages: Sequence[Spoken]) -> dict[str, str]:
    """What is shown for the id of each message: itself, or for a long one the turn, which nothing else is called."""
    taken = {spoken.id for spoken in messages}
    shown: dict[str, str] = {}
    for spoken in messages:
        handle = spoken.id
        if len(handle) > MAX_ID:
            handle = f"turn-{spoken.turn}"
            while handle in taken:
                handle += "+"
            taken.add(handle)
        shown[spoken.id] = handle
    return shown


def cut_text(text: str, limit: int) -> str:
    """`text` with at most `limit` characters of it, its middle left out with a mark that says how many."""
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - head
    return f"{text[:head]}\n[… {len(text) - limit:,} characters left out …]\n{text[len(text) - tail :]}"


def shield(text: str) -> str:
    """`text` with whatever looks like a marker or a control token made harmless."""
    return _shield.shield(storable(text))


def unshield(text: str) -> str:
    """`text` as it was before `shield`."""
    return _shield.unshield(text)


@lru_cache(maxsize=16)
def _prefix(directory: Path, most_items: int, most_chars: int) -> str:
    ids = shown_ids(examples.SPAN.messages)
    turn = render(directory, "turn.jinja", _turn(examples.SUMMARY, examples.SPAN.messages, examples.SPAN, (), ids))
    variables = {
        "most_items": most_items,
        "most_chars": most_chars,
        "most_left_out": MAX_LEFT_OUT,
        "example": {"turn": turn, "reply": examples.reply_text()},
    }
    return render(directory, "system.jinja", variables)


@lru_cache(maxsize=2)
def _schema(changing: bool) -> str:
    """The response model's schema in the longest form in which a prompt may show it."""
    return json.dumps(response_model(changing=changing).model_json_schema(), indent=2)


def _turn(
    summary: Summary, shown: Sequence[Spoken], span: Span, faults: Sequence[str], sources: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "items": [{"number": item.ident, "kind": item.kind, "text": _line(item.text)} for item in summary.items],
        "slots": [{"path": _line(path), "value": _data(value)} for path, value in span.slots.items()],
        "messages": [_message(spoken, sources) for spoken in shown],
        "faults": [_line(short(fault)) for fault in faults[:MAX_FAULTS]],
    }


def _message(spoken: Spoken, sources: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": _data(sources.get(spoken.id, spoken.id)),
        "role": spoken.role,
        "tool": _data(spoken.tool) if spoken.tool else "",
        "text": shield(spoken.text),
    }


def _line(text: str) -> str:
    return shield(" ".join(text.split()))


def _data(value: Json) -> str:
    """A value as JSON on one line that cannot be taken for a marker, cut where it is long."""
    text = json.dumps(jsonable(value), ensure_ascii=False)
    text = text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
    return shield(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))

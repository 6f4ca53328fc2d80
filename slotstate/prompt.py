"""The prompt: a template's sections rendered to text, and put together into chat messages by code.

A role never comes out of rendered text: the system section is the one system message, slots and summary stand in one
delimited user message, the turns keep their roles, and key quotes close the last user message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from slotstate.contract import LedgerLine, Prompt, View
from slotstate.domains import Domains
from slotstate.elicit import Question
from slotstate.errors import TemplateError
from slotstate.events import AssistantTurn, MessageEvent, ToolTurn, UserTurn
from slotstate.resources import folder

_DELIMITERS: Final = re.compile(
    r"<(?=[\s\u200b-\u200f\u2060\ufeff]*/?[\s\u200b-\u200f\u2060\ufeff]*(?:slots|summary|quotes|note)\b)", re.IGNORECASE
)
"""What in anybody's words looks like one of our own markers."""


def template_folder(name: str) -> Path:
    """The folder of a template: a bundled one by name, or a path. Raises TemplateError."""
    bundled = folder("templates") / name if re.fullmatch(r"[\w-]+", name) else None
    for directory in (bundled, Path(name)):
        if directory is not None and (directory / "prompt.jinja").is_file():
            return directory
    raise TemplateError(f"no template {name!r}: use default, or a folder that holds prompt.jinja")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a prompt is made of. `mask` hides what must not leave the tracker; the views are masked already."""

    domains: Domains
    views: Mapping[str, Mapping[str, View]]
    turns: Sequence[MessageEvent]
    question: Question | None = None
    mask: Callable[[str], str] = str


def plain_prompt(template: str, scene: Scene) -> Prompt:
    """All sections in order, all turns, no budget."""
    from slotstate.sections import SECTIONS, render_sections  # Jinja is imported when a prompt is first asked for

    sections = render_sections(template_folder(template), _variables(scene))
    messages: list[dict[str, Any]] = []
    if sections.get("system"):
        messages.append({"role": "system", "content": sections["system"]})
    known = [
        f"<{name}>\n{sections[name]}\n</{name}>" for name in ("slots", "summary") if sections.get(name, "").strip()
    ]
    if known:
        messages.append({"role": "user", "content": "\n".join(known)})
    messages += [_message(turn, scene.mask) for turn in scene.turns]
    if sections.get("quotes", "").strip():
        _append_quotes(messages, f"<quotes>\n{sections['quotes']}\n</quotes>")
    ledger = [LedgerLine(section=name, id=name, action="kept") for name in SECTIONS if sections.get(name, "").strip()]
    ledger += [LedgerLine(section="recent", id=turn.id, action="kept") for turn in scene.turns]
    return Prompt(messages=messages, ledger=ledger)


def _append_quotes(messages: list[dict[str, Any]], text: str) -> None:
    for message in reversed(messages):
        if message["role"] == "user":
            message["content"] = f"{message['content']}\n{text}"
            return
    messages.append({"role": "user", "content": text})


def _variables(scene: Scene) -> dict[str, Any]:
    domains = [
        {
            "name": name,
            "description": scene.domains[name].description,
            "slots": [_shown(slot, view, scene) for slot, view in views.items()],
        }
        for name, views in scene.views.items()
    ]
    quotes = [
        {"path": f"{name}.{slot}", "text": scene.mask(view.quote)}
        for name, views in scene.views.items()
        for slot, view in views.items()
        if view.quote and view.status == "confirmed"
    ]
    asked = scene.question
    question = None if asked is None else replace(asked, text=scene.mask(asked.text))
    return {"domains": domains, "quotes": quotes, "question": question}


def _shown(name: str, view: View, scene: Scene) -> dict[str, Any]:
    """A slot for the template; what another, sensitive slot holds too is masked here as well."""
    return {"name": name} | {key: _masked(part, scene.mask) for key, part in view.model_dump(mode="json").items()}


def _masked(part: Any, mask: Callable[[str], str]) -> Any:
    """The strings of a JSON value masked, keys aside."""
    match part:
        case str():
            return mask(part)
        case list():
            return [_masked(one, mask) for one in part]
        case dict():
            return {key: _masked(one, mask) for key, one in part.items()}
        case _:
            return part


def _arguments(text: str, mask: Callable[[str], str]) -> str:
    """A call's arguments masked, also where JSON writes a character as an escape."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return mask(text)
    hidden = _masked(parsed, mask)
    return text if hidden == parsed else json.dumps(hidden, ensure_ascii=False)


def _message(turn: MessageEvent, mask: Callable[[str], str]) -> dict[str, Any]:
    text = _DELIMITERS.sub("&lt;", mask(turn.text))
    match turn:
        case UserTurn():
            return {"role": "user", "content": text}
        case AssistantTurn() if turn.tool_calls:
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": _arguments(call.arguments, mask)},
                }
                for call in turn.tool_calls
            ]
            return {"role": "assistant", "content": text or None, "tool_calls": calls}
        case AssistantTurn():
            return {"role": "assistant", "content": text}
        case ToolTurn():
            return {"role": "tool", "tool_call_id": turn.call_id, "content": text}
        case _:  # a system message: in the middle of a list it would fail at some providers
            return {"role": "user", "content": f"<note>\n{text}\n</note>"}

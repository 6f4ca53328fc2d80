"""The prompt: a template's sections rendered to text, and put together into chat messages by code.

A role never comes out of rendered text: the system section is the one system message, slots and summary stand in one
delimited user message, the turns keep their roles, and key quotes close the last user message.
"""

from __future__ import annotations

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

_DELIMITERS: Final = re.compile(r"<(?=\s*/?\s*(?:slots|summary|quotes|note)\b)", re.IGNORECASE)
"""What in a user's words looks like one of our own markers."""


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
            "slots": [{"name": slot, **view.model_dump(mode="json")} for slot, view in views.items()],
        }
        for name, views in scene.views.items()
    ]
    quotes = [
        {"path": f"{name}.{slot}", "text": view.quote}
        for name, views in scene.views.items()
        for slot, view in views.items()
        if view.quote and view.status == "confirmed"
    ]
    asked = scene.question
    question = None if asked is None else replace(asked, text=scene.mask(asked.text))
    return {"domains": domains, "quotes": quotes, "question": question}


def _message(turn: MessageEvent, mask: Callable[[str], str]) -> dict[str, Any]:
    text = mask(turn.text)
    match turn:
        case UserTurn():
            return {"role": "user", "content": _DELIMITERS.sub("&lt;", text)}
        case AssistantTurn() if turn.tool_calls:
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": mask(call.arguments)},
                }
                for call in turn.tool_calls
            ]
            return {"role": "assistant", "content": text or None, "tool_calls": calls}
        case AssistantTurn():
            return {"role": "assistant", "content": text}
        case ToolTurn():
            return {"role": "tool", "tool_call_id": turn.call_id, "content": text}
        case _:  # a system message: in the middle of a list it would fail at some providers
            return {"role": "user", "content": "<note>\n" + _DELIMITERS.sub("&lt;", text) + "\n</note>"}

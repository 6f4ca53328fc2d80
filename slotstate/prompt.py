"""The prompt: a template's sections rendered to text, and put together into chat messages by code.

A role never comes out of rendered text: the system section is the one system message, slots and summary stand in one
delimited user message, the turns keep their roles, and key quotes close the last user message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import FileSystemLoader, StrictUndefined, TemplateNotFound, nodes
from jinja2 import TemplateError as JinjaError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from slotstate.contract import MASK, LedgerLine, Prompt, View
from slotstate.elicit import Question
from slotstate.errors import TemplateError
from slotstate.events import AssistantTurn, MessageEvent, SystemTurn, ToolTurn, UserTurn
from slotstate.domains import Domains
from slotstate.resources import folder
from slotstate.values import jsonable

SECTIONS: Final = ("system", "slots", "summary", "recent", "quotes")
"""The sections of a prompt, in the order in which they stand there."""


_DELIMITERS: Final = re.compile(r"<(?=\s*/?\s*(?:slots|summary|quotes|note)\b)", re.IGNORECASE)
"""What in a user's words looks like one of our own markers."""


class SectionExtension(Extension):
    """`{% section "name" %} … {% endsection %}`: renders its body into the named section instead of the page."""

    tags = {"section"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Turn the tag into a call block on the collector."""
        line = next(parser.stream).lineno
        name = parser.parse_expression()
        body = parser.parse_statements(("name:endsection",), drop_needle=True)
        call = self.call_method("_collect", [nodes.ContextReference(), name])
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _collect(self, context: Any, name: str, caller: Callable[[], str]) -> str:
        sections: dict[str, str] = context["_sections"]
        if name not in SECTIONS:
            raise TemplateError(f"unknown section {name!r}: use {', '.join(SECTIONS)}")
        sections[name] = caller()
        return ""


def as_data(value: Any) -> str:
    """A value as JSON that cannot close a delimiter: `<` is written as an escape, line breaks too."""
    text = json.dumps(jsonable(value), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@lru_cache(maxsize=32)
def _environment(directory: Path) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(directory),
        extensions=[SectionExtension],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters["data"] = as_data
    return environment


def template_folder(name: str) -> Path:
    """The folder of a template: a bundled one by name, or a path. Raises TemplateError."""
    bundled = folder("templates") / name if re.fullmatch(r"[\w-]+", name) else None
    for directory in (bundled, Path(name)):
        if directory is not None and (directory / "prompt.jinja").is_file():
            return directory
    raise TemplateError(f"no template {name!r}: use default, or a folder that holds prompt.jinja")


def render_sections(name: str, variables: Mapping[str, Any]) -> dict[str, str]:
    """The text of each section that the template has. Raises TemplateError, naming file and line where known."""
    directory = template_folder(name)
    sections: dict[str, str] = {}
    try:
        _environment(directory).get_template("prompt.jinja").render({**variables, "_sections": sections})
    except TemplateNotFound as error:
        raise TemplateError(f"{directory}: no template file {error.name!r}") from None
    except JinjaError as error:
        line = getattr(error, "lineno", None)
        where = f"{directory / 'prompt.jinja'}{f':{line}' if line else ''}"
        raise TemplateError(f"{where}: {error.message}") from None
    return {key: text.strip("\n") for key, text in sections.items()}


@dataclass(frozen=True, slots=True)
class Scene:
    """What a prompt is made of. `secrets` are texts that must not leave the tracker."""

    domains: Domains
    views: Mapping[str, Mapping[str, View]]
    turns: Sequence[MessageEvent]
    question: Question | None = None
    secrets: Sequence[str] = field(default=())


def plain_prompt(template: str, scene: Scene) -> Prompt:
    """All sections in order, all turns, no budget."""
    sections = render_sections(template, _variables(scene))
    messages: list[dict[str, Any]] = []
    if sections.get("system"):
        messages.append({"role": "system", "content": sections["system"]})
    known = [
        f"<{name}>\n{sections[name]}\n</{name}>" for name in ("slots", "summary") if sections.get(name, "").strip()
    ]
    if known:
        messages.append({"role": "user", "content": "\n".join(known)})
    messages += [_message(turn, scene.secrets) for turn in scene.turns]
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
    return {"domains": domains, "quotes": quotes, "question": scene.question}


def _message(turn: MessageEvent, secrets: Sequence[str]) -> dict[str, Any]:
    text = masked(turn.text, secrets)
    match turn:
        case UserTurn():
            return {"role": "user", "content": _DELIMITERS.sub("&lt;", text)}
        case AssistantTurn() if turn.tool_calls:
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": masked(call.arguments, secrets)},
                }
                for call in turn.tool_calls
            ]
            return {"role": "assistant", "content": text or None, "tool_calls": calls}
        case AssistantTurn():
            return {"role": "assistant", "content": text}
        case ToolTurn():
            return {"role": "tool", "tool_call_id": turn.call_id, "content": text}
        case SystemTurn():  # in the middle of a list it would fail at some providers
            return {"role": "user", "content": f"<note>\n{as_data(text)}\n</note>"}


def masked(text: str, secrets: Sequence[str]) -> str:
    """`text` with every secret replaced, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret.strip():
            text = text.replace(secret, MASK)
    return text

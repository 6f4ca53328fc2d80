"""The extraction prompt: a prefix that stays byte for byte the same while the domains do, and a small tail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from slotstate.contract import MASK
from slotstate.domains import Domain, compile_domains
from slotstate.extract import Change, Request
from slotstate.extractors.instructor.examples import Example
from slotstate.extractors.instructor.response import Shape, offered
from slotstate.extractors.instructor.shielding import shield
from slotstate.masking import Secrets
from slotstate.providers.calling import is_list, is_object
from slotstate.providers.rendering import render, template_folder
from slotstate.slots import UNSET, Json, Kind, SlotSpec
from slotstate.state import SlotState
from slotstate.values import jsonable

MAX_VALUE: Final = 200
"""Characters of one value in the state that is shown."""
MAX_OPTIONS: Final = 40
"""Options of a categorical slot that are listed."""

_KINDS: Final[Mapping[Kind, str]] = {
    "categorical": "one of",
    "boolean": "true or false",
    "integer": "whole number",
    "decimal": "number",
    "money": "amount of money with its currency",
    "datetime": "date and time",
    "phone": "phone number",
    "email": "email address",
    "composite": "object",
    "map": "object of names and values",
}


Hint: TypeAlias = tuple[str, Any]
"""A slot and a value that it may have."""


@dataclass(frozen=True, slots=True)
class Prompting:
    """Renders the messages for a request, from the templates in a folder."""

    directory: Path
    examples: tuple[Example, ...]

    def messages(
        self, request: Request, domains: tuple[Domain, ...], shape: Shape, hints: Sequence[Hint] = ()
    ) -> list[dict[str, Any]]:
        """The chat messages: what the user or the assistant said stands in the user message only, and so do `hints`,
        values that another reader found: none of a sensitive slot, which the assistant's words may have told.
        """
        specs = [spec for domain in domains for spec in domain.slots.values() if offered(spec)]
        told = {spec.path for spec in specs if not spec.slot.sensitive}
        candidates = [{"path": path, "value": _data(value)} for path, value in hints if path in told]
        return [
            {"role": "system", "content": _prefix(self, domains, shape)},
            {"role": "user", "content": render(self.directory, "turn.jinja", {**_turn(request), "hints": candidates})},
        ]


def make_prompting(template: str | Path | None, examples: Sequence[Example]) -> Prompting:
    """The prompt of a template folder, by default the bundled one. Raises TemplateError."""
    directory = template_folder(template, "extract", ("system.jinja", "turn.jinja"), "an extraction template")
    return Prompting(directory, tuple(examples))


@lru_cache(maxsize=64)
def _prefix(prompting: Prompting, domains: tuple[Domain, ...], shape: Shape) -> str:
    examples = [
        {"turn": render(prompting.directory, "turn.jinja", _example(one)), "reply": _reply(one.changes, shape)}
        for one in prompting.examples
    ]
    shown = [
        {"name": domain.name, "description": domain.description, "slots": list(_slots(domain))} for domain in domains
    ]
    variables = {"domains": shown, "ops": shape.ops, "examples": examples, "dont_care": _any_dont_care(domains)}
    return render(prompting.directory, "system.jinja", variables)


def _any_dont_care(domains: Sequence[Domain]) -> bool:
    return any(spec.slot.dont_care for domain in domains for spec in domain.slots.values() if offered(spec))


def _slots(domain: Domain) -> Iterator[dict[str, Any]]:
    """The slots of a domain as the template sees them, the parts of a composite behind it."""
    for spec in domain.slots.values():
        if offered(spec):
            yield _slot(spec)
            yield from map(_slot, spec.fields.values())


def _slot(spec: SlotSpec) -> dict[str, Any]:
    slot, owner = spec.slot, spec.item or spec
    kind = _KINDS.get(owner.kind, owner.kind)
    options = [
        {"value": str(option), "aliases": list(slot.aliases.get(str(option), ()))}
        for option in owner.options[:MAX_OPTIONS]
    ]
    return {
        "path": spec.path,
        "kind": f"list, each {kind}" if spec.kind == "list" else kind,
        "options": options,
        "more": len(owner.options) - len(options),
        "aliases": {} if options else {str(key): list(words) for key, words in slot.aliases.items()},
        "about": _sentence(spec.description or slot.ask or ""),
        "cues": list(slot.cues),
        "samples": [str(sample) for sample in slot.examples],
        "dont_care": slot.dont_care,
    }


def _sentence(text: str) -> str:
    return text if not text or text[-1] in ".?!。？！" else f"{text}."


def _reply(changes: Sequence[Change], shape: Shape) -> str:
    """Changes as the model should write them."""
    items: list[dict[str, Any]] = []
    for change in changes:
        if change.op in shape.ops:
            item: dict[str, Any] = {"quote": change.quote, "slot": change.path}
            if shape.ops != ("set",):
                item["op"] = change.op
            items.append({**item, "value": None if change.value is UNSET else jsonable(change.value)})
    return json.dumps({"changes": items}, ensure_ascii=False)


def _example(example: Example) -> dict[str, Any]:
    return {
        "state": [{"path": path, "value": _data(value), "notes": ()} for path, value in example.state],
        "offers": (),
        "assistant": shield(example.assistant),
        "asked": example.asked,
        "now": "",
        "timezone": "",
        "cut": False,
        "hints": (),
        "user": shield(example.user),
    }


def _turn(request: Request) -> dict[str, Any]:
    specs = {spec.path: spec for domain in request.domains.values() for spec in domain.slots.values()}
    secrets = Secrets(compile_domains(request.domains.values()), now=request.now)
    secrets.learn_state(request.state)
    return {
        "state": [_held(path, specs.get(path), slot) for path, slot in request.state.slots.items() if _worth(slot)],
        "offers": [
            {"path": offer.path, "value": _data(_shown(specs.get(offer.path), offer.value))} for offer in request.offers
        ],
        "assistant": shield(secrets.mask(request.assistant)),
        "asked": request.asked,
        "now": f"{request.now:%A} {request.now.isoformat(timespec='minutes')}",
        "timezone": request.timezone,
        "cut": request.cut,
        "user": shield(request.user),
    }


def _worth(slot: SlotState) -> bool:
    return slot.is_held or bool(slot.held.excluded) or slot.pending is not None


def _held(path: str, spec: SlotSpec | None, slot: SlotState) -> dict[str, Any]:
    """A line of the state. What is of no shown domain has no declaration here: it may be sensitive, and is masked."""
    held, pending = slot.held, slot.pending
    notes = ["confirmed"] if held.status == "confirmed" else []
    notes += [f"not {_data(_shown(spec, value))}" for value in held.excluded]
    if pending is not None:
        candidates = ", ".join(_data(_shown(spec, value)) for value in pending.values)
        notes.append(f"{pending.why}: {candidates}" if candidates else pending.why)
    value = "no preference" if held.dontcare else "empty" if held.value is None else _data(_shown(spec, held.value))
    return {"path": path, "value": value, "notes": notes}


def _shown(spec: SlotSpec | None, value: Json) -> Json:
    """A value with whatever is sensitive in it masked."""
    if spec is None or spec.slot.sensitive:
        return MASK
    if spec.kind == "list" and is_list(value):
        return [_shown(spec.element, one) for one in value]
    if spec.kind == "map" and is_object(value):
        return {key: _shown(spec.element, part) for key, part in value.items()}
    if spec.kind == "composite" and is_object(value):
        return {key: _shown(spec.fields.get(key), part) for key, part in value.items()}
    return value


def _data(value: Json) -> str:
    """A value as JSON on one line that cannot be taken for a marker, cut where it is long."""
    text = json.dumps(jsonable(value), ensure_ascii=False)
    text = text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
    return shield(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))

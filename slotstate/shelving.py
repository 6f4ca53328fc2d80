"""What is too long, or no text, for a message: moved out of it before it is recorded, so that the log stays small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from slotstate.compact import ToolPolicy
from slotstate.compact.media import describe_media
from slotstate.compact.policy import PREVIEWED, reference
from slotstate.compact.results import kind_of, preview
from slotstate.events import Blob
from slotstate.messages import Message


class Shelved(NamedTuple):
    """A blob and its content."""

    blob: Blob
    content: bytes


def shelve_result(
    message: Message, policy: ToolPolicy, mask: Callable[[str], str] = str
) -> tuple[Message, Shelved | None]:
    """A tool's result as it is recorded: above the policy's limit a preview, and what it is a preview of. `mask` hides
    what a cut would leave half of.
    """
    if not is_shelved(message, policy):
        return message, None
    moved = shelved(message)
    text = preview(mask(message.text), min(policy.limit, PREVIEWED), moved.blob.ref)
    return message.model_copy(update={"text": text}), moved


def is_shelved(message: Message, policy: ToolPolicy) -> bool:
    """Whether a tool's result is too long to be recorded."""
    return len(message.text) > policy.limit


def shelved(message: Message) -> Shelved:
    """A tool's result, moved out of its message."""
    content = message.text.encode("utf-8")
    return Shelved(Blob(ref=reference(content), size=len(message.text), kind=kind_of(message.text)), content)


def shelve_media(raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Shelved, ...]]:
    """A message in which each picture and sound is a line of text, and what they were."""
    parts = raw.get("content") if hasattr(raw, "get") else None  # what is no message is refused later
    if not isinstance(parts, list):
        return raw, ()
    shelved: list[Shelved] = []
    shown = [_described(part, shelved) if isinstance(part, Mapping) else part for part in parts]
    return ({**raw, "content": shown}, tuple(shelved)) if shown != parts else (raw, ())


def _described(part: Mapping[str, Any], shelved: list[Shelved]) -> Mapping[str, Any]:
    found = describe_media(part)
    if found is None:
        return part
    if found.payload is None:
        return {"type": "text", "text": found.text}
    ref = reference(found.payload)
    shelved.append(Shelved(Blob(ref=ref, size=len(found.payload), kind=found.kind, media=found.media), found.payload))
    return {"type": "text", "text": f"{found.text[:-1]}, {ref}]"}

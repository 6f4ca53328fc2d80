"""What each provider takes, as data. Where every rule comes from stands in docs/formats.md."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from slotstate import messages
from slotstate.errors import InputError, near

Provider: TypeAlias = Literal["openai", "anthropic", "strict"]
PROVIDERS: Final = ("openai", "anthropic", "strict")

CODES: Final[Mapping[str, str]] = {
    "not_a_list": "the messages are no list",
    "no_messages": "the list is empty",
    "not_an_object": "a message is no object",
    "not_json": "a value that JSON cannot say",
    "too_deep": "nested deeper than servers read",
    "bad_characters": "a lone surrogate or a NUL",
    "unknown_role": "a role that the provider does not know",
    "missing_field": "a field that must be there is not",
    "wrong_type": "a field holds the wrong kind of value",
    "misplaced": "a field or block that only another role has",
    "bad_part": "a part of the content that the provider does not take",
    "empty_content": "a message without content",
    "bad_name": "the name of a tool or a participant with other characters than letters, digits, _ and -, or too long",
    "bad_id": "the id of a call that the provider does not take",
    "bad_arguments": "arguments of a call that are no JSON object",
    "duplicate_call": "a call whose id another call has",
    "missing_result": "a call without a result",
    "late_result": "a result that does not stand directly behind its call",
    "duplicate_result": "a second result of one call",
    "orphan_result": "a result without its call",
    "system_position": "a system message elsewhere than at the front",
    "role_order": "a role where the provider wants another",
    "no_user": "no user message at all",
    "trailing_space": "a final assistant message that ends with white space",
    "cache_control": "more than 4 cache marks, or a longer-lived one behind a shorter-lived one",
}
"""Each kind of problem that check() finds."""

DEPTH: Final = 100
"""Levels of nesting within a message; serde_json, a common reader of requests, stops at 128."""
MARKS: Final = 4
"""cache_control marks in one request to Anthropic."""
NO_RESULT: Final = "[no result]"
"""What stands for the result of a call that has none."""
NO_MESSAGE: Final = "[no message]"
"""What stands for a list in which nothing can be sent."""

ROLES: Final = ("system", "developer", "user", "assistant", "tool")
SYSTEM: Final = ("system", "developer")
TOOL_NAME: Final = messages.TOOL_NAME
named: Final = messages.tool_name
REASONING: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""Parts in which a model's own reasoning is given back; only the provider that wrote them reads them."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One provider: its roles, its ids, the parts that each role's content may have, and what it insists on."""

    name: Provider
    roles: tuple[str, ...]
    ids: re.Pattern[str]
    ids_said: str
    parts: Mapping[str, frozenset[str]]
    open: bool = False
    """Parts of a kind unknown here pass: the provider has many and adds more."""
    blank: bool = False
    """A message without visible text is refused."""
    system_first: bool = False
    """System messages stand at the front only, and a user message comes next."""
    alternates: bool = False
    """User and assistant take turns; a call, its results and the reply are one turn."""
    participants: bool = False
    """Names of participants are checked."""


_TEXT: Final = frozenset({"text"})
_USER: Final = frozenset({"text", "image_url", "input_audio", "file"})
_BLOCKS: Final = frozenset({"text", "image_url", "image", "document", "search_result"})
_PARTS: Final = {"system": _TEXT, "developer": _TEXT, "user": _USER, "assistant": _TEXT | {"refusal"}, "tool": _TEXT}

_RULES: Final[Mapping[str, Rules]] = {
    "openai": Rules(
        "openai", ROLES, re.compile(r".{1,40}", re.DOTALL), "1 to 40 characters", _PARTS, participants=True
    ),
    "anthropic": Rules(
        "anthropic",
        ROLES,
        re.compile(r"[a-zA-Z0-9_-]{1,64}"),
        "1 to 64 letters, digits, _ or -",
        {
            "system": _TEXT,
            "developer": _TEXT,
            "user": _BLOCKS | {"tool_result"},
            "assistant": frozenset({"text", "refusal", "tool_use", "thinking", "redacted_thinking"}),
            "tool": _BLOCKS,
        },
        open=True,
        blank=True,
        system_first=True,
    ),
    "strict": Rules(
        "strict",
        ("system", "user", "assistant", "tool"),
        re.compile(r".+", re.DOTALL),
        "at least one character",
        _PARTS | {"user": _USER | {"image", "video", "video_url", "audio", "audio_url"}},
        blank=True,
        system_first=True,
        alternates=True,
    ),
}
_KNOWN: Final = frozenset({"input_text", "output_text", "input_image", "reasoning"}).union(
    *(kinds for rules in _RULES.values() for kinds in rules.parts.values())
)


def rules_of(provider: str) -> Rules:
    """The rules of a provider. Raises InputError with the nearest name."""
    if provider not in _RULES:
        raise InputError(f"no rules for the provider {provider!r}{near(str(provider), PROVIDERS)}")
    return _RULES[provider]


def takes(rules: Rules, role: str, kind: str) -> bool:
    """Whether the content of this role may have a part of this kind."""
    if kind in _KNOWN:
        return kind in rules.parts[role]
    return rules.open and role in {"user", "assistant"}


def well_formed(part: Mapping[str, Any]) -> bool:
    """Whether a part of a known kind has the fields that the kind needs."""
    match part.get("type"):
        case "text" | "refusal" as kind:
            return isinstance(part.get(kind), str)
        case "image_url":
            image = part.get("image_url")
            return isinstance(image, Mapping) and isinstance(image.get("url"), str)
        case "input_audio":
            audio = part.get("input_audio")
            return (
                isinstance(audio, Mapping)
                and isinstance(audio.get("data"), str)
                and audio.get("format") in {"wav", "mp3"}
            )
        case "file":
            return isinstance(part.get("file"), Mapping)
        case "tool_use":
            texts = isinstance(part.get("id"), str) and isinstance(part.get("name"), str)
            return texts and isinstance(part.get("input"), Mapping)
        case "tool_result":
            return isinstance(part.get("tool_use_id"), str) and isinstance(part.get("content", ""), str | list | tuple)
        case kind:
            return isinstance(kind, str)


def extra_fits(key: str, value: object) -> bool:
    """Whether a message's `refusal` or `audio` is nothing or what OpenAI takes."""
    if key == "refusal":
        return value is None or isinstance(value, str)
    return value is None or (isinstance(value, Mapping) and isinstance(value.get("id"), str))


def fitted(ident: str, rules: Rules) -> str:
    """A call's id as the provider takes it: itself, or one made of it, always the same."""
    if rules.ids.fullmatch(ident):
        return ident
    digest = hashlib.sha256(ident.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub('[^a-zA-Z0-9_-]', '_', ident)[:31]}_{digest}"

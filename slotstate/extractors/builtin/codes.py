"""Codes: text slots with a declared pattern, or whose name says that they hold a number or reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import BaseModel

from slotstate.extractors.builtin.beside import cue_distance
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.typed import Sightings, accepted
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span

_TOKEN = re.compile(r"(?<![A-Za-z0-9@])[A-Za-z0-9](?:[A-Za-z0-9_./#-]{0,38}[A-Za-z0-9])?(?![A-Za-z0-9@])")
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th)", re.IGNORECASE)
_NEAR = 32
_SHORTEST = 3


def code_candidates(turn: Context, sightings: Sightings) -> Iterator[Candidate]:
    """Stretches that look like the code a slot wants: matching its pattern, or letters with digits beside its name."""
    wanting = [(one, declared_pattern(one)) for one in turn.profiles if one.kind == "text"]
    wanting = [(one, pattern) for one, pattern in wanting if pattern or "code" in one.concepts]
    if not wanting:
        return
    tokens = list(_tokens(turn))
    if not tokens:
        return
    measured = [one.span for kind in ("date", "time", "duration", "money", "number") for one in sightings.of(kind)]
    for span, text in tokens:
        if not turn.fills(span) or (not text.isdigit() and (inside(span, measured) or _ORDINAL.fullmatch(text))):
            continue
        for one, pattern in wanting:
            values = accepted(one, [text, text.upper()], turn)[:1]
            reason = _reason(turn, one, span, text, bool(pattern)) if values else None
            if reason is not None:
                yield Candidate(one, span, values, reason)


def _tokens(turn: Context) -> Iterator[tuple[Span, str]]:
    """Words with a digit in them, and pairs of words with digits ("YO1 7AA")."""
    original = turn.words.folded.original
    found = list(_TOKEN.finditer(original))
    for match in found:
        if any(char.isdigit() for char in match[0]):
            yield turn.words.inner(match.span()), match[0]


def _reason(turn: Context, one: Profile, span: Span, text: str, patterned: bool) -> Reason | None:
    before = turn.words.text[max(0, span[0] - _NEAR) : span[0]]
    if cue_distance(one, before) is not None:
        return Reason.CUED
    mixed = any(char.isalpha() for char in text) and len(text) >= _SHORTEST
    if not patterned and not mixed:
        return None
    if turn.is_asked(one):
        return Reason.ASKED
    telling = mixed or len(text) > _SHORTEST
    return Reason.ONLY if telling and (one.domain in turn.focus or len(turn.request.domains) == 1) else None


def declared_pattern(one: Profile) -> str | None:
    """The pattern that a text slot declares."""
    return _pattern(one.spec.model)


@lru_cache(maxsize=2048)
def _pattern(model: type[BaseModel]) -> str | None:
    schema = model.model_json_schema()["properties"]["value"]
    found = [part.get("pattern") for part in (schema, *schema.get("anyOf", ()))]
    return next((pattern for pattern in found if isinstance(pattern, str)), None)

"""Whether somebody said what a model proposes, and what the words say where it says otherwise.

Models fill in what they were not told, small ones most of all, and work dates out wrongly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from slotstate.decide import Said
from slotstate.decide.drafts import Draft
from slotstate.errors import InvalidValue
from slotstate.extract import Change, Request
from slotstate.parsing import asks, dont_care, fold, sentence, unspaced
from slotstate.slots import DONTCARE, Json, SlotSpec
from slotstate.values import find, normalise, stands_in

_LEFT_TO_DECIDE: Final = frozenset({"boolean", "categorical", "list", "composite", "map"})
"""Kinds whose values may be meant in other words."""
_TOLD: Final = frozenset({"date", "time", "datetime", "duration", "integer", "number", "decimal", "money"})
"""Kinds whose values can be worked out of words."""


def readings(change: Change, spec: SlotSpec, said: Said) -> tuple[Change, ...]:
    """The changes that a value comes to which is none as it stands: "11" of "after 11", one for each time that it may
    be, between which is asked; none where the words do not tell.
    """
    if spec.kind not in _TOLD or not isinstance(change.value, str):
        return ()
    reading = said.reading(spec)
    quote = change.quote or ""
    among = [one for one in find(spec, quote, reading) if fold(change.value).text in fold(quote[slice(*one.span)]).text]
    found = among or find(spec, change.value, reading)
    return tuple(replace(change, value=value) for value in found[0].values) if len(found) == 1 else ()


def grounded(draft: Draft, request: Request, said: Said) -> tuple[Change, ...]:
    """A `set` or `add` as the conversation bears it out; nothing where it does not, as far as that shows.

    No preference needs the words for it, or a question that it answers. A value of the assistant's is not taken up by a
    question. A value of a slot that takes any must stand in the user's message; one in another script is taken for a
    translation. Where the quote tells one date, time or number and the model another, the quote's is meant. Options,
    yes and no can be meant in other words, and are left to `decide`.
    """
    claim, evidence = draft.claim, draft.evidence
    if evidence.grade != "meant":
        return (draft.change,)
    if claim.value is DONTCARE:
        return (draft.change,) if _is_asked(request) or dont_care(fold(request.user)) is not None else ()
    spec = claim.spec
    if spec.kind in _TOLD and claim.quote:
        told = find(spec, claim.quote, said.reading(spec))
        if len(told) == 1 and claim.value not in told[0].values:
            words = replace(draft.change, value=claim.quote[slice(*told[0].span)])
            return (words,) if _is_value(words.value, spec, said) else readings(words, spec, said)
    if evidence.source == "offer":  # in other words than a plain yes, but not by a question
        return () if evidence.span and asks(fold(sentence(request.user, evidence.span))) else (draft.change,)
    if spec.kind in _LEFT_TO_DECIDE or _is_translated(claim.value, request.user):
        return (draft.change,)
    return (draft.change,) if stands_in(spec, claim.value, request.user, said.reading(spec)) else ()


def _is_value(words: str, spec: SlotSpec, said: Said) -> bool:
    try:
        normalise(spec, words, said.reading(spec))
    except InvalidValue:
        return False
    return True


def _is_asked(request: Request) -> bool:
    return bool(request.asked) or any(mark in request.assistant for mark in "?？؟")


def _is_translated(value: Json, words: str) -> bool:
    """Whether a text is in a script that the words do not use, or they in one that it does not."""
    return isinstance(value, str) and any(map(unspaced, value)) != any(map(unspaced, words))


__all__ = ["grounded", "readings"]

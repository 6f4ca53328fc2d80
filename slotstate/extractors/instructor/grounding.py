"""Whether somebody said what a model proposes, and what the words say where it says otherwise.

Models fill in what they were not told, small ones most of all, and work dates out wrongly.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from slotstate.decide import Said
from slotstate.decide.drafts import Draft
from slotstate.errors import InvalidValue
from slotstate.extract import Change, Request
from slotstate.extractors.instructor.spelling import scripts, spelt
from slotstate.parsing import asks, dont_care, fold, reckons, sentence
from slotstate.slots import DONTCARE, UNSET, Json, SlotSpec
from slotstate.values import Reading, find, identity, normalise, same, stands_in

_LEFT_TO_DECIDE: Final = frozenset({"boolean", "categorical"})
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
    question. A value of a slot that takes any must stand in the user's message, whatever its spelling; one in another
    script than the quote is taken for a translation. So must each item of a list and each part of a composite or a map:
    the others are left out. Where the quote tells one date, time or number and the model another, the quote's is meant,
    unless it works another one out ("the second Friday in May"). Options, yes and no can be meant in other words, and
    are left to `decide`.
    """
    claim, evidence = draft.claim, draft.evidence
    if evidence.grade != "meant":
        return (draft.change,)
    if claim.value is DONTCARE:
        return (draft.change,) if _is_asked(request) or dont_care(fold(request.user)) is not None else ()
    spec, quote = claim.spec, claim.quote or ""
    told = find(spec, quote, said.reading(spec)) if spec.kind in _TOLD else []
    if len(told) == 1:
        if claim.value in told[0].values or reckons(quote, told[0].span):
            return (draft.change,)
        words = replace(draft.change, value=quote[slice(*told[0].span)])
        return (words,) if _is_value(words.value, spec, said) else readings(words, spec, said)
    if evidence.source == "offer":  # in other words than a plain yes, but not by a question
        return () if evidence.span and asks(fold(sentence(request.user, evidence.span))) else (draft.change,)
    kept = _Borne(request, said, quote).what(spec, claim.value, request.state.slot(spec.path).held.value)
    if kept is UNSET:
        return ()
    return (draft.change if kept == claim.value else replace(draft.change, value=kept),)


def _is_value(words: str, spec: SlotSpec, said: Said) -> bool:
    try:
        normalise(spec, words, said.reading(spec))
    except InvalidValue:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Borne:
    """What is borne out of a value that is only meant."""

    request: Request
    said: Said
    quote: str
    negated: bool = False
    """Whether words that negate it count: a list of what to avoid is told so."""

    @property
    def _inside(self) -> _Borne:
        return self if self.negated else replace(self, negated=True)

    def what(self, spec: SlotSpec, value: Json, held: Json) -> Json:
        """The value without the items and parts that nobody said; UNSET where nothing is left. What is held already
        stays in a list that is told anew.
        """
        if spec.kind == "list":
            known = {identity(spec.element, old) for old in held} if isinstance(held, list | tuple) else set[Hashable]()
            kept = [one for one in value if identity(spec.element, one) in known or self._item(spec, one)]
            return kept or UNSET
        if spec.kind in {"composite", "map"}:
            return {key: part for key, part in self._parts(spec, value, held) if part is not UNSET} or UNSET
        return value if self._is_said(spec, value) else UNSET

    def _item(self, spec: SlotSpec, item: Json) -> bool:
        return bool(self._inside.what(spec.element, item, None) == item)

    def _parts(self, spec: SlotSpec, value: Mapping[str, Json], held: Json) -> Iterator[tuple[str, Json]]:
        for key, part in value.items():
            inner = spec.fields[key] if spec.kind == "composite" else spec.element
            old = held.get(key) if isinstance(held, Mapping) else None
            known = old is not None and same(inner, part, old)
            yield key, part if known else self._inside.what(inner, part, old)

    def _is_said(self, spec: SlotSpec, value: Json) -> bool:
        if spec.kind in _LEFT_TO_DECIDE or stands_in(spec, value, self.request.user, self._reading(spec)):
            return True
        if self._is_taken_up(spec, value):
            return True
        if not isinstance(value, str) or spec.kind != "text":
            return False
        own = scripts(value)
        translated = bool(own) and own != scripts(self.quote)
        return translated or spelt(spec, value, self.request.user, self._reading(spec))

    def _is_taken_up(self, spec: SlotSpec, value: Json) -> bool:
        """Whether the assistant said it, and the user does not only ask back."""
        heard = self.said.heard
        if heard is None or asks(fold(self.request.user)):
            return False
        return stands_in(spec, value, heard.text, self._reading(spec))

    def _reading(self, spec: SlotSpec) -> Reading:
        return replace(self.said.reading(spec), negated=self.negated)


def _is_asked(request: Request) -> bool:
    return bool(request.asked) or any(mark in request.assistant for mark in "?？؟")


__all__ = ["grounded", "readings"]

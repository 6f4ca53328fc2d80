"""The built-in extractor: schema-driven, no key, no network, deterministic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from slotstate.extract import CUT, Change, Extraction, Request, nearest
from slotstate.extractors.builtin.addresses import addressed
from slotstate.extractors.builtin.agreement import agreement_changes
from slotstate.extractors.builtin.amounts import bare_amounts, changed_amounts
from slotstate.extractors.builtin.answers import answers, bare_place, corrected, repeated_question
from slotstate.extractors.builtin.asides import is_aside, keeps
from slotstate.extractors.builtin.assign import typed_candidates
from slotstate.extractors.builtin.choose import Candidate, Reason, choose
from slotstate.extractors.builtin.codes import code_candidates
from slotstate.extractors.builtin.colours import coloured
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.contrast import contrasted
from slotstate.extractors.builtin.dialogue import closing_changes, start_changes, whole_turn_changes
from slotstate.extractors.builtin.introduced import introduced, labelled
from slotstate.extractors.builtin.known import known_names
from slotstate.extractors.builtin.lists import list_changes
from slotstate.extractors.builtin.named import named_candidates
from slotstate.extractors.builtin.nearly import nearly_named
from slotstate.extractors.builtin.offers import offer_changes
from slotstate.extractors.builtin.pending import settled
from slotstate.extractors.builtin.positions import positions
from slotstate.extractors.builtin.profile import GENERIC
from slotstate.extractors.builtin.quoting import quote
from slotstate.extractors.builtin.refine import refined
from slotstate.extractors.builtin.typed import Sightings
from slotstate.extractors.builtin.vocative import named_first
from slotstate.extractors.builtin.warrant import warranted
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import find
from slotstate.slots import Kind

JUDGED: Final[frozenset[Kind]] = frozenset({"text", "categorical"})
"""Kinds of values on which users ask for an opinion; "is Monday good?" proposes the day."""


class RulesExtractor:
    """Reads changes out of English and Chinese turns by rules over the schema. Precision before recall: in doubt it
    proposes nothing, or values between which `decide` asks.
    """

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        return Extraction(tuple(changes_of(Context(nearest(request)))), model="builtin")

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        return self.extract(request)


def changes_of(turn: Context) -> list[Change]:
    """What the rules read in a turn."""
    if not turn.words.text.strip():
        return []
    whole = whole_turn_changes(turn)
    if whole:
        return whole
    chosen = _chosen(turn)
    changes = start_changes(turn)
    changes += [change for candidate in chosen for change in _sets(turn, candidate)]
    changes += list_changes(turn, [candidate.cover for candidate in chosen])
    changes = warranted(turn, changes)
    changes += (taken_up := offer_changes(turn, changes))
    changes += settled(turn, changes)
    changes += closing_changes(turn, changes)
    if not taken_up:
        changes += agreement_changes(turn, changes)
    return _distinct(turn, changes)


def _chosen(turn: Context) -> list[Candidate]:
    """The candidates that hold. Where nobody said which domain the turn is about, its values and the names of slots in
    it may.
    """
    chosen = _read(turn)
    home = _home(turn, chosen)
    if home is None:
        return chosen
    turn.settle(home)
    return _read(turn)


def _home(turn: Context, chosen: Sequence[Candidate]) -> str | None:
    """The only domain that the turn speaks of, if that is not the one in focus."""
    if len(turn.request.domains) == 1 or (turn.focus and turn.focus != (turn.recent,)):
        return None
    least = Reason.UNIT if turn.focus else Reason.CUED
    found = {one.profile.domain for one in chosen if one.reason >= least and not _is_vague(one)}
    found |= {one.domain for one in turn.profiles if turn.home is None and one.is_named_in(turn.words.text)}
    return found.pop() if len(found) == 1 and not found & {*turn.focus} else None


def _read(turn: Context) -> list[Candidate]:
    """Candidates of all kinds, the choice made step by step: what is surer takes its words before the rest is read."""
    named = [*named_candidates(turn), *nearly_named(turn), *coloured(turn)]
    named += addressed(turn, [one.cover for one in named])
    taken = [one.cover for one in named]
    sightings = Sightings(turn.words, turn)
    typed = [*typed_candidates(turn, sightings, taken), *code_candidates(turn, sightings)]
    typed += [*bare_amounts(turn, sightings, taken), *changed_amounts(turn, sightings, taken)]
    dates = [one.span for one in sightings.of("date")]
    typed += [*refined(turn, dates), *positions(turn, [*taken, *dates])]
    firm = choose(_in_focus([*named, *typed], turn), turn)
    sure = [one.cover for one in firm if one.reason >= Reason.CUED]
    texts = [
        *named_first(turn, sure),
        *known_names(turn),
        *introduced(turn, [*sure, *sightings.spans()]),
        *labelled(turn, [*sure, *sightings.calendar()]),
    ]
    free = choose(_in_focus([*firm, *texts], turn), turn)
    covers = [*(one.cover for one in free), *sightings.calendar()]
    texts += contrasted(turn, covers) or [
        *answers(turn, covers),
        *corrected(turn, covers),
        *repeated_question(turn, covers),
    ]
    texts += bare_place(turn, covers) if firm else ()
    chosen = choose(_in_focus([*firm, *texts], turn), turn)
    chosen = [one for one in chosen if one.profile.kind not in JUDGED or not inside(one.span, turn.judged)]
    chosen = [one for one in chosen if not keeps(turn, one) and not is_aside(turn, one, chosen)]
    homes = {*turn.focus, *(one.profile.domain for one in chosen if one.reason >= Reason.UNIT)}
    return [one for one in chosen if not homes or one.profile.domain in homes or not _is_vague(one)]


def _in_focus(candidates: list[Candidate], turn: Context) -> list[Candidate]:
    """The candidates without those of other domains for stretches that mean something in a domain in focus."""
    at_home = [one.span for one in candidates if one.profile.domain in turn.focus and one.reason >= Reason.ASKED]
    return [one for one in candidates if one.profile.domain in turn.focus or not inside(one.span, at_home)]


def _is_vague(candidate: Candidate) -> bool:
    """Whether only a common word ("in", "at") makes a value the slot's: too little outside of the focus."""
    return candidate.reason is Reason.CUED and not candidate.profile.concepts - GENERIC


def _sets(turn: Context, candidate: Candidate) -> list[Change]:
    """The proposal of a candidate; of open readings each, so that `decide` asks which one is meant."""
    words = quote(turn, candidate)
    return [Change("set", candidate.profile.path, value, words) for value in candidate.values]


def _distinct(turn: Context, changes: list[Change]) -> list[Change]:
    """Each change once, without those whose quote would count as never said: half a word, or where a turn was cut."""
    kept: list[Change] = []
    for change in changes:
        words = change.quote or ""
        if change not in kept and CUT.strip() not in words and find(words, turn.words.folded) is not None:
            kept.append(change)
    return kept

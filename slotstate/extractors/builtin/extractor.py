"""The built-in extractor: schema-driven, no key, no network, deterministic."""

from __future__ import annotations

from slotstate.extract import Change, Extraction, Request
from slotstate.extractors.builtin.choose import Candidate, Reason, choose
from slotstate.extractors.builtin.codes import code_candidates
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.dialogue import closing_changes, start_changes, whole_turn_changes
from slotstate.extractors.builtin.free_text import answers, introduced, labelled
from slotstate.extractors.builtin.lists import list_changes
from slotstate.extractors.builtin.named import named_candidates
from slotstate.extractors.builtin.offers import offer_changes
from slotstate.extractors.builtin.quoting import quote
from slotstate.extractors.builtin.typed import Sightings, typed_candidates


class BuiltinExtractor:
    """Reads changes out of English and Chinese turns by rules over the schema. Precision comes before recall: in doubt it
    proposes nothing, or values between which `decide` asks."""

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        return Extraction(tuple(_changes(Context(request))), model="builtin")

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        return self.extract(request)


def _changes(turn: Context) -> list[Change]:
    if not turn.words.text.strip():
        return []
    whole = whole_turn_changes(turn)
    if whole:
        return whole
    chosen = _chosen(turn)
    changes = start_changes(turn)
    changes += [change for candidate in chosen for change in _sets(turn, candidate)]
    changes += list_changes(turn, [candidate.cover for candidate in chosen])
    changes += offer_changes(turn, changes)
    changes += closing_changes(turn, changes, chosen)
    return _distinct(changes)


def _chosen(turn: Context) -> list[Candidate]:
    """Candidates of all kinds, the choice made step by step: what is surer takes its words before the rest is read."""
    named = list(named_candidates(turn))
    taken = [one.cover for one in named]
    sightings = Sightings(turn.words, turn)
    typed = [*typed_candidates(turn, sightings, taken), *code_candidates(turn, taken)]
    firm = choose([*named, *typed], turn.focus, turn.words)
    sure = [one.cover for one in firm if one.reason >= Reason.CUED]
    texts = [*introduced(turn, [*sure, *sightings.spans()]), *labelled(turn, [*sure, *sightings.calendar()])]
    free = choose([*firm, *texts], turn.focus, turn.words)
    texts += answers(turn, [*(one.cover for one in free), *sightings.calendar()])
    return choose([*firm, *texts], turn.focus, turn.words)


def _sets(turn: Context, candidate: Candidate) -> list[Change]:
    """The proposal of a candidate; of open readings each, so that `decide` asks which one is meant."""
    words = quote(turn, candidate)
    return [Change("set", candidate.profile.path, value, words) for value in candidate.values]


def _distinct(changes: list[Change]) -> list[Change]:
    kept: list[Change] = []
    for change in changes:
        if change not in kept:
            kept.append(change)
    return kept

"""Offers in the assistant's words: what the user takes up, where the application gave no structural offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slotstate.extract import Change
from slotstate.extractors.builtin.beside import NEAR, cue_distance, unit_after
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.named import named_spans
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.typed import Sighting, Sightings, accepted, family
from slotstate.extractors.builtin.words import Words, cue_spans
from slotstate.parsing import affirms, asks, corrects, find_choice, hesitates, refuses
from slotstate.slots import Json

_CHOICE = 60
"""Characters of a turn that can be a choice; longer ones speak of other things too."""


def offer_changes(turn: Context, changes: Sequence[Change]) -> list[Change]:
    """Values of the assistant's last words for the slots that take them, when the user agrees or chooses."""
    heard = turn.request.state.heard
    if not turn.request.assistant or (heard is not None and heard.offers) or turn.questions or turn.closed:
        return []
    if any(change.op in {"set", "start"} for change in changes):
        return []
    words = turn.words.folded
    agreed = (
        affirms(words) is not None and refuses(words) is None and corrects(words) is None and hesitates(words) is None
    )
    stretch = _offering(turn.assistant) or _listing(turn)
    if stretch is None or any(one.kind == "boolean" for one in turn.asked):
        return []
    return list(_taken_up(turn, stretch, agreed))


def _offering(assistant: Words) -> str | None:
    """The assistant's sentences that put something forward: its last question, with what that points back to."""
    sentences = assistant.sentences
    for index in range(len(sentences) - 1, -1, -1):
        start, end = sentences[index]
        text = assistant.text[start:end]
        if asks(assistant.part((start, end))):
            points = cue_spans(Words(text), lambda lexicon: lexicon.pointing)
            return assistant.original((sentences[index - 1][0] if points and index else start, end))
    return None


def _listing(turn: Context) -> str | None:
    """The assistant's words where they list options without asking, and the user does no more than choose."""
    chosen = find_choice(turn.words.folded, 2) is not None and len(turn.words.text) <= _CHOICE
    return turn.request.assistant if chosen else None


def _taken_up(turn: Context, stretch: str, agreed: bool) -> Iterator[Change]:
    words = Words(stretch)
    sightings = Sightings(words, turn)
    short = len(turn.words.text) <= _CHOICE
    quote = turn.words.original((0, len(turn.words.text)))
    for one in _takers(turn):
        values = _offered(one, words, sightings, turn)
        choice = find_choice(turn.words.folded, len(values)) if len(values) > 1 and short else None
        if choice is not None:
            yield Change("set", one.path, values[choice], quote)
        elif agreed and len(values) == 1 and turn.held(one) != values[0]:
            yield Change("set", one.path, values[0], quote)


def _takers(turn: Context) -> list[Profile]:
    """Slots that an offer may fill: in the domain in focus, the only one of their kind."""
    domain = turn.recent or (turn.focus or tuple(turn.request.domains))[0]
    able = [one for one in turn.profiles if one.domain == domain and one.spec.slot.evidence == "user_or_offer"]
    able = [one for one in able if family(one.kind) is not None or one.kind == "categorical"]
    able = [one for one in able if not one.concepts & {"min", "max", "past", "birth"}]
    kinds = [family(one.kind) for one in able if one.kind != "categorical"]
    return [one for one in able if one.kind == "categorical" or kinds.count(family(one.kind)) == 1]


def _is_meant(one: Profile, sighting: Sighting, words: Words) -> bool:
    """Whether a number in an offer is one of the slot; other kinds are what they look like."""
    if one.kind not in NUMERIC:
        return True
    before = words.text[max(0, sighting.span[0] - NEAR) : sighting.span[0]]
    return unit_after(one, words.text, sighting.span[1]) is not None or cue_distance(one, before) is not None


def _offered(one: Profile, words: Words, sightings: Sightings, turn: Context) -> list[Json]:
    """The distinct values of the slot that the stretch holds."""
    values: list[Json] = []
    if one.kind == "categorical":
        found = [value for _, value in sorted(named_spans(one.spec, words.text))]
    else:
        name = family(one.kind)
        seen = [sighting for sighting in sightings.of(name) if _is_meant(one, sighting, words)] if name else []
        readings = [accepted(one, sighting.values, turn) for sighting in seen]
        found = [options[0] for options in readings if options]
    for value in found:
        if value not in values:
            values.append(value)
    return values

"""Offers in the assistant's words: what the user takes up, where the application gave no structural offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from slotstate.extract import Change
from slotstate.extractors.builtin.beside import NEAR, cue_distance, unit_after
from slotstate.extractors.builtin.compared import at_extreme, extreme_meant
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.named import named_spans
from slotstate.extractors.builtin.profile import NUMERIC, Profile
from slotstate.extractors.builtin.quantities import quantity
from slotstate.extractors.builtin.told import told_apart
from slotstate.extractors.builtin.typed import Sighting, Sightings, accepted, family
from slotstate.extractors.builtin.words import Words, cue_spans
from slotstate.parsing import affirms, alternatives, asks, corrects, find_choice, hesitates, refuses
from slotstate.slots import Json
from slotstate.state import Heard

_MANY = 9
_LATE_HOUR = re.compile(r"(?:1[3-9]|2[0-3])(?![0-9])")
_CHOICE = 60
"""Characters of a turn that can be a choice; longer ones speak of other things too."""


def offer_changes(turn: Context, changes: Sequence[Change]) -> list[Change]:
    """Values of the assistant's last words for the slots that take them, when the user agrees or chooses."""
    heard = turn.request.state.heard
    if heard is None or turn.hard_questions or turn.closed or any(change.op == "start" for change in changes):
        return []
    told = [] if any(change.op == "set" for change in changes) else _told(turn, heard)
    if told or turn.questions:
        return told
    return _of_this_turn(turn, heard, changes) or _of_before(turn, heard, changes)


def _told(turn: Context, heard: Heard) -> list[Change]:
    """Values among those that the application offers, told from the others by what they are."""
    if not heard.offers or len(turn.words.text) > _CHOICE:
        return []
    quote = turn.words.original((0, len(turn.words.text)))
    found = [(one, told_apart(turn, one, _open_offers(turn, one))) for one in turn.profiles]
    meant = [(one, values) for one, values in found if values]
    return (
        [Change("set", one.path, value, quote) for one, values in meant for value in values] if len(meant) == 1 else []
    )


def _of_this_turn(turn: Context, heard: Heard, changes: Sequence[Change]) -> list[Change]:
    if any(change.op == "set" for change in changes) or quantity(turn) is not None:
        return []
    if heard.offers:
        return _compared(turn, turn.profiles, _open_offers)
    words = turn.words.folded
    agreed = (
        affirms(words) is not None and refuses(words) is None and corrects(words) is None and hesitates(words) is None
    )
    if not turn.request.assistant or any(one.kind == "boolean" for one in turn.asked):
        return []
    stretch = _offering(turn.assistant) or _listing(turn)
    found = list(_taken_up(turn, stretch, agreed)) if stretch is not None else []
    return found or list(_picked(turn)) or _compared(turn, _takers(turn), _listed)


def _of_before(turn: Context, heard: Heard, changes: Sequence[Change]) -> list[Change]:
    """The one value that is open from earlier turns, where the user says to take it."""
    words = turn.words.folded
    if heard.offers or not cue_spans(turn.words, lambda lexicon: lexicon.taking):
        return []
    if refuses(words) is not None or corrects(words) is not None or hesitates(words) is not None:
        return []
    spoken_of = {change.path for change in changes}
    empty = [one for one in turn.profiles if not turn.slot(one).is_held and one.path not in spoken_of]
    found = [(one.path, value) for one in empty for value in _distinct(offer.value for offer in turn.slot(one).offers)]
    quote = turn.words.original((0, len(turn.words.text)))
    return [Change("set", path, value, quote) for path, value in found] if len(found) == 1 else []


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


def _picked(turn: Context) -> Iterator[Change]:
    """Values that the turn picks by number out of the sentence that lists them, before the question."""
    words = turn.words.folded
    if len(turn.words.text) > _CHOICE or all(find_choice(words, count) is None for count in (2, _MANY)):
        return
    for one in _takers(turn):
        values = _listed(turn, one)
        choice = find_choice(words, len(values)) if len(values) > 1 else None
        if choice is not None:
            yield Change("set", one.path, values[choice], turn.words.original((0, len(turn.words.text))))


def _compared(
    turn: Context, slots: Sequence[Profile], offered: Callable[[Context, Profile], Sequence[Json]]
) -> list[Change]:
    """The value that the turn picks by comparing, where those of one slot alone can be compared so."""
    extreme = extreme_meant(turn)
    if extreme is None:
        return []
    found = [(one, at_extreme(one, offered(turn, one), extreme)) for one in slots]
    best = [(one, value) for one, value in found if value is not None]
    quote = turn.words.original((0, len(turn.words.text)))
    return [Change("set", one.path, value, quote) for one, value in best] if len(best) == 1 else []


def _open_offers(turn: Context, one: Profile) -> list[Json]:
    """The values that the application offers for a slot and that are still open."""
    heard = turn.request.state.heard
    made = heard.offers if heard is not None else ()
    return _distinct(offer.value for offer in made if offer.path == one.path and offer in turn.slot(one).offers)


def _listed(turn: Context, one: Profile) -> list[Json]:
    """The values of a slot in the last sentence of the assistant that names any, or in the last ones that name one
    each; none where it stays open which they are.
    """
    lists: list[list[Json]] = []
    for span in reversed(turn.assistant.sentences):
        words = Words(turn.assistant.original(span))
        sightings = Sightings(words, turn)
        readings = _readings(one, words, sightings, turn)
        if any(len(options) > 1 for options in readings) and not _is_round_the_clock(words, sightings):
            return []
        if not readings and lists:
            break
        lists += [[options[0] for options in readings]] if readings else []
    clear = len(lists) == 1 or all(len(values) == 1 for values in lists)
    return _distinct(value for values in reversed(lists) for value in values) if clear else []


def _is_round_the_clock(words: Words, sightings: Sightings) -> bool:
    """Whether hours are counted up to 24, so that each time has one reading."""
    return any(_LATE_HOUR.match(words.text, sighting.span[0]) is not None for sighting in sightings.of("time"))


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
    return _distinct(options[0] for options in _readings(one, words, sightings, turn))


def _readings(one: Profile, words: Words, sightings: Sightings, turn: Context) -> list[tuple[Json, ...]]:
    """The readings of each value of the slot in the stretch. Numbers may be meant because their alternative is."""
    if one.kind == "categorical":
        return [(value,) for _, value in sorted(named_spans(one.spec, words.text))]
    name = family(one.kind)
    seen = sightings.of(name) if name else []
    meant = [sighting for sighting in seen if _is_meant(one, sighting, words)]
    meant = [
        sighting
        for sighting in seen
        if sighting in meant or any(alternatives(words.plain, sighting.span, other.span) for other in meant)
    ]
    readings = [accepted(one, sighting.values, turn) for sighting in meant]
    return [options for options in readings if options]


def _distinct(values: Iterable[Json]) -> list[Json]:
    kept: list[Json] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept

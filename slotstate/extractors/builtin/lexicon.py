"""What the built-in extractor needs to know of a language beside the finders' table: one `Lexicon` each.

Fragments are regular expressions over folded text (NFKC, casefolded, single spaces) without unbounded repetition; in
cues, `<` stands for the start of a clause and `>` for its end, as in the finders' tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from slotstate.extractors.builtin.telling import Telling
from slotstate.parsing.language import Cue

FAMILIES: Final[Mapping[str, str]] = {
    "origin": "place",
    "destination": "place",
    "place": "place",
    "venue": "place",
    "region": "place",
    "address": "place",
    "recipient": "person",
    "name": "person",
    "code": "text",
    "note": "text",
    "start": "side",
    "end": "side",
    "min": "bound",
    "max": "bound",
    "first": "order",
    "second": "order",
    "people": "count",
    "adults": "count",
    "children": "count",
    "nights": "count",
    "days": "count",
    "hours": "count",
    "rooms": "count",
    "tickets": "count",
    "bags": "count",
    "pulse": "count",
    "weeks": "count",
    "months": "count",
    "years": "count",
    "minutes": "count",
    "stars": "count",
    "rating": "count",
    "age": "count",
    "degrees": "count",
    "price": "price",
    "past": "past",
    "birth": "past",
    "confirmation": "confirmation",
}
"""What a slot may be about, and the family within which a slot is about one thing."""

LOW: Final = frozenset({"start", "min", "first", "origin"})
"""Concepts that take the first value of a range."""
HIGH: Final = frozenset({"end", "max", "second", "destination"})
"""Concepts that take the second value of a range."""


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    """How a language speaks of a concept: words in a slot's declaration (`slots`, literal), and fragments right before
    and right after a value in what the user says.
    """

    slots: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


_NOTHING: Final = Cue(())

Extreme = Literal["earliest", "latest", "cheapest", "dearest"]
"""Which end of offered values a comparison points at."""
Part = Literal["all", "first", "last", "some"]
"""Which part of a list is meant."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Everything language-specific that the built-in extractor reads. A third language is one more table.

    `gap` may stand between a cue and its value, `unit_gap` between a value and its unit, `between` between a value
    and the words that introduce it, `copula` between a slot's name and its value. `lone_after` follows a number that
    is no measure of anything; `lone_not_before` precedes one that names instead of counting, `hour_before` one that
    tells the hour. `lead_ins`, `tails` and `edges` fall away around an answer; `joins` part the items of a list,
    before which `item_leads` say no more than that there is one. `name_stop` are words that no name holds,
    `name_links` small words inside names, `name_end` what ends one, `motion` what lets a name be in lower case,
    `not_before_name` what makes a cue mean something else, `weak` words that name no option by themselves, `timing`
    those that stand before any date or time. `ellipsis` asks the last question again for another `value`; `shifts`
    move a date that is known by so many days; `measures` are units at the end of a slot's name, `counters` what a
    name or unit says beside the thing counted; `features` are words for yes/no slots; `opposites` pairs options;
    `pair_joins` part two numbers said as a pair. Where `described`, a description of a few letters is the slot's name
    in this language.

    Where a script has no spaces, `no_name` is found in what names nothing: a choice among several, a wish for another
    one, words that introduce what is not said yet. `titles` follow the names of persons that go by them, after a
    `surname`. Words of `wishing` stand right before what is wished for, `wished` ends the words before a known name
    that is, `not_wished` starts those behind one that is only spoken of. `inserted` may part a verb and its object in
    the name of a domain. `has_none` says that a list, by its NAME, is to hold nothing.

    `extra` stands before a number that is added or (`less`) taken off, `part_of` before (and `part_does` behind) one
    that is a part of the whole; `other_cost` before an amount for something else. Over a confirmed value, `wishes` are
    words of change or of a wish, and `small` words may stand beside a value that is all that a clause says. Words of
    `unchanging` refuse a change to the value right behind them. `house` is a number behind the name of a street.

    What only looks like a value: `verdict` judges or points instead of naming ("is fine", "the former"), `idle` is
    the whole of an answer that names no place or person, `turned_down` starts one that refuses a value; `no_way`
    stands before a cue of direction that is none, `no_place` behind one that leads to no place; `age` starts what
    tells an age behind a name; `other_sense` stands behind an option's word that means something else, or is found
    wanting; `kinds_of_place` are places that a slot for venues of another kind does not take; `fillers` are words that
    say nothing, of which a whole turn may consist.

    Words of `hypothetical`, `elsewhere` and `past` (what once was or others did) close the rest of their
    sentence, up to words of `returning`, by which users come back to what they want. `judging` covers what a
    question asks an opinion on ("is Bergen far?"), `passed` who or what cannot be had, with the words that say so
    ("Dr Smith is fully booked"), `ages` a number that tells how old someone is ("he is two").

    `spread` stands between two values of which the user means either ("35 to 45"), `spread_after` before the first one
    where what joins them does not say it alone ("between 2 and 4"). A number behind `more_before`, or before
    `more_after`, is added to another one or taken off it ("5 more", "by £200"); before `part_after` it counts some of
    those that are spoken of ("10 of them"). A value behind `swapped` and before `swapped_after` is the old one
    ("swap it for another"). `kind_names` are common words for slots of a kind.
    `middle` points at the one in the middle of what is offered.

    Over a confirmed value, `changing` are words by which users change it or wish for something, `stating` is what
    right before a value says that it is one ("it is on", "there will be"), and `chatter` are words that may stand
    beside a value which is all that a sentence says; `telling` wishes for no change.

    `taking` are words by which a user takes what is spoken of, `accepting` weaker ones that find it right.
    `contrasts` are whole turns with one `value` in place of the `old` one, between which `not` may stand; `picked`
    stands behind an ordinal that picks one of several things, and `compared` are whole turns that pick one of the
    offered values by comparing them. `quantities` are whole turns that say how many of a list are meant: the group `n`
    counts them, `both` counts two. `paying` may stand around a number that is an amount.
    """

    code: str
    spaced: bool
    concepts: Mapping[str, Concept]
    gap: str
    unit_gap: str
    copula: str
    lone_after: str
    lone_not_before: str
    lead_ins: tuple[str, ...]
    tails: tuple[str, ...]
    edges: frozenset[str]
    empty: Cue
    hypothetical: Cue
    elsewhere: Cue
    soft_question: Cue
    polite: Cue
    check_question: Cue
    closing_question: Cue
    pointing: Cue
    taking: Cue
    wants: Cue
    adds: Cue
    joins: str
    between: str
    name_stop: frozenset[str]
    name_links: frozenset[str]
    calendar_words: frozenset[str]
    name_end: str
    motion: str
    not_before_name: str
    not_in_name: str
    determiners: frozenset[str]
    articles: tuple[str, ...]
    asks_for: str
    range_joins: tuple[str, ...]
    spread: str = "(?!)"
    spread_after: str = "(?!)"
    timing: frozenset[str] = frozenset()
    middle: str = "(?!)"
    kind_names: Mapping[str, str] = field(default_factory=dict[str, str])
    swapped: str = "(?!)"
    swapped_after: str = "(?!)"
    more_before: str = "(?!)"
    more_after: str = "(?!)"
    part_after: str = "(?!)"
    weak: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    question_kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    price_question: str = "(?!)"
    hour_before: str = "(?!)"
    ellipsis: str = "(?!)"
    year_question: str = "(?!)"
    shifts: Mapping[str, int] = field(default_factory=dict[str, int])
    small_talk: Cue = _NOTHING
    past: Cue = _NOTHING
    returning: Cue = _NOTHING
    judging: Cue = _NOTHING
    passed: Cue = _NOTHING
    changing: Cue = _NOTHING
    stating: str = "(?!)"
    chatter: frozenset[str] = frozenset()
    telling: Telling = field(default_factory=Telling)
    ages: Cue = _NOTHING
    colours: frozenset[str] = frozenset()
    colour_slots: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()
    counters: tuple[str, ...] = ()
    features: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    counter: str = ""
    vocative: str = "(?!)"
    opposites: Mapping[str, str] = field(default_factory=dict[str, str])
    pair_joins: str = "(?!)"
    described: bool = False
    accepting: Cue = _NOTHING
    quantities: Mapping[Part, str] = field(default_factory=dict[Part, str])
    paying: str = "(?!)"
    verdict: str = "(?!)"
    idle: str = "(?!)"
    turned_down: str = "(?!)"
    no_way: str = "(?!)"
    no_place: str = "(?!)"
    kinds_of_place: str = "(?!)"
    age: str = "(?!)"
    other_sense: str = "(?!)"
    contrasts: tuple[str, ...] = ()
    fillers: str = "(?!)"
    picked: str = "(?!)"
    item_leads: str = "(?!)"
    no_name: str = "(?!)"
    titles: tuple[str, ...] = ()
    surname: str = "(?!)"
    inserted: str = ""
    wishes: Cue = _NOTHING
    small: str = "(?!)"
    unchanging: str = "(?!)"
    house: str = "(?!)"
    has_none: str = "(?!)"
    wishing: str = "(?!)"
    wished: str = "(?!)"
    not_wished: str = "(?!)"
    extra: str = "(?!)"
    part_of: str = "(?!)"
    part_does: str = "(?!)"
    other_cost: str = "(?!)"
    compared: Mapping[Extreme, str] = field(default_factory=dict[Extreme, str])

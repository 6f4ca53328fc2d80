"""What the models are told of words: years, options, none of something, words near a value, what a slot is about."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from slotstate import Slot
from slotstate.domains import compile_domain
from slotstate.extractors.builtin.learned.lefts import slot_features
from slotstate.extractors.builtin.learned.looking import stretches
from slotstate.extractors.builtin.learned.modelfile import read
from slotstate.extractors.builtin.learned.nearness import (
    are_alike,
    named_at,
    nearness,
    sorts_of,
    told_of,
    topical,
    words_of,
)
from slotstate.extractors.builtin.learned.tagger import Stretch
from slotstate.extractors.builtin.learned.tokens import tokenize
from slotstate.extractors.builtin.learned.words import (
    is_without,
    met_in,
    option_match,
    singles_of,
    stands_exactly,
    stems_of,
    years_told,
)


class Film(BaseModel):
    """Watch a film at home."""

    title: str | None = None
    starring: Annotated[str | None, Field(description="An actor of the film"), Slot()] = None
    director: Annotated[str | None, Field(description="Who made it"), Slot()] = None
    subtitles: Literal["None", "English"] | None = None
    from_city: str | None = None
    leaving_date: date | None = None
    number_of_seats: int | None = None
    party_size: int | None = None


SPECS = compile_domain(Film).slots


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("something from seven years ago", {"2017"}),
        ("a song of 12 years back", {"2012"}),
        ("last year's songs", {"2023"}),
        ("this year or the previous year", {"2024", "2023"}),
        ("anything from '14", {"2014"}),
        ("a tune of \u201987", {"1987"}),
        ("it is 1999", set()),
        ("9999999 years ago", set()),
        ("years ago", set()),
    ],
)
def test_years_are_told_by_how_long_ago_they_are(text: str, years: set[str]) -> None:
    assert years_told(text, 2024) == years


@given(st.text(max_size=200))
def test_any_text_tells_plausible_years_or_none(text: str) -> None:
    assert all(1 <= int(year) <= 2034 for year in years_told(text, 2024))


@pytest.mark.parametrize(
    ("option", "text", "stands"),
    [
        ("checking", "check my balance", False),
        ("checking", "from my checking account", True),
        ("Night club", "any night clubs near me", True),
        ("2", "a table for two", True),
        ("", "anything", False),
    ],
)
def test_an_option_stands_in_a_text_word_for_word_plurals_aside(option: str, text: str, stands: bool) -> None:
    assert stands_exactly(option, singles_of(text)) is stands


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("with no subtitles please", True),
        ("without any subtitles", True),
        ("with subtitles", False),
        ("no, thanks", False),
    ],
)
def test_none_of_something(text: str, none: bool) -> None:
    assert is_without(stems_of(text), ("subtitl",)) is none


def near(text: str, value: str, name: str) -> float:
    """How near `value` stands in the text to the words of slot `name`."""
    specs = tuple(SPECS.values())
    start = text.index(value)
    tokens = tokenize(text)
    inside = [place for place, token in enumerate(tokens) if start <= token.start < start + len(value)]
    one = Stretch(inside[0], inside[-1] + 1, start, start + len(value), "name")
    found = nearness([(text, one)], words_of(specs), len(specs))[0]
    return float(found[list(SPECS).index(name)])


def test_words_beside_a_value_tell_of_slots_that_were_never_seen() -> None:
    text = "something directed by Ana Lund with Max Orr in the cast"
    assert near(text, "Ana Lund", "director") > near(text, "Ana Lund", "starring")
    assert near(text, "Max Orr", "starring") > near(text, "Max Orr", "director")
    assert near("I like the cast. Max Orr is fine", "Max Orr", "starring") == 0, "another sentence"


def test_what_a_slot_is_about() -> None:
    assert sorts_of(SPECS["from_city"]) == {"origin", "place"}
    assert sorts_of(SPECS["leaving_date"]) == {"date", "origin"}
    assert sorts_of(SPECS["party_size"]) == {"count"}
    assert sorts_of(SPECS["title"]) == {"name"}


def test_values_go_over_to_slots_about_the_same() -> None:
    assert are_alike("hotel.destination", SPECS["from_city"])
    assert are_alike("bus.travelers", SPECS["party_size"])
    assert not are_alike("hotel.check_in_date", SPECS["from_city"])
    assert not are_alike("hotel.hotel_name", SPECS["title"]), "names are of one thing"


def test_a_slot_is_told_of_by_other_words_for_it() -> None:
    assert told_of(SPECS["starring"], "who acts in it?") == 1
    assert told_of(SPECS["starring"], "who made it?") == 0


class Hotel(BaseModel):
    """Hotels and other places to sleep."""

    name: str | None = None


class Train(BaseModel):
    """Trains from the city."""

    destination: str | None = None


DOMAINS = (compile_domain(Hotel), compile_domain(Train))


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("moderate", "something moderately priced"),
        ("centre", "in the center of town"),
        ("theatre", "Are there theaters?"),
        ("grey", "in grey"),
        ("guest house", "a guesthouse would do"),
        ("harbour", "near the harbor"),
    ],
)
def test_options_are_met_in_other_spellings(option: str, text: str) -> None:
    words = met_in(text)
    assert option_match(option, words, frozenset(words)) == 1.0


@pytest.mark.parametrize(("option", "text"), [("guest house", "a house"), ("moderate", "modern"), ("early", "an ear")])
def test_other_words_are_no_options(option: str, text: str) -> None:
    words = met_in(text)
    assert option_match(option, words, frozenset(words)) < 1.0


@pytest.mark.parametrize(
    ("text", "most"),
    [("I need somewhere to stay tonight", 0), ("which railway goes there?", 1), ("the train, please", 1)],
)
def test_a_turn_is_about_what_its_words_stand_for(text: str, most: int) -> None:
    found = topical(DOMAINS, text)
    assert found[most] > found[1 - most]


def test_a_turn_that_names_nothing_is_about_nothing() -> None:
    assert topical(DOMAINS, "yes, that sounds good") == [0.0, 0.0]


def test_what_is_in_several_domains_tells_less_of_each() -> None:
    alone, beside = topical(DOMAINS[:1], "a hotel"), topical((DOMAINS[0], DOMAINS[0]), "a hotel")
    assert beside == [alone[0] / 2, alone[0] / 2]


def test_a_domain_is_named_where_words_stand_for_it() -> None:
    text = "a taxi from the museum to that inn"
    (one,) = named_at(text, "Hotels_2")
    assert text[one.start : one.end] == "inn"
    assert named_at(text, "Banks_1") == ()


def test_names_are_seen_by_their_capitals_and_parts_by_the_marks_between_them() -> None:
    tagger = read()[0].tagger
    text = "Is the Crown and Anchor Inn good? Please tell me. I saw Zbrinxel there"
    found = {text[one.start : one.end] for one in stretches(tagger, text, "u", ())}
    assert {"Crown and Anchor Inn", "Zbrinxel"} <= found
    assert not {"Is", "Please", "I"} & found


@given(st.text(max_size=60))
def test_stretches_lie_in_their_text(text: str) -> None:
    for one in stretches(read()[0].tagger, text, "u", ()):
        assert 0 <= one.start < one.end <= len(text)
        assert one.first < one.last


def declared(name: str, description: str) -> frozenset[str]:
    """The sorts of a slot that is declared so."""
    model = create_model("Errand", **{name: (str | None, Field(None, description=description))})  # type: ignore[call-overload]
    return sorts_of(compile_domain(model).slots[name])


@pytest.mark.parametrize(
    ("name", "description", "sorts"),
    [
        ("days_to_stay", "", {"count"}),
        ("amount_to_send", "", {"amount"}),
        ("amount_of_guests", "", {"count"}),
        ("to_city", "", {"destination", "place"}),
        ("going_to", "", {"destination"}),
        ("name_of_town", "", {"place"}),
        ("city_name", "", {"place"}),
        ("inn_name", "", {"name"}),
        ("name_of_station", "", {"name"}),
        ("place", "The name of the inn", {"name"}),
        ("place", "The name of the town or region of the inn", {"place"}),
        ("pickup_spot", "", {"place"}),
        ("stay", "How many nights to book", {"count"}),
    ],
)
def test_a_slot_in_other_words_is_of_the_same_sort(name: str, description: str, sorts: set[str]) -> None:
    assert declared(name, description) == sorts


def test_slots_share_features_where_their_names_stand_for_the_same() -> None:
    def sense(name: str) -> set[str]:
        model = create_model("Errand", **{name: (str | None, None)})  # type: ignore[call-overload]
        return {one for one in slot_features(compile_domain(model).slots[name]) if one.startswith("n~")}

    assert sense("guests") & sense("number_of_people")
    assert not sense("guests") & sense("director")

"""What is ruled out, told of others or only asked about fills nothing; corrections and lists that the rules read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Money, Phone, Slot, Tracker
from slotstate.extract import Extractor
from slotstate.extractors.builtin import BuiltinExtractor, RulesExtractor
from tests.extractors.builtin.scene import NOW, held


class Visit(BaseModel):
    """An appointment at a clinic."""

    doctor: Annotated[
        Literal["Smith", "Patel", "Jones"] | None,
        Slot(
            ask="Which doctor?",
            aliases={"Smith": ["王医生"], "Patel": ["李医生"], "Jones": ["张医生"]},
            dont_care=True,
        ),
    ] = None
    age: Annotated[int | None, Slot(ask="How old is the patient?")] = None
    budget: Annotated[Money | None, Slot(ask="What may it cost?", cues=["预算"])] = None
    phone: Annotated[Phone | None, Slot(ask="Your phone number?", cues=["电话"])] = None
    symptoms: Annotated[list[str], Slot(ask="Any symptoms?", cues=["症状"])] = []


class Trip(BaseModel):
    """Plan a trip by train or plane."""

    origin: Annotated[str, Slot(ask="Where do you leave from?", cues=["from"])]
    destination: Annotated[str, Slot(ask="Where to?")]
    seat: Annotated[Literal["second", "first"] | None, Slot(aliases={"first": ["first class"]})] = None
    people: Annotated[int | None, Field(ge=1, le=9), Slot(ask="How many people?")] = None


class Town(BaseModel):
    """A town to go to."""

    city: Annotated[str, Slot(ask="您想去哪个城市？", cues=["城市"])]


EXTRACTORS: dict[str, Extractor] = {"rules": RulesExtractor(), "builtin": BuiltinExtractor()}


@pytest.fixture(params=EXTRACTORS)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return EXTRACTORS[str(request.param)]


def heard(extractor: Extractor, domain: type[BaseModel], text: str, asks: str | None = None, **holding: Any) -> Chat:
    """The conversation after `text`, with confirmed values before it and a question about the slot `asks`."""
    chat = Tracker(domain, extractor=extractor, clock=lambda: NOW).open("test")
    name = next(iter(chat.state))
    for slot, value in holding.items():
        chat.set(f"{name}.{slot}", value, confirmed=True)
    if asks is not None:
        question = domain.model_fields[asks].metadata[-1].ask
        chat.assistant(question, asks=[f"{name}.{asks}"])
    chat.user(text)
    return chat


@pytest.mark.parametrize(
    "text",
    [
        "anyone but Dr Smith",
        "not Dr Smith please",
        "don't give me Dr. Smith",
        "never again Dr Smith",
        "I don't want to see Smith",
        "Smith is not an option",
        "别给我安排王医生",
        "不想看王医生",
        "除了王医生都行",
        "王医生除外",
    ],
)
def test_what_is_ruled_out_is_excluded_and_the_rest_stays(extractor: Extractor, text: str) -> None:
    view = heard(extractor, Visit, text, doctor="Patel").state["visit"]["doctor"]
    assert (view.value, view.status, list(view.excluded)) == ("Patel", "confirmed", ["Smith"])
    assert held(heard(extractor, Visit, text)).get("doctor") in {None, "dontcare"}


def test_a_value_ruled_out_makes_room_for_the_one_beside_it(extractor: Extractor) -> None:
    for text in ("not Dr Jones, Dr Smith", "Dr Smith, not Dr Jones", "不是张医生,是王医生"):
        view = heard(extractor, Visit, text, doctor="Patel").state["visit"]["doctor"]
        assert (view.value, list(view.excluded)) == ("Smith", ["Jones"]), text


def test_a_question_rules_nothing_out(extractor: Extractor) -> None:
    for text in ("isn't Smith there?", "Is there no Dr Smith?", "不是王医生吗"):
        view = heard(extractor, Visit, text, doctor="Patel").state["visit"]["doctor"]
        assert (view.value, list(view.excluded)) == ("Patel", []), text


def test_a_place_that_is_given_up_empties_its_slot(extractor: Extractor) -> None:
    text = "we are not leaving from York"
    assert held(heard(extractor, Trip, text, origin="York", destination="Bergen")) == {"destination": "Bergen"}


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Visit, "my friend had Dr Jones"),
        (Visit, "my sister always sees Dr Jones"),
        (Visit, "Dr Jones saw him last time"),
        (Visit, "I had Dr Jones before"),
        (Visit, "我朋友看过张医生"),
        (Visit, "我妈妈一直看张医生"),
        (Trip, "we once went from Oslo to Rome"),
        (Trip, "we stayed in Oslo last year"),
        (Town, "我妹妹住在巴黎"),
        (Town, "我表哥在巴黎读书"),
        (Trip, "Is first class worth it?"),
        (Trip, "Is Bergen far?"),
        (Trip, "Is Bergen far from York?"),
        (Trip, "How far is Bergen?"),
        (Trip, "Does first class cost more?"),
        (Visit, "Is Dr Smith good?"),
        (Visit, "王医生靠谱吗"),
        (Town, "巴黎离这里远吗"),
        (Trip, "he is two"),
        (Trip, "my son is 3 now"),
    ],
)
def test_what_is_told_of_others_or_asked_about_fills_nothing(
    extractor: Extractor, domain: type[BaseModel], text: str
) -> None:
    assert held(heard(extractor, domain, text)) == {}


@pytest.mark.parametrize(
    ("domain", "text", "expected"),
    [
        (Trip, "Can we go to Bergen?", {"destination": "Bergen"}),
        (Trip, "we went to Oslo but now we want to go to Rome", {"destination": "Rome"}),
        (Trip, "we were in Oslo and would like to go to Rome", {"destination": "Rome"}),
        (Visit, "以前看过王医生,这次想看张医生", {"doctor": "Jones"}),
        (Visit, "我女儿要看王医生", {"doctor": "Smith"}),
        (Trip, "we are two", {"people": 2}),
        (Town, "能去巴黎吗", {"city": "巴黎"}),
    ],
)
def test_what_only_sounds_like_it_fills(
    extractor: Extractor, domain: type[BaseModel], text: str, expected: dict[str, Any]
) -> None:
    assert held(heard(extractor, domain, text)) == expected


def test_a_day_that_is_asked_about_is_proposed(extractor: Extractor) -> None:
    class Viewing(BaseModel):
        """A visit to a flat."""

        day: Annotated[date, Slot(ask="Which day?")]

    assert held(heard(extractor, Viewing, "Is Monday next week good?")) == {"day": "2024-05-20"}


def test_an_age_counts_nobody_and_tells_an_age(extractor: Extractor) -> None:
    assert held(heard(extractor, Trip, "he is two", asks="people")) == {}
    assert held(heard(extractor, Visit, "he is two", asks="age")) == {"age": 2}
    assert held(heard(extractor, Trip, "there are two of us", asks="people")) == {"people": 2}


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("symptoms: cough, fever", ["cough", "fever"]),
        ("the symptoms are cough and fever", ["cough", "fever"]),
        ("a cough and a runny nose", ["cough", "runny nose"]),
        ("he has a cough and some redness", ["cough", "redness"]),
        ("cough, fever", ["cough", "fever"]),
        ("症状是发烧和咳嗽", ["发烧", "咳嗽"]),
        ("我发烧,咳嗽", ["发烧", "咳嗽"]),
        ("头疼", ["头疼"]),
    ],
)
def test_a_list_takes_its_items_alone(extractor: Extractor, text: str, items: Sequence[str]) -> None:
    assert held(heard(extractor, Visit, text, asks="symptoms")) == {"symptoms": items}


@pytest.mark.parametrize("text", ["电话13812345678", "预算两百块以内", "还是看李医生吧", "Budget about 80 pounds"])
def test_words_about_another_slot_are_no_items(extractor: Extractor, text: str) -> None:
    found = held(heard(extractor, Visit, text, asks="symptoms"))
    assert len(found) == 1
    assert "symptoms" not in found


@pytest.mark.parametrize(
    ("text", "destination"),
    [
        ("change Bergen to Stavanger", "Stavanger"),
        ("can you change Bergen to Stavanger please?", "Stavanger"),
        ("replace Bergen with Stavanger", "Stavanger"),
        ("swap Bergen for Stavanger", "Stavanger"),
        ("scratch that, Oslo", "Oslo"),
        ("forget Bergen", None),
        ("forget about Bergen", None),
        ("scratch Bergen", None),
        ("don't forget Bergen", "Bergen"),
    ],
)
def test_corrections(extractor: Extractor, text: str, destination: str | None) -> None:
    found = held(heard(extractor, Trip, text, origin="York", destination="Bergen"))
    assert found == {"origin": "York", **({"destination": destination} if destination else {})}


def test_scratch_that_takes_the_last_turn_back(extractor: Extractor) -> None:
    chat = Tracker(Trip, extractor=extractor, clock=lambda: NOW).open("test")
    for text in ("from York to Bergen", "no, to Oslo", "scratch that"):
        chat.user(text)
    assert held(chat) == {"origin": "York", "destination": "Bergen"}


def test_one_city_in_place_of_another_in_chinese(extractor: Extractor) -> None:
    for text in ("把北京改成南京", "北京换成南京吧"):
        assert held(heard(extractor, Town, text, city="北京")) == {"city": "南京"}


def test_an_offer_declined_for_something_else(extractor: Extractor) -> None:
    for text in ("no thanks, rather Oslo", "no thanks, Oslo"):
        chat = Tracker(Trip, extractor=extractor, clock=lambda: NOW).open("test")
        chat.assistant("How about Bergen?", asks=["trip.destination"], offers={"trip.destination": ["Bergen"]})
        chat.user(text)
        assert held(chat) == {"destination": "Oslo"}


@pytest.mark.parametrize(
    "text",
    [
        "Dr Smith is too busy, Dr Jones then",
        "Smith is fully booked, so Jones",
        "Smith isn't available. Dr Jones please",
        "Smith is on holiday, let's take Jones",
        "Smith has no appointments left, Jones is fine",
        "王医生太忙了,张医生吧",
        "王医生约满了，那就张医生",
        "王医生没空，张医生也可以",
    ],
)
def test_who_cannot_be_had_makes_room_for_the_one_named_instead(extractor: Extractor, text: str) -> None:
    for holding in ({}, {"doctor": "Smith"}, {"doctor": "Patel"}):
        for asks in (None, "doctor"):
            view = heard(extractor, Visit, text, asks, **holding).state["visit"]["doctor"]
            assert (view.value, list(view.excluded)) == ("Jones", []), (holding, asks)


@pytest.mark.parametrize(
    "text", ["Dr Smith is too busy", "Smith is fully booked today", "王医生太忙了", "王医生没号了"]
)
def test_who_cannot_be_had_fills_nothing_and_takes_nothing_away(extractor: Extractor, text: str) -> None:
    assert "doctor" not in held(heard(extractor, Visit, text, "doctor"))
    view = heard(extractor, Visit, text, doctor="Smith").state["visit"]["doctor"]
    assert (view.value, view.status, list(view.excluded)) == ("Smith", "confirmed", [])


@pytest.mark.parametrize(
    ("domain", "asks", "text", "found"),
    [
        (Town, "city", "北京太远了,南京吧", {"city": "南京"}),
        (Town, "city", "北京没票了，换成南京", {"city": "南京"}),
        (Trip, "destination", "Oslo is too far, so Bergen", {"destination": "Bergen"}),
        (Trip, "destination", "Oslo is sold out, Bergen then", {"destination": "Bergen"}),
        (Trip, "destination", "Oslo is too expensive, let's go to Bergen", {"destination": "Bergen"}),
        (Trip, "destination", "Oslo", {"destination": "Oslo"}),
        (Visit, None, "I'd like Dr Jones since Smith is fully booked", {"doctor": "Jones"}),
        (Visit, None, "Dr Jones, if he is not too busy", {"doctor": "Jones"}),
    ],
)
def test_a_place_that_cannot_be_had_makes_room_for_another(
    extractor: Extractor, domain: type[BaseModel], asks: str | None, text: str, found: dict[str, Any]
) -> None:
    assert held(heard(extractor, domain, text, asks)) == found

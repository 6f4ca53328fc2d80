"""What the models add to the rules, and what they leave alone."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import BaseModel, Field, create_model

from slotstate import Chat, InputError, Slot, Tracker
from slotstate.errors import UnknownPath
from slotstate.extract import Extraction, Request
from slotstate.extractors import make_extractor
from slotstate.extractors.builtin import BuiltinExtractor, RulesExtractor
from slotstate.extractors.builtin.learned import reader
from slotstate.extractors.builtin.learned.known import Candidate
from slotstate.extractors.builtin.learned.rivals import second_rows
from slotstate.extractors.builtin.learned.view import View


class Restaurant(BaseModel):
    """Find a restaurant and book a table."""

    restaurant_name: Annotated[str, Field(description="Name of the restaurant"), Slot()]
    city: Annotated[str, Field(description="City of the restaurant"), Slot()]
    phone_number: Annotated[str | None, Field(description="Phone number"), Slot(evidence="tool")] = None
    price: Annotated[Literal["cheap", "moderate", "expensive"] | None, Slot(dont_care=True)] = None


class Ride(BaseModel):
    """Order a ride in a cab."""

    destination: Annotated[str, Field(description="Where the ride goes"), Slot()]
    shared_ride: Annotated[bool | None, Field(description="Whether to share the ride"), Slot()] = None


class Seen:
    """The extractor, with what it was last shown and what it made of it."""

    def __init__(self) -> None:
        self.inner = BuiltinExtractor()
        self.request: Request | None = None
        self.read = Extraction()

    def extract(self, request: Request) -> Extraction:
        self.request, self.read = request, self.inner.extract(request)
        return self.read

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


def played(
    lines: Sequence[str], extractor: Seen | None = None, domains: Sequence[type[BaseModel]] = (Restaurant, Ride)
) -> Chat:
    chat = Tracker(list(domains), extractor=extractor or Seen()).open("s")
    for line in lines:
        chat.assistant(line[2:].strip()) if line.startswith("A:") else chat.user(line)
    return chat


OFFERED = [
    "find me a restaurant in San Jose",
    "A: I found 10 restaurants. How about Pepper Garden? It is a nice place.",
    "what is their phone number?",
    "A: Their phone number is 408-555-0199.",
]


def test_what_was_offered_turns_before_stays_open_and_can_be_taken_up() -> None:
    chat = played(OFFERED)
    assert [one.value for one in chat.state["restaurant"]["restaurant_name"].offers] == ["Pepper Garden"]
    chat.user("Great, that one sounds good. Book it.")
    name = chat.state["restaurant"]["restaurant_name"]
    assert (name.value, name.source, name.grade) == ("Pepper Garden", "offer", "accepted")


def test_what_was_refused_is_no_offer_any_more() -> None:
    chat = played([*OFFERED[:2], "No, not that one."])
    assert chat.state["restaurant"]["restaurant_name"].offers == []


def test_asking_about_an_offer_takes_nothing_up() -> None:
    assert played(OFFERED).state["restaurant"]["restaurant_name"].status == "empty"


def test_what_the_assistant_said_before_is_shown_and_bounded() -> None:
    seen = Seen()
    lines = [part for number in range(14) for part in (f"A: {'x' * 900} end {number}", "fine")]
    played(lines, seen)
    assert seen.request is not None
    assert len(seen.request.earlier) == 10
    assert [text[-6:] for text in seen.request.earlier[-2:]] == ["end 11", "end 12"]
    assert max(map(len, seen.request.earlier)) == 500


def test_every_change_and_turn_has_a_confidence() -> None:
    seen = Seen()
    played([*OFFERED, "Great, that one sounds good."], seen)
    assert seen.read.confidence is not None
    assert 0 < seen.read.confidence <= 1
    assert [change for change in seen.read.changes if change.confidence is not None]


def test_the_caller_says_which_domain_a_turn_is_about() -> None:
    seen = Seen()
    chat = Tracker([Restaurant, Ride], extractor=seen).open("s")
    chat.user("I need a cab to 12 Main Street please", domains=["ride"])
    assert seen.request is not None
    assert list(seen.request.domains) == ["ride"]
    chat.user("something cheap", domains="restaurant")
    assert list(seen.request.domains) == ["restaurant"]
    assert chat.state["ride"]["destination"].status == "filled"
    with pytest.raises(UnknownPath):
        chat.user("and now?", domains=["rides"])


CHINESE = ["我想找一家便宜的餐厅", "A: 您想去哪个城市？", "上海", "不对，是南京", "不要便宜的"]


def test_chinese_is_read_by_the_rules_alone() -> None:
    class Both:
        def extract(self, request: Request) -> Extraction:
            ours, rules = BuiltinExtractor().extract(request), RulesExtractor().extract(request)
            assert ours.changes == rules.changes
            return ours

        async def aextract(self, request: Request) -> Extraction:
            return self.extract(request)

    chat = Tracker([Restaurant], extractor=Both()).open("s")
    for line in CHINESE:
        if line.startswith("A:"):
            chat.assistant(line[2:])
        else:
            assert chat.user(line).extraction == "ok"


ODD = [
    "",
    " ",
    "?",
    "\u200b",
    "🎉" * 50,
    "{{ x }}" * 40,
    "a" * 8_000,
    "the " * 2_000,
    "\n".join("1. x" for _ in range(500)),
    "é\u0301" * 99,
]


@pytest.mark.parametrize("text", ODD)
def test_odd_turns_break_nothing(text: str) -> None:
    chat = played(["A: " + text, text, "to Oslo", "A: " + text, text])
    assert chat.state["restaurant"]["phone_number"].status == "empty"


def test_the_same_turn_is_read_the_same_way() -> None:
    rng = random.Random(4)
    words = "yes no to Oslo a cheap one that book it 3 people on friday there, please ? shared".split()
    for _ in range(25):
        lines = [*OFFERED, *(" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(3))]
        first, second = Seen(), Seen()
        played(lines, first)
        played(lines, second)
        assert first.read == second.read


def test_the_rules_stay_within_reach() -> None:
    assert isinstance(make_extractor("builtin:rules"), RulesExtractor)
    assert isinstance(make_extractor("builtin"), BuiltinExtractor)
    with pytest.raises(InputError, match="cannot read the model file"):
        make_extractor("builtin:nowhere.slotmodel")


class Journey(BaseModel):
    """Book a train."""

    origin: str
    destination: str
    people: int | None = None


@pytest.mark.parametrize(
    "text", ["I want to go from York to Leeds", "3 people from York to Leeds", "a ticket from york to leeds, please"]
)
def test_where_the_rules_read_two_slots_one_text_does_not_take_both(text: str) -> None:
    held = played([text], domains=[Journey]).state["journey"]
    assert (held["origin"].value.title(), held["destination"].value.title()) == ("York", "Leeds")


def wide(slots: int) -> type[BaseModel]:
    told = {
        f"slot_{at}": (Annotated[str | None, Slot(ask=f"What is thing {at}?", cues=[f"thing {at}"])], None)
        for at in range(slots)
    }
    return create_model("Wide", **cast(Any, told))


def test_many_values_for_many_slots_are_read_from_a_bounded_number_of_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def counted(view: View, candidates: Sequence[Candidate], rows: Any, scores: Any) -> Any:
        sizes.append(len(candidates))
        return second_rows(view, candidates, rows, scores)

    monkeypatch.setattr(reader, "second_rows", counted)
    text = " and ".join(f"thing {at} is Value{at}" for at in range(60))
    chat = played([text, "what else?"], None, [wide(120)])
    held = [chat.state["wide"][f"slot_{at}"].value or "" for at in range(60)]
    assert sum(value.startswith(f"Value{at}") for at, value in enumerate(held)) >= 55
    assert sizes
    assert max(sizes) <= reader.MAX_BESIDE


def test_the_callers_loop_goes_on_while_a_turn_is_read() -> None:
    where: list[int] = []

    class Watched(BuiltinExtractor):
        def extract(self, request: Request) -> Extraction:
            where.append(threading.get_ident())
            return super().extract(request)

    chat = Tracker(Ride, extractor=Watched()).open("s")
    asyncio.run(chat.auser("a cab to 12 Main Street please"))
    chat.user("thanks")
    assert [ident == threading.get_ident() for ident in where] == [False, True]

"""What adapting learns of exported sessions: what somebody confirmed, and nothing of what nobody did."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Slot, Tracker
from slotstate.domains import compile_domains
from slotstate.extractors.builtin.learned import modelfile
from slotstate.measuring import Corpus
from slotstate.measuring.sessions import read_session
from slotstate.testing import ScriptedExtractor, change

pytest.importorskip("lightgbm")
pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")


class Journey(BaseModel):
    """Plan a journey by train or plane."""

    origin: Annotated[str, Slot(ask="Where do you leave from?", cues=["from"], confirm="explicit")]
    destination: Annotated[str, Slot(ask="Where to?")]
    seat: Literal["second", "first"] | None = None
    people: Annotated[int | None, Field(ge=1, le=9)] = None
    pets: bool | None = None


DOMAINS = compile_domains(Journey)
TOWNS = ["Oslo", "Bergen", "York", "Leeds", "Bristol", "Paris", "Rome", "Cardiff", "Dublin", "Lyon"]


def session(name: str, start: str, goal: str, people: int, *, agreed: bool) -> dict[str, Any]:
    """Where to and where from are confirmed, the people only where `agreed`."""
    script = [
        [
            change("journey.origin", value=start, quote=f"out of {start}"),
            change("journey.destination", value=goal, quote=f"headed to {goal}"),
        ],
        [change("journey.people", value=people, quote=f"{people} heads")],
        [change("journey.origin", "confirm", quote="yes")],
    ]
    tracker = Tracker(Journey, extractor=ScriptedExtractor(script))
    chat = tracker.open(name)
    chat.user(f"We set out of {start} and are headed to {goal}")
    chat.assistant("How many of you?", asks=["journey.people"])
    chat.user(f"{people} heads")
    chat.assistant(f"Leaving from {start}, right?", asks=["journey.origin"])
    chat.user("yes")
    chat.confirm("journey.destination")
    if agreed:
        chat.confirm("journey.people")
    return dict(tracker.export(name)["sessions"][0])


def corpus(count: int, *, agreed: bool = False) -> Corpus:
    rng = random.Random(1)
    told = []
    for number in range(count):
        start, goal = rng.sample(TOWNS, 2)
        told.append(session(f"s{number}", start, goal, rng.choice([2, 3, 4]), agreed=agreed))
    dialogues = tuple(read_session(one, DOMAINS) for one in told)
    return Corpus("sessions", {}, dict(DOMAINS), dialogues)


def ready(found: Corpus) -> list[Any]:
    from training.corpora import prepared

    return prepared(found)


def test_what_nobody_confirmed_is_unknown_rather_than_absent() -> None:
    never = {"journey.seat", "journey.pets"}
    doubted, agreed = ready(corpus(1))[0], ready(corpus(1, agreed=True))[0]
    assert doubted.unknown == (frozenset({*never, "journey.people"}),) * 3
    assert agreed.unknown == (frozenset(never),) * 3  # before the number was told, the slot holds nothing for sure


def test_a_value_that_was_missed_when_it_was_said_is_unknown_there() -> None:
    chat = (tracker := Tracker(Journey, extractor=ScriptedExtractor([[], []]))).open("s")
    chat.user("We are headed to Rome")
    chat.user("Well?")
    chat.set("journey.destination", "Rome", confirmed=True)
    dialogue = read_session(tracker.export("s")["sessions"][0], DOMAINS)
    first, second = ready(Corpus("sessions", {}, dict(DOMAINS), (dialogue,)))[0].unknown
    assert "journey.destination" in first
    assert "journey.destination" not in second


@pytest.mark.parametrize(
    ("out", "told"),
    [("nowhere/x.slotmodel", "there is no folder"), (".", "is a folder: name a file")],
)
def test_where_the_models_go_is_checked_before_the_work(
    out: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from training.__main__ import main

    assert main(["adapt", "sessions", str(tmp_path / "gone.json"), "--out", str(tmp_path / out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_every_option_says_what_it_is() -> None:
    from training.__main__ import _parser

    (commands,) = [one for one in _parser()._actions if isinstance(one.choices, dict)]
    for command in commands.choices.values():  # type: ignore[union-attr]
        assert all(action.help for action in command._actions)


READ = [
    ("How many of you?", "journey.people", "3 heads", "people", 3),
    ("How many of you?", "journey.people", "three people", "people", 3),
    (None, None, "I'd like first class", "seat", "first"),
    ("Do you bring pets?", "journey.pets", "yes", "pets", True),
    ("Do you bring pets?", "journey.pets", "no pets", "pets", False),
]


def held(extractor: str, assistant: str | None, asked: str | None, said: str) -> dict[str, Any]:
    chat = Tracker(Journey, extractor=extractor).open("s")
    if assistant is not None:
        chat.assistant(assistant, asks=[asked or ""])
    chat.user(said)
    return {name: view.value for name, view in chat.state["journey"].items() if view.status != "empty"}


@pytest.mark.parametrize("agreed", [False, True])
def test_adapting_takes_nothing_away_of_what_nobody_confirmed(*, agreed: bool, tmp_path: Path) -> None:
    from training.adapting import adapt

    arrays, about = modelfile.arrays_of()
    file = tmp_path / "own.slotmodel"
    file.write_bytes(modelfile.dump(adapt(arrays, ready(corpus(24, agreed=agreed))), about))
    own = f"builtin:{file}"
    for assistant, asked, said, slot, value in READ:
        assert held("builtin", assistant, asked, said) == {slot: value}, said
        assert held(own, assistant, asked, said) == {slot: value}, said
    learned = held(own, None, None, "We set out of Dublin and are headed to Cardiff")
    assert learned == {"origin": "Dublin", "destination": "Cardiff"}

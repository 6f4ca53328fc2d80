"""Adapting on a few sessions: typed values are compared as values, and what gains nothing changes nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import BaseModel

from slotstate import Money, Slot, Tracker
from slotstate.domains import compile_domains
from slotstate.extractors.builtin.learned import modelfile
from slotstate.measuring import Corpus
from slotstate.measuring.sessions import read_session

pytest.importorskip("lightgbm")
pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")

NOW = datetime(2026, 12, 2, 10, tzinfo=UTC)  # a Wednesday


class Visit(BaseModel):
    """Make an appointment with a doctor at a clinic."""

    doctor: Annotated[str, Slot(ask="Which doctor would you like to see?", cues=["Dr", "doctor"], confirm="explicit")]
    day: Annotated[date, Slot(ask="On which day?")]
    at: Annotated[time, Slot(ask="At what time?")]
    fee: Annotated[Money | None, Slot(ask="What may it cost?")] = None
    allergies: Annotated[list[str], Slot(ask="Any allergies?", cues=["allergic to"])] = []


DOMAINS = compile_domains(Visit)
TALKS = [
    ("Smith", "tomorrow"),
    ("Patel", "next Friday"),
    ("Jones", "on 9 December"),
    ("Okafor", "on Monday"),
    ("Brown", "on 15 December"),
    ("Lee", "the day after tomorrow"),
    ("Garcia", "on Tuesday"),
    ("Kumar", "on 20 January"),
    ("Evans", "on Wednesday"),
    ("Novak", "next Monday"),
]


def sessions() -> list[dict[str, Any]]:
    """What the built-in extractor read rightly, day and time confirmed."""
    tracker = Tracker(Visit, extractor="builtin", clock=lambda: NOW)
    for number, (doctor, day) in enumerate(TALKS):
        chat = tracker.open(f"s{number}")
        chat.user(f"I'd like to see Dr {doctor} {day} at {number % 4 + 1}pm")
        chat.assistant(f"Dr {doctor}, right?", asks=["visit.doctor"])
        chat.user("yes")
        chat.user(f"make it {number % 4 + 2}pm instead")
        for name in ("day", "at"):
            if chat.state["visit"][name].status == "filled":  # "next Friday" may be either
                chat.confirm(f"visit.{name}")
    return list(tracker.export()["sessions"])


def ready(told: list[dict[str, Any]]) -> list[Any]:
    from training.corpora import prepared

    return prepared(Corpus("sessions", {}, dict(DOMAINS), tuple(read_session(one, DOMAINS) for one in told)))


def days(extractor: str) -> list[date | None]:
    found: list[date | None] = []
    for doctor, day in TALKS:
        chat = Tracker(Visit, extractor=extractor, clock=lambda: NOW).open("s")
        chat.user(f"I'd like to see Dr {doctor} {day} at 3pm")
        found.append(chat.state["visit"]["day"].value)
    return found


def test_what_the_models_read_already_is_not_taught_away(tmp_path: Path) -> None:
    from training.adapting import adapt

    arrays, about = modelfile.arrays_of()
    file = tmp_path / "own.slotmodel"
    file.write_bytes(modelfile.dump(adapt(arrays, ready(sessions())), about))
    before = days("builtin")
    assert before.count(None) <= 1
    assert days(f"builtin:{file}") == before


def test_where_nothing_is_gained_the_models_are_kept() -> None:
    from training.keeping import adapted

    arrays, about = modelfile.arrays_of()
    lines: list[str] = []
    assert adapted(arrays, about, ready(sessions()), about, say=lines.append) is None
    assert lines == [
        "kept as it was: of 10 dialogues held out 0 are read better, 0 worse (+0.000 of the slots): no gain"
    ]
    lines.clear()
    assert adapted(arrays, about, ready(sessions()[:3]), about, say=lines.append) is None
    assert lines == ["kept as it was: 3 dialogues tell what slots held, at least 4 are needed"]


def test_what_is_gained_on_dialogues_held_out_is_adapted() -> None:
    from tests.training.test_sessions import corpus
    from tests.training.test_sessions import ready as prepared
    from training.keeping import adapted, shares

    arrays, about = modelfile.arrays_of()
    lines: list[str] = []
    dialogues = prepared(corpus(24))
    made = adapted(arrays, about, dialogues, about, say=lines.append)
    assert made is not None
    assert not np.array_equal(made["fits"], arrays["fits"])
    assert lines[0].startswith("adapted: of 24 dialogues held out ")
    assert np.mean(shares(made, about, dialogues)) > np.mean(shares(arrays, about, dialogues))


@pytest.mark.parametrize(
    ("differences", "better"),
    [
        ([0.0] * 10, False),
        ([0.1] + [0.0] * 9, False),  # one dialogue is chance
        ([0.1, 0.2, 0.0, 0.1], True),
        ([0.1, -0.1, 0.1, -0.1], False),
        ([0.3, -0.1, 0.3, 0.2, -0.1, 0.2], True),
        ([-0.1, -0.1, -0.1], False),
    ],
)
def test_better_is_more_than_chance(differences: list[float], *, better: bool) -> None:
    from training.keeping import is_better

    assert is_better(differences) is better


@pytest.mark.parametrize(
    ("path", "value", "form", "right"),
    [
        ("visit.day", "on Monday", "2026-12-07", True),
        ("visit.day", "on Monday", "2019-03-04", False),  # the Monday of another year
        ("visit.at", "3pm", "15:00", True),
        ("visit.at", "3pm", "03:00", False),
        ("visit.fee", "200 euros", '{"value": "200", "currency": "EUR"}', True),
        ("visit.fee", "200 pounds", '{"value": "200", "currency": "EUR"}', False),
        ("visit.allergies", "tree nuts", '["eggs", "tree nuts"]', True),
        ("visit.allergies", "nuts", '["eggs", "tree nuts"]', False),
        ("visit.allergies", "nuts", "eggs nuts", True),
    ],
)
def test_words_are_compared_with_what_a_session_holds(path: str, value: str, form: str, *, right: bool) -> None:
    from training.golds import is_right

    assert is_right(DOMAINS.specs[path], value, {path: [form]}, NOW) is right


@pytest.mark.parametrize(
    ("path", "text", "form", "words"),
    [
        ("visit.day", "Dr Lee on 9 December at 3pm", "2026-12-09", ["9 December"]),
        ("visit.at", "Dr Lee on 9 December at 3pm", "15:00", ["3pm"]),
        ("visit.at", "Dr Lee on 9 December at 3pm", "16:00", []),
        ("visit.fee", "at most £80, please", '{"value": "80", "currency": "GBP"}', ["£80"]),
        ("visit.doctor", "Dr Lee on Monday, Lee!", "Lee", ["Lee", "Lee"]),
    ],
)
def test_where_a_value_is_said(path: str, text: str, form: str, words: list[str]) -> None:
    from training.golds import places

    assert [text[slice(*span)] for span in places(DOMAINS.specs[path], text, [form], NOW)] == words

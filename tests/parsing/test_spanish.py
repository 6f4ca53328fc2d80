"""A third language is an addition: its table is loaded by name, in a process of its own, and English stays as it was."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from slotstate import InputError
from slotstate.extractors.builtin.lexicons import _TABLES as LEXICON_TABLES
from slotstate.languages import KNOWN, load
from slotstate.parsing.languages import TABLES

ROOT = Path(__file__).resolve().parents[2]

DATES = {
    "el 3 de marzo de 2025": "2025-03-03", "hoy": "2024-05-15", "mañana": "2024-05-16", "pasado mañana": "2024-05-17", "el viernes": "2024-05-17",
    "el proximo viernes": "2024-05-17", "en 3 días": "2024-05-18", "dentro de dos semanas": "2024-05-29", "hace dos semanas": "2024-05-01",
    "el viernes de la próxima semana": "2024-05-24", "from Oslo on Friday": "2024-05-17",
}  # fmt: skip
TIMES = {
    "a las tres y media de la tarde": "15:30", "las ocho menos cuarto de la mañana": "07:45", "a las 16:20": "16:20", "a medianoche": "00:00",
    "a las 9 de la noche": "21:00", "half past 3 in the afternoon": "15:30",
}  # fmt: skip
NUMBERS = {
    "treinta y uno": "31", "dos mil quinientos": "2500", "ciento veinte": "120", "cuatro personas": "4", "menos cinco": "-5", "mil doscientos": "1200",
    "quinientos cuarenta y seis": "546", "veintidos noches": "22", "thirty-one people": "31",
}  # fmt: skip
TURNS = {
    "quiero un tren desde Sevilla a Madrid el viernes para dos personas": {"origin": "Sevilla", "destination": "Madrid", "outbound_on": "2024-05-17", "people": 2},
    "from Lisbon to Porto tomorrow at 5 pm": {"origin": "Lisbon", "destination": "Porto", "outbound_on": "2024-05-16", "departs_at": "17:00"},
    "从上海到北京": {"origin": "上海", "destination": "北京"},
}  # fmt: skip
SCRIPT = """
from slotstate.languages import load
load("es")
import json, sys
from datetime import UTC, datetime
from slotstate.parsing import bare_no, bare_yes, corrects, dont_care, find_dates, find_numbers, find_times, fold
from tests.extractors.builtin.scene import Trip, after, held
dates, times, numbers, turns = json.load(sys.stdin)
now = datetime(2024, 5, 15, 12, tzinfo=UTC)
print(json.dumps([
    {text: [str(v) for f in find_dates(fold(text), now) for v in f.values] for text in dates},
    {text: [v.isoformat("minutes") for f in find_times(fold(text)) for v in f.values] for text in times},
    {text: [str(v) for f in find_numbers(fold(text)) for v in f.values] for text in numbers},
    {text: held(after(Trip, [text])) for text in turns},
    [bare_yes(fold("sí, por favor")), bare_no(fold("no, gracias")), corrects(fold("no, mejor a Sevilla")) is not None,
     dont_care(fold("me da igual")) is not None, bare_yes(fold("yes please"))],
]))
"""


def run(script: str, given: object = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(given), capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_the_spanish_table_is_read_beside_the_others() -> None:
    done = run(SCRIPT, [DATES, TIMES, NUMBERS, TURNS])
    assert done.returncode == 0, done.stderr
    dates, times, numbers, turns, cues = json.loads(done.stdout)
    assert dates == {text: [value] for text, value in DATES.items()}
    assert times == {text: [value] for text, value in TIMES.items()}
    assert numbers == {text: [value] for text, value in NUMBERS.items()}
    assert turns == TURNS
    assert cues == [True] * 5


def test_a_language_is_loaded_before_the_first_tracker_or_not_at_all() -> None:
    load("en")
    with pytest.raises(InputError, match="no language 'xx'; known: en, es, zh"):
        load("xx")
    with pytest.raises(InputError, match=r"load\('es'\) comes too late"):
        load("es")


def test_english_and_chinese_are_the_default() -> None:
    from slotstate.extractors.builtin.lexicons import LEXICONS
    from slotstate.parsing.languages import LANGUAGES

    assert [language.code for language in LANGUAGES] == [lexicon.code for lexicon in LEXICONS] == ["en", "zh"]


def test_every_language_that_can_be_loaded_has_its_tables() -> None:
    for tables in (TABLES, LEXICON_TABLES):
        assert set(tables) == set(KNOWN)
        for code, place in tables.items():
            module, name = place.split(":")
            assert getattr(import_module(module), name).code == code

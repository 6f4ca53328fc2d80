from __future__ import annotations

import re
from typing import Any

import pytest

from slotstate.domains import compile_domains
from slotstate.extractors.builtin.compared import at_extreme
from slotstate.extractors.builtin.lexicon import Extreme, Lexicon
from slotstate.extractors.builtin.lexicon_en import ENGLISH
from slotstate.extractors.builtin.lexicon_es import SPANISH
from slotstate.extractors.builtin.lexicon_zh import CHINESE
from slotstate.extractors.builtin.profile import profile
from slotstate.extractors.builtin.restraint import is_idle, is_turned_down
from slotstate.jsonschema import domain_from_json_schema

DATE, TIME, MOMENT = ({"type": "string", "format": name} for name in ("date", "time", "date-time"))
MONEY = {"type": "string", "x-slot": {"type": "money"}}


def euros(value: str, currency: str = "EUR") -> dict[str, str]:
    return {"value": value, "currency": currency}


@pytest.mark.parametrize(
    ("name", "schema", "values", "extreme", "expected"),
    [
        ("day", DATE, ["2025-03-02", "2025-03-01", "2025-04-01"], "earliest", "2025-03-01"),
        ("day", DATE, ["2025-03-02", "2025-03-01", "2025-04-01"], "latest", "2025-04-01"),
        ("at", TIME, ["09:00", "17:00"], "latest", "17:00"),
        ("at", MOMENT, ["2025-03-02T10:00:00", "2025-03-02T09:00:00"], "earliest", "2025-03-02T09:00:00"),
        ("at", MOMENT, ["2025-03-02T10:00:00+00:00", "2025-03-02T09:00:00"], "earliest", None),
        ("at", MOMENT, ["2025-03-02T10:00:00+00:00", "2025-03-02T11:00:00+01:00"], "latest", None),
        ("fee", MONEY, [euros("9"), euros("10"), euros("9.5")], "cheapest", euros("9")),
        ("fee", MONEY, [euros("9"), euros("10", "USD")], "cheapest", None),
        ("fee", MONEY, [euros("9"), euros("9"), euros("10")], "cheapest", None),
        ("fee", MONEY, [euros("9")], "dearest", None),
        ("price", {"type": "integer"}, [9, 10], "dearest", 10),
        ("rooms", {"type": "integer"}, [2, 3], "cheapest", None),
        ("rooms", {"type": "integer"}, [2, 3], "latest", None),
        ("day", DATE, ["2025-03-02", "2025-03-01"], "cheapest", None),
        ("day", DATE, [], "latest", None),
    ],
)
def test_the_value_at_one_end(name: str, schema: dict[str, Any], values: Any, extreme: Extreme, expected: Any) -> None:
    domains = compile_domains(domain_from_json_schema({"title": "case", "properties": {name: schema}}))
    assert at_extreme(profile(domains.spec(f"case.{name}")), values, extreme) == expected


@pytest.mark.parametrize("table", [ENGLISH, CHINESE, SPANISH])
def test_each_table_tells_what_only_looks_like_a_value(table: Lexicon) -> None:
    for pattern in (table.idle, table.turned_down, table.no_way, table.no_place, table.age, table.other_sense):
        re.compile(pattern)
    for pattern in (table.fillers, table.picked, *table.compared.values()):
        re.compile(pattern)
    assert table.contrasts
    assert set(table.compared) == {"earliest", "latest", "cheapest", "dearest"}
    for pattern in table.contrasts:
        assert set(re.compile(pattern).groupindex) == {"value", "no", "old"}


@pytest.mark.parametrize("text", ["lol", "还没想好", "17", "asdfgh", "https://example.org", "not leeds", "别去上海"])
def test_idle_answers_of_every_language(text: str) -> None:
    assert is_idle(text)


def test_refusals_of_every_language() -> None:
    found = [text for text in ("not leeds", "不要上海", "leeds", "上海") if is_turned_down(text)]
    assert found == ["not leeds", "不要上海"]


@pytest.mark.parametrize(
    ("extreme", "text"),
    [
        ("latest", "el de más tarde"),
        ("earliest", "quiero el más temprano"),
        ("cheapest", "la más barata por favor"),
        ("dearest", "el más caro"),
    ],
)
def test_spanish_compares_too(extreme: Extreme, text: str) -> None:
    assert [name for name, pattern in SPANISH.compared.items() if re.fullmatch(pattern, text)] == [extreme]

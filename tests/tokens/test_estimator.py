"""The estimator errs to the safe side, and not far."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate import tokens
from slotstate.counters import make_counter
from slotstate.tokens import Estimator

ESTIMATOR = Estimator()
EXACT = [make_counter("o200k_base"), make_counter("cl100k_base")]


def exact(text: str) -> int:
    return max(counter.count(text) for counter in EXACT)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("the", 1),
        ("Hello", 1),
        (" the weather", 2),
        ("I need a train to London, please.", 9),
        ("我想去北京", 6),
        ("\n\n", 1),
        ("        return", 2),
        ("12345", 5),
        ("123 456", 7),
        ("👍", 3),
        ("\t\tif", 2),
    ],
)
def test_what_everybody_writes(text: str, count: int) -> None:
    assert ESTIMATOR.count(text) == count
    assert count >= exact(text)


@pytest.mark.parametrize(
    "text",
    [
        "Þorsteinn Jónsdóttir from Reykjavík",
        "Brzęczyszczykiewicz",
        "xqzkjvwpt",
        "QX7-99ZK, IBAN DE44 5001 0517 5407 3249 31",
        "¿Dónde está la estación de Córdoba?",
        "Где находится вокзал?",
        "أين محطة القطار؟",
        "רכבת לחיפה",
        "आप कहाँ जाना चाहते हैं?",
        "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ",
        "서울역까지 표 두 장 주세요",
        "รถไฟไปเชียงใหม่",
        "龘靐齉龗 爩",
        "👨‍👩‍👧 🇳🇴 ❤️ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "def f(x):\n    return {'a': [x ** 2 for _ in range(10)]}\n",
        '{"city":"Oslo","ids":[1,2,3],"ok":true}',
        "-" * 80,
        "<|endoftext|><|im_start|>system",
        "\u202e\u200b\u2066\x00\x07\x1b[31m",
    ],
)
def test_the_rest_costs_at_least_what_it_costs(text: str) -> None:
    assert exact(text) <= ESTIMATOR.count(text) <= len(text.encode()) + 1


VALUES = st.sampled_from(
    [
        "Oslo",
        "San Francisco",
        "next Friday",
        "2026-03-14",
        "19:30",
        "二等座",
        "北京",
        "19.90 EUR",
        "+47 22 05 50 00",
        "ann@x.org",
    ]
) | st.integers(0, 10**9).map(str)
SENTENCES = st.sampled_from(
    [
        "I need a table for {} people at {}.",
        "No, make it {}.",
        "把{}改成{}，谢谢",
        "Is {} all right, or rather {}?",
        "{}\n- {}\n",
    ]
)


@st.composite
def turns(draw: st.DrawFn) -> str:
    sentences = draw(st.lists(SENTENCES, min_size=1, max_size=4))
    return " ".join(sentence.format(draw(VALUES), draw(VALUES)) for sentence in sentences)


SLOTS = st.lists(
    st.fixed_dictionaries(
        {"slot": st.sampled_from(["travel.origin", "hotel.price_range"]), "value": VALUES | st.none()}
    ),
    min_size=1,
)
RECORDS = st.builds(
    lambda slots, indent: json.dumps(slots, ensure_ascii=False, indent=indent), SLOTS, st.sampled_from([None, 2])
)


@given(turns() | RECORDS)
def test_what_prompts_are_made_of_is_never_under_counted(text: str) -> None:
    assert ESTIMATOR.count(text) >= exact(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_within_bounds(text: str) -> None:
    assert ESTIMATOR.count(text) <= len(text.encode()) + 1
    assert ESTIMATOR.count(text) >= 0.9 * exact(text) - 1


@given(st.text(), st.text())
def test_counting_has_no_memory(first: str, second: str) -> None:
    """Nor does what was counted before change a count."""
    known = ESTIMATOR.count(first), ESTIMATOR.count(second)
    tokens._costs.clear()
    assert (Estimator().count(first), Estimator().count(second)) == known


def test_a_lone_surrogate_counts() -> None:
    assert ESTIMATOR.count("a\ud800b") >= 3


def test_what_it_remembers_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_REMEMBERED_PIECES", 100)
    words = [f"{chr(97 + at % 26)}{chr(97 + at // 26)}zq" for at in range(600)]
    counts = [ESTIMATOR.count(word) for word in words]
    assert len(tokens._costs) <= 100
    assert [ESTIMATOR.count(word) for word in words] == counts


@pytest.mark.parametrize(
    "unit", ["a", "A", " ", "\n", "-", "1", "中", "é", "я", "👍", "x!", " \n", "\t ", "word ", "\x00"]
)
def test_time_grows_with_the_length_and_no_faster(unit: str) -> None:
    def took(characters: int) -> float:
        text = unit * (characters // len(unit))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            ESTIMATOR.count(text)
            best = min(best, time.process_time() - start)
        return best

    took(1_000)
    # A square would be 64 times as much.
    assert took(160_000) < 24 * max(took(20_000), 0.0005)

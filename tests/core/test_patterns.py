"""Declared masks: which patterns are taken, and that what they match is masked at every exit."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, Chat, InputError, Slot, Tracker
from slotstate.contract import MASK
from slotstate.patterns import declared, places
from slotstate.stores import MemoryStore
from slotstate.testing import ScriptedExtractor, change

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
CARD = r"\b\d(?:[ -]?\d){12,15}\b"
BADGE = r"(?i)badge [a-z]-\d{4}"


class Visit(BaseModel):
    """Visit somebody."""

    host: str | None = None
    memo: str | None = None


class Paid(BaseModel):
    """Pay for something."""

    card: Annotated[str | None, Slot(sensitive=True)] = None
    pin: Annotated[str | None, Slot(sensitive=True)] = None


GOOD = [
    CARD,
    BADGE,
    r"[^\s@]{1,64}@[^\s@]{1,255}",
    r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,24}",
    r"身份证号?[:：]?\s{0,3}[0-9Xx]{15,18}",
    r"(?<=PIN )\d{4}(?!\d)",
    r"(?>ab|a)c",
    r"\D{2}\S\W[^x]",
    r"(?:cat|dog){1,3}+s",
    r"(?i)[^b]{3}",
    r"(?i:a|b){1,9}A{1,6}",
]
BAD = {
    r"\w+": "repeats without an end",
    r"(?:x\d*)y": "repeats without an end",
    r"(?:b?c?){2}x": "repeats what may be nothing",
    r"(\w)\1": "refers back to a group",
    r"(a)?(?(1)b|c)": "refers back to a group",
    r"((?i:a){1,9}A{1,9}){8}b": "in too many ways",
    r"\S{1,64}@\S{1,255}": "in too many ways",
    r"(?:\w{1,9}){9}!": "in too many ways",
    r"(?=(?:\w{1,9}){9}!)x": "in too many ways",
    r"x{3000}": "more than 2000 characters",
    r"\d{0,4}": "matches where nothing stands",
    "(": "is no regular expression",
    "y" * 501: "has 501 characters",
}


@pytest.mark.parametrize("pattern", GOOD)
def test_what_is_bounded_is_taken(pattern: str) -> None:
    assert [one.pattern for one in declared([pattern])] == [pattern]


@pytest.mark.parametrize(("pattern", "why"), BAD.items())
def test_what_could_run_away_is_refused_in_one_line(pattern: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)) as told:
        Tracker(Visit, masks=["ok", pattern])
    assert str(told.value).startswith("mask 2 (")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("masks", "why"),
    [(r"\d{4}", "put it into brackets"), (7, "brackets"), ([7], "is no text"), (["a"] * 51, "51 masks")],
)
def test_what_is_no_list_of_patterns_is_refused(masks: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Tracker(Visit, masks=masks)


PIECE = st.sampled_from(["a", "b", "[ab]", ".", r"\w", "(?:a|ab)", "a?", "(?:a?b)"])
PART = st.tuples(PIECE, st.sampled_from(["", "{1,9}", "{2,40}", "{0,3}"])).map("".join)
PATTERN = st.one_of(
    st.lists(PART, min_size=1, max_size=5).map("".join),
    st.tuples(st.lists(PART, min_size=1, max_size=2).map("".join), st.integers(2, 9)).map(
        lambda two: f"(?:{two[0]}){{1,{two[1]}}}c"
    ),
)


@settings(max_examples=60, deadline=None)
@given(pattern=PATTERN, text=st.text("ab", min_size=50, max_size=300))
def test_no_pattern_that_is_taken_runs_away(pattern: str, text: str) -> None:
    try:
        (made,) = declared([pattern])
    except InputError:
        return
    started = time.perf_counter()
    list(places([made], text))
    assert time.perf_counter() - started < 0.5


def opened(
    store: MemoryStore | None = None, *, masks: tuple[str, ...] = (CARD, BADGE), script: list[Any] | None = None
) -> Chat:
    extractor = ScriptedExtractor(script or [])
    return Tracker(Visit, extractor=extractor, store=store or MemoryStore(), masks=masks, clock=lambda: NOW).open("s")


WRITTEN = [
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "４１１１１１１１１１１１１１１１",
    "4111\u200b1111\u200b1111\u200b1111",
    json.dumps({"n": "4111\u30001111 1111 1111"})[6:-1],
    "Badge K-4711",
    "BADGE k-0000",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_what_a_pattern_matches_leaves_by_no_exit(written: str) -> None:
    chat = opened(script=[[change("visit.memo", "set", f"pay with {written}", f"pay with {written}")]])
    said = chat.user(f"Please pay with {written}")
    assert said.changes[0].outcome == "filled"
    chat.tool_call("c1", "pay", {"from": written, "note": [written]})
    chat.tool_result("c1", f"paid with {written}")
    chat.assistant(f"Paid with {written}.")
    for turn in range(4):
        chat.user(f"I must not pay with {written}, never {turn}.")
        chat.assistant("Fine.")
    figures = re.compile(r"4111|４１|1111|4711|0000")
    prompt = chat.prompt()
    assert not figures.search(str(prompt.messages))
    assert MASK in str(prompt.messages)
    compacted = chat.compact()
    assert compacted is not None
    assert not figures.search(str(compacted.model_dump(exclude={"at", "digest"})))
    assert not figures.search(str(chat.prompt().messages))
    assert not figures.search(chat.recall("0..3"))
    assert written in chat.recall(chat.messages[0].id, reveal=True)
    assert any(written in str(message["content"]) for message in chat.prompt(reveal=True).messages)
    assert written in chat.messages[0].text, "the log keeps it"


@pytest.mark.parametrize("declared_", [True, False])
@pytest.mark.parametrize("shift", range(0, 27, 3))
def test_a_preview_cuts_no_secret_in_half(shift: int, declared_: bool) -> None:
    store = MemoryStore()
    chat = Tracker(Paid, extractor=ScriptedExtractor([]), store=store, masks=(CARD,) if declared_ else ()).open("s")
    if not declared_:
        chat.set("paid.card", "4111 1111 1111 1111")
        chat.set("paid.pin", "27")
    text = "x" * shift + " " + " ".join(["card 4111 1111 1111 1111 ok"] * 500)
    chat.user("hello")
    chat.tool_call("c1", "list", {})
    chat.tool_result("c1", text)
    shown = chat.prompt().messages[-1]["content"]
    assert MASK in shown
    assert not re.search("411|111", shown)
    blob = getattr(chat.messages[-1], "blob", None)
    assert blob is not None
    assert chat.recall(blob.ref, reveal=True) == text


BUDGET = Budget(30_000, profile="vllm")


def test_patterns_are_known_from_the_start_and_begin_no_epoch() -> None:
    chat = opened()
    chat.user("hello")
    first = chat.prompt(BUDGET)
    chat.assistant("Which card?")
    chat.user("4111 1111 1111 1111")
    second = chat.prompt(BUDGET)
    assert first.cache is not None
    assert second.cache is not None
    assert first.cache["epoch"] == second.cache["epoch"] == 1
    assert second.messages[: len(first.messages) - 1] == first.messages[:-1]


def test_another_set_of_patterns_is_another_masking() -> None:
    store = MemoryStore()
    told: list[tuple[int, str]] = []
    for masks in ((), (CARD,), (CARD,), (BADGE, CARD), (CARD, BADGE), ()):
        chat = opened(store, masks=masks)
        chat.user(f"card 4111 1111 1111 1111, {len(told)}" + " and so on" * 60)
        cache = chat.prompt(BUDGET).cache
        assert cache is not None
        told.append((cache["epoch"], cache["epoch_reason"]))
        chat.assistant("ok")
    assert told == [(1, "start"), *((2, "masking"),) * 2, *((3, "masking"),) * 2, (4, "masking")]

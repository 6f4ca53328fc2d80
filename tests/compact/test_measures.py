"""Measures of compactions and sessions, against counts made by hand, in English and Chinese."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotstate.compact.extractive import extract
from slotstate.compact.held import Values
from slotstate.compact.items import Add, Amend, Drop, Patch, Span, Spoken, patched
from slotstate.compact.measures import Cost, counted, of_compaction, of_session, stale, survival, unmasked
from slotstate.events import (
    AnyEvent,
    Compacted,
    CompactionFailed,
    Item,
    ItemKind,
    Lost,
    RolledBack,
    SystemTurn,
    Usage,
    UserTurn,
)
from slotstate.state import Summary

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
FREE = Cost(None, model=False)


def user(*texts: str) -> tuple[Spoken, ...]:
    return tuple(Spoken(f"u{turn}", turn, "user", text) for turn, text in enumerate(texts))


def summary(*items: tuple[ItemKind, str], **more: Any) -> Summary:
    made = tuple(
        Item(ident=at, kind=kind, text=text, sources=("u0",), **more) for at, (kind, text) in enumerate(items, 1)
    )
    return Summary(1, 1, made, len(made))


def kept(span: Span, *items: tuple[ItemKind, str], before: Summary | None = None) -> dict[str, float]:
    return survival(before or Summary(), summary(*items), span)


# What survives


@pytest.mark.parametrize(
    ("text", "item", "share"),
    [
        ("It costs 1,200.50 euros for 3 rooms", "The 3 rooms cost 1200.5", 1.0),
        ("It costs 1,200.50 euros for 3 rooms", "There are 3 rooms", 0.5),
        ("We are four people with 2 dogs", "4 people", 0.5),
        ("我们三个人，预算5000元", "预算5000元", 0.5),
        ("我们三个人，预算5000元", "3个人 5000", 1.0),
        ("room 12", "room 112", 0.0),
    ],
)
def test_numbers_survive_in_items(text: str, item: str, share: float) -> None:
    told = kept(Span(user(text)), ("fact", item))
    assert (told["numbers_kept"], told["numbers"]) == (share, {1.0: 2, 0.5: 2, 0.0: 1}[share])


def test_numbers_survive_in_slots_too_and_those_of_tools_do_not_count() -> None:
    tool = Spoken("t", 1, "tool", "17 hits, 18 pages", "find")
    slots = {"trip.price": {"value": "90", "currency": "EUR"}, "trip.sizes": [7, "8"]}
    told = kept(Span((*user("90 euros, sizes 7 and 8, gate 9"), tool), slots=slots))
    assert (told["numbers"], told["numbers_kept"]) == (4, 0.75)


def test_what_slots_tell_survives_there() -> None:
    message = user("Not Oslo, leave from York")[0]
    span = Span(
        (message,), slots={"trip.origin": "York"}, others={"trip.origin": ("Oslo",)}, told={"trip.origin": ("u0",)}
    )
    assert kept(span) == {"slots": 1, "slots_kept": 1.0, "numbers": 0, "negations": 1, "negations_kept": 1.0, "open": 0}


@pytest.mark.parametrize(
    ("said", "items", "share"),
    [
        ("Please never book hotels beside motorways.", ["Never book hotels beside motorways"], 1.0),
        ("Please never book hotels beside motorways.", ["Book hotels beside motorways"], 0.0),
        ("Please never book hotels beside motorways.", ["No smoking rooms"], 0.0),
        ("千万不要靠近高速公路的酒店。", ["不要靠近高速公路的酒店"], 1.0),
        ("千万不要靠近高速公路的酒店。", ["靠近高速公路的酒店"], 0.0),
    ],
)
def test_negations_survive_as_negations_only(said: str, items: list[str], share: float) -> None:
    rules: list[tuple[ItemKind, str]] = [("constraint", item) for item in items]
    told = kept(Span(user(said)), *rules)
    assert (told["negations"], told["negations_kept"]) == (1, share)


@pytest.mark.parametrize(
    ("said", "done", "item"),
    [
        ("Still need to check the visa rules.", "The visa rules are sorted.", "check visa rules"),
        ("还要确认签证的材料。", "签证的材料办好了。", "确认签证的材料"),
    ],
)
def test_open_tasks_survive_until_they_are_done(said: str, done: str, item: str) -> None:
    assert kept(Span(user(said)))["open_kept"] == 0.0
    assert kept(Span(user(said)), ("open", item))["open_kept"] == 1.0
    assert kept(Span(user(said, done)))["open"] == 0
    before = summary(("open", item), ("fact", "the sky is blue"))
    assert kept(Span(user("Fine.")), before=before)["open_kept"] == 0.0
    assert kept(Span(user(done)), before=before)["open"] == 0


def test_nothing_to_keep_has_no_share() -> None:
    assert kept(Span(())) == {"slots": 0, "numbers": 0, "negations": 0, "open": 0}


WORDS = st.sampled_from(
    "we never want 3 rooms with 12 beds 不 要 酒店 五 visa still need to check sorted . ? ， York 2,500 please".split()
)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=6)


@settings(max_examples=150, deadline=None)
@given(texts=TEXTS, most=st.integers(0, 6))
def test_shares_are_shares_and_a_copy_loses_nothing(texts: list[str], most: int) -> None:
    span = Span(user(*texts))
    patch, _ = extract(Summary(), span, most=most)
    after = patched(Summary(), patch, len(texts))
    told = survival(Summary(), after, span)
    assert all(0 <= share <= 1 for name, share in told.items() if name.endswith("_kept"))
    quotes: list[tuple[ItemKind, str]] = [("quote", text) for text in texts if text]
    copy = survival(Summary(), summary(*quotes), span)
    assert {share for name, share in copy.items() if name.endswith("_kept")} <= {1.0}
    nothing = survival(Summary(), Summary(), span)
    for name in ("numbers", "negations", "open"):
        assert nothing.get(f"{name}_kept", 0) <= told.get(f"{name}_kept", 0) <= copy.get(f"{name}_kept", 0)


# One compaction


def test_tokens_are_counted_by_the_given_counter() -> None:
    span = Span(user("a" * 70, "b" * 30))
    before = summary(("fact", "c" * 20))
    after = patched(before, Patch(add=(Add("fact", "d" * 6, ("u1",), "why?"),), amend=(Amend(1, "e" * 5, ("u0",)),)), 2)
    told = of_compaction(before, after, span, count=len, mask=str, cost=FREE, orphans=2)
    assert {name: told[name] for name in told if name.startswith(("tokens", "ratio", "orphans"))} == {
        "tokens_span": 100,
        "tokens_before": 120,
        "tokens_after": 15,
        "ratio": 0.125,
        "tokens_saved": 105,
        "tokens_spent": 0,
        "orphans": 2,
    }
    spent = [
        of_compaction(before, after, span, count=len, mask=str, cost=cost, orphans=0)["tokens_spent"]
        for cost in (
            Cost(None, model=True),
            Cost(Usage(), model=True),
            Cost(Usage(tokens_in=50, tokens_out=7), model=True),
            Cost(Usage(tokens_out=7), model=False),
        )
    ]
    assert spent == [131, 131, 57, 7]
    assert of_compaction(Summary(), Summary(), Span(()), count=len, mask=str, cost=FREE, orphans=0)["ratio"] == 1.0


def test_items_that_tell_an_old_value_are_stale() -> None:
    span = Span((), slots={"trip.origin": "York"}, others={"trip.origin": ("Oslo",), "trip.hotel": ("Grand Plaza",)})
    items = summary(
        ("fact", "We leave from Oslo"),
        ("refusal", "We do not leave from Oslo"),
        ("decision", "Leave from York"),
        ("decision", "Sleep at the Grand Plaza"),
        ("fact", "not from Oslo"),
    ).items
    pathed = Item(ident=9, kind="fact", text="from Oslo", sources=("u0",), path="trip.origin")
    assert [item.ident for item in stale((*items, pathed), Values(span))] == [1, 4, 9]


def test_what_must_be_masked_is_found_in_texts_and_quotes() -> None:
    items = summary(("fact", "code 1234"), ("fact", "code")).items
    quoted = Item(ident=7, kind="quote", text="that", sources=("u0",), quote="1234")
    assert [item.ident for item in unmasked((*items, quoted), lambda text: text.replace("1234", "•••"))] == [1, 7]


# A session


def compacted(version: int, *items: Item, drop: tuple[int, ...] = (), **measures: float) -> Compacted:
    lost = tuple(Lost(text="x", reason="y", ident=ident) for ident in drop)
    return Compacted(
        at=NOW, version=version, trigger="high", model="m", since=0, covered=version, digest="", add=items, drop=lost,
        measures=measures,
    )  # fmt: skip


def said(turn: int, text: str) -> UserTurn:
    return UserTurn(turn=turn, id=f"u{turn}", text=text, at=NOW)


def test_a_log_is_counted() -> None:
    rule = Item(ident=1, kind="constraint", text="Never book hotels beside motorways", sources=("u0",))
    taste = Item(ident=2, kind="preference", text="We love quiet gardens", sources=("u0",))
    rooms = Item(ident=3, kind="constraint", text="预算最多5000元的酒店", sources=("u0",))
    events: list[AnyEvent] = [
        said(0, "Never book hotels beside motorways."),
        said(1, "As I said: never book hotels beside motorways!"),
        compacted(1, rule, taste, rooms, tokens_spent=40, orphans=1),
        SystemTurn(turn=2, id="s", role="system", text="Never book hotels beside motorways"),
        said(3, "Again: please, never book hotels beside motorways. We love quiet gardens."),
        said(4, "Do book hotels beside motorways. Never book anything."),
        said(5, "预算最多5000元的酒店！预算最多6000元的酒店。"),
        compacted(2, drop=(1,), tokens_spent=2),
        said(6, "Never book hotels beside motorways."),
        CompactionFailed(at=NOW, trigger="high", model="m", reason="down", usage=Usage(tokens_in=9)),
        CompactionFailed(at=NOW, trigger="high", model="m", reason="down"),
        RolledBack(at=NOW, version=3, to=1, covered=1, items=(rule, taste)),
        said(7, "Never book hotels beside motorways."),
    ]
    told = {"compactions": 2, "failures": 2, "rollbacks": 1, "tokens_spent": 51, "repeated": 3, "orphans": 1}
    assert counted(events) == told
    span = Span(user("Never book hotels beside motorways."))
    whole = of_session(events, span, count=len, mask=lambda text: text.replace("5000", "•••"))
    assert {name: whole[name] for name in told} == told
    assert (whole["tokens_covered"], whole["tokens_summary"], whole["ratio"]) == (35, 55, 1.5714)
    assert (whole["tokens_saved"], whole["secrets"], whole["negations_kept"], whole["stale"]) == (-20, 1, 1.0, 0)
    assert of_session([], Span(()), count=len, mask=str)["ratio"] == 1.0


def test_drops_take_items_out_of_what_is_compared() -> None:
    before = summary(("fact", "12 rooms"), ("fact", "14 beds"))
    after = patched(before, Patch(drop=(Drop(2, "gone"),)), 1)
    told = of_compaction(before, after, Span(user("12 rooms, 14 beds")), count=len, mask=str, cost=FREE, orphans=0)
    assert told["numbers_kept"] == 0.5

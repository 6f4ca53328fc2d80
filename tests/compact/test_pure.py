"""Patches, versions and rules, apart from any conversation; and what is moved out of messages as they come."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from slotstate import Budget, Compaction, InputError, ToolPolicy, Tracker
from slotstate.compact import Add, Amend, Commit, Drop, Patch, Rules, committed, patched
from slotstate.compact.history import versions
from slotstate.events import Item, Lost, ToolTurn, UserTurn
from slotstate.state import State, Summary, apply
from slotstate.testing import ScriptedExtractor
from tests.compact.playing import Trip
from tests.prompt.reading import CharCounter, whole_text

ITEMS = tuple(Item(ident=at, kind="fact", text=f"Item {at}.", sources=(f"m{at}",)) for at in (1, 2, 4))
SUMMARY = Summary(3, 10, ITEMS, made=5)


def test_a_patch_changes_what_it_names_and_nothing_else() -> None:
    patch = Patch(
        add=(Add("decision", "New.", ("m11",), "new", "trip.city"),),
        amend=(Amend(2, "Better.", ("m12", "m2")),),
        drop=(Drop(4, "done"),),
    )
    after = patched(SUMMARY, patch, 20)
    assert (after.version, after.covered, after.made) == (4, 20, 6)
    assert [item.ident for item in after.items] == [1, 2, 6], "numbers are never given twice"
    assert after.items[0] is ITEMS[0]
    assert after.items[1] == ITEMS[1].model_copy(update={"text": "Better.", "sources": ("m2", "m12")})
    assert after.items[2].path == "trip.city"
    commit = Commit(datetime(2026, 1, 1, tzinfo=UTC), "manual", "x", 20, "d", (Lost(text="a", reason="b"),))
    event = committed(SUMMARY, patch, commit)
    assert (event.since, event.covered, event.version) == (10, 20, 4)
    assert event.drop == (Lost(text="Item 4.", reason="done", ident=4),)
    assert apply(State(summary=SUMMARY), event).summary == after
    assert versions([])[0] == Summary()


@pytest.mark.parametrize(
    ("patch", "hint"),
    [
        (Patch(drop=(Drop(3, "x"),)), r"no item 3 in the summary: it has \[1, 2, 4\]"),
        (Patch(amend=(Amend(2, "x", ()),), drop=(Drop(2, "x"),)), "item 2 is amended and dropped: do one"),
        (Patch(drop=(Drop(2, "x"), Drop(2, "y"))), "item 2 is changed twice: change it once"),
        (Patch(amend=(Amend(1, "x", ()), Amend(1, "y", ()))), "item 1 is changed twice"),
    ],
)
def test_a_patch_that_contradicts_itself_is_refused(patch: Patch, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        patched(SUMMARY, patch, 20)
    with pytest.raises(InputError, match="it has none"):
        patched(Summary(), Patch(drop=(Drop(1, "x"),)), 1)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"high": 0}, "high mark is a share"),
        ({"high": 1.01}, "high mark is a share"),
        ({"recent": -1}, "recent is a number"),
        ({"most": -3}, "most is a number"),
    ],
)
def test_figures_that_cannot_be_meant_are_refused(options: dict[str, Any], hint: str) -> None:
    for make in (Rules, Compaction):
        with pytest.raises(InputError, match=hint):
            make(**options)


def test_each_tool_has_its_policy() -> None:
    compaction = Compaction(
        tools={"ping": ToolPolicy(drop=True), "pay": ToolPolicy(keep=True), "find": ToolPolicy(limit=500)}, recent=0
    )
    assert compaction.rules(spare=False).policy("other") == ToolPolicy()
    chat = Tracker(Trip, extractor=ScriptedExtractor(), compaction=compaction).open("s")
    chat.assistant("Oslo?", offers={"trip.city": "Oslo"})
    chat.user("yes, look")
    for name in ("ping", "pay", "find"):
        chat.tool_call(name, name, {})
    for name in ("find", "ping", "pay"):
        chat.tool_result(name, f"{name} " * 1_000)
    chat.user("and?")
    prompt = chat.prompt(Budget(None, counter=CharCounter(), profile="vllm"))
    found = {message["tool_call_id"]: message["content"] for message in prompt.messages if message["role"] == "tool"}
    assert found["pay"] == "pay " * 1_000
    assert len(found["find"]) <= 500
    assert len(found["ping"]) < 200
    reasons = {line.id: line.reason for line in prompt.ledger if line.reason}
    assert set(reasons.values()) == {"left out", "a preview"}
    results = [message for message in chat.messages if isinstance(message, ToolTurn)]
    assert [message.blob is None for message in results] == [False, True, True]
    assert chat.recall(results[0].id) == "find " * 1_000
    assert chat.recall(results[1].id) == "ping " * 1_000


def test_pictures_are_a_line_and_their_payload_is_in_the_store() -> None:
    payload = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
    data = base64.b64encode(payload).decode()
    chat = Tracker(Trip, extractor=ScriptedExtractor()).open("s")
    parts: list[Any] = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]
    chat.add({"role": "user", "content": parts, "id": "m0"})
    (event,) = chat.messages
    assert isinstance(event, UserTurn)
    (blob,) = event.blobs
    assert (blob.kind, blob.size, blob.media) == ("image", len(payload), "image/png")
    text = whole_text(chat.prompt(Budget(None)))
    assert data[:40] not in text
    assert blob.ref in text
    assert "What is this?" in text
    assert "example.org" in text
    assert chat.recall(blob.ref) == f"[{len(payload)} bytes that are no text]"
    assert chat.recall("m0") == event.text

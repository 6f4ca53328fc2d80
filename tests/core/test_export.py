"""An export is all that is kept of somebody, complete, in an order that does not change."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import InputError, Slot, Tracker
from slotstate.archive import Export
from slotstate.events import dump_event
from slotstate.export import exported, written
from slotstate.log import Entry
from slotstate.state import replay
from slotstate.stores import MemoryStore, open_store
from slotstate.testing import ScriptedExtractor, change

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Trip(BaseModel):
    """Plan a trip."""

    city: str | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def tracker(store: Any, **more: Any) -> Tracker:
    script = [[change("trip.city", value="Oslo", quote="Oslo"), change("trip.card", value="4929", quote="4929")]]
    return Tracker(Trip, extractor=ScriptedExtractor(script), store=store, clock=Clock(), masks=[r"\b\d{4}\b"], **more)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_everything_is_there_and_nothing_is_masked(kind: str, tmp_path: Path) -> None:
    store = MemoryStore() if kind == "memory" else open_store(f"sqlite:///{tmp_path / 'f.db'}")
    own = tracker(store, tenant="acme")
    chat = own.open("s", user="ada")
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    chat.add({"role": "user", "content": [{"type": "text", "text": "to Oslo, my card is 4929"}, picture]})
    chat.tool_call("c1", "find", {})
    chat.tool_result("c1", "row 4929\n" * 2_000)
    told = own.export("s")
    (one,) = told["sessions"]
    assert (told["format"], told["tenant"], one["session"], one["user"]) == (1, "acme", "s", "ada")
    assert one["state"]["trip"]["card"]["value"] == "4929"
    assert one["state"]["trip"]["city"]["quote"] == "Oslo"
    assert one["entries"][0]["event"]["text"].startswith("to Oslo, my card is 4929")
    assert "row •••" in one["entries"][-1]["event"]["text"], "a preview is kept as it was written"
    assert [line["seq"] for line in one["entries"]] == list(range(len(chat.entries)))
    assert (one["began"], one["touched"]) == (one["entries"][0]["at"], one["entries"][-1]["at"])
    image, rows = one["blobs"].values()
    assert (image["kind"], image["media"], image["encoding"]) == ("image", "image/png", "base64")
    assert base64.b64decode(image["content"]) == base64.b64decode(PIXEL)
    assert (rows["encoding"], rows["size"], rows["content"]) == ("utf-8", 18_000, "row 4929\n" * 2_000)
    read = Export.model_validate(told).sessions[0]
    entries = [Entry(line.seq, line.at, line.event) for line in read.entries]
    assert [entry.event for entry in entries] == [entry.event for entry in chat.entries]
    assert json.loads(dump_event(entries[0].event)) == one["entries"][0]["event"]
    own.store.forget(session="s")
    assert own.export() == {"format": 1, "tenant": "acme", "sessions": []}


def test_what_fits_is_exported() -> None:
    store = MemoryStore()
    own, other = tracker(store), tracker(store, tenant="other")
    for name, user in (("b", "ada"), ("a", "ada"), ("c", "bob")):
        own.open(name, user=user).assistant("Hello.")
    other.open("x", user="ada").assistant("Hello.")
    assert [one["session"] for one in own.export()["sessions"]] == ["a", "b", "c"]
    assert [one["session"] for one in own.export(user="ada")["sessions"]] == ["a", "b"]
    assert own.export("a", user="ada")["sessions"] == own.export("a")["sessions"]
    assert own.export(user="nobody")["sessions"] == []
    with pytest.raises(InputError, match="there is no session 'a' of 'bob'"):
        own.export("a", user="bob")
    with pytest.raises(InputError, match="there is no session 'x': sessions"):
        own.export("x")
    assert json.dumps(own.export()) == json.dumps(own.export())


def test_a_blob_that_is_lost_is_told() -> None:
    class Losing(MemoryStore):
        def load_blob(self, session: str, ref: str) -> bytes | None:
            return None

    own = tracker(Losing())
    own.open("s").tool_result("c1", "row\n" * 4_000)
    (blob,) = own.export("s")["sessions"][0]["blobs"].values()
    assert (blob["size"], blob["content"]) == (16_000, None)


def test_a_text_that_is_none_any_more_comes_as_bytes() -> None:
    class Garbling(MemoryStore):
        def load_blob(self, session: str, ref: str) -> bytes | None:
            return b"\xff\xfe"

    own = tracker(Garbling())
    own.open("s").tool_result("c1", "row\n" * 4_000)
    (blob,) = own.export("s")["sessions"][0]["blobs"].values()
    assert (blob["encoding"], base64.b64decode(blob["content"])) == ("base64", b"\xff\xfe")


def test_what_is_forgotten_meanwhile_is_left_out() -> None:
    class Forgetting(MemoryStore):
        def load(self, session: str, after: int = 0) -> Any:
            return () if session == "gone" else super().load(session, after)

    own = tracker(Forgetting())
    own.open("gone").assistant("Hello.")
    own.open("s").assistant("Hello.")
    assert [one["session"] for one in own.export()["sessions"]] == ["s"]


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["s", "t"]), st.sampled_from(["user", "assistant", "set"]), WORDS)), WORDS)
def test_what_is_written_piece_by_piece_is_the_same(said: list[tuple[str, str, str]], tenant: str) -> None:
    own = tracker(MemoryStore(), tenant=tenant.replace("\0", ""))
    for session, name, text in said:
        chat = own.open(session)
        if name == "user":
            chat.user(text)
        elif name == "assistant":
            chat.assistant(text)
        else:
            chat.set("trip.card", f"x{text}")
    told = own.export()
    pieces = "".join(written(own.store.tenant, exported(own.store, own.domains, None, None)))
    assert json.loads(pieces) == told
    for one in Export.model_validate(told).sessions:
        state = replay(line.event for line in one.entries)
        assert state == replay(entry.event for entry in own.open(one.session).entries)

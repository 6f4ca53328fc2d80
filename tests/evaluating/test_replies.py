"""Replies kept by what was asked, with the real `openai` and `instructor` packages over a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import instructor
import pytest
from openai import AsyncOpenAI, OpenAI

from slotstate.evaluating.replies import Replies, default_folder, scope_of
from slotstate.extract import Extraction
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.providers import keeping
from slotstate.providers.keeping import OWN, kept
from tests.extractors.server import Action, Server, changes, completion, error, item, prose, raw, serving, text
from tests.extractors.trips import ask, import_now

GOOD = changes(item("leave from Oslo", "trip.origin", "Oslo"))
OTHER = changes(item("Two of us", "trip.people", "two"))


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    import_now()


def extract(server: Server, replies: Replies | None, kind: str = "made", **options: Any) -> Extraction:
    """Extract with a client of a kind: one that is made for it, or one of the user's own."""
    with keeping(replies):
        match kind:
            case "made":
                extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, **options)
                try:
                    return extractor.extract(ask())
                finally:
                    extractor.close()
            case "async":
                return asyncio.run(_awaited(server))
            case _:
                with OpenAI(base_url=server.url, api_key="k") as client:
                    own: Any = instructor.from_openai(client, model="fake") if kind == "instructor" else client
                    model = None if kind == "instructor" else "fake"
                    return InstructorExtractor(own, model=model).extract(ask())


async def _awaited(server: Server) -> Extraction:
    async with AsyncOpenAI(base_url=server.url, api_key="k") as client:
        return await InstructorExtractor(client, model="fake").aextract(ask())


@pytest.mark.parametrize("kind", ["made", "sync", "async", "instructor"])
def test_the_same_call_is_not_made_twice(kind: str, tmp_path: Path) -> None:
    with serving(GOOD, OTHER) as server:
        replies = Replies(tmp_path)
        first = extract(server, replies, kind)
        assert (len(server.bodies), replies.counts()) == (1, {"made": 1, "kept": 0})
        again = Replies(tmp_path)
        second = extract(server, again, kind)
        assert (len(server.bodies), again.counts()) == (1, {"made": 0, "kept": 1})
    assert second.changes == first.changes != ()
    assert second.usage == first.usage  # told as it was when it was made
    assert again.saved_ms > 0


def test_another_server_on_this_machine_is_asked_for_itself(tmp_path: Path) -> None:
    with serving(GOOD) as server, serving(OTHER) as other:
        first = extract(server, Replies(tmp_path))
        second = extract(other, Replies(tmp_path))
        assert len(other.bodies) == 1
        assert [one.path for one in (*first.changes, *second.changes)] == ["trip.origin", "trip.people"]


def test_a_server_that_was_started_here_is_the_same_at_any_port(tmp_path: Path, own: Callable[[Server], None]) -> None:
    with serving(GOOD) as server:
        own(server)
        first = extract(server, Replies(tmp_path))
    with serving(OTHER) as elsewhere:
        own(elsewhere)
        assert extract(elsewhere, Replies(tmp_path)).changes == first.changes
        assert not elsewhere.bodies


@pytest.fixture
def own() -> Iterator[Callable[[Server], None]]:
    """Lets a server count as one that was started here."""
    yield lambda server: OWN.add(urlsplit(server.url).netloc)
    OWN.clear()


UNANSWERED: dict[str, Action] = {
    "an error with 200": raw(200, {"error": {"message": "try later", "code": 503}}),
    "no choices": raw(200, {**completion({}), "choices": []}),
    "no text": text(""),
    "blanks": text("  \n"),
    "nothing": text(None),
    "ended by an error": text("{}", finish="error"),
    "cut off": text('{"changes": [{"quote": "lea', finish="length"),
}


@pytest.mark.parametrize("action", UNANSWERED.values(), ids=UNANSWERED)
def test_what_answers_nothing_is_asked_again(action: Action, tmp_path: Path) -> None:
    with serving(action, GOOD) as server:
        assert not extract(server, Replies(tmp_path), retries=0).changes
        assert not list(tmp_path.rglob("*.json"))
        assert extract(server, Replies(tmp_path), retries=0).changes


def test_a_refusal_is_an_answer(tmp_path: Path) -> None:
    with serving(text(None, refusal="I must not.")) as server:
        for _ in range(2):
            assert "refused" in str(extract(server, Replies(tmp_path)).error)
        assert len(server.bodies) == 1


def test_kept_replies_that_answer_nothing_are_asked_for_again(tmp_path: Path) -> None:
    with serving(GOOD) as server:
        first = extract(server, Replies(tmp_path))
        (file,) = tmp_path.rglob("*.json")
        stored = json.loads(file.read_text())
        stored["reply"]["reply"]["choices"] = []  # as earlier releases kept it
        file.write_text(json.dumps(stored))
        again = Replies(tmp_path)
        assert extract(server, again).changes == first.changes
        assert again.counts() == {"made": 1, "kept": 0}


@pytest.mark.parametrize("ms", ["NaN", "Infinity", "-1", "1" + "0" * 400, "null"])
def test_a_reply_with_an_impossible_time_is_asked_for_again(ms: str, tmp_path: Path) -> None:
    with serving(GOOD) as server:
        first = extract(server, Replies(tmp_path))
        (file,) = tmp_path.rglob("*.json")
        reply = json.dumps(json.loads(file.read_text())["reply"])
        file.write_text(f'{{"reply": {reply}, "ms": {ms}}}')
        again = Replies(tmp_path)
        assert extract(server, again).changes == first.changes
        assert (again.counts(), again.saved_ms) == ({"made": 1, "kept": 0}, 0)
        assert 0 <= json.loads(file.read_text())["ms"] < 60_000


@pytest.mark.parametrize(
    "options", [{"temperature": 0.5}, {"max_tokens": 99}, {"ops": ("set",)}, {"mode": "TOOLS"}], ids=str
)
def test_whatever_decides_a_reply_makes_another_call(options: dict[str, Any], tmp_path: Path) -> None:
    with serving(GOOD) as server:
        extract(server, Replies(tmp_path), mode="JSON_SCHEMA")
        extract(server, Replies(tmp_path), **{"mode": "JSON_SCHEMA", **options})
        assert len(server.bodies) == 2
        extract(server, Replies(tmp_path, "another model file"), mode="JSON_SCHEMA")
        assert len(server.bodies) == 3


def test_every_attempt_is_a_call_of_its_own(tmp_path: Path) -> None:
    with serving(prose("I do not know."), GOOD) as server:
        first = extract(server, Replies(tmp_path))
        again = Replies(tmp_path)
        assert extract(server, again).changes == first.changes
        assert (len(server.bodies), again.counts()) == (2, {"made": 0, "kept": 2})


def test_an_interrupted_run_goes_on_with_what_was_kept(tmp_path: Path) -> None:
    down: Action = error(401, "no key")
    with serving(prose("Hm."), down, GOOD) as server:
        assert extract(server, Replies(tmp_path)).error is not None
        replies = Replies(tmp_path)
        assert extract(server, replies).error is None
        assert replies.counts() == {"made": 1, "kept": 1}  # what failed was not kept


def test_what_cannot_be_read_is_asked_for_again_and_written_anew(tmp_path: Path) -> None:
    with serving(GOOD) as server:
        extract(server, Replies(tmp_path))
        (file,) = tmp_path.rglob("*.json")
        good = file.read_text()
        reply = json.loads(good)["reply"]
        for broken in (
            "",
            "{",
            "[]",
            "[" * 100_000,
            '{"reply": 1}',
            '{"reply": {"reply": {}}, "ms": "x"}',
            '{"reply": null, "ms": 1}',
            '{"reply": {"kind": "os:system", "reply": "true"}, "ms": 1}',
            '{"reply": {"kind": "openai.nowhere:X", "reply": {}}, "ms": 1}',
            '{"reply": {"kind": "openai:OpenAI", "reply": {}}, "ms": 1}',
            json.dumps({"reply": {**reply, "reply": {"choices": 7}}, "ms": 1}),
        ):
            file.write_text(broken)
            replies = Replies(tmp_path)
            extract(server, replies)
            assert replies.counts() == {"made": 1, "kept": 0}
            assert json.loads(file.read_text())["reply"] == reply
    assert not list(tmp_path.rglob("*.part"))


def test_a_reply_counts_though_it_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving(GOOD) as server:
        found = extract(server, Replies(tmp_path / "file"))
    assert (len(found.changes), found.error) == (1, None)


def test_without_a_keeper_every_call_is_made(tmp_path: Path) -> None:
    with serving(GOOD) as server:
        for _ in range(2):
            extract(server, None)
        assert len(server.bodies) == 2


def test_a_client_that_cannot_be_looked_into_is_left_as_it_is(tmp_path: Path) -> None:
    strange = object()
    with keeping(Replies(tmp_path)):
        assert kept(strange) is strange


class Plain:
    """A client, as instructor makes them, around a function that answers with a plain object."""

    def __init__(self) -> None:
        self.asked = 0

        def call(**arguments: Any) -> dict[str, Any]:
            self.asked += 1
            return {"content": "x", "arguments": sorted(arguments)}

        made = instructor.from_openai(OpenAI(api_key="k"))
        from instructor.v2.core.patch import patch_v2

        made.create_fn = patch_v2(call, made.provider, made.mode)
        self.client = made


def test_a_reply_that_is_a_plain_object_is_kept(tmp_path: Path) -> None:
    plain, replies = Plain(), Replies(tmp_path)
    with keeping(replies):
        answers = [
            kept(plain.client).create(response_model=None, messages=[{"role": "user", "content": "hm"}], model="m")
            for _ in range(2)
        ]
    assert (answers[0], plain.asked, replies.counts()) == (answers[1], 1, {"made": 1, "kept": 1})


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return monkeypatch


def test_replies_are_kept_in_the_users_own_folder(home: pytest.MonkeyPatch) -> None:
    home.setattr("sys.platform", "linux")
    assert default_folder() == Path("/home/ada/.cache/slotstate/replies")
    home.setenv("XDG_CACHE_HOME", "/var/ada")
    assert default_folder() == Path("/var/ada/slotstate/replies")
    home.setattr("sys.platform", "darwin")
    assert default_folder() == Path("/home/ada/Library/Caches/slotstate/replies")
    home.setattr("sys.platform", "win32")
    home.setenv("LOCALAPPDATA", "/ada/local")
    assert default_folder() == Path("/ada/local/slotstate/replies")


def test_the_content_of_a_model_file_decides_too(tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    model.write_bytes(b"one")
    one = scope_of(f"local:{model}")
    assert scope_of(f"chain:builtin,local:{model}") == one != ""
    model.write_bytes(b"two")
    assert scope_of(f"local:{model}") != one
    assert scope_of("local:missing.gguf") == scope_of("builtin") == ""

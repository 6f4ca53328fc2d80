"""Where clients come from: provider strings and ready clients of all kinds, and what is wrong with them said early."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from slotstate.errors import ExtractorError, InputError, MissingExtra, TemplateError
from slotstate.extract import Change
from slotstate.extractors import make_extractor
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.providers import known
from slotstate.providers.failures import keys_of, passing, redact, status_of
from slotstate.tracker import Tracker
from tests.extractors.server import Server, changes, error, hang, item, serving, slowly
from tests.extractors.trips import Trip, ask

HELD = (Change("set", "trip.origin", "Oslo", "from Oslo"),)
GOOD = changes(item("from Oslo", "trip.origin", "Oslo"))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(GOOD) as running:
        yield running


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "PROVIDER/MODEL"),
        ("openai", "PROVIDER/MODEL"),
        ("openai/", "PROVIDER/MODEL"),
        ("/gpt", "PROVIDER/MODEL"),
        ("opnai/gpt", "unknown provider 'opnai'; did you mean 'openai'?"),
    ],
)
def test_malformed_provider_strings(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        make_extractor(f"instructor:{name}")


def test_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ExtractorError, match="openai needs a key: set OPENAI_API_KEY, or pass extra="):
        InstructorExtractor("openai/gpt-5-mini")
    InstructorExtractor("openai/gpt-5-mini", extra={"api_key": "given"})
    monkeypatch.setenv("OPENAI_API_KEY", "set")
    InstructorExtractor("openai/gpt-5-mini")


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtra, match="cohere, which cohere needs, is not installed; install it with: pip install"
    ):
        InstructorExtractor("cohere/command")


def test_bad_options() -> None:
    bad: list[dict[str, Any]] = [{"retries": -1}, {"deadline": 0}, {"mode": "TOOL"}, {"model": "again"}]
    for options in bad:
        with pytest.raises(InputError):
            InstructorExtractor("ollama/llama", **options)
    with pytest.raises(InputError, match="did you mean 'TOOLS'"):
        InstructorExtractor("ollama/llama", mode="tool")
    with pytest.raises(InputError, match="no operation 'sett'; did you mean 'set'"):
        InstructorExtractor("ollama/llama", ops=("sett",))  # type: ignore[arg-type]
    for ops in ((), "set", ("expire",)):
        with pytest.raises(InputError):
            InstructorExtractor("ollama/llama", ops=ops)  # type: ignore[arg-type]
    with pytest.raises(TemplateError, match=r"system\.jinja"):
        InstructorExtractor("ollama/llama", template="nowhere")


def test_what_only_shows_at_first_use_is_an_error_of_the_extraction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "very-secret-key-2")
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    found = InstructorExtractor("azure_openai/gpt").extract(ask())
    assert found.error is not None
    assert found.error.startswith("azure_openai/gpt cannot be used: AZURE_OPENAI_ENDPOINT is not set")


def test_making_one_imports_nothing_heavy() -> None:
    code = (
        "import sys; from slotstate.extractors import make_extractor; make_extractor('instructor:ollama/llama');"
        "assert not {'instructor', 'openai', 'httpx2', 'tenacity'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


SLOW_IMPORT = """
import asyncio, sys, time
from slotstate.extractors.instructor import InstructorExtractor
from tests.extractors.server import changes, serving
from tests.extractors.trips import ask

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "instructor":
            time.sleep(9)

sys.meta_path.insert(0, Slow())
with serving(changes()) as server:
    extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, deadline=8)
    found = extractor.extract(ask()) if sys.argv[1] == "sync" else asyncio.run(extractor.aextract(ask()))
    assert found.error is None, found.error
"""


@pytest.mark.parametrize("how", ["sync", "async"])
def test_the_first_import_is_no_part_of_the_deadline(how: str) -> None:
    subprocess.run([sys.executable, "-c", SLOW_IMPORT, how], check=True, timeout=120)


def test_modes() -> None:
    assert known.mode_for("openai", None) == "TOOLS"
    assert known.mode_for("openai", "https://api.openai.com/v1") == "TOOLS"
    assert known.mode_for("openai", "http://localhost:8000/v1") == "JSON_SCHEMA"
    assert known.mode_for("ollama", None) == "JSON_SCHEMA"
    assert {provider.mode for provider in known.PROVIDERS.values()} <= set(known.MODES)


def test_every_provider_is_one_of_instructors() -> None:
    from instructor.v2.core.provider_specs import ALIAS_TO_PROVIDER

    assert set(known.PROVIDERS) == set(ALIAS_TO_PROVIDER)


def test_models_that_think_get_no_temperature_and_room() -> None:
    for model in ("gpt-5-mini", "o3", "gpt-5"):
        assert known.sampling("openai", model, 0, None) == {"max_completion_tokens": 8_192}
    assert known.sampling("openai", "gpt-5-chat-latest", 0, None) == {"max_tokens": 1_024, "temperature": 0}
    assert known.sampling("anthropic", "claude", None, 100) == {"max_tokens": 100}


# Ready clients


def test_a_ready_openai_client(server: Server) -> None:
    import openai

    with openai.OpenAI(base_url=server.url, api_key="k") as client:
        extractor = InstructorExtractor(client, model="fake")
        assert extractor.extract(ask()).changes == HELD
        assert asyncio.run(extractor.aextract(ask())).changes == HELD
        extractor.close()
        assert not client.is_closed()
    assert {body["model"] for body in server.bodies} == {"fake"}


async def test_a_ready_async_openai_client(server: Server) -> None:
    import openai

    async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as client:
        extractor = InstructorExtractor(client, model="fake")
        assert (await extractor.aextract(ask())).changes == HELD


def test_a_ready_async_openai_client_for_sync_callers(server: Server) -> None:
    import openai

    from slotstate.providers.portal import submit

    client = openai.AsyncOpenAI(base_url=server.url, api_key="k")
    extractor = InstructorExtractor(client, model="fake")
    assert [extractor.extract(ask()).changes for _ in range(2)] == [HELD, HELD]
    submit(client.close()).result(5)


def test_a_ready_instructor_client(server: Server) -> None:
    import instructor
    import openai

    with openai.OpenAI(base_url=server.url, api_key="k") as raw:
        client = instructor.from_openai(raw, model="mine", mode=instructor.Mode.TOOLS)
        extractor = InstructorExtractor(client)
        assert extractor.extract(ask()).changes == HELD
        assert InstructorExtractor(client, model="other").extract(ask()).model == "other"
    assert [body["model"] for body in server.bodies] == ["mine", "other"]
    assert "tools" in server.bodies[0]


async def test_a_ready_async_instructor_client(server: Server) -> None:
    import instructor
    import openai

    async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as raw:
        client = instructor.from_openai(raw, model="mine", mode=instructor.Mode.JSON_SCHEMA)
        assert (await InstructorExtractor(client).aextract(ask())).changes == HELD


def test_ready_clients_that_cannot_be_used(server: Server) -> None:
    import instructor
    import openai

    with openai.OpenAI(base_url=server.url, api_key="k") as raw:
        with pytest.raises(InputError, match="needs a model"):
            InstructorExtractor(raw)
        with pytest.raises(InputError, match="has its own mode"):
            InstructorExtractor(instructor.from_openai(raw), mode="TOOLS")
    with pytest.raises(InputError, match="int is no client"):
        InstructorExtractor(3)


def test_a_ready_client_keeps_its_own_retries() -> None:
    import openai

    with serving(error(500), GOOD) as server:
        for retries, found in ((0, ()), (1, HELD)):
            server.bodies.clear()
            with openai.OpenAI(base_url=server.url, api_key="k", max_retries=retries) as client:
                assert InstructorExtractor(client, model="m").extract(ask()).changes == found


def test_the_deadline_is_hard_for_a_client_that_blocks() -> None:
    import openai

    with serving(hang) as server, openai.OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        extractor = InstructorExtractor(client, model="m")
        started = time.monotonic()
        found = [extractor.extract(ask(deadline=0.3)), asyncio.run(extractor.aextract(ask(deadline=0.3)))]
        took = time.monotonic() - started
    # Which of the two comes first, our deadline or the timeout that the client was given for it, is a matter of load.
    assert all("deadline of 0.3 s" in (one.error or "") or "timed out" in (one.error or "") for one in found)
    assert took < 20  # without a deadline each would take 30 s


# Loops and threads


def test_several_runs_in_a_row_and_sync_calls_between(server: Server) -> None:
    extractor = InstructorExtractor("openai/m", extra={"base_url": server.url})
    for _ in range(3):
        assert asyncio.run(extractor.aextract(ask())).changes == HELD
        assert extractor.extract(ask()).changes == HELD
    extractor.close()
    assert extractor.extract(ask()).changes == HELD  # a closed one opens again
    extractor.close()
    del extractor
    gc.collect()


def test_sync_calls_from_several_threads() -> None:
    with serving(slowly(0.2, GOOD)) as server:
        extractor = InstructorExtractor("openai/m", extra={"base_url": server.url})
        extractor.extract(ask())
        found: list[object] = []
        threads = [threading.Thread(target=lambda: found.append(extractor.extract(ask()).changes)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        extractor.close()
    assert found == [HELD] * 8


async def test_a_cancelled_call_ends_at_the_server_too() -> None:
    with serving(hang, GOOD) as server:
        extractor = InstructorExtractor("openai/m", extra={"base_url": server.url})
        task = asyncio.create_task(extractor.aextract(ask()))
        assert await asyncio.to_thread(server.asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await extractor.aextract(ask())).changes == HELD
        extractor.close()


def test_context_variables_reach_the_call(server: Server) -> None:
    import instructor
    import openai

    trace: contextvars.ContextVar[str] = contextvars.ContextVar("trace", default="none")
    seen: list[str] = []
    with openai.OpenAI(base_url=server.url, api_key="k") as raw:
        client = instructor.from_openai(raw, model="m")
        client.on("completion:kwargs", lambda *_, **__: seen.append(trace.get()))
        trace.set("mine")
        InstructorExtractor(client).extract(ask())
    assert seen == ["mine"]


# Errors


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        self.status_code = status


def test_errors_are_known_by_their_shape() -> None:
    assert [status for status in (400, 401, 404, 408, 429, 500, 529) if passing(StatusError(status))] == [
        408,
        429,
        500,
        529,
    ]
    assert passing(ConnectionResetError())
    assert passing(TimeoutError())
    assert not passing(KeyError("x"))
    assert status_of(KeyError("x")) is None


def test_redaction() -> None:
    assert redact("a\n  b", ()) == "a b"
    assert redact("key 12345678", {"12345678"}) == "key •••"
    assert redact("sk-ant-REDACTED", ()) == "•••"
    assert len(redact("x" * 1_000)) == 300
    assert "secret-x" in keys_of({"api_key": "secret-x", "base_url": "http://a"})


LOUD = ("openai", "instructor", "httpx2", "httpcore2")


def test_the_clients_own_loggers_are_kept_quiet_as_the_docs_say(server: Server) -> None:
    """At DEBUG they write down what is sent; slotstate's records do not."""
    import openai

    heard: list[logging.LogRecord] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record)

    handler = Listening()
    root = logging.getLogger()
    before = root.level, [logging.getLogger(name).level for name in LOUD]
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    for name in LOUD:
        logging.getLogger(name).setLevel(logging.NOTSET)
    try:
        with openai.OpenAI(base_url=server.url, api_key="k") as client:
            chat = Tracker(Trip, extractor=InstructorExtractor(client, model="fake")).open("s")
            chat.user("the word is Zanzibar")
            telling = {one.name.partition(".")[0] for one in heard if "Zanzibar" in one.getMessage() + repr(one.args)}
            assert telling
            assert telling <= set(LOUD)
            for name in LOUD:
                logging.getLogger(name).setLevel(logging.WARNING)
            heard.clear()
            chat.user("again Zanzibar")
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        for name, level in zip(LOUD, before[1], strict=True):
            logging.getLogger(name).setLevel(level)
    assert heard
    assert not any("Zanzibar" in one.getMessage() + repr(vars(one)) for one in heard)

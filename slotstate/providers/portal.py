"""One event loop in a daemon thread, on which all clients that are made here live.

A client's connections belong to the loop that opened them: with a client for each caller's loop, several `asyncio.run`
in a row would each open connections anew and leave them behind. Here connections stay warm for sync and async callers
alike, and a call past its deadline can be cancelled, which a blocked thread cannot.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def portal() -> asyncio.AbstractEventLoop:
    """The loop, started when first asked for."""
    with _lock:
        if not _loops:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="slotstate-providers", daemon=True).start()
            _loops.append(loop)
        return _loops[0]


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run `work` on the portal's loop, in the caller's context."""
    return asyncio.run_coroutine_threadsafe(work, portal())


def in_thread(work: Callable[[], T]) -> Future[T]:
    """Run blocking `work` in a daemon thread of its own, in the caller's context: one can stop waiting for it."""
    future: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(context.run(work))
        except BaseException as error:  # the waiting caller raises it
            future.set_exception(error)

    threading.Thread(target=run, name="slotstate-call", daemon=True).start()
    return future


def _forget() -> None:
    """After a fork the thread is gone; its loop is of no use."""
    if _lock.locked():  # by a thread that is gone as well
        _lock.release()
    _loops.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

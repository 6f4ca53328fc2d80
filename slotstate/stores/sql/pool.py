"""Connections that are used again. SQLAlchemy's pool does more than a store needs, and takes as long as its SQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Lock
from time import monotonic
from typing import Any


class Busy(Exception):
    """All connections were in use for too long."""


class Pool:
    """At most `size` connections, made as they are needed; the one that was used last is taken first. Who finds none
    waits up to `patience` seconds.
    """

    def __init__(self, connect: Callable[[], Any], size: int, patience: float) -> None:
        self._connect = connect
        self._size = size
        self._patience = patience
        self._idle: list[Any] = []
        self._made = 0
        self._closed = False
        self._waiting = 0
        self._lock = Lock()
        self._changed = Condition(self._lock)

    def take(self) -> Any:
        """A connection, to be given back or dropped. Raises Busy, and what comes up while connecting."""
        try:
            return self._idle.pop()  # one operation, whoever else is at it
        except IndexError:
            return self._wait()

    def _wait(self) -> Any:
        """The next connection that is free, or a new one."""
        until = monotonic() + self._patience
        with self._changed:
            self._waiting += 1
            try:
                while self._made >= self._size:
                    if self._idle:
                        with suppress(IndexError):  # another one may be faster, without the lock
                            return self._idle.pop()
                    if not self._changed.wait(max(until - monotonic(), 0)):
                        raise Busy
                self._made += 1
            finally:
                self._waiting -= 1
        try:
            return self._connect()
        except BaseException:
            self._one_less()
            raise

    def give(self, connection: Any) -> None:
        """Let others use a connection."""
        with self._lock:
            closed = self._closed
            if not closed:
                self._idle.append(connection)
                if self._waiting:
                    self._changed.notify()
        if closed:
            connection.close()

    def drop(self, connection: Any) -> None:
        """Close a connection that can be used no more."""
        with suppress(Exception):  # it is broken
            connection.close()
        self._one_less()

    def close(self) -> None:
        """Close the connections; those in use once they are given back."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _one_less(self) -> None:
        with self._changed:
            self._made -= 1
            self._changed.notify()

"""Stands between a client and a server's socket, and drops connections when it is told to."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

Cut = Literal["before", "after"]


class Proxy:
    """A Unix socket in a folder, as PostgreSQL names it. `cut` is asked about each message of the client (its bytes);
    "before" drops the connection instead of passing it on, "after" once the server has answered, with the answer lost.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / server.name))
        self._listener.listen()
        self.cut: Callable[[bytes], Cut | None] = lambda sent: None
        self.cuts = 0
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def drop_all(self) -> None:
        """Hang up on everybody."""
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()
        self.drop_all()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._server))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open += [client, server]
            pair = _Pair(self, client, server)
            threading.Thread(target=pair.upstream, daemon=True).start()
            threading.Thread(target=pair.downstream, daemon=True).start()


class _Pair:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._mute = False

    def upstream(self) -> None:
        with contextlib.suppress(OSError):
            while sent := self._client.recv(1 << 20):
                cut = self._proxy.cut(sent)
                if cut is not None:
                    self._proxy.cuts += 1
                if cut == "before":
                    break
                self._mute = self._mute or cut == "after"
                self._server.sendall(sent)
        if not self._mute:
            self._end()

    def downstream(self) -> None:
        with contextlib.suppress(OSError):
            while answer := self._server.recv(1 << 20):
                if self._mute:  # it is done, and nobody will hear of it
                    break
                self._client.sendall(answer)
        self._end()

    def _end(self) -> None:
        for one in (self._client, self._server):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

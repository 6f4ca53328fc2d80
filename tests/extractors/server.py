"""A server that speaks OpenAI's chat-completion protocol over a real socket and answers what a test tells it to."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Action = Callable[["Handler", Body], None]
TOKENS = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        action = self.server.next(body, {name.lower(): value for name, value in self.headers.items()})
        with suppress(BrokenPipeError, ConnectionResetError):
            action(self, body)

    def send(self, status: int, payload: object, headers: Mapping[str, str] | None = None) -> None:
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.send_response(status)
        kind = "text/html" if isinstance(payload, bytes) else "application/json"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def cut(self) -> None:
        """End the connection the hard way."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, actions: Iterable[Action]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.actions = list(actions)
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.stopping = threading.Event()
        self.asked = threading.Event()
        self._lock = threading.Lock()

    def next(self, body: Body, headers: dict[str, str]) -> Action:
        with self._lock:
            index = len(self.bodies)
            self.bodies.append(body)
            self.headers.append(headers)
            self.asked.set()
            return self.actions[min(index, len(self.actions) - 1)]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # clients that hang up are part of the tests


@contextmanager
def serving(*actions: Action) -> Iterator[Server]:
    """A running server that takes one action a request, the last one for all that follow."""
    server = Server(actions)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def completion(message: Body, finish: str = "stop", usage: object = TOKENS) -> Body:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": usage,
    }


def text(content: str | None, *, finish: str = "stop", usage: object = TOKENS, **more: Any) -> Action:
    """Answer with this text: as a tool's arguments where tools were offered."""

    def act(handler: Handler, body: Body) -> None:
        if "tools" in body and content is not None:
            name = body["tools"][0]["function"]["name"]
            call = {"id": "call-1", "type": "function", "function": {"name": name, "arguments": content}}
            handler.send(200, completion({"content": None, "tool_calls": [call]}, finish, usage))
        else:
            handler.send(200, completion({"content": content, **more}, finish, usage))

    return act


def changes(*items: object, **more: Any) -> Action:
    """Answer with these changes."""
    return text(json.dumps({"changes": list(items)}, ensure_ascii=False), **more)


def item(quote: object, slot: object, value: object = None, op: str = "set") -> Body:
    return {"quote": quote, "slot": slot, "op": op, "value": value}


def prose(content: str, **more: Any) -> Action:
    """Answer with text even where a tool call was wanted."""
    return lambda handler, _: handler.send(200, completion({"content": content, **more}))


def raw(status: int, payload: object, headers: Mapping[str, str] | None = None) -> Action:
    return lambda handler, _: handler.send(status, payload, headers)


def error(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **more: Any) -> Action:
    return raw(status, {"error": {"message": message, "type": "error", **more}}, headers)


def cut_before_answer(handler: Handler, _: Body) -> None:
    handler.cut()


def cut_in_answer(status: int = 200) -> Action:
    """Send the head and some bytes of an answer, then end the connection."""

    def act(handler: Handler, _: Body) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "5000")
        handler.end_headers()
        handler.wfile.write(b'{"id": "chatcmpl-1", "choices": [')
        handler.wfile.flush()
        time.sleep(0.02)
        handler.cut()

    return act


def hang(handler: Handler, _: Body) -> None:
    """Never answer."""
    handler.server.stopping.wait(30)
    handler.close_connection = True


def trickle(handler: Handler, _: Body) -> None:
    """Send a byte now and then, for ever: no read ever times out."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.close_connection = True
    while not handler.server.stopping.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def slowly(seconds: float, action: Action) -> Action:
    def act(handler: Handler, body: Body) -> None:
        handler.server.stopping.wait(seconds)
        action(handler, body)

    return act

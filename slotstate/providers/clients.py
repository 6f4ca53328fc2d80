"""Clients: made from a provider string when first used, or given ready-made."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from slotstate.errors import ExtractorError, InputError
from slotstate.providers.failures import keys_of, redact
from slotstate.providers.known import check_provider, is_redirected, mode_for, parse_provider
from slotstate.providers.portal import portal, submit

Kind = Literal["sync", "async"]


class Client(Protocol):
    """What is used of a client: instructor's `create`."""

    def create(self, **arguments: Any) -> Any:
        """Call the model and read its answer; of an async client, to be awaited."""
        ...


class Source(Protocol):
    """Where a client comes from."""

    @property
    def provider(self) -> str:
        """The provider's name, as instructor gives it."""
        ...

    @property
    def ready(self) -> Kind | None:
        """Whether the client was given, and of what kind; None when it is made here, for the portal's loop."""
        ...

    def client(self) -> Client:
        """The client. Raises ExtractorError."""
        ...

    def close(self) -> None:
        """Close what was made here."""
        ...


@dataclass(slots=True, weakref_slot=True)
class Made:
    """A client made from `PROVIDER/MODEL`, once for the portal's loop; after a fork, anew."""

    name: str
    mode: Any
    options: Mapping[str, Any]
    provider: str = ""
    model: str = ""
    ready: Kind | None = None
    _made: tuple[asyncio.AbstractEventLoop, Any] | None = None
    _finalizer: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.provider, self.model = parse_provider(self.name)
        check_provider(self.provider, self.options)

    def client(self) -> Client:
        """The client, made at the first call. Raises ExtractorError."""
        with self._lock:
            loop = portal()
            if self._made is None or self._made[0] is not loop:
                made = self._make()
                self._made = (loop, made)
                self._finalizer = weakref.finalize(self, _close, loop, made)
                self._finalizer.atexit = False  # at the interpreter's end the sockets go by themselves
            client: Client = self._made[1]
            return client

    def _make(self) -> Any:
        quiet()
        import instructor

        options = dict(self.options)
        if is_redirected(self.provider, options):
            options["api_key"] = options.get("api_key") or os.environ.get("OPENAI_API_KEY") or "unused"
        mode = self.mode or mode_for(self.provider, options.get("base_url"))
        try:
            made = instructor.from_provider(self.name, async_client=True, mode=as_mode(mode), **options)
        except Exception as error:  # each provider's package has its own
            line = redact(f"{self.name} cannot be used: {error}", keys_of(self.options))
            raise ExtractorError(line) from None
        hush_retries(made)
        return made

    def close(self) -> None:
        """Close the client's connections; it is made anew when used again."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            self._finalizer.detach()
            _close(*made, wait=True)


def _close(loop: asyncio.AbstractEventLoop, made: Any, wait: bool = False) -> None:
    close = getattr(getattr(made, "client", None), "close", None)
    if close is None or not loop.is_running() or loop is not portal():
        return

    async def closing() -> None:
        done = close()
        if asyncio.iscoroutine(done):
            await done

    future = submit(closing())
    if wait:
        try:
            future.result(5)
        except Exception:  # closing is a courtesy: a connection that is broken already must not raise here
            logging.getLogger(__name__).debug("a client could not be closed", exc_info=True)


@dataclass(slots=True)
class Given:
    """A client that the user made; it is used as it is, its own retries included."""

    given: Any
    model: str | None
    mode: Any = None
    provider: str = "openai"
    ready: Kind | None = "sync"
    _wrapped: Any = None

    def __post_init__(self) -> None:
        names = {kind.__name__ for kind in type(self.given).__mro__}
        if names & {"Instructor", "AsyncInstructor"}:
            self._accept_instructor(names)
        elif names & {"OpenAI", "AsyncOpenAI"}:
            self.ready = "async" if "AsyncOpenAI" in names else "sync"
            if self.model is None:
                raise InputError(f"a ready {type(self.given).__name__} client needs a model: pass model='…'")
        else:
            name = type(self.given).__name__
            raise InputError(f"{name} is no client: pass 'PROVIDER/MODEL', an instructor client, or an openai one")

    def _accept_instructor(self, names: set[str]) -> None:
        if self.mode is not None:
            raise InputError("an instructor client has its own mode: give it to instructor.from_…(…, mode=…)")
        self.ready = "async" if "AsyncInstructor" in names else "sync"
        self.provider = str(getattr(self.given.provider, "value", "openai"))
        self._wrapped = self.given

    def client(self) -> Client:
        """The client, wrapped by instructor where it is openai's own."""
        if self._wrapped is None:
            quiet()
            import instructor

            base_url = str(getattr(self.given, "base_url", "") or "")
            mode = as_mode(self.mode or mode_for("openai", base_url))
            self._wrapped = instructor.from_openai(self.given, mode=mode)
        client: Client = self._wrapped
        return client

    def close(self) -> None:
        """Nothing: whoever made the client closes it."""


def as_mode(mode: Any) -> Any:
    """Instructor's own mode for its name."""
    from instructor import Mode

    return Mode[mode] if isinstance(mode, str) else mode


def hush_retries(made: Any) -> None:
    """Switch off the retries of the provider's package: our own know the deadline, these do not."""
    client: Any = getattr(made, "client", None)
    if client is not None and isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0


_NEEDED: Final = ("instructor", "openai")


def imported() -> bool:
    """Whether the packages are imported that `load` imports."""
    return all(name in sys.modules for name in _NEEDED)


def load() -> None:
    """Import what every client needs. It takes a second, once, and is no part of anybody's deadline."""
    quiet()
    for name in _NEEDED:
        import_module(name)


def quiet() -> None:
    """Keep instructor from printing errors where logging is not set up: they are told in what came of the call."""
    logger = logging.getLogger("instructor")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())

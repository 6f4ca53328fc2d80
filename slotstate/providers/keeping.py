"""Replies of models kept by what was asked, so that the same call is not made twice.

A keeper is put in place for a stretch of code with `keeping(keeper)`. A call is one attempt: what a model is told of
its mistakes makes another call.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from inspect import getclosurevars
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from slotstate.providers.calling import is_answered

Asked = Mapping[str, Any]
"""All that decides a reply, as JSON: provider, address, function, model, messages, parameters, form of the answer."""


class Keeper(Protocol):
    """Keeps replies, as JSON, by what was asked."""

    def find(self, asked: Asked, read: Callable[[Any], Any]) -> Any:
        """What `read` makes of the reply that was kept; None where there is none, or it makes nothing of it."""
        ...

    def keep(self, asked: Asked, reply: Any, ms: float) -> None:
        """Keep a reply, and how long it took."""
        ...


_KEEPER: Final[ContextVar[Keeper | None]] = ContextVar("keeper", default=None)
_NOT_ASKED: Final = frozenset({"timeout", "api_key", "extra_headers"})
"""Arguments that say nothing about the answer."""
OWN: Final[set[str]] = set()
"""Hosts with ports of the servers that were started here, each at a port that says nothing about the answer."""


@contextmanager
def keeping(keeper: Keeper | None) -> Generator[None]:
    """Calls in this context, and in threads that are started with a copy of it, go by the keeper."""
    token = _KEEPER.set(keeper)
    try:
        yield
    finally:
        _KEEPER.reset(token)


def kept(client: Any) -> Any:
    """The client, its calls kept where a keeper is in place; one that cannot be looked into is left as it is."""
    keeper = _KEEPER.get()
    create = getattr(client, "create_fn", None)
    call = getattr(create, "__wrapped__", None)  # the provider's own function, which instructor has wrapped
    if keeper is None or create is None or call is None:
        return client
    from instructor.v2.core.patch import patch_v2
    from instructor.v2.core.utils import is_async

    model = getclosurevars(create).nonlocals.get("default_model")
    answered = (_kept_async if is_async(call) else _kept_sync)(call, keeper, client)
    watched = object.__new__(type(client))  # copy.copy never ends: the class looks up what it lacks in itself
    watched.__dict__.update(vars(client))
    watched.create_fn = patch_v2(answered, client.provider, client.mode, default_model=model)
    return watched


def _kept_sync(call: Callable[..., Any], keeper: Keeper, client: Any) -> Callable[..., Any]:
    """The provider's function, which answers from what was kept where it can."""

    @wraps(call)
    def answered(*given: Any, **arguments: Any) -> Any:
        asked = _asked(client, call, given, arguments)
        found = keeper.find(asked, lambda reply: _read(reply, call))
        if found is not None:
            return found
        started = time.perf_counter()
        reply = call(*given, **arguments)
        _keep(keeper, asked, reply, started)
        return reply

    return answered


def _kept_async(call: Callable[..., Awaitable[Any]], keeper: Keeper, client: Any) -> Callable[..., Awaitable[Any]]:
    """The same of a function to be awaited."""

    @wraps(call)
    async def answered(*given: Any, **arguments: Any) -> Any:
        asked = _asked(client, call, given, arguments)
        found = keeper.find(asked, lambda reply: _read(reply, call))
        if found is not None:
            return found
        started = time.perf_counter()
        reply = await call(*given, **arguments)
        _keep(keeper, asked, reply, started)
        return reply

    return answered


def _asked(client: Any, call: Callable[..., Any], given: tuple[Any, ...], arguments: Mapping[str, Any]) -> Asked:
    said = {name: value for name, value in arguments.items() if name not in _NOT_ASKED}
    return {
        "provider": str(getattr(client.provider, "value", client.provider)),
        "mode": str(getattr(client.mode, "value", client.mode)),
        "address": _address(getattr(client, "client", None)),
        "call": getattr(call, "__qualname__", type(call).__name__),
        "given": to_jsonable_python(given, fallback=repr),
        "arguments": to_jsonable_python(said, fallback=repr),
    }


def _address(client: Any) -> str:
    """Where the provider is. A server that was started here is the same one on whatever port it listens."""
    url = urlsplit(str(getattr(client, "base_url", "") or ""))
    return f"{'localhost' if url.netloc in OWN else url.netloc}{url.path}"


def _keep(keeper: Keeper, asked: Asked, reply: Any, started: float) -> None:
    """Keep a reply that can be written as JSON and read back; one that answers nothing is asked for again."""
    if not is_answered(reply):
        return
    ms = (time.perf_counter() - started) * 1000
    if isinstance(reply, BaseModel):
        kind = type(reply)
        keeper.keep(asked, {"kind": f"{kind.__module__}:{kind.__qualname__}", "reply": _plain(reply)}, ms)
    elif isinstance(reply, dict | list | str):
        keeper.keep(asked, {"reply": reply}, ms)


def _plain(reply: BaseModel) -> Any:
    return json.loads(reply.model_dump_json(by_alias=True, exclude_unset=True, warnings=False))


def _read(kept_reply: Any, call: Callable[..., Any]) -> Any:
    """A reply as the provider's package gives it; None for what cannot be one, or answers nothing."""
    found = _restored(kept_reply, call)
    return found if found is not None and is_answered(found) else None


def _restored(kept_reply: Any, call: Callable[..., Any]) -> Any:
    if not isinstance(kept_reply, dict) or "reply" not in kept_reply:
        return None
    kind = kept_reply.get("kind")
    if kind is None:
        return kept_reply["reply"]
    try:
        module, _, name = str(kind).partition(":")
        if module.partition(".")[0] != call.__module__.partition(".")[0]:  # only the package that was called is read
            return None
        model = getattr(import_module(module), name)
        return model.model_validate(kept_reply["reply"]) if issubclass(model, BaseModel) else None
    except (ImportError, AttributeError, TypeError, ValueError):
        return None


__all__ = ["OWN", "Asked", "Keeper", "keeping", "kept"]

"""Plug-ins by name: what somebody else's module holds, found and checked."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from slotstate.errors import InputError


def find_plugin(name: str, fits: Callable[[Any], bool], what: str, needs: str, known: Iterable[str]) -> Any:
    """What `package.module:object` names: an object that `fits`, or a callable without arguments that makes one.

    Raises InputError, which calls it a `what`, says what it `needs` and which names are `known`.
    """
    module, _, attribute = name.partition(":")
    one = f"an {what}" if what[0] in "aeiou" else f"a {what}"
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"no {what} {module}:{attribute}: {error}; known: {', '.join(known)}") from None
    if isinstance(found, type) or not fits(found):
        try:
            found = found()
        except Exception as error:  # somebody else's code may raise anything
            raise InputError(f"{module}:{attribute} cannot make {one}: {error}") from None
    if not fits(found):
        raise InputError(f"{module}:{attribute} is no {what}: it needs {needs}")
    return found

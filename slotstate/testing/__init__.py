"""For users' tests: a scripted extractor, and property tests of the promises on their own domains.

    from slotstate.testing import promises_for
    from mybot import Travel

    TestTravel = promises_for(Travel)

The property tests need hypothesis: pip install 'slotstate[test]'. The scripted extractor needs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from slotstate.errors import MissingExtra
from slotstate.extractors.scripted import ScriptedExtractor, change

if TYPE_CHECKING:
    from slotstate.testing import strategies
    from slotstate.testing.machine import PromiseMachine, check_promises, promises_for

__all__ = ["PromiseMachine", "ScriptedExtractor", "change", "check_promises", "promises_for", "strategies"]
_LATER = {"PromiseMachine": "machine", "check_promises": "machine", "promises_for": "machine", "strategies": "strategies"}


def __getattr__(name: str) -> Any:
    """What needs hypothesis is imported when it is first used."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_LATER[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "hypothesis":
            raise
        raise MissingExtra("hypothesis", "test") from None
    return module if name == _LATER[name] else getattr(module, name)

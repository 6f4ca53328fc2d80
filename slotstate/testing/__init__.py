"""For users' tests: a scripted extractor and summariser, and property tests of the promises on their own domains.

    from slotstate.testing import promises_for
    from mybot import Travel

    TestTravel = promises_for(Travel)

The property tests need hypothesis: pip install 'slotstate[test]'. The scripted ones need nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slotstate.extractors.scripted import ScriptedExtractor, change
    from slotstate.summarisers.scripted import ScriptedSummariser
    from slotstate.testing import strategies
    from slotstate.testing.checks import check_promises, promises_for
    from slotstate.testing.machine import PromiseMachine

__all__ = [
    "PromiseMachine",
    "ScriptedExtractor",
    "ScriptedSummariser",
    "change",
    "check_promises",
    "promises_for",
    "strategies",
]
_HOMES = {
    "PromiseMachine": "slotstate.testing.machine",
    "ScriptedExtractor": "slotstate.extractors.scripted",
    "ScriptedSummariser": "slotstate.summarisers.scripted",
    "change": "slotstate.extractors.scripted",
    "check_promises": "slotstate.testing.checks",
    "promises_for": "slotstate.testing.checks",
    "strategies": "slotstate.testing.strategies",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: the pytest plug-in beside them is loaded in suites that need none."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(_HOMES[name])
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "hypothesis":
            raise
        from slotstate.errors import MissingExtra

        raise MissingExtra("hypothesis", "test") from None
    return module if name == "strategies" else getattr(module, name)

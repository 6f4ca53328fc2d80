"""Which languages are read: English and Chinese, and what the application adds before the first tracker is imported.

    from slotstate.languages import load
    load("es")
    from slotstate import Tracker

Languages that share a script see each other's words ("once" is eleven in Spanish), so that a bot should load those that
its users speak, not all that there are.
"""

from __future__ import annotations

import sys

from slotstate.errors import InputError, near

KNOWN = ("en", "zh", "es")
_codes = ["en", "zh"]


def load(*codes: str) -> None:
    """Read these languages as well. Raises InputError for an unknown one, or when the tables are in use already."""
    for code in codes:
        if code not in KNOWN:
            raise InputError(f"no language {code!r}{near(code, KNOWN)}")
        if code not in _codes and "slotstate.parsing" in sys.modules:
            raise InputError(f"load({code!r}) comes too late: call it before Tracker is imported from slotstate")
    _codes.extend(code for code in codes if code not in _codes)


def loaded() -> tuple[str, ...]:
    """The languages that are read, in the order in which they are tried."""
    return tuple(_codes)

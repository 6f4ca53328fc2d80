"""Language models at any provider that `instructor` reaches: what the plug-ins that ask one share.

instructor and the provider's package are imported when a model is first asked.
"""

from slotstate.providers.asking import Asker
from slotstate.providers.calling import Call, Calls, Judge, Reader, Record, calls, judging, why
from slotstate.providers.keeping import Asked, Keeper, keeping

__all__ = [
    "Asked",
    "Asker",
    "Call",
    "Calls",
    "Judge",
    "Keeper",
    "Reader",
    "Record",
    "calls",
    "judging",
    "keeping",
    "why",
]

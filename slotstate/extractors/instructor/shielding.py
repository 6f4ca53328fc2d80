"""Words of others, kept from being read as markers of the prompt for extraction."""

from __future__ import annotations

from typing import Final

from slotstate.providers.shielding import Shield

MARKERS: Final = ("state", "offers", "assistant", "asked", "now", "user", "note", "candidates")
"""The names of the markers that the prompt's template uses."""

_shield: Final = Shield(MARKERS)
shield: Final = _shield.shield
unshield: Final = _shield.unshield

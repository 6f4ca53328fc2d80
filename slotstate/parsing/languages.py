"""The languages that the finders know, in the order in which they are tried."""

from __future__ import annotations

from slotstate.parsing.en import ENGLISH
from slotstate.parsing.language import Language
from slotstate.parsing.zh import CHINESE

LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)

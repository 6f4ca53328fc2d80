"""The languages that the built-in extractor reads, in the order in which they are tried."""

from __future__ import annotations

from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.lexicon_en import ENGLISH
from slotstate.extractors.builtin.lexicon_zh import CHINESE

LEXICONS: tuple[Lexicon, ...] = (ENGLISH, CHINESE)

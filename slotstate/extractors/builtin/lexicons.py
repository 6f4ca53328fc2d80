"""The languages that the built-in extractor reads, in the order in which they are tried: those of the finders."""

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.parsing.languages import chosen

_TABLES: Final = {
    "en": "slotstate.extractors.builtin.lexicon_en:ENGLISH",
    "zh": "slotstate.extractors.builtin.lexicon_zh:CHINESE",
    "es": "slotstate.extractors.builtin.lexicon_es:SPANISH",
}
"""Where each language's table is. A further language is one more line here."""

LEXICONS: Final[tuple[Lexicon, ...]] = chosen(_TABLES)

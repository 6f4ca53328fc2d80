"""The languages that the finders know, in the order in which they are tried.

English and Chinese are read by default. `SLOTSTATE_LANGUAGES`, read once when the package is imported, names others
("es" or "en,zh,es"): languages that share a script see each other's words ("once" is eleven in Spanish), so that a bot
should load those that its users speak, not all that there are.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from slotstate.errors import InputError
from slotstate.parsing.language import Language
from slotstate.parsing.matching import applies

TABLES: Final = {
    "en": "slotstate.parsing.en:ENGLISH",
    "zh": "slotstate.parsing.zh:CHINESE",
    "es": "slotstate.parsing.es:SPANISH",
}
"""Where each language's table is. A further language is one more line here."""


def chosen(tables: dict[str, str]) -> tuple[Any, ...]:
    """The tables of the languages that are to be read, loaded."""
    codes = os.environ.get("SLOTSTATE_LANGUAGES", "en,zh").replace(" ", ",").split(",")
    codes = [code.strip().lower() for code in codes if code.strip()] or ["en", "zh"]
    unknown = [code for code in codes if code not in tables]
    if unknown:
        raise InputError(f"SLOTSTATE_LANGUAGES names {unknown[0]!r}: known are {', '.join(sorted(tables))}")
    places = [tables[code].split(":") for code in dict.fromkeys(codes)]
    return tuple(getattr(import_module(module), name) for module, name in places)


LANGUAGES: Final[tuple[Language, ...]] = chosen(TABLES)


@lru_cache(maxsize=1024)
def languages_of(text: str) -> tuple[Language, ...]:
    """The languages whose tables can match anything in the folded text."""
    return tuple(language for language in LANGUAGES if applies(language, text))

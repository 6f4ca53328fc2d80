"""The languages that the finders know, in the order in which they are tried: those of `slotstate.languages`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from slotstate.languages import loaded
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
    places = [tables[code].split(":") for code in loaded()]
    return tuple(getattr(import_module(module), name) for module, name in places)


LANGUAGES: Final[tuple[Language, ...]] = chosen(TABLES)


@lru_cache(maxsize=1024)
def languages_of(text: str) -> tuple[Language, ...]:
    """The languages whose tables can match anything in the folded text."""
    return tuple(language for language in LANGUAGES if applies(language, text))

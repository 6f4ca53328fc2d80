"""The languages that the finders know, in the order in which they are tried."""

from __future__ import annotations

from slotstate.parsing.en import ENGLISH
from slotstate.parsing.language import Language
from slotstate.parsing.matching import applies
from slotstate.parsing.zh import CHINESE

LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)


def languages_of(text: str) -> list[Language]:
    """The languages whose tables can match anything in the folded text."""
    return [language for language in LANGUAGES if applies(language, text)]

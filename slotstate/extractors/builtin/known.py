"""Names that are known before they are said: a text slot's examples and offers, and persons by their title (王医生).

In scripts without spaces a name is not told from the words around it: only what is known is read where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from slotstate.extractors.builtin.beside import NEAR
from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.named import is_negated
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.remains import trimmed, valid_text
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, fold, unspaced
from slotstate.parsing.matching import compiled

_FEWEST: Final = 2
"""Characters of a name that is read wherever it stands."""
_MANY: Final = 16
"""Places of one name that are looked at in a turn."""


def known_names(turn: Context) -> Iterator[Candidate]:
    """Candidates for text slots whose known names the turn wishes for, or that are all that a clause says."""
    texts = [one for one in turn.profiles if one.kind == "text" and "note" not in one.concepts]
    for one in texts:
        if any(other is not one for other in texts if turn.is_asked(other)):
            continue
        for span in names_in(turn, one):
            value = valid_text(turn, one, span) if _is_meant(turn, span) else None
            if value is not None:
                yield Candidate(one, span, (value,), Reason.CUED, NEAR)


def names_in(turn: Context, one: Profile) -> list[Span]:
    """Where known names of a text slot stand in the turn, the longer of two that overlap."""
    text = turn.words.text
    found = [span for name in _names(turn, one) for span in _places(name, text)]
    for lexicon in turn.words.languages:
        found += _titled(text, lexicon) if goes_by_title(one, lexicon) else ()
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if not inside(span, kept):
            kept.append(span)
    return sorted(kept)


def _names(turn: Context, one: Profile) -> list[str]:
    """The examples of a slot and the values that are offered for it, as far as they are written without spaces."""
    offered = [offer.value for offer in turn.slot(one).offers] if not one.field else []
    names = {fold(str(name)).text.strip() for name in (*one.spec.slot.examples, *offered)}
    return sorted(name for name in names if len(name) >= _FEWEST and all(map(unspaced, name)))


def _places(name: str, text: str) -> Iterator[Span]:
    at = text.find(name)
    for _ in range(_MANY):
        if at < 0:
            return
        yield at, at + len(name)
        at = text.find(name, at + 1)


@lru_cache(maxsize=1024)
def goes_by_title(one: Profile, lexicon: Lexicon) -> bool:
    """Whether a slot is for persons who go by their title: by its label, its cues or its examples."""
    words = (*one.names, *(fold(str(name)).text for name in one.spec.slot.examples))
    return any(word.endswith(lexicon.titles) for word in words) if lexicon.titles else False


def is_title(word: str) -> bool:
    """Whether a word is a title that follows names."""
    return any(word in lexicon.titles for lexicon in LEXICONS)


def _titled(text: str, lexicon: Lexicon) -> Iterator[Span]:
    """A surname and a title, with a given name between where it is told from the words before."""
    titles = "|".join(lexicon.titles)
    lead = rf"(?:\A|[,.!?;。、 ]|{lexicon.wishing})"
    for pattern in (
        rf"(?P<name>{lexicon.surname}(?:{titles}))",
        rf"{lead}(?P<name>{lexicon.surname}[\u3400-\u9fff]{{1,2}}(?:{titles}))",
    ):
        for match in compiled(pattern).finditer(text):
            yield match.span("name")


def _is_meant(turn: Context, span: Span) -> bool:
    """Whether the words around a name wish for it, or there are none in its clause."""
    text = turn.words.text
    if not turn.fills(span) or is_negated(turn, span) or inside(span, turn.inquiries):
        return False
    start, end = turn.words.clause(span[0])
    if trimmed(turn, (start, end)) == span:
        return True
    return any(
        compiled(lexicon.wished).search(text[start : span[0]]) is not None
        and compiled(lexicon.not_wished).match(text, span[1]) is None
        for lexicon in turn.words.languages
    )

"""The names in an item that its sources do not know: people, places, houses, products."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from slotstate.compact import figures_en
from slotstate.compact import names_en as en
from slotstate.compact import names_zh as zh
from slotstate.compact.scanning import HAN
from slotstate.parsing import fold

_LETTER: Final = rf"(?:(?![{HAN}\d_])\w)"
_WORD: Final = re.compile(rf"(?<![^\W{HAN}]){_LETTER}(?:(?![{HAN}_])\w)*(?:['’&]{_LETTER}+)*")
_INVISIBLE: Final = re.compile("[\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_BEGINS: Final = re.compile(r"(?:\A|[.!?:;。！？：；\n\"“(（\-–—])[\s\"'“‘(]*\Z")
_SEPARATE: Final = re.compile(rf"[^\w']+|_|[{HAN}]+")
_UNIT_WORDS: Final = frozenset({*figures_en.UNITS, *figures_en.AFTER_NUMBER, *figures_en.MONTHS, *figures_en.WEEKDAYS})
_DEMONYM: Final = ("ians", "ian", "ese", "ish", "ans", "an", "ns", "n", "ia", "y", "a", "s")
_SURNAME: Final = "".join(sorted(zh.SURNAMES))
_TITLE: Final = "|".join(sorted(zh.TITLES, key=len, reverse=True))
_TITLED: Final = re.compile(rf"({'|'.join(zh.COMPOUND)}|[小老阿]?[{HAN}])({_TITLE})")
_NICKNAME: Final = re.compile(
    rf"[小阿]([{''.join(sorted(zh.NICKNAMES))}])\1?|[小老]([{_SURNAME}])(?![{HAN}]?[人板师式年家])"
)
_PERSON: Final = re.compile(
    rf"(?P<cue>\A|[，。；、：,.;:（( ]|{'|'.join(sorted(zh.BEFORE_PERSON, key=len, reverse=True))})"
    rf"(?P<name>(?:{'|'.join(zh.COMPOUND)}|[{_SURNAME}])(?P<given>[{HAN}]{{1,2}}))"
)
_PET: Final = re.compile(rf"(?:狗|猫|宠物)([{HAN}]{{2}})(?=[（(重0-9])")
_ENDING: Final = re.compile(
    rf"(?=([{HAN}])([{HAN}])({'|'.join(sorted(zh.ENDINGS, key=len, reverse=True))})(?![{zh.NO_ENDING}]))"
)
_PLACE: Final = re.compile("|".join(sorted(zh.PLACES, key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Known:
    """The words that the sources and the held values use, folded, and all their text."""

    words: frozenset[str]
    text: str


def known(texts: Sequence[str]) -> Known:
    """What names may come from."""
    return Known(
        frozenset[str]().union(*(_words(text) for text in texts)), "\n".join(fold(text).text for text in texts)
    )


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    words = set[str]()
    for word in _SEPARATE.split(fold(text).text):
        if word:
            words.add(word)
            words.add(word.removesuffix("'s").strip("'"))
    return frozenset(words)


def strangers(text: str, said: Known) -> Iterator[str]:
    """The names in an item's text that stand nowhere in what was said."""
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    spaced = re.search(f"[{HAN}]", text) is None
    for match in _WORD.finditer(text):
        written = match[0]
        if spaced and not any(char.isupper() for char in written):
            continue
        if not _known_word(written, said) and (not spaced or _is_name(text, match)):
            yield written
    if not spaced:
        yield from _han_strangers(fold(text).text, said)


def _known_word(written: str, said: Known) -> bool:
    word = fold(written).text
    bare = word.removesuffix("'s").strip("'")
    if word in said.words or bare in said.words or word in en.NO_NAMES or word in _UNIT_WORDS:
        return True
    if (bare.endswith("s") and bare[:-1] in said.words) or f"{bare}s" in said.words:
        return True
    stem = _demonym(bare)
    is_form = len(stem) > 3 and stem != bare and bare.endswith(("n", "ese", "ish", "s"))
    if is_form and any(word.startswith(stem) and _demonym(word) == stem for word in said.words):
        return True
    if any(char.isdigit() for char in word) and bare in said.text.replace(" ", "").replace("-", ""):
        return True
    return re.search(rf"(?<![^\W\d_]){re.escape(bare)}(?![^\W\d_])", said.text) is not None


@cache
def _demonym(word: str) -> str:
    """ "ital" for Italy and Italian."""
    for end in _DEMONYM:
        if word.endswith(end) and len(word) - len(end) > 3:
            return word.removesuffix(end)
    return word


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word that nobody said is a name: the first word of a sentence may be any word."""
    written = match[0]
    if not _BEGINS.search(text[max(0, match.start() - 8) : match.start()]):
        return True
    if not written[0].isupper() or any(char.isupper() or char.isdigit() for char in written[1:]):
        return True
    word = fold(written).text
    following = _WORD.match(text, match.end() + 1)
    if following and following[0][0].isupper() and fold(following[0]).text not in en.NO_NAMES:
        return word not in en.OPENERS
    return word not in en.OPENERS and not (len(word) > 5 and word.endswith(en.COMMON_ENDS)) and not _shares_stem(word)


def _shares_stem(word: str) -> bool:
    """Whether it is a form of a word that sentences begin with."""
    return any(
        word.startswith(stem)
        for stem in (word[: len(word) - cut] for cut in (1, 2, 3))
        if len(stem) > 3 and stem in en.OPENERS
    )


def _han_strangers(text: str, said: Known) -> Iterator[str]:
    found = [match[0] for match in _PLACE.finditer(text) if match[0] not in said.text]
    found += [match[0] for match in _TITLED.finditer(text) if _is_titled(match) and not _titled_known(match, said)]
    found += [match[0] for match in _NICKNAME.finditer(text) if match[0] not in said.text]
    found += _people(text, said)
    found += [match[1] for match in _PET.finditer(text) if match[1] not in said.text and _names_pet(match[1])]
    for match in _ENDING.finditer(text):
        if _is_place(match) and match[1] + match[2] not in said.text:
            found.append(match[1] + match[2] + match[3])
    yield from dict.fromkeys(found)


def _people(text: str, said: Known) -> list[str]:
    found: list[str] = []
    person = _PERSON.search(text)
    while person:
        if name := _person(person, said):
            found.append(name)
        person = _PERSON.search(text, person.start() + max(1, len(person["cue"])))
    return found


def _names_pet(name: str) -> bool:
    return zh.PARTICLES.isdisjoint(name)


def _is_titled(match: re.Match[str]) -> bool:
    surname = match[1]
    if surname in zh.COMPOUND:
        return True
    return surname[-1] in zh.SURNAMES and surname[-1] not in zh.NOT_TITLED


def _titled_known(match: re.Match[str], said: Known) -> bool:
    """Whether somebody of that surname was spoken of: with a title, or by the whole name."""
    surname = match[1][-1] if match[1] not in zh.COMPOUND else match[1]
    titled = rf"(?:姓|叫|是|人){surname}|{surname}[{HAN}]{{0,2}}(?:{_TITLE})|{surname}(?=[{''.join(sorted(zh.GIVEN))}])"
    return match[0] in said.text or re.search(titled, said.text) is not None


def _person(match: re.Match[str], said: Known) -> str | None:
    """A name behind words that names stand behind, or at the start of a clause, which nobody said."""
    name, given, cue = match["name"], match["given"], match["cue"]
    if len(given) > 1 and given[1] in zh.GIVEN and _renamed(name, said):
        return name
    if re.match(_TITLE, given) or name[: len(name) - len(given) + 1] in said.text:
        return None
    if cue not in zh.STRONG and given[0] not in zh.GIVEN:
        return None
    if any(name.startswith(place) for place in zh.PLACES):
        return None
    if name[: len(name) - len(given) + 1] in zh.NOT_PEOPLE:
        return None
    return name if len(given) > 1 and given[1] in zh.GIVEN else name[: len(name) - len(given) + 1]


def _renamed(name: str, said: Known) -> bool:
    """Whether somebody is known whose name differs in the last character."""
    known = re.search(rf"{name[:-1]}([{''.join(sorted(zh.GIVEN))}])", said.text)
    return known is not None and name not in said.text


def _is_place(match: re.Match[str]) -> bool:
    first, second, ending = match[1], match[2], match[3]
    if second in zh.NOT_BEFORE or first + second in zh.GENERIC:
        return False
    return ending not in zh.WEAK_ENDINGS or first not in zh.NOT_BEFORE

"""A text cut into clauses; in each, the words behind a negation are what it denies. English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from slotstate.compact import polarity_en as en
from slotstate.compact import polarity_zh as zh
from slotstate.compact.figures import figures
from slotstate.compact.scanning import HAN

_SENTENCE: Final = re.compile(r"(?<=[!?。！？；;\n])|(?<=\.)(?=\s)")
_ASKS: Final = re.compile(r"\?\"?\s*\Z|[吗呢][。.]?\s*\Z")
_REQUESTS: Final = re.compile(en.REQUESTS)
_COMPLAINS: Final = re.compile(r"怎么(?:还|都|就)?[没不]|\bwhy (?:\w+n't|still)\b|\bstill (?:\w+n't|not)\b")
"""Questions that say that something is not so."""
_CLAUSE: Final = re.compile(r"[,:](?!\d)|[()\u2014\[\]{}\"]|\.(?=\s|\Z)|\s-\s|[;!?\n]")
_WORD: Final = re.compile(r"[^\W_]+(?:['.:/-][^\W_]+)*%?")
_PHRASE: Final = re.compile(rf"\b(?:{'|'.join(en.PHRASES)})\b")
_HAN: Final = re.compile(f"[{HAN}]")
_HAN_CLAUSE: Final = re.compile(zh.SPLIT)
_HAN_TRAP: Final = re.compile(zh.TRAPS)
_HAN_NEGATION: Final = re.compile(zh.NEGATION)
_HAN_WEAK: Final = re.compile(zh.WEAK)
_HAN_STRONG: Final = re.compile(zh.STRONG)
_HAN_FINISHED: Final = re.compile(zh.FINISHED)
_HAN_EMPTY: Final = re.compile(zh.EMPTY)
_HAN_SAME: Final = tuple((re.compile(pattern), same) for pattern, same in zh.SAME)
_HAN_RUN: Final = re.compile(f"[{HAN}]+|[a-z0-9]+(?:[.:-][a-z0-9]+)*")
_NOTHING: Final = frozenset[str]()


class Clause(NamedTuple):
    """A clause: its words by whether they stand behind its negation, before it, or in a clause without one. `strong`
    are words of refusal in it, `weak` says that it takes something away in another way. `head` is the first word behind
    the negation; `refusing` tells a refusal from what has not happened, `finished` says that something has happened.
    """

    denied: frozenset[str]
    before: frozenset[str]
    plain: frozenset[str]
    negative: bool
    strong: frozenset[str]
    weak: bool
    written: str
    head: str = ""
    refusing: bool = False
    finished: bool = False
    asked: bool = False
    sentence: int = 0

    @property
    def words(self) -> frozenset[str]:
        return self.denied | self.before | self.plain

    @property
    def takes_away(self) -> bool:
        """Whether it denies anything in any way."""
        return self.negative or bool(self.strong) or self.weak


@lru_cache(maxsize=1024)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text that say something."""
    folded = figures(text).text
    found: list[Clause] = []
    for number, sentence in enumerate(_SENTENCE.split(folded)):
        asked = _ASKS.search(sentence) is not None and not _COMPLAINS.search(sentence)
        parts = [*(_han_clauses(sentence) if _HAN.search(sentence) else _english_clauses(sentence))]
        opening = parts[0].written.partition(" ")[0] if parts else ""
        for at, clause in enumerate(parts, 1):
            here = asked and (at == len(parts) or opening in en.OPENS) and not _REQUESTS.search(sentence)
            found.append(clause._replace(sentence=number, asked=here) if number or here else clause)
    return tuple(found)


# English


def _english_clauses(sentence: str) -> Iterator[Clause]:
    for part in _CLAUSE.split(_PHRASE.sub(lambda found: en.PHRASES[found[0]], sentence)):
        words: list[str] = []
        raw = _WORD.findall(part)
        for index, word in enumerate(raw):
            begins = word == "as" and raw[index + 1 : index + 2] and raw[index + 1] in en.AFTER_AND
            begins = (
                begins
                or word in en.CLAUSES
                or (word == "before" and not _bounds(raw[index:]))
                or (word == "and" and raw[index + 1 : index + 2] and raw[index + 1] in en.AFTER_AND)
            )
            if begins and words:
                yield _english(words)
                words = []
            words.append(word)
        if words:
            yield _english(words)


def _english(words: list[str]) -> Clause:
    at = next((index for index in range(len(words)) if _negates(words, index)), None)
    strong = frozenset(stem(word) for word in words if word in en.STRONG)
    weak = any(word in en.WEAK or word.endswith("-free") or word.startswith("non-") for word in words)
    weak = weak or "too" in words[:-1]
    written = " ".join(words)
    if at is None:
        return Clause(
            _refused_words(words) if strong else _NOTHING, _NOTHING, _stems(words), False, strong, weak, written
        )
    before, after = _stems(words[:at]), _stems(words[at + 1 :])
    head = next((stem(word) for word in words[at + 1 :] if stem(word) in after), "")
    return Clause(after, before, _NOTHING, True, strong, weak, written, head)


def _refused_words(words: list[str]) -> frozenset[str]:
    """What a word of refusal speaks of: what stands behind it, of an allergy the word before it."""
    at = next(index for index, word in enumerate(words) if word in en.STRONG)
    behind = _stems(words[at + 1 :])
    if behind or words[at] in en.OF_WHOM:
        return behind
    return _stems(words[max(0, at - 1) : at] if words[at] in en.AFTER_NOUNS else words[:at])


def _conditions(words: list[str]) -> bool:
    return not en.CONDITIONS.isdisjoint(words[1:5])


def _negates(words: list[str], at: int) -> bool:
    word = words[at]
    if word not in en.NEGATIONS and word not in en.EXCEPT and not word.endswith("n't") and word not in en.CONTRACTED:
        return False
    following = words[at + 1 : at + 4]
    if not following:
        return True
    if following[0] in en.NO_NEGATION or (word == "no" and following[0][0].isdigit()):
        return False
    if word == "without" and _conditions(words[at:]):
        return False
    if at == 0 and word in en.ASKING and word != "don't" and following[0] in ("you", "we", "i", "it", "there", "they"):
        return False
    bound = next((index for index, after in enumerate(following) if after in en.BOUNDS), None)
    return bound is None or not _bounds(words[at + 1 + bound :])


def _bounds(words: list[str]) -> bool:
    """Whether a bound on a figure follows: "more than 20", "before noon"."""
    return any(word[0].isdigit() or word in _FIGURES for word in words[1:5])


def _stems(words: Sequence[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if word not in en.LIGHT and not word.endswith("n't"))


@cache
def stem(word: str) -> str:
    """What the forms of a word have in common, roughly."""
    word = word.removesuffix("'s")
    word = en.IRREGULAR.get(word, word)
    if word[0].isdigit():
        return word
    for ends in (("ies", "s"), ("ing", "ed", "e", "y")):
        end = next((end for end in ends if word.endswith(end) and len(word) - len(end) > 2), "")
        word = word.removesuffix(end)
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:5]


# Chinese


def _han_clauses(sentence: str) -> Iterator[Clause]:
    sentence = sentence.replace("用户", "")
    for pattern, same in _HAN_SAME:
        sentence = pattern.sub(same, sentence)
    for part in _HAN_CLAUSE.split(sentence):
        if part.strip():
            yield _han(part)


def _han(written: str) -> Clause:
    strong = frozenset(_HAN_STRONG.findall(written))
    weak = _HAN_WEAK.search(written) is not None
    part = _HAN_TRAP.sub(lambda found: "\ufffc" * len(found[0]), written)
    negation = _HAN_NEGATION.search(part)
    if negation is None:
        denied = _refused(written) if strong else _NOTHING
        finished = _HAN_FINISHED.search(written) is not None
        return Clause(denied, _NOTHING, _units(part), False, strong, weak, written, finished=finished)
    before, after = (
        _units(_HAN_EMPTY.sub("", part[: negation.start()])),
        _units(_HAN_EMPTY.sub("", part[negation.end() :])),
    )
    refusing = negation[0] in zh.REFUSING
    if refusing:
        if sum(not is_word(unit) or not _HAN.match(unit) for unit in after) < 2:
            after, before = after | before, _NOTHING  # what is denied stands first: "早餐不要"
    elif not after:
        after = frozenset({negation[0]})
    head = next((char for char in part[negation.end() :] if char in after), "")
    return Clause(after, before, _NOTHING, True, strong, weak, written, head, refusing)


def _refused(part: str) -> frozenset[str]:
    """What a word of refusal speaks of: what stands behind it, of an allergy what stands before."""
    match = _HAN_STRONG.search(part)
    assert match is not None
    if match[0] in zh.BEHIND:
        before = part[: match.start()]
        return _units(before.rpartition("对")[2][-4:])
    return _units(part[match.end() :]) or _units(part[: match.start()])


@lru_cache(maxsize=4096)
def _units(part: str) -> frozenset[str]:
    """Characters and pairs of them; words and figures of other scripts."""
    found: set[str] = set()
    for run in _HAN_RUN.findall(part):
        if run.isascii():
            found.add(run)
            continue
        found.update(char for char in run if char not in zh.LIGHT)
        for one, other in pairwise(run):
            if _tells(one) and _tells(other) and not (one in zh.LIGHT and other in zh.LIGHT):
                found.add(one + other)
    return frozenset(found)


def _tells(char: str) -> bool:
    return char not in zh.LIGHT or char in zh.KEPT


def is_word(unit: str) -> bool:
    """Whether a unit is a word or a pair of characters, not a single Chinese character."""
    return len(unit) > 1 or not _HAN.match(unit)


_FIGURES: Final = frozenset(
    "noon midnight midday one two three four five six seven eight nine ten twelve twenty thirty than".split()
)

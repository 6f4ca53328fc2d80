"""Where an item denies what its sources affirm, or affirms what they deny.

Items are paraphrases, so that not the clauses are compared but what the words that they share with the sources stand
for there: denied, affirmed, asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from slotstate.compact import figures_en, figures_zh
from slotstate.compact import polarity_en as en
from slotstate.compact import polarity_zh as zh
from slotstate.compact.clauses import Clause, clauses, is_word, stem
from slotstate.parsing import fold

_FIRST: Final = re.compile(r"[^\W_]+")
_HAN_ANSWER: Final = re.compile(zh.ANSWERS)
_HAN_CONSENT: Final = re.compile(zh.ACCEPTS)
_NOTHING: Final = frozenset[str]()


class Denial(NamedTuple):
    """Words that are denied together: by a negation (`hard`), or by the words of refusal in `strong`. `unfinished` is
    what something has not yet happened to.
    """

    scope: frozenset[str]
    hard: bool
    strong: frozenset[str]
    unfinished: frozenset[str] = _NOTHING


@dataclass(frozen=True, slots=True)
class Stance:
    """What texts deny and affirm, by word: `nearby` stand before a negation, `refused` in what takes something away in
    another way, `mixed` are denied in one clause of a sentence and affirmed in another, `bare` stand before a negation
    that nothing follows; `personal` says that something was denied to who speaks ("not to me").
    """

    denied: frozenset[str] = _NOTHING
    nearby: frozenset[str] = _NOTHING
    affirmed: frozenset[str] = _NOTHING
    asked: frozenset[str] = _NOTHING
    refused: frozenset[str] = _NOTHING
    mixed: frozenset[str] = _NOTHING
    bare: frozenset[str] = _NOTHING
    denials: tuple[Denial, ...] = ()
    personal: bool = False
    negative: bool = False

    @property
    def denying(self) -> frozenset[str]:
        return self.denied | self.nearby | self.refused

    @property
    def known(self) -> frozenset[str]:
        return self.denied | self.nearby | self.affirmed | self.asked | self.refused | self.mixed


class Reversal(NamedTuple):
    """Words that an item denies or affirms, unlike its sources."""

    denies: bool
    words: tuple[str, ...]
    written: str


def stance(sources: Sequence[tuple[str, str]]) -> Stance:
    """What sources (role and text, in order) deny and affirm. A refusal denies what was asked before it."""
    found: list[Stance] = []
    for (role, text), (next_role, answer) in zip(sources, (*sources[1:], ("", "")), strict=True):
        if role == "user" or next_role != "user":
            found.append(_told(text))
        elif _refuses(answer, text):
            found.append(_turned_down(text))
        else:
            found.append(_offered(text, answer))
    return found[0] if len(found) == 1 else _together(found)


def _together(parts: Sequence[Stance]) -> Stance:
    mixed = _NOTHING.union(*(part.mixed for part in parts))
    return Stance(
        _NOTHING.union(*(part.denied for part in parts)),
        _NOTHING.union(*(part.nearby for part in parts)),
        _NOTHING.union(*(part.affirmed for part in parts)) - mixed,
        _NOTHING.union(*(part.asked for part in parts)),
        _NOTHING.union(*(part.refused for part in parts)),
        mixed,
        _NOTHING.union(*(part.bare for part in parts)),
        tuple(denial for part in parts for denial in part.denials),
        any(part.personal for part in parts),
        any(part.negative for part in parts),
    )


@lru_cache(maxsize=1024)
def _told(text: str) -> Stance:
    """What one text says by itself."""
    parts = clauses(text)
    found: list[Stance] = []
    before = _NOTHING
    for clause in parts:
        found.append(_clause(clause, before))
        before = clause.words
    if any(clause.negative for clause in parts):
        found.append(Stance(mixed=_mixed(parts, found)))
    return _together(found)


def _clause(clause: Clause, before: frozenset[str]) -> Stance:
    """What a clause says; `before` are the words of the one before it."""
    if clause.asked:
        turned = clause.words if clause.negative or _ADVERSE.search(clause.written) else _NOTHING
        return Stance(asked=clause.words, nearby=turned, negative=clause.takes_away)
    if clause.negative or clause.strong:
        scope = clause.denied or clause.before
        bare = not scope
        if bare and "否则" in clause.written:
            scope |= before  # "first …, or else not"
        unfinished = _NOTHING if clause.refusing else clause.before
        return Stance(
            denied=scope,
            nearby=clause.before | clause.strong | clause.plain | (before if bare else _NOTHING),
            bare=_NOTHING if clause.denied else clause.before,
            denials=(Denial(scope, clause.negative, clause.strong, unfinished),),
            personal=_PERSON.search(clause.written) is not None,
            negative=True,
        )
    if clause.weak and not _ONLY.search(clause.written):
        return Stance(refused=clause.words, negative=True)
    return Stance(affirmed=clause.plain, negative=clause.weak)


def _mixed(parts: Sequence[Clause], stances: Sequence[Stance]) -> frozenset[str]:
    """Words that a sentence both denies and affirms."""
    found = _NOTHING
    for sentence in {clause.sentence for clause in parts if clause.negative}:
        here = [one for clause, one in zip(parts, stances, strict=True) if clause.sentence == sentence]
        found |= _NOTHING.union(*(one.denied for one in here)) & _NOTHING.union(*(one.affirmed for one in here))
    return found


@lru_cache(maxsize=1024)
def _turned_down(text: str) -> Stance:
    """What the assistant said before the user's "no": what it asked is denied, or what the question was about."""
    parts = clauses(text)
    asked = _NOTHING.union(*(clause.words for clause in parts if clause.asked))
    told = _NOTHING.union(*(clause.words for clause in parts if not clause.asked))
    scope = asked if sum(map(is_word, asked)) > 1 else asked | told
    denial = Denial(scope, hard=True, strong=_NOTHING)
    return Stance(denied=scope, asked=asked, refused=told - scope, denials=(denial,), negative=True)


@lru_cache(maxsize=1024)
def _offered(text: str, answer: str) -> Stance:
    """What the assistant said before an answer: what that denies was offered, not affirmed; what it consents to was."""
    found = _told(text)
    if _accepts(answer):
        found = replace(found, affirmed=found.affirmed | found.asked)
    denied = _NOTHING.union(*(one.denied for one in clauses(answer) if one.negative and not one.asked))
    return replace(found, affirmed=found.affirmed - denied) if denied & found.affirmed else found


def _accepts(text: str) -> bool:
    folded = fold(text).text.strip()
    first = _FIRST.match(folded)
    return (first is not None and first[0] in en.ACCEPTS) or _HAN_CONSENT.match(folded) is not None


@lru_cache(maxsize=1024)
def _refuses(text: str, question: str) -> bool:
    """Whether an answer begins with a refusal: "no", or a denial of nothing else than what was asked."""
    folded = fold(text).text.strip()
    first = _FIRST.match(folded)
    if (first is not None and first[0] in en.ANSWERS) or _HAN_ANSWER.match(folded) is not None:
        return True
    parts = clauses(text)
    if not parts or not parts[0].negative or parts[0].asked:
        return False
    asked = _NOTHING.union(*(clause.words for clause in clauses(question) if clause.asked))
    return parts[0].words <= asked


def reversals(text: str, said: Stance) -> Iterator[Reversal]:
    """Where the clauses of an item and its sources disagree about what is denied."""
    parts = clauses(text)
    if any(clause.negative for clause in parts):
        yield from _unfounded_in(parts, said)
    if said.denials:
        yield from _lost_in(parts, said)


def _unfounded_in(parts: Sequence[Clause], said: Stance) -> Iterator[Reversal]:
    chosen = any(_CHOICE.search(part.written) for part in parts if not part.negative)
    for clause, following in _pairs(parts):
        if not clause.negative or clause.asked:
            continue
        if not clause.denied and following and _is_without(clause, following):
            yield Reversal(True, _sorted(following.denied), f"{clause.written} {following.written}")
        if (chosen and _CHOICE.search(clause.written)) or _is_other(clause, parts, said):
            continue  # "chose this one and not that one"
        others = _NOTHING.union(*(part.words for part in parts if part is not clause and part.takes_away))
        if wrong := _unfounded(clause, said, others):
            yield Reversal(True, _sorted(wrong), clause.written)


def _is_other(clause: Clause, parts: Sequence[Clause], said: Stance) -> bool:
    """Whether a clause only says what was not chosen, behind one that says what was."""
    if parts[0].negative or clause is parts[0] or not _NOT_CHOSEN.search(clause.written):
        return False
    return bool(parts[0].plain & (said.affirmed | said.asked))


def _lost_in(parts: Sequence[Clause], said: Stance) -> Iterator[Reversal]:
    known = said.known
    if any(_is_bare(clause) and not (clause.denied | clause.plain) & known for clause in parts):
        return  # a denial in other words may stand for any
    hard = _NOTHING.union(*(clause.words for clause in parts if clause.negative))
    soft = hard.union(*(clause.words for clause in parts if clause.takes_away))
    for clause, following in _pairs(parts):
        if clause.takes_away or _CONDITION.search(clause.written) or (following and _is_without(clause, following)):
            continue  # "made without": one clause, cut in two
        if lost := _lost(clause, said, hard, soft):
            yield Reversal(False, _sorted(lost), clause.written)


def _pairs(parts: Sequence[Clause]) -> Iterable[tuple[Clause, Clause | None]]:
    return zip(parts, (*parts[1:], None), strict=True)


def _sorted(words: Set[str]) -> tuple[str, ...]:
    """The words that say most first."""
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _is_without(clause: Clause, following: Clause) -> bool:
    """Whether what follows a clause is only a "without …" of it."""
    return following.sentence == clause.sentence and following.negative and following.written.startswith("without ")


def _is_bare(clause: Clause) -> bool:
    """Whether a clause may deny what stands in another one: "it was declined"."""
    return clause.negative or bool(clause.strong - _OF_WHOM)


def _unfounded(clause: Clause, said: Stance, others: Set[str]) -> Set[str]:
    """The words that a clause of an item denies and its sources do not."""
    double = {word for word in clause.strong if any(word in denial.strong for denial in said.denials)}
    if double and not any(denial.hard and double & denial.strong for denial in said.denials):
        return double
    if (clause.head in said.denied - said.affirmed and clause.head not in zh.COMMON) or clause.before & said.bare:
        return _NOTHING
    denying, said_words = said.denying, said.known
    focus = clause.denied or clause.before
    if clause.denied and not _worded(clause.denied) and clause.denied <= said.affirmed - denying:
        return clause.denied
    known = {word for word in _worded(focus) & said_words if is_word(word)}
    if known:
        certain = (known - (said.affirmed & denying)) or known
        named = said.personal and len(certain) < 3
        return _NOTHING if named or _agree(certain, focus, denying, said.affirmed) else certain - denying
    known = {word for word in _worded(clause.before) & said_words if is_word(word)}
    if _BACK.search(clause.written) or known & denying:
        return _NOTHING
    told = focus & ((said.affirmed | said.asked) - denying)
    if told and (clause.head in told or len(told) > 1 or not _worded(focus & said_words)):
        return told
    if not said.negative or (known and _is_told(said, others)):
        return known or focus or {clause.written}
    return _NOTHING


def _agree(known: Set[str], focus: Set[str], denying: Set[str], affirmed: Set[str]) -> bool:
    """Whether enough of what an item denies is denied by its sources; in Chinese characters may do for words."""
    if 2 * len(known & denying) >= len(known):
        return True
    chars = {unit for unit in focus if not is_word(unit)}
    return 3 * len(chars & denying) >= len(chars) > 0 and not known & affirmed


def _is_told(said: Stance, others: Set[str]) -> bool:
    """Whether all that the sources deny is what other clauses of the item deny."""
    return not said.refused and all(denial.scope & others for denial in said.denials)


def _is_figure(unit: str) -> bool:
    return unit[-1].isdigit() or unit in _MEASURES


def _worded(words: Set[str]) -> Set[str]:
    """The words that are no figures."""
    return {word for word in words if not word[-1].isdigit() and word not in _CALENDAR}


def _lost(clause: Clause, said: Stance, hard: Set[str], soft: Set[str]) -> Set[str]:
    """The words that a clause of an item affirms while its sources only ever deny them."""
    pure = (
        {word for word in clause.plain & said.denied if is_word(word) and not _is_figure(word)}
        - said.affirmed
        - said.refused
    )
    if clause.plain <= said.denied - said.affirmed and not any(_is_figure(word) for word in clause.plain):
        pure |= clause.plain
    found: set[str] = set()
    for denial in said.denials:
        here = pure & denial.scope
        if len(denial.scope) > 1 and denial.scope <= clause.plain and not denial.scope <= said.affirmed:
            here |= denial.scope
        if clause.finished:
            here |= {word for word in clause.plain & denial.unfinished if is_word(word)} - said.affirmed
        scope = {word for word in denial.scope if is_word(word)} or denial.scope
        represented = scope & (hard if denial.hard else soft)
        if here and 3 * len(represented) < len(scope):
            found |= here
    known = {word for word in clause.plain & said.known if is_word(word)}
    certain = found - said.mixed
    return found if certain or 2 * len(found) > len(known) else _NOTHING


_OF_WHOM: Final = frozenset({*map(stem, (*en.OF_WHOM, *en.AFTER_NOUNS)), *zh.BEHIND})
_PERSON: Final = re.compile(r"\b(?:not|n't|never|no) (?:to |for |with )?(?:me|us)\b|[给跟让替]我")
_CONDITION: Final = re.compile(r"\bunless\b|除非|未经|没经|未获|须先|先问|先经")
_NOT_CHOSEN: Final = re.compile(rf"^(?:and |but )?not |{zh.NOT_CHOSEN}")
_ADVERSE: Final = re.compile(rf"\b(?:{'|'.join(sorted(en.ADVERSE))})\b|{zh.ADVERSE}")
_ONLY: Final = re.compile(r"\bonly\b|(?<![一二两三四五六七八九十几0-9])[只仅]")
_CHOICE: Final = re.compile(r"\b(?:chose|chosen|choose|picked|took|takes|taken|selected)\b|[选挑定]")
_MEASURES: Final = frozenset({*map(stem, figures_en.UNITS), *figures_zh.UNITS})
_BACK: Final = re.compile(r"\b(?:it|its|them|that|this|those|these|which|who|whom)\b|[它这那]")
"""Words that point at what was said before."""
_CALENDAR: Final = frozenset(stem(word) for word in (*figures_en.MONTHS, *figures_en.WEEKDAYS))

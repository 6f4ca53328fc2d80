"""Which slots the assistant's words ask for, where the application did not say so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from slotstate.extract import Request
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.lexicons import LEXICONS
from slotstate.extractors.builtin.profile import Profile, has_word, stem
from slotstate.extractors.builtin.words import Words, cue_spans
from slotstate.parsing import as_folded, asks, find, fold
from slotstate.parsing.matching import compiled
from slotstate.slots import Kind

_TELLING = 4
"""Shorter words of a question are too common to point at a slot."""
_PREFIX = 5
"""Words that share this many letters are taken for relatives ("member", "membership")."""


def asked_profiles(request: Request, assistant: Words, profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    """The slots that the assistant's last turn asks for; of namesakes in several domains the one that it names."""
    heard = request.state.heard
    stated = [one for one in profiles if one.path in request.asked or one.slot in request.asked]
    told = heard is not None and bool(heard.asks)
    found = stated if told else _inferred(assistant, profiles, stated)
    return _without_namesakes(found, assistant, request)


def _inferred(assistant: Words, profiles: Sequence[Profile], guessed: Sequence[Profile]) -> list[Profile]:
    """What the questions ask for; one that has values checked, or that closes, asks for nothing."""
    found: list[Profile] = []
    open_questions = False
    for question in questions(assistant):
        if cue_spans(Words(question), lambda lexicon: lexicon.closing_question):
            continue
        checking = bool(cue_spans(Words(question), lambda lexicon: lexicon.check_question))
        open_questions = open_questions or not checking
        found += [one for one in _asked_by(question, profiles, checking) if one not in found]
    return found or (list(guessed) if open_questions else [])


def _asked_by(question: str, profiles: Sequence[Profile], checking: bool) -> list[Profile]:
    """The slots that one question asks for: those whose question it is, else the best fit, if it is clear."""
    if checking:
        return [one for one in profiles if "confirmation" in one.concepts][:1]
    folded = as_folded(question)
    repeated = [one for one in profiles if one.spec.slot.ask and find(one.spec.slot.ask.rstrip("?？ "), folded)]
    if repeated:
        return repeated
    pointers = _Pointers(question)
    scores = [(_points_at(one, pointers), one) for one in profiles]
    best = max((score for score, _ in scores), default=(0, 0, False))
    if any(best):
        found = [one for score, one in scores if score == best]
        return found if len(found) == len({one.domain for one in found}) else []
    slots = {one.slot for one in profiles}
    return list(profiles) if len(slots) == 1 else []


def questions(assistant: Words) -> list[str]:
    """The sentences of the assistant that ask something."""
    sentences = (assistant.text[start:end].strip() for start, end in assistant.sentences)
    return [sentence for sentence in sentences if asks(as_folded(sentence))]


def last_question(assistant: Words) -> str:
    """The last sentence of the assistant that asks something; empty when none does."""
    asked = questions(assistant)
    return asked[-1] if asked else ""


class _Pointers:
    """What a question holds that may point at a slot."""

    def __init__(self, question: str) -> None:
        self.question = question
        words, starts = _stems(question)
        self.heads = words | starts
        self.concepts = _concepts_of(question)
        self.wanted = _wanted_by(question)


def _points_at(one: Profile, by: _Pointers) -> tuple[int, int, bool]:
    """How a question points at a slot: by its name, by words of its name, by the kind of answer that it wants."""
    shared = sum(part[:_PREFIX] in by.heads for part in one.stems) if one.stems else 0
    if one.concepts:
        shared += sum(not one.concepts.isdisjoint(spoken) for spoken in by.concepts)
    named = one.named_by(by.question)
    if "-" in by.question:
        named = max(named, one.named_by(by.question.replace("-", "")))
    return named, shared, any(one.kind in _kinds(wanted, one) for wanted in by.wanted)


@lru_cache(maxsize=256)
def _stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a text's words, and the first letters of the longer ones."""
    words = frozenset(stem(word) for word in compiled(r"[^\W\d_]+").findall(text))
    return words, frozenset(word[:_PREFIX] for word in words if len(word) >= _PREFIX)


@lru_cache(maxsize=256)
def _concepts_of(question: str) -> tuple[frozenset[str], ...]:
    """The concepts whose words stand in a question, for each language."""
    loose = question.replace("-", " ")
    return tuple(
        frozenset(
            name for word in filter(loose.__contains__, words) if has_word(word, question) for name in words[word]
        )
        for words in map(_telling_words, LEXICONS)
    )


@cache
def _telling_words(lexicon: Lexicon) -> dict[str, list[str]]:
    """Words of a language that point at concepts in a question, short ones aside, with the concepts."""
    words: dict[str, list[str]] = {}
    for name, concept in lexicon.concepts.items():
        for word in concept.slots:
            if len(word) >= _TELLING or not word.isascii() or " " in word:
                words.setdefault(word, []).append(name)
    return words


@lru_cache(maxsize=256)
def _wanted_by(question: str) -> tuple[tuple[str, ...], ...]:
    """What the question words of a question want."""
    return tuple(
        wanted
        for lexicon in LEXICONS
        for pattern, wanted in lexicon.question_kinds.items()
        if compiled(pattern).search(question)
    )


def counts(question: str) -> bool:
    """Whether a question is for a number of things ("how many …")."""
    return any(wanted[0] == "integer" for wanted in _wanted_by(question))


def _kinds(wanted: Sequence[str], one: Profile) -> set[Kind]:
    """The kinds that a question word wants; "place" and "person" want text slots that are about one."""
    about = {"place": {"origin", "destination", "place", "venue"}, "person": {"name", "recipient"}}
    kinds: set[Kind] = set()
    for kind in wanted:
        if kind in about:
            kinds |= {"text"} if one.concepts & about[kind] else set()
        elif kind == one.kind:
            kinds.add(one.kind)
    return kinds


def _without_namesakes(found: Sequence[Profile], assistant: Words, request: Request) -> tuple[Profile, ...]:
    if len({one.domain for one in found}) < 2:
        return tuple(found)
    text, _ = _stems(assistant.text)
    named = [one for one in found if any(stem(part) in text for part in fold(one.domain).text.split("_"))]
    if named and len({one.domain for one in named}) == 1:
        return tuple(named)
    held = [one for one in found if request.state.slot(one.path).changed >= 0]
    domains = list(dict.fromkeys(one.domain for one in (held or found)))
    return tuple(one for one in found if one.domain == domains[0])

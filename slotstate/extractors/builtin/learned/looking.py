"""What the models make of texts, values and slots, kept for the turns that look at them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from slotstate.domains import Domain
from slotstate.extractors.builtin.learned.lefts import (
    domain_features,
    numbers,
    option_features,
    slot_features,
    stretch_features,
    turn_features,
)
from slotstate.extractors.builtin.learned.linear import Side
from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, Models
from slotstate.extractors.builtin.learned.nearness import senses, sorts_at
from slotstate.extractors.builtin.learned.tagger import Stretch, Tagger
from slotstate.extractors.builtin.learned.tokens import Token, content, shape_of, stem, tokenize
from slotstate.extractors.builtin.learned.words import met_in, option_words
from slotstate.slots import SlotSpec


@lru_cache(maxsize=256)
def options_of(specs: tuple[SlotSpec, ...]) -> tuple[tuple[str, ...], ...]:
    """The words of the options that can be looked for in a text, numbers aside."""
    found = {
        words: None
        for spec in specs
        if spec.kind == "categorical"
        for option in spec.options
        if (words := option_words(str(option))) and not (len(words) == 1 and words[0].isdigit())
    }
    return tuple(found)


@lru_cache(maxsize=64)
def option_homes(specs: tuple[SlotSpec, ...]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How many of the slots of a domain ("" for all domains) have an option, by its words."""
    found = Counter[tuple[str, tuple[str, ...]]]()
    for spec in specs:
        if spec.kind == "categorical":
            words = {option_words(str(option)) for option in spec.options}
            found.update((domain, one) for domain in (spec.domain, "") for one in words)
    return found


@lru_cache(maxsize=1024)
def stretches(tagger: Tagger, text: str, speaker: str, options: tuple[tuple[str, ...], ...]) -> tuple[Stretch, ...]:
    """The stretches that may be values: those that the tagger sees, their parts, names by their capitals where it sees
    nothing, numerals and options.
    """
    tokens = tokenize(text[:2000])
    found = list(tagger.stretches(text, speaker))
    taken = {(one.first, one.last) for one in found}
    sure = {place for one in found if not one.lax for place in range(one.first, one.last)}
    names = [one for one in _names(tokens) if sure.isdisjoint(range(one[0], one[1]))]
    for first, last, kind in (*_parts(tokens, found), *names):
        if (first, last) not in taken:
            found.append(Stretch(first, last, tokens[first].start, tokens[last - 1].end, kind, True))
            taken.add((first, last))
    stems = met_in(text[:2000])
    for index, word in enumerate(stems):
        if word.isdigit() and (index, index + 1) not in taken:
            found.append(Stretch(index, index + 1, tokens[index].start, tokens[index].end, "numeral", True))
            taken.add((index, index + 1))
    known = set(stems)
    for words in options:
        if words[0] not in known:
            continue
        size = len(words)
        for index in range(len(stems) - size + 1):
            if stems[index : index + size] == words and (index, index + size) not in taken:
                found.append(
                    Stretch(index, index + size, tokens[index].start, tokens[index + size - 1].end, "option", True)
                )
                taken.add((index, index + size))
    return tuple(found)


_MARKS: Final = frozenset(".?!,;")
_SMALL: Final = frozenset("of the and by in at on for de la & ' - s".split())
"""Words and marks within names, which are written small."""
MAX_NAME: Final = 8


def _parts(tokens: Sequence[Token], found: Iterable[Stretch]) -> Iterator[tuple[int, int, str]]:
    """What stands before the first mark of a stretch and behind its last: few values go over the end of a sentence."""
    for one in found:
        marks = [place for place in range(one.first + 1, one.last - 1) if tokens[place].text in _MARKS]
        if marks:
            yield one.first, marks[0], one.kind
            yield marks[-1] + 1, one.last, one.kind


def _names(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Words in a row that are written with capitals, by themselves only within a sentence."""
    place, count = 0, len(tokens)
    while place < count:
        if not _is_capital(tokens[place]):
            place += 1
            continue
        first = last = place
        while (next_ := _next_capital(tokens, last)) and next_ - first < MAX_NAME:
            last = next_
        begins = first == 0 or tokens[first - 1].text in _MARKS
        if last > first or not begins:
            yield first, last + 1, "name"
        place = last + 1


def _is_capital(token: Token) -> bool:
    return token.text[0].isupper() and token.text != "I" and not token.text.startswith("I'")


def _next_capital(tokens: Sequence[Token], place: int) -> int:
    """The next word of a name after one of its words; 0 where the name ends."""
    for step in range(place + 1, min(place + 4, len(tokens))):
        if _is_capital(tokens[step]):
            return step
        if tokens[step].text not in _SMALL:
            break
    return 0


@lru_cache(maxsize=2048)
def value_features(tagger: Tagger, value: str) -> tuple[str, ...]:
    """A value without context: its likely kind, shape and words."""
    tokens = tokenize(value[:200])
    found = max(tagger.stretches(value, "u"), key=lambda one: one.last - one.first, default=None)
    kind = "numeral" if value.isdigit() else found.kind if found is not None else "name"
    shape = "".join(shape_of(token.text) for token in tokens[:3])
    return (f"k{kind}", f"uk{kind}", f"s{shape}", *(f"v{stem(token.key)}" for token in tokens[:5]))


@lru_cache(maxsize=1024)
def done(models: Models, text: str) -> Any:
    """What the assistant does in a turn: a probability for each act."""
    return models.system_acts.probabilities(numbers(turn_features(text, "s")))


@lru_cache(maxsize=256)
def rights_of(specs: tuple[SlotSpec, ...]) -> Side:
    """Slots, ready to be paired."""
    return Side([numbers(slot_features(spec)) for spec in specs])


@lru_cache(maxsize=256)
def options_side(slots: tuple[tuple[SlotSpec, tuple[str, ...]], ...]) -> Side:
    """The options of slots, one slot after another, ready to be paired."""
    return Side([numbers(option_features(spec, one)) for spec, options in slots for one in options])


@lru_cache(maxsize=256)
def domains_side(domains: tuple[Domain, ...]) -> Side:
    """Domains, ready to be paired."""
    return Side([numbers(domain_features(domain)) for domain in domains])


@lru_cache(maxsize=512)
def fits(models: Models, text: str, speaker: str, rights: Side, options: tuple[tuple[str, ...], ...]) -> Any:
    """The logit of every stretch of a text (a row) for every slot."""
    tokens = tokenize(text[:2000])
    found = stretches(models.tagger, text, speaker, options)
    lefts = [numbers(tuple(stretch_features(tokens, one, speaker))) for one in found]
    return models.fits.scores(Side(lefts), rights)


def with_acts(models: Models, user: str, assistant: str) -> tuple[str, ...]:
    """The user's words with what the assistant did before."""
    words = turn_features(user, "u")
    if not assistant:
        return (*words, "@START")
    shares = done(models, assistant).tolist()
    did = [f"@{name}" for name, share in zip(SYSTEM_ACTS, shares, strict=True) if share > 0.5]
    short = [f"{act}{word}" for act in did for word in words[2:8]]
    return (*words, *did, *short)


@lru_cache(maxsize=4096)
def path_features(path: str) -> tuple[str, ...]:
    """A slot by its path alone."""
    domain, _, name = path.partition(".")
    words = content(name.replace("_", " ").replace(".", " "))
    meant = dict.fromkeys(sense for word in words for sense in senses(word)[1:])
    return (
        "b",
        f"={name}",
        *words,
        *meant,
        *(f"K{sort}" for sort in sorted(sorts_at(path))),
        *(f"d{word}" for word in content(domain.replace("_", " "))),
    )

"""How near a stretch stands to words that a slot is declared with: this tells of slots that no model ever saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

import numpy as np

from slotstate.domains import Domain
from slotstate.extractors.builtin.learned.tagger import Stretch
from slotstate.extractors.builtin.learned.tokens import content, stem, tokenize
from slotstate.slots import SlotSpec

_ALIKE: Final = (
    "actor actress star starring stars cast acting acted",
    "director directed directing direct filmmaker",
    "genre type kind category style sort subcategory",
    "cuisine food serving serves serve eat eating dish cooking",
    "artist singer band musician performer performed sung sings",
    "album record",
    "song track tune",
    "movie film show",
    "people person persons guest passenger rider party traveler traveller adult seat size us ticket",
    "bag luggage suitcase baggage",
    "room bedroom bed",
    "bath bathroom",
    "night day stay length staying duration long",
    "price cost fare rent amount pay total expensive fee money",
    "rating rated review score star",
    "origin leaving leave depart departing departure from source start starting originate",
    "destination going go heading arrive arriving arrival to headed end",
    "return returning back",
    "city town area location place spot municipality region where",
    "recipient payee receiver send transfer",
    "account checking savings",
    "doctor physician dentist therapist stylist specialist salon practitioner",
    "hotel accommodation place property",
    "restaurant diner eatery",
    "apartment home house property",
    "airline carrier flying",
    "class cabin seating economy business",
    "date day",
    "time hour clock",
    "name called named titled title",
    "device speaker play player",
    "subtitle subtitles caption",
    "language speaking",
    "station terminal stop",
    "shared share private pool",
    "contact friend",
    "visibility public",
    "pickup pick collect",
    "dropoff drop",
    "venue theater theatre stadium",
    "event game match concert",
    "message text note",
    "insurance protection coverage",
    "pet animal dog cat",
    "furnished furniture",
    "parking garage",
    "wifi internet",
    "laundry washer",
    "train rail",
    "car vehicle model",
    "alcohol drink bar wine beer",
    "outdoor outside patio",
    "vegetarian vegan",
    "smoking smoke",
    "kid child children family",
    "stop layover direct nonstop connection transfer",
    "buy purchase",
    "reservation booking",
    "job work occupation profession",
    "reminder alarm",
    "speciality specialty field",
)
"""Words that users and schemas have for one thing. A word may be in several lines."""
_TOPICS: Final = (
    "hotel accommodation stay lodging hostel guesthouse inn motel room",
    "restaurant diner eatery eat dine dinner lunch food table meal cuisine",
    "attraction sight sightseeing visit museum park gallery tour",
    "taxi cab ride",
    "train rail railway",
    "bus coach",
    "flight fly plane airline airport",
    "weather forecast temperature rain",
    "bank money account transfer payment",
    "salon haircut hair stylist",
    "doctor dentist clinic",
    "movie cinema film theater watch",
    "music song listen play",
    "event concert game show ticket",
    "apartment house home rent property",
    "rental car vehicle",
    "calendar schedule appointment meeting",
    "alarm wake",
)
"""Words for what a domain is about, as users and declarations have them."""
BEFORE: Final = 6
AFTER: Final = 3
"""Words on either side that count, less the farther they are, up to the end of the sentence."""
_ENDS: Final = frozenset(".?!")
_SMALL: Final = frozenset({"from", "to", "where"})


def _lines(lists: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for number, line in enumerate(lists):
        for word in line.split():
            found.setdefault(word if word in _SMALL else stem(word), {})[f"~{number}"] = None
    return {word: tuple(names) for word, names in found.items()}


_LINES: Final = _lines(_ALIKE)
_TOPIC_LINES: Final = _lines(_TOPICS)


def senses(word: str) -> tuple[str, ...]:
    """A word's stem, with what it stands for."""
    return (word, *_LINES.get(word, ()))


def topics(word: str) -> tuple[str, ...]:
    """A word's stem, with what it tells of a domain."""
    return (word, *_TOPIC_LINES.get(word, ()))


SORTS: Final = ("date", "time", "count", "amount", "place", "sort", "name", "origin", "destination")
"""What a free slot may be about, by its declaration."""
_SORT_WORDS: Final = (
    ("date", re.compile(r"\b(?:date|day of|check.?in|check.?out|birthday|when)\b")),
    ("time", re.compile(r"\b(?:time|hour)\b")),
    (
        "count",
        re.compile(
            r"\b(?:number of|how many|size|count|passengers|people|guests|riders|travelers|seats|rooms|beds|baths|"
            r"tickets|bags|days|nights|length of|stops|transfers|quantity)\b"
        ),
    ),
    (
        "amount",
        re.compile(
            r"\b(?:price|fare|rent|cost|fee|balance|amount|rating|duration|phone|temperature|humidity|wind|year)\b"
        ),
    ),
    ("origin", re.compile(r"\b(?:origin|from|departure|departing|leaving|start|starting|source)\b")),
    ("destination", re.compile(r"\b(?:destination|to|arrival|arriving|going|end|ending|where to)\b")),
    (
        "place",
        re.compile(
            r"\b(?:city|town|area|location|place|spot|station|airport|address|venue|street|where|region|municipality)\b"
        ),
    ),
    ("sort", re.compile(r"\b(?:genre|cuisine|category|type|kind|class|style|level|range)\b")),
)


_TO_DO: Final = re.compile(r"\b(?:[Tt]o|[Ff]rom|[Ee]nd)\b")
"""Words of a name that tell of a direction, and of a sentence that do not."""
_TO_DO_NAMED: Final = re.compile(r"(?<=\S )to (?=\S)")
"""The same within a name: "days to stay"."""
_TOWN: Final = re.compile(r"\b(?:city|town|region|area|state|country|municipality)\b")
"""Places that have no name but their own: the name of a city is the city."""
_NAME_OF: Final = re.compile(rf"\b(?:name|title) of (?!.*{_TOWN.pattern})")
"""Where a description tells that what is called a place is a thing with a name."""


@lru_cache(maxsize=4096)
def sorts_of(spec: SlotSpec) -> frozenset[str]:
    """What a slot is about: by its name if that tells, else by its description."""
    said = _TO_DO.sub(" ", spec.description[:400])
    named = _sorts_in(_TO_DO_NAMED.sub(" ", _spaced(spec.label)))
    if named == frozenset({"place"}) and _NAME_OF.search(said.lower()) is not None:
        return frozenset({"name"})
    return named or _sorts_in(_spaced(said)) or frozenset({"name"})


@lru_cache(maxsize=4096)
def sorts_at(path: str) -> frozenset[str]:
    """What the slot at a path is about, by its name alone."""
    return _placed(_sorts_in(_TO_DO_NAMED.sub(" ", _spaced(path.partition(".")[2].replace(".", " ")))))


def _spaced(text: str) -> str:
    return text.lower().replace("_", " ")


def _sorts_in(said: str) -> frozenset[str]:
    found = frozenset(sort for sort, words in _SORT_WORDS if words.search(said))
    if "count" in found and said.startswith("amount of"):
        return found - {"amount"}
    if re.search(r"\bname\b|\btitle\b", said) and _TOWN.search(said) is None:
        return found - {"place"} | {"name"}
    return found


@lru_cache(maxsize=4096)
def are_alike(path: str, spec: SlotSpec) -> bool:
    """Whether the slot at a path is about the same sort of thing, names and amounts aside: those seldom go over."""
    return bool((sorts_at(path) & _placed(sorts_of(spec))) - {"name", "amount", "origin", "destination"})


def _placed(sorts: frozenset[str]) -> frozenset[str]:
    """A direction alone is one of places."""
    return sorts if sorts & {"date", "time"} or not sorts & {"origin", "destination"} else sorts | {"place"}


Words = dict[str, Any]
"""For each word the weight that it has for each slot."""


@lru_cache(maxsize=256)
def words_of(specs: tuple[SlotSpec, ...]) -> Words:
    """The words that slots are declared with. A word of the name weighs more than one of the description, and less the
    more slots of the domain share it. The slots of a domain follow each other.
    """
    parts = [_words_at_home(tuple(members)) for _, members in groupby(specs, lambda spec: spec.domain)]
    places = {
        sense: place for place, sense in enumerate(dict.fromkeys(sense for senses, _ in parts for sense in senses))
    }
    table = np.zeros((len(places), len(specs)), np.float32)
    at = 0
    for found, weights in parts:
        table[[places[sense] for sense in found], at : at + weights.shape[1]] = weights
        at += weights.shape[1]
    return dict(zip(places, table, strict=True))


@lru_cache(maxsize=512)
def _words_at_home(specs: tuple[SlotSpec, ...]) -> tuple[tuple[str, ...], Any]:
    """The words of the slots of one domain, and what each (a row) weighs for each slot (a column)."""
    found: dict[str, Any] = {}
    for index, spec in enumerate(specs):
        name = (
            *content(spec.label),
            *(word for word in spec.label.lower().replace("_", " ").split() if word in _SMALL),
        )
        told = content(" ".join([spec.description[:400], spec.slot.ask or "", *spec.slot.cues]))
        for weight, words in ((0.5, told), (1.0, name)):
            for word in words:
                for sense in senses(word):
                    row = found.setdefault(sense, np.zeros(len(specs), np.float32))
                    row[index] = max(row[index], weight if sense == word else 0.7 * weight)
    if not found:
        return (), np.zeros((0, len(specs)), np.float32)
    table = np.array(list(found.values()))
    shared = np.count_nonzero(table, axis=1)
    return tuple(found), table / np.maximum(shared, 1)[:, None].astype(np.float32)


@lru_cache(maxsize=1024)
def around(text: str, one: Stretch) -> tuple[tuple[str, float], ...]:
    """The senses of the words around a stretch, each with its nearness: 1 right beside it."""
    tokens = tokenize(text[:2000])
    found: dict[str, float] = {}
    for step, places in (
        (BEFORE + 1, range(one.first - 1, max(-1, one.first - 1 - BEFORE), -1)),
        (AFTER + 1, range(one.last, min(len(tokens), one.last + AFTER))),
    ):
        for away, place in enumerate(places):
            word = tokens[place].text.lower()
            if word in _ENDS:
                break
            for sense in senses(word if word in _SMALL else stem(word)):
                found[sense] = max(found.get(sense, 0.0), 1 - away / step)
    return tuple(found.items())


@lru_cache(maxsize=2048)
def inside(words: str) -> tuple[str, ...]:
    """The senses of the words of a value."""
    return tuple(dict.fromkeys(sense for word in content(words) for sense in senses(word)))


@lru_cache(maxsize=1024)
def all_senses(text: str) -> frozenset[str]:
    """The senses of all words of a text."""
    return frozenset(sense for word in content(text) for sense in senses(word))


@lru_cache(maxsize=64)
def topics_of(domains: tuple[Domain, ...]) -> Mapping[str, tuple[tuple[int, float], ...]]:
    """The words that domains are about, each with the domains by number and its weight: what several have in common
    counts less, what only a description says counts half.
    """
    found: dict[str, dict[int, float]] = {}
    for place, domain in enumerate(domains):
        for weight, text in ((0.5, domain.description[:300]), (1.0, domain.name.replace("_", " "))):
            for word in content(text):
                if word.isdigit():
                    continue
                for sense in topics(word):
                    found.setdefault(sense, {})[place] = weight if sense == word else 0.7 * weight
    return {sense: tuple((place, one / len(some)) for place, one in some.items()) for sense, some in found.items()}


def topical(domains: tuple[Domain, ...], text: str) -> list[float]:
    """How much of a text is about each domain."""
    known, total = topics_of(domains), [0.0] * len(domains)
    for word in content(text):
        best: dict[int, float] = {}
        for sense in topics(word):
            for place, weight in known.get(sense, ()):
                best[place] = max(best.get(place, 0.0), weight)
        for place, weight in best.items():
            total[place] += weight
    return total


@lru_cache(maxsize=1024)
def named_at(text: str, domain: str) -> tuple[Stretch, ...]:
    """The words of a text that stand for what a domain is about, by its name."""
    meant = {sense for word in content(domain.replace("_", " ")) if not word.isdigit() for sense in topics(word)}
    return tuple(
        Stretch(place, place + 1, token.start, token.end, "name")
        for place, token in enumerate(tokenize(text[:2000]))
        if meant.intersection(topics(stem(token.text)))
    )


def told_of(spec: SlotSpec, text: str) -> float:
    """The share of the words of a slot's name that a text has, or others for the same."""
    name, said = _name_senses(spec), all_senses(text)
    return sum(not said.isdisjoint(word) for word in name) / max(1, len(name))


@lru_cache(maxsize=4096)
def _name_senses(spec: SlotSpec) -> tuple[tuple[str, ...], ...]:
    """The senses of each word of a slot's name."""
    return tuple(senses(word) for word in content(spec.label))


@lru_cache(maxsize=8192)
def spec_sorts(spec: SlotSpec) -> tuple[float, ...]:
    """What a slot is about, as numbers."""
    found = sorts_of(spec)
    return tuple(float(sort in found) for sort in SORTS)


def nearness(places: Sequence[tuple[str, Stretch]], words: Words, width: int) -> Any:
    """How near each of some stretches of texts stands to the words of each slot: a row for each."""
    rows: list[Any] = []
    weights: list[float] = []
    owners: list[int] = []
    for place, (text, one) in enumerate(places):
        for sense, near in around(text, one):
            row = words.get(sense)
            if row is not None:
                rows.append(row)
                weights.append(near)
                owners.append(place)
    total = np.zeros((len(places), width), np.float32)
    if rows:
        starts = [at for at, owner in enumerate(owners) if not at or owners[at - 1] != owner]
        table = np.array(rows) * np.array(weights, np.float32)[:, None]
        total[[owners[at] for at in starts]] = np.add.reduceat(table, starts, axis=0)
    return total

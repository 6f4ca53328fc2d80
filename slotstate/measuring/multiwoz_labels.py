"""Values of MultiWOZ as they are compared: misspelt labels mended, one way of writing each value.

What is mended is the list that evaluations of MultiWOZ share, first published with TRADE (jasonwu0731/trade-dst,
utils/fix_label.py); here by the value that is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

DONTCARE: Final = "dontcare"
NONE: Final = "none"

_MEANT: Final[Mapping[str, str]] = {
    # a value: other ways in which labels write it
    "guest house": "guest|guesthouse|guesthouses",
    "multiple sports": "mutiple sports|mutliple sports|sports",
    "swimming pool": "pool|swimmingpool",
    "concert hall": "concert|concerthall",
    "nightclub": "night club",
    "museum": "mus|musuem",
    "architecture": "architectural|ol",
    "college": "coll|colleges",
    "church": "churches",
    "centre": "ce|cen|center|center of town|centre of cambridge|centre of town|city center|in town|near city center|"
    "scentre|town center|town centre",
    "north": "in the north|north part of town",
    "south": "the south",
    "east": "east area|east side",
    "west": "west part of town",
    "moderate": "mo|mode|moderate -ly",
    "friday": "next friday",
    "monday": "monda",
    "free": "free parking",
    "yes": "free internet|y",
    "no": "does not|n",
    "3": "3 .",
    "4": "4 star|4 stars",
    DONTCARE: "any|do n't care|do not care|does not care|don't care|dont care",
    NONE: "|0 star rarting|art|cb30aq|fun|not|not men|not mendtioned|not mentioned",
}
_GENERAL: Final[Mapping[str, str]] = {
    written: value for value, others in _MEANT.items() for written in others.split("|")
}

_AREAS: Final[Mapping[str, str]] = {"no": "north", "we": "west", "cent": "centre", "moderate": NONE}
_DAYS: Final[Mapping[str, str]] = {"we": "wednesday", "no": NONE, "t": NONE}
_BY_SLOT: Final[Mapping[str, Mapping[str, str]]] = {
    "hotel.type": {
        **dict.fromkeys(
            ("nigh", "moderate -ly priced", "bed and breakfast", "centre", "venetian", "intern", "a cheap -er hotel"),
            NONE,
        ),
        **dict.fromkeys(("hotel with free parking and free wifi", "4", "3 star hotel"), "hotel"),
    },
    "hotel.stars": {"3 star hotel": "3"},
    "hotel.internet": {"4": NONE, "free": "yes"},
    "hotel.parking": {"free": "yes"},
    "hotel.pricerange": {"2": NONE, "ch": "cheap"},
    "restaurant.pricerange": {"ch": "cheap"},
    "attraction.type": dict.fromkeys(("gastropub", "la raza", "galleria", "gallery", "science", "m"), NONE),
    "hotel.area": _AREAS,
    "restaurant.area": {**_AREAS, **dict.fromkeys(("stansted airport", "cambridge", "silver street"), NONE)},
    "attraction.area": {**_AREAS, **dict.fromkeys(("norwich", "ely", "museum", "same area as hotel"), NONE)},
    "hotel.bookday": _DAYS,
    "restaurant.bookday": _DAYS,
    "train.day": _DAYS,
}
"""Of one slot only: what stands in the wrong place, and what was cut off."""


def mended(path: str, written: str) -> str:
    """A label, or a predicted value, as it is compared; "none" for what is no value of the slot `path`.

    Lower case, one space between words, none before "'s", times as HH:MM; then the list above. Both sides of a
    comparison go through it.
    """
    text = " ".join(unicodedata.normalize("NFKC", written).casefold().replace("’", "'").split())
    text = re.sub(r"\s+'\s?s\b", "'s", text).strip(" '\"")
    if re.fullmatch(r"[0-9]:[0-5][0-9]", text):
        text = f"0{text}"
    text = _GENERAL.get(text, text)
    return _BY_SLOT.get(path, {}).get(text, text)

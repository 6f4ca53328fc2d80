"""Addresses said in one piece ("3 Mill Lane, York, YO1 7AA") for composites with a street and a city."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from slotstate.extractors.builtin.choose import Candidate, Reason
from slotstate.extractors.builtin.context import Context
from slotstate.extractors.builtin.profile import Profile
from slotstate.extractors.builtin.remains import valid_text
from slotstate.extractors.builtin.words import inside
from slotstate.parsing import Span, unspaced

_ROLES: Final = {
    "street": frozenset(
        {"street", "street address", "address", "line", "line1", "address line", "road", "street and number"}
    ),
    "city": frozenset({"city", "town", "place", "locality"}),
    "postcode": frozenset({"postcode", "post code", "postal code", "zip", "zip code", "zipcode"}),
}
"""Names of the parts; a schema is written in English or names its fields so, whatever its users speak."""
_NAME: Final = r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,3}"
_CODE: Final = r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[A-Z]{0,2}[ -]?[0-9]{4,6}(?:-[0-9]{3,4})?"
_PROPER: Final = r"[A-ZÀ-Þ][\w'.-]*(?: [A-ZÀ-Þ][\w'.-]*){0,3}"
_STREET: Final = rf"(?:[0-9]{{1,5}}[a-zA-Z]? {_NAME}|{_PROPER} [0-9]{{1,5}}[a-zA-Z]?)"
_FORMS: Final = (
    re.compile(rf"(?<![\w-])(?P<street>{_STREET}), (?P<city>{_NAME})(?:,? (?P<postcode>{_CODE}))?(?= ?(?:[.!;,]|$))"),
    re.compile(rf"(?<![\w-])(?P<street>{_STREET}), (?P<postcode>{_CODE}),? (?P<city>{_NAME})(?= ?(?:[.!;,]|$))"),
)


def addressed(turn: Context, taken: Sequence[Span]) -> Iterator[Candidate]:
    """The parts of the only address, where one composite takes a street and a city."""
    original = turn.words.folded.original
    if not any(map(str.isdigit, original)):
        return
    homes = [parts for parts in _composites(turn) if "street" in parts and "city" in parts]
    if len(homes) != 1 or any(map(unspaced, original)):
        return
    found = [match for form in _FORMS for match in form.finditer(original[:_LONGEST])]
    if not found:
        return
    match = max(found, key=lambda one: one.end() - one.start())
    if not match["city"][:1].isupper():
        return
    for role, one in homes[0].items():
        span = turn.words.inner(match.span(role)) if match[role] else (0, 0)
        value = (
            valid_text(turn, one, span) if span[1] > span[0] and turn.fills(span) and not inside(span, taken) else None
        )
        if value is not None:
            yield Candidate(one, span, (value,), Reason.NAMED)


_LONGEST: Final = 400
"""Characters of a turn in which an address is looked for."""


def _composites(turn: Context) -> Iterator[dict[str, Profile]]:
    """The parts of an address that each composite has, by role."""
    groups: dict[str, dict[str, Profile]] = {}
    for one in turn.profiles:
        slot, _, field = one.path.rpartition(".")
        if slot.count(".") == 1 and one.kind == "text":
            role = next((role for role, names in _ROLES.items() if field.replace("_", " ") in names), None)
            if role is not None:
                groups.setdefault(slot, {})[role] = one
    yield from groups.values()

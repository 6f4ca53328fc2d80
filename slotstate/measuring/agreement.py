"""Whether what a slot holds is what it should hold, and in which words of the dialogue a value stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from slotstate.errors import InvalidValue
from slotstate.measuring.dialogues import DONTCARE_LABEL, Reference
from slotstate.measuring.records import Found
from slotstate.parsing import find as find_text
from slotstate.parsing import fold
from slotstate.slots import Json, SlotSpec
from slotstate.values import Reading, normalise, place, same, stands_in
from slotstate.values import find as find_values

_UNREADABLE: Final = object()


def agrees(spec: SlotSpec, reference: Reference | None, found: Found | None, now: datetime) -> bool:
    """Whether a slot holds what it should, exactly: in canonical form one of the reference's values is the same.

    A date is compared as a date, whatever its words; texts letter case and white space aside. A list is compared as a
    set where the corpus writes it with spaces between its items; as JSON, like objects, where it is written so. Nothing
    agrees with nothing.
    """
    if reference is None or found is None:
        return reference is None and found is None
    if found.dontcare or reference.is_dontcare:
        return found.dontcare and reference.is_dontcare
    return any(_same(spec, form, found.value, now) for form in (*reference.canonical, *reference.values))


def _same(spec: SlotSpec, form: str, value: Json, now: datetime) -> bool:
    if spec.kind == "list" and not _is_json(form):
        items = {fold(str(one)).text for one in value} if isinstance(value, list) else {fold(str(value)).text}
        return items in ({fold(one).text for one in form.split()}, {fold(form).text})
    meant = canonical(spec, form, now)
    return meant is not _UNREADABLE and same(spec, meant, value)


def _is_json(form: str) -> bool:
    """Whether a text is a JSON list or object."""
    return form[:1] in {"[", "{"} and isinstance(_decoded(form), list | dict)


def _decoded(form: str) -> Json:
    try:
        return json.loads(form)
    except (ValueError, RecursionError):
        return form


@lru_cache(maxsize=65_536)
def canonical(spec: SlotSpec, form: str, now: datetime) -> Json:
    """A reference's text in the slot's canonical form; a value that nothing is the same as where it has none."""
    try:
        return normalise(spec, _decoded(form) if _is_json(form) else form, Reading(now))
    except InvalidValue:
        return _UNREADABLE


def agree(one: Reference, other: Reference) -> bool:
    """Whether two references mean the same value."""
    return bool(one.forms & other.forms)


def stands(spec: SlotSpec, reference: Reference, text: str, now: datetime) -> bool:
    """Whether the value stands in a text, in one of the corpus' forms or as the slot's parser reads it."""
    folded = fold(text)
    if any(find_text(form, folded) is not None for form in reference.forms):
        return True
    meant = (canonical(spec, form, now) for form in (*reference.canonical, *reference.values))
    known = [value for value in meant if value is not _UNREADABLE]
    return spec.kind not in {"text", "list"} and any(stands_in(spec, value, text, Reading(now)) for value in known)


def words_of(spec: SlotSpec, value: Json, raw: str | None, texts: Sequence[str], now: datetime) -> str:
    """How somebody in the dialogue put a value: `raw` where it says the value, else the last of `texts` (newest first)
    that does, else the value itself. For metrics that compare words, as SGD's do.
    """
    if spec.kind in {"text", "boolean", "categorical"} or isinstance(value, list | dict):
        return spoken(value)
    reading = Reading(now)
    for text in (raw or "", *texts):
        span = _span(spec, value, text, reading)
        if span is not None:
            return text[span[0] : span[1]]
    return spoken(value)


def _span(spec: SlotSpec, value: Json, text: str, reading: Reading) -> tuple[int, int] | None:
    if not text:
        return None
    exact = place(spec, value, text, reading)
    if exact is not None:
        return exact
    found = (one for one in find_values(spec, text, reading) if any(same(spec, value, other) for other in one.values))
    return next((one.span for one in found), None)


def spoken(value: Json) -> str:
    """A value as the corpora write it: True and False, numbers in digits, the items of a list with spaces between."""
    if isinstance(value, list):
        return " ".join(map(spoken, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def label(found: Found) -> str:
    """The same of what a slot holds, no preference included."""
    return DONTCARE_LABEL if found.dontcare else spoken(found.value)

"""Answers of models: JSON, whatever a model writes around it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final, Self

from pydantic import BaseModel, ValidationError

from slotstate.providers.calling import is_list, is_object

_TRIES: Final = 50
"""Places at which JSON may seem to begin, and does not: each costs a walk through the text."""
_WITHIN: Final = ":,[{"
"""What stands before a value within another one, as in an answer that was cut off."""


class Answer(BaseModel):
    """A response model that is also read from a code fence, from behind a model's thoughts, and from between prose."""

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """The answer in a text. Raises ValidationError that says what is wrong with it, or that there is none."""
        try:
            return super().model_validate_json(json_data, **options)
        except ValidationError as error:
            if not any(one["type"] == "json_invalid" for one in error.errors(include_url=False, include_input=False)):
                raise
            text = json_data if isinstance(json_data, str) else bytes(json_data).decode("utf-8", "replace")
            found = last_json(text, cls.model_fields)
            if found is None:
                raise
        return super().model_validate_json(found, **options)


def last_json(text: str, names: Collection[str] = ()) -> str | None:
    """The last object with one of these names, or list of objects, that stands whole in a text. The last, because what
    a model thinks, and what it repeats of a user, stands before what it answers.
    """
    found = None
    for start, end, value in _values(text):
        listed = (
            is_list(value)
            and all(is_object(one) for one in value)
            and not text[:start].rstrip().endswith(tuple(_WITHIN))
        )
        if listed or (is_object(value) and any(name in value for name in names)):
            found = text[start:end]
    return found


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Objects and lists in a text, where they begin and end, none within another one."""
    decoder, tries, at = json.JSONDecoder(), 0, 0
    while tries < _TRIES:
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        start = min(starts)
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            tries, at = tries + 1, start + 1
        else:
            yield start, at, value


__all__ = ["Answer", "last_json"]

"""What a slot's declaration says about its values, read from the annotation: bounds, lengths, a pattern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import GroupedMetadata
from pydantic.fields import FieldInfo

from slotstate.slots import SlotSpec


@dataclass(frozen=True, slots=True)
class Limits:
    """The declared limits by name ("ge", "max_length", "pattern", …), as Pydantic and annotated_types spell them."""

    given: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """The limit, or None."""
        return self.given.get(name)

    def low(self, step: Any, default: Any) -> Any:
        """The least value allowed, where values are `step` apart."""
        return self._edge("ge", "gt", step, default)

    def high(self, step: Any, default: Any) -> Any:
        """The greatest value allowed, where values are `step` apart."""
        return self._edge("le", "lt", -step, default)

    def _edge(self, within: str, beyond: str, step: Any, default: Any) -> Any:
        if self.get(within) is not None:
            return self.get(within)
        return default if self.get(beyond) is None else self.get(beyond) + step


_NAMES = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern", "max_digits", "decimal_places")


def limits_of(spec: SlotSpec) -> Limits:
    """The limits that a slot's type declares."""
    field = spec.model.model_fields["value"]
    given: dict[str, Any] = {}
    for item in (*_spread(field.metadata), *_annotated(field.annotation)):
        for name in _NAMES:
            value = getattr(item, name, None)
            if value is not None and not callable(value):
                given.setdefault(name, value)
    return Limits(given)


def _annotated(annotation: Any) -> Iterator[object]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _spread(annotation.__metadata__)
        yield from _annotated(annotation.__origin__)
    elif origin in (Union, UnionType):
        for member in get_args(annotation):
            yield from _annotated(member)


def _spread(metadata: Iterable[object]) -> Iterator[object]:
    for item in metadata:
        if isinstance(item, FieldInfo):
            yield from _spread(item.metadata)
        elif isinstance(item, GroupedMetadata):
            yield from _spread(item)
        else:
            yield item

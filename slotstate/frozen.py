"""Containers of a value that nobody may change: what the log and the state hold is read by many."""

from __future__ import annotations

from typing import Any, NoReturn, cast


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise TypeError("this value belongs to the log: copy it before changing it")


class FrozenList(list[Any]):
    """A list that cannot be changed; its copies are ordinary lists."""

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return cast(list[Any], thawed(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (list(self),)


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed; its copies are ordinary dicts."""

    update = pop = popitem = clear = setdefault = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return cast(dict[str, Any], thawed(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (dict(self),)


def frozen(value: Any) -> Any:
    """The value with lists and dicts that cannot be changed, all the way down; anything else as it is."""
    if isinstance(value, list | tuple):
        return FrozenList(frozen(part) for part in value)
    if isinstance(value, dict):
        return FrozenDict({key: frozen(part) for key, part in value.items()})
    return value


def thawed(value: Any) -> Any:
    """A copy of the value in ordinary lists and dicts."""
    if isinstance(value, list):
        return [thawed(part) for part in value]
    if isinstance(value, dict):
        return {key: thawed(part) for key, part in value.items()}
    return value

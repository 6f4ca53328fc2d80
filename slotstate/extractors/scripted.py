"""An extractor that says what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

from slotstate.errors import InputError, near
from slotstate.events import Op
from slotstate.extract import Change, Extraction, Request
from slotstate.slots import DONTCARE, UNSET

Item: TypeAlias = Iterable[Change] | Extraction | Exception


def change(path: str, op: Op = "set", value: Any = None, quote: str | None = None) -> Change:
    """A proposed change, as an extractor would make it; a value of None is no value."""
    return Change(op, path, UNSET if value is None else value, quote)


class ScriptedExtractor:
    """Plays a script, one item a user turn: changes, a whole Extraction, or an exception to raise. After its end it
    finds nothing. `requests` holds what it was shown. A turn that is read again takes the next item.
    """

    def __init__(self, script: Iterable[Item] = ()) -> None:
        self._script = [item if isinstance(item, Extraction | Exception) else tuple(item) for item in script]
        self.requests: list[Request] = []

    def extract(self, request: Request) -> Extraction:
        """The script's next item."""
        index = len(self.requests)
        self.requests.append(request)
        item = self._script[index] if index < len(self._script) else ()
        if isinstance(item, Exception):
            raise item
        return item if isinstance(item, Extraction) else Extraction(item, model="scripted")

    async def aextract(self, request: Request) -> Extraction:
        """The script's next item."""
        return self.extract(request)


def read_script(path: str) -> ScriptedExtractor:
    """A script from a JSON file: a list with one list of changes (`path`, `op`, `value`, `quote`) a user turn.

    Raises InputError, naming the file and what is wrong.
    """
    try:
        turns = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read the script {path!r}: {error}") from None
    if not isinstance(turns, list) or not all(isinstance(turn, list) for turn in turns):
        raise InputError(f"{path}: a script is a list with one list of changes for each user turn")
    return ScriptedExtractor(
        [_change(item, f"{path}: turn {index}") for item in turn] for index, turn in enumerate(turns)
    )


def _change(item: object, where: str) -> Change:
    if not isinstance(item, Mapping) or not isinstance(item.get("path"), str):
        raise InputError(f"{where}: a change is an object with path, op, value and quote")
    op = item.get("op", "set")
    if op not in get_args(Op):
        raise InputError(f"{where}: unknown op {op!r}{near(str(op), get_args(Op))}")
    value = item.get("value")
    value = DONTCARE if item.get("dontcare") else value
    return change(item["path"], cast(Op, op), value, item.get("quote"))

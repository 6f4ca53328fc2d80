"""What stands for a tool's result in a summary: one line, by its name and what it returned first."""

from __future__ import annotations

import json
import re
from typing import Final

from slotstate.compact.cues import STRONG, kinds, moves
from slotstate.compact.items import Spoken
from slotstate.compact.phrases import words
from slotstate.compact.picking import Picked
from slotstate.compact.sentences import LONGEST, head
from slotstate.compact.showing.cuts import clean, shorten
from slotstate.compact.showing.kinds import Missing, parsed
from slotstate.compact.showing.shrinking import Shrinker
from slotstate.events import ItemKind
from slotstate.slots import Json

_DIGEST: Final = 160
"""Characters of a tool's result that stand for it."""
_READ: Final = 4_000
"""Characters of a tool's result that are read for signs of failure, and of a text at all."""
_LONG_KEY: Final = 40
"""Characters of the longest key that rows are told with."""
_NAMING: Final = re.compile(r"(?:\A|_)(?:id|uuid|key|name|title|no|code|ref)\Z|编号|名称|名字|姓名|标题", re.IGNORECASE)
"""The key of what a row is called."""
_JSON: Final = re.compile(r"\s*(?:\[\s*(?:[\[{\"\]]|-?\d[\d.]*\s*,)|\{\s*[\"}])")
"""How JSON begins."""
_KEY: Final = re.compile(r"\"[\w -]{1,64}\"\s*:")
"""The key of a JSON object."""
_EMPTY: Final = re.compile(
    r"\A\s*(?:\[\s*\]|\{\s*\}|null|none|\"\")\s*\Z"
    r"|\"(?:results?|items|data|matches|hits|options|rows|records)\"\s*:\s*(?:\[\s*\]|null)|\"(?:count|total)\"\s*:\s*0\b",
    re.IGNORECASE,
)
_BROKE: Final = re.compile(
    r"\"(?:error|errors|error_message|exception)\"\s*:\s*+(?!null|false|\"\"|\[\s*\]|\{\s*\})|\"(?:ok|success)\"\s*:\s*false"
    r"|\"status\"\s*:\s*\"(?:error|failed|failure)\""
    r"|\A\s*(?:error|traceback|exception|failed|fatal)\b|\bHTTP (?:4|5)\d\d\b",
    re.IGNORECASE,
)


def digest(message: Spoken) -> Picked | None:
    """What a tool returned, by its name and the head of its result, or that it failed."""
    shown = message.text[:_READ]
    text = _of_json(message.text) if _JSON.match(shown) else _of_lines(shown)
    if not text or moves(words(text), "rules"):
        return None
    named = f"{message.tool}: {text}" if message.tool else text
    broke = (
        _BROKE.search(shown) or _EMPTY.search(shown) or kinds(words(_KEY.sub("", text))).get("failed", 0.0) >= STRONG
    )
    kind: ItemKind = "failed" if broke else "tool"
    return Picked(kind, named, (message.id,), STRONG, words(named))


def _of_lines(shown: str) -> str:
    """The beginning of a text, from its first line on that gives no orders."""
    lines = (line for line in shown.splitlines() if line.strip())
    harmless = next((line for line in lines if not moves(words(line[:LONGEST]), "rules")), "")
    text = shown if shown.lstrip().startswith(harmless[:LONGEST].strip()) else harmless
    return " ".join(head(text, _DIGEST).split())


def _of_json(text: str) -> str:
    """JSON that fits as it is; else its rows by what they are called, and how many there are, as JSON. Of JSON that was
    cut off somewhere its size is told.
    """
    text = text.strip()
    value = parsed(clean(text))
    if len(text) <= _DIGEST and len(text.splitlines()) == 1:
        return text
    if value is Missing:
        rows: list[Json] = [row for row in map(parsed, clean(text).splitlines()) if row is not Missing]
        if len(rows) != len([line for line in text.splitlines() if line.strip()]):
            return f"{len(text):,} characters of JSON, not complete"
        value = rows
    key, rows_in = _rows(value)
    shown = f"{json.dumps(key, ensure_ascii=False)}:" if key else ""
    shrink = Shrinker(lambda part: lambda room: shorten(part, room))
    found = shrink([*map(_called, rows_in)] if rows_in else value, _DIGEST - len(shown) - 2)
    size = f"{len(text):,} characters of JSON"
    return (f"{{{shown}{found}}}" if shown else found) if found else size


def _rows(value: Json) -> tuple[str, list[Json]]:
    """The rows of a result and the key that they stand under, "" for none: the first list, the outermost."""
    if isinstance(value, list):
        return "", value
    level = [value] if isinstance(value, dict) else []
    while level:
        for key, part in (pair for one in level for pair in one.items()):
            if isinstance(part, list) and part and len(key) <= _LONG_KEY:
                return key, part
        level = [part for one in level for part in one.values() if isinstance(part, dict)]
    return "", []


def _called(row: Json) -> Json:
    """A row cut down to what it is called, where it is called anything."""
    found = {key: part for key, part in row.items() if _NAMING.search(key)} if isinstance(row, dict) else {}
    return found or row

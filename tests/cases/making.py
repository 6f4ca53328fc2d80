"""Cases made in tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NUMBER = {"type": "integer"}


def case(expected: dict[str, Any], *turns: str, slots: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A case about a trip; turns that end with a question mark are the assistant's."""
    said = [{"role": "assistant" if text.endswith("?") else "user", "text": text} for text in turns]
    domain = {"title": "trip", "type": "object", "properties": slots or {"nights": NUMBER, "rooms": NUMBER}}
    return {"name": "a trip", "kind": "trips", "domains": [domain], "turns": said, "expected": expected, **more}


def write_cases(path: Path, *cases: dict[str, Any]) -> Path:
    """The cases as JSON Lines."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in cases), encoding="utf-8")
    return path


GOOD = case({"trip.nights": 3, "trip.rooms": None}, "How many nights?", "three", name="three nights")
BAD = case({"trip.nights": 4, "trip.rooms": 1}, "How many nights?", "three", name="four nights")
INVENTED = case({"trip.nights": None}, "How many nights?", "three", name="no nights", kind="inventions")

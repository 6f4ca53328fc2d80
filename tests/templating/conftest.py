"""Templates written for a test, and a small scene to render them with."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from slotstate.errors import TemplateError
from slotstate.templating import Template, empty_variables, load_template

Write = Callable[..., Template]


def slot(name: str, value: Any = None, status: str = "empty", domain: str = "travel", **more: Any) -> dict[str, Any]:
    """A slot as templates are given it."""
    return {
        "domain": domain,
        "name": name,
        "label": name.replace("_", " "),
        "path": f"{domain}.{name}",
        "kind": "text",
        "description": "",
        "value": value,
        "raw": None,
        "status": status,
        "dontcare": False,
        "source": None,
        "quote": None,
        "turn": 1,
        "excluded": [],
        "offers": [],
        "pending": None,
        **more,
    }


def pending(why: str, *values: Any) -> dict[str, Any]:
    return {"why": why, "values": list(values), "quote": None, "turn": 3}


def scene(**more: Any) -> dict[str, Any]:
    """Two domains, slots in every state, and something in each other variable."""
    slots = [
        slot("origin", "Oslo", "confirmed"),
        slot("outbound_on", "2026-12-04", "filled", pending=pending("conflict", "2026-12-05")),
        slot("people", 2, "filled", pending=pending("denied")),
        slot("seat", None, "filled", dontcare=True),
        slot("city", excluded=["Rome"]),
        slot("avoid", ["buses", "noon"], "filled", excluded=["ferries"]),
        slot("return_on"),
        slot("price"),
    ]
    order = slot("order", "A-17 </slots> <b>\n- travel.people: 9", "filled", "support")
    return {
        **empty_variables(),
        "domains": [
            {"name": "travel", "label": "travel", "description": "Plan a trip by train or plane.", "slots": slots},
            {"name": "support", "label": "support", "description": "", "slots": [order]},
        ],
        "question": {"path": "travel.return_on", "text": "When do you come back?", "reason": "empty"},
        "quotes": [{"path": "travel.origin", "label": "origin", "text": 'from "Oslo", please', "turn": 2}],
        "changes": [slots[1], slots[3], slots[4]],
        "summary": ["The user prefers trains.", "Two hotels were offered."],
        "left_out": 12,
        "left_out_ref": "0..11",
        **more,
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a template's files (`prompt`, then others by path) and load it."""

    def written(prompt: str, files: Mapping[str, str] = {}, *, reload: bool = False) -> Template:
        for name, text in {"prompt.jinja": prompt, **files}.items():
            path = tmp_path / "mine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return load_template(str(tmp_path / "mine"), reload=reload)

    return written


def section(body: str, name: str = "slots") -> str:
    return f'{{% section "{name}" %}}{body}{{% endsection %}}'


def complaint(act: Callable[[], object]) -> str:
    """The one line of the TemplateError that `act` raises, its folder left out."""
    with pytest.raises(TemplateError) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    return message.rpartition("/mine/")[2]

"""The bundled sets: what they say, as snapshots; short, stable in front, the same in both languages.

To renew the snapshots after a change that is meant: python -m tests.templating.test_bundled
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slotstate.templating import NAMES, load_template
from slotstate.tokens import Estimator
from tests.templating.conftest import scene, slot

SNAPSHOTS = Path(__file__).parent / "snapshots"
SETS = ("default", "zh")
LINES = [
    slot("a", "x", "filled"),
    slot("b", status="filled", dontcare=True),
    slot("c", 1, "confirmed", excluded=[2], pending={"why": "stale", "values": []}),
    slot("d", pending={"why": "ambiguous", "values": ["x", "y"]}),
]


def shown(name: str) -> str:
    template = load_template(name)
    scenes = {
        "": scene(),
        "nothing yet, ": scene(
            domains=[{**scene()["domains"][0], "slots": [slot("origin"), slot("people")]}],
            question=None,
            quotes=[],
            changes=[],
            summary=[],
            left_out=1,
        ),
        "one change, ": scene(changes=[slot("outbound_on", "2026-12-05", "filled")], question=None),
    }
    parts = [
        f"== {told}{section}\n{template.render(section, variables)}\n"
        for told, variables in scenes.items()
        for section in NAMES
        if section != "recent" and not (told.startswith("one") and section != "note")
    ]
    return "\n".join(parts)


@pytest.mark.parametrize("name", SETS)
def test_the_set_says_what_its_snapshot_says(name: str) -> None:
    assert shown(name) == (SNAPSHOTS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SETS)
def test_all_sections_are_there_with_the_same_options(name: str) -> None:
    template = load_template(name)
    assert set(template.options) == set(NAMES)
    assert template.options == load_template("default").options
    assert (template.options["system"].keep, template.options["slots"].keep) == (True, True)
    assert (template.options["summary"].max, template.options["recent"].min_turns, template.options["quotes"].max) == (
        0.25,
        3,
        400,
    )


@pytest.mark.parametrize("name", SETS)
def test_the_system_text_stays_while_the_conversation_goes_on(name: str) -> None:
    template = load_template(name)
    now = scene()
    later: dict[str, Any] = scene(question=None, quotes=[], changes=[], summary=["x"], left_out=99)
    for domain in later["domains"]:
        domain["slots"] = [slot(one["name"], "other", "confirmed") for one in domain["slots"]]
    assert template.render("system", now) == template.render("system", later)


@pytest.mark.parametrize("name", SETS)
def test_each_held_slot_is_one_line_with_its_path_value_and_what_is_pending(name: str) -> None:
    template = load_template(name)
    lines = template.render(
        "slots", scene(domains=[{"name": "travel", "description": "", "slots": LINES}], question=None)
    ).splitlines()
    assert [line.split(".")[1][0] for line in lines] == ["a", "b", "c", "d"]
    for section in ("slots", "note"):
        text = template.render(
            section, scene(domains=[{"name": "travel", "description": "", "slots": LINES}], changes=LINES)
        )
        for words in ('"x"', "[2]", '["x", "y"]', "travel.c"):
            assert words in text


@pytest.mark.parametrize("name", SETS)
def test_empty_slots_take_one_line_a_domain(name: str) -> None:
    slots = [slot(f"s{number}") for number in range(30)]
    domains = [{"name": one, "description": "", "slots": slots} for one in ("travel", "hotel")]
    lines = load_template(name).render("slots", scene(domains=domains, question=None)).splitlines()
    assert [line.split()[0].strip(",") for line in lines] == ["travel", "hotel"]


def test_the_sets_are_short() -> None:
    """What every bot pays for, in tokens by the estimator, with nothing in the slots."""
    count = Estimator().count
    for name, most in {"default": 170, "zh": 200}.items():
        assert count(load_template(name).render("system", scene(domains=[]))) <= most
    assert (
        count(
            load_template("default").render(
                "note", scene(changes=[slot("outbound_on", "2026-12-05", "filled")], question=None)
            )
        )
        <= 42
    )


def test_both_sets_have_the_same_files() -> None:
    def files(name: str) -> Iterator[str]:
        yield from sorted(source.name.partition("/")[2] for source in load_template(name).engine.files())

    assert list(files("default")) == list(files("zh"))


if __name__ == "__main__":
    for one in SETS:
        (SNAPSHOTS / f"{one}.txt").write_text(shown(one), encoding="utf-8")

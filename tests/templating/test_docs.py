"""docs/templates.md names all that there is, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_type_hints

import pytest

from slotstate.templating import NAMES, RULES, lint, load_template, variables
from slotstate.templating.bounds import BITS, CHARACTERS, DEPTH, STEPS
from slotstate.templating.filters import make_filters, make_tests
from slotstate.templating.options import read_options
from slotstate.templating.sandbox import GLOBALS
from tests.templating.conftest import Write, scene

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", PAGE))
WORDS = {word for code in CODE for word in re.findall(r"[\w-]+", code)}


@pytest.mark.parametrize(
    "shape",
    [
        variables.Variables,
        variables.Domain,
        variables.Slot,
        variables.Pending,
        variables.Offer,
        variables.Question,
        variables.Quote,
    ],
)
def test_every_variable_and_key_is_named(shape: type) -> None:
    assert set(get_type_hints(shape)) <= WORDS


def test_every_filter_test_and_function_is_named() -> None:
    assert {name for name in make_filters() if name.isidentifier()} <= WORDS
    synonyms = {"equalto", "greaterthan", "lessthan"}
    assert {name for name in make_tests() if name.isidentifier()} - synonyms <= WORDS
    assert set(GLOBALS) <= WORDS


def test_every_rule_section_and_option_is_named() -> None:
    assert set(RULES) <= CODE
    assert set(NAMES) <= WORDS
    for option in ("role", "max", "min", "keep", "min_turns"):
        assert option in CODE
        with pytest.raises(ValueError, match=f"{option}|possible"):
            read_options("slots", {option: object()})


def test_every_file_of_a_set_is_named() -> None:
    files = {source.name.partition("/")[2] for source in load_template("default").engine.files()}
    assert files <= CODE


def test_the_bounds_are_the_ones_that_hold() -> None:
    assert (STEPS, CHARACTERS, DEPTH, BITS) == (250_000, 1_000_000, 40, 256)
    assert "at most 250,000" in PAGE
    assert "40 macros or files within each other, 256-bit numbers" in PAGE


def test_the_examples_work(write: Write) -> None:
    prompt, domain = re.findall(r"```jinja\n(.*?)```", PAGE, re.DOTALL)
    template = write(prompt, {"domains/travel.jinja": domain})
    assert template.options["summary"].max == 0.2
    assert template.render("summary", scene()) == load_template("default").render("summary", scene())
    assert 'origin: "Oslo" (confirmed)' in template.render("slots", scene()).splitlines()
    assert lint(template) == ()


def test_what_filters_are_said_to_give_they_give(write: Write) -> None:
    rows = re.findall(r"^\| `x \\\| (\w+)`[^|]*\| `([^`]+)` \| ([^;,|]+)", PAGE, re.MULTILINE)
    assert {name for name, _, _ in rows} >= {"label", "date", "time", "money", "number", "duration"}
    for name, value, expected in rows:
        template = write("{% section 'slots' %}{{ " + value + " | " + name + " }}{% endsection %}", reload=True)
        assert template.render("slots", {}).startswith(expected.strip())

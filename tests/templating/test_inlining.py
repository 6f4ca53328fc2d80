"""What is included is compiled where it is included: it must come out as if it had not been."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from jinja2 import nodes

from slotstate.errors import TemplateError
from slotstate.templating import Template, load_template
from slotstate.templating.inlining import MOST, inlined
from slotstate.templating.program import ParsingSandbox
from tests.templating.conftest import Write, scene, section

BODY = '{% for x in ["a", "b"] %}{% include "part.jinja" %}|{% endfor %}{% set y = 3 %}{% include "part.jinja" %}'


def both(template: Template, section: str, variables: dict[str, Any]) -> tuple[str, str]:
    """A section by the files as they are written, and inlined."""
    engine = template.engine
    exact, fast = engine._exact, engine._fast
    return exact.rendered(section, variables, "en", None), fast.rendered(section, variables, "en", None)


@pytest.mark.parametrize("name", ["default", "zh"])
@pytest.mark.parametrize("part", ["system", "slots", "summary", "quotes", "note"])
def test_the_bundled_sets_come_out_the_same(name: str, part: str) -> None:
    exact, fast = both(load_template(name), part, scene())
    assert exact == fast != ""


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("{{ x if x is defined }}{{ y if y is defined }}", "a|b|3"),
        ("{% for x in [1, 2] %}{{ x }}{% endfor %}", "12|12|12"),
        ("{% if x is defined %}{{ x }}{% endif %}", "a|b|"),
        ("{% for z in [1] %}{{ loop.index }}{% endfor %}", "1|1|1"),
        ("{% set x = 9 %}{{ x }}", "9|9|9"),
        ("{% macro m() %}m{% endmacro %}{{ m() }}", "m|m|m"),
        ('{% include "other.jinja" %}', "o|o|o"),
        ('{% include ["none.jinja", "other.jinja"] %}', "o|o|o"),
        ('{% include "none.jinja" ignore missing %}-', "-|-|-"),
        ("{% filter upper %}{{ x if x is defined }}{% endfilter %}", "A|B|"),
    ],
)
def test_a_part_sees_what_it_would_see(part: str, said: str, write: Write) -> None:
    template = write(section(BODY), {"part.jinja": part, "other.jinja": "o"})
    exact, fast = both(template, "slots", scene())
    assert exact == fast == said


def test_an_error_names_the_file_that_it_is_in(write: Write) -> None:
    template = write(section('{% include "part.jinja" %}'), {"part.jinja": "\n\n{{ nothing.at_all }}"})
    with pytest.raises(TemplateError, match=r'part\.jinja:3: section "slots": \'nothing\' is undefined'):
        template.render("slots", scene())


def test_files_that_multiply_are_not_multiplied(write: Write) -> None:
    """Ten includes a file, twelve files deep: a million million when written out."""
    files = {f"p{at}.jinja": f'{{% include "p{at + 1}.jinja" %}}' * 10 for at in range(12)}
    template = write(section('{% include "p0.jinja" %}'), {**files, "p12.jinja": "x"})
    begun = time.process_time()
    with pytest.raises(TemplateError, match="steps"):
        template.render("slots", scene())
    assert time.process_time() - begun < 20  # not for ever


def test_a_file_that_includes_itself_stays_as_it_is(write: Write) -> None:
    template = write(section('{% include "part.jinja" %}'), {"part.jinja": 'x{% include "part.jinja" %}'})
    with pytest.raises(TemplateError, match="40 deep"):
        template.render("slots", scene())


def test_no_more_than_some_includes_are_replaced() -> None:
    sandbox = ParsingSandbox()
    find: Callable[[str, str], tuple[str, nodes.Template]] = lambda name, _: (name, sandbox.parse("x"))  # noqa: E731
    tree = inlined(sandbox.parse('{% include "part.jinja" %}' * (MOST + 5)), "entry", find)
    assert len(list(tree.find_all(nodes.Include))) == 5

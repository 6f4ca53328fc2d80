"""What a loop wrote of an item that never changes is written once: it must come out as if it were written each time."""

from __future__ import annotations

from typing import Any

import pytest

from slotstate.errors import TemplateError
from slotstate.templating import Fixed, load_template
from tests.templating.conftest import Write, scene, section, slot


def fixed(variables: dict[str, Any]) -> dict[str, Any]:
    """The same variables, their objects marked as such that never change."""
    domains = [{**one, "slots": list(map(Fixed, one["slots"]))} for one in variables["domains"]]
    quotes, changes = (list(map(Fixed, variables[name])) for name in ("quotes", "changes"))
    return {**variables, "domains": domains, "quotes": quotes, "changes": changes}


@pytest.mark.parametrize("name", ["default", "zh"])
@pytest.mark.parametrize("part", ["system", "slots", "summary", "quotes", "note"])
def test_the_bundled_sets_come_out_the_same_each_time(name: str, part: str) -> None:
    template, once = load_template(name), fixed(scene())
    written = template.render(part, scene())
    assert [template.render(part, once) for _ in range(3)] == [written] * 3


@pytest.mark.parametrize(
    ("body", "first", "then"),
    [
        ("{{ x.value }}{{ left_out }}", "a1b1", "a2b2"),
        ("{{ x.value }}{{ locale }}", "aenben", "adebde"),
        ("{{ x.price | number }}", "1,234.51,234.5", "1.234,51.234,5"),
        ("{{ loop.index }}{{ x.value }}{{ ';' if loop.last and left_out == 2 }}", "1a2b", "1a2b;"),
        ("{% if question %}?{% endif %}{{ x.value }}", "?a?b", "ab"),
        ("{% for y in x.excluded %}{{ y }}{{ left_out }}{% endfor %}", "u1v1u1v1", "u2v2u2v2"),
        ("{% set z = left_out %}{{ z }}{{ x.value }}", "1a1b", "2a2b"),
        ("{{ m(x) }}", "a1b1", "a2b2"),
        ("{% include ['one.jinja'] %}", "a1b1", "a2b2"),
        ("{{ x.value | default(left_out) }}{{ x.value is sameas left_out }}", "afalsebfalse", "afalsebfalse"),
    ],
)
def test_what_depends_on_more_than_its_item_is_written_anew(body: str, first: str, then: str, write: Write) -> None:
    macro = "{% macro m(x) %}{{ x.value }}{{ left_out }}{% endmacro %}"
    files = {"one.jinja": "{{ x.value }}{{ left_out }}"}
    template = write(f"{macro}{section(f'{{% for x in changes %}}{body}{{% endfor %}}')}", files)
    changes = [Fixed(slot("s", value, "filled", price=1234.5, excluded=["u", "v"])) for value in "ab"]
    one = scene(changes=changes, left_out=1, locale="en")
    other = scene(changes=changes, left_out=2, locale="de", question=None)
    assert [template.render("slots", given) for given in (one, other, one)] == [first, then, first]


def test_loops_over_the_same_items_are_kept_apart(write: Write) -> None:
    """Also those of another template, and with a condition in front."""
    both = "{% for x in changes %}{{ x.name }}{% endfor %}{% for x in changes if x.value %}{{ x.value }}{% endfor %}"
    given = scene(changes=[Fixed(slot("s", "a")), Fixed(slot("t"))])
    assert write(section(both)).render("slots", given) == "sta"
    assert write(section("{% for x in changes %}{{ x.path | data }}{% endfor %}")).render("slots", given) == (
        '"travel.s""travel.t"'
    )


def test_objects_that_may_change_are_written_each_time(write: Write) -> None:
    template = write(section("{% for x in changes %}{{ x.name }}{% endfor %}"))
    given = scene(changes=[slot("s")])
    assert template.render("slots", given) == "s"
    given["changes"][0]["name"] = "t"
    assert template.render("slots", given) == "t"


def test_what_is_copied_is_not_worked_out_again(write: Write) -> None:
    template = write(section("{% for x in changes %}{{ x.name }}{% endfor %}"))
    given = scene(changes=[Fixed(slot("s"))])
    assert template.render("slots", given) == "s"
    given["changes"][0]["name"] = "what nobody should do"
    assert template.render("slots", given) == "s"


@pytest.mark.parametrize("body", ["{{ x.value }}", "{{ x.value | data }}", "{{ x.value | upper | length }}"])
def test_what_is_copied_is_paid_for(body: str, write: Write) -> None:
    template = write(section(f"{{% for x in changes %}}{body}{{% endfor %}}"))
    item = Fixed(slot("s", "a" * 300_000))
    few, many = scene(changes=[item] * 3), scene(changes=[item] * 60)
    written = template.render("slots", few)
    assert template.render("slots", few) == written
    for _ in range(2):
        with pytest.raises(TemplateError, match="more than"):
            template.render("slots", many)

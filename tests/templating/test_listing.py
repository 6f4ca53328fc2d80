"""Sections that are lists, put together of what was written before: as they come out when they are rendered."""

from __future__ import annotations

from typing import Any

import pytest

from slotstate.errors import TemplateError
from slotstate.templating import Fixed, Template, load_template
from slotstate.templating import listing as module
from slotstate.templating.listing import Listed
from slotstate.tokens import Estimator
from tests.templating.conftest import Write, scene, section, slot

COUNTER = Estimator()


def listed(template: Template, name: str = "note", items: str = "changes") -> Listed | None:
    return template.listed(name, items, COUNTER, len)


def together(found: Listed, given: dict[str, Any], items: str = "changes") -> str | None:
    """The section's text, if it can be put together."""
    parts = found.parts(given[items], given["question"], lambda: {**given, items: []})
    if parts is None:
        return None
    around, told = parts
    assert [one[3] for one in told] == [len(one[0]) for one in told]
    return f"{around.before}{''.join(one[0] for one in told)}{around.behind}".strip("\r\n")


def changed(*slots: dict[str, Any], **more: Any) -> dict[str, Any]:
    return scene(changes=[Fixed(one) for one in slots], **more)


@pytest.mark.parametrize("name", ["default", "zh"])
@pytest.mark.parametrize(("part", "items"), [("note", "changes"), ("quotes", "quotes")])
def test_the_bundled_lists_come_out_the_same(name: str, part: str, items: str) -> None:
    template = load_template(name)
    found = listed(template, part, items)
    assert found is not None
    for question in (scene()["question"], None, scene()["question"]):
        for count in (3, 1, 0, 2):
            given = scene(question=question)
            given[items] = [Fixed(one) for one in given[items][:count]]
            assert together(found, given, items) == template.render(part, given, counter=COUNTER)


LISTS = [
    "{% for x in changes %}{{ x.path }};{% endfor %}",
    "A\n{% for x in changes %}\n- {{ x.value | data }}\n{% endfor %}\nB",
    "\n\n{% for x in changes %}{{ x.value }}\n\n{% endfor %}\n",
    "{{ locale }}{% for x in changes %}{{ x.path | label }}{% if x.pending %}?{% endif %}{% endfor %}{{ left_out + 1 }}",
    "{% if left_out %}{{ left_out }}{% endif %}{% for x in changes %}{{ x.name }}{% endfor %}",
    "{% for q in summary %}{{ loop.index }}{{ q }}{% endfor %}{% for x in changes %}{{ x.status }} {% endfor %}",
    "{% for x in changes %}{{ x['value'] }}{{ x.excluded | join(', ') }}{% endfor %}{{ 'a' ~ locale }}",
    '{% include "rows.jinja" %}',
]


@pytest.mark.parametrize("body", LISTS)
def test_lists_come_out_as_they_are_rendered(body: str, write: Write) -> None:
    template = write(section(body, "note"), {"rows.jinja": "{% for x in changes %}{{ x.name }},{% endfor %}"})
    found = listed(template)
    assert found is not None
    slots = scene()["domains"][0]["slots"]
    for count in (2, len(slots), 0, 1):
        given = changed(*slots[:count])
        assert together(found, given) == template.render("note", given, counter=COUNTER)


@pytest.mark.parametrize(
    "body",
    [
        "no items at all",
        "{% for x in changes %}{{ loop.index }}{% endfor %}",
        "{% for x in changes %}{{ x.name }}{{ locale }}{% endfor %}",
        "{% for x in changes %}{{ x.name }}{% endfor %}{{ changes | length }}",
        "{% for x in changes %}{{ x.name }}{% endfor %}{% for x in changes %}{{ x.value }}{% endfor %}",
        "{% if changes %}{% for x in changes %}{{ x.name }}{% endfor %}{% endif %}",
        "{% for x in changes[:2] %}{{ x.name }}{% endfor %}",
        "{% set y = 1 %}{% for x in changes %}{{ x.name }}{% endfor %}{{ y }}",
        "{% for x in changes %}{{ x.name }}{% endfor %}{{ range(3) | list }}",
        '{% include ["rows.jinja"] %}',
        "{% filter upper %}{% for x in changes %}{{ x.name }}{% endfor %}{% endfilter %}",
        "{% for x in quotes %}{{ x.path }}{% endfor %}",
    ],
)
def test_what_is_no_list_of_the_items_is_not_taken_for_one(body: str, write: Write) -> None:
    files = {"rows.jinja": "{% for x in changes %}{{ x.name }}{% endfor %}"}
    assert listed(write(section(body, "note"), files)) is None


def test_a_file_with_more_than_sections_has_no_lists(write: Write) -> None:
    body = section("{% for x in changes %}{{ x.name }}{% endfor %}", "note")
    assert listed(write(f"{{% set y = 1 %}}{body}")) is None
    assert listed(write(body), "quotes", "quotes") is None


def test_the_file_that_has_the_last_word_counts(write: Write) -> None:
    """A section of one's own over a bundled set, and one that the set has."""
    template = write(
        '{% extends "default/prompt.jinja" %}' + section("{% for x in changes %}!{{ x.name }}{% endfor %}", "note")
    )
    note, quotes = listed(template), listed(template, "quotes", "quotes")
    assert note is not None
    assert quotes is not None
    given = changed(*scene()["domains"][0]["slots"][:2], quotes=[Fixed(one) for one in scene()["quotes"]])
    assert together(note, given) == template.render("note", given) == "!origin!outbound_on"
    assert together(quotes, given, "quotes") == template.render("quotes", given)


def test_what_cannot_be_told_is_left_to_rendering(write: Write) -> None:
    """Which says what is wrong, and where."""
    template = write(section("{% for x in changes %}{{ x.value + 1 }}{% endfor %}", "note"))
    found, good, bad = listed(template), changed(slot("s", 1)), changed(slot("s", 1), slot("t", "a"))
    assert found is not None
    assert together(found, good) == "2"
    assert together(found, bad) is None
    with pytest.raises(TemplateError, match=r"prompt\.jinja:1"):
        template.render("note", bad)
    assert together(found, good) == "2"


def test_a_key_that_only_some_items_have_is_left_to_rendering(write: Write) -> None:
    template = write(section("{% for x in changes %}{{ x.kind | default('none') }}{% endfor %}", "note"))
    found, bare = listed(template), scene(changes=[Fixed({"name": "s"})])
    assert found is not None
    assert together(found, bare) is None
    assert template.render("note", bare) == "none"


@pytest.mark.parametrize("around", ["{{ nothing }}", "{{ left_out_ref.nothing }}", "\0"])
def test_what_stands_around_and_cannot_be_told_is_left_to_rendering(around: str, write: Write) -> None:
    found = listed(write(section(f"{around}{{% for x in changes %}}{{{{ x.name }}}}{{% endfor %}}", "note")))
    assert found is not None
    assert together(found, changed(slot("s"))) is None


@pytest.mark.parametrize("size", [300_000, 10])
def test_a_list_is_paid_for_as_if_it_were_rendered(size: int, write: Write) -> None:
    template = write(section("{% for x in changes %}{{ x.value }}{% endfor %}", "note"))
    found, item = listed(template), Fixed(slot("s", "a" * size))
    assert found is not None
    few = scene(changes=[item] * 3)
    assert together(found, few) == template.render("note", few)
    many = scene(changes=[item] * 80_000)
    assert together(found, many) is None
    with pytest.raises(TemplateError, match="more than"):
        template.render("note", many)


def test_few_items_are_remembered(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 2)
    template = write(section("{% for x in changes %}{{ x.value }}{% endfor %}", "note"))
    found, slots = listed(template), [slot("s", str(at)) for at in range(5)]
    assert found is not None
    for given in (changed(*slots), changed(*slots[::-1])):
        assert together(found, given) == template.render("note", given)


def test_words_that_cannot_be_written_come_out_as_they_are_rendered(write: Write) -> None:
    template = write(section("{% for x in changes %}{{ x.value }}{% endfor %}", "note"))
    found, given = listed(template), changed(slot("s", "a\ud800b"), slot("t", "é"))
    assert found is not None
    assert together(found, given) == template.render("note", given) == "a\ufffdbé"

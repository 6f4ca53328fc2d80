"""Sections: their tags and options, inheritance, what stands around them, and the messages of errors."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from slotstate.errors import TemplateError
from slotstate.templating import NAMES, SECTIONS, PlacedError, SectionOptions, load_template
from tests.templating.conftest import Write, complaint, scene, section

RECENT = section("{{ turns }}", "recent")


def test_a_section_renders_alone_and_without_line_breaks_around_it(write: Write) -> None:
    template = write(
        '{% section "slots" %}\n\n  a\n\nb\n\n{% endsection %}\n{% section "note" %}{{ nobody }}{% endsection %}'
    )
    assert template.render("slots", {}) == "  a\n\nb"


def test_sections_come_in_any_order_and_need_not_all_be_there(write: Write) -> None:
    template = write(section("b", "note") + "\n\n" + section("a", "system"))
    assert [name for name in NAMES if template.has(name)] == ["system", "note"]
    assert template.render("system", {}) == "a"
    assert complaint(lambda: template.render("slots", {})).endswith(
        'has no section "slots": add one, or ask has() first'
    )
    unknown = "unknown section 'slot'; did you mean 'slots'?"
    assert complaint(lambda: template.has("slot")) == unknown
    assert complaint(lambda: template.render("slot", {})) == unknown


def test_the_constants_name_all_sections() -> None:
    assert (*SECTIONS, "note") == NAMES


# Options


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('"slots"', SectionOptions("user", keep=True)),
        ('"system"', SectionOptions("system", keep=True)),
        ('"system" role="developer"', SectionOptions("developer", keep=True)),
        ('"recent"', SectionOptions("user", min_turns=1)),
        ('"recent" min_turns=0', SectionOptions("user")),
        ('"quotes" max=400 min=10', SectionOptions("user", max=400, min=10)),
        ('"summary" max="25%", min="2.5 %" keep=true', SectionOptions("user", max=0.25, min=0.025, keep=True)),
        ('"summary" max="100%" min=5000', SectionOptions("user", max=1.0, min=5000)),
        ('"quotes" max=none', SectionOptions("user")),
    ],
)
def test_options_are_read(write: Write, tag: str, expected: SectionOptions) -> None:
    name = tag.split('"')[1]
    body = "{{ turns }}" if name == "recent" else "x"
    assert write(f"{{% section {tag} %}}{body}{{% endsection %}}").options == {name: expected}


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ('"slots" maxx=3', "unknown option 'maxx'; did you mean 'max'?"),
        ('"slots" max=0', 'max=0 is no size: write tokens as max=400 or a share as max="25%"'),
        ('"slots" min=-3', 'min=-3 is no size: write tokens as min=400 or a share as min="25%"'),
        ('"slots" max=true', 'max=True is no size: write tokens as max=400 or a share as max="25%"'),
        ('"slots" max="25"', "max='25' is no size: write tokens as max=400 or a share as max=\"25%\""),
        ('"slots" max=0.25', 'max=0.25 is no size: write tokens as max=400 or a share as max="25%"'),
        ('"slots" max="0%"', 'max="0%" is no share of the budget: use a percentage above 0, up to 100'),
        ('"slots" max="101%"', 'max="101%" is no share of the budget: use a percentage above 0, up to 100'),
        ('"slots" max=10 min=20', "min is above max: 20 > 10"),
        ('"slots" max="10%" min="20%"', "min is above max: 20% > 10%"),
        ('"slots" role="system"', "role 'system' is not possible here: use role=\"user\", or leave it out"),
        (
            '"system" role="user"',
            'role \'user\' is not possible here: use role="system" or role="developer", or leave it out',
        ),
        ('"slots" keep=1', "keep=1 is neither true nor false"),
        ('"slots" min_turns=1', 'min_turns belongs to section "recent": move it there'),
        ('"recent" min_turns=-1', "min_turns=-1 is no number of turns: use a whole number from 0 to 10000"),
        ('"recent" min_turns=true', "min_turns=True is no number of turns: use a whole number from 0 to 10000"),
    ],
)
def test_a_bad_option_is_refused_when_the_template_is_loaded(write: Write, tag: str, message: str) -> None:
    name = tag.split('"')[1]
    body = "{{ turns }}" if name == "recent" else "x"
    told = complaint(lambda: write(f"\n{{% section {tag} %}}{body}{{% endsection %}}"))
    assert told == f'prompt.jinja:2: section "{name}": {message}'


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("slots", 'a section needs its name in quotes: {% section "slots" %}'),
        ('"slot"', "unknown section 'slot'; did you mean 'slots'?"),
        ('"intro"', "unknown section 'intro'; known: note, quotes, recent, slots, summary, system"),
        ('"slots" 25', 'after the name of a section come options, as in max="25%"'),
        ('"slots" max', 'after the name of a section come options, as in max="25%"'),
        ('"slots" max=domains', "max must be written out: a number, a text, true or false"),
        ('"slots" max=3 max=4', "max is given twice"),
    ],
)
def test_a_bad_tag_is_refused(write: Write, tag: str, message: str) -> None:
    told = complaint(lambda: write(f"{{% section {tag} %}}{{% endsection %}}"))
    assert (
        told.removeprefix("prompt.jinja:1: ")
        .removeprefix('section "slots": ')
        .removeprefix('section "slot": ')
        .removeprefix('section "intro": ')
        == message
    )


def test_a_section_stands_once_and_by_itself(write: Write) -> None:
    told = complaint(lambda: write(section("a") + "\n" + section("b")))
    assert told == "prompt.jinja:2: section \"slots\": section 'slots' stands here twice: join the two"
    told = complaint(lambda: write(f"{{% if true %}}{section('a')}{{% endif %}}"))
    assert told.endswith("a section stands by itself: move it out of the tag around it")
    told = complaint(lambda: write(section(section("a", "note"))))
    assert told.endswith("a section stands by itself: move it out of the tag around it")


@pytest.mark.parametrize("body", ["", "x"])
def test_a_block_cannot_pass_for_a_section(write: Write, body: str) -> None:
    told = complaint(lambda: write(f"{{% block section_slots %}}{body}{{% endblock %}}"))
    assert told == "prompt.jinja:1: a block cannot be named section_slots: rename it, or make it a section"


# What stands around sections


def test_what_is_set_at_the_top_is_known_in_every_section(write: Write) -> None:
    template = write(
        "{% set tone = 'kind' %}\n{# a comment #}\n{% macro twice(word) %}{{ word }} {{ word }}{% endmacro %}"
        "{% from 'parts/style.jinja' import loud %}\n{% import 'parts/style.jinja' as style %}"
        + section("{{ twice(tone) }} {{ loud(tone) }} {{ style.mark }}"),
        {"parts/style.jinja": "{% macro loud(word) %}{{ word | upper }}{{ locale }}{% endmacro %}{% set mark = '!' %}"},
    )
    assert template.render("slots", {"locale": "zh"}) == "kind kind KINDzh !"


@pytest.mark.parametrize(
    "stray", ["Be kind.", "{{ domains }}", "{% include 'a.jinja' %}", "{% for a in [1] %}{% endfor %}"]
)
def test_what_would_be_printed_outside_of_sections_is_refused(write: Write, stray: str) -> None:
    told = complaint(lambda: write(f"{section('a')}\n\n{stray}\n", {"a.jinja": ""}))
    assert told == "prompt.jinja:3: outside of a section nothing is printed: move it into one"


# Section recent


@pytest.mark.parametrize("body", ["{{ turns }}", "\n  {{ turns }}\n\n", "{# a comment #}{{ turns }}", "", "\n"])
def test_recent_is_the_turns_and_nothing_else(write: Write, body: str) -> None:
    assert write(section(body, "recent")).render("recent", scene()) == ""


@pytest.mark.parametrize(
    "body", ["x", "{{ turns }} x", "{{ turns }}{{ turns }}", "{{ turns | data }}", "{% if x %}{% endif %}"]
)
def test_anything_else_in_recent_is_refused(write: Write, body: str) -> None:
    told = complaint(lambda: write(section(body, "recent")))
    assert told == (
        'prompt.jinja:1: section "recent": section "recent" holds {{ turns }} and nothing else: the messages come as messages'
    )


@pytest.mark.parametrize(
    "body",
    ["{{ turns }}", "{% for turn in turns %}{% endfor %}", "{% set turns = 1 %}", "{% for turns in [1] %}{% endfor %}"],
)
def test_turns_are_known_nowhere_else(write: Write, body: str) -> None:
    message = 'turns are messages: only section "recent" may print {{ turns }}'
    assert complaint(lambda: write(section(body))) == f'prompt.jinja:1: section "slots": {message}'
    assert complaint(lambda: write(RECENT, {"unused.jinja": body})) == f"unused.jinja:1: {message}"


# Inheritance


BASE = (
    '{% set sign = "base" %}'
    '{% section "slots" max=100 min=10 %}a {{ sign }}{% block end %}.{% endblock %}{% endsection %}'
    '{% section "note" %}note{% endsection %}'
)


def test_a_section_replaces_that_of_the_file_it_extends_and_can_print_it(write: Write) -> None:
    template = write(
        '{% extends "base.jinja" %}{% section "slots" max=50 %}[{{ super() }}]{% endsection %}', {"base.jinja": BASE}
    )
    assert template.render("slots", {}) == "[a base.]"
    assert template.render("note", {}) == "note"
    assert template.options["slots"] == SectionOptions("user", max=50, min=10, keep=True)


def test_a_block_inside_of_a_section_can_be_replaced_alone(write: Write) -> None:
    template = write('{% extends "base.jinja" %}{% block end %}{{ super() }}!{% endblock %}', {"base.jinja": BASE})
    assert template.render("slots", {}) == "a base.!"


def test_over_three_files_each_super_is_the_next_one(write: Write) -> None:
    files = {
        "base.jinja": section("1"),
        "middle.jinja": '{% extends "base.jinja" %}' + section("{{ super() }}2"),
    }
    template = write('{% extends "middle.jinja" %}' + section("{{ super() }}3{{ super.super() }}"), files)
    assert template.render("slots", {}) == "1231"
    assert complaint(
        lambda: write('{% extends "middle.jinja" %}' + section("{{ super.x }}"), files, reload=True).render("slots", {})
    )


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (
            '{% extends "prompt.jinja" %}',
            "prompt.jinja: extends itself: extend another file, such as default/prompt.jinja",
        ),
        ("{% extends domains %}", 'must be written out, as in {% extends "default/prompt.jinja" %}'),
        (
            '{% extends "a.jinja" %}\n{% extends "a.jinja" %}',
            "prompt.jinja:2: a file extends one other: remove this {% extends %}",
        ),
        ('\n{% extends "b.jinja" %}', "prompt.jinja:2: no file 'b.jinja'; did you mean 'a.jinja'?"),
    ],
)
def test_what_cannot_be_extended(write: Write, prompt: str, message: str) -> None:
    assert complaint(lambda: write(prompt, {"a.jinja": section("a")})).endswith(message)


def test_a_section_in_a_file_that_is_only_included_never_reaches_the_prompt(write: Write) -> None:
    told = complaint(lambda: write(section('{% include "a.jinja" %}', "note"), {"a.jinja": "\n" + section("a")}))
    assert told == (
        'a.jinja:2: section "slots": it never reaches the prompt: put the section into prompt.jinja and include its text '
        "from here"
    )


# Errors


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{{ slto }}", "'slto' is undefined; did you mean 'slot'?"),
        (
            "{{ nobody }}",
            "'nobody' is undefined; known: changes, domain, domains, left_out, left_out_ref, locale, question, quotes, ",
        ),
        ("{{ domains[0].nam }}", "no 'nam' in this object; did you mean 'name'?"),
        ("{{ domains.name }}", "a list has no 'name': look up what the documented variables hold"),
        ("{{ question.text.first.x }}", "a text has no 'first'"),
        ("{{ domains[9] }}", "a list has no '9'"),
        ("{{ 1 / 0 }}", "a division by zero: check the values that this line is given"),
        ("{{ question.text + 1 }}", "values or arguments that do not fit together"),
        ("{{ none.x }}", "null has no 'x': guard it with {% if none %}"),
        (
            "{{ domains[0].slots[0].pending.why }}",
            "null has no 'why': guard it with {% if domains[0].slots[0].pending %}",
        ),
        (
            "{% set s = domains[0].slots[0] %}{{ s['pending']['why'] }}",
            "null has no 'why': guard it with {% if s['pending'] %}",
        ),
        ("{{ (domains[0].slots | first).pending.why }}", "null has no 'why': guard it with {% if … %}"),
        (
            "{% for s in domains[0].slots %}{{ s.pending.why }}{% endfor %}",
            "null has no 'why': guard it with {% if s.pending %}",
        ),
        ("{{ domains | map('foo') }}", "No filter named 'foo'"),
        ("{{ 'x' | date(foo=1) }}", "filter 'date' takes style, locale: give it these"),
        ("{{ domains | groupby }}", "filter 'groupby' takes attribute, default, case_sensitive: give it these"),
        ("{{ ['x'] | map('quote', 1, 2) | list }}", "filter 'quote' takes max: give it these"),
        ("{{ 'x' | date(5, 6) }}", "filter 'date' takes style, locale: give it these"),
        (
            "{{ [1, 'a'] | sort }}",
            "values or arguments that do not fit together: check the values that this line is given",
        ),
        ("{{ 'x' | truncate(-5) }}", "a value that cannot be used here: check the values that this line is given"),
        (
            "{{ 'abc'.split('') }}",
            "a value that cannot be used here: check the values that this line is given",
        ),
        ("{% include 'a' * 5000 %}", f"no file '{'a' * 60}…': put it beside prompt.jinja"),
        ("{{ domains | first(3) }}", "filter 'first' takes no arguments: leave them out"),
        ("{% include question.path %}", "no file 'travel.return_on': put it beside prompt.jinja"),
        ("{% include ['x.jinja', question.path] %}", "no file 'x.jinja'"),
        ("{% include [] %}", "no file ''"),
        ("{% include 3 %}", "no file '3'"),
        ("{% include left_out %}", "the name of a file is a text, or a list of texts"),
        ("{% include [left_out] %}", "the name of a file is a text, or a list of texts"),
        ("{{ domains() }}", "a list cannot be called: only macros and a few functions can"),
        ("{{ nobody() }}", "'nobody' is undefined"),
        ("{{ range }}", "a value of this kind cannot be printed"),
        ("{{ domains[domains] }}", "a list is no key: use a text or a whole number"),
    ],
)
def test_errors_name_file_line_section_and_remedy(write: Write, body: str, message: str) -> None:
    prompt = section("{% for domain in domains %}{% set slot = 1 %}\n\n" + body + "{% endfor %}")

    def act() -> object:
        return write(prompt).render("slots", scene())

    told = complaint(act)
    assert told.startswith(f'prompt.jinja:3: section "slots": {message}')


def test_an_error_inside_of_an_include_names_that_file(write: Write) -> None:
    template = write(
        section("\n\n{% for slot in domains[0].slots %}{% include 'parts/line.jinja' %}{% endfor %}"),
        {"parts/line.jinja": "\n-\n{{ slto }}\n", "macros.jinja": "{% macro m(x) %}\n{{ x.y }}{% endmacro %}"},
    )
    assert complaint(lambda: template.render("slots", scene())) == (
        "parts/line.jinja:3: section \"slots\": 'slto' is undefined; did you mean 'slot'?"
    )
    template = write(section("{% from 'macros.jinja' import m %}{{ m(question) }}"), reload=True)
    with pytest.raises(PlacedError) as caught:
        template.render("slots", scene())
    error = caught.value
    assert (Path(error.file).name, error.line, error.section) == ("macros.jinja", 2, "slots")
    assert error.reason == "no 'y' in this object; known: path, reason, text"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n{% sectoin 'x' %}", "prompt.jinja:2: section \"slots\": unknown tag 'sectoin'; did you mean 'section'?"),
        ("\n{% if %}", "prompt.jinja:2: section \"slots\": Expected an expression, got 'end of statement block'"),
        ("\n{{ ' }}", 'prompt.jinja:2: section "slots": unexpected char "\'" at 25'),
        ("{{ a | dta }}", "prompt.jinja:1: section \"slots\": no filter 'dta'; did you mean 'data'?"),
        ("{{ a | pprint }}", "prompt.jinja:1: section \"slots\": no filter 'pprint'; use data"),
        ("{{ a is nonee }}", "prompt.jinja:1: section \"slots\": no test 'nonee'; did you mean 'none'?"),
        ("{% include 'b.jinja' %}", "prompt.jinja:1: section \"slots\": no file 'b.jinja': put it beside prompt.jinja"),
        ("{% for x in y recursive %}{% endfor %}", "a recursive loop cannot be bounded: use a macro that calls itself"),
        ("{% autoescape true %}{% endautoescape %}", "a prompt is no web page: leave {% autoescape %} out"),
        ("{{ {domains: 1} }}", 'a key must be written out, as in {"city": value}'),
        ("{{ 1 < 2 in [3] }}", "comparisons with in do not chain: join them with and"),
        ("{% block section_note %}x{% endblock %}", "a section stands by itself: move it out of the tag around it"),
        ("{% block a %}{% endblock %}{% block a %}{% endblock %}", "block 'a' defined twice"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_when_it_is_loaded(write: Write, body: str, message: str) -> None:
    assert complaint(lambda: write(section(body))).endswith(message)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("\n\n{{ " + "(" * 3000 + "\n}}", 3),
        ("\n{{ x }}\n{{ " + "9" * 5000 + " }}", 3),
        (
            "\n{{ x }}\n"
            + "{% for x in [1] %}\n" * 30
            + "{% endfor %}" * 30
            + "\n{% set a_long_name_with_many_words = 1 %}",
            32,
        ),
        ("\n{% if x %}{% if y %}{% endif %}{% endif %}\n{{ 1" + "+1" * 5000 + " }}", 3),
        ("\n{{ x }}" * 1100, 1001),
        ("\n\n{{ 'a'\n" + "~ 'a'\n" * 12_000 + " }}", 3333),
    ],
)
def test_what_is_too_large_or_too_deep_is_told_with_its_place(write: Write, body: str, line: int) -> None:
    assert complaint(lambda: write(section(body))).startswith(f'prompt.jinja:{line}: section "slots": ')


def test_any_number_of_names_can_be_looked_for(write: Write) -> None:
    body = "{% for n in range(1100) %}{% include ['x' ~ n ~ '.jinja', 'a' * 300, 'a.jinja'] %}{% endfor %}"
    assert write(section(body), {"a.jinja": "a"}).render("slots", {}) == "a" * 1100


def test_long_messages_are_cut(write: Write) -> None:
    told = complaint(lambda: write(section("{{ " + "x" * 5000 + " }}")).render("slots", {}))
    assert len(told) < 320
    assert told.endswith("…")


def test_a_section_ends_before_the_line_of_an_error(write: Write) -> None:
    told = complaint(lambda: write(section("a") + "\n{% set x = %}"))
    assert told.startswith("prompt.jinja:2: Expected an expression")


# Rendering


def test_rendering_changes_nothing_that_it_is_given(write: Write) -> None:
    template = write(section("{% set x = 3 %}{% set domains = [] %}{{ x }}{{ domains | length }}"))
    variables = scene()
    before = repr(variables)
    assert template.render("slots", variables) == template.render("slots", variables) == "30"
    assert repr(variables) == before


def test_none_prints_nothing_and_other_values_print_as_json(write: Write) -> None:
    body = "{{ none }}|{{ true }}|{{ [1, 'a'] }}|{{ {'a': none} }}|{{ 1.5 }}|{{ 3 }}"
    assert write(section(body)).render("slots", {}) == '|true|[1, "a"]|{"a": null}|1.5|3'


def test_keys_come_before_methods(write: Write) -> None:
    body = "{{ x.values }} {{ x.pop }} {{ x['items'] }} {% for k, v in y.items() %}{{ k }}{{ v }}{% endfor %}{{ y.get('z', 4) }}"
    variables = {"x": {"values": 1, "pop": 2, "items": 3}, "y": {"a": 1}}
    assert write(section(body)).render("slots", variables) == "1 2 3 a14"


def test_lone_surrogates_are_replaced(write: Write) -> None:
    assert write(section("{{ x }}")).render("slots", {"x": "a\ud800"}) == "a\ufffd"


def rendered(write: Write, body: str, **variables: Any) -> str:
    return write(section(body)).render("slots", {**scene(), **variables})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{% for a in 'ab' %}{{ loop.index }}{{ a }}{{ loop.cycle('x', 'y') }}{% endfor %}", "1ax2by"),
        ("{% for a in [1, 1, 2] %}{{ loop.changed(a) }} {% endfor %}", "true false true "),
        ("{% for a in [3, 4] | reverse %}{{ a }}{{ ',' if not loop.last }}{% else %}none{% endfor %}", "4,3"),
        ("{% for a in [1, 2, 3] if a > 1 %}{{ a }}{% else %}none{% endfor %}", "23"),
        ("{% for a in range(3) %}{{ a }}{% endfor %}", "012"),
        ("{% for a in (x.keys() | list) %}{{ a }}{% endfor %}{{ x.values() | list }}", "ab[1, 2]"),
        ("{% set j = joiner('-') %}{% for a in 'abc' %}{{ j() }}{{ a }}{% endfor %}", "a-b-c"),
        ("{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}", "121"),
        ("{% set ns = namespace(n=0) %}{% for a in 'abc' %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}", "3"),
        ("{% set t %}a{{ 1 }}{% endset %}{{ t }}{{ t }}", "a1a1"),
        ("{% set t | upper %}a{{ 1 }}{% endset %}{{ t }}", "A1"),
        ("{% filter upper %}a{{ 'b' }}{% endfilter %}", "AB"),
        ("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}", "3"),
        ("{% macro m(a, b=2) %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }}{{ m(1, 3, 4, z=5) }}", '12[]{}13[4]{"z": 5}'),
        ("{% macro m() %}<{{ caller(3) }}>{% endmacro %}{% call(n) m() %}{{ n }}{% endcall %}", "<3>"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("{{ 'a' ~ 1 ~ none ~ 'b' }}", "a1b"),
        ("{{ 'abcd'[1:3] }}{{ [1, 2, 3][:2] }}{{ 'abc'[::-1] }}{{ 'abc'[-1] }}", "bc[1, 2]cbac"),
        ("{{ 1 < 2 < 3 }}{{ x == {'a': 1, 'b': 2} }}{{ 'a' in x }}{{ 'z' not in 'abc' }}{{ 2 in [1, 2] }}", "truetruetruetruetrue"),
        ("{{ 7 // 2 }} {{ 7 % 4 }} {{ 2 ** 5 }} {{ -3 }} {{ 1.5 * 2 }} {{ 'ab' * 2 }} {{ 3 * [0] }}", "3 3 32 -3 3.0 abab [0, 0, 0]"),
        ("{{ 'a,b'.split(',') | join('+') }}{{ ' x '.strip() }}{{ '-'.join(['a', 'b']) }}{{ 'aXa'.replace('a', 'bb') }}", "a+bxa-bbbXbb"),
        ("{{ 'Ab'.lower() }}{{ 'ab'.startswith(('a', 'x')) }}{{ 'abab'.count('ab') }}{{ 'xxax'.strip('x') }}", "abtrue2a"),
        ("{{ x.a is number }}{{ y is defined }}{{ y is undefined }}{{ none is none }}{{ 3 is odd }}{{ 2 is eq 2 }}{{ 1 is in [1] }}", "truefalsetruetruetruetruetrue"),
        ("{% include 'missing.jinja' ignore missing %}{% include ['missing.jinja', './a.jinja'] %}", "A\n"),
        ("{% include 'a' ~ '.jinja' %}", "A\n"),
        ("{{ y | default('z') }}{{ none | d('z', true) }}", "zz"),
        ("{{ [1, 2] | sum }}{{ [1, true, 'a'] | sum(start=2) }}{{ [3] | sum('a') }}", "343"),
        ("{{ domains | map(attribute='slots.0.name') | list }}", '["origin", "order"]'),
        ("{% for group in domains[0].slots | groupby('status') %}{{ group.grouper }}{{ group.list | length }} {% endfor %}", "confirmed1 empty3 filled4 "),
        ("{{ domains[0].slots | selectattr('pending') | map(attribute='name') | join(', ') }}", "outbound_on, people"),
        ("{{ domains[0].slots | sort(attribute='name') | map(attribute='name') | first }}", "avoid"),
        ("{{ [3, 1, 2] | sort }}{{ [3, 1] | min }}{{ ['b', 'a', 'b'] | unique | list }}{{ {'b': 1, 'a': 2} | dictsort }}", '[1, 2, 3]1["b", "a"][["a", 2], ["b", 1]]'),
        ("{{ 'ab cd' | title }}{{ 'abc' | truncate(2, true, '', 0) }}{{ 'a\nb' | indent(2) }}{{ '1.26' | float | round(1) }}", "Ab Cdaba\n  b1.3"),
        ("{{ '  a ' | trim }}{{ 'xax' | trim('x') }}{{ 'aaa' | replace('a', 'b', 2) }}{{ [1, 2, 3] | batch(2) | list }}", "aabba[[1, 2], [3]]"),
        ("{{ 'abc' | length }}{{ [1] | count }}{{ 'a b' | wordcount }}{{ '7' | int + 1 }}{{ -2 | abs }}{{ 1 | string ~ 2 }}", "3128212"),
        ("{{ self.b() }}{% block b %}B{% endblock %}", "BB"),
    ],
)  # fmt: skip
def test_what_templates_can_do(write: Write, body: str, expected: str) -> None:
    template = write(section(body), {"a.jinja": "A\n"})
    assert template.render("slots", {**scene(), "x": {"a": 1, "b": 2}}) == expected.strip("\n")


def test_load_template_takes_a_bundled_name_or_a_folder() -> None:
    assert load_template("default") is load_template("default")
    assert load_template("default").name == "default"


def test_an_error_with_its_place_is_a_template_error_to_those_who_see_it(write: Write) -> None:
    with pytest.raises(TemplateError) as caught:
        write(section("{{ x | dat }}"))
    assert f"{type(caught.value).__module__}.{type(caught.value).__name__}" == "slotstate.errors.TemplateError"
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, PlacedError)
    assert (str(again), again.line, again.rule) == (str(caught.value), 1, "unknown-filter")

"""lint: each rule, on a template that breaks it and on ones that do not."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

from slotstate.domains import compile_domains
from slotstate.errors import TemplateError
from slotstate.slots import Slot
from slotstate.templating import RULES, Finding, lint
from tests.templating.conftest import Write, section


class Leg(BaseModel):
    """One part of a trip."""

    station: Annotated[str, Slot(examples=["Central Station"])]


class Travel(BaseModel):
    """Plan a trip."""

    origin: Annotated[str, Slot(examples=["Oslo", "oslo", "x"])]
    seat: Annotated[Literal["second", "first"] | None, Slot(aliases={"second": ["2nd class", "二等座"]})] = None
    leg: Leg | None = None
    stops: list[Annotated[Literal["Gent"], Slot()]] = []


DOMAINS = compile_domains(Travel)
EXTENDS = '{% extends "default/prompt.jinja" %}'
SLOTS = "{% for d in domains %}{% for s in d.slots %}{{ s.value | data }}{{ s.pending | data }}{{ s.dontcare }}{% endfor %}{% endfor %}"


def found(
    write: Write, prompt: str, files: Mapping[str, str] = {}, *, schema: bool = True
) -> list[tuple[str, int, str, str]]:
    """What lint finds: file, line, rule and message."""
    template = write(prompt, files, reload=True)
    findings = lint(template, DOMAINS if schema else None)
    assert all(one.rule in RULES and "\n" not in one.message for one in findings)
    return [(Path(one.file).name, one.line, f"{one.severity} {one.rule}", one.message) for one in findings]


def in_slots(write: Write, body: str, files: Mapping[str, str] = {}, *, schema: bool = True) -> list[tuple[str, str]]:
    """Rule and message of what is found with this text beside a complete slots section."""
    return [one[2:] for one in found(write, EXTENDS + section(SLOTS + body), files, schema=schema)]


@pytest.mark.parametrize("name", ["default", "zh"])
def test_the_bundled_sets_are_clean(name: str) -> None:
    assert lint(name) == lint(name, DOMAINS) == ()


def test_a_folder_that_extends_a_set_is_clean(write: Write) -> None:
    assert found(write, EXTENDS, {"system.jinja": "Be kind.", "domains/travel.jinja": "{{ domain.label }}"}) == []


def test_findings_come_in_order_each_once(write: Write) -> None:
    prompt = EXTENDS + "\n" + section("{{ a }}\n{{ b }}{% include 'x.jinja' %}{% include 'x.jinja' %}" + SLOTS)
    assert found(write, prompt, {"x.jinja": "\n{{ c }}"}) == [
        ("prompt.jinja", 2, "error undeclared", "'a' is undefined; known: changes, domains, left_out, left_out_ref, locale, question, quotes, summary"),
        ("prompt.jinja", 3, "error undeclared", "'b' is undefined; known: changes, domains, left_out, left_out_ref, locale, question, quotes, summary"),
        ("x.jinja", 2, "error undeclared", "'c' is undefined; known: changes, domains, left_out, left_out_ref, locale, question, quotes, summary"),
    ]  # fmt: skip


# Loading


def test_a_template_that_cannot_be_loaded_is_a_finding(write: Write, tmp_path: Path) -> None:
    write(section("a"))
    (tmp_path / "mine" / "prompt.jinja").write_text("\n{% section 'slots' %}{{ x | dat }}{% endsection %}")
    (one,) = lint(str(tmp_path / "mine"))
    assert one == Finding(
        f"{tmp_path}/mine/prompt.jinja", 2, "slots", "unknown-filter", "error", "no filter 'dat'; did you mean 'date'?"
    )


def test_a_loaded_template_that_can_no_longer_be_loaded_is_a_finding(write: Write, tmp_path: Path) -> None:
    template = write(section("a"), reload=True)
    (tmp_path / "mine" / "prompt.jinja").write_text("{% icnlude %}")
    ((rule, message),) = [(one.rule, one.message) for one in lint(template)]
    assert (rule, message) == ("invalid", "unknown tag 'icnlude'; did you mean 'include'?")


def test_files_that_cannot_be_loaded_do_not_hide_what_is_wrong_in_others(write: Write, tmp_path: Path) -> None:
    write(EXTENDS)
    files = {
        "domain.jinja": "{{ 'a' | dat }}\n{{ 1 | datee }}{{ 1 is nonee }}{{ turns }}",
        "question.jinja": "{% include 'nowhere.jinja' %}",
        "system.jinja": "{{ nobody }}{% include 'domain.jinja' %}",
        "quotes.jinja": "{% if %}",
        "unused.jinja": "",
    }
    for name, text in files.items():
        (tmp_path / "mine" / name).write_text(text)
    assert [(Path(one.file).name, one.line, one.rule) for one in lint(str(tmp_path / "mine"))] == [
        ("domain.jinja", 1, "unknown-filter"),
        ("domain.jinja", 2, "invalid"),
        ("domain.jinja", 2, "unknown-filter"),
        ("domain.jinja", 2, "unknown-filter"),
        ("question.jinja", 1, "invalid"),
        ("quotes.jinja", 1, "invalid"),
        ("system.jinja", 1, "undeclared"),
    ]


def test_an_entry_that_cannot_be_loaded_hides_only_what_hangs_on_it(write: Write, tmp_path: Path) -> None:
    write(EXTENDS)
    (tmp_path / "mine" / "prompt.jinja").write_text("{% set tone = 'kind' %}{% section 'system' %}{% endif %}")
    (tmp_path / "mine" / "system.jinja").write_text("{{ tone }}")
    (tmp_path / "mine" / "question.jinja").write_text("{{ question.text | data }}")
    assert {(Path(one.file).name, one.rule) for one in lint(str(tmp_path / "mine"))} == {
        ("prompt.jinja", "invalid"),
        ("question.jinja", "unguarded"),
    }


def test_more_code_than_a_template_may_have_is_one_finding(write: Write, tmp_path: Path) -> None:
    write(EXTENDS)
    for number in range(5):
        (tmp_path / "mine" / f"{number}.jinja").write_text("{{ 1 }}" * 900)
    assert [(one.rule, one.message) for one in lint(str(tmp_path / "mine"))] == [
        ("invalid", "more than 2,000 tags and expressions in all files: make it smaller")
    ]


def test_extending_itself_is_one_finding(write: Write, tmp_path: Path) -> None:
    write(EXTENDS)
    (tmp_path / "mine" / "prompt.jinja").write_text("{% extends 'prompt.jinja' %}")
    assert [one.message for one in lint(str(tmp_path / "mine"))] == [
        "extends itself: extend another file, such as default/prompt.jinja"
    ]


def test_a_template_that_is_not_there_is_an_error() -> None:
    with pytest.raises(TemplateError, match="no template 'nowhere'"):
        lint("nowhere")


# Sections and budget


def test_missing_sections(write: Write) -> None:
    wanted = 'it is not there: add it, or extend "default/prompt.jinja"'
    assert found(write, section(SLOTS)) == [
        ("prompt.jinja", 0, "warning missing-section", wanted),
        ("prompt.jinja", 0, "warning missing-section", wanted),
        ("prompt.jinja", 0, "error missing-section", wanted),
        ("prompt.jinja", 0, "warning missing-section", wanted),
        ("prompt.jinja", 0, "error missing-section", wanted),
    ]


def test_sections_in_another_order(write: Write) -> None:
    prompt = EXTENDS + "\n{% section 'recent' min_turns=1 %}{{ turns }}{% endsection %}\n" + section("x", "system")
    message = "a prompt always has the order system, slots, summary, recent, quotes: put the sections into it"
    assert found(write, prompt) == [("prompt.jinja", 2, "warning section-order", message)]
    assert found(write, EXTENDS + section("{{ changes | data }}", "note") + section("x", "system")) == [
        ("prompt.jinja", 1, "warning unprinted", f"it does not show {what}: print slot.{key}")
        if key != "value"
        else ("prompt.jinja", 1, "error unprinted", "it does not show the values: print slot.value")
        for key, what in (
            ("dontcare", "that the user has no preference"),
            ("value", "the values"),
            ("pending", "what is pending"),
        )
    ]


def test_an_empty_recent_section(write: Write) -> None:
    assert [one[2:] for one in found(write, EXTENDS + section("", "recent"))] == [
        ("warning unprinted", "it is empty: write {{ turns }}")
    ]


def test_what_must_be_kept_and_can_be_dropped(write: Write) -> None:
    def options(tag: str, body: str) -> list[tuple[str, str]]:
        return [one[2:] for one in found(write, f"{EXTENDS}{{% section {tag} %}}{body}{{% endsection %}}")]

    rule = "can-be-dropped"
    assert options('"system" keep=false', "x") == [
        (f"error {rule}", "keep=false lets a small budget drop it: leave keep out")
    ]
    assert options('"slots" max=90', SLOTS) == [(f"warning {rule}", "max cuts what must be kept: leave max out")]
    assert options('"recent" min_turns=0', "{{ turns }}") == [
        (f"warning {rule}", "min_turns=0 keeps no turn but the last: use min_turns=1 or more")
    ]
    assert options('"summary" keep=true', "{{ super() }}") == [
        (f"warning {rule}", "keep without min keeps no certain part of it: add min")
    ]
    assert options('"summary" keep=true min=50', "{{ super() }}") == []
    assert options('"recent" keep=true min_turns=2', "{{ turns }}") == []


def test_shares_above_the_whole(write: Write) -> None:
    prompt = EXTENDS + '{% section "summary" max="60%" min="50%" %}{{ super() }}{% endsection %}'
    prompt += '{% section "quotes" max="50%" min="50%" %}{{ super() }}{% endsection %}'
    assert found(write, prompt) == [
        (
            "prompt.jinja",
            0,
            "error shares",
            "max adds up to 110% of the budget (summary 60%, quotes 50%): lower some of them",
        )
    ]


def test_sections_that_do_not_print_what_they_are_there_for(write: Write) -> None:
    prompt = EXTENDS + section("{{ domains | length }}") + section("x", "summary") + section("{{ left_out }}", "quotes")
    assert found(write, prompt) == [
        (
            "prompt.jinja",
            1,
            "warning unprinted",
            "it does not show that the user has no preference: print slot.dontcare",
        ),
        ("prompt.jinja", 1, "error unprinted", "it does not show the values: print slot.value"),
        ("prompt.jinja", 1, "warning unprinted", "it does not show what is pending: print slot.pending"),
        ("prompt.jinja", 1, "warning unprinted", "it never uses quotes: loop over it"),
        ("prompt.jinja", 1, "warning unprinted", "it never uses summary: loop over it"),
    ]
    assert [one[2:] for one in found(write, EXTENDS + section("x"))] == [
        ("error unprinted", "it never uses domains: loop over it")
    ]
    assert found(write, EXTENDS + section("{{ super() }}x")) == []


@pytest.mark.parametrize(
    "how",
    [
        "{% macro m(s) %}{{ s.value | data }}{{ s.pending | data }}{{ s.dontcare }}{% endmacro %}"
        "{% for d in domains %}{% for s in d.slots %}{{ m(s) }}{% endfor %}{% endfor %}",
        "{% macro m(a, slot=none) %}{{ slot.value | data }}{{ slot['pending'] | data }}{{ slot.dontcare }}{% endmacro %}"
        "{% for s in domains[0].slots | sort(attribute='name') %}{{ m(1, slot=s) }}{% endfor %}",
        "{% from 'm.jinja' import m as n %}{% for s in (domains | first).slots %}{{ n(s) }}{% endfor %}",
        "{% import 'm.jinja' as x %}{% for s in domains[0].slots %}{{ x.m(s) }}{% endfor %}",
        "{% for slot in domains[0].slots %}{% include ['a/' ~ slot.name ~ '.jinja', 'part.jinja'] %}{% endfor %}",
        "{% set all = domains[0].slots %}{% with s = all | last %}{% set t %}{{ s.value | data }}{% endset %}{{ t }}"
        "{% if s.pending %}{% filter upper %}{{ s.pending | data }}{% endfilter %}{% endif %}{{ s.dontcare }}{% endwith %}",
        "{% include 'part.jinja' if domains else 'm.jinja' %}{% set slot = domains[0].slots[0] %}{% include 'part.jinja' %}",
        "{% for s in domains[0].slots %}{{ s.name }}{{ s.value | data }}{% block b scoped %}{{ s.pending | data }}{{ s.dontcare }}{% endblock %}{% endfor %}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% for s in domains[0].slots %}{% call(x=1) m() %}{{ x }}{{ s.value | data }}{{ s.pending | data }}{{ s.dontcare }}{% endcall %}{% endfor %}",
    ],
)  # fmt: skip
def test_values_are_followed_through_macros_includes_and_filters(write: Write, how: str) -> None:
    one = "{{ slot.value | data }}{{ slot.pending | data }}{{ slot.dontcare }}"
    files = {
        "m.jinja": "{% macro m(slot) %}" + one + "{% endmacro %}",
        "part.jinja": "{% if slot is defined %}" + one + "{% endif %}",
    }
    findings = [one for one in found(write, EXTENDS + section(how), files) if one[2] != "warning unused-file"]
    assert [one for one in findings if one[2] != "error undeclared" or "'slot'" not in one[3]] == []


def test_what_ones_own_file_does_not_print_is_told_there(write: Write) -> None:
    assert [
        one[:3] for one in found(write, EXTENDS, {"value.jinja": "{{ slot.value | data }}{{ slot.dontcare }}"})
    ] == [
        ("value.jinja", 0, "warning unprinted"),
    ]
    assert [one[:3] for one in found(write, EXTENDS, {"quotes.jinja": "a", "slots.jinja": "b"})] == [
        ("quotes.jinja", 0, "warning unprinted"),
        ("slots.jinja", 0, "error unprinted"),
        ("value.jinja", 0, "warning unprinted"),
    ]


# Line breaks


VALUE = "{{ slot.dontcare }}{{ slot.pending | data }}{{ slot.value | data }}"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (f"a\n{VALUE}\n", 2),
        (f"{VALUE}{{% if slot.dontcare %}}\nb\n{{% endif %}}\n", 3),
        (f"{VALUE}{{% for one in slot.offers %}}{{{{ one.turn }}}}\n{{% endfor %}}", 1),
        (VALUE, 0),
        (f"{VALUE[:-2]}-}}}}\n", 0),
        (f"{VALUE}{{# the end #}}", 0),
        (f"{VALUE}{{% if slot.dontcare %}}b{{% endif %}}\n", 0),
        (f"{VALUE}{{% set x = 1 %}}\n", 0),
    ],
)
def test_a_line_break_too_many(write: Write, value: str, line: int) -> None:
    assert [one[:3] for one in found(write, EXTENDS, {"value.jinja": value})] == 2 * bool(line) * [
        ("value.jinja", line, "warning empty-line")
    ]


def test_a_file_that_is_included_on_a_line_of_its_own_may_end_with_a_line_break(write: Write) -> None:
    body = "{% include 'a.jinja' %}\n{% include 'a.jinja' %}"
    assert in_slots(write, body, {"a.jinja": "a\n"}) == []


# Names


@pytest.mark.parametrize(
    ("body", "rule", "message"),
    [
        ("{{ slto }}", "undeclared", "'slto' is undefined; known: "),
        ("{% for slot in domains[0].slots %}{{ slto }}{% endfor %}", "undeclared", "'slto' is undefined; did you mean 'slot'?"),
        ("{% for a in domains %}{% endfor %}{{ a.name }}", "undeclared", "'a' is undefined"),
        ("{% macro m(a) %}{{ a }}{{ b }}{% endmacro %}", "undeclared", "'b' is undefined"),
        ("{{ now() }}", "undeclared", "'now' is undefined"),
        ("{{ domains[0].nam }}", "unknown-attribute", "a domain has no 'nam'; did you mean 'name'?"),
        ("{% for d in domains %}{% for s in d.slots %}{{ s['vlaue'] }}{% endfor %}{% endfor %}", "unknown-attribute", "a slot has no 'vlaue'; did you mean 'value'?"),
        ("{{ question.txt }}", "unknown-attribute", "a question has no 'txt'; did you mean 'text'?"),
        ("{{ domains[0].slots[0].pending.wy }}", "unknown-attribute", "a pending has no 'wy'; did you mean 'why'?"),
        ("{{ (quotes | first).txt }}", "unknown-attribute", "a quote has no 'txt'; did you mean 'text'?"),
        ("{{ domains | map(attribute='nam') | join }}", "unknown-attribute", "a domain has no 'nam'; did you mean 'name'?"),
        ("{{ domains[0].slots | selectattr('statsu', 'eq', 'empty') | list }}", "unknown-attribute", "a slot has no 'statsu'; did you mean 'status'?"),
        ("{{ domains | sort(attribute='nam.x') | length }}", "unknown-attribute", "a domain has no 'nam'; did you mean 'name'?"),
        ("{{ domains | map('dta') | list }}", "unknown-filter", "no filter 'dta'; did you mean 'data'?"),
        ("{{ quotes | select('nonee') | list }}", "unknown-filter", "no test 'nonee'; did you mean 'none'?"),
        ("{{ domains | selectattr('name', 'eqq', 'travel') | list }}", "unknown-filter", "no test 'eqq'; did you mean 'eq'?"),
        ("{% if domains[0].name == 'travle' %}{% endif %}", "unknown-slot", "no domain 'travle'; did you mean 'travel'?"),
        ("{% for s in domains[0].slots if s.path == 'travel.orgin' %}{% endfor %}", "unknown-slot", "no slot 'travel.orgin'; did you mean 'travel.origin'?"),
        ("{% for s in domains[0].slots if s.name in ['origin', 'saet'] %}{% endfor %}", "unknown-slot", "no slot 'saet'; did you mean 'seat'?"),
        ("{% for s in domains[0].slots if 'travle' != s.domain %}{% endfor %}", "unknown-slot", "no domain 'travle'; did you mean 'travel'?"),
        ("{{ domains[0].slots | rejectattr('path', 'eq', 'travel.saet') | list | length }}", "unknown-slot", "no slot 'travel.saet'; did you mean 'travel.seat'?"),
        ("{% if question and question.path == 'x' %}{% endif %}", "unknown-slot", "no slot 'x'; known: travel.leg, travel.origin, travel.seat, travel.stops"),
    ],
)  # fmt: skip
def test_names_that_there_are_none_of(write: Write, body: str, rule: str, message: str) -> None:
    ((name, told),) = in_slots(write, body)
    assert name == f"error {rule}"
    assert told.startswith(message)


@pytest.mark.parametrize(
    "body",
    [
        "{% set a = 1 %}{{ a }}{% set ns = namespace(x=1) %}{% set ns.x = 2 %}{{ ns.x }}",
        "{% for k, v in domains[0].items() %}{{ k }}{{ loop.index }}{% else %}none{% endfor %}",
        "{{ domains[0].slots[0].offers[0].turn }}{{ domains[0].get('x') }}{{ (domains | first).name }}",
        "{% for s in domains[0].slots if s.status == 'empty' and s.name == 'origin' %}{% endfor %}",
        "{{ domains | map('length') | list }}{{ quotes | select | list }}{{ quotes | first }}",
        "{% if domains[0].name == left_out %}{% endif %}{% if 3 == 'x' %}{% endif %}",
        "{{ domains | groupby('name') | length }}{{ [1] | sort(attribute=1) }}{{ domains | sort(attribute=left_out) | length }}",
        "{% filter upper %}x{% endfilter %}{{ (question or {}).path }}",
        "{{ super() if false }}{{ joiner() }}{{ cycler(1) }}{% for i in range(3) %}{{ i }}{% endfor %}",
        "{% include 'none.jinja' ignore missing %}{% if question %}{% include question.path %}{% include 'a' ~ question.path %}{% endif %}{% include 'quotes.jinja' if left_out %}",
        "{{ question.path if question }}{{ quotes[0].text | quote if quotes else '' }}",
    ],
)  # fmt: skip
def test_what_is_all_right(write: Write, body: str) -> None:
    assert in_slots(write, body) == []


def test_names_are_not_checked_against_a_schema_that_is_not_there(write: Write) -> None:
    body = "{% if domains[0].name == 'travle' %}{% endif %}"
    assert in_slots(write, body, {"domains/other.jinja": ""}, schema=False) == []


def test_what_is_set_at_the_top_is_known_in_sections(write: Write) -> None:
    prompt = (
        EXTENDS
        + "{% set tone = 'kind' %}{% macro m(x) %}{{ x.nam }}{{ tone }}{% endmacro %}{% if tone %}{% set b = 1 %}{% endif %}"
    )
    assert found(write, prompt + section("{{ tone }}{{ b }}", "system")) == []
    top = EXTENDS + "{% set name = domains[0].name %}{% set bad = domains[0].nam %}"
    assert [one[3] for one in found(write, top)] == ["a domain has no 'nam'; did you mean 'name'?"]
    ((_, _, rule, message),) = found(write, prompt + section("{{ m(domains[0]) }}", "system"))
    assert (rule, message) == ("error unknown-attribute", "a domain has no 'nam'; did you mean 'name'?")


def test_includes_and_macros_that_go_round_end(write: Write) -> None:
    files = {"round.jinja": "{{ x }}{% include 'round.jinja' %}"}
    body = "{% macro m(a) %}{{ m(a) }}{% endmacro %}{{ m(1) }}{% include 'round.jinja' %}"
    assert {one[0] for one in in_slots(write, body, files)} == {"error undeclared"}


def test_macros_that_call_each_other_are_read_once_for_what_they_are_given(write: Write) -> None:
    macros = "{% macro m0(x) %}{{ x.nam }}{% endmacro %}" + "".join(
        f"{{% macro m{at}(x) %}}{{{{ m{at - 1}(x) }}}}{{{{ m{at - 1}([x]) }}}}{{% endmacro %}}" for at in range(1, 35)
    )
    started = time.perf_counter()
    assert in_slots(write, macros + "{{ m34(1) }}{{ m8(domains[0]) }}") == [
        ("error unknown-attribute", "a domain has no 'nam'; did you mean 'name'?")
    ]
    files = {"m.jinja": "{% macro m(x) %}{{ x.nam }}{% endmacro %}"}
    twice = "{% import 'm.jinja' as a %}{% import 'm.jinja' as b %}{% macro n(x, y) %}{{ x.nam }}{% endmacro %}"
    calls = "{{ n(a, a.m) }}{{ n(b, b.m) }}{{ n(domains[0], a) }}{{ a.m(domains[0]) }}"
    assert len(in_slots(write, twice + calls, files)) == 2
    assert time.perf_counter() - started < 5


def test_files_that_include_each_other_any_number_of_times_are_looked_at_for_some_time(write: Write) -> None:
    files = {f"f{at}.jinja": f"{{% include 'f{at + 1}.jinja' %}}" * 20 for at in range(8)}
    findings = in_slots(write, "{% include 'f0.jinja' %}", {**files, "f8.jinja": "{{ slto }}"})
    assert {rule for rule, _ in findings} == {"error undeclared", "warning not-followed"}


# What may be none


@pytest.mark.parametrize(
    ("body", "owner", "key"),
    [
        ("{{ question.text | data }}", "question", "text"),
        ("{{ question['text'] | data }}", "question", "text"),
        ("{% for k in question.keys() %}{% endfor %}", "question", "keys"),
        ("{% for s in domains[0].slots %}{{ s.pending.why }}{% endfor %}", "s.pending", "why"),
        ("{{ domains[0].slots[0].pending.why }}", "domains[0].slots[0].pending", "why"),
        ("{% for s in domains[0].slots if not s.pending %}{{ s.pending.why }}{% endfor %}", "s.pending", "why"),
        ("{% for s in domains[0].slots %}{{ s.quote.upper() | quote }}{% endfor %}", "s.quote", "upper"),
        ("{% if question is defined %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question is none %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question is not none or left_out %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question == none %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if left_out %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question %}a{% else %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question %}a{% endif %}{{ question.text | data }}", "question", "text"),
        ("{% set q = question %}{{ q.text | data }}", "q", "text"),
        ("{% set p = question %}{% set q = p %}{% set p = q %}{{ p.text | data }}", "p", "text"),
        ("{% with q = question %}{{ q.text | data }}{% endwith %}", "q", "text"),
        ("{% for s in domains[0].slots %}{% if s.pending %}{% set s = domains[0].slots[0] %}{{ s.pending.why }}{% endif %}{% endfor %}", "s.pending", "why"),
        ("{% macro m(q) %}{{ q.text | data }}{% endmacro %}{{ m(question) }}", "q", "text"),
        ("{% macro m() %}{{ question.text | data }}{% endmacro %}{{ m() }}", "question", "text"),
        ("{{ (question.text).x is defined }}", "question", "text"),
        ("{{ 'a' if question.text == 'x' else 'b' }}", "question", "text"),
        ("{% for s in domains[0].slots | selectattr('quote') %}{{ s.pending.why }}{% endfor %}", "s.pending", "why"),
        ("{% for s in domains[0].slots | selectattr('pending', 'none') %}{{ s.pending.why }}{% endfor %}", "s.pending", "why"),
        ("{% if question in [none, 1] %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if question is divisibleby(2) %}{{ question.text | data }}{% endif %}", "question", "text"),
        ("{% if (domains | first) is not none %}{{ question.text | data }}{% endif %}", "question", "text"),
    ],
)  # fmt: skip
def test_a_key_of_what_may_be_none(write: Write, body: str, owner: str, key: str) -> None:
    message = f"{owner} may be none, which has no {key!r}: write {{% if {owner} %}} … {{% endif %}} around it"
    assert in_slots(write, body) == [("error unguarded", message)]


@pytest.mark.parametrize(
    "body",
    [
        "{% if question %}{{ question.text | data }}{% endif %}",
        "{% if not question %}none{% else %}{{ question.text | data }}{% endif %}",
        "{% if left_out %}a{% elif question %}{{ question.text | data }}{% elif question is none %}b{% else %}{{ question.path }}{% endif %}",
        "{% if question is not none %}{{ question.text | data }}{% endif %}",
        "{% if question is mapping %}{{ question.text | data }}{% endif %}",
        "{% if question != none %}{{ question.text | data }}{% endif %}",
        "{% if none == question %}a{% else %}{{ question.text | data }}{% endif %}",
        "{% if question and question.text == 'x' %}{{ question.reason }}{% endif %}",
        "{% if not question or not question.text %}{% else %}{{ question.reason }}{% endif %}",
        "{{ question.text | data if question else 'nothing' }}{{ 'none' if not question else question.text | data }}",
        "{{ question and question.path }}{{ not question or question.path }}",
        "{{ question.text | default('none') | data }}{{ question.text is defined }}{{ question['text'] | d('') | data }}",
        "{% if question.text is defined %}{{ question.text | data }}{% endif %}",
        "{% if question.text is undefined %}{% else %}{{ question.text | data }}{% endif %}",
        "{% if question | default(false) %}{{ question.text | data }}{% endif %}{% if question | length %}{{ question.text | data }}{% endif %}",
        "{% for s in domains[0].slots if s.pending %}{{ s.pending.why }}{% endfor %}",
        "{% for s in domains[0].slots if s.pending and s.pending.why == 'conflict' %}{{ s.pending.values | data }}{% endfor %}",
        "{% for s in domains[0].slots | selectattr('pending') | sort(attribute='name') %}{{ s.pending.why }}{% endfor %}",
        "{% for s in (domains[0].slots | selectattr('pending', 'mapping') | list)[:2] %}{{ s.pending.why }}{% endfor %}",
        "{% for s in domains[0].slots | rejectattr('pending', 'none') %}{{ s.pending.why }}{% endfor %}",
        "{% for s in domains[0].slots | rejectattr('pending', 'eq', none) %}{{ s.pending.why }}{% endfor %}",
        "{% for s in domains[0].slots | selectattr('pending', 'ne', none) %}{{ s.pending.why }}{% endfor %}",
        "{% set open = domains[0].slots | selectattr('pending') | list %}{% for s in open %}{{ s.pending.why }}{% endfor %}",
        "{% for s in domains[0].slots %}{% if s.pending %}{% set p = s.pending %}{{ p.why }}{% endif %}{% endfor %}",
        "{% for s in domains[0].slots %}{% set p = s.pending %}{% if p %}{{ p.why }}{{ s.pending.why }}{% endif %}{% endfor %}",
        "{% for s in domains[0].slots %}{% set p = s.pending %}{% if s.pending %}{{ p.why }}{% endif %}{% endfor %}",
        "{% set asks = question is not none %}{% if asks %}{{ question.text | data }}{% endif %}",
        "{% set asks = not question %}{% if not asks %}{{ question.text | data }}{% endif %}",
        "{% set x = x | default(question) %}{% if x %}{% endif %}",
        "{% set a = b | default(1) %}{% set b = a %}{% set a = b %}{% if a %}{{ a.x }}{% endif %}",
        "{% if question %}{% if question.path in ['travel.origin', 'travel.seat'] %}{{ question.text | data }}{% endif %}{% endif %}",
        "{% for s in domains[0].slots if s.quote in ['a', 'b'] and s.raw == 'x' %}{{ s.quote.upper() | data }}{{ s.raw.upper() | data }}{% endfor %}",
        "{% for s in domains[0].slots if s.quote not in ['a'] %}{% else %}{% endfor %}",
        "{% macro m(q) %}{{ q.text | data }}{% endmacro %}{{ m(question) if question }}",
        "{% macro m(q, p=1) %}{% if q %}{{ q.text | data }}{% endif %}{% endmacro %}{{ m(q=question) }}",
        "{% macro m() %}{{ question.text | data }}{% endmacro %}{% if question %}{{ m() }}{% endif %}",
        "{% if question %}{% include 'question.jinja' %}{% endif %}",
        "{{ (question or {}).text }}",
    ],
)  # fmt: skip
def test_a_key_behind_a_guard(write: Write, body: str) -> None:
    findings = in_slots(write, body, {"question.jinja": "{% if question %}{{ question.text | data }}{% endif %}"})
    assert [one for one in findings if one[0] == "error unguarded"] == []


def test_a_guard_reaches_into_what_is_included(write: Write) -> None:
    body = "{% if question %}{% include 'ask.jinja' %}{% endif %}"
    assert in_slots(write, body, {"ask.jinja": "{{ question.text | data }}"}) == []


def test_files_of_ones_own_may_not_use_what_may_be_none(write: Write) -> None:
    files = {
        "question.jinja": "ask:\n{{ question.text | data }}",
        "value.jinja": "{{ slot.value | data }} {{ slot.dontcare }} {{ slot.pending.why }}",
    }
    assert [one[:3] for one in found(write, EXTENDS, files)] == [
        ("question.jinja", 2, "error unguarded"),
        ("question.jinja", 2, "error unguarded"),
        ("value.jinja", 1, "error unguarded"),
        ("value.jinja", 1, "error unguarded"),
    ]


def test_what_a_bundled_file_lacks_is_told_at_ones_own(write: Write) -> None:
    files = {
        "quotes.jinja": "a\n{% include 'default/value.jinja' %}",
        "slots.jinja": "{% include 'default/slots.jinja' %}",
    }
    file, line, rule, message = next(one for one in found(write, EXTENDS, files) if one[2] == "error undeclared")
    assert (file, line, rule) == ("quotes.jinja", 2, "error undeclared")
    assert message.startswith("in default/value.jinja as it is included here, 'slot' is undefined; ")


def test_what_is_taken_over_must_be_there(write: Write) -> None:
    body = "{% if left_out %}{{ super() }}{{ super.super() }}{% endif %}{% block b %}{{ super.super.super() }}{% endblock %}"
    missing = [one[1:] for one in found(write, EXTENDS + section(body, "summary"))]
    message = "1 of the files that this one extends has section 'summary': leave super.super() out"
    assert [one for one in missing if one[1] == "error undeclared"] == [(1, "error undeclared", message)]
    own = EXTENDS.replace("default/prompt.jinja", "base.jinja") + section("{{ super() }}", "summary")
    (told,) = (one[3] for one in found(write, own, {"base.jinja": section(SLOTS)}) if one[2] == "error undeclared")
    assert told == "no file that it extends has section 'summary': leave super() out"


# Caching


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{{ question.path }}", "question changes from turn to turn: move it to section slots"),
        ("{{ left_out }}", "left_out changes from turn to turn: move it to section summary"),
        ("{% if changes %}{% endif %}", "changes changes from turn to turn: move it to section note"),
        ("{% for q in quotes %}{% endfor %}", "quotes changes from turn to turn: move it to section quotes"),
        ("{% for s in domains[0].slots %}{{ s.status }}{% endfor %}", "a slot's status changes from turn to turn: move it to section slots"),
        ("{% for s in domains[0].slots %}{{ s.value | data }}{% endfor %}", "a slot's value changes from turn to turn: move it to section slots"),
        ("{{ domains[0].slots | selectattr('pending') | list | length }}", "a slot's pending changes from turn to turn: move it to section slots"),
        ("{{ domains | first }}", "domains | first holds values, which change: print its name"),
        ("{{ domains[0].slots }}", "domains[0].slots holds values, which change: print its name"),
        ("{{ domains }}", "domains holds values, which change: print its name"),
    ],
)  # fmt: skip
def test_volatile_things_in_the_stable_part(write: Write, body: str, message: str) -> None:
    ((_, _, rule, told),) = found(write, EXTENDS + section(body, "system"))
    assert (rule, told) == ("error volatile-prefix", message)


def test_volatile_things_are_found_in_what_the_system_section_includes(write: Write) -> None:
    assert found(write, EXTENDS, {"system.jinja": "a\n{{ question.path }}"}) == [
        ("system.jinja", 2, "error volatile-prefix", "question changes from turn to turn: move it to section slots")
    ]


def test_stable_things_may_stand_there(write: Write) -> None:
    body = "{% for d in domains %}{{ d.name }}{{ d.description }}{% for s in d.slots %}{{ s.path }}{{ s.label }}{{ s.kind }}{% endfor %}{% endfor %}{{ locale }}"
    assert found(write, EXTENDS + section(body, "system")) == []


# Words of anybody's


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("{{ domains[0].slots[0].value }}", "domains[0].slots[0].value"),
        ("{{ (domains[0].slots | first).value }}", "(domains[0].slots | first).value"),
        ("{% for s in domains[0].slots %}{{ s['raw'] }}{% endfor %}", "s.raw"),
        ("{% for s in domains[0].slots %}{{ s.raw }}{% endfor %}", "s.raw"),
        ("{% if question %}{{ question.text }}{% endif %}", "question.text"),
        ("{{ 'a' ~ question.text if question }}", "question.text"),
        ("{{ question.text if question else 'none' }}", "question.text"),
        ("{% for q in quotes %}{{ q.text }}{% endfor %}", "q.text"),
        ("{% for item in summary %}{{ item }}{% endfor %}", "item"),
        ("{% for s in domains[0].slots if s.pending %}{{ s.pending.values }}{% endfor %}", "s.pending.values"),
    ],
)
def test_words_that_are_printed_as_they_came(write: Write, body: str, shown: str) -> None:
    assert in_slots(write, body) == [("warning raw-value", f"{shown} is printed as it came: write {shown} | data")]


# Literals


@pytest.mark.parametrize(
    ("text", "literal", "what"),
    [
        ("on 2026-12-04, ok", "2026-12-04", "a date"),
        ("am 4.12.2026", "4.12.2026", "a date"),
        ("2026年12月4日", "2026年12月4日", "a date"),
        ("at 9:30 sharp", "9:30", "a time"),
        ("write to bot@example.org", "bot@example.org", "an email address"),
        ("call +44 20 7946 0958", "+44 20 7946 0958", "a phone number"),
        ("for € 19.90", "€ 19.90", "an amount of money"),
        ("for 20 EUR", "20 EUR", "an amount of money"),
        ("from Oslo", "Oslo", "a value of travel.origin"),
        ("in “Second” class", "Second", "a value of travel.seat"),
        ("the 2nd class", "2nd class", "a value of travel.seat"),
        ("坐二等座吧", "二等座", "a value of travel.seat"),
        ("at Central Station", "Central Station", "a value of travel.leg.station"),
        ("via Gent", "Gent", "a value of travel.stops"),
    ],
)
def test_text_that_looks_like_a_value(write: Write, text: str, literal: str, what: str) -> None:
    message = f"{literal!r} looks like {what}: it stays the same whatever the slot holds; print the slot instead"
    assert found(write, EXTENDS, {"system.jinja": f"a\n{text}\n"}) == [
        ("system.jinja", 2, "warning literal-value", message)
    ]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("[origin]", "print travel.origin from domains"),
        ("<origin>", "print travel.origin from domains"),
        ("{origin}", "print travel.origin from domains"),
        ("${travel.origin}", "print travel.origin from domains"),
        ("%origin%", "print travel.origin from domains"),
        ("{question}", "write {{ question }}"),
    ],
)
def test_placeholders_that_nothing_fills(write: Write, text: str, remedy: str) -> None:
    message = f"{text!r} is printed as it stands: {remedy}"
    assert found(write, EXTENDS, {"system.jinja": f"to {text}."}) == [
        ("system.jinja", 1, "warning literal-value", message)
    ]


def test_without_a_schema_only_braces_are_taken_for_placeholders(write: Write) -> None:
    files = {"system.jinja": "{city} [city] <city> %city% {x y} {} {1}"}
    assert [one[3] for one in found(write, EXTENDS, files, schema=False)] == [
        "'{city}' is printed as it stands: write {{ city }}"
    ]


def test_ordinary_text_has_no_literals(write: Write) -> None:
    text = "<slots> and <note>. Take the first, every second one; 3 of 12, 1.5, 2026, x. “Hello” [see below] <b>bold</b> 100% oslo"
    assert found(write, EXTENDS, {"system.jinja": text}) == []
    assert found(write, EXTENDS, {"system.jinja": "{# Oslo 2026-12-04 #}{{ '2026-12-04' }}"}) == []


# Files


def test_files_that_nothing_uses(write: Write) -> None:
    files = {"quote.jinja": "", "domains/travel.jinja": "", "domains/travle.jinja": "", "parts/lines.jinja": ""}
    assert [one for one in found(write, EXTENDS, files) if one[0] != "lines.jinja"] == [
        ("travle.jinja", 0, "error unknown-slot", "no domain 'travle'; did you mean 'travel'?"),
        ("quote.jinja", 0, "warning unused-file", "nothing includes it; did you mean 'quotes.jinja'?"),
    ]
    assert [one[2] for one in found(write, EXTENDS, files) if one[0] == "lines.jinja"] == ["warning unused-file"]


def test_files_are_read_again(write: Write, tmp_path: Path) -> None:
    write(EXTENDS)
    name = str(tmp_path / "mine")
    assert lint(name) == ()
    (tmp_path / "mine" / "system.jinja").write_text("{{ nobody }}")
    assert [one.rule for one in lint(name)] == ["undeclared"]

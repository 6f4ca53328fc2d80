"""Templates that mean harm, or only go wrong: refused with one clear line, within a second, by steps and not by a clock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotstate.errors import TemplateError
from slotstate.templating import bounds, load_template
from tests.templating.conftest import Write, complaint, scene, section

DOUBLED = "{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% set ns.y = (ns.y, ns.y) %}{% endfor %}"
GROWN = "{% set ns = namespace(x='ab', y=[1]) %}{% for i in range(60) %}"

STEPS = "more than 25,000 steps: a loop or a macro runs too long; loop over less"
SIZE = "a value of more than 1,000,000 characters or items: make it smaller"
PRINTED = "more than 1,000,000 characters in one section: print less"
BITS = "a number of more than 256 bits: count with smaller ones"
SMALL = "a filter's argument above 1,000: use a smaller number"
DEEP = "macros or blocks call each other more than 40 deep: end the recursion"
CLOSED = "is closed to templates: use the documented variables"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        # Endless
        ("{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}", STEPS),
        ("{% for a in range(9999) %}{% if a == 1 %}{{ a.x }}{% elif a is odd %}{% set b = a * a %}{% endif %}" + "{% set c = 1 %}" * 100 + "{% endfor %}", STEPS),
        ("{% for a in range(9999) %}{% set b = [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a] %}{% endfor %}", STEPS),
        ("{% for a in range(10 ** 10) %}{% endfor %}", "range() of more than 10,000 numbers: count less far"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", DEEP),
        ("{% macro m(n) %}{% if n < 30 %}{{ m(n + 1) }}{{ m(n + 1) }}{% endif %}{% endmacro %}{{ m(0) }}", STEPS),
        ("{{ self.section_slots() }}", DEEP),
        ("{% block b %}{{ self.b() }}{% endblock %}", DEEP),
        ("{% macro m() %}{{ caller() }}{% endmacro %}{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}", DEEP),
        ("{% include 'self.jinja' %}", "files include each other more than 40 deep: does self.jinja include itself?"),
        ("{% import 'itself.jinja' as x %}", "files include each other more than 40 deep: does itself.jinja include itself?"),
        ("{% include 'twice.jinja' %}", STEPS),
        # Huge output
        ("{% for a in range(9999) %}{{ long }}{% endfor %}", PRINTED),
        ("{% set x %}{{ long }}{% endset %}{% for i in range(30) %}{{ x }}{% endfor %}", PRINTED),
        ("{% for a in range(9000) %}{% for b in range(9000) %}" + "x" * 100 + "{% endfor %}{% endfor %}", STEPS),
        ("{{ ',' .join(long) }}{{ ','.join(long) }}{{ [long] * 20 }}", PRINTED),
        # Huge values
        ("{{ 'a' * 10 ** 9 }}", SIZE),
        ("{{ 10 ** 9 * 'a' }}", SIZE),
        ("{{ [1] * 10 ** 9 }}", SIZE),
        ("{{ (1, 2) * 10 ** 9 }}", SIZE),
        ("{{ 10 ** 10 ** 10 }}", BITS),
        ("{{ 2 ** 100000 }}", BITS),
        ("{{ 2 ** 200 * 2 ** 200 }}", BITS),
        ("{{ ('f' * 900) | int(0, 16) }}", BITS),
        ("{{ 1e308 * 10 }}{{ 10.0 ** 400 }}", "a number that is too large: check the values that this line is given"),
        ("{{ (-8) ** 0.5 }}", "a value of this kind cannot be printed"),
        (GROWN + "{% set ns.x = ns.x ~ ns.x %}{% endfor %}", SIZE),
        (GROWN + "{% set ns.x = ns.x + ns.x %}{% endfor %}", SIZE),
        (GROWN + "{% set ns.x = ns.x | join(ns.x) %}{% endfor %}", SIZE),
        (GROWN + "{% set ns.x = ns.x | replace('a', ns.x) %}{% endfor %}", STEPS),
        (GROWN + "{% set ns.x = ns.x.replace('a', ns.x) %}{% endfor %}", STEPS),
        (GROWN + "{% set ns.x = ns.x.join(ns.x) %}{% endfor %}", SIZE),
        (GROWN + "{% set ns.x = ns.x ~ (ns.x | data) %}{% endfor %}", SIZE),
        (GROWN + "{% set ns.y = ns.y + ns.y %}{% endfor %}", STEPS),
        ("{{ long | replace('x', long) }}", SIZE),
        ("{{ long | replace('', long) }}", SIZE),
        ("{{ long | replace(old='x', new=long) }}", SIZE),
        ("{{ ('1' * 40000) | replace(1, [long]) }}", SIZE),
        ("{{ ('a\n' * 2000) | indent(1000) }}", SIZE),
        ("{{ ('a\n' * 900) | indent(long) }}", SIZE),
        ("{{ 'a' | indent(10 ** 9) }}", SMALL),
        ("{{ 'a' | truncate(10 ** 9) }}", SMALL),
        ("{{ long | batch(10 ** 9) | list }}", SMALL),
        ("{{ 1.5 | round(10 ** 9) }}", SMALL),
        ("{{ 1.5 | round(300, 'ceil') }}", "round() to more than 12 places: use fewer"),
        ("{{ 'a'.center(10 ** 9) }}", CLOSED),
        ("{{ 'a'.ljust(10 ** 9) }}", CLOSED),
        ("{{ 'a'.zfill(10 ** 9) }}", CLOSED),
        ("{{ 'a'.expandtabs(10 ** 9) }}", CLOSED),
        ("{{ '{:>1000000000}'.format(1) }}", CLOSED),
        ("{{ '%1000000000d' % 1 }}", "% does not format texts here: join them with ~"),
        ("{{ 'a' | center(10 ** 9) }}", "no filter 'center'; models need no alignment: leave it out"),
        ("{{ 'a' | wordwrap(1) }}", "no filter 'wordwrap'"),
        ("{{ 'a' | slice(10 ** 9) }}", "no filter 'slice'"),
        ("{{ '%d' | format(1) }}", "no filter 'format'; join texts with ~"),
        ("{{ lipsum(n=10 ** 9) }}", "'lipsum' is undefined"),
        ("{{ dict(a=1) }}", "'dict' is undefined"),
        # Long reading
        ("{% for i in range(9999) %}{{ long | upper | length }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long == long ~ '' }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ (long ~ '') | length }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ ('x' * 99 ~ 'y') in long }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long.count('x' * 99 ~ 'y') }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long.strip('y' * 5000) }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long | trim('y' * 5000) | length }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long[::-1] | length }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long | data | length }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long | tokens }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ long | truncate_tokens(100) }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{{ '2026-01-01' | date('full') }}{% endfor %}", STEPS),
        ("{% for i in range(9999) %}{% set x = long | list %}{% endfor %}", STEPS),
        ("{{ long | map('upper') | map('lower') | map('upper') | map('trim') | map('title') | list | length }}", STEPS),
        # Attributes with many parts, and what takes long to write
        *(("{% set all = [{'a': 1}] * 90 %}{{ all" + body + " | list | length }}", STEPS) for body in [
            "| map(attribute='x.' * 9000, default=1)", "| groupby('x.' * 9000, default=1)", "| sort(attribute='a,' * 9000)",
            "| unique(attribute='a.' * 9000)", "| max(attribute='a,' * 9000)", "| selectattr('a.' * 9000)",
            "| rejectattr('a.' * 9000)", "| join(',', attribute='a.' * 9000)", "| min(attribute='a.' * 9000)",
        ]),
        ("{{ ['P1DT1H'] * 900 | duration }}", "values or arguments that do not fit together"),
        ("{{ (['P1DT1H'] * 900) | duration }}", STEPS),
        ("{{ ([['2026-12-04', []] * 30] * 30) | date }}", STEPS),
        ("{% for l in ['de', 'fr', 'ja'] %}{{ '2026-12-04' | date('full', locale=l) }}{% endfor %}", STEPS),
        # Values that hold themselves twice, sixty times over
        *((DOUBLED + body, STEPS) for body in [
            "{{ ns.x }}", "{{ ns.x | data }}", "{{ ns.x | string }}", "{{ ns.x | join }}", "{{ ns.x | lower }}",
            "{{ ns.x | label }}", "{{ ns.x | quote }}", "{{ ns.x | date }}", "{{ ns.x | trim }}", "{{ ns.x | title }}",
            "{{ ns.x | indent }}", "{{ ns.x | wordcount }}", "{{ ns.x | tokens }}", "{{ 'a' | replace('a', ns.x) }}",
            "{{ ns.x ~ '' }}", "{{ 'a'.join(ns.x) }}", "{{ ns.x == ns.y }}", "{{ 1 < ns.x < ns.y }}", "{{ ns.x is eq ns.y }}",
            "{{ ns.x in [ns.y] }}", "{{ ns.x is in [ns.y] }}", "{{ [ns.x, ns.y] | unique | list }}", "{{ [ns.x, ns.y] | sort }}",
            "{{ [ns.x, ns.y] | max }}", "{{ {'a': ns.x, 'b': ns.y} | dictsort(false, 'value') }}", "{{ {'a': 1}.get(ns.x) }}",
            "{{ [{'a': ns.x}, {'a': ns.y}] | groupby('a') }}", "{{ [{'a': ns.x}, {'a': ns.y}] | sort(attribute='a') }}",
            "{{ [{'a': ns.x}, {'a': ns.y}] | selectattr('a', 'eq', ns.y) | list }}", "{{ [ns.x] | map('string') | list }}",
            "{% for i in [1, 2] %}{{ loop.changed(ns.x) }}{% endfor %}", "{{ 1 | default(ns.x) }}", "{{ [1] | map(ns.x) | list }}",
        ]),
        (DOUBLED + "{{ {'a': 1}[ns.x] }}", "a list is no key: use a text or a whole number"),
        (DOUBLED + "{% include ns.x %}", "the name of a file is a text, or a list of texts"),
        (DOUBLED + "{% include [ns.x] %}", "the name of a file is a text, or a list of texts"),
        ("{% set ns = namespace(x=(1,)) %}{% for i in range(9999) %}{% set ns.x = (ns.x,) %}{% endfor %}{{ ns.x }}", "nested too deeply: make it flatter"),
        ("{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(9999) %}{% set ns.x = (ns.x,) %}{% set ns.y = (ns.y,) %}{% endfor %}{{ ns.x == ns.y }}", "nested too deeply: make it flatter"),
        # Ways out
        ("{{ ''.__class__ }}", CLOSED),
        ("{{ ''['__class__'] }}", CLOSED),
        ("{{ ().__class__.__bases__[0].__subclasses__() }}", CLOSED),
        ("{{ '' | attr('__class__') }}", "no filter 'attr'; write .name"),
        ("{{ '{0.__class__}'.format(x) }}", CLOSED),
        ("{{ '{x.__class__}'.format_map(domains[0]) }}", CLOSED),
        ("{{ self.__init__ }}", CLOSED),
        ("{{ self._TemplateReference__context }}", CLOSED),
        ("{{ self.nothing }}", "self has no 'nothing'"),
        ("{{ cycler.__init__.__globals__ }}", CLOSED),
        ("{{ joiner().__class__ }}", CLOSED),
        ("{{ joiner().used }}", CLOSED),
        ("{{ range.__call__ }}", CLOSED),
        ("{{ range._function }}", CLOSED),
        ("{{ namespace().__class__ }}", CLOSED),
        ("{{ namespace()._Namespace__attrs }}", CLOSED),
        ("{% macro m() %}{% endmacro %}{{ m.__globals__ }}", "a macro has no '__globals__'"),
        ("{% macro m() %}{% endmacro %}{{ m._func }}", CLOSED),
        ("{% macro m() %}{% endmacro %}{{ m.name }}", CLOSED),
        ("{% import 'a.jinja' as a %}{{ a.__class__ }}", CLOSED),
        ("{% import 'a.jinja' as a %}{{ a._body_stream }}", CLOSED),
        ("{% import 'a.jinja' as a %}{{ a.nothing }}", "a value of this kind has no 'nothing'"),
        ("{% for x in [1] %}{{ loop._iterable }}{% endfor %}", CLOSED),
        ("{% for x in [1] %}{{ loop.__init__ }}{% endfor %}", CLOSED),
        ("{{ domains[0].__class__ }}", CLOSED),
        ("{{ domains[0].pop('name') }}", CLOSED),
        ("{{ domains[0].update({}) }}", CLOSED),
        ("{{ domains.append(1) }}", CLOSED),
        ("{{ domains.__len__() }}", CLOSED),
        ("{{ 'a'.encode('rot13') }}", CLOSED),
        ("{{ [domains] | map(attribute='__class__') | list }}", CLOSED),
        ("{{ domains | map(attribute='name.__class__') | list }}", CLOSED),
        ("{{ domains | map('attr', 'name') | list }}", "No filter named 'attr'"),
        ("{{ domains | sort(attribute='__class__') }}", CLOSED),
        ("{{ domains | groupby('__class__') }}", CLOSED),
        ("{{ domains | selectattr('__class__', 'eq', 1) | list }}", CLOSED),
        ("{{ super.__init__ }}", "there is no parent block"),
        ("{{ context }}{{ environment }}", "'context' is undefined"),
        ("{{ loop }}", "'loop' is undefined"),
        ("{% for x in [1] %}{{ loop }}{% endfor %}", "loop cannot be printed: print a text, a number or one of its parts"),
        ("{{ _loop_vars }}", "'_loop_vars' is undefined"),
        ("{{ range(**{'·run': 1}) }}", "values or arguments that do not fit together"),
        ("{% set x = 1 %}{% set x.y = 1 %}", "cannot assign attribute on non-namespace object"),
        ("{{ random() }}{{ now() }}", "'random' is undefined"),
        ("{{ domains | random }}", "no filter 'random'; a prompt must come out the same each time"),
    ],
)  # fmt: skip
def test_refused_with_one_line(write: Write, monkeypatch: pytest.MonkeyPatch, body: str, message: str) -> None:
    if message == STEPS:
        monkeypatch.setattr(bounds, "STEPS", 25_000)  # a tenth of the real bound, to save the suite's time
    files = {
        "a.jinja": "{% set open = 1 %}",
        "self.jinja": "{% include 'self.jinja' %}",
        "itself.jinja": "{% import 'itself.jinja' as x %}",
        "twice.jinja": "{% set n = (n | default(0)) + 1 %}{% if n < 30 %}{% include 'twice.jinja' %}{% include 'twice.jinja' %}{% endif %}",
    }
    told = complaint(lambda: write(section(body), files).render("slots", {**scene(), "long": "x" * 50_000}))
    assert message in told
    assert told.split(":")[0].endswith(".jinja")
    assert len(told) < 400


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{{ " + "(" * 900 + "1" + ")" * 900 + " }}", "nested too deeply: make it flatter"),
        ("{{ " + "-" * 5000 + "1 }}", "nested too deeply: make it flatter"),
        ("{{ 1" + "+1" * 5000 + " }}", "nested too deeply: make it flatter"),
        ("{{ x" + ".a" * 5000 + " }}", "nested too deeply: make it flatter"),
        ("{{ 1" + "|abs" * 4000 + " }}", "nested too deeply: make it flatter"),
        ("{{ " + "[" * 3000 + "]" * 3000 + " }}", "nested too deeply: make it flatter"),
        ("{{ " + "not " * 3000 + "1 }}", "nested too deeply: make it flatter"),
        ("{{ " + "1 if 1 else " * 1000 + "1 }}", "nested too deeply: make it flatter"),
        ("{% if 1 %}" * 400 + "{% endif %}" * 400, "nested too deeply: make it flatter"),
        ("{% for x in [1] %}" * 30 + "{% endfor %}" * 30, "nested too deeply: make it flatter"),
        ("{{ " + "9" * 5000 + " }}", ":1: section \"slots\": a number of thousands of digits: write a smaller one"),
        ("{{ x }}" * 1100, "more than 1,000 tags and expressions: split it into several files"),
        ("{% macro m(n) %}{% endmacro %}" * 600, "more than 1,000 tags and expressions: split it into several files"),
        ("{{ 'a' " + "~ 'a'" * 12_000 + " }}", "more than 20,000 characters of code: split it into several files"),
        ("{{" * 40_000, "more than 20,000 characters of code: split it into several files"),
        ("{%" * 40_000, "more than 20,000 characters of code: split it into several files"),
        ("{#" * 40_000, "Missing end of comment tag"),
        ("{% raw %}" + "{{" * 400, "Missing end of raw directive"),
        ("{% call (x) foo() %}{% endcall %}", "'foo' is undefined"),
        ("{% for loop in [1] %}{% endfor %}", "Can't assign to special loop variable in for-loop target"),
    ],
)  # fmt: skip
def test_sources_that_cannot_be_compiled(write: Write, body: str, message: str) -> None:
    told = complaint(lambda: write(section(body)).render("slots", {}))
    assert message in told


@pytest.mark.parametrize(
    "body",
    [
        "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
        DOUBLED + "{{ ns.x == ns.y }}",
        "{% macro m(n) %}{% if n < 30 %}{{ m(n + 1) }}{{ m(n + 1) }}{% endif %}{% endmacro %}{{ m(0) }}",
        "{% for i in range(9999) %}{{ ('x' * 99 ~ 'y') in long }}{% endfor %}",
        "{% for i in range(9999) %}{{ '2026-01-01' | date('full') }}{% endfor %}",
        "{{ long | map(attribute='nothing') | list }}",
    ],
)
def test_the_real_bounds_are_reached(write: Write, body: str) -> None:
    told = complaint(lambda: write(section(body)).render("slots", {"long": "x" * 50_000}))
    assert told.endswith("more than 250,000 steps: a loop or a macro runs too long; loop over less")


def test_a_folder_with_too_much_code(write: Write) -> None:
    files = {f"{number}.jinja": "{{ x }}" * 999 for number in range(3)}
    told = complaint(lambda: write(section("a"), files))
    assert told.endswith("/mine: more than 2,000 tags and expressions in all files: make it smaller")
    files = {f"{number}.jinja": "{{ " + "'a' ~ " * 3_000 + "'a' }}" for number in range(3)}
    assert complaint(lambda: write(section("a"), files)).endswith(
        "40,000 characters of code in all files: make it smaller"
    )


def test_endless_templates_end_in_a_process_of_their_own(tmp_path: Path) -> None:
    """The same, where nothing but the bounds could end it."""
    (tmp_path / "prompt.jinja").write_text(
        section(
            "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
        )
    )
    code = "import sys; from slotstate.templating import bounds, load_template; load_template(sys.argv[1]).render('slots', {})"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .endswith("more than 250,000 steps: a loop or a macro runs too long; loop over less")
    )


def test_the_bounds_leave_room_for_much(write: Write) -> None:
    slots = [{**scene()["domains"][0]["slots"][1], "name": f"s{n}", "path": f"travel.s{n}"} for n in range(1_000)]
    variables = scene(domains=[{"name": "travel", "description": "x", "slots": slots}])
    assert load_template("default").render("slots", variables).count("\n") == 1_000
    assert write(section("{{ x | data }}")).render("slots", {"x": "字" * 200_000}).count("字") == 200_000


PIECES = st.sampled_from(
    "{{ }} {% %} {# #} section endsection slots system recent note turns for in endfor if endif set include extends "
    "macro endmacro block endblock super() x domains loop 'a' \"b\" 1 -1 10**9 ( ) [ ] . | ~ * , = == data date quote "
    "max=3 \n import from as filter endfilter call endcall namespace __class__ self raw endraw with endwith else".split(
        " "
    )
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_any_text_is_a_template_or_refused_in_one_line(write: Write, text: str) -> None:
    for prompt in (text, section(text)):
        try:
            template = write(prompt, reload=True)
            for name in template.options:
                template.render(name, scene())
        except TemplateError as error:
            assert "\n" not in str(error)  # noqa: PT017 — it need not be raised

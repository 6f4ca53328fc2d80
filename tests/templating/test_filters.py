"""Filters of our own: values by locale, tokens, quotations, labels."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotstate.errors import InputError
from slotstate.templating import Template, as_data, load_template
from slotstate.templating.bounds import Run
from slotstate.templating.formats import FORMATS
from slotstate.templating.texts import label, quote, truncate_tokens
from slotstate.tokens import Estimator
from tests.templating.conftest import Write, section


class Words:
    """Counts words, and each sign of punctuation at the end of one."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.replace("…", " ").split()) + text.count("…")


def show(write: Write, body: str, value: Any = None, **more: Any) -> str:
    return write(section("{{ x | " + body + " }}"), reload=True).render("slots", {"x": value, **more})


MOMENT = "2026-12-04T09:30:00+01:00"


@pytest.mark.parametrize(
    ("filter", "value", "en", "zh", "de"),
    [
        ("date", "2026-12-04", "Dec 4, 2026", "2026年12月4日", "04.12.2026"),
        ("date", MOMENT, "Dec 4, 2026", "2026年12月4日", "04.12.2026"),
        ("date", ["2026-12-04", "2026-12-05"], "Dec 4, 2026, Dec 5, 2026", "2026年12月4日、2026年12月5日", "04.12.2026, 05.12.2026"),
        ("date('full')", "2026-12-04", "Friday, December 4, 2026", "2026年12月4日星期五", "Freitag, 4. Dezember 2026"),
        ("date('EEE d MMM')", "2026-12-04", "Fri 4 Dec", "周五 4 12月", "Fr. 4 Dez."),
        ("date(style='short')", "2026-12-04", "12/4/26", "2026/12/4", "04.12.26"),
        ("time", "09:30", "9:30 AM", "09:30", "09:30"),
        ("time", "21:30:15", "9:30 PM", "21:30", "21:30"),
        ("time", MOMENT, "9:30 AM", "09:30", "09:30"),
        ("time('full')", "21:30", "9:30:00 PM", "21:30:00", "21:30:00"),
        ("datetime", MOMENT, "Dec 4, 2026, 9:30 AM", "2026年12月4日 09:30", "04.12.2026, 09:30"),
        ("datetime('d.M. HH:mm')", MOMENT, "4.12. 09:30", "4.12. 09:30", "4.12. 09:30"),
        ("money", {"value": "1219.90", "currency": "EUR"}, "€1,219.90", "€1,219.90", "1.219,90 €"),
        ("money", {"value": 3000, "currency": "JPY"}, "¥3,000", "JP¥3,000", "3.000 ¥"),
        ("number", "1234.5", "1,234.5", "1,234.5", "1.234,5"),
        ("number", 1234567, "1,234,567", "1,234,567", "1.234.567"),
        ("duration", "PT2H", "2 hours", "2小时", "2 Stunden"),
        ("duration", "P1DT2H30M", "1 day, 2 hours, 30 minutes", "1天2小时30分钟", "1 Tag, 2 Stunden, 30 Minuten"),
        ("duration", "PT0S", "0 seconds", "0秒钟", "0 Sekunden"),
        ("date", None, "", "", ""),
        ("money", "dontcare", "no preference", "都可以", "no preference"),
    ],
)  # fmt: skip
def test_values_are_written_as_people_of_the_locale_do(
    write: Write, filter: str, value: Any, en: str, zh: str, de: str
) -> None:
    assert [show(write, filter, value, locale=locale) for locale in ("en", "zh-CN", "de_DE")] == [en, zh, de]


def test_the_locale_is_the_given_one_then_that_of_the_set(write: Write) -> None:
    files = {"quotes.jinja": "{{ x | date }}|{{ x | date(locale='de') }}"}
    template = write('{% extends "zh/prompt.jinja" %}', files)
    assert template.render("quotes", {"x": "2026-12-04"}) == "2026年12月4日|04.12.2026"
    assert template.render("quotes", {"x": "2026-12-04", "locale": "en"}) == "Dec 4, 2026|04.12.2026"
    assert template.render("quotes", {"x": "2026-12-04", "locale": 3}) == "2026年12月4日|04.12.2026"
    assert template.render("quotes", {"x": "2026-12-04", "locale": "no such"}) == "Dec 4, 2026|04.12.2026"


@pytest.mark.parametrize("filter", sorted(FORMATS))
@pytest.mark.parametrize(
    "value",
    [
        "next week",
        "",
        True,
        3.5,
        [1, "x"],
        {"value": "x", "currency": "EUR"},
        {"a": "</slots>"},
        "25:00",
        "P",
        "NaN",
        "-PT2H",
        10**50,
    ],
)
def test_what_is_no_such_value_comes_out_as_data(write: Write, filter: str, value: Any) -> None:
    shown = show(write, filter, value, locale="en")
    items = value if isinstance(value, list) else [value]
    assert shown in {", ".join(map(as_data, items)), FORMATS["number"](value)}
    assert "</slots>" not in shown


def test_python_values_are_written_too() -> None:
    assert FORMATS["date"](date(2026, 12, 4), "medium", locale="en") == "Dec 4, 2026"
    assert FORMATS["duration"]("PT1H30M", locale="fr") == "1 heure et 30 minutes"
    assert FORMATS["date"]("2026-12-04", "zz'", locale="en") == '"2026-12-04"'


def test_a_locale_without_lists_of_units_joins_them_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise ValueError

    monkeypatch.setattr("babel.lists.format_list", refuse)
    assert FORMATS["duration"]("PT1H30M", locale="en") == "1 hour, 30 minutes"


def test_a_missing_variable_is_told_by_every_filter(write: Write) -> None:
    for name in (
        "data",
        "date",
        "money",
        "quote",
        "label",
        "tokens",
        "truncate_tokens(3)",
        "upper",
        "join",
        "length",
        "sort",
    ):
        with pytest.raises(Exception, match="'nobody' is undefined"):
            write(section("{{ nobody | " + name + " }}"), reload=True).render("slots", {})


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(sorted(FORMATS)), st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["2026-12-04", "09:30", "PT2H", "1.5", MOMENT]), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "currency", "x"]), inner, max_size=3), max_leaves=5), st.text(max_size=8), st.sampled_from(["en", "zh", "de", "fr", "x", ""]))  # fmt: skip
def test_no_value_and_no_style_makes_a_format_fail(name: str, value: Any, style: str, locale: str) -> None:
    assert isinstance(FORMATS[name](value, style, locale=locale), str)
    assert isinstance(FORMATS[name](value, locale=locale), str)


def test_babel_is_loaded_only_for_templates_that_need_it() -> None:
    code = (
        "import sys; from slotstate.templating import load_template, empty_variables;"
        "assert 'jinja2' not in sys.modules; t = load_template('zh'); [t.render(s, empty_variables()) for s in t.options];"
        "print('babel' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# Data


def test_data_is_one_line_of_json_that_can_be_read_back(write: Write) -> None:
    assert (
        show(write, "data", 'a\n"b" </slots> \u202e\u2028\x7f') == '"a\\n\\"b\\" \\u003c/slots> \\u202e\\u2028\\u007f"'
    )
    assert show(write, "data", {"a": [1, None, True, "字"]}) == '{"a": [1, null, true, "字"]}'


# Tokens


def test_tokens_are_counted_by_the_counter_of_the_prompt(write: Write) -> None:
    template = write(section("{{ x | tokens }} {{ y | tokens }}"))
    assert template.render("slots", {"x": "one two three", "y": ["a", "b"]}, counter=Words()) == "3 2"
    estimate = Estimator().count
    assert template.render("slots", {"x": "one two three", "y": 1}) == f"{estimate('one two three')} {estimate('1')}"


def test_a_counter_that_fails_says_so_itself(write: Write) -> None:
    class Broken:
        name = "broken"

        def count(self, text: str) -> int:
            raise InputError("no ranks here")

    with pytest.raises(InputError, match="no ranks here"):
        write(section("{{ x | tokens }}")).render("slots", {"x": "a"}, counter=Broken())


def test_truncated_texts_end_behind_a_word(write: Write) -> None:
    template = write(section("{{ x | truncate_tokens(n) }}"))

    def cut(text: Any, n: int) -> str:
        return template.render("slots", {"x": text, "n": n}, counter=Words())

    assert cut("one two three four", 4) == "one two three four"
    assert cut("one two three four", 3) == "one two…"
    assert cut("one two three four", 1) == "…"
    assert cut("one two three four", 0) == cut("one", -1) == cut(None, 3) == ""
    assert cut(["a", "b", "c", "d"], 3) == '["a", "b",…'
    assert cut("", 0) == ""


@settings(deadline=None, max_examples=80)
@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from(["word", "字", " ", "\n", "👩\u200d👧", "e\u0301", "longerword", "."])).map("".join),
    st.integers(-2, 40),
)
def test_truncated_texts_have_at_most_so_many_tokens_and_are_a_start(text: str, n: int) -> None:
    run = Run("en", None)
    cut = truncate_tokens(run, text, n)
    assert run.counter.count(cut) <= max(n, 0)
    assert cut == text or text.startswith(cut.removesuffix("…"))


def test_a_counter_that_does_not_grow_with_the_text_is_obeyed() -> None:
    class Odd:
        name = "odd"

        def count(self, text: str) -> int:
            return {"…": 1, "a…": 2, "aaa…": 2}.get(text, 9)

    class Never:
        name = "never"

        def count(self, text: str) -> int:
            return 9

    assert truncate_tokens(Run("en", Odd()), "aaaaaa", 2) == "aaa…"
    assert truncate_tokens(Run("en", Never()), "aaaaaa", 2) == ""


def test_characters_are_not_cut_apart() -> None:
    run = Run("en", None)
    assert truncate_tokens(run, "e\u0301" * 40, 9).removesuffix("…").endswith("\u0301")
    assert "\u200d…" not in truncate_tokens(run, "👩\u200d👧" * 40, 9)
    assert quote(run, "abcde\u0301f", 6) == "“abc…f”"
    assert quote(run, "e\u0301" * 10, 6) == "“e\u0301…e\u0301”"


# Quotations and labels


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("en", "“to Oslo”"),
        ("zh", "“to Oslo”"),
        ("zh-TW", "「to Oslo」"),
        ("de_AT", "„to Oslo“"),
        ("fr", "«to Oslo»"),
        ("xx", "“to Oslo”"),
    ],
)
def test_quotations_have_the_marks_of_the_locale(locale: str, expected: str) -> None:
    assert quote(Run(locale, None), "to\n  Oslo") == expected


def test_a_quotation_cannot_be_ended_from_inside() -> None:
    run = Run("en", None)
    assert quote(run, "a” </slots> “b \x00\u202e") == '“a" \\u003c/slots> "b \\u0000\\u202e”'
    assert quote(run, 'say "hi"\\') == '“say "hi"\\\\”'
    assert quote(run, ["a"]) == '“["a"]”'
    assert quote(run, None) == ""


def test_long_quotations_lose_their_middle(write: Write) -> None:
    assert show(write, "quote(max=9)", "0123456789") == "“0123…6789”"
    assert show(write, "quote(4)", "0123456789") == "“01…9”"
    assert show(write, "quote(1)", "0123456789") == show(write, "quote(0)", "01") == "“…”"
    assert len(show(write, "quote", "x" * 1_000)) == 202
    assert len(show(write, "quote(5000)", "x" * 6_000)) == 5_002


def test_a_label_is_a_name_in_words() -> None:
    assert (label("travel.outbound_on"), label("outbound_on"), label("城市"), label(3)) == (
        "outbound on",
        "outbound on",
        "城市",
        "3",
    )


# Words of anybody's


ANY_TEXT = st.text() | st.lists(
    st.sampled_from(["{{ 7*191 }}", "{% include 'x' %}", "{#", "</slots>", "< / SLOTS >", "<\u200b/note", "</quotes", ">stols/<x", "<ſummary", "<", "/summary>", "\n- travel.x: 1", "system:", "\0", "\u202e", "\ud800", " "])
).map("".join)  # fmt: skip
CLOSING = ["slots", "summary", "quotes", "note"]


def closes(text: str) -> bool:
    """Whether a text holds what a reader could take for a marker."""
    visible = "".join(one for one in text.casefold() if one not in "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
    return re.search(rf"<\s*/?\s*({'|'.join(CLOSING)})\b", visible) is not None


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT)
def test_values_stay_data_however_they_are_printed(write: Write, text: str) -> None:
    lines = {"plain": "{{ x }}{{ x }}{{ 'a' ~ x }}", "between": "<{{ none }}{{ x }}> <{% if true %}{{ x }}{% endif %} </{{ x }}>", "data": "{{ x | data }}", "quote": "{{ x | quote }}", "macro": "{{ m(x) }}{% filter reverse %}{{ x }}{% endfilter %}{% filter upper %}{{ x }}{% endfilter %}{% set t | reverse %}{{ x }}{% endset %}{{ t }}"}  # fmt: skip
    prompt = "{% macro m(x) %}[{{ x }}]<{{ x }}>{% endmacro %}"
    template = write(
        prompt
        + "".join(
            section(body, name)
            for name, body in zip(["system", "slots", "summary", "quotes", "note"], lines.values(), strict=False)
        )
    )
    for name in template.options:
        shown = template.render(name, {"x": text})
        assert not closes(shown)
        assert "1337" not in shown or "1337" in text
        assert not set(shown) & set("\0\u202e\ud800\u2028")
    assert "\n" not in template.render("summary", {"x": text})


@settings(deadline=None, max_examples=100)
@given(ANY_TEXT, st.sampled_from(["default", "zh"]))
def test_the_bundled_sets_put_each_value_into_one_line(text: str, name: str) -> None:
    template: Template = load_template(name)
    slot = {"path": "travel.x", "name": "x", "value": text, "status": "filled", "dontcare": False, "excluded": [text], "pending": {"why": "conflict", "values": [text]}}  # fmt: skip
    variables = {
        "domains": [{"name": "travel", "description": "", "slots": [slot]}],
        "question": {"path": "travel.x", "text": text},
        "quotes": [{"path": "travel.x", "text": text}],
        "changes": [slot],
        "summary": [text],
        "left_out": 0,
    }
    for section_name, lines in {"slots": 2, "note": 3, "quotes": 1, "summary": 1}.items():
        shown = template.render(section_name, variables)
        assert len(shown.splitlines()) == lines
        assert as_data(text) in shown
        assert not closes(shown)

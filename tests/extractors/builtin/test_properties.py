# ruff: noqa: E501 (tables)

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotstate import Tracker, values
from slotstate.domains import compile_domains
from slotstate.extract import Request, make_request
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.jsonschema import domain_from_json_schema
from slotstate.parsing import find, fold
from slotstate.slots import UNSET
from slotstate.state import Heard, State
from tests.extractors.builtin.scene import NOW, Pizza, Stay, Trip

WORDS = (
    "from to Oslo Bergen Lisbon on Friday tomorrow at 7 9:30 no not yes actually make it I meant 3 people two bags first class "
    "wifi please parking undo start over any is there ? , . the name email jo@example.org 80 euros ABC1234 if my friend said only "
    "also olives and or 从 上海 到 北京 去 明天 周五 三个人 两件行李 不对 是 改成 吗 ？ ， 不要 一等座 随便 撤销 800元 balcony 2024-05-20 { } 🙂 １２ \ufffc"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
TEXTS = st.one_of(SENTENCES, st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=10).map("".join))
KINDS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number", "minimum": 0},
        {"type": "boolean"},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "time"},
        {"type": "string", "format": "duration"},
        {"type": "string", "format": "email"},
        {"type": "string", "format": "phone"},
        {"type": "string", "pattern": "^(a|b)+[0-9]{2}$"},
        {"type": "string", "enum": ["first", "no", "Oslo", "1", "上海"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "object", "properties": {"city": {"type": "string"}, "qty": {"type": "integer"}}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "string", "x-slot": {"type": "money"}},
    ]
)
NAMES = st.sampled_from(
    "origin destination city name note code people nights price start end min max first 出发地 人数 x to".split()
)
SCHEMAS = st.dictionaries(NAMES, KINDS, min_size=1, max_size=6)
DOMAINS = compile_domains([Trip, Stay, Pizza])
TWO = compile_domains([Trip, Stay])


def ask(domains: Any, user: str, assistant: str = "", asked: tuple[str, ...] = ()) -> Request:
    heard = Heard(0, assistant) if assistant else None
    return make_request(
        domains, State(heard=heard), heard, user, now=NOW, timezone="UTC", asked=asked, deadline=None, turn=1
    )


def changes(request: Request) -> Any:
    return BuiltinExtractor().extract(request).changes


@given(user=TEXTS, assistant=TEXTS)
def test_any_text_gives_quotes_that_stand_in_it(user: str, assistant: str) -> None:
    request = ask(DOMAINS, user, assistant)
    for change in changes(request):
        assert change.quote
        assert find(change.quote, fold(request.user)) is not None, change
        if change.op != "start":
            DOMAINS.resolve(change.path)


@given(schema=SCHEMAS, user=TEXTS, assistant=TEXTS, asked=st.booleans())
@settings(max_examples=60)
def test_any_schema_is_read(schema: dict[str, Any], user: str, assistant: str, asked: bool) -> None:
    domains = compile_domains(domain_from_json_schema({"title": "case", "properties": schema}))
    paths = tuple(domains.specs) if asked else ()
    for change in changes(ask(domains, user, assistant, paths)):
        domains.resolve(change.path)
        assert find(change.quote, fold(user)) is not None


@given(user=TEXTS)
def test_reading_twice_gives_the_same(user: str) -> None:
    assert changes(ask(DOMAINS, user)) == changes(ask(DOMAINS, user))


@given(user=SENTENCES)
def test_one_stretch_fills_one_slot(user: str) -> None:
    seen: dict[str, str] = {}
    for change in changes(ask(DOMAINS, user)):
        if (
            change.op == "set"
            and isinstance(change.value, str)
            and DOMAINS.specs.get(change.path)
            and DOMAINS.specs[change.path].kind == "text"
        ):
            assert seen.setdefault(change.value, change.path) == change.path


@pytest.mark.parametrize(
    "text",
    [
        "hello there",
        "what a lovely day",
        "thanks a lot!",
        "你好",
        "天气不错",
        "…",
        "?",
        "🙂🙂",
        "(",
        "\u202e\u200f",
    ],
)
def test_small_talk_proposes_nothing(text: str) -> None:
    assert changes(ask(compile_domains(Stay), text)) == ()


LONG = [
    "a" * 8000, "1" * 8000, "1 " * 4000, "from Oslo to Bergen, " * 380, "从上海到北京，" * 1100, "not " * 2000, "?" * 8000, "," * 8000,
    "no, Oslo or " * 650, "olives and " * 700, "一" * 8000, "the " * 2000, "is there wifi? " * 530, "{{ 7*7 }} " * 800, " " * 8000 + "x",
]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:12])
def test_long_turns_are_read_to_their_end(text: str) -> None:
    for change in changes(ask(compile_domains([Trip, Stay, Pizza]), text, "Where do you leave from?")):
        assert find(change.quote or "", fold(text)) is not None


async def test_async_is_the_same() -> None:
    request = ask(DOMAINS, "from Oslo to Bergen")
    assert await BuiltinExtractor().aextract(request) == BuiltinExtractor().extract(request)


PROSE = (
    "We were in Lisbon on March 3rd at 7 pm with four people, and the hotel cost 120 euros a night; my aunt did not like it. "
    "我们三月二十六号下午三点从北京去上海，一共四个人，预算三百块；不要靠窗的座位。"
)


def test_a_turn_costs_in_proportion_to_its_length() -> None:
    """Counted in calls, which no other work on the machine changes."""

    def calls(text: str) -> int:
        count = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += event in {"call", "c_call"}

        request = ask(DOMAINS, text)
        sys.setprofile(counted)
        try:
            changes(request)
        finally:
            sys.setprofile(None)
        return count

    short, long = (" ".join([PROSE] * times) for times in (5, 40))
    calls(short)  # compiles what is compiled once
    assert calls(f"{long} ") <= 8 * calls(f"{short} ")


@pytest.mark.parametrize("digits", [31, 5000])
def test_a_number_that_nobody_can_mean_is_none(digits: int) -> None:
    words = f"{'1' * digits} people"
    assert changes(ask(compile_domains(Trip), words)) == ()
    assert values.find(DOMAINS.specs["trip.people"], words, values.Reading(NOW)) == []


def test_a_request_has_no_value() -> None:
    found = changes(ask(compile_domains(Trip), "is there wifi?"))
    assert [(change.op, change.value) for change in found] == [("request", UNSET)]


SCRIPTS = st.text(
    alphabet=st.characters(codec="utf-8"), max_size=200
) | st.text(alphabet="абвгде жзиклм ก ข ค α β γ שלום مرحبا あいうえお 한국어 ０１२ ٣٤ 🙂🎉 .,?!", max_size=60)  # fmt: skip


@given(
    turns=st.lists(st.one_of(SCRIPTS, TEXTS), min_size=1, max_size=4),
    question=st.sampled_from(["", "Which city?", "How many nights?", "哪天？"]),
)
@settings(max_examples=25)
def test_every_proposal_is_judged(turns: list[str], question: str) -> None:
    chat = Tracker(DOMAINS, extractor=BuiltinExtractor(), clock=lambda: NOW).open("any")
    for text in turns:
        if question:
            chat.assistant(question)
        turn = chat.user(text)
        assert turn.extraction in {"ok", "skipped"}
        for one in (*turn.changes, *turn.rejected):
            assert one.outcome in {"rejected", "pending"} or one.reason is None


NEUTRAL = (
    "hello hi thanks well so really great lovely hmm oh ah indeed honestly anyway okay then right wow interesting fair enough "
    "you the a of and but very quite rather just still maybe perhaps friend cat dog tree song rain sun table door blue "
    "你好 谢谢 嗯 哦 哈哈 真的 其实 挺好 有意思"
).split()


@given(
    st.lists(st.sampled_from(NEUTRAL), min_size=1, max_size=8).map(" ".join), st.sampled_from(["", "!", "…", "?", "。"])
)
def test_a_turn_that_mentions_nothing_proposes_nothing(words: str, end: str) -> None:
    found = changes(ask(TWO, words + end))
    assert [change for change in found if change.op != "request"] == []

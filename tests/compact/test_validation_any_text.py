"""Validation never raises, whatever the texts are; and it is a function of them."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.items import Add, Amend, Drop, Patch, Span, Spoken
from slotstate.compact.validation import Code, faults
from slotstate.events import Item, ItemKind
from slotstate.state import Summary

PIECES = (
    "not no n't never without 不 没有 别 无 except 12 1,200.50 14 March 三百五 两点半 百分之二十 八五折 "
    "half past quarter to one hundred and twenty-first a couple of $ € ¥ 元 块 km kg square metres 平米 "
    "周三 下周 3月 14号 点 半 刻 :30 19:30 2025-03-14 14.03.2025 3/4 2-3 10:00-12:00 A-12 0042 LH1187 "
    "Maria 张先生 小宇 云栖宾馆 上海 由李静 ? ! , . ; : - ' \" ( 吗 。 ， 、 </slots> system: {{ you must "
    "忽略以上 if because and before 否则 除非 过敏 allergic to skip 换 o'clock am p.m. next last the of "
    "may 每天 per day day after tomorrow 大后天 凌晨 中午 12:60 99:99 ١٢ ½ ² ① 零四 万 "
    "9999999999999999999999"
).split()
hostile = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).flatmap(
    lambda words: st.sampled_from(["", " "]).map(lambda gap: gap.join(words))
)
texts = st.one_of(hostile, st.text(max_size=60))
ids = st.sampled_from(["m0", "m1", "m2", "m9", ""])
json: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), texts, st.sampled_from(["2025-03-14", "19:30", "12"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["value", "currency", "x"]), inner)
    ),
    max_leaves=4,
)
adds = st.builds(
    Add,
    st.sampled_from(get_args(ItemKind)),
    texts,
    st.lists(ids, max_size=3).map(tuple),
    st.none() | texts,
    st.none() | st.sampled_from(["a.b", "table.date", "旅行.目的地", ""]),
)
amends = st.builds(Amend, st.integers(0, 3), texts, st.lists(ids, max_size=2).map(tuple), st.none() | texts)
patches = st.builds(
    Patch,
    st.lists(adds, max_size=3).map(tuple),
    st.lists(amends, max_size=2).map(tuple),
    st.lists(st.builds(Drop, st.integers(0, 3), texts), max_size=2).map(tuple),
)
roles: st.SearchStrategy[Any] = st.sampled_from(["user", "assistant", "tool", "system"])
paths = st.sampled_from(["a.b", "table.date", "table.time", "trip.people", "trip.budget", "旅行.目的地"])


@st.composite
def spans(draw: st.DrawFn) -> Span:
    messages = tuple(Spoken(f"m{number}", number, draw(roles), draw(texts)) for number in range(3))
    told = st.dictionaries(ids, st.lists(paths, max_size=2).map(tuple), max_size=2)
    others = st.dictionaries(paths, st.lists(json, max_size=2).map(tuple), max_size=2)
    return Span(messages, draw(st.dictionaries(paths, json, max_size=2)), draw(others), draw(told))


@st.composite
def summaries(draw: st.DrawFn) -> Summary:
    items = tuple(
        Item(ident=number, kind="fact", text=draw(texts), sources=("m0",), quote=draw(st.none() | texts))
        for number in (1, 2)
    )
    return Summary(1, 1, items, 2)


@given(summaries(), patches, spans())
def test_any_text(summary: Summary, patch: Patch, span: Span) -> None:
    found = faults(summary, patch, span)
    assert found == faults(summary, patch, span)
    for fault in found:
        assert fault.code in get_args(Code)
        assert "\n" not in fault.detail
        assert fault.where.startswith(("new item ", "item ", "summary"))


@given(hostile)
def test_what_stands_in_its_source_is_no_fault_of_figures_or_names(text: str) -> None:
    span = Span((Spoken("m0", 0, "user", f"Well. {text}\nYes."), Spoken("m1", 1, "user", text)))
    found = faults(Summary(), Patch(add=(Add("fact", text, ("m0", "m1")),)), span)
    assert {fault.code for fault in found} <= {"empty", "lines", "instruction", "negation"}


@pytest.mark.parametrize(
    "text", ["9" * 9000, "不" * 3000, "not " * 3000, "3月" * 3000, "1." * 3000, "三" * 5000, "a-" * 5000]
)
def test_long_texts(text: str) -> None:
    span = Span((Spoken("m0", 0, "user", text), Spoken("m1", 1, "tool", text + "x")))
    assert faults(Summary(), Patch(add=(Add("fact", f"so {text[:380]}", ("m0", "m1")),)), span) is not None
    assert [fault.code for fault in faults(Summary(), Patch(add=(Add("fact", text, ("m0",)),)), span)] == ["too_long"]

# ruff: noqa: N801, PLC2401, D415 (domains as a Chinese team names them)
"""Chinese: changes that are refused, addresses with the numbers of houses, counts of a slot's own things."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Money, Slot
from tests.extractors.builtin.test_chinese_talk import opened, value


class 快递(BaseModel):
    """寄大件快递。"""

    寄件地址: Annotated[str, Slot(ask="从哪里寄？", cues=["从"])]
    收件地址: Annotated[str, Slot(ask="运到哪里？", cues=["运到", "运去"])]
    取件日: Annotated[date, Slot(ask="哪天取件？", confirm="explicit")]
    包装: Annotated[Literal["纸箱", "木箱", "泡沫箱"], Slot(ask="用什么包装？")]
    搬运: Annotated[int | None, Field(ge=1, le=9), Slot(ask="要几个小哥？", cues=["小哥", "搬运员"])] = None
    保价: Annotated[Money | None, Slot(ask="保价多少元？")] = None


HELD: dict[str, Any] = {
    "快递.寄件地址": "和平街2号",
    "快递.收件地址": "学院路8号",
    "快递.取件日": "2027-03-10",
    "快递.包装": "纸箱",
    "快递.搬运": 2,
    "快递.保价": "300元",
}


@pytest.mark.parametrize(
    "text", ["别改到周六", "请不要改到周六", "不用换成木箱", "别给我换木箱", "我不想推到周六", "没说要改到周六"]
)
def test_a_change_that_is_refused_changes_nothing(text: str) -> None:
    chat = opened(快递, HELD)
    assert chat.user(text).changes == []
    assert {path: value(chat, path) for path in HELD} == {path: value(opened(快递, HELD), path) for path in HELD}


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("改到周六吧", "快递.取件日", "2027-03-06"),
        ("别忘了改到周六", "快递.取件日", "2027-03-06"),
        ("能不能改到周六", "快递.取件日", "2027-03-06"),
        ("不能改到周六吗？", "快递.取件日", "2027-03-06"),
        ("别换泡沫箱，换木箱", "快递.包装", "木箱"),
        ("级别改成木箱", "快递.包装", "木箱"),
        ("还是三个小哥吧", "快递.搬运", 3),
        ("三个小哥就够了", "快递.搬运", 3),
        ("小哥三个", "快递.搬运", 3),
        ("运到中关村大街27号", "快递.收件地址", "中关村大街27号"),
    ],
)
def test_a_change_that_is_wanted_counts(text: str, path: str, expected: Any) -> None:
    chat = opened(快递, HELD)
    chat.user(text)
    assert value(chat, path) == expected
    assert {other for other in HELD if value(chat, other) != value(opened(快递, HELD), other)} == {path}


@pytest.mark.parametrize(
    "text",
    ["要不要三个小哥？", "三个小哥够不够？", "那三个小哥都很客气", "隔壁请了三个搬运员", "三个小哥太多了"],
)
def test_a_remark_on_a_count_is_none(text: str) -> None:
    chat = opened(快递, HELD)
    chat.user(text)
    assert value(chat, "快递.搬运") == 2


@pytest.mark.parametrize(("text", "expected"), [("三个小哥", 3), ("需要3个搬运员", 3), ("两个小哥，木箱", 2)])
def test_a_slots_own_word_counts_behind_a_measure_word(text: str, expected: int) -> None:
    chat = opened(快递, {})
    chat.user(text)
    assert value(chat, "快递.搬运") == expected


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("从长沙运到武汉", "长沙", "武汉"),
        ("我要从黄河路运到长江路", "黄河路", "长江路"),
        ("从黄河路12号运到长江路9号", "黄河路12号", "长江路9号"),
        ("从岳麓区黄河路12号3栋2单元501室运到武昌区长江路九号", "岳麓区黄河路12号3栋2单元501室", "武昌区长江路九号"),
    ],
)
def test_an_address_keeps_its_number_and_no_verb(text: str, start: str, end: str) -> None:
    chat = opened(快递, {})
    chat.user(text)
    assert (value(chat, "快递.寄件地址"), value(chat, "快递.收件地址")) == (start, end)
    assert value(chat, "快递.取件日") is None
    assert value(chat, "快递.搬运") is None


@pytest.mark.parametrize("text", ["岳麓区黄河路12号3栋2单元501室", "我住在岳麓区黄河路12号3栋2单元501室"])
def test_a_long_address_answers(text: str) -> None:
    chat = opened(快递, {})
    chat.assistant("从哪里寄？", asks=["快递.寄件地址"])
    chat.user(text)
    assert value(chat, "快递.寄件地址") == "岳麓区黄河路12号3栋2单元501室"

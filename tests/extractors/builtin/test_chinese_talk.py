# ruff: noqa: N801, PLC2401, D415 (domains as a Chinese team names them)
"""Chinese turns of a talk that is under way: what was confirmed stays, and only what the words say is read."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from slotstate import Money, Slot, Tracker
from slotstate.chat import Chat
from slotstate.extractors.builtin import RulesExtractor
from slotstate.values import jsonable

NOW = datetime(2027, 3, 3, 9, tzinfo=UTC)  # a Wednesday


class 聚餐(BaseModel):
    """订一桌饭。"""

    饭店: Annotated[str, Slot(ask="去哪家饭店？", examples=["鼎泰丰", "东来顺"], confirm="explicit")]
    日期: Annotated[date, Slot(ask="哪一天？", confirm="explicit")]
    时间: Annotated[time, Slot(ask="几点开席？")]
    人数: Annotated[int, Field(ge=1, le=50), Slot(ask="一共几位？")]
    座位: Annotated[Literal["包厢", "露台", "大堂"] | None, Slot(ask="要什么座位？")] = None
    预算: Annotated[Money | None, Slot(ask="预算是多少？", cues=["人均"])] = None
    忌口: Annotated[list[str], Slot(ask="有忌口吗？", cues=["不吃"])] = []
    停车: Annotated[bool | None, Slot(ask="要停车位吗？")] = None


class 看牙(BaseModel):
    """预约牙医。"""

    医生: Annotated[str | None, Slot(ask="约哪位医生？", examples=["林医生"], cues=["医生"])] = None
    就诊日: Annotated[date, Slot(ask="哪天来？", confirm="explicit")]
    项目: Annotated[Literal["洗牙", "拔牙", "补牙"], Slot(ask="做什么项目？")]


class 订车(BaseModel):
    """订一辆车。"""

    用车日: Annotated[date, Slot(ask="哪天用车？")]
    座数: Annotated[int | None, Slot(ask="几座的车？")] = None


HELD: dict[str, Any] = {
    "聚餐.饭店": "鼎泰丰",
    "聚餐.日期": "2027-03-10",
    "聚餐.时间": "18:30",
    "聚餐.人数": 8,
    "聚餐.座位": "包厢",
    "聚餐.预算": "300元",
}
OFFERED = ("鼎泰丰和东来顺都有位，您要哪家？", "聚餐.饭店", ["鼎泰丰", "东来顺"])


def opened(domains: Any, values: dict[str, Any]) -> Chat:
    """A conversation in which some values are confirmed."""
    chat = Tracker(domains, extractor=RulesExtractor(), clock=lambda: NOW).open("test")
    for path, value in values.items():
        chat.set(path, value, confirmed=True)
    return chat


def confirmed(chat: Chat) -> set[str]:
    return {
        f"{domain}.{name}"
        for domain, slots in chat.state.items()
        for name, view in slots.items()
        if view.status == "confirmed" and view.pending is None
    }


def value(chat: Chat, path: str) -> Any:
    domain, _, name = path.partition(".")
    view = chat.state[domain][name]
    return jsonable(view.value) if view.status != "empty" else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第一个", "鼎泰丰"),
        ("第二家吧", "东来顺"),
        ("前者", "鼎泰丰"),
        ("要后者", "东来顺"),
        ("前面那家", "鼎泰丰"),
        ("后一家", "东来顺"),
        ("最后那家", "东来顺"),
        ("那就东来顺吧", "东来顺"),
        ("东来顺太远，鼎泰丰吧", "鼎泰丰"),
        ("中间那家", None),
        ("第三家", None),
        ("上面那个", None),
        ("实惠一点的那家", None),
        ("不要第一个", None),
        ("再换一家", None),
        ("别家呢", None),
        ("两家都行", None),
        ("我问问同事", None),
    ],
)
def test_a_choice_is_one_of_the_offers_or_nothing(text: str, expected: str | None) -> None:
    chat = opened(聚餐, {})
    chat.assistant(OFFERED[0], asks=[OFFERED[1]], offers={OFFERED[1]: OFFERED[2]})
    chat.user(text)
    assert value(chat, "聚餐.饭店") == expected


def test_the_middle_one_of_three() -> None:
    chat = opened(聚餐, {})
    chat.assistant("五点半、七点和八点半有位。", asks=["聚餐.时间"], offers={"聚餐.时间": ["17:30", "19:00", "20:30"]})
    chat.user("中间那个")
    assert value(chat, "聚餐.时间") == "19:00"


def test_an_offered_time_needs_no_half_of_the_day() -> None:
    chat = opened(聚餐, {})
    chat.assistant("有两个时间。", asks=["聚餐.时间"], offers={"聚餐.时间": ["17:30", "20:30"]})
    chat.user("八点半")
    assert value(chat, "聚餐.时间") == "20:30"


@pytest.mark.parametrize("text", ["第一个", "后面那家", "老地方", "换别的", "便宜点的", "改成别家", "先不说", "但是远"])
def test_no_name_is_made_of_words_that_point(text: str) -> None:
    chat = opened(聚餐, {})
    chat.assistant("去哪家饭店？", asks=["聚餐.饭店"])
    chat.user(text)
    assert value(chat, "聚餐.饭店") is None


@pytest.mark.parametrize(
    "text",
    [
        # a yes to a value that was to be checked, and more
        "对，老样子",
        "没错，但是时间再说",
        "可以，先这么定",
        # another one, and nothing that says which
        "换别的",
        "还是换一家吧",
        "改成别家",
        "换个清静一点的",
        # what is to stay, or to go right
        "日期别弄错了",
        "时间别改了",
        "人数不要记错了",
        # increments and parts
        "再加三个人",
        "少来两个人",
        "其中四个是孩子",
        "会有一位迟到",
        "人均再加50块",
        # other things
        "前天我打过电话",
        "周五要下雪",
        "我周六加班",
        "我女儿是2019年6月1号出生的",
        "下周二我妈要来",
        "周四晚上有个会",
        "停车费15元",
        "打车要40块",
        "我先去取一下蛋糕",
        "等我问问太太",
        "我上午去银行",
        "我九点下班",
        "火车六点到站",
        "露台那桌是我朋友",
        # questions
        "大堂吵不吵",
        "露台有位置吗",
        "大堂有暖气吗",
        "林医生周五在吗",
    ],
)
def test_what_is_confirmed_stays(text: str) -> None:
    chat = opened(聚餐, HELD)
    chat.assistant("鼎泰丰，对吗？", asks=["聚餐.饭店"])
    chat.user(text)
    assert confirmed(chat) == {*HELD}
    assert value(chat, "聚餐.停车") is None


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("周五吧", "日期", "2027-03-05"),
        ("改到周五", "日期", "2027-03-05"),
        ("周五", "日期", "2027-03-05"),
        ("周四我有事，周五吧", "日期", "2027-03-05"),
        ("我们周五去", "日期", "2027-03-05"),
        ("清明节前一天不行，改成情人节", "日期", "2028-02-14"),
        ("晚上七点", "时间", "19:00"),
        ("我们十个人", "人数", 10),
        ("再加两个人，一共十个", "人数", 10),
        ("大堂也行", "座位", "大堂"),
        ("包厢太闷，露台吧", "座位", "露台"),
        ("人均500元", "预算", {"value": "500", "currency": "CNY"}),
        ("换东来顺", "饭店", "东来顺"),
        ("不对，去东来顺", "饭店", "东来顺"),
    ],
)
def test_what_is_changed_is_read(text: str, path: str, expected: Any) -> None:
    chat = opened(聚餐, HELD)
    chat.user(text)
    assert value(chat, f"聚餐.{path}") == expected
    assert confirmed(chat) == {*HELD} - {f"聚餐.{path}"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("订鼎泰丰", "鼎泰丰"),
        ("想在东来顺订一桌", "东来顺"),
        ("帮我约一下东来顺，周六中午", "东来顺"),
        ("鼎泰丰附近有地铁吗", None),
        ("我住在鼎泰丰楼上", None),
        ("同事说东来顺不错", None),
        ("想去东来顺隔壁那家", None),
    ],
)
def test_examples_are_read_where_they_are_wished_for(text: str, expected: str | None) -> None:
    chat = opened(聚餐, {})
    chat.user(text)
    assert value(chat, "聚餐.饭店") == expected


@pytest.mark.parametrize(
    ("text", "expected", "excluded"),
    [
        ("约林医生的号", "林医生", ()),
        ("医生要陈医生", "陈医生", ()),
        ("想看高教授后天的号", "高教授", ()),
        ("找欧阳明医生", "欧阳明医生", ()),
        ("除了林医生都行", None, ("林医生",)),
        ("别安排陈医生", None, ("陈医生",)),
        ("林医生除外", None, ("林医生",)),
        ("换个医生", None, ()),
        ("我姐姐也是医生", None, ()),
    ],
)
def test_persons_are_told_by_their_title(text: str, expected: str | None, excluded: tuple[str, ...]) -> None:
    chat = opened(看牙, {})
    chat.assistant("约哪位医生？", asks=["看牙.医生"])
    chat.user(text)
    assert value(chat, "看牙.医生") == expected
    assert tuple(chat.state["看牙"]["医生"].excluded) == excluded


def test_a_declined_offer_is_ruled_out() -> None:
    chat = opened(聚餐, {})
    chat.assistant(OFFERED[0], asks=[OFFERED[1]], offers={OFFERED[1]: OFFERED[2]})
    chat.user("除了东来顺都行")
    assert value(chat, "聚餐.饭店") is None
    assert tuple(chat.state["聚餐"]["饭店"].excluded) == ("东来顺",)


@pytest.mark.parametrize("text", ["对，不要大堂", "没错，不过改成六个人", "是的，但是周五"])
def test_a_yes_that_goes_on_confirms(text: str) -> None:
    chat = opened(聚餐, {})
    chat.user("想去东来顺")
    chat.assistant("东来顺，对吗？", asks=["聚餐.饭店"])
    chat.user(text)
    assert chat.state["聚餐"]["饭店"].status == "confirmed"


@pytest.mark.parametrize("text", ["对，换一家", "对，不过太远了", "可以，我再问问太太", "对，但不要东来顺"])
def test_a_yes_that_is_taken_back_does_not(text: str) -> None:
    chat = opened(聚餐, {})
    chat.user("想去东来顺")
    chat.assistant("东来顺，对吗？", asks=["聚餐.饭店"])
    chat.user(text)
    assert chat.state["聚餐"]["饭店"].status != "confirmed"


def test_a_list_that_is_to_hold_nothing() -> None:
    chat = opened(聚餐, {})
    chat.user("不吃香菜")
    assert value(chat, "聚餐.忌口") == ["香菜"]
    chat.user("没有别的忌口")
    assert value(chat, "聚餐.忌口") == ["香菜"]
    chat.user("没有忌口")
    assert value(chat, "聚餐.忌口") is None


@pytest.mark.parametrize("text", ["算了，停车不用了", "停车就不要了"])
def test_a_feature_is_given_up_behind_its_name(text: str) -> None:
    chat = opened(聚餐, {"聚餐.停车": True})
    chat.user(text)
    assert value(chat, "聚餐.停车") is False


@pytest.mark.parametrize("text", ["周六想订个车", "另外订一辆车，周六用"])
def test_a_domain_is_named_by_its_verb_and_object(text: str) -> None:
    chat = opened([看牙, 订车], {"看牙.就诊日": "2027-03-08"})
    chat.user(text)
    assert confirmed(chat) == {"看牙.就诊日"}
    assert value(chat, "订车.用车日") == "2027-03-06"


def test_the_name_of_a_domain_is_no_value() -> None:
    chat = opened([看牙, 聚餐], {"看牙.就诊日": "2027-03-08"})
    chat.user("回到看牙，约周五")
    assert value(chat, "聚餐.饭店") is None
    assert value(chat, "看牙.就诊日") == "2027-03-05"

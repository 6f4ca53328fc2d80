from __future__ import annotations

from typing import Any

import pytest

from tests.extractors.builtin.scene import Pizza, Stay, Trip, after, held

VALUES: list[tuple[Any, list[str], dict[str, Any]]] = [
    (Trip, ["A: 您从哪里出发？", "上海"], {"origin": "上海"}),
    (Trip, ["A: 您从哪里出发？", "从上海"], {"origin": "上海"}),
    (Trip, ["A: 您从哪里出发？", "从上海出发吧，谢谢"], {"origin": "上海"}),
    (Trip, ["A: 目的地是哪里？", "北京"], {"destination": "北京"}),
    (Trip, ["A: 您要去哪儿？", "我想去北京"], {"destination": "北京"}),
    (Trip, ["A: 几个人？", "三个人"], {"people": 3}),
    (Trip, ["A: 人数是多少？", "两位"], {"people": 2}),
    (Trip, ["A: 要什么座位？", "二等座"], {"seat": "second"}),
    (Trip, ["A: 什么时间出发？", "下午三点半"], {"departs_at": "15:30"}),
    (Trip, ["A: 什么时间出发？", "随便"], {"departs_at": "dontcare"}),
    (Trip, ["A: What time do you want to leave?", "随便"], {"departs_at": "dontcare"}),
    (Trip, ["A: 您的邮箱？", "jo@example.org"], {"email": "jo@example.org"}),
    (Trip, ["A: 您的电话？", "13800138000"], {"phone": "13800138000"}),
    (Trip, ["A: 您的预算？", "五百块"], {"budget": {"value": "500", "currency": "CNY"}}),
    (Stay, ["A: 请问您的姓名？", "叫李雷"], {"guest": "李雷"}),
    (Stay, ["A: 请问您的姓名？", "我叫李雷"], {"guest": "李雷"}),
    (Trip, ["从上海到北京，下周五，两个人"],
     {"origin": "上海", "destination": "北京", "outbound_on": "2024-05-24", "people": 2}),
    (Trip, ["我想从杭州去成都"], {"origin": "杭州", "destination": "成都"}),
    (Trip, ["飞往广州"], {"destination": "广州"}),
    (Trip, ["从西安出发"], {"origin": "西安"}),
    (Trip, ["明天去南京旅游"], {"destination": "南京", "outbound_on": "2024-05-16"}),
    (Trip, ["周五出发，周日回来"], {"outbound_on": "2024-05-17", "return_on": "2024-05-19"}),
    (Trip, ["去程5月20日，回程5月24日"], {"outbound_on": "2024-05-20", "return_on": "2024-05-24"}),
    (Trip, ["四个人，三件行李"], {"people": 4, "bags": 3}),
    (Trip, ["要一等座"], {"seat": "first"}),
    (Trip, ["需要wifi"], {"wifi": True}),
    (Trip, ["预算不超过800元"], {"budget": {"value": "800", "currency": "CNY"}}),
    (Stay, ["住三晚，两间房"], {"nights": 3, "rooms": 2}),
    (Stay, ["要停车"], {"parking": True}),
    (Stay, ["优惠码ABC1234"], {"voucher": "ABC1234"}),
    (Stay, ["周五入住，周日退房"], {"check_in": "2024-05-17", "check_out": "2024-05-19"}),
    (Pizza, ["A: 要什么配料？", "蘑菇和火腿"], {"toppings": ["蘑菇", "火腿"]}),
    (Trip, ["去北京", "A: 去北京，对吗？", "不对，是南京"], {"destination": "南京"}),
    (Trip, ["周一出发，周四回来", "不对，是周五"], {"outbound_on": "2024-05-20", "return_on": "2024-05-17"}),
    (Trip, ["两个人", "改成三个人"], {"people": 3}),
    (Trip, ["A: 有9:30和14:00的车，要哪个？", "第二个"], {"departs_at": "14:00"}),
    (Trip, ["A: 有14:00的车，可以吗？", "可以"], {"departs_at": "14:00"}),
    (Pizza, ["A: 要什么配料？", "蘑菇和火腿", "A: 好的。", "去掉火腿"], {"toppings": ["蘑菇"]}),
    (Pizza, ["A: 要什么配料？", "蘑菇和火腿", "A: 好的。", "再加洋葱"], {"toppings": ["蘑菇", "火腿", "洋葱"]}),
]  # fmt: skip

NOTHING: list[tuple[Any, list[str]]] = [
    (Trip, ["你好"]),
    (Trip, ["我想订票"]),
    (Trip, ["A: 您从哪里出发？", "有哪些城市？"]),
    (Trip, ["A: 您从哪里出发？", "我先看看"]),
    (Trip, ["A: 您从哪里出发？", "不知道"]),
    (Trip, ["A: 您从哪里出发？", "谢谢"]),
    (Trip, ["不要一等座"]),
    (Trip, ["如果我从上海去北京要多久"]),
    (Trip, ["我朋友说西安很好玩"]),
    (Trip, ["有wifi吗？"]),
    (Trip, ["去年我很忙"]),
    (Trip, ["我去看看"]),
    (Trip, ["给我推荐一个吧"]),
    (Trip, ["A: 有14:00的车，可以吗？", "太晚了"]),
    (Stay, ["我有三个问题"]),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "lines", "expected"), VALUES)
def test_values_are_read(domain: Any, lines: list[str], expected: dict[str, Any]) -> None:
    assert held(after(domain, lines)) == expected


@pytest.mark.parametrize(("domain", "lines"), NOTHING)
def test_nothing_is_invented(domain: Any, lines: list[str]) -> None:
    assert held(after(domain, lines)) == {}

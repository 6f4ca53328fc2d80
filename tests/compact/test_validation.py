"""What a patch is refused for, check by check; that right paraphrases pass is measured in test_validation_measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from slotstate.compact.items import Add, Amend, Drop, Patch, Span, Spoken
from slotstate.compact.validation import Fault, faults
from slotstate.events import Item
from slotstate.state import Summary

SAID = (
    Spoken("u1", 0, "user", "We need a table for six on Friday 14 March at half past seven, for 450 euros at most."),
    Spoken("a1", 1, "assistant", "Would you like a window seat? Breakfast would be 12 euros."),
    Spoken("u2", 2, "user", "No, thanks. I don't want to sit near the kitchen, and my name is Maria Lindqvist."),
    Spoken("t1", 3, "tool", '{"total": 449.5, "currency": "EUR", "ref": "KX-4821", "distance": "12 km"}', "quote"),
)
SPAN = Span(
    SAID, {"table.people": 6, "table.place": "Casa Verde"}, {"table.people": (4,), "table.place": ("Old Mill",)}
)
OLD = Item(ident=3, kind="fact", text="The user owns 2 dogs.", sources=("u0",), quote="two dogs")
BEFORE = Summary(2, 1, (OLD,), 3)


def found(text: str, *sources: str, said: Sequence[Spoken] = SAID, **more: Any) -> list[str]:
    """The codes of what is wrong with one new item."""
    add = Add(more.pop("kind", "fact"), text, sources or ("u1", "a1", "u2", "t1"), **more)
    return [fault.code for fault in faults(BEFORE, Patch(add=(add,)), Span(tuple(said), SPAN.slots, SPAN.others))]


def chinese(text: str, *said: str, slots: dict[str, Any] | None = None) -> list[str]:
    messages = tuple(Spoken(f"m{number}", number, "user", one) for number, one in enumerate(said))
    patch = Patch(add=(Add("fact", text, tuple(message.id for message in messages)),))
    return [fault.code for fault in faults(Summary(), patch, Span(messages, slots or {}))]


def test_a_right_patch_has_no_faults() -> None:
    patch = Patch(
        add=(Add("decision", "A table for 6 on 14 March at 19:30, 450 euros at most.", ("u1",)),),
        amend=(Amend(3, "The user owns two dogs and is called Maria Lindqvist.", ("u2",)),),
    )
    assert faults(BEFORE, patch, SPAN) == ()
    assert faults(BEFORE, Patch(drop=(Drop(3, "moved out"),)), SPAN) == ()


def test_a_fault_names_the_item_and_what_its_sources_say_instead() -> None:
    patch = Patch(
        add=(Add("fact", "Right: six people.", ("u1",)), Add("constraint", "At most 540 euros.", ("u1",))),
        amend=(Amend(3, "The user owns 5 dogs.", ()),),
    )
    wrong = faults(BEFORE, patch, SPAN)
    assert [(fault.where, fault.code) for fault in wrong] == [("new item 2", "number"), ("item 3", "number")]
    assert "'540 euros' stands in none of its sources" in wrong[0].detail
    assert "'450 euros'" in wrong[0].detail
    assert str(wrong[1]).startswith("item 3: '5'")


@pytest.mark.parametrize(
    ("patch", "where", "code"),
    [
        (Patch(amend=(Amend(9, "Six people.", ("u1",)),)), "item 9", "unknown_item"),
        (Patch(drop=(Drop(9, "gone"),)), "item 9", "unknown_item"),
        (Patch(amend=(Amend(3, "The user owns 2 dogs!", ()),), drop=(Drop(3, "gone"),)), "item 3", "changed_twice"),
        (Patch(add=(Add("fact", "Six people.", ()),)), "new item 1", "no_source"),
        (Patch(add=(Add("fact", "Six people.", ("u1", "m99")),)), "new item 1", "unknown_source"),
        (Patch(add=(Add("fact", " — ", ("u1",)),)), "new item 1", "empty"),
        (Patch(add=(Add("fact", "Six\npeople.", ("u1",)),)), "new item 1", "lines"),
        (Patch(add=(Add("fact", "six " * 101, ("u1",)),)), "new item 1", "too_long"),
        (Patch(add=(Add("fact", "Six people.", ("u1",), "at half past eight"),)), "new item 1", "quote"),
        (Patch(add=(Add("fact", "the user owns 2 dogs", ("u1",)),)), "new item 1", "duplicate"),
    ],
)
def test_shape(patch: Patch, where: str, code: str) -> None:
    assert (where, code) in [(fault.where, fault.code) for fault in faults(BEFORE, patch, SPAN)]


def test_an_empty_summary_says_that_it_has_no_items() -> None:
    (fault,) = faults(Summary(), Patch(drop=(Drop(1, "gone"),)), SPAN)
    assert fault == Fault("item 1", "unknown_item", "there is no item 1: the summary has none")


def test_the_number_of_items_is_bounded() -> None:
    adds = tuple(Add("fact", f"{word} people", ("u1",)) for word in ("Six", "Just six", "Exactly six"))
    assert faults(BEFORE, Patch(add=adds[:2]), SPAN, most_items=3) == ()
    (fault,) = faults(BEFORE, Patch(add=adds), SPAN, most_items=3)
    assert (fault.where, fault.code) == ("summary", "too_many")
    assert faults(BEFORE, Patch(add=adds, drop=(Drop(3, "full"),)), SPAN, most_items=3) == ()


def test_two_new_items_may_not_say_the_same() -> None:
    patch = Patch(add=(Add("fact", "Six people.", ("u1",)), Add("fact", " six  people", ("u1",))))
    (fault,) = faults(BEFORE, patch, SPAN)
    assert (fault.where, fault.code) == ("new item 2", "duplicate")
    assert "new item 1" in fault.detail


def test_an_amended_item_keeps_its_sources_its_words_and_its_quote() -> None:
    amend = Amend(3, "The user owns 2 dogs and comes on 14 March.", ("u1",), "two dogs")
    assert faults(BEFORE, Patch(amend=(amend,)), SPAN) == ()
    assert faults(BEFORE, Patch(amend=(Amend(3, "The 2 dogs are the user's.", ()),)), SPAN) == ()
    wrong = faults(BEFORE, Patch(amend=(Amend(3, "The user owns two dogs.", (), "two cats"),)), SPAN)
    assert [fault.code for fault in wrong] == ["quote"]


def test_a_quote_may_differ_in_what_folding_takes_away() -> None:
    assert found("Not near the kitchen.", "u2", quote="I don’t want to  sit near THE kitchen") == []
    assert found("Not near the kitchen.", "u2", quote="want to sit near the kit") == ["quote"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("A table for 6 people.", []),
        ("A table for half a dozen people costs 450 euros.", []),
        ("A table for 7 people.", ["number"]),
        ("A table for seven people.", ["number"]),
        ("The limit is €450.", []),
        ("The limit is $450.", ["unit"]),
        ("The limit is 450 %.", ["unit"]),
        ("The total is 449.50 euros.", []),
        ("Reference KX-4821, 12 km away.", []),
        ("Reference KX-4812.", ["number"]),
        ("It is 12 miles away.", ["unit"]),
        ("It is 12,000 metres away.", []),
        ("It is on the 14th of March at 7:30 pm.", []),
        ("It is on March 14.", []),
        ("It is on the 15th.", ["date"]),
        ("It is on 14 May.", ["date"]),
        ("It is in April.", ["date"]),
        ("It is on Saturday.", ["date"]),
        ("It is tomorrow.", ["date"]),
        ("It is at 19:45.", ["date"]),
        ("It is at 7:30 am on Friday.", []),  # "half past seven" may be of the morning
        ("It is in the evening on Friday.", []),
    ],
)
def test_figures(text: str, codes: list[str]) -> None:
    assert found(text) == codes


@pytest.mark.parametrize(
    ("said", "text", "codes"),
    [
        ("Two weeks in July, please.", "14 days in July.", []),
        ("It takes an hour and a half.", "It takes 90 minutes.", []),
        ("It takes two hours and a half.", "It takes 150 minutes.", []),
        ("It takes half an hour.", "It takes 30 minutes.", []),
        ("It takes half an hour.", "It takes 30 hours.", ["number"]),
        ("One hundred and twenty seats.", "There are 120 seats.", []),
        ("It is 3,5 tonnes heavy.", "It weighs 3.5 t.", []),
        ("We pay 12 pounds a day.", "The user pays 12 pounds per day.", []),
        ("We pay 12 pounds a day.", "The user pays 12 pounds per week.", ["unit"]),
        ("We pay USD450 for it.", "The price is 450 dollars.", []),
        ("We pay US$450 for it, all in dollars.", "The price is 450 dollars.", []),
        ("We pay HK$450 for it.", "The price is 450 dollars.", ["unit"]),
        ("We pay 20k dollars.", "The price is 20,000 dollars.", []),
        ("A budget of 3 grand.", "The budget is 3000.", []),
        ("Between 10:00-12:00, seats 2-3.", "From 10 to 12, seats 2 and 3.", []),
        ("Seven thirty would be good.", "19:30 is good.", []),
        ("At quarter to one, then.", "At 12:45.", []),
        ("At ten minutes to eight.", "At 7:50.", []),
        ("At half seven.", "At 7:30.", []),
        ("At one o'clock.", "At 13:00.", []),
        ("At 7 o'clock or at noon.", "At 7:00 or 12:00.", []),
        ("At 8 am.", "At 8 pm.", ["date"]),
        ("At 8 pm.", "At 20:00.", []),
        ("At 8 a.m. sharp.", "At 08:00.", []),
        ("From five to eight.", "From 5 to 8.", []),
        ("On the twenty-first of May.", "On 21 May.", []),
        ("On the 2nd and the 9th, in August.", "On 2 and 9 August.", []),
        ("On 3/4, I think.", "On 4 March.", []),
        ("On 2025-03-14.", "On Friday 14 March.", []),
        ("On 14.03.2025.", "On 14 March.", []),
        ("It starts 2025-03-14T08:15.", "It starts on 14 March at 8:15.", []),
        ("Next Friday.", "The user comes on Friday.", []),
        ("Next Friday.", "The user came last Friday.", ["date"]),
        ("The day after tomorrow.", "The day after tomorrow.", []),
        ("Size 40 x 60 cm, 2 m² in all.", "It measures 40 x 60 cm.", []),
        ("60 square metres.", "60 sqm.", []),
        ("60 square metres.", "60 square feet.", ["unit"]),
        ("Room 0042, please.", "Room 0042.", []),
        ("Call 555 01 23.", "Call 5550123.", []),
        ("Call 555 01 23.", "Call 5550124.", ["number"]),
        ("I may come in May.", "The user may come in May.", []),
        ("A 12-mile hike with a couple of friends.", "A hike of 12 miles with 2 friends.", []),
        ("It was 5 cents.", "It was 5 cents.", []),
        ("In the morning, at 9.", "At 9 in the evening.", ["date"]),
        ("It's the third door, 2nd floor.", "It's door 3 on the 2nd floor.", []),
        ("1.2.3.4 is the server.", "The server is 1.2.3.4.", []),
        ("It is 3 euros a kilo.", "It costs 3 euros per kilo.", []),
        ("On March 14, 2025.", "On 14 March 2025.", []),
        ("It takes two and a half hours.", "It takes 2.5 hours.", []),
        ("For two and a dog.", "For 2 and a dog.", []),
        ("Two and three, or seven seventy.", "2 and 3, or 7 and 70.", []),
        ("At 8:15pm or 9pm.", "At 20:15 or 21:00.", []),
        ("The score was 25:30.", "The score is 25:30.", []),
        ("On 2025-02-30.", "On 30 February.", []),
        ("Seats A1,B,C2.", "Seats A1, B and C2.", []),
        ("A1,B2 and 3,4 are free.", "A1 and B2 are free.", []),
    ],
)
def test_figures_told_in_other_ways(said: str, text: str, codes: list[str]) -> None:
    assert found(text, "u", said=(Spoken("u", 0, "user", said),)) == codes


@pytest.mark.parametrize(
    ("said", "text", "codes"),
    [
        ("一晚三百五", "每晚350元。", []),
        ("一晚三百五", "每晚360元。", ["number"]),
        ("预算八百块", "预算800元。", []),
        ("预算八百块", "预算800美元。", ["unit"]),
        ("下午两点半到", "14:30到。", []),
        ("下午两点半到", "下午3:30到。", ["date"]),
        ("差一刻八点", "8点。", []),
        ("晚上八点零四分", "20:04。", []),
        ("中午到", "12:00到。", []),
        ("三点一刻", "15:15。", []),
        ("三月十四号", "3月14日。", []),
        ("三月十四号", "3月15日。", ["date"]),
        ("五月份去", "5月去。", []),
        ("下周三", "下周三。", []),
        ("下周三", "下周四。", ["date"]),
        ("下周三", "上周三。", ["date"]),
        ("后天去", "明天去。", ["date"]),
        ("打八五折", "优惠15%。", []),
        ("百分之二十", "20%。", []),
        ("两个半小时", "2.5小时。", []),
        ("两天半", "2.5天。", []),
        ("半小时", "30分钟。", []),
        ("三块五", "3.5元。", []),
        ("三点五公里", "3.5公里。", []),
        ("三点五公里", "4.5公里。", ["number"]),
        ("两三个人", "2到3个人。", []),
        ("二十三万九", "23.9万元。", []),
        ("一周两小时，一天三次", "每周2小时，每天3次。", []),
        ("住一晚", "住1晚。", []),
        ("十分满意，千万别忘了四川菜", "十分满意。", []),
        ("二零二五年", "2025年。", []),
        ("9号线，3号楼", "9号线3号楼。", []),
        ("二十公斤", "40斤。", []),
        ("他们三三见面", "见面的他们三三。", []),
        ("Corva 14，一台", "Corva 14。", []),
    ],
)
def test_chinese_figures(said: str, text: str, codes: list[str]) -> None:
    assert chinese(text, said) == codes


def test_held_values_that_a_source_told_are_evidence() -> None:
    messages = (Spoken("u", 0, "user", "Next Friday then."),)
    patch = Patch(add=(Add("decision", "The user arrives on 14 March.", ("u",)),))
    held = {"trip.on": "2025-03-14"}
    assert [fault.code for fault in faults(Summary(), patch, Span(messages, held))] == ["date"]
    assert faults(Summary(), patch, Span(messages, held, {}, {"u": ("trip.on",)})) == ()
    spoken_of = Patch(add=(Add("decision", "The user arrives on 14 March.", ("u",), None, "trip.on"),))
    assert faults(Summary(), spoken_of, Span(messages, held)) == ()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Maria Lindqvist does not want to sit near the kitchen.", []),
        ("Anna Lindqvist does not want to sit near the kitchen.", ["name"]),
        ("Lindqvist's table is for 6.", []),
        ("The table is for 6 at Casa Verde.", []),
        ("The table is for 6 at Trattoria Rossa.", ["name", "name"]),
        ("Deliver it to Maria.", []),
        ("Insurance and seating: nothing about it.", []),
        ("NASA needs a table for six.", ["name"]),
        ("Kowalski needs a table for six.", ["name"]),
        ("Bookings for six.", []),
    ],
)
def test_names(text: str, codes: list[str]) -> None:
    assert found(text) == codes


def test_demonyms_and_plurals_are_known_names() -> None:
    said = (Spoken("u", 0, "user", "We love Italy. Two Pixoras, a B2B deal and model A 7."),)
    assert found("The user likes Italian things.", "u", said=said) == []
    assert found("The deal is about a Pixora, type A7.", "u", said=said) == []


@pytest.mark.parametrize(
    ("said", "text", "codes"),
    [
        ("请找张先生", "联系张先生。", []),
        ("我是张伟", "联系张先生。", []),
        ("请找张先生", "联系李先生。", ["name"]),
        ("欧阳医生看诊", "司马医生看诊。", ["name"]),
        ("我叫付晓棠", "付晓梅来了。", ["name"]),
        ("我叫付晓棠", "用户叫付晓棠。", []),
        ("我叫付晓棠", "姓名是沈佳。", ["name"]),
        ("由郝婷负责", "由郝敏负责。", ["name"]),
        ("由郝婷负责", "由高兴的人负责。", []),
        ("我去广州", "用户去深圳。", ["name"]),
        ("我去广州", "由广州出发。", []),
        ("我去广州", "由高雄出发。", ["name"]),
        ("住云栖宾馆", "在海棠宾馆住。", ["name"]),
        ("住云栖宾馆", "入住云栖宾馆。", []),
        ("住云栖宾馆", "用户要预订的宾馆。", []),
        ("送到槐树街", "送到梅花街。", ["name"]),
        ("走楼梯", "用户走楼梯。", []),
        ("把小宇去掉", "移除小航。", ["name"]),
        ("把小宇去掉", "移除小宇。", []),
        ("带狗雪球来", "带狗旺财（3岁）。", ["name", "number"]),
        ("带狗雪球来", "带狗雪球。", []),
        ("用Zephyr", "用Meridian。", ["name"]),
        ("用Zephyr", "用zephyr，5 km。", ["number"]),
        ("由王先生接", "由王先生接。", []),
    ],
)
def test_chinese_names(said: str, text: str, codes: list[str]) -> None:
    assert sorted(chinese(text, said)) == sorted(codes)


def test_an_item_that_stands_in_a_source_passes() -> None:
    said = (Spoken("u", 0, "user", "Nobody said it. But don't book the red one; Zed wants it. The blue is cheap."),)
    assert found("The blue is cheap.", "u", said=said) == []
    assert found("zed wants it", "u", said=said) == []
    assert found("book the red one", "u", said=said) == ["negation"]  # what denies it was cut off
    assert found("ook the red one", "u", said=said) == ["negation"]


def test_the_sources_of_an_item_are_those_that_it_names() -> None:
    assert found("At most 450 euros.", "u1") == []
    assert found("At most 450 euros.", "u2") == ["number"]

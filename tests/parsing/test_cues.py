from __future__ import annotations

from collections.abc import Callable

import pytest

from slotstate.parsing import cues
from slotstate.parsing.folding import Folded, Span, fold

Cue = Callable[[Folded], Span | bool | None]

# name of the predicate: texts for which it holds, texts for which it does not; separated by bars
TABLE: dict[str, tuple[str, str]] = {
    "affirms": (
        "yes|yeah, that one|ok|that's right|sounds good|no problem|good|"
        "Rondo is fine then|book it|that works|go ahead|I'm sure|works for me|"
        "perfect, thanks|yes, what time?|I guess so|why not|好的|行|可以|对|是的|"
        "没问题|就这个|嗯|都可以|没错|好，就这样",
        "not sure|right now|the right one|the food is good|is that ok?|ok?|"
        "absolutely not|that doesn't work|not that one|isn't it fine|"
        "absolutely no idea|the north, please|open the third message|make sure|"
        "turn right here|no|不可以|好吗|旅行|你好|这个可以吗|可以停车吗|好像不行|最好|"
        "不太好|对不起|银行",
    ),
    "refuses": (
        "no|nope|no thanks|not that|wrong|no, Oslo|I don't want that|that's not right|"
        "nah|no it isn't|that won't work|no that's wrong|none of those|不|不用|不要|"
        "不对|不是|算了|不用了，谢谢|没有",
        "no problem|not bad|no preference|no pizza for me|not sure|no 5|what's wrong|"
        "no one|whether or not|yes|没问题|不错|不好意思|是不是|不客气|没有要求|要不要|"
        "好",
    ),
    "bare_yes": (
        "yes|Yes please!|ok thanks|yes that's right|sure, go ahead|yes yes yes|"
        "perfect, thank you|yep 👍|yes, that one|好的，谢谢|好的好的|嗯，可以|没问题|"
        "是的，就这个",
        "yes, Oslo|no|yes, I'd like three|||maybe|ok but later|好的，三个人",
    ),
    "bare_no": (
        "no|No, thanks.|nope sorry|no thank you very much|no no no|not that one|不|不用了，谢谢|不是的|不要|算了",
        "no, Oslo|no problem|yes|no pizza|不要川菜|没问题",
    ),
    "corrects": (
        "no, Oslo|seven, no eight|7, no 8 guests|actually make it 5|I meant Friday|sorry, the house number is 9|"
        "rather Thursday|make that two|instead|scratch that|不对，是周五|改成三个|"
        "换成川菜|应该是五点|我说错了",
        "tell me what you mean|no, that's all|seven, no eight year old|7, no nuts|it should be in the north|no thanks|"
        "thanks|Oslo|sorry to bother you|对不对|好的",
    ),
    "clears": (
        "forget the date|I don't want the voucher anymore|remove my email|clear it|"
        "no pizza for me after all|取消|不要酒店了|清空",
        "don't forget the date|the 5th|free cancellation|book it|不要忘了|免费取消|好",
    ),
    "removes": (
        "take the olives off|without nuts|remove olives|leave out the onions|去掉蘑菇|不要香菜",
        "add olives|no more than 5|olives|要不要",
    ),
    "replaces": (
        "only Sunday|instead|just the first|nothing but jazz|只要周日|改成周日",
        "not only jazz|just a moment|and Sunday|两只猫|不只周日",
    ),
    "dont_care": (
        "I don't mind|any is fine|whatever|no preference|any|doesn't matter|"
        "any price is fine|I don't care about the price|surprise me|either is fine|"
        "随便|都可以|无所谓|没有要求|你决定",
        "would you mind|where will you pick it up|anything else?|take care|I do care|"
        "Oslo|都可以吗|随便看看|没关系，继续",
    ),
    "undoes": (
        "undo that last change|go back to what it was|revert that|撤销|恢复之前的",
        "don't undo it|Oslo|恢复营业了吗",
    ),
    "restarts": (
        "start over|let's start again|from scratch|forget everything|重新开始|从头来",
        "don't start over|the class starts again at 5|重新",
    ),
    "hesitates": (
        "yes but|wait|I'm not sure|too expensive|不太确定|太贵了|等一下",
        "ok|no problem|yes|好的|没问题",
    ),
    "asks": (
        "what time is it|is there parking|which one|do you have wifi|ok?|几点|可以停车吗|好吗|有没有停车场|多少钱",
        "book a table|what I want is pizza|I will go when it rains|什么都行|订三个人|没什么",
    ),
}
HOLDS = [(name, text, True) for name, (good, _) in TABLE.items() for text in good.split("|")]
FAILS = [(name, text, False) for name, (_, bad) in TABLE.items() for text in bad.split("|")]


@pytest.mark.parametrize(("name", "text", "expected"), HOLDS + FAILS)
def test_cues(name: str, text: str, expected: bool) -> None:
    predicate: Cue = getattr(cues, name)
    assert bool(predicate(fold(text))) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True),
        ("no", False),
        ("maybe", None),
        ("yes and no", None),
        ("not sure", None),
        ("I don't think so", False),
        ("no problem", True),
        ("open the third message", None),
        ("", None),
        ("好", True),
        ("不", False),
        ("可以", True),
        ("不可以", False),
        ("好不好", None),
    ],
)
def test_yes_no(text: str, expected: bool | None) -> None:
    assert cues.yes_no(fold(text)) is expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("not Italian", "Italian", True),
        ("no pizza", "pizza", True),
        ("without nuts", "nuts", True),
        ("I don't want Thai", "Thai", True),
        ("I dont want Thai", "Thai", True),
        ("I don’t like the spicy soup", "spicy", True),
        ("anything but sushi", "sushi", True),
        ("neither Oslo nor Bergen", "Bergen", True),
        ("not Italian or Thai", "Thai", True),
        ("I do not want to go to Oslo", "Oslo", True),
        ("not on Friday", "Friday", True),
        ("instead of Oslo", "Oslo", True),
        ("I don't feel good", "good", True),
        ("不要川菜", "川菜", True),
        ("别去北京", "北京", True),
        ("除了周末", "周末", True),
        ("不是周五", "周五", True),
        ("不想吃川菜", "川菜", True),
        ("no, Oslo", "Oslo", False),
        ("not only Oslo", "Oslo", False),
        ("no. 5", "5", False),
        ("no 5", "5", False),
        ("not Italian, Thai", "Thai", False),
        ("not Oslo but Bergen", "Bergen", False),
        ("none of us eats pork", "pork", True),
        ("nobody here likes jazz", "jazz", True),
        ("not one of the guests is kosher", "kosher", True),
        ("one of us is kosher", "kosher", False),
        ("why not Oslo", "Oslo", False),
        ("no problem Oslo", "Oslo", False),
        ("Oslo", "Oslo", False),
        ("我要川菜", "川菜", False),
        ("是不是周五", "周五", False),
        ("要不要川菜", "川菜", False),
        ("特别川菜", "川菜", False),
        ("除了川菜还要粤菜", "川菜", False),
        ("不要川菜，要粤菜", "粤菜", False),
    ],
)
def test_negated(text: str, value: str, expected: bool) -> None:
    assert cues.negated(fold(text), text.index(value)) is expected


@pytest.mark.parametrize(
    ("text", "one", "other", "expected"),
    [
        ("Either Rome or Pisa", "Rome", "Pisa", True),
        ("Rome, or maybe to Pisa", "Rome", "Pisa", True),
        ("Rome, Pisa or Bari", "Rome", "Pisa", True),
        ("Rome, Pisa or Bari", "Rome", "Bari", True),
        ("Rome, Pisa or Bari", "Pisa", "Bari", True),
        ("去北京还是上海", "北京", "上海", True),
        ("北京或者去上海", "北京", "上海", True),
        ("北京、上海或广州", "北京", "上海", True),
        ("Rome and Pisa", "Rome", "Pisa", False),
        ("from Rome to Pisa", "Rome", "Pisa", False),
        ("Rome, Pisa and Bari", "Rome", "Pisa", False),
        ("北京和上海", "北京", "上海", False),
    ],
)
def test_alternatives(text: str, one: str, other: str, expected: bool) -> None:
    a, b = ((text.index(word), text.index(word) + len(word)) for word in (one, other))
    assert cues.alternatives(fold(text), a, b) is expected
    assert cues.alternatives(fold(text), b, a) is expected

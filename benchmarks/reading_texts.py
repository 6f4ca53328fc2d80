"""What is said in the invented conversations of `reading_dialogues`: slots with values, sentences and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any, Final

_NUMBERS: Final = {
    "en": "zero one two three four five six seven eight nine".split(),
    "zh": list("零一二三四五六七八九"),
}
_PART: Final = {15: "一刻", 30: "半", 45: "三刻"}


@dataclass(frozen=True, slots=True)
class Value:
    """A value as the slot holds it, as the user says it, and as an answer may write it."""

    held: Any
    said: str
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A slot: its values, sentences that fill it, sentences that correct it, and the question for it."""

    path: str
    question: str
    values: tuple[Value, ...]
    first: tuple[str, ...]
    again: tuple[str, ...]

    @property
    def domain(self) -> str:
        """The domain of the slot."""
        return self.path.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Language:
    """All that is said in one language. `idle` are turns without a change, with their replies."""

    template: str
    between: str
    briefly: str
    topics: tuple[Topic, ...]
    idle: tuple[tuple[str, str], ...]
    replies: tuple[str, ...]


def _names(text: str) -> tuple[Value, ...]:
    """Values between bars; behind a tilde the part that an answer needs, where that is less."""
    found = (name.partition("~") for name in text.split("|"))
    return tuple(Value(name, name, (part or name,)) for name, _, part in found)


def _counts(language: str, *counts: int) -> tuple[Value, ...]:
    words = _NUMBERS[language]
    return tuple(
        Value(count, str(count), (str(count), words[count], *(["两"] if words[count] == "二" else [])))
        for count in counts
    )


def _days(*days: int) -> tuple[Value, ...]:
    return tuple(
        Value(
            date(2026, 6, day),
            f"June {day}",
            (f"2026-06-{day:02}", f"June {day}", f"{day} June", f"June {_nth(day)}", f"{_nth(day)} of June"),
        )
        for day in days
    )


def _nth(day: int) -> str:
    ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _days_zh(*days: int) -> tuple[Value, ...]:
    return tuple(
        Value(date(2026, 6, day), f"6月{day}日", (f"2026-06-{day:02}", f"6月{day}日", f"6月{day}号", f"06月{day:02}日"))
        for day in days
    )


def _times(*times: str) -> tuple[Value, ...]:
    found = []
    for text in times:
        hour, minute = map(int, text.split(":"))
        forms = [
            f"{clock}{form}"
            for clock in (hour, hour - 12)
            for form in (f":{minute:02}", f"点{minute}", f"点{_PART[minute]}")
        ]
        found.append(Value(time(hour, minute), text, tuple(forms)))
    return tuple(found)


ENGLISH: Final = Language(
    template="default",
    between=" ",
    briefly="Answer in a few words.",
    topics=(
        Topic(
            "trip.origin",
            "Which city do we start from?",
            _names("Tampere|Aarhus|Gdansk|Uppsala|Tartu|Leipzig"),
            ("We start from {}.", "We live in {}, so the train has to leave from there."),
            ("We will be in {} by then, so we start from there.", "Not from home after all: we set out from {}."),
        ),
        Topic(
            "trip.destination",
            "Where does our train journey go to?",
            _names("Bergen|Trieste|Ghent|Porto|Innsbruck|Krakow"),
            ("I want to go to {} by train.", "We would like to travel to {}."),
            ("Let us go to {} in the end.", "My sister talked us into {}, so that is where we go."),
        ),
        Topic(
            "trip.leave_on",
            "Which day do we leave?",
            _days(4, 9, 12, 17, 23, 26),
            ("We leave on {}.", "The journey begins on {}."),
            ("Work got in the way, we can only leave on {}.", "We have to leave on {} now."),
        ),
        Topic(
            "trip.travellers",
            "How many of us travel?",
            _counts("en", 2, 3, 4, 5, 6, 7),
            ("There are {} of us.", "We are {} people."),
            ("It turns out that we are {} people.", "Make it {} travellers, I counted again."),
        ),
        Topic(
            "trip.carriage",
            "Which kind of carriage do we want on the train?",
            _names(
                "quiet carriage~quiet|family carriage~family|panorama carriage~panorama|sleeping car~sleeping|"
                "dining car~dining"
            ),
            ("On the train we would like the {}.", "Please put us in the {}."),
            ("I would rather sit in the {} than what I said.", "The {} would suit us better."),
        ),
        Topic(
            "stay.hotel",
            "What is the name of our hotel?",
            _names(
                "Hotel Lindgren~Lindgren|Blue Anchor|Villa Serena|The Old Mill~Old Mill|Hotel Corvina~Corvina|"
                "Grey Heron"
            ),
            ("For the night I picked {}.", "We want to sleep at {}."),
            ("We found a better place: {}.", "Please take {} as the hotel."),
        ),
        Topic(
            "stay.nights",
            "How many nights do we stay?",
            _counts("en", 2, 3, 4, 5, 6, 8),
            ("We stay {} nights.", "Book it for {} nights."),
            ("We can only stay {} nights.", "Let us make that {} nights at the hotel."),
        ),
        Topic(
            "stay.meals",
            "Which meals did we choose at the hotel?",
            _names("half board|full board|breakfast only~breakfast|packed lunch|all inclusive"),
            ("At the hotel {} is fine.", "As for the hotel's meals: {}."),
            ("Change the hotel's meals to {}.", "We thought about the food there and want {}."),
        ),
        Topic(
            "dinner.restaurant",
            "Which restaurant do we eat at?",
            _names("Copper Kettle|Nonna Pina|The Salt House~Salt House|Jade Garden|La Paloma|Moss and Stone"),
            ("On the first evening we eat at {}.", "Get us a table at {}."),
            ("We would rather have dinner at {}.", "A friend warned us off that place, {} is where we eat."),
        ),
        Topic(
            "dinner.at",
            "At what time is our dinner?",
            _times("18:15", "18:45", "19:30", "20:15", "20:45", "21:30"),
            ("Dinner at {} would be good.", "The table should be for {}."),
            ("Dinner has to be at {} then.", "Please move the table to {}."),
        ),
        Topic(
            "dinner.cuisine",
            "What kind of food do we want for dinner?",
            _names("Lebanese|Georgian|Peruvian|Korean|Basque|Greek"),
            ("We are in the mood for {} food that evening.", "For dinner we fancy {} cooking."),
            ("Somehow {} food sounds better for dinner.", "We changed our minds about the food: {} it is."),
        ),
    ),
    idle=(
        (
            "Is the line along the coast worth it, or is it mostly tunnels?",
            "Most of it runs in the open. Sit on the left-hand side for the best views over the water.",
        ),
        (
            "My neighbour says that the station has no lockers any more. Do you know?",
            "The lockers were removed last year; a shop across the square keeps bags for a small fee.",
        ),
        (
            "Good. Let me think about the rest for a moment before we go on.",
            "Of course, take your time. Nothing is lost in the meantime.",
        ),
        (
            "Can we take a folding bicycle with us, and does that cost anything?",
            "A folded bicycle counts as luggage and travels free of charge.",
        ),
        (
            "What would you do with a free afternoon there when it rains?",
            "The maritime museum is a good choice, and its café stays open until closing time.",
        ),
        (
            "Is there usually a socket at the seat? I want to get some work done on the way.",
            "Newer trains have one between the seats; on older ones there is one at each end of the car.",
        ),
        (
            "Do they still sell the paper maps of the walking paths at the tourist office?",
            "They do, and the staff like to mark the paths that are passable at the moment.",
        ),
        (
            "I just looked through the booking page. It looks tidy, I must say.",
            "Glad to hear it. Tell me whenever something is missing there.",
        ),
        (
            "Will we need an umbrella at that time of the year, what do you think?",
            "Showers are common in early summer, so a small umbrella is never wrong.",
        ),
        (
            "Does one tip in that part of the world? I never know.",
            "Rounding up the bill is usual, and nobody is offended when you do not.",
        ),
        (
            "Could you keep the tone of the confirmation a bit formal? It goes to my boss too.",
            "Certainly, I will keep the wording of the confirmation formal.",
        ),
    ),
    replies=(
        "Very well, I have made a note of that.",
        "Thank you, that is recorded.",
        "Understood. Is there anything else that I should take care of?",
        "All right, I have updated the plan accordingly.",
        "That is possible without any extra charge. Noted.",
        "Fine, let us go on with that.",
        "Good, I have put that down.",
    ),
)

CHINESE: Final = Language(
    template="zh",
    between="",
    briefly="请简短回答。",
    topics=(
        Topic(
            "trip.origin",
            "我们从哪个城市出发？",
            _names("苏州|洛阳|昆明|青岛|长沙|大同"),
            ("我们从{}出发。", "我们住在{}，火车要从那里上。"),
            ("到时候我们人在{}，就从那里出发吧。", "不从家里走了，改从{}出发。"),
        ),
        Topic(
            "trip.destination",
            "我们坐火车去哪里？",
            _names("敦煌|桂林|厦门|丽江|西宁|泉州"),
            ("我想坐火车去{}。", "我们打算去{}玩。"),
            ("还是去{}吧。", "妹妹说服了我们，目的地换成{}。"),
        ),
        Topic(
            "trip.leave_on",
            "我们哪天出发？",
            _days_zh(4, 9, 12, 17, 23, 26),
            ("我们{}出发。", "行程从{}开始。"),
            ("工作上有事，只能{}走了。", "出发日期得换到{}。"),
        ),
        Topic(
            "trip.travellers",
            "我们一共几个人出行？",
            _counts("zh", 2, 3, 4, 5, 6, 7),
            ("我们一共{}个人。", "一行{}人。"),
            ("我又数了数，是{}个人。", "人数有变，现在是{}人。"),
        ),
        Topic(
            "trip.carriage",
            "我们在火车上要哪种车厢？",
            _names("静音车厢~静音|家庭车厢~家庭|观景车厢~观景|卧铺车厢~卧铺|商务车厢~商务"),
            ("车上我们想坐{}。", "请安排{}。"),
            ("我们更想坐{}。", "还是{}更合适。"),
        ),
        Topic(
            "stay.hotel",
            "我们住的酒店叫什么名字？",
            _names("竹里馆|望湖宾馆~望湖|云栖山庄~云栖|老码头客栈~老码头|青瓦小院~青瓦|白鹭酒店~白鹭"),
            ("晚上我们选了{}。", "我们想住{}。"),
            ("我们找到了更好的地方：{}。", "酒店请换成{}。"),
        ),
        Topic(
            "stay.nights",
            "我们在酒店住几晚？",
            _counts("zh", 2, 3, 4, 5, 6, 8),
            ("我们住{}晚。", "酒店订{}晚。"),
            ("我们只能住{}晚了。", "酒店改成{}晚吧。"),
        ),
        Topic(
            "stay.meals",
            "我们在酒店选了什么餐食安排？",
            _names("只含早餐~含早餐|含早晚餐~早晚餐|三餐全包~三餐|不含餐食|自助午餐~午餐"),
            ("酒店餐食要{}。", "餐食方面{}就好。"),
            ("酒店的餐食改成{}。", "吃的我们商量过了，要{}。"),
        ),
        Topic(
            "dinner.restaurant",
            "我们在哪家餐厅吃晚饭？",
            _names("荷塘人家|老灶火锅|听雨轩|金穗楼|小渔村|山外山"),
            ("第一天晚上我们去{}吃饭。", "帮我们在{}订个位子。"),
            ("晚饭我们更想去{}。", "朋友说那家不好，我们去{}吃。"),
        ),
        Topic(
            "dinner.at",
            "我们的晚饭是几点？",
            _times("18:15", "18:45", "19:30", "20:15", "20:45", "21:30"),
            ("晚饭定在{}。", "位子要{}的。"),
            ("晚饭只能{}了。", "请把位子挪到{}。"),
        ),
        Topic(
            "dinner.cuisine",
            "晚饭我们想吃哪种菜？",
            _names("川菜|粤菜|湘菜|鲁菜|徽菜|泰国菜"),
            ("那天晚上想吃{}。", "晚饭我们想尝尝{}。"),
            ("晚饭还是吃{}更好。", "口味变了，晚上要{}。"),
        ),
    ),
    idle=(
        ("沿海那条线值得坐吗？还是大多是隧道？", "大部分路段都在外面，坐左侧靠窗的位置风景最好。"),
        ("邻居说车站已经没有寄存柜了，您知道吗？", "寄存柜去年拆了，广场对面有家小店可以代存行李，收费不高。"),
        ("好的，剩下的让我先想一想再继续。", "当然，您慢慢考虑，前面的内容都保留着。"),
        ("折叠自行车能带上车吗？要另外付钱吗？", "折叠好的自行车算普通行李，不用另外付费。"),
        ("要是下午下雨，有空的话您会去做什么？", "可以去海事博物馆，里面的咖啡馆一直开到闭馆。"),
        ("座位旁边一般有插座吗？路上我想做点工作。", "新一些的列车座位之间有插座，旧车在车厢两头各有一个。"),
        ("游客中心还卖步道的纸质地图吗？", "还卖的，工作人员也乐意标出目前可以走的路。"),
        ("我刚看了一下预订页面，做得挺整齐的。", "谢谢您的夸奖，如果缺什么请随时告诉我。"),
        ("那个季节需要带伞吗？您觉得呢？", "初夏常有阵雨，带把小伞总不会错。"),
        ("当地有给小费的习惯吗？我总是弄不清。", "没有这个习惯，不给也完全没有问题。"),
        ("确认函的语气能正式一点吗？我的领导也会看。", "可以，确认函的措辞会保持正式。"),
    ),
    replies=(
        "好的，已经记下了。",
        "谢谢，已经登记。",
        "明白了，还有什么需要我安排的吗？",
        "没问题，行程已经相应调整。",
        "可以的，不另外收费，已记录。",
        "好，那我们继续。",
    ),
)

LANGUAGES: Final[Mapping[str, Language]] = {one.template: one for one in (ENGLISH, CHINESE)}

"""Long conversations of small talk, slot changes and tool traffic, made up at random: what a summary has to look through.

Words here are those of everyday talk, with the figures and the musts and onlys that such talk has; they tell nothing that
is to be kept.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from slotstate.compact import Span, Spoken

SLOTS = {
    "travel.destination": ("Oslo", "Porto", "Ghent", "Trieste", "Lucerne", "Bergen", "Krakow", "Seville"),
    "travel.depart_on": tuple(str(date(2025, 5, 3) + timedelta(days=step)) for step in range(0, 60, 7)),
    "travel.party_size": (1, 2, 3, 4, 5, 6),
    "travel.seat": ("window", "aisle", "middle"),
    "hotel.name": ("Grand Plaza", "Seaview Lodge", "Old Mill", "Park Corner", "Hotel Aurora"),
    "hotel.nights": (1, 2, 3, 4, 5, 7),
    "hotel.budget": (80, 95, 120, 150, 180, 220),
}
CHINESE_VALUES: dict[str, tuple[Any, ...]] = {
    "travel.destination": ("杭州", "成都", "青岛", "西安", "厦门", "昆明", "大理", "苏州"),
    "travel.seat": ("靠窗", "过道", "中间"),
    "hotel.name": ("湖滨大酒店", "海景山庄", "老街客栈", "云来宾馆", "星河酒店"),
}


@dataclass(frozen=True)
class Talk:
    """The sentences of one language. `{}` takes a slot's value, `{n}` a number."""

    slots: dict[str, tuple[str, ...]]
    chat: tuple[str, ...]
    small: tuple[str, ...]
    replies: tuple[str, ...]
    asks: tuple[str, ...]
    infos: tuple[str, ...]
    joiner: str = " "


ENGLISH = Talk(
    slots={
        "travel.destination": (
            "I want to go to {}.",
            "Actually, make it {} instead.",
            "We'd like to travel to {} please.",
            "Can you change the destination to {}?",
            "Let's go to {}.",
        ),
        "travel.depart_on": ("We leave on {}.", "Can we move it to {}?", "Make the departure {}, please."),
        "travel.party_size": ("There will be {} of us.", "We are {} people now.", "Make that {} tickets."),
        "travel.seat": ("A {} seat, please.", "I'd prefer a {} seat.", "I'll take the {} seat."),
        "hotel.name": ("Book the {}.", "I'll take the {}.", "Let's stay at the {} then.", "No, the {} please."),
        "hotel.nights": ("We stay {} nights.", "Make it {} nights.", "It has to be {} nights."),
        "hotel.budget": ("No more than {} euros a night.", "My limit is {} a night.", "At most {} per night."),
    },
    chat=(
        "How are you today?",
        "I slept only {n} hours, I need coffee.",
        "It has been raining here for {n} days.",
        "My neighbour got a new puppy and it never stops barking.",
        "I must say, you are quick.",
        "Did you see the match last night?",
        "We lost {n} to 1, can you believe it?",
        "I love this time of the year.",
        "My brother says hello.",
        "I have to laugh every time I read that.",
        "What do you think of the new tram line?",
        "I had soup for lunch because it was so cold.",
        "The kids are at their grandmother's today.",
        "I don't know, it's been one of those days.",
        "You can't imagine the traffic this morning.",
        "I read that book about the lighthouse you mentioned.",
        "I have never been to a place that far north.",
        "At least the sun is out now.",
        "My phone battery is at {n} percent again.",
        "I was stuck in the lift for {n} minutes.",
        "Honestly, I think I am getting old.",
        "I baked bread yesterday, it turned out fine.",
        "The cat is asleep on my keyboard.",
        "I should call my sister one of these days.",
        "There was a street band outside and they were great.",
        "I can't believe it is already autumn.",
        "I finished the puzzle with {n} pieces.",
        "We watched a film about whales.",
        "Is it cold there at this time of the year?",
        "It must be nice to live by the sea.",
        "I'm just drinking tea and looking out of the window.",
        "My garden is full of tomatoes this year.",
        "I'm not sure, let me think.",
        "I wanted to ask how far the station is from the centre.",
        "My colleague went there last year and liked it.",
        "I'm going to make dinner soon.",
        "I like the sound of that.",
        "That reminds me of my school days.",
        "We used to have a boat when I was little.",
        "My knee hurts a bit from running.",
    ),
    small=(
        "Thanks!",
        "Great, thank you.",
        "Okay.",
        "Hi there.",
        "Good morning!",
        "Perfect.",
        "I see.",
        "Haha.",
        "Yes.",
        "No.",
    ),
    replies=(
        "Of course, noted.",
        "You're welcome!",
        "That sounds lovely.",
        "I'm glad to hear that.",
        "Ha, I know the feeling.",
        "Sure, I have changed that for you.",
        "Done. Is there anything else I can help you with?",
        "Oh, that is a pity.",
        "I hope it gets better soon.",
    ),
    asks=(
        "Do you have a seat preference?",
        "How many nights would you like to stay?",
        "Shall I look for a hotel as well?",
        "Would you like to see more options?",
        "Is that correct?",
    ),
    infos=(
        "The train leaves at {n}:40 and takes about {n} hours.",
        "There are {n} hotels near the station.",
        "A double room costs {n}5 euros a night.",
        "It is {n} degrees there at the moment.",
        "The museum opens at {n} in the morning.",
    ),
)

CHINESE = Talk(
    slots={
        "travel.destination": ("我想去{}。", "改成{}吧。", "我们要去{}。", "目的地换成{}可以吗？", "那就去{}吧。"),
        "travel.depart_on": ("{}出发。", "能改到{}吗？", "出发日期定在{}。"),
        "travel.party_size": ("我们一共{}个人。", "现在是{}个人了。", "要{}张票。"),
        "travel.seat": ("要{}的座位。", "最好是{}的座位。", "座位就要{}的。"),
        "hotel.name": ("订{}吧。", "就住{}。", "那就{}好了。", "不，换{}。"),
        "hotel.nights": ("住{}晚。", "改成{}晚。", "得住{}晚。"),
        "hotel.budget": ("每晚不超过{}块。", "预算最多{}一晚。", "一晚{}以内。"),
    },
    chat=(
        "你今天怎么样？",
        "我昨晚只睡了{n}个小时，困死了。",
        "这边连着下了{n}天雨。",
        "邻居养了只小狗，一直叫个不停。",
        "不得不说，你反应真快。",
        "昨晚的球赛你看了吗？",
        "我们输了{n}比一，真没想到。",
        "我特别喜欢这个季节。",
        "我弟弟向你问好。",
        "每次看到都忍不住笑。",
        "新开的地铁线你觉得怎么样？",
        "今天太冷了，中午喝了碗汤。",
        "孩子们今天在奶奶家。",
        "也不知道怎么了，今天什么都不顺。",
        "早上堵车堵得厉害。",
        "你上次说的那本书我看完了。",
        "那么远的地方我还没去过。",
        "好在太阳出来了。",
        "我手机又只剩百分之{n}的电了。",
        "我在电梯里困了{n}分钟。",
        "说真的，我觉得自己老了。",
        "昨天做了面包，味道还行。",
        "猫在我键盘上睡着了。",
        "改天得给我姐打个电话聊聊。",
        "楼下有人唱歌，唱得真好。",
        "没想到都已经秋天了。",
        "{n}百片的拼图终于拼完了。",
        "我们看了一部讲鲸鱼的电影。",
        "那边这个时候冷不冷？",
        "住在海边一定很舒服。",
        "我正喝着茶看窗外呢。",
        "今年院子里西红柿长得特别好。",
        "不好说，我想想。",
        "想问问车站离市中心远不远。",
        "我同事去年去过，说挺好的。",
        "我一会儿去做饭。",
        "听着不错。",
        "让我想起上学的时候。",
        "小时候家里有一条船。",
        "跑步跑得膝盖有点疼。",
    ),
    small=("谢谢！", "太好了。", "好的。", "你好。", "早上好！", "嗯。", "知道了。", "哈哈。", "对。", "不是。"),
    replies=(
        "好的，记下了。",
        "不客气！",
        "听起来真不错。",
        "很高兴听到您这么说。",
        "哈哈，我懂。",
        "好的，已经帮您改好了。",
        "完成了，请问还有什么可以帮您？",
        "啊，那真可惜。",
        "希望快点好起来。",
    ),
    asks=("您对座位有什么偏好吗？", "您要住几晚？", "需要我帮您找酒店吗？", "要再看看别的吗？", "是这样吗？"),
    infos=(
        "火车{n}点四十发车，大约{n}个小时。",
        "车站附近有{n}家酒店。",
        "双人间每晚{n}5元。",
        "那边现在{n}度。",
        "博物馆早上{n}点开门。",
    ),
    joiner="",
)
TALKS = {"en": ENGLISH, "zh": CHINESE}


@dataclass
class Conversation:
    """Messages with the slots as they stand after them."""

    rng: random.Random
    language: str
    messages: list[Spoken] = field(default_factory=list)
    slots: dict[str, Any] = field(default_factory=dict)
    others: dict[str, list[Any]] = field(default_factory=dict)
    told: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def say(self, role: Any, text: str, tool: str | None = None) -> str:
        """One more message; its id."""
        ident = f"m{len(self.messages)}"
        self.messages.append(Spoken(ident, len(self.messages), role, text, tool))
        return ident

    def turn(self, planted: dict[str, Any] | None) -> None:
        """The user says something, and the assistant answers."""
        talk, rng = TALKS[self.language], self.rng
        parts, path, value = [], None, None
        if rng.random() < 0.45:
            path = rng.choice(list(SLOTS))
            values = CHINESE_VALUES.get(path, SLOTS[path]) if self.language == "zh" else SLOTS[path]
            value = rng.choice(values)
            parts.append(rng.choice(talk.slots[path]).format(self.spelt(path, value)))
        if not parts or rng.random() < 0.4:
            parts.append(rng.choice(talk.small if rng.random() < 0.2 else talk.chat).format(n=rng.randint(2, 9)))
        if planted is not None:
            if "heard" in planted:
                self.say("assistant", planted["heard"])
                parts = [planted["said"]]
            elif rng.random() < 0.5:
                parts = [planted["said"]]
            else:
                parts.insert(rng.randint(0, len(parts)), planted["said"])
        ident = self.say("user", talk.joiner.join(parts))
        if path is not None and len(parts) > (planted is not None):
            self.hold(path, value, ident)
        self.answer()

    def spelt(self, path: str, value: Any) -> str:
        """A value as people say it."""
        if path != "travel.depart_on":
            return str(value)
        day = date.fromisoformat(value)
        return f"{day.month}月{day.day}号" if self.language == "zh" else f"{day:%B} {day.day}"

    def hold(self, path: str, value: Any, ident: str) -> None:
        """A slot takes a value."""
        old = self.slots.get(path)
        if old is not None and old != value:
            self.others.setdefault(path, []).append(old)
        self.slots[path] = value
        self.told[path] = (ident,)

    def answer(self) -> None:
        """What the assistant says, now and then with a tool."""
        talk, rng = TALKS[self.language], self.rng
        if rng.random() < 0.08:
            found = [
                {"id": f"H{rng.randint(100, 999)}", "price": rng.randint(60, 240)} for _ in range(rng.randint(0, 3))
            ]
            self.say("tool", str({"results": found}).replace("'", '"'), "search_hotels")
        parts = [rng.choice(talk.replies)]
        if rng.random() < 0.3:
            parts.append(rng.choice(talk.infos).format(n=rng.randint(2, 9)))
        if rng.random() < 0.25:
            parts.append(rng.choice(talk.asks))
        self.say("assistant", talk.joiner.join(parts))

    def span(self, start: int, end: int) -> Span:
        """The messages [start, end) as a summary is to cover them now."""
        others = {path: tuple(one for one in olds if one != self.slots[path]) for path, olds in self.others.items()}
        return Span(tuple(self.messages[start:end]), dict(self.slots), others, dict(self.told))

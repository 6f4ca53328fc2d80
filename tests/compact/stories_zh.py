"""What is said and how it is summed up, in Chinese, as in stories_en."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from datetime import date, time

from tests.compact.stories import Story, Value, counts, dates, measured, names, other, plain, times

PEOPLE = (
    "张伟",
    "李静",
    "王晓梅",
    "刘志强",
    "陈雨欣",
    "杨帆",
    "赵国华",
    "黄丽娟",
    "周子涵",
    "吴建军",
    "徐明辉",
    "孙佳怡",
    "马晓东",
    "朱婷婷",
    "郭海燕",
    "何文博",
)
SURNAMES = tuple("张李王刘陈杨赵黄周吴徐孙马朱郭何林高罗郑")
CITIES = (
    "南京",
    "苏州",
    "厦门",
    "昆明",
    "桂林",
    "青岛",
    "成都",
    "长沙",
    "洛阳",
    "绍兴",
    "泉州",
    "大理",
    "烟台",
    "合肥",
    "扬州",
    "珠海",
)
FIRMS = (
    "云栖宾馆",
    "锦江饭店",
    "望湖酒店",
    "如意客栈",
    "金桥酒店",
    "春晖宾馆",
    "海棠酒店",
    "梧桐饭店",
    "听涛客栈",
    "鼎盛酒店",
    "碧水酒店",
    "枫林宾馆",
)
PRODUCTS = (
    "Veltron X3",
    "Quasar Lite",
    "Norvik 500",
    "Pelican Pro",
    "Ombra S",
    "Trailmate 2",
    "Zenbrew Duo",
    "Kestrel Mini",
)
STREETS = ("建设路", "槐树街", "解放路", "梅花巷", "长江路", "文昌街", "朝阳路", "桃源街", "翠竹路")

STORIES = (
    Story(
        "table",
        "constraint",
        turns=(("u", ("{d}{t}，我们{n}个人，想订个位子。", "麻烦帮我订{d}{t}的位子，一共{n}位。", "想在{d}吃饭，{t}到，{n}个人。")),),
        told=("用户[+要|不要]订{d}{t}的{n}人位。", "订位：{d}{t}，{n}人。", "{n}人，{d}{t}[+用餐|不用餐]，需要订位。"),
        fields={"n": "count", "d": "date", "t": "time"},
        slot=("table.time", "t"),
        before=("{t}行吗？", "我本来想{t}去的。"),
    ),
    Story(
        "nuts",
        "constraint",
        turns=(("u", ("{who}对{food}过敏，菜里千万别放{food}。", "别放{food}！{who}吃了要进医院的。", "{who}不能吃{food}，一点都不能有，过敏。")),),
        told=("{who}{food}过敏，菜里[-不能|可以]有{food}。", "因{who}过敏，菜里[-不得含|要含]{food}。", "[-不要|要]放{food}，{who}会过敏。"),
        fields={"food": "food", "who": "kin"},
        denies=True,
    ),
    Story(
        "budget",
        "constraint",
        turns=(("u", ("我最多花{m}。", "预算就{m}，全包在内。", "超过{m}我就不考虑了。")),),
        told=("预算上限为{m}。", "用户最多[+愿意|不愿意]花{m}。", "花费不超过{m}。"),
        fields={"m": "money"},
        slot=("purchase.budget", "m"),
        before=("预算大概{m}吧。", "先按{m}来算。"),
    ),
    Story(
        "stairs",
        "constraint",
        turns=(("u", ("我腿脚不好，爬不了楼梯。", "刚做完手术，楼梯我走不了。", "我拄拐杖，上不了楼梯。")), ("a", ("明白，{f}有电梯。", "{f}每层都有电梯。"))),
        told=("用户[-不能|能]爬楼梯，{f}[+有|没有]电梯。", "{f}[+有|没有]电梯；用户[-走不了|能走]楼梯。", "用户[-无法|可以]走楼梯，好在{f}[+有|没有]电梯。"),
        fields={"f": "firm"},
        denies=True,
    ),
    Story(
        "train",
        "decision",
        turns=(("a", ("有一趟{t}去{c}的车，票价{m}。", "去{c}可以坐{t}那班，{m}。")), ("u", ("行，就这趟。", "就订这班吧。", "可以，买这个。"))),
        told=("用户[+选了|没有选]{t}去{c}的车，{m}。", "[+已订|没有订]{t}去{c}的车票，{m}。", "去{c}，{t}发车，票价{m}，用户[+同意|不同意]。"),
        fields={"c": "city", "t": "time", "m": "money"},
        slot=("train.destination", "c"),
        before=("我想去{c}。", "要不去{c}？"),
    ),
    Story(
        "seatless",
        "refusal",
        turns=(("a", ("需要选座吗？加收{m}。", "选座服务{m}，要加上吗？")), ("u", ("不用了，谢谢。", "不需要。", "不要，随便坐。", "算了，不用选。"))),
        told=("用户[-不需要|需要]选座（{m}）。", "选座服务{m}，用户[-没有要|要了]。", "[-不|要]加{m}的选座服务。"),
        fields={"m": "money"},
        denies=True,
    ),
    Story(
        "parcel",
        "open",
        turns=(("u", ("订单{k}还没到，说好{w}送的。", "{k}这个单子怎么还没送来？{w}就该到了。")), ("a", ("抱歉，包裹还在{c}。", "它现在卡在{c}。"))),
        told=("订单{k}原定{w}送达，[-尚未收到|已经收到]，包裹在{c}。", "{k}应于{w}到，目前[-没有送到|已经送到]，停在{c}。", "订单{k}[-没有|已经]送到，本该{w}到，现在在{c}。"),
        fields={"k": "code", "w": "weekday", "c": "city"},
        denies=True,
    ),
    Story(
        "doctor",
        "decision",
        turns=(("a", ("{s}医生{w}{t}有号。", "{w}{t}可以看{s}医生的号。")), ("u", ("好，就这个时间。", "可以，帮我挂上。", "行，约吧。"))),
        told=("[+已约|没有约]{w}{t}{s}医生的号。", "用户{w}{t}去看{s}医生。", "{s}医生的号[+约在|没有约在]{w}{t}。"),
        fields={"s": "surname", "w": "weekday", "t": "time"},
        slot=("visit.day", "w"),
        before=("{w}可以吗？", "我想{w}去。"),
    ),
    Story(
        "mornings",
        "constraint",
        turns=(("u", ("我上午要上班，上午来不了。", "上午别给我排，我在公司。", "因为工作的关系，上午我都不行。")),),
        told=("用户上午[-来不了|能来]，要上班。", "上午[-不行|可以]，用户在工作。", "[-不要|要]安排在上午，因为用户要工作。"),
        fields={},
        denies=True,
    ),
    Story(
        "luggage",
        "fact",
        turns=(("u", ("我带一个箱子，{g}，还有个双肩包。", "行李是{g}的箱子加一个双肩包。", "箱子{g}，另外背个双肩包。")),),
        told=("行李为一个{g}的箱子和一个双肩包。", "用户[+带|不带]一个{g}的箱子、一个双肩包。", "[+有|没有]一只箱子（{g}）和双肩包。"),
        fields={"g": "weight"},
    ),
    Story(
        "hotel",
        "decision",
        turns=(
            ("u", ("我们{d}入住，住{s}。", "从{d}开始住{s}。")),
            ("a", ("{f}每晚{m}，带停车位。", "那{f}怎么样？一晚{m}，含停车。")),
            ("u", ("挺好，就订这家。", "可以，订吧。", "行，就它了。")),
        ),
        told=("[+定了|没有定]{f}，{d}入住，住{s}，每晚{m}，含停车。", "{d}起在{f}住{s}，一晚{m}，[+有|没有]停车位。", "住{f}：{d}起{s}，每晚{m}。"),
        fields={"d": "date", "s": "stay", "f": "firm", "m": "money"},
        slot=("hotel.name", "f"),
        before=("{f}怎么样？", "朋友推荐过{f}。"),
    ),
    Story(
        "breakfast",
        "refusal",
        turns=(("u", ("早餐不用了，我们{t}就走。", "不要早餐，{t}就得出门。", "我们{t}出发，早饭就不吃了。")),),
        told=("用户[-不要|要]早餐，{t}就出发。", "[-不含|含]早餐，因为{t}要走。", "{t}就走，[-不需要|需要]早餐。"),
        fields={"t": "time"},
        denies=True,
    ),
    Story(
        "distance",
        "preference",
        turns=(("u", ("离市中心别超过{x}，要带院子。", "要有院子，到市中心{x}以内。", "最远离市中心{x}，得有个院子。")),),
        told=("要求[+有|没有]院子，离市中心不超过{x}。", "[+要|不要]带院子的，距市中心{x}以内。", "到市中心最多{x}，[+需要|不需要]院子。"),
        fields={"x": "distance"},
    ),
    Story(
        "deploy",
        "failed",
        turns=(
            ("u", ("任务{k}跑了{z}就崩了，内存到{b}爆的。", "{k}又挂了，{z}的时候内存用到{b}就没了。")),
            ("a", ("重启试过吗？", "要不要重启一下？")),
            ("u", ("重启没用，{w}试过了。", "{w}重启过，不管用。")),
        ),
        told=("{k}运行{z}后因内存达{b}崩溃，{w}重启[-没有用|有用]。", "任务{k}失败（{z}，内存{b}）；{w}试过重启，[-不起作用|起了作用]。", "{w}重启{k}[-无效|有效]，它在{z}、{b}内存时崩溃。"),
        fields={"k": "code", "z": "span", "b": "memory", "w": "weekday"},
        denies=True,
    ),
    Story(
        "production",
        "constraint",
        turns=(("u", ("没有{p}同意，谁都不许动生产库。", "生产库千万别碰，先问{p}。", "动生产库之前必须{p}点头，否则绝对不行。")),),
        told=("未经{p}同意，[-不得|可以]改动生产库。", "[-不能|可以]动生产库，除非{p}同意。", "生产库[-禁止|允许]改动，须先问{p}。"),
        fields={"p": "person"},
        denies=True,
    ),
    Story(
        "refund",
        "decision",
        turns=(("u", ("我不退款，给我换一台{q}。", "不要退款，重新发一台{q}就行。", "退款就不必了，我要的是{q}。")), ("a", ("{d}给您发出。", "新的{d}寄出。"))),
        told=("用户[-不要|要]退款，{d}重新寄一台{q}。", "{q}[+换新|不换新]，{d}发出，[-不|要]退款。", "[-不退款|退款]，{d}[+寄出|不寄出]新的{q}。"),
        fields={"q": "product", "d": "date"},
        denies=True,
    ),
    Story(
        "address",
        "fact",
        turns=(("u", ("请送到{r}{i}号，邻居{p}代收。", "地址是{r}{i}号，由隔壁的{p}签收。")),),
        told=("[+送到|不送到]{r}{i}号，邻居{p}代收。", "收货地址[+是|不是]{r}{i}号，由{p}签收。", "{p}在{r}{i}号[+代收|不代收]。"),
        fields={"i": "house", "r": "street", "p": "person"},
        slot=("delivery.street", "r"),
        before=("送到{r}吧。", "我住{r}。"),
    ),
    Story(
        "smoking",
        "preference",
        turns=(("u", ("我们不抽烟，别给吸烟房。", "不要吸烟房，受不了烟味。", "闻不了烟味，吸烟房不行。")),),
        told=("用户[-不要|要]吸烟房。", "房间[-不能是吸烟房，用户不喜欢烟味|要吸烟房，用户喜欢烟味]。", "[-不住|住]吸烟房。"),
        fields={},
        denies=True,
    ),
    Story(
        "laptop",
        "decision",
        turns=(("a", ("{q}配{b}，{m}。", "推荐{q}，{b}内存，价格{m}。")), ("u", ("那就{q}，银色的。", "要{q}，银色。"))),
        told=("用户[+要|不要]银色的{q}，{b}，{m}。", "[+选了|没选]{q}（{b}，银色，{m}）。", "[+订购|不订购]银色{q}，内存{b}，{m}。"),
        fields={"q": "product", "b": "memory", "m": "money"},
        slot=("order.product", "q"),
        before=("我在看{q}。", "{q}好不好？"),
    ),
    Story(
        "discount",
        "fact",
        turns=(("a", ("用{k}可以优惠{e}，{d}前有效。", "{d}之前用优惠码{k}，能便宜{e}。")),),
        told=("优惠码{k}[+可以|不可以]优惠{e}，{d}前有效。", "{k}[+能|不能]便宜{e}，{d}截止。", "{d}前用{k}优惠{e}。"),
        fields={"k": "code", "e": "percent", "d": "date"},
    ),
    Story(
        "party",
        "fact",
        turns=(("u", ("我们一共{n}个人，{v}个不吃肉。", "来{n}位客人，其中{v}位吃素。")), ("a", ("{f}坐得下。", "{f}的厅够大。"))),
        told=("共{n}人，{v}人吃素，{f}[+坐得下|坐不下]。", "客人{n}位，其中{v}位素食，{f}[+够大|不够大]。", "{f}能容纳{n}人（{v}人素食）。"),
        fields={"n": "crowd", "v": "few", "f": "firm"},
    ),
    Story(
        "insurance",
        "refusal",
        turns=(("a", ("要加{m}的保险吗？", "旅行保险{m}，需要吗？")), ("u", ("保险不要，我信用卡自带。", "不买保险，卡里有。", "我从来不买保险，信用卡送的。"))),
        told=("用户[-不买|要买]{m}的保险，信用卡自带。", "[-不要|要]保险（{m}），卡里已有。", "{m}的保险[-没有买|买了]，信用卡已经包含。"),
        fields={"m": "money"},
        denies=True,
    ),
    Story(
        "dog",
        "fact",
        turns=(("u", ("我们带狗来，叫{o}，{g}，很乖。", "还有我家{o}，一只{g}的狗，很听话。")), ("a", ("{f}可以带狗，每天{m}。", "{f}欢迎狗狗，一天收{m}。"))),
        told=("用户[+带|不带]狗{o}（{g}），{f}每天收{m}。", "{f}[+可以|不可以]带狗，{o}重{g}，每天{m}。", "狗{o}{g}，[+同行|不同行]；{f}一天{m}。"),
        fields={"o": "pet", "g": "weight", "f": "firm", "m": "money"},
    ),
    Story(
        "calls",
        "constraint",
        turns=(("u", ("别给我打电话，发邮件给{p}。", "不要电话联系，邮件发{p}就行。", "我不接电话，有事给{p}写邮件。")),),
        told=("[-不要|要]打电话，发邮件给{p}。", "用户[-不接|接]电话，联系{p}的邮件。", "[-别|请]打电话，[+写|不写]邮件给{p}。"),
        fields={"p": "person"},
        denies=True,
    ),
    Story(
        "flat",
        "constraint",
        turns=(("u", ("想在{c}租个{y}左右的房子，一楼不要。", "{c}，{y}上下，不住一楼。", "我要在{c}找房，大概{y}，一楼不考虑。")),),
        told=("[+要|不要]在{c}租约{y}的房子，[-不要|要]一楼。", "在{c}找房，{y}左右，一楼[-除外|优先]。", "{c}，约{y}，[-不住|住]一楼。"),
        fields={"y": "area", "c": "city"},
        denies=True,
        slot=("flat.city", "c"),
        before=("{c}有房吗？", "一开始想住{c}。"),
    ),
    Story(
        "meeting",
        "decision",
        turns=(("u", ("跟{p}的会挪到{w}{t}行吗？", "把和{p}的会改在{w}{t}。")), ("a", ("改好了，{w}。", "好的，已经改到{w}。"))),
        told=("与{p}的会[+改到|没有改到]{w}{t}。", "{w}{t}和{p}[+开会|不开会]。", "和{p}的会议[+定在|不定在]{w}{t}。"),
        fields={"p": "person", "w": "weekday", "t": "time"},
        slot=("call.day", "w"),
        before=("会原来在{w}。", "本来约的{w}。"),
    ),
    Story(
        "alcohol",
        "constraint",
        turns=(("u", ("一半客人不喝酒，饮料里别加酒精。", "饮料不要含酒精的。", "饮料里一点酒精都不要放。")),),
        told=("饮料[-不能|要]含酒精。", "饮料里[-不加|要加]酒精。", "[-不要|要]含酒精的饮料。"),
        fields={},
        denies=True,
    ),
    Story(
        "visa",
        "open",
        turns=(("u", ("签证还没申请，{p}的邀请函没到。", "我还没办签证，要等{p}的邀请函。")), ("a", ("请在{d}前办好。", "截止日期是{d}。"))),
        told=("签证[-尚未申请|已经申请]，在等{p}的邀请函，{d}截止。", "用户[-没有办|办好了]签证，等{p}的邀请函，{d}前要办。", "[-未办|已办]签证：还缺{p}的邀请函，{d}前办好。"),
        fields={"p": "person", "d": "date"},
        denies=True,
    ),
)  # fmt: skip
FILLERS = (
    ("u", "你好！"), ("a", "您好，请问有什么可以帮您？"), ("a", "请稍等。"), ("u", "不着急。"), ("a", "还有别的需要吗？"), ("u", "还有一件事。"),
    ("u", "谢谢。"), ("a", "不客气。"), ("a", "我看一下。"), ("u", "今天天气真好。"), ("a", "记下了。"), ("u", "太好了，辛苦你。"),
)  # fmt: skip

_DIGITS = "零一二三四五六七八九"
_DAYS = tuple("一二三四五六日")


def _numeral(number: int) -> str:
    """Up to 9,999."""
    if number < 10:
        return _DIGITS[number]
    text, rest = "", number
    for size, name in ((1000, "千"), (100, "百"), (10, "十")):
        digit, rest = divmod(rest, size)
        if digit:
            text += ("" if name == "十" and not text and digit == 1 else _DIGITS[digit]) + name
        elif text and rest and not text.endswith("零"):
            text += "零"
    return text + _DIGITS[rest] if rest else text.rstrip("零")


def _count(number: int) -> str:
    return "两" if number == 2 else _numeral(number)


def _date(day: date) -> tuple[str, ...]:
    return (
        f"{day.month}月{day.day}号",
        f"{_numeral(day.month)}月{_numeral(day.day)}号",
        f"{day.month}月{day.day}日",
        f"{_numeral(day.month)}月{_numeral(day.day)}日",
    )


def _told_date(day: date) -> tuple[str, ...]:
    return f"{day.month}月{day.day}日", f"{day.month}月{day.day}号"


def _part(at: time) -> str:
    return "上午" if at.hour < 12 else "中午" if at.hour == 12 else "下午" if at.hour < 18 else "晚上"


def _time(at: time) -> tuple[str, ...]:
    hour = at.hour if at.hour <= 12 else at.hour - 12
    minutes = {0: "", 15: "一刻", 30: "半", 45: "三刻"}[at.minute]
    digits = {0: "", 15: "15", 30: "30", 45: "45"}[at.minute]
    return (
        f"{_part(at)}{_count(hour)}点{minutes}",
        f"{_part(at)}{hour}点{digits}",
        f"{at.hour}:{at.minute:02}",
        f"{_part(at)}{hour}点{minutes}",
    )


def _told_time(at: time) -> tuple[str, ...]:
    return (
        f"{at.hour}:{at.minute:02}",
        f"{at.hour:02}:{at.minute:02}",
        f"{_part(at)}{at.hour if at.hour <= 12 else at.hour - 12}:{at.minute:02}",
    )


def _weekday(day: str) -> Value:
    return Value(
        (f"周{day}", f"星期{day}", f"礼拜{day}"),
        (f"周{day}", f"星期{day}"),
        f"周{day}",
        other(_weekday, _DAYS, day, "date"),
    )


def _code(code: str) -> Value:
    digits = [at for at, char in enumerate(code) if char.isdigit()]
    return Value(
        (code,),
        (code,),
        code,
        {"digit": lambda dice: _code(_changed(code, dice.choice(digits), dice.randrange(1, 10)))},
    )


def _changed(code: str, at: int, shift: int) -> str:
    return f"{code[:at]}{(int(code[at]) + shift) % 10}{code[at + 1 :]}"


FIELDS = {
    "count": counts(range(2, 13), lambda n: (str(n), _count(n)), lambda n: (str(n), _count(n))),
    "crowd": counts(range(14, 90), lambda n: (str(n), _numeral(n)), lambda n: (str(n),)),
    "few": counts(range(2, 10), lambda n: (str(n), _count(n)), lambda n: (str(n), _count(n))),
    "house": counts(range(3, 180), lambda n: (str(n), _numeral(n)), lambda n: (str(n),)),
    "money": measured(
        (25, 38, 45, 60, 85, 120, 145, 180, 230, 275, 340, 420, 560, 780, 950, 1200, 1850, 2400),
        {
            "CNY": (("{}块", "{}元", "{}块钱", "¥{}"), ("{}元", "{}块")),
            "USD": (("{}美元", "{}美金", "${}"), ("{}美元", "${}")),
            "EUR": (("{}欧元", "€{}"), ("{}欧元", "€{}")),
            "HKD": (("{}港币", "{}港元"), ("{}港币", "{}港元")),
        },
    ),
    "weight": measured(
        (7, 9, 12, 18, 23, 27, 30),
        {
            "kg": (("{}公斤", "{}kg", "{}千克"), ("{}公斤", "{}kg")),
            "jin": (("{}斤",), ("{}斤",)),
            "lb": (("{}磅",), ("{}磅",)),
        },
    ),
    "distance": measured(
        (3, 4, 5, 6, 8, 12, 15),
        {
            "km": (("{}公里", "{}千米"), ("{}公里", "{}km")),
            "mi": (("{}英里",), ("{}英里",)),
            "min": (("{}分钟",), ("{}分钟",)),
        },
    ),
    "memory": measured(
        (8, 12, 16, 32, 48, 64),
        {"GB": (("{}GB", "{} GB", "{}G"), ("{}GB",)), "MB": (("{}MB",), ("{}MB",)), "TB": (("{}TB",), ("{}TB",))},
    ),
    "area": measured(
        (55, 62, 70, 84, 95, 110),
        {"m2": (("{}平", "{}平米", "{}平方米"), ("{}平方米", "{}平米", "{}平")), "mu": (("{}亩",), ("{}亩",))},
    ),
    "span": measured(
        (12, 15, 20, 25, 40, 45, 90),
        {
            "min": (("{}分钟",), ("{}分钟",)),
            "h": (("{}小时", "{}个小时"), ("{}小时", "{}个小时")),
            "s": (("{}秒", "{}秒钟"), ("{}秒",)),
        },
    ),
    "stay": measured(
        (3, 4, 5, 6, 8, 10),
        {
            "night": (("{}晚",), ("{}晚",)),
            "week": (("{}周", "{}个星期"), ("{}周",)),
            "month": (("{}个月",), ("{}个月",)),
        },
    ),
    "percent": measured(
        (5, 10, 12, 15, 20, 25),
        {"%": (("{}%", "百分之{}"), ("{}%",)), "CNY": (("{}块", "{}元"), ("{}元",)), "EUR": (("{}欧元",), ("{}欧元",))},
    ),
    "date": dates(_date, _told_date),
    "time": times(_time, _told_time),
    "weekday": lambda dice: _weekday(dice.choice(_DAYS)),
    "code": lambda dice: _code(
        dice.choice(("{}-{:04}", "{}{:05}")).format(
            dice.choice(("A", "KX", "NR", "TB", "QZ")), dice.randrange(100, 1000)
        )
    ),
    "person": names(PEOPLE),
    "surname": names(SURNAMES),
    "city": names(CITIES),
    "firm": names(FIRMS),
    "product": names(PRODUCTS),
    "street": names(STREETS),
    "pet": names(("豆豆", "旺财", "可乐", "团子", "小虎", "雪球", "布丁", "阿黄")),
    "food": plain(("花生", "海鲜", "芝麻", "大蒜", "芹菜", "芥末", "牛奶", "鸡蛋")),
    "kin": plain(("我儿子", "我太太", "我妈", "我朋友", "我女儿")),
}

"""Chinese words of numbers, units and dates, as the check of a summary reads them."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from decimal import Decimal
from typing import Final

from slotstate.compact.units import Unit, merged, units

UNITS: Final[dict[str, tuple[Unit, ...]]] = merged(
    units("秒", "秒 秒钟", 1, "time"),
    units("分钟", "分钟 分鐘", 60, "time"),
    units("刻钟", "刻钟", 900, "time"),
    units("小时", "小时 小時 钟头 个小时 个钟头 個小時 个钟", 3600, "time"),
    units("天", "天 日游 个工作日 工作日", 86400, "time"),
    units("周", "周 星期 个星期 礼拜 个礼拜 週", 7 * 86400, "time"),
    units("个月", "个月 個月", 1, "month"),
    units("年", "年", 12, "month"),
    units("晚", "晚 个晚上 夜 晚上", 1, "night"),
    units("公里", "公里 千米", 1000, "length"),
    units("里", "里 里地 里路", 500, "length"),
    units("米", "米", 1, "length"),
    units("厘米", "厘米 公分", Decimal("0.01"), "length"),
    units("毫米", "毫米", Decimal("0.001"), "length"),
    units("英里", "英里", Decimal("1609.344"), "length"),
    units("英尺", "英尺", Decimal("0.3048"), "length"),
    units("英寸", "英寸 寸", Decimal("0.0254"), "length"),
    units("公斤", "公斤 千克", 1000, "weight"),
    units("斤", "斤", 500, "weight"),
    units("两", "两重", 50, "weight"),
    units("克", "克", 1, "weight"),
    units("毫克", "毫克", Decimal("0.001"), "weight"),
    units("吨", "吨", 10**6, "weight"),
    units("磅", "磅", Decimal("453.59237"), "weight"),
    units("升", "升", 1000, "volume"),
    units("毫升", "毫升", 1, "volume"),
    units("平米", "平 平米 平方 平方米 個平方 个平方", 1, "area"),
    units("亩", "亩", Decimal("666.67"), "area"),
    units("平方英尺", "平方英尺 平尺", Decimal("0.0929"), "area"),
    units("公顷", "公顷", 10**4, "area"),
    units("度", "度 摄氏度", 1, "degree"),
    units("华氏度", "华氏度", 1, "fahrenheit"),
    units("度电", "度电", 1, "energy"),
    units("个百分点", "个百分点", 1, "percent"),
    units("元", "元 块 块钱 元钱 元人民币 人民币 塊 圆", 1, "CNY"),
    units("角", "毛 毛钱 角", Decimal("0.1"), "CNY"),
    units("美元", "美元 美金 美刀 刀", 1, "USD"),
    units("欧元", "欧元 歐元 欧", 1, "EUR"),
    units("英镑", "英镑 英鎊 镑", 1, "GBP"),
    units("日元", "日元 日圆 日币 円", 1, "JPY"),
    units("港币", "港币 港元 港幣", 1, "HKD"),
    units("台币", "台币 新台币 臺幣", 1, "TWD"),
    units("韩元", "韩元 韩币", 1, "KRW"),
    units("加元", "加元 加币", 1, "CAD"),
    units("澳元", "澳元 澳币", 1, "AUD"),
    units("法郎", "法郎 瑞士法郎", 1, "CHF"),
    units("新币", "新币 新加坡元", 1, "SGD"),
    units("泰铢", "泰铢", 1, "THB"),
    units("卢布", "卢布", 1, "RUB"),
)
LONGEST: Final = max(map(len, UNITS))
LONE: Final = tuple(
    unit
    for unit in UNITS
    if len(unit) > 1 and unit not in {"晚上", "星期", "人民币", "工作日"} and UNITS[unit][0].kind != "time"
)
"""Units that say what numbers elsewhere are of."""
DEFAULT: Final = "CNY"
"""What a price is in when nobody said it."""
MAGNITUDES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8}
WEEKDAYS: Final = {
    char: number for number, chars in enumerate(("一", "二", "三", "四", "五", "六", "日天")) for char in chars
}
SHIFTS: Final = {"下": 1, "上": -1, "这": 0, "本": 0, "": None}
RELATIVE: Final = {"今": 0, "明": 1, "后": 2, "大后": 3, "昨": -1, "前": -2}
PARTS: Final = {
    "凌晨": "am", "早上": "morning", "早晨": "morning", "清晨": "morning", "上午": "morning", "早": "morning",
    "中午": "noon", "下午": "afternoon", "午后": "afternoon", "傍晚": "night", "晚上": "night", "晚间": "night",
    "夜里": "night", "深夜": "night", "半夜": "night", "晚": "night",
}  # fmt: skip
RATES: Final = {
    "天": "day", "日": "day", "晚": "night", "夜": "night", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year",
    "小时": "hour", "分钟": "minute",
}  # fmt: skip
TRAPS: Final = (
    "万一 一下 一点 一起 一样 一些 一定 一直 一般 一边 一会 一切 一旦 一向 一致 一律 一同 一流 一面 唯一 统一 同一 之一 十分 "
    "千万 万万 三明治 四川 三亚 三峡 二手 二维码 百度 百合 百货 千岛湖 十字 四周 三文鱼 五花 八宝 百香果 四季 七喜 八卦 两边 "
    "两侧 一共 一路 一次性 半夜 一半 另一 每一 某一 百分之 五星 四星 三星 一楼 五粮液 五谷 三里屯 千层 万圣 双十一 一旁 一带 第一时间 "
    "六安 九江 九寨 六合 三七 三门峡 一家人 两码事 千万别 百叶 一站式 一体 一口气 一手 不一 一概 三角 五金 六神 九龙 十堰 "
    "七星 八达岭 三清山 五台山 四姑娘山 百色 万州 万宁 万科 万达 千阳 二连 三环 四环 五环 二环 六环"
).split()
"""Words in which a numeral is none."""
BEFORE_NONE: Final = "周週第期拜初每唯统另唯某同"
"""Behind these a numeral is no number that counts something."""
NOT_DAY: Final = "楼线線房桌门院车座店馆厅出航码位台机球铺厢库柜仓"
"""Behind "号" these say that it numbers a thing."""

"""English words of numbers, units and dates, as the check of a summary reads them."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from slotstate.compact.units import Unit, merged, units

NUMBER_WORDS: Final = frozenset(
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion".split()
)
"""What a number begins with; "one" is mostly none."""
NUMBER_PARTS: Final = NUMBER_WORDS | {"one", "and", "a"}
"""What it may go on with."""
MAGNITUDES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12, "grand": 1000}
COUNTS: Final = {"couple": 2, "pair": 2, "both": 2, "twice": 2, "dozen": 12, "twins": 2}
GLUED: Final = {"k": 1000, "mn": 10**6, "bn": 10**9}
ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
        "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth "
        "thirty-first".split(),
        1,
    )
}
MONTHS: Final = {
    word: number
    for number, words in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|"
        "november nov|december dec".split("|"),
        1,
    )
    for word in words.split()
}
NOT_ALONE: Final = frozenset({"may", "march", "mar", "jan", "sep", "dec"})
"""Months that are another word too: without a day they count behind `BEFORE_MONTH` only."""
BEFORE_MONTH: Final = frozenset("in of since until till by early late mid next last this during from through".split())
WEEKDAYS: Final = {
    word: number
    for number, words in enumerate(
        "monday mon|tuesday tue tues|wednesday wed weds|thursday thu thur thurs|friday fri|saturday|sunday".split("|")
    )
    for word in (*words.split(), f"{words.split()[0]}s")
}
SHIFTS: Final = {"next": 1, "last": -1, "previous": -1, "past": -1}
RELATIVE: Final = {"tomorrow": 1, "yesterday": -1}
PARTS: Final = {
    "morning": "morning", "mornings": "morning", "afternoon": "afternoon", "afternoons": "afternoon",
    "evening": "night", "evenings": "night", "tonight": "night", "night": "", "nights": "",
}  # fmt: skip
"""Parts of the day; "night" alone says too little."""
NAMED_TIMES: Final = {"noon": 720, "midday": 720, "midnight": 0}
PAST, TO = frozenset({"past", "after"}), frozenset({"to", "before"})
MINUTES: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
HOURS: Final = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}

UNITS: Final[dict[str, tuple[Unit, ...]]] = merged(
    units("second", "second seconds sec secs", 1, "time"),
    units("minute", "minute minutes min mins", 60, "time"),
    units("hour", "hour hours hr hrs h", 3600, "time"),
    units("day", "day days daily", 86400, "time"),
    units("week", "week weeks weekly", 7 * 86400, "time"),
    units("fortnight", "fortnight fortnights", 14 * 86400, "time"),
    units("month", "month months monthly", 1, "month"),
    units("year", "year years yearly annual annually", 12, "month"),
    units("night", "night nights", 1, "night"),
    units("km", "km kms kilometre kilometres kilometer kilometers kmh km/h kph", 1000, "length"),
    units("m", "metre metres meter meters", 1, "length"),
    units("cm", "cm centimetre centimetres centimeter centimeters", Decimal("0.01"), "length"),
    units("mm", "mm millimetre millimetres millimeter millimeters", Decimal("0.001"), "length"),
    units("mile", "mile miles mi mph", Decimal("1609.344"), "length"),
    units("foot", "foot feet ft", Decimal("0.3048"), "length"),
    units("inch", "inch inches", Decimal("0.0254"), "length"),
    units("yard", "yard yards", Decimal("0.9144"), "length"),
    units("kg", "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes", 1000, "weight"),
    units("g", "gram grams gramme grammes", 1, "weight"),
    units("mg", "mg milligram milligrams", Decimal("0.001"), "weight"),
    units("tonne", "tonne tonnes", 10**6, "weight"),
    units("ton", "ton tons", 10**6, "weight"),
    units("lb", "lb lbs", Decimal("453.59237"), "weight"),
    units("ounce", "ounce ounces oz", Decimal("28.349523"), "weight"),
    units("litre", "litre litres liter liters", 1000, "volume"),
    units("ml", "ml millilitre millilitres milliliter milliliters", 1, "volume"),
    units("gallon", "gallon gallons", Decimal("3785.41"), "volume"),
    units("tb", "tb terabyte terabytes", 10**6, "bytes"),
    units("gb", "gb gigabyte gigabytes", 1000, "bytes"),
    units("mb", "mb megabyte megabytes", 1, "bytes"),
    units("kb", "kb kilobyte kilobytes", Decimal("0.001"), "bytes"),
    units("percent", "% percent pct percentage", 1, "percent"),
    units("degree", "degree degrees °", 1, "degree"),
    units("celsius", "celsius", 1, "degree"),
    units("fahrenheit", "fahrenheit", 1, "fahrenheit"),
    units("kwh", "kwh", 1, "energy"),
    units("watt", "watt watts", 1, "power"),
    units("kw", "kw kilowatt kilowatts", 1000, "power"),
    units("volt", "volt volts", 1, "voltage"),
    units("m²", "sqm m2", 1, "area"),
    units("ft²", "sqft", Decimal("0.0929"), "area"),
    units("hectare", "hectare hectares ha", 10**4, "area"),
    units("acre", "acre acres", Decimal("4046.86"), "area"),
    units("dollars", "$ us$ dollar dollars usd buck bucks", 1, "USD"),
    units("euros", "€ euro euros eur", 1, "EUR"),
    units("pounds", "£ gbp quid sterling", 1, "GBP"),
    units("francs", "franc francs chf", 1, "CHF"),
    units("yuan", "yuan rmb cny renminbi", 1, "CNY"),
    units("yen", "yen jpy", 1, "JPY"),
    units("won", "krw ₩", 1, "KRW"),
    units("rupees", "rupee rupees inr ₹", 1, "INR"),
    units("kronor", "krona kronor sek", 1, "SEK"),
    units("kroner", "krone kroner nok dkk", 1, "NOK"),
    units("roubles", "rouble roubles ruble rubles rub ₽", 1, "RUB"),
    units("zloty", "zloty zlotys pln", 1, "PLN"),
    units("baht", "baht thb ฿", 1, "THB"),
    units("cad", "cad ca$ c$", 1, "CAD"),
    units("aud", "aud au$ a$", 1, "AUD"),
    units("hkd", "hkd hk$", 1, "HKD"),
    units("sgd", "sgd s$", 1, "SGD"),
    units("twd", "twd nt$", 1, "TWD"),
    {"pound": (Unit("pounds", "GBP"), Unit("lb", "weight", Decimal("453.59237")))},
    {"pounds": (Unit("pounds", "GBP"), Unit("lb", "weight", Decimal("453.59237")))},
    {"cent": (Unit("cents", "USD", Decimal("0.01")), Unit("cents", "EUR", Decimal("0.01")))},
    {"cents": (Unit("cents", "USD", Decimal("0.01")), Unit("cents", "EUR", Decimal("0.01")))},
    {"pence": (Unit("pence", "GBP", Decimal("0.01")),)},
    {"¥": (Unit("yuan", "CNY"), Unit("yen", "JPY"))},
)
NOT_LONE: Final = frozenset("second day daily h ha foot mi pound min rub sec".split())
"""Units that say nothing about numbers elsewhere when they stand alone."""
AFTER_NUMBER: Final[dict[str, tuple[Unit, ...]]] = merged(
    units("m", "m", 1, "length"), units("g", "g", 1, "weight"), units("second", "s", 1, "time"),
    units("litre", "l", 1000, "volume"), units("tonne", "t", 10**6, "weight"), units("won", "won", 1, "KRW"),
    units("celsius", "c", 1, "degree"), units("fahrenheit", "f", 1, "fahrenheit"),
    units("watt", "w", 1, "power"), units("gb", "g", 1000, "bytes"),
)  # fmt: skip
"""Units right behind a number only."""
SQUARED: Final = {
    "metre": UNITS["m2"], "metres": UNITS["m2"], "meter": UNITS["m2"], "meters": UNITS["m2"], "m": UNITS["m2"],
    "feet": UNITS["sqft"], "foot": UNITS["sqft"], "ft": UNITS["sqft"],
}  # fmt: skip
"""What "square" makes of a unit."""
SKIPPED: Final = frozenset("more full whole us american working business calendar further extra other of or".split())
"""What may stand between a number and its unit."""

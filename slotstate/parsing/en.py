"""English: the table that the finders read."""

from __future__ import annotations

from decimal import Decimal

from slotstate.parsing.en_cues import ENGLISH_CUES
from slotstate.parsing.language import Calendar, Choices, Clock, Currencies, Language, Numerals, Spans

_HALF, _MOST = Decimal("0.5"), Decimal("0.75")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_MONTHS = (
    ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
    ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"), ("october", "oct"), ("november", "nov"),
    ("december", "dec"),
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = (("mon",), ("tue", "tues"), ("wed", "weds"), ("thu", "thur", "thurs"), ("fri",), ("sat",), ("sun",))

_SMALL = {word: (Decimal(value), 1) for value, word in enumerate(_UNITS)} | {
    word: (Decimal(value * 10), 10) for value, word in enumerate(_TENS, 2)
}
_ORDINAL_DAYS = (
    {word: value for value, word in enumerate(_ORDINALS, 1)}
    | {
        f"{tens}{gap}{unit}": base + value
        for tens, base in (("twenty", 20), ("thirty", 30))
        for gap in ("-", " ")
        for value, unit in enumerate(_ORDINALS[:9], 1)
    }
    | {"thirtieth": 30}
)

_NUMERALS = Numerals(
    small=_SMALL | {"and a half": (Decimal("0.5"), 0)},
    magnitudes={
        "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12,
    },
    joiner=r" |-| and ",
    linker=" and ",
    articles={"a": Decimal(1), "an": Decimal(1), "half a": _HALF},
    phrases={"a couple of": 2, "couple of": 2},
    attached={"k": 10**3, "mn": 10**6, "bn": 10**9},
    lone=frozenset({"one"}),
    lone_after=(
        r"(?! ?(?:\Z|[,.!?;]))(?! (?:of|is|was|are|i|we|you|he|she|they|it|that|this|which|who|to|in|at|on|for|from|by|"
        r"with|please|thing|things|more|less|would|will|can|could|and|or|but|moment|moments|sec|second|minute please|"
        r"day|time|way|another|else|has|had|does|looks|sounds|seems|works|then|as|if|the|there|here|too|instead|not)\b)"
        r" [a-z]"
    ),
    lone_before=r"(?:number|option|choice) \Z",
    lone_not_before=(
        r"(?:\b(?:the|that|this|these|those|which|any|every|each|another|other|no|some|good|better|best|next|last|first|"
        r"second|third|new|my|your|whole|right|wrong|same|a|an|nice|cheap|cheaper|cheapest|big|bigger|small|smaller|"
        r"former|latter|loved)|[a-z]er|[a-z]est)[ -]\Z"
    ),
    minus=(
        r"(?:\A|[,.;:!?(] ?|\b(?:is|are|at|to|of|be|it|it's|about|around|from|and|or|for|under|below|over|above|hold|than|"
        r"say|well|maybe|between) )(?P<minus>(?:minus|negative) )\Z"
    ),
    around_answer=r"just|only|exactly|for|about|um|uh|make it",
    after_answer=r"please|thanks|thank you|only",
    units_attached=(
        "km", "kg", "cm", "mm", "mg", "ml", "lb", "lbs", "gb", "mb", "tb", "min", "mins", "hr", "hrs", "h", "usd", "eur",
        "gbp", "cny", "rmb", "jpy", "yen", "bucks", "people", "pcs", "px", "kwh", "mph",
    ),
    traps=(
        r"one by one", r"one another", r"one[- ]way", r"one[- ]off", r"one or the other", r"back to square one",
        r"at sixes and sevens", r"day one", r"zero in",
    ),
)  # fmt: skip

_NOT_COUNTED = (
    r"(?! (?:two|three|few|couple|half|several)\b)(?! (?:of(?: the)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|of all|week|weeks|day|days|month|months|year|"
    r"years|time|times|floor|class|name|names|person|thing|half|quarter|hand|thought|opinion|minute|night|weekend|"
    r"place|step|aid|of next|of this month|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b)(?!-)"
)
_PICK = r"(?:one|ones|option|options|choice|item|result|entry|suggestion|offer|alternative|answer|possibility)"
_BARE = r"(?:(?:i(?:'ll| will)? (?:take|pick|choose|want|go with)|let's (?:take|go with)|make it) )?"

_CHOICES = Choices(
    ordinals=_ORDINAL_DAYS,
    ordinal_forms=(
        rf"(?<=the )(?:{{ordinal}}|{{n}}(?:st|nd|rd|th)){_NOT_COUNTED}",
        rf"(?:{{ordinal}}|{{n}}(?:st|nd|rd|th))(?= {_PICK}\b)",
        rf"(?<=the )(?P<back>last)(?= {_PICK}\b| ?(?:\Z|[,.!?;]))",
        rf"(?P<back>last)(?= {_PICK}\b)",
        rf"\A ?{_BARE}(?:the )?(?:{{ordinal}}|{{n}}(?:st|nd|rd|th))(?=(?: please| then| thanks)?[ .!]*\Z)",
        rf"\A ?{_BARE}(?:the )?(?P<back>last)(?=(?: please| then)?[ .!]*\Z)",
    ),
    option_forms=(
        r"(?:(?:option|choice|number|no\.?|nr\.?|item|answer) ?#? ?|#)(?P<n>[0-9]{1,3}|{word})(?![.:,/-]?[0-9])",
        r"\A[ (\[]*(?:(?:i(?:'ll| will)? (?:take|pick|choose|want|go with)|let's (?:take|go with)|pick|choose|take|"
        r"go with|just|only|ok|okay|yes|well|um) ?,? ?)?(?:the )?(?P<n>[0-9]{1,3}|{word})"
        r"(?=[)\].]?(?: ?,? ?(?:please|then|thanks|thank you|it is))*[ .!]*\Z)",
    ),
    chosen_after=r"(?! (?:of(?: the)? month)\b)",
    pair={"former": 0, "latter": 1},
    pair_forms=(r"(?<=the ){pair}",),
    positions=(
        r"(?:the )?(?:{ordinal}|{n}(?:st|nd|rd|th))(?! (?:of|january|february|march|april|may|june|july|august|september|october|november|december)\b)",
    ),
    suffixes=r"st|nd|rd|th",
)

_DAY_TH = r"(?P<day>(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th))"
_DAY_FOLLOW = (
    r"(?=(?: ?(?:\Z|[,.!?;)]))| (?:at|please|in the|then|to|until|till|and|or|is|works|for|from|if|around|before|after|"
    r"instead|would|should|with|through|of (?:this|next|the) month)\b)"
)
_NOT_TIME = r"(?!:[0-9])(?! ?(?:am|pm|a\.m|p\.m|o'?clock|percent|%|people|persons|guests)\b)(?![.,/-][0-9])"
_ON = r"(?:(?<=on )|(?<=\bby )|(?<=this )|(?<=\buntil )|(?<=\btill )|(?<=from )|(?<=\bbefore )|(?<=\bafter )|(?<=since )|(?<=to ))"
_ANY_DAY = r"(?:{weekday}|{weekday_short})"
_NTH = r"(?:the )?(?P<nth>first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)"
_OF_MONTH = r"(?:(?:of|in) {month}(?:,? {year}| {year_shift})?|(?:(?:of|in) )?{month_shift})"
_END_OR = r"(?= ?(?:\Z|[,.!?;)]))"
_HOLIDAYS = {
    "new year's day": (1, 1), "new years day": (1, 1), "valentine's day": (2, 14), "valentines day": (2, 14),
    "halloween": (10, 31), "christmas eve": (12, 24), "christmas day": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new years eve": (12, 31),
}  # fmt: skip
_CALENDAR = Calendar(
    months={word: number for number, words in enumerate(_MONTHS, 1) for word in words},
    weekdays={word: number for number, word in enumerate(_WEEKDAYS)},
    weekdays_short={word: number for number, words in enumerate(_SHORT) for word in words},
    relative={
        "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "tmrw": 1,
        "tomorow": 1, "tommorow": 1, "tommorrow": 1, "yesterday": -1, "last night": -1, "day after tomorrow": 2,
        "the day after tomorrow": 2, "day before yesterday": -2, "the day before yesterday": -2, "overmorrow": 2,
    },
    week_shift={"this week": 0, "next week": 1, "last week": -1, "the week after next": 2, "week after next": 2,
                "the following week": 1, "the week after": 1},
    month_shift={"this month": 0, "next month": 1, "last month": -1, "the month": 0},
    year_shift={"this year": 0, "next year": 1, "last year": -1},
    holidays=_HOLIDAYS,
    forms=(
        ("calendar", rf"(?:{_ANY_DAY}\.?,? (?:the )?)?{{day}} (?:of )?{{month}}(?:\.?,? {{year}}| {{year_shift}})?"
                     rf"{_NOT_TIME}"),
        ("calendar", rf"(?:{_ANY_DAY}\.?,? )?{{month}}\.? (?:the )?{{day}}(?:,? {{year}}| {{year_shift}})?{_NOT_TIME}"),
        ("calendar", rf"{_ANY_DAY}\.?,? (?:the )?{_DAY_TH}"),
        ("calendar", rf"(?:the )?{_DAY_TH}(?= (?:or|and|to|until|till) (?:the )?[0-9]{{1,2}}(?:st|nd|rd|th) (?:of )?{{month}})"),
        ("calendar", rf"the {_DAY_TH}{_DAY_FOLLOW}"),
        ("calendar", rf"(?:the )?{_DAY_TH} (?:of )?{{month_shift}}"),
        ("calendar", rf"{{month_shift}},? (?:on )?(?:the )?{_DAY_TH}"),
        ("calendar", rf"(?<=on )the (?P<day>{'|'.join(sorted(_ORDINAL_DAYS, key=len, reverse=True))}){_DAY_FOLLOW}"),
        ("calendar", rf"(?:(?<=[0-9]st or )|(?<=[0-9]nd or )|(?<=[0-9]rd or )|(?<=[0-9]th or )){_DAY_TH}{_DAY_FOLLOW}"),
        ("numbered", rf"{_ANY_DAY}\.?,? (?:the )?(?P<first>[0-9]{{1,2}})/(?P<second>[0-9]{{1,2}})"
                     r"(?:/(?P<year>[12][0-9]{3}|[0-9]{2}))?(?![0-9/])"),
        ("nth_weekday", rf"{_NTH} {_ANY_DAY} {_OF_MONTH}"),
        ("last_day", rf"(?:the )?last day {_OF_MONTH}"),
        ("holiday", r"{holiday}(?:,? {year}| {year_shift})?"),
        ("weeks_on", rf"(?:{_ANY_DAY}|{{relative}}) (?P<unit>week|fortnight)(?! (?:day|end|long|off|of|in|at)\b)"),
        ("weeks_on", rf"{{count}} (?P<unit>weeks?|fortnights?) (?:on {_ANY_DAY}|(?:on )?{{relative}})"),
        ("after_next", rf"(?:the )?{_ANY_DAY} after next(?! (?:week|month|\w+day))"),
        ("open", rf"(?:the )?(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th) {_ANY_DAY}"),
        ("open", rf"the {_ANY_DAY} (?:before|after)(?:{_END_OR}| (?:that|this|the|my|our|his|her|next|last|{{holiday}}|{{month}}|christmas|easter))"),
        ("open", rf"(?:the )?(?:day|night|week|weekend|evening|morning|few days|couple of days) (?:before|after) (?:{_ANY_DAY}|{{holiday}}|(?:the )?{_DAY_TH})"),
        ("open", r"(?:before|after) {holiday}"),
        ("open", r"(?:{count} )?(?:weeks?|fortnights?) (?:before|after) next"),
        ("open", rf"next {_ANY_DAY} (?:week|fortnight)"),
        ("open", rf"(?:every|each|any) (?:other |second )?{_ANY_DAY}"),
        ("calendar", r"(?P<day>0?[1-9]|[12][0-9]|3[01])[- ]{month}[- ](?P<year>[12][0-9]{3})"),
        ("weekday", r"{weekday}"),
        ("weekday", rf"{_ON}{{weekday_short}}"),
        ("weekday", r"\A ?{weekday_short}(?=[ .!]*\Z)"),
        ("week", rf"{_ANY_DAY},? (?:of )?{{week}}"),
        ("week", r"{week},? (?:on )?(?:{weekday}|{weekday_short})"),
        ("coming", rf"(?<!the )next {_ANY_DAY}"),
        ("coming_only", rf"(?:this coming|coming|the coming|the next|the following) {_ANY_DAY}"),
        ("this", rf"this {_ANY_DAY}"),
        ("previous", rf"last {_ANY_DAY}"),
        ("previous_only", rf"(?:this past|past|the past|the previous|previous) {_ANY_DAY}"),
        ("relative", r"{relative}"),
        ("ahead", r"in {count} {unit}(?:'s? time)?"),
        ("ahead", r"{count} {unit} (?:from now|from today|hence)"),
        ("back", r"{count} {unit} ago"),
        ("ahead", rf"{{count}} {{unit}} (?:from|after) (?:{_ANY_DAY}|{{relative}})"),
        ("back", rf"{{count}} {{unit}} before (?:{_ANY_DAY}|{{relative}})"),
    ),
    traps=(
        r"(?:i|we|you|he|she|it|they|that|this|there|who|which|one|people|guests) may",
        r"(?:to|will|we|they|i|must|on the|a|the) march(?! (?:the )?[0-9])",
        r"may (?:i|we|be|have|not|as well)",
        r"(?:thank|thanks) god it's friday", r"(?:black|good) friday", r"sunday (?:roast|brunch menu)",
    ),
)  # fmt: skip

_PART = r"(?:(?:in the|this|that|at|tomorrow|tonight|on|during the|early in the|late in the) )?{part}"
_HOUR_FOLLOW = (
    r"(?=(?: ?(?:\Z|[,.](?![0-9])|[!?;)]))| (?:on|in|tonight|tomorrow|today|please|for|and|or|with|from|to|until|till|this|next|if|"
    r"then|because|instead|would|works|is|mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday|sharp|exactly|o'?clock|latest|at the latest)\b)"
)
_AT = (
    r"(?:(?<=\bat )|(?<=\bby )|(?<=\baround )|(?<=\babout )|(?<=\buntil )|(?<=\btill )|(?<=\bbefore )|(?<=\bafter )|(?<=@)|(?<=@ )|"
    r"(?<=\bmake it ))"
)
_SPOKEN_END = rf"(?: o'?clock)?(?: ?{{ampm}}|,? {_PART})?(?! (?:people|guests|persons|days|nights|hours|years|months|weeks)\b)(?![:.,]?[0-9%])"
_BETWEEN_AND = "|".join(rf"(?<=between {'.' * length})and" for length in range(2, 8))
_MM = r"(?P<minute>[0-5][0-9])"
_CLOCK = Clock(
    parts={
        "am": "am", "a.m.": "am", "a.m": "am", "pm": "pm", "p.m.": "pm", "p.m": "pm", "morning": "am",
        "afternoon": "pm", "evening": "pm", "noon": "noon", "night": "night", "tonight": "night", "at night": "night",
    },
    hours={"morning": (5, 11), "afternoon": (12, 17), "evening": (16, 21), "night": (18, 23), "tonight": (17, 23),
           "at night": (18, 23)},
    minutes={"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25,
             "twenty-five": 25, "5": 5, "10": 10, "15": 15, "20": 20, "25": 25},
    named={"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0), "12 noon": (12, 0), "12 midnight": (0, 0),
           "twelve noon": (12, 0)},
    forms=(
        ("clock", rf"(?<![0-9][.,:])(?P<hour>[01]?[0-9]|2[0-4])[:.]{_MM}(?::(?P<second>[0-5][0-9]))? ?{{ampm}}"),
        ("clock", rf"(?<![0-9][.,:])(?P<hour>[01]?[0-9]|2[0-4]):{_MM}(?::(?P<second>[0-5][0-9]))?(?:,? {_PART}| o'?clock)?"
                  r"(?![:.,]?[0-9])"),
        ("clock", rf"(?![ap]\.?m){_PART},? (?:at |around |about |by )?(?P<hour>[01]?[0-9]|2[0-4]):{_MM}(?![:.,]?[0-9])"),
        ("clock", r"{hour} ?{ampm}"),
        ("clock", r"{hour} (?:o'?clock)(?:,? (?:sharp|exactly))?"),
        ("clock", r"{hour}(?: o'?clock)?,? (?:in the|at) (?:early |late )?{part}"),
        ("clock", rf"{_AT}{{hour}}(?: o'?clock)?,? {_PART}(?! (?:before|flight|train|tour|class|tickets?)\b)"),
        ("clock", rf"(?![ap]\.?m){_PART},? (?:at|around|about|by) {{hour}}(?: o'?clock| ?{{ampm}})?(?![:.]?[0-9])(?! ?%)"),
        ("hour", rf"{_AT}{{hour}}{_HOUR_FOLLOW}"),
        ("clock", rf"{_AT}(?:{{hour}} {{minute_spoken}})(?: ?{{ampm}}|,? {_PART})?{_HOUR_FOLLOW}"),
        ("clock", r"(?P<hour_word>eleven|twelve|one|two|three|four|five|six|seven|eight|nine|ten)[ -]"
                  r"(?P<minute_spoken>thirty|fifteen|forty[- ]five)(?: ?{ampm}|,? (?:in the|at) {part})"),
        ("clock", r"(?P<hour>[01]?[0-9]|2[0-3])h(?P<minute>[0-5][0-9])"),
        ("past", rf"{{minute_word}}(?: minutes?)? past {{hour}}{_SPOKEN_END}"),
        ("past", r"(?P<minute_word>half) {hour}(?: ?{ampm}|,? (?:in the|at) (?:early |late )?{part})"),
        ("past", rf"{_AT}(?P<minute_word>half) {{hour}}{_HOUR_FOLLOW}"),
        ("until", rf"(?<![0-9:.,]){{hour}}(?= ?(?:to|or|-|until|till|{_BETWEEN_AND}) ?"
                  r"(?:at )?(?P<last>1[0-2]|0?[1-9]|eleven|twelve|one|two|three|four|five|six|seven|eight|nine|ten)(?::[0-5][0-9])? ?{ampm})"),
        ("past", rf"(?P<minute_word>quarter|a quarter) after {{hour}}{_SPOKEN_END}"),
        ("to", rf"(?<!from )(?<!between )(?P<minute_word>a quarter|quarter|five|ten|twenty[- ]five|twenty) to {{hour}}"
               rf"{_SPOKEN_END}"),
        ("to", rf"{{minute_word}} minutes? (?:to|before) {{hour}}{_SPOKEN_END}"),
        ("named", r"{named}"),
    ),
    date_joiner=r"[ ,]*(?:(?:at|on|around|about|by|from|@|t|of|starting|say|maybe|for|is|the)\b[ ,]*){0,2}",
    traps=(r"midnight (?:blue|snack|express|oil)", r"high noon"),
)  # fmt: skip

_SPANS = Spans(
    units={
        "second": "second", "seconds": "second", "sec": "second", "secs": "second", "minute": "minute",
        "minutes": "minute", "min": "minute", "mins": "minute", "hour": "hour", "hours": "hour", "hr": "hour",
        "hrs": "hour", "day": "day", "days": "day", "night": "day", "nights": "day", "week": "week", "weeks": "week",
        "fortnight": "fortnight", "fortnights": "fortnight", "month": "month", "months": "month", "year": "year",
        "years": "year",
    },
    forms=(
        ("plain", r"{count}[ -]?{unit}"),
        ("plain", r"(?P<count>[0-9]{1,6}(?:\.[0-9]{1,3})?) ?(?P<abbreviation>[hms])(?=[0-9]|[^a-z0-9_]|\Z)"),
        ("compact", r"(?P<h>[0-9]{1,3})h ?(?P<m>[0-9]{1,2})(?:m|min|mins)?"),
        ("half", r"{count} {unit} and a half"),
        ("plain", r"(?P<count>[a-z0-9.]{1,9} and a half) {unit}"),
        ("quarters", r"(?P<quarters>half|a half|quarter of|a quarter of|three quarters of) an? {unit}"),
        ("quarters", r"{count} {unit} and (?P<quarters>a quarter|three quarters)"),
    ),
    joiner=r",? (?:and )?|",
    not_after=r" ?(?:ago|later|from now|from today|before|old)\b| (?:from|after) (?:today|tomorrow|mon|tue|wed|thu|fri|sat|sun)",
    vague=frozenset({"a second", "a sec", "one second", "one sec", "a minute", "a min", "a day"}),
    ahead=(r"in {count} {unit}", r"{count} {unit} (?:from now|later|hence)",
           r"in (?P<quarters>half|a quarter of|three quarters of) an? {unit}",
           r"in (?P<count>an?|one|two|three|[0-9]{1,2}) {unit} and (?P<quarters>a half|a quarter)"),
    fractions={"half": _HALF, "a half": _HALF, "three quarters of": _MOST, "three quarters": _MOST},
    back=(r"{count} {unit} ago", r"(?P<quarters>half|a quarter of|three quarters of) an? {unit} ago"),
)  # fmt: skip

_CURRENCIES = Currencies(
    after={
        r"(?:us|american) dollars?|usd|dollars?|bucks?": "USD",
        r"canadian dollars?|cad": "CAD",
        r"australian dollars?|aud": "AUD",
        r"hong kong dollars?|hkd": "HKD",
        r"singapore dollars?|sgd": "SGD",
        r"euros?|eur": "EUR",
        r"pounds?(?: sterling)?|gbp|quid": "GBP",
        r"(?:chinese )?yuan|renminbi|rmb|cny|kuai": "CNY",
        r"(?:japanese )?yen|jpy": "JPY",
        r"swiss francs?|francs?|chf": "CHF",
        r"(?:indian )?rupees?|inr": "INR",
        r"(?:korean )?won(?! (?:the|a|an|by|it)\b)|krw": "KRW",
        r"norwegian kron(?:er|e)|nok": "NOK",
        r"swedish kron(?:or|a|er)|sek": "SEK",
        r"danish kron(?:er|e)|dkk": "DKK",
        r"rubles?|roubles?|rub": "RUB",
        r"zloty(?:s|ch)?|pln": "PLN",
        r"baht|thb": "THB",
    },
    counted=r"usd|eur|gbp|cny|rmb|dollars?|euros?|pounds?|yuan|bucks|km|kg|people",
    cents={r"cents?": ("USD", Decimal("0.01")), r"pence|pennies": ("GBP", Decimal("0.01"))},
    tail=r"(?:,? and|,)? (?P<cents>[0-9]{1,2}) ?(?:cents?|pence)",
)

_WORD = "|".join([*_TENS, *_UNITS[::-1]])
_COUNT = (
    rf"[0-9]{{1,6}}(?:[.,][0-9]{{1,3}})?|an?|a couple of|(?:{_WORD}|hundred|a hundred|a dozen)"
    rf"(?:[ -](?:and )?(?:{_WORD}|hundred)){{0,4}}"
)

ENGLISH = Language(
    code="en",
    spaced=True,
    script="[a-z0-9]",
    numerals=_NUMERALS,
    choices=_CHOICES,
    calendar=_CALENDAR,
    clock=_CLOCK,
    spans=_SPANS,
    currencies=_CURRENCIES,
    cues=ENGLISH_CUES,
    fragments={
        "n": r"[0-9]{1,3}",
        "word": "|".join(_UNITS[:0:-1]),
        "count": _COUNT,
        "day": r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?|" + "|".join(sorted(_ORDINAL_DAYS, key=len, reverse=True)),
        "year": r"[12][0-9]{3}|'[0-9]{2}",
        "hour": r"(?<![0-9][.,:])(?:1[0-9]|2[0-4]|0?[0-9])|(?:eleven|twelve|one|two|three|four|five|six|seven|eight|nine|ten)",
        "ampm": r"a\.m\.?|p\.m\.?|am|pm",
        "minute_spoken": r"fifteen|thirty[- ]five|thirty|forty[- ]five|twenty[- ]five|fifty[- ]five|twenty|forty|fifty|ten|"
        r"oh[- ]five|five",
    },
)

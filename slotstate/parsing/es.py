"""Spanish: a small table, which shows what a further language takes. It is read after `slotstate.languages.load("es")`."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

from slotstate.parsing.es_cues import SPANISH_CUES
from slotstate.parsing.language import Calendar, Choices, Clock, Currencies, Language, Numerals, Spans

T = TypeVar("T")
_BARE = str.maketrans("áéíóúü", "aeiouu")


def _typed(words: Mapping[str, T]) -> dict[str, T]:
    """The words, and how they are typed in a hurry: without accents."""
    return {word.translate(_BARE): value for word, value in words.items()} | dict(words)


_UNITS = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
).split()
_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_HUNDREDS = ("doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos").split()
_ORDINALS = {
    "primero": 1, "primera": 1, "primer": 1, "segundo": 2, "segunda": 2, "tercero": 3, "tercera": 3, "tercer": 3, "cuarto": 4,
    "cuarta": 4, "quinto": 5, "quinta": 5, "sexto": 6, "sexta": 6, "séptimo": 7, "octavo": 8, "noveno": 9, "décimo": 10,
}  # fmt: skip
_MONTHS = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
_WEEKDAYS = "lunes martes miércoles jueves viernes sábado domingo".split()

_SMALL = (
    {word: (Decimal(value), 1) for value, word in enumerate(_UNITS)}
    | {word: (Decimal(value * 10), 10) for value, word in enumerate(_TENS, 3)}
    | {word: (Decimal(value * 100), 100) for value, word in enumerate(_HUNDREDS, 2)}
    | {"cien": (Decimal(100), 1), "ciento": (Decimal(100), 100), "una": (Decimal(1), 1), "un": (Decimal(1), 1)}
)
_NUMERALS = Numerals(
    small=_typed(_SMALL),
    magnitudes=_typed({"mil": 1000, "millón": 10**6, "millones": 10**6}),
    joiner=r" | y ",
    implicit_one=frozenset({"mil"}),
    lone=frozenset({"uno", "una", "un"}),
    lone_after=r" (?:persona|personas|noche|noches|habitación|habitacion|billete|entrada|maleta|adulto|niño|mesa)\b",
    lone_not_before=r"\b(?:el|la|este|esta|ese|esa|otro|otra|cada|algún|alguna) \Z",
    minus=r"(?:\A|[,.;:] ?|\b(?:es|son|a|de) )(?P<minus>menos )\Z",
    around_answer=r"solo|sólo|para|somos|unos|unas",
    after_answer=r"por favor|gracias",
)

_COUNT = rf"[0-9]{{1,6}}|un|una|{'|'.join(sorted(_typed(dict.fromkeys(_UNITS[2:])), key=len, reverse=True))}"
_CALENDAR = Calendar(
    months={word: number for number, word in enumerate(_MONTHS, 1)} | {"setiembre": 9},
    weekdays=_typed({word: number for number, word in enumerate(_WEEKDAYS)}),
    weekdays_short={},
    relative=_typed(
        {"hoy": 0, "esta noche": 0, "esta mañana": 0, "esta tarde": 0, "mañana": 1, "pasado mañana": 2, "ayer": -1, "anoche": -1,
         "anteayer": -2, "antes de ayer": -2}
    ),
    week_shift=_typed(
        {"esta semana": 0, "la próxima semana": 1, "la semana próxima": 1, "la semana que viene": 1, "la semana pasada": -1}
    ),
    month_shift=_typed({"este mes": 0, "del mes que viene": 1, "del próximo mes": 1, "del mes pasado": -1}),
    year_shift=_typed({"de este año": 0, "del año que viene": 1, "del próximo año": 1, "del año pasado": -1}),
    forms=(
        ("calendar", r"(?:{weekday},? )?(?:el )?{day} de {month}(?: (?:de|del) {year}| {year_shift})?"),
        ("calendar", r"el (?:día |dia )?(?P<day>[12][0-9]|3[01]|[1-9])(?= ?(?:\Z|[,.;!?]| a | por| para| y ))"),
        ("calendar", r"el (?:día |dia )?{day} {month_shift}"),
        ("weekday", r"{weekday}"),
        ("week", r"{weekday} de {week}"),
        ("coming_only", r"(?:el )?(?:próximo|proximo) {weekday}"),
        ("coming", r"(?:el )?{weekday} que viene"),
        ("this", r"este {weekday}"),
        ("previous", r"(?:el )?{weekday} pasado"),
        ("relative", r"{relative}"),
        ("ahead", r"(?:en|dentro de) {count} {unit}"),
        ("back", r"hace {count} {unit}"),
    ),
    traps=(r"(?:de|por) la mañana", r"de la manana", r"domingo de ramos"),
)  # fmt: skip

_HOUR_WORDS = "una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"
_PART = r"(?: ?{ampm}| (?:de la|por la|del) {part})?"
_CLOCK = Clock(
    parts=_typed(
        {"mañana": "morning", "tarde": "pm", "noche": "night", "madrugada": "am", "mediodía": "noon", "am": "am", "pm": "pm",
         "a.m.": "am", "p.m.": "pm"}
    ),
    minutes={"media": 30, "cuarto": 15, "diez": 10, "cinco": 5, "veinte": 20, "veinticinco": 25},
    named=_typed({"mediodía": (12, 0), "al mediodía": (12, 0), "medianoche": (0, 0), "a medianoche": (0, 0)}),
    forms=(
        ("clock", rf"(?<![0-9][.,:])(?P<hour>[01]?[0-9]|2[0-4])[:h](?P<minute>[0-5][0-9]){_PART}(?![:.,]?[0-9])"),
        ("clock", rf"(?:a|sobre|hacia|son|desde) las? {{hour}}(?: en punto)?{_PART}(?![:.,h]?[0-9])(?! (?:menos|y ))"),
        ("clock", rf"(?:(?:a|sobre|hacia|son) )?las? {{hour}} y {{minute_word}}{_PART}"),
        ("to", rf"(?:(?:a|sobre|hacia|son) )?las? {{hour}} menos {{minute_word}}{_PART}"),
        ("named", r"{named}"),
    ),
    date_joiner=r"[ ,]*(?:(?:a|sobre|el|por|la|de)\b[ ,]*){0,2}",
)  # fmt: skip

_SPANS = Spans(
    units=_typed(
        {"segundo": "second", "segundos": "second", "minuto": "minute", "minutos": "minute", "hora": "hour", "horas": "hour",
         "día": "day", "días": "day", "noche": "day", "noches": "day", "semana": "week", "semanas": "week", "mes": "month",
         "meses": "month", "año": "year", "años": "year"}
    ),
    forms=(
        ("plain", r"{count} {unit}"),
        ("half", r"{count} {unit} y media"),
        ("quarters", r"(?P<quarters>media) {unit}"),
    ),
    joiner=r",? (?:y )?",
    not_after=r" ?(?:antes|después)\b",
    vague=frozenset({"un segundo", "un minuto"}),
    ahead=(r"(?:en|dentro de) {count} {unit}", r"(?:en|dentro de) (?P<quarters>media) {unit}"),
    back=(r"hace {count} {unit}", r"hace (?P<quarters>media) {unit}"),
    fractions={"media": Decimal("0.5")},
)  # fmt: skip

SPANISH = Language(
    code="es",
    spaced=True,
    script="[a-z0-9]",
    numerals=_NUMERALS,
    choices=Choices(
        ordinals=_typed(_ORDINALS),
        ordinal_forms=(r"(?<=\bel ){ordinal}", r"(?<=\bla ){ordinal}", r"(?:el|la) (?P<back>último|última|ultimo|ultima)"),
        option_forms=(r"(?:opción|opcion|número|numero) (?P<n>[0-9]{1,3})",),
        chosen_after="",
        pair={},
        pair_forms=(),
        positions=(r"(?:el |la )?{ordinal}",),
        suffixes=r"º|ª|o|a",
    ),
    calendar=_CALENDAR,
    clock=_CLOCK,
    spans=_SPANS,
    currencies=Currencies(
        after={r"euros?": "EUR", r"d[óo]lares|d[óo]lar": "USD", r"libras?(?: esterlinas?)?": "GBP", r"pesos mexicanos": "MXN"},
        counted=r"euros?|d[óo]lares|libras|personas|km|kg",
        cents={r"c[ée]ntimos?": ("EUR", Decimal("0.01"))},
    ),
    cues=SPANISH_CUES,
    fragments={
        "n": r"[0-9]{1,3}",
        "count": _COUNT,
        "day": r"(?:0?[1-9]|[12][0-9]|3[01])|primero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte",
        "year": r"[12][0-9]{3}",
        "hour": rf"(?<![0-9][.,:])(?:1[0-9]|2[0-4]|0?[0-9])|{_HOUR_WORDS}",
        "ampm": r"a\.m\.?|p\.m\.?|am|pm",
    },
)  # fmt: skip

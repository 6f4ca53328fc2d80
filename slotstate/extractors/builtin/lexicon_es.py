"""Spanish: what the built-in extractor reads. A small table, which shows what a further language takes."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from slotstate.extractors.builtin.concepts_es import SPANISH_CONCEPTS
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.parsing.language import Cue

_STOPS = (
    "yo tú usted él ella nosotros ellos me te le lo la los las un una unos unas el mi tu su este esta ese esa que qué quién cuál es son ser estar estoy está "
    "quiero quisiera necesito busco puedo puede hay tengo tiene ir voy vamos va salir salgo llegar llego viajar viajo reservar reserva comprar ver sí si no "
    "gracias hola por favor y o pero de del desde a al en con sin para hasta hacia hoy mañana ayer ahora luego algo nada todo más muy también solo"
).split()

SPANISH = Lexicon(
    code="es",
    spaced=True,
    concepts=SPANISH_CONCEPTS,
    gap=r"(?: ?[:=]| (?:es|son|el|la|los|las|de|del|a|en|para|por|sobre|unos|unas|día|fecha)\b){0,3} ?[\"'(]?",
    unit_gap=r" ?(?:(?:buenas|grandes|pequeñas) )?",
    copula=r"(?: ?[:=]| (?:es|son|será|sería|se llama)| (?P<to>a))(?: ahora)?[ :\"]{0,2}",
    lone_after=r"(?= ?(?:\Z|[,.!?;:)\"]))|(?= (?:por|gracias|y|o|pero|para|el|la|en|de|a|con|hoy|mañana)\b)",
    lone_not_before=r"\b(?:opción|número|habitación|puerta|vuelo|tren|línea|piso) \Z",
    lead_ins=(
        r"(?:sí|si|vale|bueno|pues|hola|eh|perdón|no|mejor)\b[ ,.!:;-]{1,3}",
        r"(?:quiero|quisiera|me gustaría|necesito|busco|prefiero)(?: (?:ir|viajar|salir|reservar|comprar))?(?: (?:a|de|desde|para|en))?\b ?",
        r"(?:voy|vamos|viajo|salgo|salimos)(?: (?:a|de|desde|hacia))?\b ?",
        r"(?:es|soy|somos|me llamo|mi nombre es|se llama)\b ?",
        r"(?:desde|de|a|en|para|hasta|hacia) ",
    ),
    tails=(r"[ ,]*\b(?:por favor|gracias|muchas gracias)", r"[ ,.!;:\"')\]]+"),
    edges=frozenset("a de desde en para por con y o el la los las que es".split()),
    empty=Cue(words=(r"<(?:hola|buenos días|buenas(?: tardes| noches)?)", r"no (?:lo )?sé", r"déjame (?:ver|pensar)", r"un (?:momento|segundo)", r"espera", r"<(?:nada|ninguno|ayuda|adiós)>")),
    hypothetical=Cue(words=(r"y si", r"si (?:fuera|tuviera|pudiera|viajara|cogiera|tomara)", r"imagina que", r"en caso de que")),
    elsewhere=Cue(words=(r"mi [a-zñáéíóú]{2,14} (?:dice|dijo|recomendó|prefiere)", r"la última vez", r"el año pasado (?:fui|estuve)", r"(?:fui|estuve|viajé)")),
    soft_question=Cue(words=(r"(?:puede|puedes|podría|podrías)", r"(?:hay|tienen|tienes)", r"qué tal")),
    polite=Cue(words=(r"(?:puede|puedes|podría|podrías) (?!decir)[a-zñáéíóú]+", r"(?:quiero|quisiera|necesito)(?! saber)")),
    check_question=Cue(words=(r"verdad>", r"correcto>", r"es correcto", r"está bien>", r"de acuerdo>", r"confirmas?", r"no>")),
    closing_question=Cue(words=(r"algo más", r"(?:te|le) puedo ayudar", r"en qué (?:te|le) puedo")),
    taking=Cue(words=(r"me l[oa] quedo", r"l[oa] (?:reservo|tomo|quiero)", r"resérval[oa]")),
    pointing=Cue(words=(r"este", r"esta", r"ese", r"esa", r"le parece", r"te parece", r"sirve")),
    wants=Cue(words=(r"quiero", r"quisiera", r"necesito", r"con", r"que tenga", r"incluya", r"prefiero")),
    adds=Cue(words=(r"añade", r"agrega", r"también", r"además", r"y también")),
    joins=r" ?, ?(?:y |o )?| y | e ",
    between=r" ?",
    name_stop=frozenset(_STOPS),
    name_links=frozenset("de del la las los el y da".split()),
    calendar_words=frozenset(
        "lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
    ),
    name_end=r"(?:\Z|[,.!?;:)(\"\n]|(?:\b(?:a|desde|en|para|por|con|y|o|el|los|las|hasta|hoy|mañana|pasado|saliendo|volviendo|gracias|que|dentro|este|esta|próximo)\b))",
    not_in_name=r"(?!)",
    determiners=frozenset({"mi", "la", "el"}),
    articles=(),
    asks_for=r"\b(?:busca|quiero|necesito|reserva)(?: un| una| el| la)? \Z",
    not_before_name=r"\b(?:cambi|actualiz)\w*\b[^,.;]{0,30}\Z",
    motion=r"\b(?:ir|voy|vamos|viajar|viajo|tren|vuelo|billete|salir|salgo)(?: de [a-zñáéíóú ]{2,20})? (?:a|de|desde|hacia|para) \Z|\bde .{2,40} a \Z",
    range_joins=(r" a ", r" ?- ?", r" hasta ", r" y "),
    weak=frozenset("un una uno el la primero segundo si no".split()),
    question_kinds={
        r"cuándo|qué día": ("date", "datetime"),
        r"a qué hora": ("time", "datetime"),
        r"cuánt[oa]s": ("integer", "number"),
        r"cuánto (?:cuesta|dinero)": ("money", "decimal", "number", "integer"),
        r"dónde|qué ciudad": ("place",),
        r"quién|nombre": ("person",),
    },
    idle=r"jaja\w{0,20}|nada|tonterías|da igual|todavía no lo sé|aún no lo sé",
    turned_down=r"(?:no|nunca|excepto|menos|salvo) ",
    no_place=r"(?:dormir|trabajar|aprender|casa|veces|menudo)\b",
    age=r",? (?:y )?(?:tengo|edad)\b",
    contrasts=(
        r"(?P<value>[^,.;]{2,40}?)(?:,? )(?P<no>en vez de|en lugar de|(?<! es )y no|(?<! es )no) (?:a )?(?P<old>[^,.;]{2,40}?)[ .!]{0,4}",
        r"(?:no, )?(?P<no>no|en vez de|en lugar de) (?:es |a )?(?P<old>[^,.;]{2,40}?)(?:, sino|,| sino) (?:es |a )?(?P<value>[^,.;]{2,40}?)[ .!]{0,4}",
    ),
    fillers=r"h+m+|e+h+|m+|este|a ver|espera|un (?:momento|segundo)|déjame (?:ver|pensar)|no (?:lo )?sé|cómo|qué|pues|bueno",
    picked=r" (?:opción|opcion)\b",
    compared={
        "latest": r"(?:quiero |prefiero )?(?:el|la) (?:de )?más tarde(?: por favor)?",
        "earliest": r"(?:quiero |prefiero )?(?:el|la) (?:de )?más (?:temprano|pronto)(?: por favor)?",
        "cheapest": r"(?:quiero |prefiero )?(?:el|la) más barat[oa](?: por favor)?",
        "dearest": r"(?:quiero |prefiero )?(?:el|la) más car[oa](?: por favor)?",
    },
    price_question=r"cuánto (?:cuesta|vale)",
)  # fmt: skip

"""Spanish: how users affirm, refuse, correct, clear and so on."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from slotstate.parsing.language import Cue, Cues

SPANISH_CUES = Cues(
    affirm=Cue(
        words=(r"<sí", r"<si>", r"<si(?=,)", r"sí>", r"vale", r"claro", r"de acuerdo", r"perfecto", r"<exacto", r"<correcto", r"por supuesto", r"está bien",
               r"<genial", r"<bueno>", r"me parece bien", r"adelante"),
        traps=(r"no (?:está|me parece) bien", r"no,? claro", r"está claro que no"),
    ),
    refuse=Cue(words=(r"<no", r"no>", r"<no,? gracias", r"<tampoco", r"no me (?:sirve|gusta)", r"<para nada", r"<incorrecto"), traps=(r"no (?:importa|pasa nada|hay problema)", r"cómo no")),
    fillers=Cue(words=(r"por favor", r"gracias", r"muchas gracias", r"pues", r"eh", r"bueno", r"a ver", r"entonces", r"señor", r"señora")),
    correct=Cue(words=(r"<no,(?= \w)", r"perdón", r"<perdona", r"mejor", r"en realidad", r"quería decir", r"quise decir", r"digo>", r"<digo", r"cámbialo a", r"cambia(?:lo)? a", r"en vez de", r"me equivoqué"),
                traps=(r"el mejor", r"la mejor", r"no, gracias")),
    clear=Cue(words=(r"olvida", r"olvídate de", r"borra", r"quita", r"cancela", r"ya no quiero", r"ya no"), traps=(r"no (?:olvides|borres|quites|canceles)",)),
    remove=Cue(words=(r"quita", r"sin", r"elimina", r"borra", r"menos"), traps=(r"sin duda", r"al menos", r"por lo menos", r"más o menos")),
    replace=Cue(words=(r"solo", r"sólo", r"solamente", r"únicamente", r"en su lugar", r"en vez de"), traps=(r"no solo", r"no sólo")),
    dont_care=Cue(words=(r"me da igual", r"da igual", r"cualquiera", r"no me importa", r"no importa", r"lo que sea", r"como quieras", r"sin preferencias?"), traps=(r"te da igual", r"cualquiera menos")),
    undo=Cue(words=(r"deshaz", r"deshacer", r"vuelve atrás", r"como estaba")),
    restart=Cue(words=(r"empe(?:zar|cemos|cemos) de (?:nuevo|cero)", r"empieza de (?:nuevo|cero)", r"volver a empezar", r"desde el principio", r"bórralo todo"), traps=(r"no (?:quiero )?(?:empezar|empieces)",)),
    hesitate=Cue(words=(r"pero", r"espera", r"no sé", r"no estoy segur[oa]", r"quizás?", r"tal vez", r"demasiado", r"depende")),
    ask=Cue(words=(r"<(?:¿ ?)?(?:qué|cuál|cuáles|cuándo|dónde|cómo|cuánto|cuántos|cuántas|quién)", r"<¿", r"¿", r"me puede decir", r"quisiera saber", r"quiero saber")),
    titles=r"(?:sr|sra|dr|dra|señor|señora|doctor|doctora)\.? ",
    negate=Cue(words=(r"no", r"ni", r"sin", r"nunca", r"tampoco", r"excepto", r"salvo", r"menos", r"nada de", r"evitar?"), traps=(r"al menos", r"por lo menos", r"más o menos", r"cómo no", r"no solo")),
    negate_gap=r" (?:(?:quiero|quisiera|necesito|me gusta|me|gusta|es|en|el|la|los|las|un|una|a|de|al|por|para|que|sea|muy|tan) ){0,4}\Z",
    either=r"o|u|o bien|o quizás",
    either_gap=r"(?:en|a|al|de|el|la|un|una|quizás)",
    origin=Cue(words=(r"desde", r"saliendo de", r"de"), traps=(r"de acuerdo", r"de la", r"de nada")),
    destination=Cue(words=(r"a", r"hasta", r"hacia", r"para"), traps=(r"a las?", r"para el", r"a ver")),
    phone=Cue(words=(r"teléfono(?: es)?", r"telefono(?: es)?", r"móvil(?: es)?", r"número(?: es)?", r"llámame al")),
    past=Cue(words=(r"nacimiento", r"nacid[oa]", r"cumpleaños", r"ocurri(?:do|ó)", r"pas[óo]>", r"comprad[oa]", r"compra", r"emitid[oa]", r"accidente", r"desde cuándo")),
    past_question=Cue(words=(r"cuándo (?:ocurrió|pasó|fue|compraste|compró|naciste|nació|sucedió)", r"qué día (?:ocurrió|pasó|fue|compraste|compró|nació)")),
    past_told=Cue(words=(r"ocurrió", r"sucedió", r"(?:lo |la )?compré", r"nací")),
    denying=("sin ", "no "),
    small=frozenset("a al de del desde en el la los las un una o u y e por para con sin que qué cuál cuándo dónde cómo es son no ni me mi tu su se lo le".split()),
)  # fmt: skip

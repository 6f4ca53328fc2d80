"""Spanish: how users speak of what slots are about."""

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.lexicon import Concept

SPANISH_CONCEPTS: Final = {
    "origin": Concept(
        slots=("origen", "salida", "ciudad de salida", "desde"),
        before=(r"desde", r"saliendo de", r"(?<=tren )de", r"(?<=vuelo )de", r"(?<=billete )de", r"salgo de"),
    ),
    "destination": Concept(
        slots=("destino", "llegada", "ciudad de llegada"), before=(r"a(?! las?\b)", r"hasta", r"hacia")
    ),
    "place": Concept(slots=("ciudad", "lugar", "sitio"), before=(r"en", r"cerca de")),
    "name": Concept(slots=("nombre", "apellido"), before=(r"me llamo", r"mi nombre es", r"a nombre de")),
    "start": Concept(
        slots=("salida", "ida", "inicio", "entrada"),
        before=(r"salida", r"saliendo", r"salir", r"ida", r"desde", r"salgo"),
    ),
    "end": Concept(
        slots=("vuelta", "regreso", "fin"), before=(r"vuelta", r"volviendo", r"regreso", r"hasta", r"vuelvo")
    ),
    "min": Concept(slots=("mínimo",), before=(r"al menos", r"más de", r"mínimo")),
    "max": Concept(slots=("máximo", "presupuesto"), before=(r"como mucho", r"menos de", r"máximo", r"hasta")),
    "people": Concept(
        slots=("personas", "viajeros", "pasajeros"),
        before=(r"somos", r"mesa para"),
        after=(r"personas?", r"viajeros?", r"pasajeros?", r"adultos?"),
    ),
    "nights": Concept(slots=("noches",), after=(r"noches?",)),
    "rooms": Concept(slots=("habitaciones",), after=(r"habitaci(?:ón|ones)",)),
    "bags": Concept(slots=("maletas", "equipaje"), after=(r"maletas?",)),
    "price": Concept(slots=("precio", "presupuesto", "importe"), before=(r"precio", r"presupuesto(?: de)?")),
    "birth": Concept(slots=("nacimiento", "cumpleaños"), before=(r"nací(?: el)?",)),
    "past": Concept(slots=("accidente", "compra", "ocurrió")),
}

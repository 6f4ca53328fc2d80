"""What of a dialogue must not be shown: all that its sensitive slots hold, held, should hold or were to hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from slotstate.domains import Domains
from slotstate.errors import InvalidValue
from slotstate.log import Entry
from slotstate.masking import Secrets
from slotstate.measuring.dialogues import DONTCARE_LABEL, Dialogue, Turn
from slotstate.slots import Json, SlotSpec
from slotstate.values import Reading, jsonable, normalise


class Hidden:
    """Masks what a dialogue's sensitive slots are known to be about: by the reference, by the log of the session, and
    by what was proposed while it was played (`told`).
    """

    def __init__(self, dialogue: Dialogue, domains: Domains, told: Iterable[Entry]) -> None:
        self._secrets = Secrets(domains, dialogue.log, now=dialogue.now)
        self._secrets.learn(told)
        sensitive = {path: spec for path, spec in domains.specs.items() if spec.slot.sensitive}
        for path, value in dialogue.said if sensitive else ():
            self._secrets.learn_value(path, value)
        for turn in dialogue.turns if sensitive else ():
            for path, value in _references(turn, sensitive, Reading(dialogue.now)):
                self._secrets.learn_value(path, value)
            for path, value in (turn.offers or {}).items():
                self._secrets.learn_value(path, value)

    def hides(self, path: str) -> bool:
        """Whether nothing of a slot's value may be shown."""
        return self._secrets.hides(path)

    def mask(self, text: str) -> str:
        """The text with what must not be shown replaced."""
        return self._secrets.mask(text)


def _references(turn: Turn, sensitive: dict[str, SlotSpec], reading: Reading) -> Iterator[tuple[str, Json]]:
    """What sensitive slots should hold after a turn, as it is written and as a value."""
    for path, reference in (turn.state or {}).items():
        if path not in sensitive:
            continue
        for form in reference.forms - {DONTCARE_LABEL}:
            told = form if sensitive[path].kind == "text" else _json(form)
            if isinstance(told, str):
                yield path, told
            with suppress(InvalidValue):
                yield path, jsonable(normalise(sensitive[path], told, reading))


def _json(form: str) -> Any:
    """A value as a session writes it: as JSON, or as words."""
    try:
        told = json.loads(form)
    except ValueError:
        return form
    return told if isinstance(told, dict | list | bool) else form


__all__ = ["Hidden"]

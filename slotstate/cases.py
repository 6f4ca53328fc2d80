"""Conversation tests: short dialogues with what the slots must hold at their end.

A case is an object with `name`, optional `kind`, `now` (ISO, local to `timezone`) and `timezone`, `domains` (JSON Schemas;
`title` names the domain), `turns` (`role`, `text`; an assistant turn may say `asks` and `offers`), `expected` (slot path →
value, null for empty, "dontcare") and optional `excluded` (slot path → values ruled out). Slots that are not listed are
ignored. A file holds one case a line (JSON Lines), a JSON list, or YAML documents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slotstate.chat import Chat
from slotstate.contract import View
from slotstate.domains import Domain, compile_domains
from slotstate.errors import InputError, InvalidValue, SlotstateError
from slotstate.events import Decided, UserTurn
from slotstate.extract import Extractor
from slotstate.jsonschema import domain_from_json_schema
from slotstate.loading import parse_documents
from slotstate.messages import Message, storable
from slotstate.slots import Json, SlotSpec
from slotstate.tracker import Tracker
from slotstate.values import Reading, jsonable, normalise, same

NOON: Final = "2025-01-06T12:00:00"
"""The time of cases that name none: a Monday."""


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation test, read and checked. `where` names file and line."""

    name: str
    kind: str
    where: str
    domains: tuple[Domain, ...]
    turns: tuple[Message, ...]
    expected: Mapping[str, Json]
    excluded: Mapping[str, tuple[Json, ...]]
    now: datetime
    timezone: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. `found` holds the slots of `expected` as they are; `invented` those that should be empty and
    are not; `why` one line of explanation for each slot that differs; `error` is set when the case could not be played."""

    case: Case
    found: Mapping[str, Json]
    wrong: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether all is as expected."""
        return self.error is None and not self.wrong


def read_cases(path: Path) -> list[Case]:
    """The cases of a file. Raises InputError, naming file and line, when one cannot be a case."""
    cases = [read_case(document, where) for document, where in parse_documents(path)]
    if not cases:
        raise InputError(f"{path}: it holds no cases")
    return cases


def read_case(document: object, where: str) -> Case:
    """A case from its parsed form. Raises InputError."""
    if not isinstance(document, Mapping):
        raise InputError(f"{where}: a case is an object with name, domains, turns and expected")
    raw = cast(Mapping[str, Any], document)
    for key, kind in (("domains", list), ("turns", list), ("expected", dict)):
        if not isinstance(raw.get(key), kind):
            raise InputError(f"{where}: a case needs {key}, {'a list' if kind is list else 'an object'}")
    try:
        domains = tuple(domain_from_json_schema(schema) for schema in raw["domains"])
        known = compile_domains(domains)
        expected = {known.resolve(path)[0].path: value for path, value in raw["expected"].items()}
        excluded = {known.resolve(path)[0].path: tuple(values) for path, values in raw.get("excluded", {}).items()}
        turns = tuple(_turn(turn, f"turn {index}") for index, turn in enumerate(raw["turns"]))
        now, timezone = _moment(raw)
    except (SlotstateError, TypeError, AttributeError) as error:
        raise InputError(f"{where}: {error}") from None
    name = str(raw.get("name") or where)
    return Case(name, str(raw.get("kind", "")), where, domains, turns, expected, excluded, now, timezone)


def _turn(raw: Any, where: str) -> Message:
    if not isinstance(raw, Mapping) or raw.get("role") not in {"user", "assistant"}:
        raise InputError(f"{where}: a turn needs a role, user or assistant")
    if not isinstance(raw.get("text"), str):
        raise InputError(f"{where}: a turn needs its text")
    offers, asks = raw.get("offers"), raw.get("asks", ())
    text = storable(raw["text"])
    return Message(role=raw["role"], text=text, asks=tuple(asks), offers=None if offers is None else dict(offers))


def _moment(raw: Mapping[str, Any]) -> tuple[datetime, str]:
    timezone = str(raw.get("timezone", "UTC"))
    try:
        zone = ZoneInfo(timezone)
        now = datetime.fromisoformat(str(raw.get("now", NOON)))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"now must be an ISO time and timezone an IANA name, not {raw.get('now')!r}, {timezone!r}") from None
    return (now if now.tzinfo is not None else now.replace(tzinfo=zone)), timezone


def play(case: Case, extractor: Extractor | str) -> Outcome:
    """Play a case and compare. Never raises: what goes wrong is the outcome's error."""
    clock = iter(case.now + timedelta(seconds=second) for second in range(10_000_000))
    try:
        with_clock = Tracker(case.domains, extractor=extractor, clock=lambda: next(clock), timezone=case.timezone)
        chat = with_clock.open(case.name)
        for turn in case.turns:
            played = chat.add(turn)
            if played is not None and played.extraction == "failed":
                return Outcome(case, {}, error=f"turn {played.turn} could not be read: {played.error}")
        return _compare(case, chat)
    except Exception as error:  # a case must not stop the others
        return Outcome(case, {}, error=f"{type(error).__name__}: {error}")


def _compare(case: Case, chat: Chat) -> Outcome:
    found: dict[str, Json] = {}
    wrong: dict[str, str] = {}
    invented: list[str] = []
    for path, value in case.expected.items():
        spec, held = _slot(chat, path)
        found[path] = "dontcare" if held.dontcare else jsonable(held.value)
        if not _as_expected(spec, held, value, case):
            wrong[path] = _explain(chat, path, found[path], value)
            if value is None:
                invented.append(path)
    for path, values in case.excluded.items():
        spec, held = _slot(chat, path)
        item = spec.element if spec.kind == "list" else spec
        for value in values:
            if not any(same(item, _normal(item, value, case), jsonable(other)) for other in held.excluded):
                wrong[path] = f"{path}: {value!r} should be ruled out; {_story(chat, path)}"
    return Outcome(case, found, tuple(wrong), tuple(invented), tuple(wrong.values()))


def _slot(chat: Chat, path: str) -> tuple[SlotSpec, View]:
    spec = chat.domains.spec(path)
    return spec, chat.state[spec.domain][spec.name]


def _as_expected(spec: SlotSpec, held: View, expected: Json, case: Case) -> bool:
    if expected is None:
        return held.status == "empty"
    if expected == "dontcare" and spec.slot.dont_care:
        return held.dontcare
    return held.status != "empty" and not held.dontcare and same(spec, _normal(spec, expected, case), jsonable(held.value))


def _normal(spec: SlotSpec, value: Json, case: Case) -> Json:
    """The value as the slot's type has it; one that the slot refuses is compared as it is, and differs."""
    try:
        return normalise(spec, value, Reading(case.now.astimezone(ZoneInfo(case.timezone))))
    except InvalidValue:
        return value


def _explain(chat: Chat, path: str, found: Json, expected: Json) -> str:
    shown = "nothing" if expected is None else json.dumps(expected, ensure_ascii=False)
    held = "nothing" if found is None else json.dumps(found, ensure_ascii=False)
    return f"{path}: expected {shown}, found {held}; {_story(chat, path)}"


def _story(chat: Chat, path: str) -> str:
    """The last decision about a slot, with the turn and its words."""
    events = [entry.event for entry in chat.why(path)]
    last = next((event for event in reversed(events) if isinstance(event, Decided)), None)
    if last is None:
        said = [message.text for message in chat.messages if isinstance(message, UserTurn)]
        return f"nothing was proposed for it in {len(said)} user turn{'' if len(said) == 1 else 's'}: {' / '.join(said)!r}"
    words = next((message.text for message in chat.messages if message.turn == last.turn), "")
    reason = f", {last.reason}" if last.reason else ""
    return f"turn {last.turn} {words!r}: {last.op} {last.value!r} with {last.quote!r} → {last.kind}{reason}"

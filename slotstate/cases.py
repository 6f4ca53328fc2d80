"""Conversation tests: short dialogues with what the slots must hold at their end.

A case is an object with `name`, optional `kind`, `now` (ISO, local to `timezone`) and `timezone`, `domains` (JSON
Schemas; `title` names the domain), `turns` (`role`, `text`; an assistant turn may say `asks` and `offers`), `expected`
(slot path → value, null for empty, "dontcare") and optional `excluded` (slot path → values ruled out). Slots that are
not listed are ignored. A file holds one case a line (JSON Lines), a JSON list, a YAML list or several YAML documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import Any, Final, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slotstate.chat import Chat
from slotstate.contract import CaseResult, CasesReport, View
from slotstate.domains import Domain, Domains, compile_domains
from slotstate.errors import InputError, InvalidValue, SlotstateError
from slotstate.events import MessageEvent, Reset, SlotEvent
from slotstate.extract import Extractor
from slotstate.jsonschema import domain_from_json_schema
from slotstate.loading import load_domains, parse_documents
from slotstate.messages import Message, storable
from slotstate.session import decisions
from slotstate.slots import Json, SlotSpec
from slotstate.tracker import Tracker
from slotstate.values import Reading, jsonable, normalise, same

NOON: Final = "2025-01-06T12:00:00"
"""The time of cases that name none: a Monday."""
_KEYS: Final = ("name", "kind", "now", "timezone", "domains", "turns", "expected", "excluded")


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation test, read and checked. It stands in `file` at `line`."""

    name: str
    kind: str
    domains: Domains
    turns: tuple[Message, ...]
    expected: Mapping[str, Json]
    excluded: Mapping[str, tuple[Json, ...]]
    now: datetime
    timezone: str
    file: str = ""
    line: int = 1

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Step:
    """What was decided about a slot at a message."""

    message: MessageEvent
    decided: tuple[SlotEvent | Reset, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A slot that is not as expected; both sides in words, and all that was decided about it, oldest first."""

    path: str
    expected: str
    found: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. `found` holds the slots of `expected` as they are, `invented` those that should be empty and
    are not; `messages` is the dialogue; `error` says why the case could not be played to its end.
    """

    case: Case
    found: Mapping[str, Json]
    wrong: tuple[Difference, ...] = ()
    invented: tuple[str, ...] = ()
    messages: tuple[MessageEvent, ...] = ()
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether all is as expected."""
        return self.error is None and not self.wrong

    @property
    def why(self) -> tuple[str, ...]:
        """A line for each slot that differs."""
        return tuple(f"{one.path}: expected {one.expected}, found {one.found}; {_story(one)}" for one in self.wrong)


# Reading


def read_cases(path: Path) -> list[Case]:
    """The cases of a file. Raises SlotstateError, naming file and line, when one cannot be a case."""
    cases = [read_case(document, str(path), line) for document, line in parse_documents(path)]
    if not cases:
        raise InputError(f"{path}: it holds no cases")
    return cases


def read_case(document: object, file: str = "case", line: int = 1) -> Case:
    """A case from its parsed form. Raises InputError."""
    try:
        return _case(document, file, line)
    except SlotstateError as error:
        raise InputError(f"{file}:{line}: {error}") from None
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:  # a schema of any shape
        raise InputError(f"{file}:{line}: not a case that can be read ({type(error).__name__}: {error})") from None


def _case(document: object, file: str, line: int) -> Case:
    if not isinstance(document, Mapping):
        raise InputError("a case is an object with name, domains, turns and expected")
    raw = cast(Mapping[str, Any], document)
    for key in raw:
        meant = get_close_matches(str(key), _KEYS, n=1, cutoff=0.8)
        if meant and key not in _KEYS:
            raise InputError(f"unknown key {key!r}; did you mean {meant[0]!r}?")
    domains = compile_domains(one for given in _given(raw, "domains", list) for one in _domains(given, file))
    turns = tuple(_turn(turn, f"turn {index}", domains) for index, turn in enumerate(_given(raw, "turns", list)))
    expected = {_checked(domains, path): value for path, value in _given(raw, "expected", dict).items()}
    excluded = {_slot_path(domains, path): _values(path, value) for path, value in (raw.get("excluded") or {}).items()}
    if not expected and not excluded:
        raise InputError("it expects nothing: name a slot under expected or excluded")
    now, timezone = _moment(raw)
    _check_values(domains, expected, excluded, Reading(now.astimezone(ZoneInfo(timezone))))
    name = storable(str(raw.get("name") or f"case at line {line}"))
    return Case(
        name, storable(str(raw.get("kind") or "")), domains, turns, expected, excluded, now, timezone, file, line
    )


def _check_values(
    domains: Domains, expected: Mapping[str, Json], excluded: Mapping[str, Sequence[Json]], reading: Reading
) -> None:
    """Raises InputError for a value that its slot can never hold: the case could not pass."""
    for path, value in expected.items():
        spec, field = domains.resolve(path)
        if field is not None:
            spec = spec.fields.get(field) or spec.element
        if value is not None and not (value == "dontcare" and spec.slot.dont_care):
            _check_value("expected", spec, value, reading)
    for path, values in excluded.items():
        spec = domains.spec(path)
        for value in values:
            _check_value("excluded", spec.element if spec.kind == "list" else spec, value, reading)


def _check_value(where: str, spec: SlotSpec, value: Json, reading: Reading) -> None:
    try:
        normalise(spec, value, reading)
    except InvalidValue as error:
        raise InputError(f"{where} {error}") from None


def _given(raw: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    value = raw.get(key, {} if key == "expected" and "excluded" in raw else None)
    if not isinstance(value, kind):
        raise InputError(f"a case needs {key}, {'a list' if kind is list else 'an object'}")
    return value


def _domains(given: Any, file: str) -> list[Domain]:
    """A JSON Schema, or the name of a schema: a bundled one, a module's, or a file beside the case's own."""
    if isinstance(given, Mapping):
        return [domain_from_json_schema(cast(Mapping[str, Any], given))]
    if not isinstance(given, str):
        raise InputError(f"domains must hold JSON Schema objects or names of schemas, not {given!r}")
    beside = Path(file).parent / given
    return load_domains(str(beside) if beside.is_file() else given)


def _checked(domains: Domains, path: str) -> str:
    domains.resolve(path)
    return path


def _slot_path(domains: Domains, path: str) -> str:
    return domains.spec(path).path


def _values(path: str, values: Any) -> tuple[Json, ...]:
    if not isinstance(values, list):
        raise InputError(f"excluded {path}: it must be a list of values")
    return tuple(values)


def _turn(raw: Any, where: str, domains: Domains) -> Message:
    if not isinstance(raw, Mapping) or raw.get("role") not in {"user", "assistant"}:
        raise InputError(f"{where}: a turn needs a role, user or assistant")
    if not isinstance(raw.get("text"), str):
        raise InputError(f"{where}: a turn needs its text")
    asks, offers = raw.get("asks") or (), raw.get("offers") or {}
    if not isinstance(asks, list | tuple) or not isinstance(offers, Mapping):
        raise InputError(f"{where}: asks must be a list of slots, offers an object of slots and values")
    for path in (*asks, *offers):
        domains.resolve(path)
    return Message(role=raw["role"], text=storable(raw["text"]), asks=tuple(asks), offers=dict(offers) or None)


def _moment(raw: Mapping[str, Any]) -> tuple[datetime, str]:
    given, timezone = str(raw.get("now") or NOON), str(raw.get("timezone") or "UTC")
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"unknown time zone {timezone!r}: use an IANA name such as Europe/Berlin") from None
    try:
        now = datetime.fromisoformat(given)
    except ValueError:
        raise InputError(f"now {given!r} is no ISO time: write it as 2025-03-03T09:00") from None
    if not 1900 <= now.year <= 2200:
        raise InputError(f"now {given!r}: the year must lie between 1900 and 2200")
    return (now if now.tzinfo is not None else now.replace(tzinfo=zone)), timezone


# Playing


def play(case: Case, extractor: Extractor | str) -> Outcome:
    """Play a case and compare. Never raises: what goes wrong is the outcome's error. Each message is a second later."""
    seconds = count()
    try:
        tracker = Tracker(
            case.domains,
            extractor=extractor,
            clock=lambda: case.now + timedelta(seconds=next(seconds)),
            timezone=case.timezone,
        )
        chat = tracker.open("case")
        for turn in case.turns:
            played = chat.add(turn)
            if played is not None and played.extraction == "failed":
                return Outcome(case, {}, error=f"turn {played.turn} could not be read: {played.error}")
        return _compare(case, chat)
    except Exception as error:  # a case must not stop the others
        return Outcome(case, {}, error=f"{type(error).__name__}: {error}")


def report(outcomes: Sequence[Outcome]) -> CasesReport:
    """What `slotstate test --json` prints."""
    errors = sum(outcome.error is not None for outcome in outcomes)
    passed = sum(outcome.ok for outcome in outcomes)
    return CasesReport(
        passed=passed,
        failed=len(outcomes) - passed - errors,
        errors=errors,
        cases=[
            CaseResult(
                name=outcome.case.name,
                kind=outcome.case.kind,
                ok=outcome.ok,
                expected=dict(outcome.case.expected),
                found=dict(outcome.found),
                invented=list(outcome.invented),
                why=list(outcome.why),
                error=outcome.error,
            )
            for outcome in outcomes
        ],
    )


# Comparing


@dataclass(frozen=True, slots=True)
class _Held:
    """A slot, or a field of one, as it is at the end."""

    spec: SlotSpec
    value: Json
    dontcare: bool
    excluded: Sequence[Json]

    @property
    def shown(self) -> Json:
        return "dontcare" if self.dontcare else self.value


def _compare(case: Case, chat: Chat) -> Outcome:
    held = {path: _held(chat, path) for path in (*case.expected, *case.excluded)}
    differing = [path for path, value in case.expected.items() if not _as_expected(held[path], value, case)]
    wrong = [_difference(chat, path, _written(case.expected[path]), _written(held[path].shown)) for path in differing]
    wrong += _not_excluded(case, chat, held)
    found = {path: held[path].shown for path in case.expected}
    invented = tuple(path for path in differing if case.expected[path] is None)
    return Outcome(case, found, tuple(wrong), invented, chat.messages)


def _held(chat: Chat, path: str) -> _Held:
    spec, field = chat.domains.resolve(path)
    held: View = chat.state[spec.domain][spec.name]
    value: Any = None if held.status == "empty" else jsonable(held.value)
    if field is not None:
        spec, value = spec.fields.get(field) or spec.element, (value or {}).get(field)
    return _Held(spec, value, held.dontcare, [jsonable(one) for one in held.excluded])


def _as_expected(held: _Held, expected: Json, case: Case) -> bool:
    if expected == "dontcare" and held.spec.slot.dont_care:
        return held.dontcare
    if expected is None or held.value is None or held.dontcare:
        return expected is None and held.shown is None
    return same(held.spec, _normal(held.spec, expected, case), held.value)


def _not_excluded(case: Case, chat: Chat, held: Mapping[str, _Held]) -> Iterator[Difference]:
    for path, values in case.excluded.items():
        slot = held[path]
        item = slot.spec.element if slot.spec.kind == "list" else slot.spec
        lacking = [
            value for value in values if not any(same(item, _normal(item, value, case), one) for one in slot.excluded)
        ]
        if lacking:
            yield _difference(chat, path, _ruled_out(lacking), _ruled_out(slot.excluded))


def _normal(spec: SlotSpec, value: Json, case: Case) -> Json:
    """The value as the slot's type has it: reading the case made sure that there is one."""
    return normalise(spec, value, Reading(case.now.astimezone(ZoneInfo(case.timezone))))


def _difference(chat: Chat, path: str, expected: str, found: str) -> Difference:
    by_turn: dict[int, list[SlotEvent | Reset]] = {}
    for event in decisions(entry.event for entry in chat.why(path)):
        by_turn.setdefault(event.turn, []).append(event)
    steps = tuple(Step(one, tuple(by_turn[one.turn])) for one in chat.messages if one.turn in by_turn)
    return Difference(path, expected, found, steps)


def _written(value: Json) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _ruled_out(values: Sequence[Json]) -> str:
    return f"{', '.join(map(_written, values))} ruled out" if values else "nothing ruled out"


def _story(difference: Difference) -> str:
    """The last decision about a slot, with the turn and its words."""
    if not difference.steps:
        return "nothing was proposed for it"
    step = difference.steps[-1]
    event = step.decided[-1]
    words = f"turn {step.message.turn} {step.message.text!r}"
    if isinstance(event, Reset):
        return f"{words}: a fresh task"
    reason = f", {event.reason}" if event.reason else ""
    return f"{words}: {event.op} {_written('dontcare' if event.dontcare else event.value)}, {event.kind}{reason}"

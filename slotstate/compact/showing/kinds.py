"""What a tool's result is: JSON, a table, a log, plain text, or nothing to read at all."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, Literal

from slotstate.compact.showing.cuts import clean
from slotstate.compact.showing.tables import Table, table_of
from slotstate.slots import Json

TextKind = Literal["json", "table", "log", "text", "binary"]

DEEPEST: Final = 64
"""Levels of JSON that are read. Deeper nesting is taken as text, on every machine alike."""

_ODD: Final = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ud800-\udfff\ufffd\ufffe\uffff]")
_ODD_SHARE: Final = 0.05
_SAMPLE: Final = 20_000
_LINES: Final = 60
_WIDE: Final = 400
"""Characters of a line that are looked at."""

_LINE: Final = re.compile(r"[^\n]+")
_TIME: Final = r"\d{1,2}:\d{2}(?::\d{2})?\b"
_LEVEL: Final = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRIT(?:ICAL)?|SEVERE|PANIC)"
_LOG_LINE: Final = re.compile(
    rf"""\s*(?:\x1b\[[\d;]*m)*(?:
      [\[(<"]?(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)[T\s_,]*{_TIME}
    | [\[(]?{_TIME}
    | (?:[A-Z][a-z]{{2}}\s+)?[A-Z][a-z]{{2}}\s+\d{{1,2}}\s+{_TIME}
    | [IWEFD]\d{{4}}\s+{_TIME}
    | \[?\s*(?:\d+\.\d+|\d{{10}}|\d{{13}})\]\s
    | \S+\s\S+\s\S+\s\[\d{{1,2}}/\w{{3,4}}/\d{{4}}:
    | [\[(<]?{_LEVEL}[\])>]?(?::|\s|\||-|$)
    | (?:\w+=\S+\s+){{0,3}}(?:ts|time|level|lvl|severity)=
    | \S+:\d+(?::\d+)?:\s
    | (?:error|warning|note|fatal)(?:\[\w+\])?:
    | (?:PASS|FAIL|PASSED|FAILED|ok|not\ ok|npm\ (?:ERR!|WARN))(?:\s|:|$)
    )""",
    re.VERBOSE,
)
_LEVELLED: Final = re.compile(rf"^.{{0,80}}?\b{_LEVEL}\b")
_TRACE: Final = re.compile(
    r'^(?:Traceback \(most recent call last\):|\s+at \S.{0,300}[:(]\w+|\s+File ".{1,300}", line \d+|goroutine \d+ \[)',
    re.MULTILINE,
)


class Missing:
    """Stands for no value: None is one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a text is. `value` is the JSON value (see `parsed`), `records` marks JSON Lines, `table` says what a table's
    rows are.
    """

    kind: TextKind
    value: Json = Missing
    records: bool = False
    table: Table | None = None


def text_of(content: bytes) -> str | None:
    """The text that the bytes encode, None when they are no text."""
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return None


def kind_of(content: str | bytes) -> TextKind:
    """What a result is. Bytes that are no text are binary, as is a text full of control characters."""
    text = text_of(content) if isinstance(content, bytes) else content
    return "binary" if text is None else shape_of(clean(text)).kind


def shape_of(text: str) -> Shape:
    """What a clean text is, with what was found out on the way."""
    value = parsed(text)
    if value is not Missing:
        return Shape("json", value=value)
    if _are_records(text):
        return Shape("json", records=True)
    if _is_binary(text):
        return Shape("binary")
    begin, end = _samples(text)
    is_log = _is_log(begin, end)
    if (table := table_of(begin, text)) and not (is_log and _is_entry(begin[0])):
        return Shape("table", table=table)
    return Shape("log" if is_log else "text")


def _is_binary(text: str) -> bool:
    """Whether this cannot be meant to be read."""
    places = {0, max(0, len(text) // 2 - _SAMPLE // 2), max(0, len(text) - _SAMPLE)}
    samples = [text[at : at + _SAMPLE] for at in places]
    return any(len(_ODD.findall(sample)) > _ODD_SHARE * len(sample) for sample in samples)


def parsed(text: str) -> Json:
    """The object, array or text that the JSON is, `Missing` for anything else. Numbers that Python would write in
    another way, such as 1.10 and 1e400, are bytes, as they are written. NaN and Infinity, which JSON does not know, are
    texts.
    """
    body = text.removeprefix("\ufeff").strip(" \t\r\n")
    if not body or body[0] not in '{["' or body[-1] not in '}]"':
        return Missing
    try:
        value = _decoded(body)
    except (ValueError, RecursionError):
        return Missing
    return value if body.count("[") + body.count("{") <= DEEPEST or _depth_fits(value) else Missing


def _decoded(body: str) -> Json:
    try:
        return _DECODER.decode(body)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number of more digits than Python reads
        return _DECODER_OF_LONG.decode(body)


_DECODER: Final = json.JSONDecoder(parse_float=str.encode, parse_constant=str)
_DECODER_OF_LONG: Final = json.JSONDecoder(parse_float=str.encode, parse_int=str.encode, parse_constant=str)


def _depth_fits(value: Json) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        if not level:
            return True
    return False


def _are_records(text: str) -> bool:
    """Whether each line is a JSON object or array, and there are two or more."""
    count = 0
    for line in _LINE.finditer(text):
        if line[0].strip():
            if not isinstance(parsed(line[0]), dict | list):
                return False
            count += 1
    return count > 1


def _samples(text: str) -> tuple[list[str], list[str]]:
    """Whole lines from the beginning and from the end that are not blank."""
    begin = text[:_SAMPLE].split("\n")
    end = text[-_SAMPLE:].split("\n")
    if len(text) > _SAMPLE:
        begin, end = begin[:-1] or begin, end[1:] or end
    return [line.rstrip("\r") for line in begin if line.strip()][:_LINES], [line for line in end if line.strip()][
        -_LINES:
    ]


def _is_log(begin: list[str], end: list[str]) -> bool:
    lines = begin + end
    if len(lines) < 4:  # two samples of two lines
        return False
    like = sum(map(_is_entry, lines))
    return like >= 0.4 * len(lines) or bool(_TRACE.search("\n".join(line[:_WIDE] for line in lines)))


def _is_entry(line: str) -> bool:
    return bool(_LOG_LINE.match(line[:_WIDE]) or _LEVELLED.match(line[:_WIDE]))

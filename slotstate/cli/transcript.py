"""Transcripts: chat messages in JSON or JSON Lines, from a file or standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from slotstate.errors import InputError
from slotstate.messages import Message, read_message, storable

_HINT = 'a transcript holds chat messages, as a JSON list, as {"messages": [...]}, or one a line'


@dataclass(frozen=True, slots=True)
class Line:
    """A message of a transcript, and where it stands, for errors."""

    message: Message
    where: str


def read_transcript(source: str) -> list[Line]:
    """The messages of the file `source`, or of standard input for `-`. A message without an id gets its index as one.

    Raises InputError with the file, and the line where there is one.
    """
    name = "standard input" if source == "-" else source
    text = _text(source, name)
    if not text.strip():
        raise InputError(f"{name}: it is empty; {_HINT}")
    read = [(read_message(raw, where), where) for raw, where in _raw(text, name)]
    if not read:
        raise InputError(f"{name}: it holds no messages; {_HINT}")
    taken = {message.id for message, _ in read if message.id is not None}
    lines: list[Line] = []
    for index, (message, where) in enumerate(read):
        ident = storable(message.id) if message.id is not None else _free(str(index), taken)
        lines.append(Line(message.model_copy(update={"id": ident}), where))
    return lines


def _free(ident: str, taken: set[str]) -> str:
    while ident in taken:
        ident += "+"
    return ident


def _text(source: str, name: str) -> str:
    try:
        data = _standard_input() if source == "-" else Path(source).read_bytes()
    except FileNotFoundError:
        raise InputError(f"no such file: {source}") from None
    except IsADirectoryError:
        raise InputError(f"{source} is a folder: name a file with chat messages") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot read {source}: {reason}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: not UTF-8 text (byte 0x{data[error.start]:02x})") from None
    if "\0" in text:
        raise InputError(f"{name}:{text.count(chr(10), 0, text.index(chr(0))) + 1}: not text: it holds a NUL character")
    return text


def _standard_input() -> bytes:
    buffer = getattr(sys.stdin, "buffer", None)
    return buffer.read() if buffer is not None else sys.stdin.read().encode("utf-8", "surrogatepass")


def _raw(text: str, name: str) -> Iterator[tuple[Any, str]]:
    """(message, where) for each message, not yet checked."""
    whole = text.lstrip()
    first = whole.partition("\n")[0]
    if whole.startswith("{") and _is_object(first):
        yield from _by_line(text, name)
        return
    document = _parsed(text, name, 1)
    messages = _messages(document)
    if messages is None:
        raise InputError(f"{name}: {_HINT}")
    yield from ((raw, f"{name}: message {index}") for index, raw in enumerate(messages))


def _by_line(text: str, name: str) -> Iterator[tuple[Any, str]]:
    lines = text.split("\n")  # not splitlines: U+2028 may stand inside a JSON string
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    for number, line in filled:
        raw = _parsed(line, name, number)
        messages = _messages(raw) if len(filled) == 1 else None
        if messages is None or messages == [raw]:
            yield raw, f"{name}:{number}"
        else:
            yield from ((one, f"{name}: message {index}") for index, one in enumerate(messages))


def _messages(document: Any) -> list[Any] | None:
    """The messages that a whole document holds: a list, an object with a list of them, or one message."""
    found: Any = document
    if isinstance(found, dict):
        fields = cast(dict[str, Any], found)
        found = [fields] if "role" in fields else fields.get("messages")
    return list(cast(Sequence[Any], found)) if isinstance(found, list) else None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parsed(text: str, name: str, line: int) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"{name}:{line + error.lineno - 1}"
        raise InputError(f"{where}: not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise InputError(f"{name}:{line}: nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{name}:{line}: not JSON: {str(error).partition(';')[0]}") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON value")

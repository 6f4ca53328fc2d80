"""Tool results that are too long: what is shown in their place. Nothing here forgets that there is more, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from slotstate.compact.showing.cuts import clean, shorten
from slotstate.compact.showing.kinds import Missing, Shape, kind_of, shape_of, text_of
from slotstate.compact.showing.lines import Way, of_log, of_records, of_table, some_lines
from slotstate.compact.showing.shrinking import Shrinker, View, spare_key, written
from slotstate.errors import InputError
from slotstate.slots import Json

__all__ = ["fold", "kind_of", "left_out", "preview"]

_REFERENCE: Final = re.compile(r"[^\s\"\\\[\]\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}")
_AROUND: Final = 40
"""Characters that stand around a note, such as the count of what is missing."""
_BODY: Final = 60
"""A part of a text in less room says nothing."""
_INSIDE: Final = 400
"""Texts from here on are shown by structure inside JSON as well."""
_NESTED: Final = 2
"""Levels of JSON inside the texts of JSON."""


def preview(text: str | bytes, limit: int, ref: str) -> str:
    """What stands for a result that was moved out under `ref`: at most `limit` characters, by structure, with how much
    there is. What is a preview of that reference already is shortened further, and still tells the size of the
    original; when it fits it stays as it is.

    - JSON stays JSON, the note in it: under the key "…" of an object, as an array's last item, at a text's end.
    - JSON Lines, tables and logs are whole lines: the first and the last, of a table the header, of a log those with
      errors. Marks are lines that start with `[…`, in JSON Lines objects with the key "…".
    - Text is its beginning and its end, cut where lines or sentences end.
    - Of what cannot be read the size is told.

    Raises InputError for a reference that cannot be quoted, and for a limit that does not hold the note.
    """
    if not _REFERENCE.fullmatch(ref):
        raise InputError(f"a reference is 1 to 200 characters without spaces, quotes and brackets, not {ref[:60]!r}")
    given = text_of(text) if isinstance(text, bytes) else text
    if given is None:
        return _in_room(_note(len(text), ref, of="binary, ", unit="bytes"), limit)
    given = clean(given)
    earlier = _note_at_end(ref).search(given)
    if earlier and len(given) <= limit:
        return given
    if earlier:
        note = _note(int(earlier["size"].replace(",", "")), ref)
        return _Result(given, given[: earlier.start()].rstrip("\n"), note, note, again=True).shown(limit)
    size = len(given)
    return _Result(given, given, _note(size, ref), _note(size, ref, more=""), again=False).shown(limit)


def fold(text: str | bytes, size: int, ref: str) -> str:
    """What stays of an older result: head, tail and reference, in at most `size` characters and by the rules of a
    preview. `text` is the result, or the preview that stands for it. Raises InputError as `preview` does.
    """
    return preview(text, size, ref)


def left_out(text: str | bytes, ref: str) -> str:
    """The line that stands for a result whose text is never shown."""
    if isinstance(text, bytes):
        return _note(len(text), ref, unit="bytes", more="; recall it to read it")
    return _note(len(clean(text)), ref, more="; recall it to read it")


def _note(size: int, ref: str, *, of: str = "", unit: str = "characters", more: str = "; recall it for more") -> str:
    return f"[{of}{size:,} {unit} in {ref}{more}]"


def _note_at_end(ref: str) -> re.Pattern[str]:
    """Finds the note that ends a preview. No content can forge one: it would have to tell its own hash."""
    return re.compile(
        rf"\[(?:binary, )?(?P<size>\d{{1,3}}(?:,\d{{3}}){{0,4}}) (?:characters|bytes) in {re.escape(ref)}"
        r'(?:; recall it [a-z ]{1,20})?\]"?[}\]]?\s*\Z'
    )


def _in_room(note: str, limit: int) -> str:
    if limit < len(note) + _AROUND:
        raise InputError(f"what stands for a result takes {len(note) + _AROUND} characters at least, not {limit}")
    return note


@dataclass(frozen=True, slots=True)
class _Result:
    """A result as it is, its text without an earlier note, and the notes for it: when some of it is missing, and when
    all of it is there.
    """

    given: str
    body: str
    note: str
    whole: str
    again: bool

    def shown(self, limit: int) -> str:
        note = _in_room(self.note, limit)
        shape = shape_of(self.given)
        if shape.kind == "binary":
            return note.replace("[", "[binary, ", 1)
        if shape.value is not Missing:
            return self._json(shape.value, limit)
        if shape.records:
            return self._with_note(Shape("json", records=True), _as_line(note), _as_line(self.whole), limit)
        return self._with_note(shape_of(self.body) if self.again else shape, note, self.whole, limit)

    def _json(self, value: Json, limit: int) -> str:
        if self.again and isinstance(value, str):
            value = value[: value.rfind("\n[")]
        elif not self.again and (all_of_it := written(_noted(value, self.whole), limit)) is not None:
            return all_of_it
        return _shrinker(again=self.again, depth=0).noted(value, limit, self.note)

    def _with_note(self, shape: Shape, note: str, whole: str, limit: int) -> str:
        body = self.body
        if shape.records and self.again:
            body = body[: body.rfind("\n")]
        if not self.again and len(body) + len(whole) < limit:
            return f"{body.removesuffix(chr(10))}\n{whole}" if body else whole
        room = limit - len(note) - 1
        shown = _viewer(body, shape, again=self.again)(room) if room >= _BODY else ""
        return f"{shown}\n{note}" if shown else note


def _as_line(note: str) -> str:
    """The note as a line of JSON Lines."""
    return written(_noted({}, note), len(note) + _AROUND) or note


def _noted(value: Json, note: str) -> Json:
    """The value with the note in it."""
    if isinstance(value, dict):
        return {**value, spare_key(value): note}
    return [*value, note] if isinstance(value, list) else f"{value}\n{note}"


def _viewer(text: str, shape: Shape, *, again: bool = False, depth: int = 0) -> View:
    """What shows a text of this shape in a room; what it takes to know is found out once."""
    way = _way(text, shape, again=again, depth=depth)
    longest = text.count("\n") + 1 if shape.kind == "log" else len(text)

    def view(room: int) -> str:
        if len(text) <= room:
            return text
        if shape.kind == "binary":
            return f"[binary, {len(text):,} characters]"[:room]
        if shape.value is not Missing:
            return _shrinker(again=again, depth=depth)(shape.value, room) or shorten(text, room, again=again)
        if way and len(text) < room * longest:
            return some_lines(text, room, way, again=again)
        return shorten(text, room, again=again)

    return view


def _way(text: str, shape: Shape, *, again: bool, depth: int) -> Way | None:
    """How its lines are shown, None of a text that does not go by lines."""
    if shape.records:
        return of_records(text, _shrinker(again=again, depth=depth))
    if shape.table:
        return of_table(shape.table)
    return of_log(text) if shape.kind == "log" else None


def _shrinker(*, again: bool, depth: int) -> Shrinker:
    """Shrinks JSON, and the texts in it by what they are in turn."""

    def view(text: str) -> View:
        if len(text) < _INSIDE or depth >= _NESTED:
            return lambda room: shorten(text, room, again=again)
        by_shape = _viewer(text, shape_of(text), again=again, depth=depth + 1)
        return lambda room: by_shape(room) if room >= _BODY else shorten(text, room, again=again)

    return Shrinker(view, again=again)

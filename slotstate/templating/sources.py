"""The files of a template, read once: a user's folder over the bundled sets. The only module here that reads files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from slotstate.errors import TemplateError, near
from slotstate.resources import folder

ENTRY: Final = "prompt.jinja"
"""The file that every template has: its sections stand there, or in a file that it extends."""
SUFFIX: Final = ".jinja"
MAX_FILES: Final = 1_000
"""Entries of a folder that are looked at."""
MAX_SOURCE: Final = 100_000
"""Characters of one file."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file: the name that `include` knows it by, how it is shown to people, and its text."""

    name: str
    shown: str
    text: str


@dataclass(frozen=True, slots=True)
class Sources:
    """All files that a template can use: its own, and those of the bundled sets by `set/file`."""

    home: str
    """Where its own files are: an absolute path, or "" for a bundled set."""
    own: Mapping[str, Source]
    bundled: Mapping[str, Source] = field(repr=False)
    entry: str = ENTRY

    def find(self, name: str) -> Source | None:
        """The file with exactly this name; one's own first."""
        return self.own.get(name) or self.bundled.get(name)


def bundled_sets() -> tuple[str, ...]:
    """The names of the templates that come with slotstate."""
    return tuple(sorted(entry.name for entry in folder("templates").iterdir() if (entry / ENTRY).is_file()))


def read_sources(name: str) -> Sources:
    """Read the template that `name` means: a bundled set, or else a folder. Raises TemplateError."""
    bundled = _bundled()
    if f"{name}/{ENTRY}" in bundled:
        return Sources("", {}, bundled, f"{name}/{ENTRY}")
    return Sources(str(Path(name).absolute()), _read_own(name), bundled)


@lru_cache(maxsize=1)
def _bundled() -> Mapping[str, Source]:
    """The bundled sets. They are part of the program: read once."""
    found: dict[str, Source] = {}
    for name in bundled_sets():
        for source in _read_folder(folder("templates") / name, name):
            found[f"{name}/{source.name}"] = Source(f"{name}/{source.name}", source.shown, source.text)
    return found


def _read_own(name: str) -> Mapping[str, Source]:
    directory = Path(name)
    try:
        if directory.is_file():
            raise TemplateError(f"{name} is a file: pass the folder that holds it")
        if not directory.is_dir():
            hint = near(name, bundled_sets()) if re.fullmatch(r"[\w-]+", name) else ""
            raise TemplateError(f"no template {name!r}: use a bundled one or a folder that holds {ENTRY}{hint}")
        own = {source.name: source for source in _read_folder(directory, str(directory))}
    except OSError as error:
        raise TemplateError(f"template {name!r} cannot be read: {error.strerror}") from None
    if ENTRY not in own:
        what = "is a folder, not a file" if (directory / ENTRY).is_dir() else "is missing"
        raise TemplateError(
            f'{directory / ENTRY} {what}: put your sections there, or {{% extends "default/{ENTRY}" %}}'
        )
    return own


def _read_folder(directory: Path, shown: str) -> Iterator[Source]:
    home = directory.resolve()
    for path in _files(directory):
        name = path.relative_to(directory).as_posix()
        where = f"{shown}/{name}"
        if not path.resolve().is_relative_to(home):
            raise TemplateError(f"{where} leads outside of its folder: copy the file into it")
        yield Source(name, where, _read(path, where))


def _files(directory: Path) -> Iterator[Path]:
    """The template files below a folder, in order of their names; hidden folders are left out."""
    left = MAX_FILES
    waiting = [directory]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as entries:
            names = sorted(entries, key=lambda entry: entry.name)
        left -= len(names)
        if left < 0:
            raise TemplateError(f"{directory} holds more than {MAX_FILES} files: give the template a folder of its own")
        for entry in names:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    waiting.append(here / entry.name)
            elif entry.name.endswith(SUFFIX) and entry.is_file():
                yield here / entry.name


def _read(path: Path, where: str) -> str:
    with path.open("rb") as file:
        raw = file.read(4 * MAX_SOURCE + 1)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        if len(raw) <= 4 * MAX_SOURCE:
            raise TemplateError(f"{where}:{line}: not UTF-8: save the file as UTF-8") from None
        text = raw.decode("utf-8", "ignore")
    if len(text) > MAX_SOURCE:
        line = text.count("\n", 0, MAX_SOURCE) + 1
        raise TemplateError(f"{where}:{line}: longer than {MAX_SOURCE} characters: split it into several files")
    return text

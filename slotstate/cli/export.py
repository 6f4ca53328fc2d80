"""`slotstate export`: all that is kept of a conversation, a user or a tenant, as JSON."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Final, TextIO

from slotstate.cli.options import SCHEMA_HELP, clean_output, set_up_streams
from slotstate.cli.stored import STORE_HELP, add_place_options, known_user, named_session, place, unknown_session
from slotstate.domains import Domain, compile_domains
from slotstate.errors import InputError
from slotstate.export import exported, written
from slotstate.loading import load_domains

SUMMARY: Final = "Write all that is kept of a conversation, of a user, or of the tenant, as JSON."
USAGE: Final = (
    "%(prog)s [SESSION] --store URL --schema S [--schema S ...] [--user U] [--output FILE] [--force] [options]"
)
EPILOG: Final = f"""\
{STORE_HELP}
{SCHEMA_HELP.splitlines()[0]}

It is the person's own data: complete, and nothing in it is masked, sensitive slots included. Without SESSION and --user
it is all of the tenant. One conversation after the other is written, so that it may be large. docs/export.schema.json
describes the form.

example:      slotstate export --store sqlite:///chats.db --schema travel --user ada --output ada.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `export`."""
    parser.add_argument("name", metavar="SESSION", nargs="?", help="the conversation's name in the store")
    add_place_options(parser)
    parser.add_argument("--session", metavar="ID", help="the same")
    parser.add_argument("--schema", metavar="S", action="append", required=True, help="what it tracks; may be repeated")
    parser.add_argument("--user", metavar="U", help="the conversations of this user")
    parser.add_argument("--output", metavar="FILE", help="write to a file, which only you can read (default: print it)")
    parser.add_argument("--force", action="store_true", help="write it in place of a file of that name")


def main(arguments: argparse.Namespace) -> int:
    """Write the export. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=True)
    session = named_session(arguments)
    with clean_output() as out:
        domains = compile_domains(_domains(arguments))
        with place(arguments) as store:
            if session is not None and not store.load(session):
                raise InputError(f"the store holds {unknown_session(store, session)}")
            user = None if arguments.user is None else known_user(store, arguments.user)
            with _opened(arguments.output, out, force=arguments.force) as file:
                for piece in written(store.tenant, exported(store, domains, session, user)):
                    file.write(piece)
    return 0


def _domains(arguments: argparse.Namespace) -> list[Domain]:
    return [domain for name in arguments.schema for domain in load_domains(name)]


@contextmanager
def _opened(name: str | None, out: TextIO, *, force: bool) -> Iterator[IO[str]]:
    """Where to write. A file is there when all of it is written, and nobody else can read it."""
    if name is None:
        yield out
        out.flush()
        return
    target = Path(name)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {name}: its folder does not exist; create {target.parent} first")
    if target.is_dir():
        raise InputError(f"{name} is a folder: name a file")
    if target.exists() and not force:
        raise InputError(f"{name} is there already: name another file, or write in its place with --force")
    with NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    Path(file.name).replace(target)
    print(f"slotstate: written to {name}", file=sys.stderr)

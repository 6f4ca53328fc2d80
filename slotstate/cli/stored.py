"""Conversations in a store: the options of the commands that look into one, and how it is opened."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from slotstate.chat import Chat
from slotstate.cli.options import add_masking_options, make_clock, make_secrets, make_tracker
from slotstate.errors import InputError
from slotstate.masking import Secrets
from slotstate.stores import shown
from slotstate.tracker import Tracker

STORE_HELP: Final = (
    "store:        sqlite:///FILE.db, sqlite:////absolute/FILE.db or postgresql://…; the session must be there already"
)


class Stored(NamedTuple):
    """A conversation of a store, and what of it is not shown."""

    tracker: Tracker
    chat: Chat
    secrets: Secrets
    name: str

    @property
    def turns(self) -> Mapping[str, int]:
        """The numbers of the messages by their ids."""
        return {message.id: message.turn for message in self.chat.messages}


def add_stored_options(parser: argparse.ArgumentParser) -> None:
    """--store, --session, --schema, --template, --locale, --now, --timezone, --reveal, --mask and --json."""
    parser.add_argument("--store", metavar="URL", required=True, help="where the log is: sqlite:///FILE.db")
    parser.add_argument("--session", metavar="ID", required=True, help="the conversation's name in the store")
    parser.add_argument("--schema", metavar="S", action="append", required=True, help="what it tracks; may be repeated")
    parser.add_argument(
        "--template", metavar="DIR", default="default", help="the prompt's template (default: the bundled one)"
    )
    parser.add_argument("--locale", metavar="L", help="how the prompt writes dates and money: en, zh")
    parser.add_argument("--now", metavar="T", help="the time, as 2025-03-03T09:00 (default: the system's clock)")
    parser.add_argument("--timezone", metavar="Z", default="UTC", help="the user's IANA time zone (default: UTC)")
    add_masking_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(extractor="builtin", budget=None, reply=0, tools=None, counter="estimate")


@contextlib.contextmanager
def stored(arguments: argparse.Namespace) -> Iterator[Stored]:
    """The conversation that the options name. Raises InputError where there is none, and leaves no file behind."""
    scheme, _, rest = arguments.store.partition("://")
    if scheme == "memory":
        raise InputError("memory:// holds nothing from one command to the next: name a store, as sqlite:///FILE.db")
    file = rest[1:].partition("?")[0]
    if scheme == "sqlite" and file and not Path(file).is_file():
        raise InputError(f"there is no store {file}: name the file that the conversation was kept in")
    clock = make_clock(arguments.now, arguments.timezone)
    with make_tracker(arguments, clock) as tracker:
        chat = tracker.open(arguments.session)
        if not chat.entries:
            raise InputError(f"{shown(arguments.store)} holds no conversation called {arguments.session!r}")
        yield Stored(tracker, chat, make_secrets(tracker, chat, reveal=arguments.reveal), arguments.session)

"""Conversations in a store: the options of the commands that look into one, and how it is opened."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from slotstate.chat import Chat
from slotstate.cli.options import add_masking_options, add_tenant_option, make_clock, make_secrets, make_tracker
from slotstate.errors import InputError, near
from slotstate.log import DEFAULT_TENANT, Store
from slotstate.masking import Secrets
from slotstate.stores import open_store
from slotstate.stores.reading import name_of
from slotstate.tracker import Tracker

STORE_HELP: Final = """\
store:        sqlite:///FILE.db, sqlite:////absolute/FILE.db, or postgresql://USER@HOST/DATABASE; it must be there"""

SOUGHT: Final = 1_000
"""Sessions among which a near name is looked for."""


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


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """--store and --tenant."""
    parser.add_argument("--store", metavar="URL", required=True, help="where the log is: sqlite:///FILE.db, …")
    add_tenant_option(parser)


def add_stored_options(parser: argparse.ArgumentParser, *, named: bool = False) -> None:
    """--store, --tenant, --session, --schema, --template, --locale, --now, --timezone, --reveal, --mask, --json; with
    `named`, the session may also stand alone.
    """
    if named:
        parser.add_argument("name", metavar="SESSION", nargs="?", help="the conversation's name in the store")
    add_place_options(parser)
    told = "the same" if named else "the conversation's name in the store"
    parser.add_argument("--session", metavar="ID", required=not named, help=told)
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
    """The conversation that the options name. Raises InputError or StoreError where there is none; none is made."""
    session = named_session(arguments)
    if session is None:
        raise InputError("which conversation? name it: SESSION, or --session ID")
    arguments.session = session
    clock = make_clock(arguments.now, arguments.timezone)
    with place(arguments) as store, make_tracker(arguments, clock, store) as tracker:
        chat = tracker.open(session)
        if not chat.entries:
            raise InputError(f"the store holds {unknown_session(store, session)}")
        yield Stored(tracker, chat, make_secrets(tracker, chat, reveal=arguments.reveal), session)


def named_session(arguments: argparse.Namespace) -> str | None:
    """The session that was named, alone or by --session. Raises InputError where these are two."""
    alone, option = getattr(arguments, "name", None), getattr(arguments, "session", None)
    if alone is not None and option not in (None, alone):
        raise InputError(f"{alone!r} or {option!r}? name one conversation")
    return option if alone is None else alone


@contextlib.contextmanager
def place(arguments: argparse.Namespace) -> Iterator[Store]:
    """The store that the options name, for the tenant. Raises InputError or StoreError where there is none."""
    if arguments.store.partition("://")[0] == "memory":
        raise InputError("memory:// holds nothing from one command to the next: name a store, as sqlite:///FILE.db")
    opened = open_store(arguments.store, create=False)
    try:
        yield opened.within(arguments.tenant)
    finally:
        opened.close()


def known_user(store: Store, user: str) -> str:
    """A user who has conversations. Raises InputError, with a near name, for one who has none."""
    if next(store.sessions(user=name_of(user, "user")), None) is None:
        raise InputError(f"the store holds {unknown_user(store, user)}")
    return user


def unknown_user(store: Store, user: str) -> str:
    """That there is no conversation of such a user, with one of a near name."""
    names = {info.user for info in islice(store.sessions(), SOUGHT)} - {None}
    return f"no conversation of user {user!r}{_of(store)}{near(user, map(str, names))}"


def unknown_session(store: Store, session: str) -> str:
    """That there is no such conversation, with one of a near name."""
    names = [info.session for info in islice(store.sessions(), SOUGHT)]
    return f"no conversation called {session!r}{_of(store)}{near(session, names)}"


def _of(store: Store) -> str:
    return "" if store.tenant == DEFAULT_TENANT else f" of tenant {store.tenant!r}"

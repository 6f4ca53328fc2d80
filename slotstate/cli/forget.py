"""`slotstate forget`: remove stored conversations for good."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, TextIO

from rich.text import Text

from slotstate.cli.options import clean_output, make_clock, set_up_streams
from slotstate.cli.screen import Screen
from slotstate.cli.stored import (
    STORE_HELP,
    add_place_options,
    known_user,
    named_session,
    place,
    unknown_session,
    unknown_user,
)
from slotstate.cli.text import visible
from slotstate.erasure import Selection, fitting, forget
from slotstate.errors import InputError
from slotstate.log import Erased, SessionInfo, Store

SUMMARY: Final = "Remove stored conversations for good: logs, snapshots, summaries, and what was moved out of messages."
USAGE: Final = "%(prog)s [SESSION] --store URL [--user U] [--older-than AGE] [--all] [--yes] [--json] [options]"
EPILOG: Final = f"""\
{STORE_HELP}
which:        what fits all that is given goes: a session, a user's, those last written longer ago than AGE, as 90d, 12w
              or 36h; --all takes everything of the tenant

What would go is shown first, and asked about. Nobody can bring it back: not slotstate rollback, and not slotstate undo.
Backups of the store, logs of providers and what programs hold that have a conversation open elsewhere are out of reach.
If something of it is still found afterwards, the exit code is 1; where there is no such conversation or user, it is 2.

example:      slotstate forget --store sqlite:///chats.db --user ada
              slotstate forget --store sqlite:///chats.db --older-than 90d --yes"""

DONE, LEFT = 0, 1
NAMED: Final = 5
"""Sessions that are named before they go."""
_AGE: Final = re.compile(r"(\d{1,6})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `forget`."""
    parser.add_argument("name", metavar="SESSION", nargs="?", help="the conversation's name in the store")
    add_place_options(parser)
    parser.add_argument("--session", metavar="ID", help="the same")
    parser.add_argument("--user", metavar="U", help="the conversations of this user")
    parser.add_argument(
        "--older-than", metavar="AGE", type=_age, help="those in which nothing was written for so long: 90d, 12w, 36h"
    )
    parser.add_argument("--all", action="store_true", help="all conversations of the tenant")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object; it needs --yes")
    parser.add_argument("--now", metavar="T", help="the time from which AGE counts back (default: the system's clock)")
    parser.set_defaults(timezone="UTC")


def main(arguments: argparse.Namespace) -> int:
    """Forget, and tell what was removed. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if named_session(arguments) is arguments.user is arguments.older_than is None and not arguments.all:
        raise InputError("say what is to be forgotten: a SESSION, --user U, --older-than AGE, or --all of the tenant")
    chosen = Selection(named_session(arguments), arguments.user, _before(arguments), arguments.all)
    if arguments.json and not arguments.yes:
        raise InputError("--json asks nothing: add --yes once you have seen what would go")
    if not arguments.json:
        return _run(arguments, chosen, None)
    with clean_output() as out:
        return _run(arguments, chosen, out)


def _run(arguments: argparse.Namespace, chosen: Selection, json_to: TextIO | None) -> int:
    with place(arguments) as store:
        screen = Screen()
        if not arguments.yes:
            if chosen.user is not None and chosen.before is None:
                known_user(store, chosen.user)
            found = fitting(store, chosen)
            screen.show(Text(_would_go(found, store.tenant)))
            if not _agreed(screen):
                screen.show(Text("Nothing was forgotten."))
                return DONE
        erased = forget(store, chosen)
        if not any(dataclasses.astuple(erased)) and (told := _unknown(store, chosen)):
            raise InputError(f"nothing was forgotten: the store holds {told}")
    if json_to is not None:
        print(json.dumps(dataclasses.asdict(erased), indent=2), file=json_to)
    else:
        screen.show(Text(_told(erased)))
    if erased.left:
        print("slotstate: something is left: stop what still writes there, and forget again", file=sys.stderr)
    return LEFT if erased.left else DONE


def _unknown(store: Store, chosen: Selection) -> str:
    """What there is not of what was named, once nothing was found; "" where only a time chose."""
    if chosen.before is not None:
        return ""
    if chosen.user is not None and next(store.sessions(user=chosen.user), None) is None:
        return unknown_user(store, chosen.user)
    if chosen.session is None:
        return ""
    if chosen.user is not None:
        return f"no conversation called {chosen.session!r} of user {chosen.user!r}"
    return unknown_session(store, chosen.session)


def _would_go(found: Sequence[SessionInfo], tenant: str) -> str:
    if not found:
        return f"No conversation of tenant {visible(tenant)} fits; what was kept beside conversations may still go."
    names = ", ".join(visible(info.session) for info in found[:NAMED])
    more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    first, last = min(info.began for info in found), max(info.touched for info in found)
    entries = sum(info.entries for info in found)
    return (
        f"Of tenant {visible(tenant)} would go {_count(len(found), 'conversation')} with {_count(entries, 'entry')}, "
        f"{first:%Y-%m-%d} to {last:%Y-%m-%d}: {names}{more}"
    )


def _agreed(screen: Screen) -> bool:
    """Whether somebody says so. Raises InputError where nobody can be asked."""
    if not (screen.is_terminal and sys.stdin.isatty()):
        raise InputError("nobody can be asked here: add --yes if that is what you want")
    try:
        return input("Forget it for good? [y/N] ").strip().casefold() in {"y", "yes"}
    except EOFError:
        return False


def _told(erased: Erased) -> str:
    kinds = (
        _count(erased.sessions, "conversation"),
        _count(erased.entries, "entry"),
        _count(erased.snapshots, "snapshot"),
        _count(erased.blobs, "blob"),
    )
    return f"Forgotten: {', '.join(kinds)}\nLeft:      {erased.left:,}, by a second look"


def _count(number: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


def _age(text: str) -> timedelta:
    found = _AGE.fullmatch(text.strip().casefold())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no age: write it as 90d, 12w or 36h")
    return int(found[1]) * _UNITS[found[2]]


def _before(arguments: argparse.Namespace) -> datetime | None:
    if arguments.older_than is None:
        return None
    age: timedelta = arguments.older_than
    try:
        return make_clock(arguments.now, arguments.timezone)() - age
    except OverflowError:
        raise InputError(f"--older-than: nothing is {age.days:,} days old") from None

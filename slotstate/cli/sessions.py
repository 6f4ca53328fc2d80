"""`slotstate sessions`: which conversations a store holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from slotstate.archive import Listed, Sessions
from slotstate.cli.options import clean_output, set_up_streams
from slotstate.cli.screen import Screen
from slotstate.cli.stored import STORE_HELP, add_place_options, known_user, place
from slotstate.cli.text import visible

SUMMARY: Final = "List the conversations in a store: whose they are, how long, when something was last written."
USAGE: Final = "%(prog)s --store URL [--user U] [--tenant T] [--json]"
EPILOG: Final = f"""\
{STORE_HELP}

They are listed by name, with times in UTC. Entries are lines of the log, several for each message. Nothing is written.

example:      slotstate sessions --store sqlite:///chats.db --user ada"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sessions`."""
    add_place_options(parser)
    parser.add_argument("--user", metavar="U", help="the conversations of this user")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def main(arguments: argparse.Namespace) -> int:
    """List what there is. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if arguments.json:
        with clean_output() as out:
            print(_found(arguments).model_dump_json(indent=2), file=out)
        return 0
    found = _found(arguments)
    none = Text(f"No conversation of tenant {visible(found.tenant)} is kept.")
    Screen().show(_table(found.sessions) if found.sessions else none)
    return 0


def _found(arguments: argparse.Namespace) -> Sessions:
    with place(arguments) as store:
        user = None if arguments.user is None else known_user(store, arguments.user)
        listed = [Listed.model_validate(info, from_attributes=True) for info in store.sessions(user=user)]
        return Sessions(tenant=store.tenant, sessions=listed)


def _table(sessions: Sequence[Listed]) -> RenderableType:
    table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1), header_style="bold", show_edge=False)
    table.add_column("Session", overflow="fold")
    table.add_column("User", overflow="fold")
    table.add_column("Entries", justify="right", no_wrap=True)
    table.add_column("Began", no_wrap=True)
    table.add_column("Last written", no_wrap=True)
    for one in sessions:
        user = Text("–", style="dim") if one.user is None else Text(visible(one.user))
        times = (f"{at:%Y-%m-%d %H:%M}" for at in (one.began, one.touched))
        table.add_row(Text(visible(one.session)), user, f"{one.entries:,}", *times)
    return table

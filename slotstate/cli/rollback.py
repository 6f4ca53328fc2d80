"""`slotstate rollback`: bring an earlier version of a stored conversation's summary back."""

from __future__ import annotations

import argparse
from typing import Final, TextIO

from slotstate.cli.compact import show
from slotstate.cli.inspection import outcome
from slotstate.cli.options import SCHEMA_HELP, clean_output, set_up_streams
from slotstate.cli.stored import STORE_HELP, add_stored_options, stored

SUMMARY: Final = "Bring an earlier version of a stored conversation's summary back."
USAGE: Final = "%(prog)s VERSION --store URL --session ID --schema S [options]"
EPILOG: Final = f"""\
version:      a number that `slotstate inspect` shows; 0 is the summary without items
{STORE_HELP}
{SCHEMA_HELP.splitlines()[0]}

Only the summary changes, to a new version with the old items. Slots and messages stay as they are, and messages that
it does not cover come back into the prompt or are summarised again.

example:      slotstate rollback 2 --store sqlite:///chats.db --session ada --schema travel"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `rollback`."""
    parser.add_argument("version", metavar="VERSION", type=number_of_version, help="the version to bring back")
    add_stored_options(parser)


def number_of_version(text: str) -> int:
    """A version's number. Raises ArgumentTypeError."""
    if not text.strip().isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is no version: `slotstate inspect` lists them, 0 is the first")
    return int(text)


def main(arguments: argparse.Namespace) -> int:
    """Roll back, and show what changed. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if not arguments.json:
        return _run(arguments, None)
    with clean_output() as out:
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, json_to: TextIO | None) -> int:
    with stored(arguments) as one:
        since = len(one.chat.entries)
        one.chat.rollback(arguments.version)
        nothing = f"Nothing to do: version {arguments.version} is the present one."
        show(one, outcome(one.tracker, one.chat, since, one.secrets), json_to, nothing)
    return 0

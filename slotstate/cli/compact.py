"""`slotstate compact`: summarise what leaves the prompt of a stored conversation, now."""

from __future__ import annotations

import argparse
import sys
from typing import Final, TextIO

from rich.text import Text

from slotstate.archive import Compactions
from slotstate.cli.inspection import outcome
from slotstate.cli.options import (
    SCHEMA_HELP,
    add_budget_options,
    add_summariser_option,
    clean_output,
    set_up_streams,
)
from slotstate.cli.screen import Screen
from slotstate.cli.stored import STORE_HELP, Stored, add_stored_options, stored
from slotstate.cli.versions import failure_page, version_page

SUMMARY: Final = "Compact a stored conversation now: turns leave the prompt, and a summary covers them."
USAGE: Final = "%(prog)s SESSION --store URL --schema S [--budget N] [--summariser NAME] [options]"
EPILOG: Final = f"""\
{STORE_HELP}
{SCHEMA_HELP.splitlines()[0]}
budget:       turns leave down to its low mark; without one, all but the last few that the template keeps

Slots and messages stay as they are; `slotstate rollback` brings an earlier summary back.

example:      slotstate compact ada --store sqlite:///chats.db --schema travel --budget 4000"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `compact`."""
    add_stored_options(parser, named=True)
    add_budget_options(parser)
    add_summariser_option(parser)


def main(arguments: argparse.Namespace) -> int:
    """Compact, and show what changed. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if not arguments.json:
        return _run(arguments, None)
    with clean_output() as out:
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, json_to: TextIO | None) -> int:
    with stored(arguments) as one:
        since = len(one.chat.entries)
        one.chat.compact()
        one.secrets.learn(one.chat.entries[since:])
        show(
            one,
            outcome(one.tracker, one.chat, since, one.secrets),
            json_to,
            "Nothing to compact: the prompt keeps what there is.",
        )
    return 0


def show(one: Stored, told: Compactions, json_to: TextIO | None, nothing: str) -> None:
    """Print what became of the summary."""
    if json_to is not None:
        print(told.model_dump_json(indent=2), file=json_to)
        return
    screen = Screen()
    screen.show(*map(failure_page, told.failures))
    if told.version is None:
        screen.show(Text(nothing))
    else:
        screen.show(version_page(told.version, one.turns))
    sys.stdout.flush()

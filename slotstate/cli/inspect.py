"""`slotstate inspect`: what became of a stored conversation: the history of its summary, and what it was worth."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from slotstate.cli.inspection import inspection
from slotstate.cli.options import SCHEMA_HELP, add_budget_options, clean_output, set_up_streams
from slotstate.cli.rollback import number_of_version
from slotstate.cli.screen import Screen
from slotstate.cli.stored import STORE_HELP, Stored, add_stored_options, stored
from slotstate.cli.table import aside_page
from slotstate.cli.text import visible
from slotstate.cli.turns import Look
from slotstate.cli.versions import history_pages, items_page, session_page, version_page
from slotstate.contract import Inspection
from slotstate.errors import InputError

SUMMARY: Final = (
    "Show the history of a stored conversation's summary: each version as a diff, what was left out, what it was worth."
)
USAGE: Final = "%(prog)s --store URL --session ID --schema S [--only VERSION] [--json] [options]"
EPILOG: Final = f"""\
{STORE_HELP}
{SCHEMA_HELP.splitlines()[0]}
signs:        + added  ~ amended  - dropped, with the reason  · left out, a sample to review  ! refused
numbers:      in brackets, the messages that an item comes from

What survives is found by words and numbers: what a summary says in other words counts as gone. Nothing is written.

example:      slotstate inspect --store sqlite:///chats.db --session ada --schema travel"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `inspect`."""
    add_stored_options(parser)
    add_budget_options(parser)
    parser.add_argument("--only", metavar="VERSION", type=number_of_version, help="show this version only")


def main(arguments: argparse.Namespace) -> int:
    """Show what the log tells. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if arguments.json:
        if arguments.only is not None:
            raise InputError("--only chooses what is shown, --json prints everything: leave one of them out")
        with clean_output() as out, stored(arguments) as one:
            print(inspection(*one).model_dump_json(indent=2), file=out)
        return 0
    with stored(arguments) as one:
        told = inspection(*one)
        screen = Screen()
        for at, page in enumerate(_pages(told, one, arguments.only)):
            screen.show(Text("") if at else None, page)
    return 0


def _pages(told: Inspection, one: Stored, only: int | None) -> Iterator[RenderableType]:
    """What is shown, one page after the other."""
    if only is not None:
        found = next((version for version in told.versions if version.version == only), None)
        if found is None:
            there = f"it has 1 to {told.version}" if told.versions else "nothing was compacted yet"
            raise InputError(f"the summary has no version {only} to show: {there}")
        yield version_page(found, one.turns)
        return
    yield _headline(told)
    if told.aside:
        yield aside_page(one.chat, Look(one.chat.domains, one.secrets))
    yield from history_pages(told.versions, told.failures, one.turns)
    if told.items:
        yield Group(Text(f"Summary, version {told.version}", style="bold"), items_page(told.items, one.turns))
    if told.versions or told.failures:
        yield session_page(told)


def _headline(told: Inspection) -> Text:
    messages = f"{told.messages:,} message{'' if told.messages == 1 else 's'}"
    state = (
        f"the summary covers {told.covered:,} of them with {len(told.items)} items"
        if told.versions
        else "nothing was compacted yet"
    )
    running = "; a compaction was begun and has not ended" if told.running else ""
    return Text.assemble((f"Session {visible(told.session)}", "bold"), f": {messages}, {state}{running}")

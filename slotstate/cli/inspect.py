"""`slotstate inspect`: what became of a stored conversation: its timeline, and the history of its summary."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from slotstate.archive import Inspection
from slotstate.cli.inspection import inspection
from slotstate.cli.moments import timeline_page
from slotstate.cli.options import SCHEMA_HELP, add_budget_options, clean_output, set_up_streams
from slotstate.cli.rollback import number_of_version
from slotstate.cli.screen import Screen
from slotstate.cli.stored import STORE_HELP, Stored, add_stored_options, stored
from slotstate.cli.table import aside_page
from slotstate.cli.text import visible
from slotstate.cli.timeline import Happening, happenings
from slotstate.cli.turns import SIGNS, Look
from slotstate.cli.versions import history_pages, items_page, session_page, spent, version_page
from slotstate.errors import InputError

SUMMARY: Final = (
    "Show a stored conversation: each turn, what changed, whose words, which rule; and the history of its summary."
)
USAGE: Final = (
    "%(prog)s SESSION --store URL --schema S [--turn N] [--slot PATH] [--all] [--only VERSION] [--json] [options]"
)
EPILOG: Final = f"""\
{STORE_HELP}
{SCHEMA_HELP.splitlines()[0]}
timeline:     the number of each message, the time in --timezone, who; below each, what changed, whose words, which rule
signs:        {SIGNS}
summary:      + added  ~ amended  - dropped, with the reason  · left out, a sample to review  ! refused
numbers:      in brackets, the messages that an item comes from

What survives is found by words and numbers: what a summary says in other words counts as gone. Nothing is written.

example:      slotstate inspect ada --store sqlite:///chats.db --schema travel"""

LAST: Final = 2
"""Versions of the summary that are shown where not all are asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `inspect`."""
    add_stored_options(parser, named=True)
    add_budget_options(parser)
    parser.add_argument("--turn", metavar="N", type=_number, help="of the timeline, show message N only")
    parser.add_argument("--slot", metavar="PATH", help="of the timeline, show what is about this slot only")
    parser.add_argument(
        "--all", action="store_true", help=f"show all versions of the summary, not only the last {LAST}"
    )
    parser.add_argument("--only", metavar="VERSION", type=number_of_version, help="show this version only")


def main(arguments: argparse.Namespace) -> int:
    """Show what the log tells. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if arguments.only is not None and _is_part(arguments):
        raise InputError("--only shows a version of the summary, --turn and --slot parts of the timeline: choose one")
    if arguments.json:
        if arguments.only is not None or arguments.all:
            option = "--all" if arguments.all else "--only"
            raise InputError(f"{option} chooses what is shown, --json prints everything: leave one of them out")
        with clean_output() as out, stored(arguments) as one:
            shown = _chosen(one, arguments)
            print(inspection(*one, shown=shown).model_dump_json(indent=2), file=out)
        return 0
    with stored(arguments) as one:
        shown = _chosen(one, arguments)
        told = inspection(*one, shown=shown, measure=not _is_part(arguments))
        screen = Screen()
        for at, page in enumerate(_pages(told, one, shown, arguments)):
            screen.show(Text("") if at else None, page)
    return 0


def _number(text: str) -> int:
    if not text.strip().isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is no message's number: the first has number 0")
    return int(text)


def _is_part(arguments: argparse.Namespace) -> bool:
    """Whether a part of the timeline is asked for, and nothing else."""
    return arguments.turn is not None or arguments.slot is not None


def _chosen(one: Stored, arguments: argparse.Namespace) -> list[Happening]:
    """The part of the timeline that --turn and --slot choose. Raises InputError, UnknownPath."""
    found = happenings(one.chat.entries)
    if arguments.turn is not None:
        found = [happening for happening in found if happening.turn == arguments.turn]
        if not found:
            raise InputError(f"there is no message {arguments.turn}: they go to {len(one.chat.messages) - 1}")
    if arguments.slot is None:
        return found
    path = arguments.slot
    about = [part for happening in found if (part := happening.about(path)) is not None]
    if about:  # also where the schema does not know it any more
        return about
    path = one.chat.domains.resolve(path)[0].path
    return [part for happening in found if (part := happening.about(path)) is not None]


def _pages(
    told: Inspection, one: Stored, shown: Sequence[Happening], arguments: argparse.Namespace
) -> Iterator[RenderableType]:
    """What is shown, one page after the other."""
    if arguments.only is not None:
        yield _version(told, one, arguments.only)
        return
    chosen = _is_part(arguments)
    look = Look(one.chat.domains, one.secrets)
    if not chosen:
        yield _headline(told, one)
        if told.aside:
            yield aside_page(one.chat, look)
    parts = [*timeline_page(shown, told.timeline, look, one.tracker.zone)]
    yield Group(*parts) if parts else Text("Nothing was said or decided about it.", style="dim")
    if chosen:
        return
    first = 0 if arguments.all else max(len(told.versions) - LAST, 0)
    if first:
        since = told.versions[first - 1].version
        failures = [failure for failure in told.failures if failure.version > since]
        yield Text(
            f"{first:,} earlier version{'' if first == 1 else 's'} of the summary: --all shows them", style="dim"
        )
        yield from history_pages(told.versions[first:], failures, one.turns)
    else:
        yield from history_pages(told.versions, told.failures, one.turns)
    if told.items:
        yield Group(Text(f"Summary, version {told.version}", style="bold"), items_page(told.items, one.turns))
    if told.versions or told.failures:
        yield session_page(told)


def _version(told: Inspection, one: Stored, number: int) -> RenderableType:
    found = next((version for version in told.versions if version.version == number), None)
    if found is None:
        there = f"it has 1 to {told.version}" if told.versions else "nothing was compacted yet"
        raise InputError(f"the summary has no version {number} to show: {there}")
    return version_page(found, one.turns)


def _headline(told: Inspection, one: Stored) -> RenderableType:
    zone = one.tracker.zone
    began, touched = (at.astimezone(zone) for at in (told.began, told.touched))
    whose = f" of {visible(told.user)}" if told.user is not None else ""
    messages = f"{told.messages:,} message{'' if told.messages == 1 else 's'}"
    until = f"{touched:%H:%M:%S}" if began.date() == touched.date() else f"{touched:%Y-%m-%d %H:%M:%S}"
    lines = [
        Text.assemble(
            (f"Session {visible(told.session)}", "bold"),
            f"{whose}: {messages}, {began:%Y-%m-%d %H:%M:%S} to {until} {zone}",
        )
    ]
    used = (
        (told.tokens.reading, "Reading turns"),
        (told.tokens.summaries, "Summaries"),
        (told.tokens.replies, "Replies"),
    )
    lines += [Text(f"{what}: {spent(usage, 'call')}", style="dim") for usage, what in used if usage is not None]
    state = (
        f"the summary covers {told.covered:,} of the messages with {len(told.items)} items"
        if told.versions
        else "nothing was compacted yet"
    )
    running = "; a compaction was begun and has not ended" if told.running else ""
    return Group(*lines, Text(f"{state[0].upper()}{state[1:]}{running}", style="dim"))

"""`slotstate run`: track a transcript, and show what each turn changed and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.text import Text

from slotstate.chat import Chat
from slotstate.cli.bars import size_of
from slotstate.cli.history import Heard, heard_in, report
from slotstate.cli.options import (
    SCHEMA_HELP,
    SteppedClock,
    SystemClock,
    add_budget_options,
    add_tracker_options,
    add_user_option,
    clean_output,
    make_clock,
    make_secrets,
    make_tracker,
    set_up_streams,
)
from slotstate.cli.screen import Screen
from slotstate.cli.table import overview
from slotstate.cli.text import visible
from slotstate.cli.transcript import Line, read_transcript
from slotstate.cli.turns import SIGNS, Look, decision_lines, extraction_line, message_line
from slotstate.contract import Prompt
from slotstate.errors import InputError, InvalidValue, MessageConflict, UnknownPath
from slotstate.log import Entry
from slotstate.masking import Secrets

SUMMARY: Final = (
    "Track a transcript: what each turn changed, with the words for it, and what the slots hold at the end."
)
USAGE: Final = "%(prog)s TRANSCRIPT --schema S [--schema S ...] [options]"
EPILOG: Final = f"""\
transcript:   JSON or JSON Lines of chat messages: role, content, tool calls as OpenAI writes them; an assistant message
              may say what it asks for and offers: "asks": ["travel.origin"], "offers": {{"travel.seat": "first"}}
{SCHEMA_HELP}
store:        with --store, a second run of the same messages adds nothing, and a longer transcript goes on where the
              first one stopped; messages are told apart by their id, or by their index where they have none
signs:        {SIGNS}

A turn that the extractor fails on is shown and kept; with --store, the next run reads it again. If it fails on every
turn, the exit code is 1. With --now the output is the same each time; the wall time of turns is then left out.

example:      slotstate run dialogue.jsonl --schema travel --now 2025-03-03T09:00 --timezone Europe/London"""

ELSEWHERE: Final = {"--summariser": "no compaction is kept here; slotstate compact keeps one"}

DONE, ALL_FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `run`."""
    parser.add_argument(
        "transcript", metavar="TRANSCRIPT", help="a JSON or JSON Lines file of chat messages, - for stdin"
    )
    add_tracker_options(parser)
    add_user_option(parser)
    add_budget_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object: state, turns and prompt")


def main(arguments: argparse.Namespace) -> int:
    """Track the transcript and print what came of it. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if not arguments.json:
        return _run(arguments, None)
    with clean_output() as out:
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, json_to: TextIO | None) -> int:
    clock = make_clock(arguments.now, arguments.timezone)
    lines = read_transcript(arguments.transcript)
    with make_tracker(arguments, clock) as tracker:
        chat = tracker.open(arguments.session or session_of(arguments.transcript), user=arguments.user)
        secrets = make_secrets(tracker, chat, reveal=arguments.reveal)
        if json_to is None:
            _show(chat, lines, clock, arguments, secrets)
        else:
            for index, line in enumerate(lines):
                add_line(chat, line, index, clock)
            secrets.learn(chat.entries)
            whole = report(chat, secrets, reveal=arguments.reveal, timed=arguments.now is None)
            print(whole.model_dump_json(indent=2), file=json_to)
        return verdict(chat, lines)


def session_of(transcript: str) -> str:
    """The session that a transcript belongs to unless --session says otherwise."""
    return "stdin" if transcript == "-" else Path(transcript).stem


def add_line(chat: Chat, line: Line, index: int, clock: SteppedClock | SystemClock) -> Sequence[Entry]:
    """Put a message into the conversation; the answer is what this added to the log. Raises InputError."""
    clock.at_message(index)
    before = len(chat.entries)
    try:
        chat.add(line.message)
    except MessageConflict as error:
        hint = "or choose another --session, if this is another conversation"
        raise InputError(f"{line.where}: {error}, {hint}") from None
    except (UnknownPath, InvalidValue, InputError) as error:
        raise InputError(f"{line.where}: {error}") from None
    return chat.entries[before:]


def _show(
    chat: Chat,
    lines: Sequence[Line],
    clock: SteppedClock | SystemClock,
    arguments: argparse.Namespace,
    secrets: Secrets,
) -> None:
    """Print each turn as it is read, then the table."""
    screen, look = Screen(), Look(chat.domains, secrets)
    known = len(chat.messages)
    if known:
        screen.show(Text(f"The conversation goes on: its log holds {_count(known, 'message')} already.", style="dim"))
    for index, line in enumerate(lines):
        added = add_line(chat, line, index, clock)
        if added:
            secrets.learn(added)
            _show_message(chat, line, screen, look)
    screen.show(Text(""), overview(chat, look))
    screen.show(_prompt_line(chat.preview(reveal=arguments.reveal), arguments.counter))


def _show_message(chat: Chat, line: Line, screen: Screen, look: Look) -> None:
    message = next(one for one in reversed(chat.messages) if one.id == line.message.id)
    heard = next((one for one in reversed(heard_in(chat.entries)) if one.turn.id == message.id), None)
    if heard is None:
        screen.show(message_line(message, look))
    else:
        show_heard(heard, screen, look)


def show_heard(heard: Heard, screen: Screen, look: Look) -> None:
    """Print a user turn: the words, and what came of them."""
    screen.show(message_line(heard.turn, look, heard.decided))
    screen.show(decision_lines(heard.decided, look), extraction_line(heard.extracted, look, bool(heard.decided)))


def _prompt_line(prompt: Prompt, counter: str) -> Text:
    messages = _count(len(prompt.messages), "message")
    told = f" by {visible(counter)}; see slotstate prompt"
    return Text.assemble("Prompt   ", f"{messages}, ", size_of(prompt), told, style="dim")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def verdict(chat: Chat, lines: Sequence[Line]) -> int:
    """The exit code: 1 when the extractor failed on every turn of the transcript that there was to read."""
    ids = {line.message.id for line in lines}
    results = [
        one.extracted for one in heard_in(chat.entries) if one.turn.id in ids and one.extracted.result != "skipped"
    ]
    if not results or any(one.result != "failed" for one in results):
        return DONE
    turns = "the only turn" if len(results) == 1 else f"each of the {len(results)} turns"
    print(f"slotstate: the extractor failed on {turns}; see the errors above", file=sys.stderr)
    return ALL_FAILED

"""`slotstate run`: track a transcript, and show what each turn changed and why."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from slotstate.chat import Chat
from slotstate.cli.log import Reading, readings
from slotstate.cli.masking import Secrets
from slotstate.cli.options import (
    SCHEMA_HELP,
    SteppedClock,
    SystemClock,
    add_tracker_options,
    make_clock,
    make_tracker,
    set_up_streams,
)
from slotstate.cli.report import report
from slotstate.cli.table import overview
from slotstate.cli.transcript import Line, read_transcript
from slotstate.cli.turns import Look, decision_lines, extraction_line, message_line
from slotstate.errors import InputError, MessageConflict, SlotstateError
from slotstate.events import MessageEvent, UserTurn

SUMMARY: Final = "Track a transcript: what each turn changed, with the words for it, and what the slots hold at the end."
EPILOG: Final = f"""\
transcript:   JSON or JSON Lines of chat messages: role, content, tool calls as OpenAI writes them; an assistant
              message may say what it asks for and offers: "asks": ["travel.origin"], "offers": {{"travel.seat": "first"}}
{SCHEMA_HELP}
store:        with --store, a second run of the same messages adds nothing, and a longer transcript goes on where the
              first one stopped; messages are told apart by their id, or by their index where they have none
signs:        ✓ filled  ↻ overwritten  ✓✓ confirmed  ∅ taken back  ⊘ ruled out  ? to be asked about  ✗ does not count

A turn that the extractor fails on is shown and kept; with --store, the next run reads it again. If it fails on every
turn, the exit code is 1.

example:      slotstate run dialogue.jsonl --schema travel --now 2025-03-03T09:00 --timezone Europe/London"""

DONE, ALL_FAILED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `run`."""
    parser.add_argument("transcript", metavar="TRANSCRIPT", help="a JSON or JSON Lines file of chat messages, - for stdin")
    add_tracker_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object: state, turns and prompt")


def main(arguments: argparse.Namespace) -> int:
    """Track the transcript and print what came of it. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    # With --json, standard output is for the one object: what schemas and extractors print goes elsewhere.
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr) if arguments.json else contextlib.nullcontext():
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, out: object) -> int:
    clock = make_clock(arguments.now, arguments.timezone)
    lines = read_transcript(arguments.transcript)
    with make_tracker(arguments, clock) as tracker:
        chat = tracker.open(arguments.session or _default_session(arguments.transcript))
        if arguments.json:
            for index, line in enumerate(lines):
                _add(chat, line, index, clock)
            text = report(chat, arguments).model_dump_json(indent=2)
            print(text, file=out)  # type: ignore[call-overload]
        else:
            _show(chat, lines, clock, arguments)
        return _verdict(chat, lines)

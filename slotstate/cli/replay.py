"""A transcript replayed for the prompts that its bot would have sent: tracked once, then asked for prompts any number
of times, each time under another budget.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from slotstate.chat import NO_RESULT, Chat
from slotstate.cli.options import SteppedClock, add_tracker_options, make_tracker, start_time
from slotstate.cli.run import add_line, session_of, verdict
from slotstate.cli.transcript import Line, read_transcript
from slotstate.contract import Prompt
from slotstate.errors import BudgetTooSmall, InputError, ToolCallsPending
from slotstate.events import (
    AnyEvent,
    AssistantTurn,
    Compacted,
    Compacting,
    CompactionFailed,
    Epoch,
    RolledBack,
    SystemTurn,
    ToolTurn,
    UserTurn,
)
from slotstate.log import Entry
from slotstate.prompt import Budget
from slotstate.prompter import Prompter
from slotstate.session import Session
from slotstate.tracker import Tracker, zone_of

INTERVAL: Final = 30.0
"""Seconds from one message to the next, unless said otherwise."""
DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt, when it was sent, and the messages that came back for it: none for the one at the end.

    `message` is the number of messages before it, which is the index of the reply.
    """

    message: int
    at: datetime
    prompt: Prompt
    replies: tuple[AssistantTurn, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A conversation that was tracked, to be asked for its prompts."""

    tracker: Tracker
    chat: Chat
    lines: Sequence[Line]
    entries: Sequence[Entry]
    clock: SteppedClock
    interval: float
    reveal: bool

    @property
    def budget(self) -> Budget:
        """The budget that the options describe."""
        return self.tracker.budget

    def prompts(self, budget: Budget, *, end: bool = True) -> Iterator[Sent]:
        """The prompt before each of the assistant's messages, then, for `end`, the one at the end, as a bot with this
        budget would have sent them. Within a group of calls and results there is none before the results are there.

        Raises InputError which names the message, for what a prompt raises.
        """
        session = Session("replay")
        prompter = Prompter(self.tracker.prompt_settings, session, reveal=self.reveal)
        last = None
        for place, entry in enumerate(self.entries):
            last = entry
            if isinstance(entry.event, AssistantTurn) and _is_due(session):
                yield self._sent(prompter, session, budget, entry.at, _replies(self.entries, place))
            _absorb(session, entry.at, entry.event)
        if end:
            at = (last.at if last else self.clock()) + timedelta(seconds=self.interval)
            yield self._sent(prompter, session, budget, at, ())

    def verdict(self) -> int:
        """The exit code: 1 when the extractor failed on every turn, which is said on standard error."""
        return verdict(self.chat, self.lines)

    def _sent(
        self, prompter: Prompter, session: Session, budget: Budget, at: datetime, replies: tuple[AssistantTurn, ...]
    ) -> Sent:
        self.clock.at(at)
        message = session.state.turns
        try:
            prompt, told = prompter.prompt(budget)
        except ToolCallsPending as error:
            said = f"no result yet for tool call {', '.join(map(repr, error.calls[:5]))}"
            hint = "add it to the transcript, or let --close-calls put one in"
            raise InputError(f"the prompt before message {message}: {said}; {hint}") from None
        except BudgetTooSmall as error:
            raise InputError(f"the prompt before message {message}: {error}") from None
        for event in told:
            _absorb(session, at, event)
        return Sent(message, at, prompt, replies)


def _is_due(session: Session) -> bool:
    """Whether the assistant is to speak: not while results are to come, unless the user does not wait for them."""
    return not session.transcript.pending or isinstance(session.messages[-1], UserTurn)


def _replies(entries: Sequence[Entry], place: int) -> tuple[AssistantTurn, ...]:
    """The assistant's message at that place, with further calls that were made beside its own."""
    found: list[AssistantTurn] = []
    for at in range(place, len(entries)):
        event = entries[at].event
        if isinstance(event, UserTurn | ToolTurn | SystemTurn):
            break
        if isinstance(event, AssistantTurn):
            if found and not found[-1].tool_calls:
                break
            found.append(event)
    return tuple(found)


def _absorb(session: Session, at: datetime, event: AnyEvent) -> None:
    """Put an event behind those that are there."""
    session.absorb([Entry(len(session.entries), at, event)])


_OF_PROMPTS: Final = (Epoch, Compacting, Compacted, CompactionFailed, RolledBack)
"""What the log was told of prompts that another bot made."""


@contextlib.contextmanager
def replayed(arguments: argparse.Namespace) -> Iterator[Replay]:
    """The transcript that the options name, tracked. Raises SlotstateError for bad input."""
    zone_of(arguments.timezone)
    start = datetime.now(UTC) if arguments.now is None else start_time(arguments.now, arguments.timezone)
    clock = SteppedClock(start, arguments.interval)
    lines = read_transcript(arguments.transcript)
    with make_tracker(arguments, clock) as tracker:
        chat = tracker.open(arguments.session or session_of(arguments.transcript))
        for index, line in enumerate(lines):
            if arguments.close_calls and line.message.role == "assistant":
                _close_calls(chat, line)
            add_line(chat, line, index, clock)
        if arguments.close_calls:
            _close_calls(chat, None)
        entries = [entry for entry in chat.entries if not isinstance(entry.event, _OF_PROMPTS)]
        yield Replay(tracker, chat, lines, entries, clock, arguments.interval, arguments.reveal)


def _close_calls(chat: Chat, line: Line | None) -> None:
    """Before the assistant speaks to a user who did not wait for results, or at the end, put in those that are
    missing.
    """
    messages = chat.messages
    if line is not None and (not messages or not isinstance(messages[-1], UserTurn)):
        return
    if line is not None and any(message.id == line.message.id for message in messages):
        return  # the log has it already
    calls = [call.id for message in messages if isinstance(message, AssistantTurn) for call in message.tool_calls]
    answered = Counter(message.call_id for message in messages if isinstance(message, ToolTurn))
    for call in calls:
        if answered[call]:
            answered[call] -= 1
        else:
            chat.tool_result(call, NO_RESULT)


def add_replay_options(parser: argparse.ArgumentParser) -> None:
    """TRANSCRIPT, --interval, --close-calls, and the options of a tracker."""
    parser.add_argument(
        "transcript", metavar="TRANSCRIPT", help="a JSON or JSON Lines file of chat messages, - for stdin"
    )
    add_tracker_options(parser, later="--interval seconds")
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=_seconds,
        default=INTERVAL,
        help=f"from one message to the next, for caches that expire (default: {INTERVAL:g})",
    )
    parser.add_argument(
        "--close-calls",
        action="store_true",
        help=f"put {NO_RESULT!r} in for tool calls that have no result, as prompt(pending_calls='close') does",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= DAY:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {DAY:,}")
    return seconds

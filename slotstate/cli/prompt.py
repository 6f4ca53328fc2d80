"""`slotstate prompt`: a transcript's prompt as its bot would have sent it, and what changed since the turn before."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TextIO

from rich.text import Text

from slotstate.caching import find_profile
from slotstate.cli.anatomy import anatomy, counter_of
from slotstate.cli.bars import CACHED, NEW, room_line, size_of, token_bars
from slotstate.cli.difference import change_between, change_page, diff_lines
from slotstate.cli.options import SCHEMA_HELP, add_budget_options, clean_output, set_up_streams
from slotstate.cli.pages import cache_page, ledger_page, messages_page
from slotstate.cli.replay import Replay, Sent, add_replay_options, replayed
from slotstate.cli.screen import Screen
from slotstate.cli.text import visible
from slotstate.contract import PromptChange, PromptDiff
from slotstate.errors import InputError
from slotstate.formats import anthropic, anthropic_tools, openai, plain
from slotstate.prompt import Budget

SUMMARY: Final = (
    "Show the prompt that a transcript's bot would send: its sections in tokens, what is cached, what changed."
)
USAGE: Final = "%(prog)s TRANSCRIPT --schema S [--schema S ...] [--turn N] [--diff] [options]"
EPILOG: Final = f"""\
transcript:   as in `slotstate run`; a prompt is made before each of the assistant's messages, and at the end
turn N:       the prompt for the reply to message N, or, where N is the assistant's, the one it answered; messages
              are numbered from 0, as `slotstate run` shows them
{SCHEMA_HELP}
format:       openai and anthropic print what the provider's API takes, as JSON; text prints the prompt for a completion
              model; json prints messages, tokens, ledger and cache (the same as --json)
store:        with --store, messages that it does not hold are added as `slotstate run` does; prompts are not recorded

example:      slotstate prompt dialogue.jsonl --schema travel --budget 4000 --profile anthropic --diff"""


ELSEWHERE: Final = {"--summariser": "no compaction is kept here; slotstate compact keeps one"}


@dataclass(frozen=True, slots=True)
class _View:
    """The prompt to show, the one before it, their budget, and the numbers of the messages by their ids."""

    sent: Sent
    before: Sent | None
    budget: Budget
    turns: Mapping[str, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `prompt`."""
    add_replay_options(parser)
    add_budget_options(parser)
    parser.add_argument("--turn", metavar="N", type=_number, help="which prompt (default: the last)")
    parser.add_argument("--diff", action="store_true", help="show what changed since the prompt before")
    parser.add_argument("--full", action="store_true", help="show long messages whole")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--format", choices=("openai", "anthropic", "text", "json"), help="print it in this form")
    shape.add_argument(
        "--json", action="store_true", help="print one JSON object: the prompt, with --diff the change too"
    )


def main(arguments: argparse.Namespace) -> int:
    """Replay the transcript and show the prompt. Raises SlotstateError for bad input."""
    form: str | None = "json" if arguments.json else arguments.format
    if arguments.diff and form not in (None, "json"):
        raise InputError(f"--diff shows a change, --format {form} a prompt: leave one of them out")
    set_up_streams(utf8_out=form is not None)
    if form is None:
        with replayed(arguments) as replay:
            _show(_view(replay, arguments), arguments)
            return replay.verdict()
    with clean_output() as out, replayed(arguments) as replay:
        _print(_view(replay, arguments), form, arguments, out)
        return replay.verdict()


def _number(text: str) -> int:
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a message: they are numbered from 0")
    return int(text)


def _view(replay: Replay, arguments: argparse.Namespace) -> _View:
    """Replay up to the prompt that is asked for. Raises InputError."""
    before = shown = None
    for sent in replay.prompts(replay.budget):
        before, shown = shown, sent
        if arguments.turn is not None and sent.message >= arguments.turn:
            break
    if shown is None or shown.message < (arguments.turn or 0):
        count = len(replay.chat.messages)
        raise InputError(f"there is no message {arguments.turn}: the conversation has {count}, numbered from 0")
    if arguments.diff and before is None:
        raise InputError(f"the prompt before message {shown.message} is the first: there is none to compare it with")
    return _View(shown, before, replay.budget, {one.id: one.turn for one in replay.chat.messages})


def _print(view: _View, form: str, arguments: argparse.Namespace, out: TextIO) -> None:
    """Print the prompt in one of the forms for programs."""
    prompt = view.sent.prompt
    if form == "json":
        whole = PromptDiff(prompt=prompt, change=_change(view)) if arguments.diff else prompt
        print(whole.model_dump_json(indent=2), file=out)
    elif form == "text":
        text = plain(prompt)
        print("\n".join(map(visible, text.split("\n"))) if out.isatty() else text, file=out)
    else:
        print(json.dumps(_payload(view, form), ensure_ascii=False, indent=2), file=out)


def _payload(view: _View, provider: str) -> dict[str, Any]:
    """What the provider's API takes."""
    tools = list(view.budget.tools)
    if provider == "openai":
        return {"messages": openai(view.sent.prompt), **({"tools": tools} if tools else {})}
    ttl: Literal["1h"] | None = "1h" if view.budget.profile.startswith("anthropic-1h") else None
    payload = dict(anthropic(view.sent.prompt, ttl=ttl))
    return {**({"tools": anthropic_tools(tools)} if tools else {}), **payload}


def _change(view: _View) -> PromptChange:
    before = view.before or view.sent
    return change_between((before.message, before.prompt), (view.sent.message, view.sent.prompt), view.budget)


def _show(view: _View, arguments: argparse.Namespace) -> None:
    """Show the prompt, or the change, to a person."""
    prompt, screen = view.sent.prompt, Screen()
    parts = anatomy(prompt, view.budget, view.turns)
    tools = parts.of("tools")[0]
    screen.show(_headline(view), room_line(prompt, view.budget, tools), _cached_line(view, parts.total, tools))
    screen.show(Text(""), token_bars(parts), Text(""))
    if prompt.cache is not None:
        screen.show(cache_page(prompt.cache, find_profile(view.budget.profile), parts.total, tools))
    screen.show(ledger_page(prompt))
    if not arguments.diff:
        screen.show(Text(""), messages_page(prompt, parts, full=arguments.full))
        return
    change = _change(view)
    screen.show(Text(""), change_page(change, (view.before or view.sent).prompt, prompt), Text(""))
    for line in diff_lines(change):
        if screen.is_terminal:
            screen.show(line)
        else:  # whatever reads a diff wants its lines whole
            print(line.plain)


def _headline(view: _View) -> Text:
    """Which prompt it is, and its tokens."""
    prompt = view.sent.prompt
    which = f"before message {view.sent.message}" if view.sent.replies else "at the end"
    return Text.assemble(
        (f"Prompt {which}: ", "bold"),
        f"{_count(len(prompt.messages), 'message')}, ",
        size_of(prompt),
        f" by {visible(counter_of(view.budget).name)}",
    )


def _cached_line(view: _View, total: int, tools: int) -> Text:
    """What of all that is sent is read from the cache."""
    cache = view.sent.prompt.cache
    read = cache["expected_cached"] if cache is not None else 0
    told = f"; the tools' {tools:,} are counted here" if tools else ""
    return Text.assemble((f"{read:,} read from the cache", CACHED), ", ", (f"{total - read:,} new", NEW), told)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""`slotstate chat`: talk to the tracker, see what each turn changes, and be asked for what is missing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Final

from rich.text import Text

from slotstate.chat import Chat
from slotstate.cli.anatomy import anatomy
from slotstate.cli.bars import budget_line, token_bars
from slotstate.cli.history import heard_in, report
from slotstate.cli.inspection import outcome
from slotstate.cli.options import (
    SCHEMA_HELP,
    SteppedClock,
    SystemClock,
    add_budget_options,
    add_summariser_option,
    add_tracker_options,
    add_user_option,
    make_clock,
    make_secrets,
    make_tracker,
    set_up_streams,
)
from slotstate.cli.pages import ledger_page
from slotstate.cli.run import show_heard
from slotstate.cli.screen import Screen
from slotstate.cli.table import outlook, overview, slot_table
from slotstate.cli.text import visible
from slotstate.cli.turns import Look, decision_lines
from slotstate.cli.versions import failure_page, version_page
from slotstate.errors import InputError, SlotstateError, near
from slotstate.events import AssistantTurn, Decided, Reset
from slotstate.masking import Secrets
from slotstate.session import decisions
from slotstate.tracker import Tracker

SUMMARY: Final = "Talk to the tracker: it shows what each turn changes, and asks for what is missing."
USAGE: Final = "%(prog)s --schema S [--schema S ...] [options]"
HELP: Final = """\
/undo [SLOT]      take back the last change, of one slot or of all
/confirm [SLOT]   confirm what a slot holds; by default the first that waits
/clear SLOT       empty a slot
/reset [DOMAIN]   end the task and start clean
/why SLOT         every decision about a slot, with the words for it
/pin ID           keep a message in every prompt; /unpin ID lets it leave again
/compact          let turns leave the prompt, and summarise them
/state            all slots
/prompt           the prompt as it stands, its sections in tokens
/json             all there is, as `run --json` prints it
/help             this list
/quit             end; so does the end of input
//…               say something that begins with a slash"""
EPILOG: Final = f"""\
{SCHEMA_HELP}

commands in the chat:
{HELP}

example:      slotstate chat --schema travel --timezone Europe/London --store sqlite:///chats.db --session ada"""
PROMPT: Final = "> "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `chat`."""
    add_tracker_options(parser)
    add_user_option(parser)
    add_budget_options(parser)
    add_summariser_option(parser)


def main(arguments: argparse.Namespace) -> int:
    """Read what the user types until the end of input. Raises SlotstateError for bad options."""
    set_up_streams(utf8_out=False)
    clock = make_clock(arguments.now, arguments.timezone)
    with make_tracker(arguments, clock) as tracker:
        chat = tracker.open(arguments.session or "chat", user=arguments.user)
        secrets = make_secrets(tracker, chat, reveal=arguments.reveal)
        _Talk(chat, Screen(), clock, secrets, arguments, tracker).loop()
    return 0


class _Talk:
    """The loop, and what its commands do."""

    def __init__(
        self,
        chat: Chat,
        screen: Screen,
        clock: SteppedClock | SystemClock,
        secrets: Secrets,
        arguments: argparse.Namespace,
        tracker: Tracker,
    ) -> None:
        self._chat = chat
        self._tracker = tracker
        self._screen = screen
        self._clock = clock
        self._secrets = secrets
        self._look = Look(chat.domains, secrets)
        self._arguments = arguments
        self._budget = tracker.budget
        self._commands: Mapping[str, Callable[[str], None]] = {
            "/undo": lambda path: self._change(lambda: self._chat.undo(path or None)),
            "/confirm": lambda path: self._change(lambda: self._chat.confirm(path or self._unconfirmed())),
            "/clear": lambda path: self._change(lambda: self._chat.clear(_needed(path, "/clear SLOT"))),
            "/reset": lambda name: self._change(lambda: self._chat.reset(name or self._only_domain())),
            "/pin": lambda ident: self._pin(ident, self._chat.pin, "is pinned: it stays in every prompt"),
            "/unpin": lambda ident: self._pin(ident, self._chat.unpin, "is not pinned: it may leave the prompt"),
            "/compact": self._compact,
            "/why": self._why,
            "/prompt": self._prompt,
            "/state": lambda _: self._screen.show(overview(self._chat, self._look)),
            "/json": self._json,
            "/help": lambda _: self._screen.show(Text(HELP)),
        }

    def loop(self) -> None:
        """Answer each line until /quit or the end of input."""
        if self._screen.is_terminal:
            with contextlib.suppress(ImportError):
                importlib.import_module("readline")  # gives input() editing and history
            self._screen.show(Text("Say what you want. /help lists the commands, /quit ends.", style="dim"))
        self._ask()
        while (line := self._read()) is not None:
            words = line.strip()
            if words == "/quit":
                return
            if words:
                self._answer(words)

    def _read(self) -> str | None:
        if self._screen.is_terminal and sys.stdin.isatty():
            try:
                return input(PROMPT)
            except EOFError:
                self._screen.show(Text(""))
                return None
        return sys.stdin.readline() or None

    def _answer(self, words: str) -> None:
        try:
            if words.startswith("/") and not words.startswith("//"):
                self._command(words)
            else:
                self._say(words.removeprefix("/") if words.startswith("//") else words)
        except SlotstateError as error:
            self._screen.show(Text(f"! {self._look.words(str(error))}", style="red"))

    def _command(self, words: str) -> None:
        name, _, argument = words.partition(" ")
        if name not in self._commands:
            raise InputError(f"unknown command {name!r}{near(name, (*self._commands, '/quit'), shown=None)}")
        self._commands[name](argument.strip())

    def _say(self, words: str) -> None:
        self._tick()
        self._chat.user(words)
        self._secrets.learn(self._chat.entries)
        show_heard(heard_in(self._chat.entries)[-1], self._screen, self._look)
        self._screen.show(Text(""), slot_table(self._chat, self._look, touched=True), Text(""))
        self._tell_budget()
        self._ask()

    def _tell_budget(self) -> None:
        """Make the prompt that the bot would send now, and say what it takes. One that cannot be made ends no chat."""
        try:
            line = budget_line(self._chat.prompt(reveal=self._arguments.reveal))
        except SlotstateError as error:
            line = Text(f"! {self._look.words(str(error))}", style="red")
        self._screen.show(line, Text(""))

    def _ask(self) -> None:
        """Ask the next question, unless it was the last thing said."""
        question = self._chat.next_question()
        if question is None:
            self._screen.show(outlook(self._chat, self._look))
            return
        if not self._just_asked(question.path, question.text):
            self._tick()
            self._chat.assistant(question.text, asks=[question.path])
        self._screen.show(Text("? ", style="bold magenta") + Text(self._look.words(question.text), style="bold"))

    def _just_asked(self, path: str, text: str) -> bool:
        last = self._chat.messages[-1] if self._chat.messages else None
        asks = (".".join(path.split(".")[:2]),)
        return isinstance(last, AssistantTurn) and last.text == text and last.asks == asks

    def _tick(self) -> None:
        self._clock.at_message(len(self._chat.messages))

    def _change(self, call: Callable[[], None]) -> None:
        """Do what a command says, and show it."""
        before = len(self._chat.entries)
        call()
        added = self._chat.entries[before:]
        self._secrets.learn(added)
        self._screen.show(decision_lines(decisions(entry.event for entry in added), self._look), Text(""))
        self._screen.show(slot_table(self._chat, self._look, touched=True), Text(""))
        self._ask()

    def _unconfirmed(self) -> str:
        waiting = (item for name in self._chat.domains for item in self._chat.missing(name))
        found = next((item.path for item in waiting if item.reason == "unconfirmed"), None)
        if found is None:
            raise InputError("nothing waits for a confirmation; name a slot: /confirm SLOT")
        return found

    def _only_domain(self) -> str:
        names = list(self._chat.domains)
        if len(names) > 1:
            raise InputError(f"which task ends? /reset {' or /reset '.join(names)}")
        return names[0]

    def _why(self, path: str) -> None:
        entries = self._chat.why(_needed(path, "/why SLOT"))
        if not entries:
            self._screen.show(Text("Nothing was decided about it yet.", style="dim"))
        for entry in entries:
            event = entry.event
            if isinstance(event, Decided | Reset):
                self._screen.show(Text(f"[{event.turn}] {entry.at:%Y-%m-%d %H:%M:%S}", style="dim"))
                self._screen.show(decision_lines(decisions([event]), self._look))

    def _pin(self, ident: str, call: Callable[[str], None], told: str) -> None:
        """Pin or unpin a message by its id, or by its number, and say what it is now."""
        if not ident:
            ids = ", ".join(message.id for message in self._chat.messages[-5:])
            raise InputError(f"which message? {'the latest are ' + ids if ids else 'nothing was said yet'}")
        byname = {str(message.turn): message.id for message in self._chat.messages}
        known = any(message.id == ident for message in self._chat.messages)
        name = ident if known else byname.get(ident, ident)
        call(name)
        self._screen.show(Text(f"{visible(name)} {told}"))
        self._tell_budget()

    def _compact(self, _: str) -> None:
        """Compact now, and show what the summary has become."""
        since = len(self._chat.entries)
        self._chat.compact()
        told = outcome(self._tracker, self._chat, since, self._secrets)
        turns = {message.id: message.turn for message in self._chat.messages}
        self._screen.show(*map(failure_page, told.failures))
        if told.version is None:
            self._screen.show(Text("Nothing to compact: the prompt keeps what there is.", style="dim"))
        else:
            self._screen.show(version_page(told.version, turns), Text(""))
            self._tell_budget()

    def _prompt(self, _: str) -> None:
        prompt = self._chat.preview(reveal=self._arguments.reveal)
        parts = anatomy(prompt, self._budget, {one.id: one.turn for one in self._chat.messages})
        self._screen.show(budget_line(prompt), Text(""), token_bars(parts), Text(""), ledger_page(prompt))

    def _json(self, _: str) -> None:
        options = self._arguments
        whole = report(self._chat, self._secrets, reveal=options.reveal, timed=options.now is None)
        print(whole.model_dump_json(indent=2))


def _needed(argument: str, usage: str) -> str:
    if not argument:
        raise InputError(f"which slot? {usage}")
    return argument

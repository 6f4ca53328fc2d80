"""The command line: `slotstate COMMAND …`. Each command is a module of this package, listed in COMMANDS."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Final, NoReturn

from slotstate.cli import chat, compact, cost, export, forget, inspect, lint, prompt, rollback, run, sessions, test
from slotstate.cli import eval as evaluating
from slotstate.cli.helping import Help, wrong_option
from slotstate.cli.text import one_line
from slotstate.errors import SlotstateError, near

COMMANDS: Final[Mapping[str, ModuleType]] = {
    "run": run,
    "chat": chat,
    "test": test,
    "eval": evaluating,
    "prompt": prompt,
    "cost": cost,
    "lint": lint,
    "sessions": sessions,
    "inspect": inspect,
    "compact": compact,
    "rollback": rollback,
    "export": export,
    "forget": forget,
}
"""Each has SUMMARY, USAGE, EPILOG, `add_arguments(parser)` and `main(arguments) -> exit code`. ELSEWHERE, where it is
there, says of options of other commands why this one has not got them.
"""

DONE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141
_ABOUT: Final = "Track what a user wants over a dialogue, slot by slot, with the words that say so."
_CODES: Final = "exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted"


class _Parser(argparse.ArgumentParser):
    """Its errors are one line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message} (see {self.prog} --help)")
        raise SystemExit(BAD_INPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit code."""
    _reopen_streams()
    try:
        given = _known(sys.argv[1:] if argv is None else argv)
        parser, commands = _parsers()
        if given[0] in COMMANDS:
            elsewhere: Mapping[str, str] = getattr(COMMANDS[given[0]], "ELSEWHERE", {})
            if told := wrong_option(given[1:], commands[given[0]], elsewhere):
                _complain(told)
                return BAD_INPUT
        arguments, left = parser.parse_known_args(given)
        if left:
            commands[given[0]].error(f"unrecognized argument {left[0]!r}")
        return _run(arguments)
    except SystemExit as done:  # argparse's way of saying --help, --version and errors
        return done.code if isinstance(done.code, int) else BAD_INPUT
    except BrokenPipeError:  # the reader has seen enough
        _abandon_output()
        return BROKEN_PIPE
    except KeyboardInterrupt as interrupt:
        _complain(f"interrupted: {interrupt}" if str(interrupt) else "interrupted")
        return INTERRUPTED
    except SlotstateError as error:
        _complain(str(error))
        return BAD_INPUT
    except OSError as error:
        _complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return BAD_INPUT


def _run(arguments: argparse.Namespace) -> int:
    command: ModuleType = arguments.command
    try:
        code: int = command.main(arguments)
    except SystemExit:  # a schema's or an extractor's: to end here would look like success
        _complain("a schema or an extractor ended the program: it must return or raise an error instead")
        return BAD_INPUT
    sys.stdout.flush()
    return code


def _reopen_streams() -> None:
    """Put a stream that leads nowhere in place of one that was closed before the start."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 — for the whole run


def _parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of a whole command line, and those of the commands."""
    parser = _Parser(prog="slotstate", description=_ABOUT, epilog=_CODES, formatter_class=Help)
    parser.add_argument("--version", action="version", version=f"slotstate {_version()}")
    made: dict[str, argparse.ArgumentParser] = {}
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, module in COMMANDS.items():
        command = made[name] = commands.add_parser(
            name,
            usage=module.USAGE,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=module.EPILOG,
            formatter_class=Help,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(command=module)
    return parser, made


def _known(argv: Sequence[str]) -> Sequence[str]:
    """The arguments, if the first one names a command or an option."""
    if not argv:
        _complain(f"a command is needed: {', '.join(COMMANDS)} (see slotstate --help)")
        raise SystemExit(BAD_INPUT)
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        _complain(f"unknown command {argv[0]!r}{near(argv[0], COMMANDS)} (see slotstate --help)")
        raise SystemExit(BAD_INPUT)
    return argv


def _version() -> str:
    try:
        return version("slotstate")
    except PackageNotFoundError:  # a checkout that is not installed
        return "(not installed)"


def _complain(message: str) -> None:
    """One line on standard error, as far as there is one."""
    with contextlib.suppress(OSError, ValueError):
        print(f"slotstate: {one_line(message)}", file=sys.stderr)


def _abandon_output() -> None:
    """Let the interpreter's last flush go nowhere instead of failing again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

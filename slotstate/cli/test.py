"""`slotstate test`: play conversation tests, and show what is not as expected, with the words and decisions for it."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import track
from rich.table import Table
from rich.text import Text

from slotstate.cases import Case, Difference, Outcome, Step, play, read_cases, report
from slotstate.cli.options import load_extractor, set_up_streams
from slotstate.cli.screen import Screen
from slotstate.cli.text import marked, visible
from slotstate.cli.turns import Look, decision_lines, message_line
from slotstate.events import AssistantTurn, UserTurn
from slotstate.masking import Secrets

SUMMARY: Final = "Play conversation tests: do the slots hold at the end of each dialogue what they should?"
USAGE: Final = "%(prog)s FILE [FILE ...] [--extractor E] [--json]"
EPILOG: Final = """\
file:         JSON Lines (one case a line), JSON (a list), or YAML (a list, or several documents). A case has a name,
              a kind, domains (JSON Schemas), turns (role, text), expected ("domain.slot": value; null for empty) and,
              where need be, now, timezone and excluded; docs/conversation-tests.md has an example
extractor E:  builtin, builtin:FILE (models of your own), builtin:rules (no models), instructor:PROVIDER/MODEL,
              local[:GGUF], chain:E,E (the second where the first is not sure), script:FILE, or package.module:object

exit codes:   0 every case passes, 1 a case failed or could not be played, 2 bad input

example:      slotstate test dialogues.jsonl --extractor builtin"""

DONE, SOME_FAILED = 0, 1
_LIMIT: Final = 400
"""Characters of an error or a value that are shown whole."""
_STEPS: Final = 3
"""Turns of a slot's history that are shown: its last ones."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `test`."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="conversation tests: JSON Lines, JSON or YAML")
    parser.add_argument(
        "--extractor", metavar="E", default="builtin", help="what reads the user's turns (default: builtin)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Play the cases and print what came of them. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    if not arguments.json:
        return _run(arguments, None)
    # Standard output is for the one object: what extractors print goes elsewhere.
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        return _run(arguments, out)


def _run(arguments: argparse.Namespace, json_to: TextIO | None) -> int:
    cases = [case for name in arguments.files for case in read_cases(Path(name))]
    extractor = load_extractor(arguments.extractor)
    try:
        outcomes = [play(case, extractor) for case in _with_progress(cases)]
    finally:
        close = getattr(extractor, "close", None)
        if close is not None:
            close()
    if json_to is not None:
        print(report(outcomes).model_dump_json(indent=2), file=json_to)
    else:
        _show(outcomes)
    return DONE if all(outcome.ok for outcome in outcomes) else SOME_FAILED


def _show(outcomes: Sequence[Outcome]) -> None:
    """Print what did not pass, and a summary."""
    screen = Screen()
    for outcome in outcomes:
        if not outcome.ok:
            screen.show(failure(outcome), Text(""))
    screen.show(*_summary(outcomes))


def _with_progress(cases: Sequence[Case]) -> Iterable[Case]:
    """The cases, with a bar on standard error while someone looks on."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return cases
    return track(cases, description="cases", console=console, transient=True)


# One case


def failure(outcome: Outcome) -> RenderableType:
    """A case that did not pass: each slot that differs, what was expected and found, and the turns that made it so."""
    case = outcome.case
    kind = Text(f" ({visible(case.kind)})", style="magenta") if case.kind else Text("")
    title = Text("✗ ", style="red") + Text(visible(case.name), style="bold") + kind
    parts: list[RenderableType] = [title, _indented(Text(visible(case.where), style="dim", overflow="fold"))]
    if outcome.error is not None:
        parts.append(_indented(Text("not played: ", style="red") + marked(outcome.error, limit=_LIMIT)))
    look = Look(case.domains, Secrets(case.domains, now=case.now.astimezone(UTC), reveal=True))
    parts += [_indented(_difference(difference, outcome, look)) for difference in outcome.wrong]
    return Group(*parts)


def failure_text(outcome: Outcome, width: int) -> str:
    """`failure` as plain lines of at most `width` cells, below one that says it all in short."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    console.print(failure(outcome))
    short = outcome.error or "; ".join(
        f"{one.path}: expected {one.expected}, found {one.found}" for one in outcome.wrong
    )
    return "\n".join([visible(short), "", *(line.rstrip() for line in out.getvalue().splitlines())])


def _difference(difference: Difference, outcome: Outcome, look: Look) -> RenderableType:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=10, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(Text("  expected", style="green"), marked(difference.expected, limit=_LIMIT))
    grid.add_row(Text("  found", style="red"), marked(difference.found, limit=_LIMIT))
    return Group(Text(visible(difference.path), style="cyan"), grid, *_story(difference, outcome, look))


def _story(difference: Difference, outcome: Outcome, look: Look) -> Iterator[RenderableType]:
    """The turns that decided on the slot, or what the user said where none did, each with what it answers."""
    steps = difference.steps or [Step(message, ()) for message in outcome.messages if isinstance(message, UserTurn)]
    for step in steps[-_STEPS:]:
        before = outcome.messages[step.message.turn - 1] if step.message.turn > 0 else step.message
        if isinstance(before, AssistantTurn):
            yield message_line(before, look)
        yield message_line(step.message, look, step.decided)
        lines = decision_lines(step.decided, look)
        if lines is not None:
            yield lines
    if not difference.steps:
        yield Padding(Text("nothing was proposed for it", style="dim"), (0, 0, 0, 5))


def _indented(what: RenderableType) -> RenderableType:
    return Padding(what, (0, 0, 0, 2))


# All cases


def _summary(outcomes: Sequence[Outcome]) -> Iterator[RenderableType]:
    kinds = _by_kind(outcomes)
    short = [(name, passed, total) for name, passed, total in kinds if passed < total]
    whole = [f"{name} {passed}/{total}" for name, passed, total in kinds if passed == total]
    if kinds and short:
        yield _shortfall(short)
        yield Text("")
    if whole:
        yield Text("all passed: ", style="green") + Text(", ".join(whole), style="dim")
        yield Text("")
    yield _total(outcomes)


def _by_kind(outcomes: Sequence[Outcome]) -> list[tuple[str, int, int]]:
    """Kind, passed, total; the worst share first. Nothing where no case names its kind."""
    counts: dict[str, list[int]] = {}
    for outcome in outcomes:
        of_kind = counts.setdefault(visible(outcome.case.kind) or "(no kind)", [0, 0])
        of_kind[0] += outcome.ok
        of_kind[1] += 1
    if list(counts) == ["(no kind)"]:
        return []
    rows = [(name, passed, total) for name, (passed, total) in counts.items()]
    return sorted(rows, key=lambda row: (row[1] / row[2], -row[2], row[0]))


def _shortfall(kinds: Sequence[tuple[str, int, int]]) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=min(48, max(cell_len(name) for name, _, _ in kinds)), overflow="fold")
    grid.add_column(justify="right", no_wrap=True)
    for name, passed, total in kinds:
        grid.add_row(Text(name), Text(f"{passed}/{total}", style="yellow" if passed else "red"))
    return grid


def _total(outcomes: Sequence[Outcome]) -> Text:
    totals = report(outcomes)
    invented = sum(len(outcome.invented) for outcome in outcomes)
    inventing = sum(bool(outcome.invented) for outcome in outcomes)
    share = 100 * inventing / len(outcomes)
    good = totals.passed == len(outcomes)
    where = f" (in {share:.1f} % of the cases)" if invented else ""
    return (
        Text(f"{totals.passed} of {len(outcomes)} passed", style="bold green" if good else "bold red")
        + Text(f", {totals.failed} failed, {totals.errors} could not be played; ")
        + Text(f"{invented} invented value{'' if invented == 1 else 's'}{where}")
    )

"""`slotstate lint`: what is wrong in a template, or costs more than it must, found without a conversation."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Final

from rich.text import Text

from slotstate.cli.options import set_up_streams
from slotstate.cli.screen import Screen
from slotstate.cli.text import visible
from slotstate.domains import Domains
from slotstate.loading import load_domains
from slotstate.templating import RULES, Finding, lint

SUMMARY: Final = "Check a template without a conversation: names, sections, budget, and what keeps caches from working."
USAGE: Final = "%(prog)s [TEMPLATE] [--schema S ...] [--json]"
EPILOG: Final = (
    """\
template:     default, zh (bundled), or a folder that holds prompt.jinja; docs/templates.md says what may stand there
schema S:     travel, support, restaurant (bundled), a .py, .yaml or .json file, or package.module:Class

rules:
"""
    + "".join(f"  {rule:<19} {what}\n" for rule, what in RULES.items())
    + """
exit codes:   0 nothing found, or warnings only, 1 errors found, 2 bad input

example:      slotstate lint prompts/mine --schema travel"""
)

DONE, ERRORS = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `lint`."""
    parser.add_argument(
        "template",
        metavar="TEMPLATE",
        nargs="?",
        default="default",
        help="a folder or a bundled template (default: default)",
    )
    parser.add_argument(
        "--schema", metavar="S", action="append", default=[], help="check names and values against it; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Check the template and print what was found. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    declared = [domain for name in arguments.schema for domain in load_domains(name)]
    findings = lint(arguments.template, Domains(declared) if declared else None)
    errors = sum(one.severity == "error" for one in findings)
    if arguments.json:
        found = {"findings": [asdict(one) for one in findings], "errors": errors, "warnings": len(findings) - errors}
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        _show(arguments.template, findings, schema=bool(declared))
    return ERRORS if errors else DONE


def _show(template: str, findings: Sequence[Finding], *, schema: bool) -> None:
    """Print the findings; what is wrong in one place for several sections is told once."""
    sections: dict[Finding, list[str]] = {}
    for one in findings:
        sections.setdefault(replace(one, section=None), []).extend([one.section] if one.section else [])
    errors = sum(one.severity == "error" for one in sections)
    warnings = len(sections) - errors
    told = f"{_count(errors, 'error')}, {_count(warnings, 'warning')}" if findings else "nothing found"
    skipped = Text("" if schema else "; slots were not checked: --schema S does", style="dim")
    total = Text(f"{told} in {visible(template)}", style="" if findings else "green")
    lines = [*(_line(one, named) for one, named in sections.items()), Text.assemble(total, skipped)]
    screen = Screen()
    for line in lines:
        if screen.is_terminal:
            screen.show(line)
        else:  # a finding is one line for whatever reads it
            print(line.plain)


def _line(one: Finding, sections: Sequence[str]) -> Text:
    place = f"{one.file}:{one.line}" if one.line else one.file
    quoted = ", ".join(f'"{name}"' for name in sections)
    section = f"section{'s' if sections[1:] else ''} {quoted}: " if sections else ""
    return Text.assemble(
        (visible(place), "cyan"),
        ": ",
        (one.severity, "red" if one.severity == "error" else "yellow"),
        f" {one.rule}: {section}{visible(one.message)}",
        overflow="fold",
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

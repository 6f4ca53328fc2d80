"""Help texts in the width of the screen, and options that there are none of, told by their names."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from slotstate.errors import near

_HEAD: Final = re.compile(r" *\S+(?: \S+)*?  +")
"""A word or two with room behind it, under which a text goes on."""
_NO_BREAK: Final = "\u00a0"


class Help(argparse.RawDescriptionHelpFormatter):
    """Help with the lines of its tables and paragraphs broken where the screen ends."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in _broken(text, width - len(indent)))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)

    def _format_usage(
        self, usage: str | None, actions: object, groups: object, prefix: str | None
    ) -> str:  # argparse does not break a usage that it was given
        whole = super()._format_usage(usage, actions, groups, prefix).strip("\n")  # type: ignore[arg-type]
        if usage is None:
            return f"{whole}\n\n"
        kept = re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", _NO_BREAK), whole)
        hang = " " * (whole.find(self._prog) + len(self._prog) + 1)
        lines = textwrap.wrap(kept, self._width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
        return "\n".join(lines).replace(_NO_BREAK, " ") + "\n\n"


def _broken(text: str, width: int) -> Iterator[str]:
    """The lines of a text, those that are too long broken; what goes on in the next line goes on behind them."""
    joined: list[tuple[str, int]] = []
    for line in text.split("\n"):
        hang = len(found[0]) if (found := _HEAD.match(line)) else 0
        inset = len(line) - len(line.lstrip())
        before, under = joined[-1] if joined else ("", 0)
        if line.strip() and before.strip() and inset == under and (under or not hang):
            joined[-1] = f"{before} {line.strip()}", under
        else:
            joined.append((line, hang))
    for line, hang in joined:
        yield from textwrap.wrap(
            line, width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
        ) or [""]


def wrong_option(argv: Sequence[str], parser: argparse.ArgumentParser, elsewhere: Mapping[str, str]) -> str | None:
    """What to say of the first option in `argv` that the command does not have; `elsewhere` tells why it has not."""
    known = [name for action in parser._actions for name in action.option_strings]
    for argument in argv:
        if argument == "--":
            break
        name = argument.partition("=")[0]
        if not name.startswith("--") or name in known:
            continue
        reason = f": {elsewhere[name]}" if name in elsewhere else near(name, [one for one in known if len(one) > 2])
        reason = reason if not reason.startswith("; known") else ""
        return f"{parser.prog} has no option {name}{reason} (see {parser.prog} --help)"
    return None

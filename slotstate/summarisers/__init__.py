"""Summarisers: plug-ins that say how a summary takes in what leaves the window. `make_summariser` makes one by name."""

from __future__ import annotations

from slotstate.compact.summariser import Summariser
from slotstate.errors import InputError, near
from slotstate.plugins import find_plugin

NAMES = ("extractive", "instructor", "local")


def make_summariser(name: str) -> Summariser:
    """The summariser that `name` stands for: `extractive` (no model), `instructor:PROVIDER/MODEL`, `local[:GGUF]` or
    `package.module:object` (a summariser, or a callable without arguments that returns one). The model need not be the
    extractor's: a smaller one will do.

    Raises InputError, naming what is possible, ExtractorError and MissingExtra.
    """
    kind, _, rest = name.partition(":")
    match kind:
        case "extractive" if not rest:
            from slotstate.summarisers.extractive import ExtractiveSummariser

            return ExtractiveSummariser()
        case "instructor":
            from slotstate.summarisers.instructor import InstructorSummariser

            return InstructorSummariser(rest)
        case "local":
            from slotstate.summarisers.local import LocalSummariser

            return LocalSummariser(rest or None)
        case _ if rest and kind not in NAMES:
            needs = "a name, summarise(request) and asummarise(request)"
            made: Summariser = find_plugin(name, lambda one: isinstance(one, Summariser), "summariser", needs, NAMES)
            return made
        case _:
            raise InputError(f"no summariser is called {name!r}{near(kind, NAMES)}; or package.module:object")


__all__ = ["NAMES", "make_summariser"]

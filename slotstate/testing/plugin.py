"""A pytest plug-in that plays conversation tests: one item for each case of files such as `booking.cases.yaml`.

pytest finds it by itself once slotstate is installed. Options in pytest's configuration: `slotstate_cases`, the file
name patterns, and `slotstate_extractor`; on the command line: `--slotstate-extractor`. Nothing else of slotstate is
imported until there is such a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from slotstate.cases import Case, Outcome
    from slotstate.extract import Extractor

PATTERNS: Final = ("*.cases.jsonl", "*.cases.json", "*.cases.yaml", "*.cases.yml")
_EXTRACTOR: Final = pytest.StashKey["Extractor"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    files = f"file name patterns of conversation tests (default: {' '.join(PATTERNS)})"
    parser.addini("slotstate_cases", files, type="args", default=list(PATTERNS))
    what = "what reads the user's turns in conversation tests"
    parser.addini("slotstate_extractor", f"{what} (default: builtin)", default="builtin")
    parser.getgroup("slotstate").addoption("--slotstate-extractor", metavar="E", help=what)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """A file of conversation tests, if this is one."""
    if any(file_path.match(pattern) for pattern in parent.config.getini("slotstate_cases")):
        return CaseFile.from_parent(parent, path=file_path)
    return None


def pytest_unconfigure(config: pytest.Config) -> None:
    """Release what the extractor holds open."""
    close = getattr(config.stash.get(_EXTRACTOR, None), "close", None)
    if close is not None:
        close()


class CaseFile(pytest.File):
    """A file of conversation tests."""

    def collect(self) -> Iterator[CaseItem]:
        """An item for each case; names that stand twice get a number."""
        from slotstate.cases import read_cases
        from slotstate.cli.text import visible
        from slotstate.errors import SlotstateError

        try:
            cases = read_cases(self.path)
            extractor = _extractor(self.config)
        except SlotstateError as error:
            raise self.CollectError(visible(str(error))) from None
        seen: dict[str, int] = {}
        for case in cases:
            name = visible(case.name).replace("::", ":")
            seen[name] = seen.get(name, 0) + 1
            unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
            yield CaseItem.from_parent(self, name=unique, case=case, extractor=extractor)


class CaseItem(pytest.Item):
    """One conversation test. `-k` finds it by its kind, too."""

    def __init__(self, *, case: Case, extractor: Extractor, **more: Any) -> None:
        super().__init__(**more)
        self.case = case
        self.extractor = extractor
        if case.kind:
            self.extra_keyword_matches.add(case.kind)

    def runtest(self) -> None:
        """Play the case."""
        from slotstate.cases import play

        outcome = play(self.case, self.extractor)
        if not outcome.ok:
            raise CaseFailed(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What differs, in words; other errors as pytest shows them."""
        if not isinstance(excinfo.value, CaseFailed):
            return super().repr_failure(excinfo, style)
        from slotstate.cli.test import failure_text

        outcome, rootdir = excinfo.value.outcome, self.config.rootpath
        if self.path.is_relative_to(rootdir):  # as in pytest's own lines
            outcome = replace(outcome, case=replace(outcome.case, file=str(self.path.relative_to(rootdir))))
        return failure_text(outcome, self.config.get_terminal_writer().fullwidth)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case stands."""
        return self.path, self.case.line - 1, self.name


class CaseFailed(Exception):
    """A case whose outcome is not as expected."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("; ".join(outcome.why) or outcome.error)
        self.outcome = outcome


def _extractor(config: pytest.Config) -> Extractor:
    """The session's extractor, made when the first case file is read. Raises SlotstateError."""
    from slotstate.extractors import make_extractor
    from slotstate.loading import importable

    if _EXTRACTOR not in config.stash:
        name = config.getoption("slotstate_extractor") or config.getini("slotstate_extractor")
        with importable(config.rootpath):
            config.stash[_EXTRACTOR] = make_extractor(name)
    return config.stash[_EXTRACTOR]

"""The pytest plug-in, in suites of its own. They load it by its module's name: slotstate need not be installed."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cases.making import BAD, GOOD, INVENTED, write_cases

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
LOADED = ("-p", "slotstate.testing.plugin")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("PYTEST_ADDOPTS", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)


def test_each_case_is_an_item(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path / "trip.cases.jsonl", GOOD, BAD, GOOD)
    (pytester.path / "more.cases.yaml").write_text(json.dumps(GOOD))
    (pytester.path / "more.cases.json").write_text(json.dumps([GOOD]))
    (pytester.path / "other.jsonl").write_text("no case")
    result = pytester.runpytest(*LOADED, "-v")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["trip.cases.jsonl::three nights (2) PASSED*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_failure_is_explained_without_a_traceback(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path / "trip.cases.jsonl", GOOD, BAD)
    result = pytester.runpytest(*LOADED)
    result.stdout.fnmatch_lines(
        [
            "*four nights*",
            "trip.nights: expected 4, found 3; trip.rooms: expected 1, found nothing",
            "✗ four nights (trips)",
            "  trip.cases.jsonl:2",
            "  trip.nights",
            "    expected 4",
            "    found    3",
            "*user      three",
            "*✓*nights 3*“three”",
            "*nothing was proposed for it",
            "FAILED trip.cases.jsonl::four nights - trip.nights: expected*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*CaseFailed(*")
    assert max(map(len, result.outlines)) <= 100


def test_cases_are_found_by_name_and_kind(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path / "trip.cases.jsonl", GOOD, INVENTED)
    pytester.runpytest(*LOADED, "-k", "inventions").assert_outcomes(failed=1, deselected=1)
    pytester.runpytest(*LOADED, "trip.cases.jsonl::three nights").assert_outcomes(passed=1)


def test_a_file_that_cannot_be_read_is_one_line(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path / "trip.cases.jsonl", GOOD, {**GOOD, "expected": {"trip.night": 1}})
    result = pytester.runpytest(*LOADED)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*trip.cases.jsonl:2: unknown slot 'trip.night'; did you mean 'trip.nights'?"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_files_and_extractor_are_configured(pytester: pytest.Pytester) -> None:
    options = "slotstate_cases = ['dialogues/*.jsonl', '*.talk']\nslotstate_extractor = 'script:nothing.json'"
    pytester.makepyprojecttoml(f"[tool.pytest.ini_options]\n{options}\n")
    (pytester.path / "nothing.json").write_text("[]")
    pytester.mkdir("dialogues")
    write_cases(pytester.path / "dialogues" / "trip.jsonl", GOOD, INVENTED)
    write_cases(pytester.path / "trip.cases.jsonl", GOOD)
    result = pytester.runpytest(*LOADED)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*three nights*"])
    pytester.runpytest(*LOADED, "--slotstate-extractor", "builtin").assert_outcomes(passed=1, failed=1)
    result = pytester.runpytest(*LOADED, "--slotstate-extractor", "builtn")
    result.stdout.fnmatch_lines(["*no extractor is called 'builtn'; did you mean 'builtin'?*"])


def test_an_extractor_of_the_suites_own_is_made_once_and_closed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        mybot="""
        from slotstate.testing import ScriptedExtractor

        class Mine(ScriptedExtractor):
            def __init__(self):
                super().__init__()
                print("made", file=open("calls.txt", "a"))

            def close(self):
                print("closed", file=open("calls.txt", "a"))
        """
    )
    write_cases(pytester.path / "trip.cases.jsonl", GOOD, INVENTED)
    result = pytester.runpytest_subprocess(*LOADED, "--slotstate-extractor", "mybot:Mine")
    result.assert_outcomes(passed=1, failed=1)
    assert (pytester.path / "calls.txt").read_text().split() == ["made", "closed"]


def test_hostile_names_stay_in_their_line(pytester: pytest.Pytester) -> None:
    write_cases(pytester.path / "trip.cases.jsonl", {**BAD, "name": "a\n[red]b\x1b[31m::c", "kind": "k\n2"})
    result = pytester.runpytest(*LOADED, "-v")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*::a⏎?red?b<U+001B>?31m:c FAILED*", "✗ a⏎?red?b<U+001B>?31m::c (k⏎2)*"])
    assert "\x1b" not in result.stdout.str()


def test_a_suite_without_cases_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_was_imported():
            heavy = {"pydantic", "rich", "yaml", "instructor", "openai", "hypothesis", "sqlite3"} & set(sys.modules)
            assert not heavy
            assert {name for name in sys.modules if name.startswith("slotstate")} == {
                "slotstate", "slotstate.testing", "slotstate.testing.plugin"
            }
        """
    )
    (pytester.path / "data.json").write_text("{")
    (pytester.path / "cases.yaml").write_text("{")
    result = pytester.runpytest_subprocess(*LOADED, "--strict-config", "--strict-markers", "-W", "error")
    result.assert_outcomes(passed=1)


def test_pytest_finds_it_once_slotstate_is_installed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed distribution that names the entry point as pyproject.toml does."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = "".join(f"{name} = {where}\n" for name, where in project["entry-points"]["pytest11"].items())
    info = pytester.mkdir("site") / "slotstate_stub-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slotstate-stub\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{points}")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.setenv("PYTHONPATH", f"{info.parent}{':' if sys.platform != 'win32' else ';'}{ROOT}")
    pytester.makeini("[pytest]\naddopts = -p no:xdist -p no:cov -p no:anyio -p no:hypothesispytest\n")
    write_cases(pytester.path / "trip.cases.jsonl", GOOD)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)

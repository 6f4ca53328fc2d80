"""`slotstate chat`, piped."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from slotstate.contract import MASK, Run
from slotstate.events import Epoch
from slotstate.loading import load_domains
from slotstate.tracker import Tracker
from tests.cli.conftest import NOW, Command, Ran, change, script

Talk = Callable[..., Ran]


@pytest.fixture
def talk(command: Command, tmp_path: Path) -> Talk:
    """Say lines to a chat whose extractor follows a script."""

    def run(*lines: str, turns: list[list[dict[str, object]]] | None = None, options: tuple[str, ...] = ()) -> Ran:
        extractor = script(tmp_path, *(turns or []))
        arguments = ["chat", "--schema", "travel", "--extractor", extractor, *NOW, *options]
        return command(*arguments, stdin="".join(f"{line}\n" for line in lines))

    return run


LEEDS = [change("origin", "Leeds", "Leeds")]


def test_it_asks_tells_what_changed_and_asks_on(talk: Talk) -> None:
    ran = talk("Leeds", "to Bath", turns=[LEEDS, [change("destination", "Bath", "to Bath")]])
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "? Where do you leave from?"
    assert lines[1:3] == [" [1] user      Leeds", "     ✓  origin        Leeds  “Leeds”"]
    assert "? Where do you want to go?" in lines
    assert "     ✓  destination   Bath  “to Bath”" in lines
    assert lines[-1] == "? Which day do you leave?"


def test_the_table_grows(talk: Talk) -> None:
    ran = talk("Leeds", "to Bath", turns=[LEEDS, [change("destination", "Bath", "to Bath")]])
    tables = [part.split("\n\n")[0] for part in ran.out.split("Domain ")[1:]]
    assert ["destination" in table for table in tables] == [False, True]
    assert "people" not in ran.out


def test_what_was_asked_confirms(talk: Talk) -> None:
    turns = [
        [change("origin", "Leeds", "Leeds"), change("destination", "Bath", "Bath"), change("people", 2, "two")],
        [change("outbound_on", "2025-03-14", "2025-03-14"), change("seat", "second", "second")],
        [change("departs_at", None, "any time", dontcare=True)],
    ]
    ran = talk("Leeds to Bath for two", "2025-03-14, second class", "any time", "yes", turns=turns)
    assert "? origin: Leeds. Is that right?" in ran.out.splitlines()
    assert "     ✓✓ origin        Leeds confirmed  “yes”" in ran.out.splitlines()
    assert ran.line("Next") == "Next     nothing is left to ask"


def test_commands(talk: Talk) -> None:
    ran = talk("Leeds", "/confirm", "/clear origin", "/undo", "/why origin", "/reset", "/state", "/help", turns=[LEEDS])
    assert (ran.code, ran.err) == (0, "")
    out = ran.out.splitlines()
    for line in (
        "     ✓✓ origin        Leeds confirmed",
        "     ∅  origin        Leeds taken back",
        "     ↶  origin        empty → Leeds (taken back)",
        "[1] 2025-03-03 09:00:01",
        "     ↺  travel        a fresh task begins; its slots start clean",
        "/undo [SLOT]      take back the last change, of one slot or of all",
    ):
        assert line in out
    assert "contact_phone" in ran.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/confirm", "! nothing waits for a confirmation; name a slot: /confirm SLOT"),
        ("/confirm origin", "! travel.origin is empty: set it before confirming it"),
        ("/confirm orign", "! unknown slot 'orign'"),
        ("/clear", "! which slot? /clear SLOT"),
        ("/why", "! which slot? /why SLOT"),
        ("/why nope", "! unknown slot 'nope'"),
        ("/undo", "! there is nothing to take back"),
        ("/reset trave", "! unknown domain 'trave'; did you mean 'travel'?"),
        ("/undoo", "! unknown command '/undoo'; did you mean '/undo'?"),
        ("/\x1b[31m", "! unknown command '/\\x1b[31m'"),
    ],
)
def test_an_error_is_one_line_and_the_chat_goes_on(line: str, said: str, talk: Talk) -> None:
    ran = talk(line, "Leeds", turns=[LEEDS])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].startswith(said)
    assert "✓  origin        Leeds" in ran.out


def test_all_commands_are_named_to_who_knows_none(talk: Talk) -> None:
    told = " ".join(talk("/frobnicate").out.split())
    listed = re.findall(r"^(/\w+)", talk("/help").out, re.MULTILINE)
    assert f"unknown command '/frobnicate'; known: {', '.join(sorted([*listed, '/unpin']))}" in told


def test_a_confirmation_that_is_taken_back_is_told_so(talk: Talk) -> None:
    out = talk("Leeds", "/confirm", "/undo", "/undo", turns=[LEEDS]).out.splitlines()
    assert "     ↶  origin        Leeds no longer confirmed (taken back)" in out
    assert "     ↶  origin        Leeds → empty (taken back)" in out


def test_quit_ends_and_blank_lines_say_nothing(talk: Talk) -> None:
    ran = talk("", "  ", "/quit", "Leeds", turns=[LEEDS])
    assert ran.out == "? Where do you leave from?\n"


def test_a_doubled_slash_says_a_slash(talk: Talk) -> None:
    assert " [1] user      /quit" in talk("//quit").out.splitlines()


def test_the_last_line_needs_no_line_break(command: Command, tmp_path: Path) -> None:
    extractor = script(tmp_path, LEEDS)
    ran = command("chat", "--schema", "travel", "--extractor", extractor, stdin="Leeds")
    assert (ran.code, "✓  origin        Leeds" in ran.out) == (0, True)


def test_json_of_a_chat_keeps_the_contract(talk: Talk) -> None:
    out = talk("Leeds", "/json", "/quit", turns=[LEEDS]).out
    found = Run.model_validate_json(out[out.index("\n{") :])
    assert found.state["travel"]["origin"].value == "Leeds"
    assert found.turns[0].turn == 1


def test_a_chat_goes_on_where_it_stopped_and_asks_once(talk: Talk) -> None:
    options = ("--store", "sqlite:///f.db", "--session", "ada")
    talk("Leeds", turns=[LEEDS], options=options)
    ran = talk("/state", options=options)
    assert ran.out.splitlines()[0] == "? Where do you want to go?"
    assert ["travel", "origin", "Leeds", "✓", "filled", "user", "[1]"] in [row.split() for row in ran.out.splitlines()]
    again = talk("to Bath", turns=[[change("destination", "Bath", "Bath")]], options=options)
    assert " [3] user      to Bath" in again.out.splitlines()


def test_sensitive_values_are_masked(talk: Talk) -> None:
    turns = [[change("contact_email", "ada@example.org", "ada@example.org")]]
    lines = ("ada@example.org", "/why contact_email", "/state", "/clear contact_email", "/undo", "/json")
    ran = talk(*lines, turns=turns)
    assert "ada@" not in ran.out
    assert MASK in ran.out
    assert "ada@example.org" in talk(*lines, turns=turns, options=("--reveal",)).out


def test_several_domains_need_a_name_to_reset(command: Command, tmp_path: Path) -> None:
    options = ["--schema", "travel", "--schema", "support", "--extractor", script(tmp_path)]
    ran = command("chat", *options, stdin="/reset\n/reset support\n")
    assert "! which task ends? /reset travel or /reset support" in ran.out.splitlines()
    assert "a fresh task begins" in ran.out


# The prompt


def test_each_turn_tells_what_its_prompt_takes(talk: Talk) -> None:
    turns = [LEEDS, [change("destination", "Bath", "to Bath")]]
    ran = talk("Leeds", "to Bath", turns=turns, options=("--budget", "4000", "--profile", "vllm"))
    lines = [line for line in ran.out.splitlines() if line.startswith("Prompt ")]
    told = [
        re.fullmatch(r"Prompt (\d+) of 4,000 tokens · (\d+) read from the cache · epoch 1 \(start\)", line)
        for line in lines
    ]
    (first, read_first), (second, read_second) = [tuple(map(int, one.groups())) for one in told if one is not None]
    assert (read_first, read_second > 0) == (0, True)
    assert first < second
    assert ran.out.index("Prompt ") < ran.out.index("? Where do you want to go?")


def test_a_prompt_without_a_budget_has_no_limit(talk: Talk) -> None:
    assert re.fullmatch(r"Prompt \d+ tokens · 0 read from the cache · epoch 1 \(start\)", talk("Leeds").line("Prompt "))


def test_a_new_epoch_tells_its_reason(talk: Talk) -> None:
    ran = talk("Leeds", "/reset", "Hm.", turns=[LEEDS], options=("--profile", "vllm"))
    assert [line for line in ran.out.splitlines() if line.endswith("epoch 2 (task end)")]


def test_a_chat_records_its_epochs(talk: Talk, tmp_path: Path) -> None:
    talk("Leeds", turns=[LEEDS], options=("--profile", "vllm", "--store", "sqlite:///f.db", "--session", "ada"))
    with Tracker(load_domains("travel"), store=f"sqlite:///{tmp_path / 'f.db'}") as tracker:
        assert [entry.event.number for entry in tracker.open("ada").entries if isinstance(entry.event, Epoch)] == [1]


def test_a_budget_that_is_too_small_ends_no_chat(talk: Talk) -> None:
    ran = talk("Leeds", "/state", turns=[LEEDS], options=("--budget", "120"))
    assert (ran.code, ran.err) == (0, "")
    assert "! the budget of 120 tokens is " in ran.out
    assert "? Where do you want to go?" in ran.out.splitlines()


def test_the_prompt_can_be_looked_at(talk: Talk) -> None:
    ran = talk("Leeds", "/prompt", "/prompt", turns=[LEEDS], options=("--budget", "3000", "--profile", "vllm"))
    shown = ran.out[ran.out.index("\n? Where do you want to go?") :]
    for section in ("system", "slots", "recent", "overhead", "all", "free"):
        assert re.search(rf"^{section} .* [\d,]+ +[\d,]+ +[\d.]+%$", shown, re.MULTILINE), section
    assert "Ledger   nothing was dropped or shortened" in shown
    first, second = shown.split("Prompt ")[1:]
    assert first == second  # to look changes nothing


def test_a_message_is_pinned_by_its_id_or_its_number(talk: Talk) -> None:
    ran = talk("Leeds", "/pin turn-1", "/pin 1", "/unpin 1", "/pin leeds", "/pin", turns=[LEEDS])
    assert (ran.code, ran.err) == (0, "")
    told = " ".join(ran.out.split())
    assert "! no message has the id 'leeds': the latest are turn-0, turn-1, turn-2; chat.messages has each" in told
    assert "! which message? the latest are turn-0, turn-1, turn-2" in told
    assert ran.out.count("Prompt ") == 4
    assert re.findall("^turn-1 is .*$", ran.out, re.MULTILINE) == [
        "turn-1 is pinned: it stays in every prompt",
        "turn-1 is pinned: it stays in every prompt",
        "turn-1 is not pinned: it may leave the prompt",
    ]

"""`slotstate compact`, `rollback` and `inspect` on a stored conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.cli.conftest import NOW, Command, assistant, user, write
from tests.cli.talks import TRAVEL

STORED = ("--store", "sqlite:///f.db", "--session", "ada", *TRAVEL)
CARD = r"\b\d(?:[ -]?\d){12,15}\b"
RULES = [
    "Please never book hotels beside motorways.",
    "We decided on the blue house because it has 3 rooms.",
    "Still need to check the visa rules.",
    "千万不要早上九点以前的航班。",
    "预算最多五千元，酒店要安静。",
    "My card is 4111 1111 1111 1111, it must not be charged twice.",
    "We are 4 people, and the dog comes too.",
    "Never book hotels beside motorways, as I said.",
    "It was warm.",
    "好的。",
]


def messages(count: int) -> list[dict[str, Any]]:
    """Turns of a user with rules, each with a call of a tool."""
    made: list[dict[str, Any]] = []
    for at in range(count):
        calls = [{"id": f"c{at}", "type": "function", "function": {"name": "find", "arguments": "{}"}}]
        made += [
            user(RULES[at % len(RULES)]),
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f'{{"hits": {at}}}'},
            assistant(f"Noted, that is point {at}."),
        ]
    return made


@pytest.fixture
def kept(command: Command, tmp_path: Path) -> Command:
    """A store with ten turns of ada's, and the command."""
    name = write(tmp_path, "t.jsonl", *messages(10))
    assert command("run", name, *STORED).code == 0
    return command


def test_a_compaction_is_shown_and_kept(kept: Command) -> None:
    ran = kept("compact", *STORED, "--mask", CARD)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Version 1  2025-03-03 09:00:00  by extractive"
    assert lines[1].startswith("  took in messages 0 to 27, because it was asked for; ")
    assert "  + constraint  Please never book hotels beside motorways.  [0]" in lines
    assert "  + decision    We decided on the blue house because it has 3 rooms.  [4]" in lines
    assert "  + still open  Still need to check the visa rules.  [8]" in lines
    assert any(line.startswith("  + ") and "千万不要早上九点以前的航班。  [12]" in line for line in lines)
    assert all(cell_len(line) <= 80 for line in lines)
    assert "4111" not in ran.out
    assert "My card is •••, it must not be charged twice." in ran.out
    assert kept("compact", *STORED).out == "Nothing to compact: the prompt keeps what there is.\n"
    assert kept("compact", *STORED, "--json").json == {"version": None, "failures": []}


def test_a_rollback_brings_a_version_back(kept: Command, tmp_path: Path) -> None:
    kept("compact", *STORED)
    kept("run", write(tmp_path, "more.jsonl", *messages(20)), *STORED)
    second = kept("compact", *STORED, "--json").json["version"]
    assert (second["version"], second["kind"], second["since"]) == (2, "compacted", 28)
    ran = kept("rollback", "1", *STORED)
    assert ran.out.startswith("Version 3  2025-03-03 09:00:00  version 1 brought back\n  covers messages 0 to 27; ")
    for item in second["added"]:
        assert f"  - {item['text'][:30]}" in ran.out
    assert kept("rollback", "3", *STORED).out == "Nothing to do: version 3 is the present one.\n"
    third = kept("rollback", "0", *STORED, "--json").json["version"]
    assert (third["version"], third["to"], third["items"], third["covered"]) == (4, 0, 0, 0)
    whole = kept("inspect", *STORED, "--json").json
    assert [one["kind"] for one in whole["versions"]] == ["compacted", "compacted", "rolled_back", "rolled_back"]
    assert whole["measures"]["rollbacks"] == 2
    assert (whole["items"], whole["covered"], whole["version"], whole["messages"]) == ([], 0, 4, 80)


def test_the_history_is_shown(kept: Command, tmp_path: Path) -> None:
    ran = kept("inspect", *STORED)
    assert ran.out.startswith("Session ada: 40 messages, 2025-03-03 09:00:00 to 09:00:39 Europe/London\n")
    assert ran.out.splitlines()[1] == "Nothing was compacted yet"
    kept("compact", *STORED)
    kept("run", write(tmp_path, "more.jsonl", *messages(20)), *STORED)
    shown = kept("compact", *STORED).out
    ran = kept("inspect", *STORED, "--mask", CARD)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Session ada: 80 messages, 2025-03-03 09:00:00 to ")
    assert ran.out.splitlines()[1].startswith("The summary covers 68 of the messages with ")
    assert all(cell_len(line) <= 80 for line in ran.out.splitlines())
    assert "4111" not in ran.out
    assert kept("inspect", *STORED, "--only", "2").out == shown
    assert "4111" in kept("inspect", *STORED, "--reveal", "--mask", CARD).out
    assert "  2 compactions, 0 failures, 0 rollbacks\n" in ran.out
    assert "  the user said a constraint again " in ran.out
    assert ran.out.index("Version 1") < ran.out.index("Version 2") < ran.out.index("Summary, version 2")


def test_everything_is_in_one_object(kept: Command) -> None:
    kept("compact", *STORED)
    ran = kept("inspect", *STORED, "--json", "--mask", CARD)
    assert ran.err == ""
    whole, (version,) = ran.json, ran.json["versions"]
    assert "4111" not in ran.out.replace("\\u2022", "")
    assert (version["since"], version["covered"], version["model"]) == (0, 28, "extractive")
    assert [item["ident"] for item in version["added"]] == [item["ident"] for item in whole["items"]]
    told = whole["measures"]
    assert (told["protocol_errors"], told["orphans"], told["compactions"], told["failures"]) == (0, 0, 1, 0)
    assert told["secrets"] == 1, "it was compacted without the mask"
    assert told["tokens_saved"] == told["tokens_covered"] - told["tokens_summary"]
    for name in ("slots", "numbers", "negations", "open"):
        assert told[name] == 0 or 0 <= told[f"{name}_kept"] <= 1
    assert version["measures"]["tokens_span"] == version["measures"]["tokens_before"]
    assert "! 1 items with something that must be masked" in kept("inspect", *STORED, "--mask", CARD).out
    assert "secrets" in version["measures"]
    assert "protocol_errors" not in kept("inspect", *STORED, "--json", "--budget", "100").json["measures"]


MODEL = '''
from slotstate.compact.items import Add, Amend, Drop, Patch
from slotstate.compact.summariser import SummaryReply
from slotstate.events import Lost, Usage


class Model:
    """Right, wrong, or down, as the number of items says."""

    name = "toy"

    def summarise(self, request):
        first = request.span.messages[0]
        if request.summary.version == 0:
            if not request.faults:
                return SummaryReply(Patch(add=(Add("fact", "It takes 9999 hours", (first.id,)),)), Usage(tokens_in=5))
            lost = (Lost(text="chatter", reason="of no use"),)
            add = Add("constraint", first.text, (first.id,)), Add("open", first.text[:-1], (first.id,))
            return SummaryReply(Patch(add=add[:1]), Usage(tokens_in=7, tokens_out=2), None, lost)
        raise ConnectionError("the card 4111 1111 1111 1111 was refused")

    async def asummarise(self, request):
        return self.summarise(request)


class Mender(Model):
    """Takes the first item back to its quote, and drops the last one."""

    def summarise(self, request):
        first, *_, last = request.summary.items
        amend = Amend(first.ident, first.text.removeprefix("Please ").rstrip("."), first.sources)
        return SummaryReply(Patch(amend=(amend,), drop=(Drop(last.ident, "the user has it"),)), Usage())
'''


def test_what_is_amended_and_dropped_is_shown_beside_what_it_was(kept: Command, tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(MODEL, encoding="utf-8")
    kept("compact", *STORED)
    kept("run", write(tmp_path, "more.jsonl", *messages(20)), *STORED)
    ran = kept("compact", *STORED, "--summariser", "toy:Mender")
    lines = ran.out.splitlines()
    at = lines.index("  ~ constraint  never book hotels beside motorways  [0]")
    assert lines[at + 1] == "    was         Please never book hotels beside motorways."
    assert ran.line("  - ").endswith("  the user has it")
    assert "an unknown number of tokens spent in 1 attempt" in " ".join(ran.out.split())
    (amended,) = kept("inspect", *STORED, "--json").json["versions"][1]["amended"]
    assert (amended["before"]["ident"], amended["after"]["text"]) == (1, "never book hotels beside motorways")


def test_a_model_is_told_what_was_refused_and_stood_in_for(kept: Command, tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(MODEL, encoding="utf-8")
    ran = kept("compact", *STORED, "--summariser", "toy:Model")
    assert ran.out.splitlines()[0] == "Version 1  2025-03-03 09:00:00  by toy"
    assert "  Refused of what the model wrote:" in ran.out
    assert "9999" in ran.line("  ! ")
    assert "14 tokens spent in 2 attempts" in " ".join(ran.out.split())
    assert "  · chatter  of no use" in ran.out
    kept("run", write(tmp_path, "more.jsonl", *messages(20)), *STORED)
    ran = kept("compact", *STORED, "--summariser", "toy:Model", "--mask", CARD)
    assert ran.code == 0
    assert ran.out.startswith("Failed  2025-03-03 09:00:00  by toy\n  begun because it was asked for; ")
    assert ran.out.splitlines()[2] == "  ConnectionError: the card ••• was refused"
    assert "Version 2  2025-03-03 09:00:00  by extractive" in ran.out
    whole = kept("inspect", *STORED, "--json", "--mask", CARD).json
    assert [(one["version"], one["model"]) for one in whole["failures"]] == [(1, "toy")]
    assert (whole["measures"]["failures"], whole["running"]) == (1, False)
    shown = kept("inspect", *STORED, "--mask", CARD).out
    assert shown.index("Version 1") < shown.index("Failed") < shown.index("Version 2")


BAD = {
    ("inspect", "--store", "sqlite:///nope.db", "--session", "ada", *TRAVEL): "there is no store nope.db",
    ("compact", "--store", "memory://", "--session", "ada", *TRAVEL): "memory:// holds nothing from one command",
    ("compact", "--store", "pg://x", "--session", "ada", *TRAVEL): "no store is called 'pg://…'",
    ("rollback", "1", "--store", "sqlite:///f.db", "--session", "bob", *TRAVEL): "no conversation called 'bob'",
    ("inspect", "--store", "sqlite:///t.jsonl", "--session", "ada", *TRAVEL): "cannot open t.jsonl",
    ("inspect", *TRAVEL): "required: --store",
    ("inspect", "--store", "sqlite:///f.db", *TRAVEL): "which conversation? name it: SESSION, or --session ID",
    ("inspect", "bob", *STORED): "'bob' or 'ada'? name one conversation",
    ("inspect", "adda", *STORED[:2], *TRAVEL): "no conversation called 'adda'; did you mean 'ada'?",
    ("inspect", "ada", *STORED[:2], "--tenant", "acme", *TRAVEL): "no conversation called 'ada' of tenant 'acme'",
    ("inspect", "ada", "--store", "sqlite:///empty.db", *TRAVEL): "empty.db holds no store",
    ("rollback", "1", "--store", "sqlite:///f.db", *TRAVEL): "required: --session",
    ("rollback", *STORED): "required: VERSION",
    ("rollback", "two", *STORED): "'two' is no version",
    ("rollback", "-1", *STORED): "slotstate rollback",
    ("rollback", "7", *STORED): "the summary has no version 7: nothing was compacted yet",
    ("inspect", *STORED, "--only", "7"): "the summary has no version 7 to show: nothing was compacted yet",
    ("inspect", *STORED, "--only", "1", "--json"): "leave one of them out",
    ("inspect", *STORED, "--all", "--json"): "--all chooses what is shown, --json prints everything",
    ("inspect", *STORED, "--only", "1", "--turn", "1"): "choose one",
    ("inspect", *STORED, "--turn", "40"): "there is no message 40: they go to 39",
    ("inspect", *STORED, "--turn", "x"): "'x' is no message's number",
    ("inspect", *STORED, "--slot", "travel.orgin"): "did you mean 'travel.origin'?",
    ("compact", *STORED, "--summariser", "nonsense"): "no summariser is called 'nonsense'",
    ("compact", *STORED, "--summariser", "broken:x"): "cannot",
    ("compact", *STORED, "--mask", r"\d+"): "mask 1 ('\\\\d+') repeats without an end",
    ("compact", *STORED, "--budget", "100"): "the budget of 100 tokens is",
    ("run", "t.jsonl", "--schema", "travel", "--summariser", "local"): "slotstate compact keeps one",
}


@pytest.mark.parametrize(("arguments", "why"), BAD.items(), ids=[" ".join(one)[:40] for one in BAD])
def test_bad_input_is_one_line(kept: Command, tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "broken.py").write_text("raise ValueError('two\\nlines')", encoding="utf-8")
    ran = kept(*arguments)
    assert ran.code == 2
    assert why in ran.complaint
    assert not (tmp_path / "nope.db").exists()
    assert (tmp_path / "empty.db").read_bytes() == b""


def test_calls_without_a_result_are_told(command: Command, tmp_path: Path) -> None:
    name = write(tmp_path, "t.jsonl", *messages(6)[:-2])
    command("run", name, *STORED)
    ran = command("compact", *STORED)
    assert ran.code == 2
    assert "c5" in ran.complaint
    assert command("inspect", *STORED).code == 0


def test_a_chat_compacts(command: Command) -> None:
    said = "\n".join(["/compact", *RULES, "/compact", "/compact"])
    ran = command("chat", *TRAVEL, "--mask", CARD, stdin=said + "\n")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("Nothing to compact: the prompt keeps what there is.") == 2
    assert "  + constraint  Please never book hotels beside motorways." in ran.out
    assert "4111" not in ran.out
    assert "/compact " in command("chat", *TRAVEL, stdin="/help\n").out


def test_masks_hold_in_values_and_quotes(command: Command, tmp_path: Path) -> None:
    (tmp_path / "memo.py").write_text(
        "from pydantic import BaseModel\nclass Memo(BaseModel):\n    memo: str | None = None\n", encoding="utf-8"
    )
    card = "4111 1111 1111 1111"
    name = write(tmp_path, "t.jsonl", user(f"note {card} down"), assistant("And?", offers={"memo.memo": f"to {card}"}))
    (tmp_path / "s.json").write_text(
        f'[[{{"path": "memo.memo", "op": "set", "value": "{card}", "quote": "{card}"}}]]', encoding="utf-8"
    )
    arguments = ("run", name, "--schema", "memo.py", "--extractor", "script:s.json", *NOW, "--mask", CARD)
    whole = command(*arguments, "--json")
    assert whole.json["turns"][0]["changes"][0]["value"] == "•••"
    assert whole.json["state"]["memo"]["memo"]["offers"][0]["value"] == "to •••"
    assert "4111" not in whole.out + command(*arguments).out
    assert "4111" in command(*arguments, "--reveal").out

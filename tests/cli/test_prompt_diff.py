"""What `slotstate prompt --diff` says."""

from __future__ import annotations

import re
from typing import Any

from slotstate.cli.difference import _slots, change_between
from slotstate.contract import Prompt, PromptDiff
from slotstate.prompt import Budget
from slotstate.tokens import Estimator, overhead_of
from tests.cli.conftest import Command
from tests.cli.talks import EN, TRAVEL, Talk


def test_a_diff_tells_what_stayed_and_what_came(command: Command) -> None:
    arguments = ("prompt", EN, *TRAVEL, "--profile", "vllm", "--layout", "append_only", "--turn", "22", "--diff")
    ran, whole = command(*arguments), PromptDiff.model_validate(command(*arguments, "--json").json)
    change, tokens = whole.change, whole.prompt.tokens or 0
    assert (change.before, change.after, change.removed_tokens, change.new_epoch) == (20, 22, 0, None)
    assert change.same_tokens + change.added_tokens + overhead_of(Estimator()).reply == tokens
    assert (
        f"Same     {change.same_tokens:,} tokens, byte for byte: the first {change.same_messages} messages" in ran.out
    )
    assert ran.line("Epoch    1 goes on")
    assert "Removed  nothing" in ran.out.splitlines()
    assert "--- the prompt before message 20\n+++ the prompt before message 22\n@@ -" in ran.out
    assert "+[user]\n+Yes, that's right.\n+<note>\n" in ran.out
    assert not re.search(r"^-(?!--)", ran.out, re.MULTILINE)
    assert change.diff in ran.out


def test_a_diff_of_live_slots_says_so(command: Command) -> None:
    ran = command("prompt", EN, *TRAVEL, "--turn", "8", "--diff")
    assert "while nothing can be cached the slots are written anew each time" in " ".join(ran.out.split())
    assert "\n-travel, not known: return_on, departs_at" in ran.out
    assert "characters of the next" in " ".join(ran.out.split())


def test_a_diff_names_the_reason_of_a_new_epoch(command: Command, long: Talk) -> None:
    changes = [
        PromptDiff.model_validate(command(*long.command("prompt", "--budget", "1800", "--diff", "--json", *turn)).json)
        for turn in (["--turn", str(at)] for at in range(34, 60, 3))
    ]
    new = [one for one in changes if one.change.new_epoch is not None]
    assert {one.change.new_epoch for one in new} == {"compaction"}
    assert all(one.change.removed_tokens > 0 for one in new)
    turn = str(new[0].change.after)
    ran = command(*long.command("prompt", "--budget", "1800", "--diff", "--turn", turn))
    assert re.search(r"Epoch    a new one, \d+: turns left it for a summary", ran.out)
    assert re.search(r"Removed  [\d,]+ tokens that stood behind them", ran.out)


def test_a_diff_applies(command: Command, long: Talk) -> None:
    """The diff turns the text of the prompt before into that of this one."""
    for turn in range(20, 50, 7):
        arguments = long.command("prompt", "--budget", "2500", "--turn", str(turn))
        whole = PromptDiff.model_validate(command(*arguments, "--diff", "--json").json)
        before = command(*arguments[:-1], str(whole.change.before), "--json").json
        assert _patched(_lines(before), whole.change.diff.split("\n")) == _lines(whole.prompt.model_dump())


def _lines(prompt: Any) -> list[str]:
    found: list[str] = []
    for message in prompt["messages"]:
        answered = message.get("tool_call_id")
        found.append(f"[{message['role']}]" if answered is None else f"[{message['role']} [{answered}]]")
        found += message["content"].split("\n") if message["content"] else []
        for call in message.get("tool_calls", ()):
            found.append(f"calls search({call['function']['arguments']})  [{call['id']}]")
    return found


def _patched(lines: list[str], diff: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    for line in diff[2:]:
        place = re.fullmatch(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@", line)
        if place:
            found += lines[at : int(place[1]) - 1]
            at = int(place[1]) - 1
        elif line.startswith("+"):
            found.append(line[1:])
        else:
            assert lines[at] == line[1:]
            found += [lines[at]] if line.startswith(" ") else []
            at += 1
    return found + lines[at:]


def test_a_message_that_only_grew_counts_as_the_same_as_far_as_it_goes() -> None:
    messages = [{"role": "user", "content": "one two three"}]
    old = Prompt(messages=messages, tokens=30)
    new = Prompt(messages=[{"role": "user", "content": "one two four"}], tokens=40)
    change = change_between((1, old), (2, new), Budget(None))
    assert (change.same_messages, change.same_characters, change.new_epoch) == (0, 8, None)
    other = Prompt(messages=[{"role": "assistant", "content": "one two four"}], tokens=40)
    assert change_between((1, old), (2, other), Budget(None)).same_tokens == 0


def test_a_diff_tells_when_the_slots_are_frozen(command: Command, long: Talk) -> None:
    """Shorter than the profile's minimum they are live, then they are not."""
    told = [
        " ".join(command(*long.command("prompt", "--profile", "openai", "--diff", "--turn", str(at))).out.split())
        for at in range(4, 40, 4)
    ]
    frozen = [one for one in told if "Slots frozen from here on, as the prompt is long enough to be cached" in one]
    assert len(frozen) <= 1
    before, after = ({"layout": layout} for layout in ("live", "quotes_last"))
    for one, other, words in (
        (before, after, "frozen from here on, as the prompt is long enough to be cached: they stand as they are now"),
        (after, before, "written anew each time from here on, as the prompt is too short to be cached"),
    ):
        was, now = (Prompt.model_construct(messages=[], cache=cache) for cache in (one, other))
        assert _slots(was, now).startswith(words)
    assert _slots(Prompt(messages=[]), Prompt(messages=[])) == ""

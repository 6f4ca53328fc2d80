"""What two prompts have in common, message by message."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from slotstate.prompt.cache_facts import Quoted, Sent, common
from tests.prompt.reading import CharCounter

AT = datetime(2026, 5, 4, 9, tzinfo=UTC)


def sent(*messages: tuple[str, str], quotes: Quoted | None = None) -> Sent:
    ends = [0]
    shown: list[dict[str, Any]] = []
    for role, text in messages:
        shown.append({"role": role, "content": text})
        ends.append(ends[-1] + 4 + len(text))
    return Sent(shown, ends, 0, quotes, AT)


def test_quotes_that_come_to_stay_are_what_was_sent() -> None:
    before = sent(("system", "s"), ("user", "hello"), quotes=Quoted(1, "<quotes>", 9))
    now = sent(("system", "s"), ("user", "hello\n<quotes>"), ("assistant", "yes"))
    found = common(before, now, CharCounter())
    assert (found.messages, found.tokens, found.whole) == (2, now.ends[2], True)


def test_quotes_that_change_are_not() -> None:
    before = sent(("system", "s"), ("user", "hello"), quotes=Quoted(1, "<quotes>", 9))
    now = sent(("system", "s"), ("user", "hello\n<others>"), ("assistant", "yes"))
    found = common(before, now, CharCounter())
    assert (found.messages, found.whole) == (1, False)
    assert found.tokens < now.ends[2]


def test_messages_of_other_roles_have_nothing_in_common() -> None:
    before, now = sent(("system", "s"), ("user", "hello")), sent(("system", "s"), ("assistant", "hello"))
    found = common(before, now, CharCounter())
    assert (found.messages, found.tokens, found.whole) == (1, now.ends[1], False)

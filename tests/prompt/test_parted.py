"""What a cut parts: results from their calls."""

from __future__ import annotations

import pytest

from slotstate.events import AssistantTurn, MessageEvent, ToolTurn
from slotstate.messages import ToolCall
from slotstate.prompt.spans import parted
from slotstate.prompt.transcript import Transcript, Unit


def call(turn: int, *idents: str) -> AssistantTurn:
    calls = tuple(ToolCall(id=ident, name="find", arguments="{}") for ident in idents)
    return AssistantTurn(turn=turn, id=f"a{turn}", text="", tool_calls=calls)


def result(turn: int, ident: str) -> ToolTurn:
    return ToolTurn(turn=turn, id=f"r{turn}", call_id=ident, text="ok")


@pytest.mark.parametrize(
    ("events", "kind", "orphans"),
    [
        ([call(0, "a", "b"), result(1, "b"), result(2, "a")], "tools", 0),
        ([call(0, "a", "b"), result(1, "b")], "tools", 1),
        ([result(1, "b"), call(2, "b")], "tools", 2),
        ([call(0, "a"), result(1, "a"), result(2, "a")], "tools", 1),
        ([result(0, "a")], "stray", 0),
    ],
)
def test_results_and_calls_without_each_other_are_counted(events: list[MessageEvent], kind: str, orphans: int) -> None:
    transcript = Transcript()
    transcript.units.append(Unit("tools" if kind == "tools" else "stray", 0, list(events)))
    assert parted(transcript, 0, 10) == orphans
    assert parted(transcript, 0, 0) == 0

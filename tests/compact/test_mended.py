"""What users ran into: recalling, overflows told twice, pictures in results, a model that leaves things out."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from slotstate import Budget, Compaction, InputError, Tracker
from slotstate.compact import Patch, SummaryReply, SummaryRequest
from slotstate.compact.overflow import Overflow, read_overflow
from slotstate.compact.recall import read_arguments
from tests.compact.playing import Trip

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_000)).decode()
PART = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
LONG = "\n".join(f"row {number}: {number * 7}" for number in range(3_000))


def chat(**options: Any) -> Any:
    return Tracker(Trip, **options).open("s")


def test_what_was_recalled_is_there_in_full() -> None:
    talk = chat()
    talk.user("hello")
    talk.tool_call("a", "search", {})
    talk.tool_result("a", LONG)
    ref = talk.messages[-1].blob.ref
    talk.tool_call("b", "recall", {"reference": ref})
    told = talk.recalled({"reference": ref, "start": "40", "end": 9_000})
    talk.tool_result("b", told)
    assert talk.prompt().messages[-1]["content"] == told
    assert told.startswith(LONG[40:9_000])
    rest = talk.recalled({"reference": ref, "start": 9_000, "end": len(LONG)})
    assert told.partition("\n[")[0] + rest == LONG[40:]


def test_what_was_recalled_is_no_news() -> None:
    talk = chat(budget=Budget(900))
    for number in range(20):
        talk.user(f"And what about the house number {number} at the end of the street?")
        talk.tool_call(f"a{number}", "recall", {"reference": "turn-0"})
        talk.tool_result(f"a{number}", talk.recalled({"reference": "turn-0"}))
        talk.prompt()
    assert talk.summary.version
    assert not [item for item in talk.summary.items if item.kind == "tool"]


@pytest.mark.parametrize("bad", [{"start": -5}, {"start": "x"}, {"start": True}, {"end": 1.5}])
def test_edges_of_a_recall_are_numbers(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="number of characters"):
        read_arguments({"reference": "turn-0", **bad})


def test_bad_references_are_told() -> None:
    talk = chat()
    talk.user("hello")
    assert talk.recall("0") == talk.recall("turn-0") == "hello"
    for arguments, said in (
        ((0,), "must be text"),
        (("9..4",), "runs backwards"),
        (("50..60",), "they go to 0"),
        (("turn-0", 3, 2), "run backwards"),
        (("turn-0", -1), "0 or more"),
    ):
        with pytest.raises(InputError, match=said):
            talk.recall(*arguments)
    with pytest.raises(InputError, match="no blob"):
        talk.blob("blob:0")
    with pytest.raises(InputError, match=r"add\(\)"):
        talk.user([PART])


def test_pictures_in_results_are_lines_and_can_be_had() -> None:
    talk = chat()
    talk.user("hello")
    talk.tool_call("a", "look", {})
    talk.tool_result("a", [{"type": "text", "text": "done"}, PART])
    text = talk.prompt().messages[-1]["content"]
    assert text.startswith("done\n[image/png")
    assert PICTURE[:40] not in text
    ref = text.rpartition(", ")[2].rstrip("]")
    assert talk.blob(ref) == base64.b64decode(PICTURE)


def test_a_refusal_told_twice_shortens_once() -> None:
    talk = chat(budget=Budget(4_000))
    for number in range(40):
        talk.user(f"And what about the house number {number} at the end of the street?")
        talk.assistant("It is yellow and has a garden.")
    talk.user("Which is the last one?")
    talk.prompt()
    error = "This model's maximum context length is 3000 tokens. However, your messages resulted in 3900 tokens."
    first = talk.overflowed(error)
    assert talk.overflowed(error).budget == first.budget
    talk.assistant("That one.")
    assert talk.overflowed(error.replace("3900", "3700")).budget < first.budget


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ValidationException: Input is too long for requested model.", Overflow(None, None)),
        ("Range of input length should be [1, 30720]", Overflow(None, 30_720)),
        ("request_too_large: Request exceeds the maximum size", Overflow(None, None)),
        ("HTTP 413: Payload Too Large", Overflow(None, None)),
        ("error 413 in line 7", None),
    ],
)
def test_other_words_for_too_long(text: str, found: Overflow | None) -> None:
    assert read_overflow(text) == found


class Silent:
    """A model that has nothing to say."""

    name = "silent"

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(Patch())

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        return self.summarise(request)


def test_a_models_silence_loses_no_constraint() -> None:
    talk = chat(budget=Budget(1_500), compaction=Compaction(summariser=Silent()))
    talk.user("I'm allergic to peanuts.")
    for number in range(30):
        talk.prompt()
        talk.assistant("I see, and it is noted down here.")
        talk.user(f"And what about the house number {number} at the end of the long street?")
    assert "allergic to peanuts" in str(talk.prompt().messages[1])
    assert talk.summary.version


@pytest.mark.parametrize(
    "options", [{"summariser": None}, {"background": "yes"}, {"tools": {"x": {"limit": 3}}}, {"results": 7}]
)
def test_settings_that_cannot_be_meant(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Compaction(**options)


def test_compaction_is_a_compaction() -> None:
    with pytest.raises(InputError, match="must be a Compaction"):
        Tracker(Trip, compaction={"high": 0.5})  # type: ignore[arg-type]

"""What summarisers share: a reply made safe, names, the scripted one."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from slotstate.compact.items import Add, Amend, Drop, Patch, Spoken, patched
from slotstate.compact.summariser import KINDS, Summariser, SummaryReply, SummaryRequest, checked_reply
from slotstate.errors import ExtractorError, InputError, MissingExtra
from slotstate.events import Lost, Usage
from slotstate.summarisers import make_summariser
from slotstate.summarisers.instructor import InstructorSummariser
from slotstate.testing import ScriptedSummariser
from tests.summarisers.spans import SUMMARY, ask

GOOD = Patch(
    (Add("fact", "Room N-204 has 85 seats.", ("turn-5",), "85"),),
    (Amend(5, "The talk is in the north wing.", ("turn-6",)),),
    (Drop(2, "said by mistake"),),
)
BAD: Any = None  # what others' code holds in place of a part


@pytest.mark.parametrize(
    "part",
    [
        replace(GOOD.add[0], kind=BAD),
        replace(GOOD.add[0], text=BAD),
        replace(GOOD.add[0], sources=BAD),
        replace(GOOD.add[0], sources=(BAD,)),
        replace(GOOD.add[0], quote=b"85"),  # type: ignore[arg-type]
        replace(GOOD.add[0], path=3),  # type: ignore[arg-type]
        "an item",
    ],
)
def test_additions_that_are_none(part: Any) -> None:
    reply = checked_reply(SummaryReply(Patch(add=(GOOD.add[0], part)), Usage(tokens_in=3)))
    assert reply.patch is None
    assert reply.usage == Usage(tokens_in=3)
    assert "the summariser's patch cannot be read: add[1] is no Add with all its parts" in (reply.error or "")


@pytest.mark.parametrize(
    "patch",
    [
        Patch(amend=(replace(GOOD.amend[0], ident=BAD),)),
        Patch(amend=(replace(GOOD.amend[0], ident=True),)),
        Patch(amend=(replace(GOOD.amend[0], text=BAD),)),
        Patch(drop=(replace(GOOD.drop[0], ident="2"),)),  # type: ignore[arg-type]
        Patch(drop=(replace(GOOD.drop[0], reason=BAD),)),
        Patch(drop=[GOOD.drop[0]]),  # type: ignore[arg-type]
        Patch(drop=GOOD.add),  # type: ignore[arg-type]
    ],
)
def test_patches_that_are_none(patch: Patch) -> None:
    reply = checked_reply(SummaryReply(patch))
    assert reply.patch is None
    assert (reply.error or "").startswith("the summariser's patch cannot be read: ")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (None, "the summariser returned NoneType, not a SummaryReply"),
        ("prose", "the summariser returned str, not a SummaryReply"),
        (SummaryReply("prose"), "the summariser's patch cannot be read: it is a str, not a Patch"),  # type: ignore[arg-type]
        (SummaryReply(None), "the summariser gave no patch, and no reason"),
        (SummaryReply(None, error=7), "the summariser gave no patch, and no reason"),  # type: ignore[arg-type]
        (SummaryReply(None, error="two\n lines "), "two lines"),
        (SummaryReply(GOOD, error="half of it"), "half of it"),
    ],
)
def test_replies_without_a_patch(given: object, error: str) -> None:
    assert checked_reply(given) == SummaryReply(None, error=error)


def test_a_good_reply_stays_as_it_is() -> None:
    given = SummaryReply(GOOD, Usage(tokens_out=4), None, (Lost(text="Hello", reason="a greeting"),))
    assert checked_reply(given) == given
    odd = replace(given, usage=3, lost=["Hello", *given.lost])  # type: ignore[arg-type]
    assert checked_reply(odd) == replace(given, usage=None)
    assert checked_reply(replace(given, lost=BAD)).lost == ()
    assert all(checked_reply(SummaryReply(Patch((replace(GOOD.add[0], kind=kind),)))).patch for kind in KINDS)
    patched(SUMMARY, GOOD, 8)


# Names


def test_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    made = make_summariser("instructor:openai/gpt-5-nano")
    assert isinstance(made, InstructorSummariser)
    assert made.name == "instructor:openai/gpt-5-nano"
    assert make_summariser("extractive").name == "extractive"
    assert all(isinstance(one, Summariser) for one in (made, make_summariser("extractive"), ScriptedSummariser()))


def test_one_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("mybot_notes")
    vars(module).update(made=ScriptedSummariser(name="mine"), Made=ScriptedSummariser, other=dict, broken=lambda: 1 / 0)
    monkeypatch.setitem(sys.modules, "mybot_notes", module)
    assert make_summariser("mybot_notes:made").name == "mine"
    assert make_summariser("mybot_notes:Made").name == "scripted"
    with pytest.raises(InputError, match=r"mybot_notes:other is no summariser: it needs a name, summarise\(request\)"):
        make_summariser("mybot_notes:other")
    with pytest.raises(InputError, match="mybot_notes:broken cannot make a summariser: division by zero"):
        make_summariser("mybot_notes:broken")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("extractiv", "no summariser is called 'extractiv'; did you mean 'extractive'?; or package.module:object"),
        ("extractive:x", "no summariser is called 'extractive:x'"),
        ("", "no summariser is called ''; known: extractive, instructor, local; or package.module:object"),
        ("no.such:thing", "no summariser no.such:thing: No module named 'no'; known: extractive, instructor, local"),
        ("json:nothing", "no summariser json:nothing: module 'json' has no attribute 'nothing'"),
        ("instructor:gpt-5", "the model is given as PROVIDER/MODEL"),
        ("instructor:opnai/gpt-5", "unknown provider 'opnai'; did you mean 'openai'?"),
    ],
)
def test_names_that_stand_for_nothing(name: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        make_summariser(name)
    assert said in str(raised.value)


def test_what_is_missing_is_said_early(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ExtractorError, match="openai needs a key"):
        make_summariser("instructor:openai/gpt-5-nano")
    monkeypatch.setattr("slotstate.providers.server.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"'slotstate\[local\]'"):
        make_summariser(f"local:{tmp_path / 'model.gguf'}")
    monkeypatch.setattr("slotstate.providers.server.find_spec", lambda name: name)
    with pytest.raises(InputError, match="cannot read the model"):
        make_summariser(f"local:{tmp_path / 'model.gguf'}")


def test_the_extractive_one_asks_nobody_and_keeps_to_the_sizes() -> None:
    made = make_summariser("extractive")
    talk = tuple(
        Spoken(f"turn-{turn}", turn, "user", f"I must not spend more than {turn + 100} EUR on gift {turn}.")
        for turn in range(60)
    )
    for request in (ask(), ask(messages=talk, most_items=9), ask(messages=talk, most_chars=400)):
        reply = made.summarise(request)
        assert reply == checked_reply(reply) == asyncio.run(made.asummarise(request))
        assert reply.patch is not None
        items = patched(request.summary, reply.patch, 60).items
        assert items
        assert len(items) <= request.most_items
        assert sum(len(item.text) + len(item.quote or "") for item in items) <= request.most_chars
        assert reply.usage is None


# The scripted one


def test_a_script() -> None:
    whole = SummaryReply(GOOD, Usage(tokens_in=9))
    made = ScriptedSummariser([GOOD, whole, TimeoutError("late"), "Once upon a time"])
    requests = [ask(faults=(str(number),)) for number in range(5)]
    assert made.summarise(requests[0]) == SummaryReply(GOOD)
    assert asyncio.run(made.asummarise(requests[1])) is whole
    with pytest.raises(TimeoutError, match="late"):
        made.summarise(requests[2])
    assert made.summarise(requests[3]) == SummaryReply(None, error="Once upon a time")
    assert made.summarise(requests[4]).error == "the script has 4 items, and this is call 5"
    assert made.requests == requests


def test_a_request_has_what_a_compaction_knows() -> None:
    request = SummaryRequest(SUMMARY, ask().span)
    assert (request.faults, request.deadline) == ((), None)

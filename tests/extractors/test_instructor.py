"""The instructor extractor through the real `openai` and `instructor` packages over a socket: what models and providers
do wrong, sync and async.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Slot
from slotstate.events import Usage
from slotstate.extract import Change, Extraction, Request
from slotstate.extractors.instructor import InstructorExtractor
from tests.extractors.server import (
    Action,
    Server,
    changes,
    cut_before_answer,
    cut_in_answer,
    error,
    hang,
    item,
    prose,
    raw,
    serving,
    slowly,
    text,
    trickle,
)
from tests.extractors.trips import ask, import_now

OSLO = item("leave from Oslo", "trip.origin", "Oslo")
PEOPLE = item("Two of us", "trip.people", "two")
GOOD = changes(OSLO, PEOPLE)
HELD = (Change("set", "trip.origin", "Oslo", "leave from Oslo"), Change("set", "trip.people", "two", "Two of us"))
TRUNCATED = '{"changes": [' + json.dumps(OSLO) + ', {"quote": "Two of'


class Prices(BaseModel):
    total: Annotated[int, Slot(evidence="tool")]


Extract = Callable[..., Extraction]


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """Deadlines below are about the server, not about a first import."""
    import_now()


@pytest.fixture(params=["sync", "async"])
def extract(request: pytest.FixtureRequest) -> Extract:
    def run(server: Server, ask_for: Request | None = None, **options: Any) -> Extraction:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url}, **options)
        try:
            if request.param == "sync":
                return extractor.extract(ask_for or ask())
            return asyncio.run(extractor.aextract(ask_for or ask()))
        finally:
            extractor.close()

    return run


def told(server: Server) -> str:
    """What the last request told the model about its answer before."""
    return str(server.bodies[-1]["messages"][-1]["content"])


def test_a_good_answer(extract: Extract) -> None:
    with serving(GOOD) as server:
        found = extract(server)
    usage = Usage(tokens_in=100, tokens_out=20, tokens_cached=64)
    assert found == Extraction(HELD, usage, "openai/fake")
    body = server.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("fake", 0, 1024)
    assert body["response_format"]["type"] == "json_schema"  # the mode for a server nearby
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_the_mode_can_be_chosen(extract: Extract) -> None:
    with serving(GOOD) as server:
        assert extract(server, mode="tools").changes == HELD
        assert server.bodies[0]["tools"][0]["function"]["name"] == "Changes"
        assert extract(server, mode="MD_JSON").changes == HELD
        assert "response_format" not in server.bodies[1]


@pytest.mark.parametrize("mode", ["TOOLS", "JSON_SCHEMA"])
def test_mistakes_are_told_precisely_and_mended(extract: Extract, mode: str) -> None:
    bad = changes(
        item("leaving from Olso", "trip.origin", "Oslo"),
        item("from Oslo", "trip.orign", "Oslo"),
        item("Two of us", "trip.people", "many"),
        item("first class", "trip.seat", "third"),
        item("from Oslo", "trip.origin", "Oslo", op="put"),
        item("Two of us", "trip.price", "2"),
    )
    with serving(bad, GOOD) as server:
        found = extract(server, mode=mode)
    assert (found.changes, found.error) == (HELD, None)
    assert found.usage == Usage(tokens_in=200, tokens_out=40, tokens_cached=128, attempts=2)
    message = told(server)
    assert 'change 1: the quote "leaving from Olso" is not in the user\'s message: copy it word for word' in message
    assert "change 2: unknown slot 'trip.orign'; did you mean 'trip.origin'?" in message
    assert "change 3: trip.people: is not a whole number (got 'many'); write it as digits" in message
    assert "change 4: trip.seat: input should be 'second' or 'first' (got 'third')" in message
    assert "change 5: unknown op \"put\" on 'trip.origin'" in message
    assert "change 6: trip.price: only tools and the application fill it" in message
    assert "errors.pydantic.dev" not in message


def test_what_is_never_right_is_saved_and_the_rest_recorded(extract: Extract) -> None:
    with serving(changes(OSLO, item("Two of us", "trip.people", "many"))) as server:
        found = extract(server, retries=1)
    assert found.changes == (HELD[0], Change("set", "trip.people", "many", "Two of us"))
    assert found.error is not None
    assert "2 answers with mistakes: change 2: trip.people" in found.error
    assert len(server.bodies) == 2
    assert found.usage == Usage(tokens_in=200, tokens_out=40, tokens_cached=128, attempts=2)


def test_who_answers_the_same_again_is_not_asked_a_third_time(extract: Extract) -> None:
    stubborn = changes(OSLO, item("Two of us", "trip.people", "many"))
    with serving(stubborn, stubborn, GOOD) as server:
        found = extract(server, retries=5)
    assert found.changes == (HELD[0], Change("set", "trip.people", "many", "Two of us"))
    assert len(server.bodies) == 2
    other = changes(OSLO, item("Two of us", "trip.people", "a few"))
    with serving(stubborn, other, stubborn, GOOD) as server:
        found = extract(server, retries=5)
    assert (found.changes, found.error, len(server.bodies)) == (HELD, None, 4)


def test_the_best_answer_is_kept_not_the_last(extract: Extract) -> None:
    wrong = item("nowhere", "trip.seat", "first")
    with serving(changes(OSLO, PEOPLE, wrong), changes(wrong), prose("I give up.")) as server:
        found = extract(server)
    assert found.changes[:2] == HELD
    assert found.error is not None


def test_the_bill_does_not_grow_with_the_mistakes(extract: Extract) -> None:
    def looping(time: int) -> Action:
        many = range(40)
        return changes(*[item(f"no such words {at}" * 50, f"trip.x{at}", str(time) * 5_000) for at in many])

    with serving(*map(looping, range(4))) as server:
        extract(server, retries=3)
    errors = [len(body["messages"][-1]["content"]) for body in server.bodies[1:]]
    assert len(errors) == 3
    assert max(errors) < 4_000
    assert max(errors) - min(errors) < 10


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (prose("Sure! You leave from Oslo."), "the answer was no list of changes: 'Sure! You leave from Oslo.'"),
        (text(""), "the answer was empty"),
        (text(None), "the answer was empty"),
        (text('{"changes": 3}'), "the answer was no list of changes"),
        (text("{}"), "the answer was no list of changes"),
        (changes("Oslo", 7, None), "must be an object with quote, slot and value"),
        (changes(item(3, 4, 5)), "its slot must be one of the declared names, not 4"),
        (raw(200, b"<html>Bad gateway</html>"), "the answer was no list of changes"),
        (raw(200, {"choices": None}), "the answer was empty"),
        (raw(200, {"choices": []}), "the answer was empty"),
        (raw(200, []), "the answer was empty"),
    ],
)
@pytest.mark.parametrize("mode", ["TOOLS", "JSON_SCHEMA"])
def test_nonsense_is_a_failed_extraction(extract: Extract, action: Action, said: str, mode: str) -> None:
    with serving(action) as server:
        found = extract(server, mode=mode)
    assert found.changes == ()
    assert said in (found.error or "")
    assert len(server.bodies) <= 3


@pytest.mark.parametrize("mode", ["TOOLS", "JSON_SCHEMA"])
def test_a_cut_off_answer_keeps_what_was_complete(extract: Extract, mode: str) -> None:
    with serving(text(TRUNCATED, finish="length")) as server:
        found = extract(server, mode=mode)
    assert found.changes == HELD[:1]
    assert found.error == "openai/fake: the answer was cut off at the token limit: raise max_tokens"
    assert found.usage == Usage(tokens_in=100, tokens_out=20, tokens_cached=64)  # it would be cut off again


def test_broken_json_is_asked_again_then_saved(extract: Extract) -> None:
    with serving(text(TRUNCATED)) as server:
        found = extract(server)
    assert (found.changes, len(server.bodies)) == (HELD[:1], 2)
    assert "(1 could be read all the same)" in (found.error or "")


def test_answers_that_only_look_wrong(extract: Extract) -> None:
    bare = text(json.dumps([OSLO]))
    nested = text(json.dumps({"changes": json.dumps([OSLO])}))
    twice = changes(OSLO, OSLO)
    for action in (bare, nested, twice):
        with serving(action) as server:
            found = extract(server)
        assert (found.changes, found.error, len(server.bodies)) == (HELD[:1], None, 1)


def test_a_refusal_is_not_asked_again(extract: Extract) -> None:
    for mode in ("TOOLS", "JSON_SCHEMA"):
        with serving(prose("", refusal="I cannot help with that")) as server:
            found = extract(server, mode=mode)
        assert found.error == "openai/fake: the model refused to answer: I cannot help with that"
        assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "the provider refused the request (400): no"),
        (401, "the provider refused the key: check it (401): no"),
        (403, "the key may not use this model (403): no"),
        (404, "no such model or address: check both (404): no"),
        (418, "the provider answered (418): no"),
    ],
)
def test_errors_that_do_not_pass(extract: Extract, status: int, said: str) -> None:
    with serving(error(status)) as server:
        found = extract(server)
    assert (found.changes, found.error, len(server.bodies)) == ((), f"openai/fake: {said}", 1)
    assert found.usage == Usage()


@pytest.mark.parametrize(
    "first", [error(429, headers={"Retry-After": "0.1"}), error(500), error(503), cut_before_answer, cut_in_answer()]
)
def test_errors_that_pass(extract: Extract, first: Action) -> None:
    with serving(first, GOOD) as server:
        found = extract(server)
    assert (found.changes, found.error) == (HELD, None)
    assert found.usage == Usage(tokens_in=100, tokens_out=20, tokens_cached=64, attempts=2)


def test_an_outage_in_the_middle_does_not_forget_what_was_told(extract: Extract) -> None:
    with serving(changes(item("Oslo", "trip.orign", "Oslo")), error(500), GOOD) as server:
        found = extract(server)
    assert (found.changes, found.error) == (HELD, None)
    assert "did you mean 'trip.origin'?" in told(server)
    assert found.usage == Usage(tokens_in=200, tokens_out=40, tokens_cached=128, attempts=3)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (error(500), "the provider failed (500): no"),
        (cut_in_answer(500), "the connection to the provider failed"),
        (cut_in_answer(), "the connection to the provider failed"),
    ],
)
def test_an_outage_that_lasts(extract: Extract, action: Action, said: str) -> None:
    with serving(action) as server:
        found = extract(server)
    assert said in (found.error or "")
    assert (found.changes, len(server.bodies)) == ((), 3)


def test_a_rate_limit_beyond_the_deadline_is_not_waited_for(extract: Extract) -> None:
    with serving(error(429, "slow down", {"Retry-After": "60"})) as server:
        started = time.monotonic()
        found = extract(server, deadline=5)
        took = time.monotonic() - started
    assert found.error == "openai/fake: the provider's rate limit is reached (429, retry in 60 s): slow down"
    assert took < 30  # not the minute that the provider asks for


@pytest.mark.parametrize(("told", "asked"), [("inf", 2), ("1e9", 2), ("3600", 1)])
def test_no_provider_makes_a_call_without_deadline_wait_for_ever(told: str, asked: int) -> None:
    with serving(error(429, "slow down", {"Retry-After": told}), GOOD) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url})
        started = time.monotonic()
        found = extractor.extract(ask(deadline=None))
        extractor.close()
        assert (len(server.bodies), time.monotonic() - started < 20) == (asked, True)
    assert bool(found.changes) is (asked == 2)
    assert asked == 2 or "retry in 3600 s" in str(found.error)


def test_spent_quota_is_not_asked_again(extract: Extract) -> None:
    with serving(error(429, "quota", code="insufficient_quota")) as server:
        extract(server)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("action", [hang, trickle, slowly(9, GOOD)])
def test_the_deadline_is_hard(extract: Extract, action: Action) -> None:
    with serving(action) as server:
        started = time.monotonic()
        found = extract(server, ask(deadline=1), deadline=20)
        took = time.monotonic() - started
    assert found.error == "openai/fake: no answer before the deadline of 1 s"
    assert found.usage == Usage()
    assert took < 8  # the quickest of them would answer after 9 s


def test_tokens_spent_before_the_deadline_are_counted(extract: Extract) -> None:
    with serving(changes(item("x", "y", "z")), hang) as server:
        found = extract(server, deadline=2)
    assert "deadline" in (found.error or "")
    assert found.usage == Usage(tokens_in=100, tokens_out=20, tokens_cached=64, attempts=2)


def test_a_parameter_that_the_provider_does_not_know_is_left_out_from_then_on() -> None:
    refused = error(400, "Unsupported parameter: 'temperature' is not supported with this model.")
    with serving(refused, GOOD) as server:
        extractor = InstructorExtractor("openai/fake", extra={"base_url": server.url})
        assert extractor.extract(ask()).changes == HELD
        assert extractor.extract(ask()).changes == HELD
        extractor.close()
    assert ["temperature" in body for body in server.bodies] == [True, False, False]


def test_keys_do_not_show_in_errors(extract: Extract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret-key-1")
    with serving(error(401, "Bad key very-secret-key-1 or sk-proj-0123456789abcdef, Bearer abcdefgh")) as server:
        found = extract(server)
    assert server.headers[0]["authorization"] == "Bearer very-secret-key-1"
    assert found.error == "openai/fake: the provider refused the key: check it (401): Bad key ••• or •••, Bearer •••"


def test_no_tokens_reported(extract: Extract) -> None:
    with serving(changes(OSLO, usage=None)) as server:
        found = extract(server)
    assert found.usage == Usage()


def test_a_domain_that_only_tools_fill_needs_no_model(extract: Extract) -> None:
    with serving(GOOD) as server:
        assert extract(server, ask(domains=Prices)) == Extraction(model="openai/fake")
    assert server.bodies == []


def test_extra_goes_to_the_provider(extract: Extract) -> None:
    with serving(GOOD) as server:
        extractor = InstructorExtractor(
            "openai/fake", extra={"base_url": server.url, "seed": 7, "extra_body": {"cache_prompt": False}}
        )
        extractor.extract(ask())
        extractor.close()
    assert (server.bodies[0]["seed"], server.bodies[0]["cache_prompt"]) == (7, False)


FENCE = "```"
WHOLE = json.dumps({"changes": [OSLO, PEOPLE]})
LISTED = json.dumps([OSLO, PEOPLE])


@pytest.mark.parametrize(
    "written",
    [
        f"{FENCE}json\n{WHOLE}\n{FENCE}",
        f"{FENCE}\n{LISTED}\n{FENCE}",
        f"{FENCE}json\n{WHOLE}",
        f"Here are [all] of them {{as you asked}}:\n\n{FENCE}json\n{WHOLE}\n{FENCE}\n\nAnything else?",
        f"<think>Maybe {json.dumps({'changes': []})}? No: they say Oslo.</think>\n{WHOLE}",
        "\ufeff" + WHOLE,
        json.dumps({"changes": f"{FENCE}json\n{LISTED}\n{FENCE}"}),
    ],
    ids=["fence", "list", "open", "prose", "thoughts", "mark", "inner"],
)
@pytest.mark.parametrize("mode", ["TOOLS", "JSON_SCHEMA", "JSON"])
def test_an_answer_is_read_out_of_what_stands_around_it(extract: Extract, mode: str, written: str) -> None:
    with serving(text(written)) as server:
        found = extract(server, mode=mode)
    assert (found.changes, found.error) == (HELD, None)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("mode", ["TOOLS", "JSON_SCHEMA", "JSON", "MD_JSON"])
@pytest.mark.parametrize(
    "written",
    [
        f"{FENCE}json\n{TRUNCATED}",
        f'{FENCE}json\n{json.dumps([OSLO])[:-1]}, {{"quote": "Two of',
        json.dumps({"changes": json.dumps([OSLO])[:-1] + ', {"quote": "Two of'}),
        '{"changes": [{"quote": "Oslo", "slot": "trip.avoid", "value": [{}], "op',
    ],
)
def test_half_an_answer_is_asked_for_again(extract: Extract, mode: str, written: str) -> None:
    """One of its changes may be whole, and the others would be lost."""
    with serving(text(written), GOOD) as server:
        found = extract(server, mode=mode)
    assert (found.changes, found.error) == (HELD, None)
    assert len(server.bodies) == 2


def test_the_only_change_needs_no_list(extract: Extract) -> None:
    with serving(text(json.dumps({"changes": OSLO}))) as server:
        found = extract(server)
    assert (found.changes, found.error) == (HELD[:1], None)
    assert len(server.bodies) == 1


def test_what_is_wrong_in_a_fence_is_told_like_what_is_wrong_elsewhere(extract: Extract) -> None:
    wrong = json.dumps({"changes": [item("leave from Oslo", "trip.orign", "Oslo")]})
    with serving(text(f"{FENCE}json\n{wrong}\n{FENCE}"), GOOD) as server:
        found = extract(server)
    assert found.changes == HELD
    assert "trip.orign" in json.dumps(server.bodies[1]["messages"])
    assert "Invalid JSON" not in json.dumps(server.bodies[1]["messages"])


def test_a_text_of_brackets_costs_no_more_than_a_retry(extract: Extract) -> None:
    with serving(text("[{" * 50_000), GOOD) as server:
        found = extract(server)
    assert found.changes == HELD

"""What a model answers: read, or refused with words by which it can be mended."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.items import Add, Amend, Drop, Patch, patched
from slotstate.compact.summariser import KINDS, SummaryReply, SummaryRequest, checked_reply
from slotstate.events import Lost
from slotstate.providers import Record, judging
from slotstate.state import Summary
from slotstate.summarisers.instructor.prompting import shield, unshield
from slotstate.summarisers.instructor.response import MAX_ADDED, MAX_LEFT_OUT, Found, Reader, response_model
from tests.summarisers.spans import MESSAGES, SUMMARY, ask

NUTS = {"quote": "never eats nuts", "sources": ["turn-4"], "kind": "constraint", "text": "Ana never eats nuts."}
WING = {"item": 5, "quote": "Yes", "sources": ["turn-6"], "text": "The talk is in the north wing."}


def reader(summary: Summary = SUMMARY, request: SummaryRequest | None = None, text: str = "", **more: Any) -> Reader:
    record = Record("m", None, 1)
    record.text, record.answers, record.tries = text, 1, 1
    shown = {spoken.id: spoken.text for spoken in MESSAGES}
    sources = {ident: ident for ident in shown} | more.get("sources", {})
    return Reader(summary, request or ask(summary), record, unshield, shown, sources)


def judge(one: Reader, written: Any) -> str | None:
    """What the model is told about an answer, None when it is good."""
    token = judging.set(one.judge)
    try:
        response_model(changing=True).model_validate(written)
    except ValueError as error:
        return str(error)
    finally:
        judging.reset(token)
    return None


def found(one: Reader) -> Found:
    read = one.done(None)
    assert isinstance(read, Found)
    return read


def test_the_order_in_which_a_model_writes() -> None:
    schema = response_model(changing=True).model_json_schema()
    assert "$defs" not in schema
    assert list(schema["properties"]) == schema["required"] == ["amend", "add", "drop", "left_out"]
    items = {name: schema["properties"][name]["items"] for name in schema["properties"]}
    assert list(items["add"]["properties"]) == items["add"]["required"] == ["quote", "sources", "kind", "text"]
    assert list(items["amend"]["properties"]) == ["item", "quote", "sources", "text"]
    assert items["add"]["properties"]["kind"]["enum"] == list(KINDS)
    assert schema["properties"]["add"]["maxItems"] == MAX_ADDED


def test_without_items_nothing_can_be_changed() -> None:
    assert response_model(changing=False).model_json_schema()["required"] == ["add", "left_out"]


def test_a_patch() -> None:
    one = reader()
    drop = {"item": 2, "reason": "she walks again"}
    greeting = {"text": "Hello", "reason": "a greeting"}
    assert judge(one, {"amend": [WING], "add": [NUTS], "drop": [drop], "left_out": [greeting]}) is None
    assert found(one).patch == Patch(
        (Add("constraint", "Ana never eats nuts.", ("turn-4",), "never eats nuts"),),
        (Amend(5, "The talk is in the north wing.", ("turn-6",), "Yes"),),
        (Drop(2, "she walks again"),),
    )
    assert found(one).lost == (Lost(text="Hello", reason="a greeting"),)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Sure, here are the notes.", "the answer must be an object with the lists amend, add, drop, left_out"),
        ({}, "the answer must be an object with the lists"),
        ({"add": "nothing"}, "the answer must be an object with the lists"),
        ({"add": {"text": "x"}}, "the answer must be an object with the lists"),
        ({"add": ["x"]}, 'add 1: must be an object, not "x"'),
        (
            {"add": [NUTS, {**NUTS, "kind": "prefrence"}]},
            "add 2: unknown kind \"prefrence\"; did you mean 'preference'?",
        ),
        ({"add": [{**NUTS, "text": "  "}]}, "add 1: needs its text"),
        ({"add": [{**NUTS, "quote": "", "sources": []}]}, 'add 1: "Ana never eats nuts." needs its sources'),
        ({"add": [{**NUTS, "quote": "", "sources": None}]}, "needs its sources: the ids of the messages that tell it"),
        ({"amend": [{**WING, "item": 7}]}, "amend 1: there is no note 7: there are 2, 5"),
        ({"amend": [{**WING, "item": True}]}, "amend 1: there is no note true: there are 2, 5"),
        ({"amend": [{**WING, "item": "last"}]}, 'amend 1: there is no note "last": there are 2, 5'),
        ({"amend": [{**WING, "text": ""}]}, "amend 1: note 5 needs its new text; to take it out, drop it"),
        ({"amend": [{**WING, "quote": "", "sources": [[]]}]}, "amend 1: note 5 needs its sources"),
        ({"amend": [WING, WING]}, "amend 2: note 5 is changed twice: amend it once, or drop it"),
        ({"amend": [WING], "drop": [{"item": 5, "reason": "x"}]}, "drop 1: note 5 is changed twice"),
        ({"drop": [{"item": 5}]}, "drop 1: note 5 needs a reason to be dropped"),
        ({"drop": [{"item": 1, "reason": "old"}]}, "drop 1: there is no note 1: there are 2, 5"),
    ],
)
def test_mistakes(written: Any, said: str) -> None:
    assert said in (judge(reader(), written) or "")


def test_a_note_that_cannot_be_there() -> None:
    told = judge(reader(Summary()), {"drop": [{"item": 1, "reason": "old"}]}) or ""
    assert "there is no note 1: there are none yet; new ones go to add" in told


def test_many_mistakes_are_not_all_told() -> None:
    told = judge(reader(), {"add": [{**NUTS, "kind": "x" * 5_000}] * 40}) or ""
    assert "and 32 more" in told
    assert len(told) < 3_500


def test_what_only_looks_wrong() -> None:
    forms: list[Any] = [
        {"add": [NUTS]},
        [NUTS],
        json.dumps({"add": [NUTS]}),
        {"add": json.dumps([NUTS]), "amend": None, "drop": []},
        {"add": [{**NUTS, "sources": "turn-4"}, NUTS]},
        {"add": [NUTS], "left_out": ["Hello", {"text": ""}, {"reason": "x"}]},
    ]
    for written in forms:
        one = reader()
        assert judge(one, written) is None
        assert found(one).patch == Patch((Add("constraint", "Ana never eats nuts.", ("turn-4",), "never eats nuts"),))
        assert found(one).lost == ()
    one = reader()
    assert judge(one, {"amend": [{**WING, "item": "#5"}], "drop": [{"item": " 2", "reason": "x"}]}) is None
    assert (found(one).patch.amend[0].ident, found(one).patch.drop[0].ident) == (5, 2)


def test_an_item_that_stands_there_to_the_letter_is_not_added_again() -> None:
    one = reader()
    assert judge(one, {"add": [{**NUTS, "text": SUMMARY.items[0].text}, NUTS]}) is None
    assert [add.text for add in found(one).patch.add] == ["Ana never eats nuts."]


def test_sources_stay_as_given_but_for_what_was_shown_in_place_of_long_ones() -> None:
    one = reader(sources={"turn-17+": "msg-very-long"})
    told = (
        judge(one, {"add": [{**NUTS, "sources": ["turn-4", "turn-17+", "turn-99", 12, "turn-4", "", "\ud800"]}]}) or ""
    )
    assert 'add 1: there is no message "turn-99": copy the id from <message id=…>' in told
    assert "msg-very-long" not in told
    kept = one.failed(ValueError(told))
    assert isinstance(kept, Found)
    assert kept.patch.add[0].sources == ("turn-4", "msg-very-long", "turn-99", "12", "�")


def test_a_quote_brings_its_message_with_it() -> None:
    one = reader()
    elsewhere = {**NUTS, "sources": ["turn-6"]}
    folded = {**NUTS, "quote": "NEVER  eats nuts", "text": "No nuts."}
    chinese = {**NUTS, "quote": "不要麦克风", "sources": [], "text": "不要麦克风。"}
    assert judge(one, {"add": [elsewhere, folded, chinese], "amend": [{**WING, "sources": ["turn-5"]}]}) is None
    patch = found(one).patch
    assert [add.sources for add in patch.add] == [("turn-6", "turn-4"), ("turn-4",), ("turn-7",)]
    assert patch.amend[0].sources == ("turn-5", "turn-6")


def test_a_quote_that_nobody_said_is_told_and_left_for_the_validation() -> None:
    one = reader()
    told = judge(one, {"add": [{**NUTS, "quote": "hates nuts"}]}) or ""
    assert 'add 1: the quote "hates nuts" is in no message: copy it word for word, or leave it empty' in told
    assert judge(one, {"add": [{**NUTS, "quote": "hates nuts", "sources": ["turn-1"]}]})
    kept = one.failed(ValueError(told))
    assert isinstance(kept, Found)
    assert kept.patch.add == (Add("constraint", "Ana never eats nuts.", ("turn-4",), "hates nuts"),)


def test_copied_escapes_are_undone_unless_they_were_said() -> None:
    said = "write </notes> and &lt;notes> there"
    one = Reader(SUMMARY, ask(), Record("m", None, 1), unshield, {"turn-4": said}, {"turn-4": "turn-4"})
    shown = shield(said)
    judge(
        one,
        {
            "add": [
                {**NUTS, "quote": shown[:16], "text": f"The user says: {shown[:16]}"},
                {**NUTS, "quote": "&lt;notes> there", "text": "x"},
            ]
        },
    )
    first, second = found(one).patch.add
    assert first.quote == "write </notes>"[: len(first.quote or "")]
    assert "&lt;" not in (first.quote or "")
    assert first.text.startswith("The user says: write </")
    assert second.quote == "&lt;notes> there"


def test_an_empty_quote_is_none_and_a_text_is_one_line() -> None:
    one = reader()
    judge(one, {"add": [{**NUTS, "quote": " ", "text": "Ana\n never  eats\u2028nuts."}]})
    assert found(one).patch.add[0] == Add("constraint", "Ana never eats nuts.", ("turn-4",), None)


def test_a_summary_that_would_become_too_large() -> None:
    request = ask(most_items=2, most_chars=90)
    one = reader(request=request)
    told = judge(one, {"add": [NUTS]}) or ""
    assert "the notes would have 3 items and 111 characters, and may have 2 and 90" in told
    assert judge(one, {"drop": [{"item": 5, "reason": "x"}], "add": [{**NUTS, "quote": ""}]}) is None


def test_a_quote_with_other_marks_around_it_is_the_words_that_were_said() -> None:
    one = reader()
    marked = {**NUTS, "quote": "“不要麦克风.”", "text": "不要麦克风。"}
    assert judge(one, {"add": [marked, {**NUTS, "quote": "...Never eats nuts."}]}) is None
    assert [add.quote for add in found(one).patch.add] == ["不要麦克风", "Never eats nuts"]
    assert judge(one, {"add": [{**NUTS, "quote": "..."}]})


def test_an_answer_that_repeats_only_what_was_wrong_does_not_replace_the_whole() -> None:
    one = reader()
    several = [{**NUTS, "text": f"Note {number}."} for number in range(5)]
    wrong = {**NUTS, "quote": "hates nuts"}
    assert "Write the whole answer again" in (judge(one, {"add": [*several, wrong]}) or "")
    assert judge(one, {"add": [NUTS]}) is None
    assert len(found(one).patch.add) == 6  # the doubtful one is for the validation
    assert judge(one, {"add": several}) is None
    assert len(found(one).patch.add) == 5  # says as much, without a doubt


# When no answer was good


def test_of_answers_that_are_only_too_long_the_shortest_is_kept() -> None:
    one = reader(request=ask(most_items=2))
    three = [{**NUTS, "text": f"Note {number}."} for number in range(3)]
    for count in (3, 1, 2):
        assert judge(one, {"add": three[:count]})
    kept = one.failed(ValueError("too large"))
    assert isinstance(kept, Found)
    assert len(kept.patch.add) == 1  # validation decides what becomes of it


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Here you are:\n```json\n" + json.dumps({"add": [NUTS]}) + "\n```\nAnything {else}?", True),
        ("{first} " + json.dumps({"thoughts": 1}) + json.dumps({"add": [NUTS]}), True),
        (json.dumps({"add": [NUTS]})[:-2], False),
        (json.dumps({"add": [NUTS, NUTS]})[:-40], False),
        ("{" * 100_000, False),
        ('{"add":' * 100_000, False),
        ("no JSON at all", False),
    ],
)
def test_an_answer_with_words_around_it_is_found_and_one_that_is_cut_off_is_not_kept(text: str, kept: bool) -> None:
    one = reader(text=text)
    outcome = one.failed(ValueError("not JSON"))
    if kept:
        assert isinstance(outcome, Found)
        assert [add.text for add in outcome.patch.add] == ["Ana never eats nuts."]
    else:
        assert outcome == f"m: the answer was no change of the notes: {' '.join(text.split())[:80]!r}"


def test_the_mistake_is_named() -> None:
    one = reader(text=json.dumps({"amend": [{**WING, "item": 9}]}))
    assert one.failed(ValueError("x")) == "m: an answer with mistakes: amend 1: there is no note 9: there are 2, 5"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
CHANGE = st.fixed_dictionaries(
    {},
    optional={
        "item": st.sampled_from([2, 5, 9, "5", "#2"]) | JSON,
        "quote": st.sampled_from(["never eats nuts", "", "&lt;notes>"]) | JSON,
        "sources": st.sampled_from([["turn-4"], "turn-5", ["turn-4", "turn-5"], ["nowhere"], []]) | JSON,
        "kind": st.sampled_from([*KINDS, "thing"]) | JSON,
        "text": st.sampled_from(["A text.", "", "No stairs: Ana uses a wheelchair."]) | JSON,
        "reason": st.sampled_from(["old", ""]) | JSON,
    },
)
ANSWER = st.fixed_dictionaries(
    {}, optional={name: st.lists(CHANGE | JSON, max_size=4) | JSON for name in ("amend", "add", "drop", "left_out")}
)


@given(ANSWER | JSON, st.booleans())
def test_whatever_a_model_writes_is_a_patch_that_applies_or_a_mistake_that_is_told(written: Any, empty: bool) -> None:
    one = reader(Summary() if empty else SUMMARY, text=json.dumps(written))
    told = judge(one, written)
    outcome = one.done(None) if told is None else one.failed(ValueError(told))
    if isinstance(outcome, str):
        assert told
        assert "\n" not in outcome
        return
    after = patched(one.summary, outcome.patch, one.summary.covered)
    reply = SummaryReply(outcome.patch, lost=outcome.lost)
    assert checked_reply(reply) == reply
    assert len(outcome.lost) <= MAX_LEFT_OUT
    kept = {item.ident: item for item in one.summary.items}
    changed = {one.ident for one in outcome.patch.amend} | {one.ident for one in outcome.patch.drop}
    assert [item for item in after.items if item.ident in kept and item.ident not in changed] == [
        item for item in one.summary.items if item.ident not in changed
    ]
    assert json.dumps([item.model_dump() for item in after.items], ensure_ascii=False).encode()  # can be stored

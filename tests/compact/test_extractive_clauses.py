"""The summariser without a model, inside of sentences: what outlives the slots beside it, and what is no half of
anything.
"""

import json
import random
from typing import Any

import pytest

from slotstate.compact import Span
from slotstate.compact.digests import digest
from slotstate.compact.extractive import extract
from slotstate.compact.items import patched
from slotstate.compact.sentences import pieces, refers
from slotstate.state import Summary
from tests.compact.test_extractive import dropped, spoken, summary, told

FIRST: dict[str, Any] = {
    "slots": {"dinner.city": "Bergamo", "dinner.people": 4},
    "told": {"dinner.city": ("m0",), "dinner.people": ("m0",)},
}
MOVED: dict[str, Any] = {
    "slots": {"dinner.city": "Milan", "dinner.people": 4},
    "others": {"dinner.city": ("Bergamo",)},
    "told": {"dinner.people": ("m0",)},
}
BESIDE = [
    ("I'm allergic to peanuts, a table in Bergamo for 4 people", "I'm allergic to peanuts"),
    ("A table in Bergamo for 4 people, and I am allergic to peanuts.", "I am allergic to peanuts."),
    ("We are 4 people and one is vegan.", "one is vegan."),
    ("A table for 4 people in Bergamo; my son uses a wheelchair.", "my son uses a wheelchair."),
    ("我对花生过敏，in Bergamo for 4 people", "我对花生过敏"),
    ("我对花生过敏，在Bergamo订4个人的位子", "我对花生过敏"),
    (", and we are 4 people, and one is vegan.", "one is vegan."),
    ("No dairy, in Bergamo for 4 people", "No dairy"),
    # what cannot be cut stays whole
    ("I'm allergic to peanuts and need a table in Bergamo", "I'm allergic to peanuts and need a table in Bergamo"),
    ("The kitchen must be quiet, but only in Bergamo", "The kitchen must be quiet, but only in Bergamo"),
    ("In Bergamo, the waiter must speak Polish.", "In Bergamo, the waiter must speak Polish."),
    ("We must avoid the tram, Bergamo", "We must avoid the tram, Bergamo"),
    ("The oven must be clean, not in Bergamo", "The oven must be clean, not in Bergamo"),
    ("The oven must be off, not in Bergamo", "The oven must be off, not in Bergamo"),
]


@pytest.mark.parametrize("slots", [FIRST, MOVED])
@pytest.mark.parametrize(("text", "kept"), BESIDE)
def test_a_constraint_beside_slots_outlives_them(text: str, kept: str, slots: dict[str, Any]) -> None:
    patch, _ = extract(Summary(), Span(spoken(f"user: {text}"), **slots))
    assert [(add.kind, add.text, add.path) for add in patch.add] == [("constraint", kept, None)]
    state = patched(Summary(), patch, 1)
    after, _ = extract(state, Span(spoken("user: In Milan instead."), **MOVED))
    assert after.drop == ()


def test_an_older_item_that_says_more_than_its_slot_stays() -> None:
    last = summary(
        ("constraint", "I'm allergic to peanuts, a table in Bergamo for 4 people", "dinner.city"),
        ("constraint", "It must be Bergamo.", "dinner.city"),
        ("refusal", "I don't want the terrace in Bergamo.", "dinner.city"),
        ("decision", "We decided on Bergamo.", "dinner.city"),
        ("open", "Remind me to ask the harbour office in Bergamo.", "dinner.city"),
        ("preference", "I prefer the old town of Bergamo.", "dinner.city"),
    )
    assert dropped(last, **MOVED).keys() == {2, 4, 6}


SHORT = [
    ("请不要打电话给我", "refusal"), ("请别寄纸质账单", "refusal"), ("请勿致电", "refusal"), ("别订外婆家", "refusal"),
    ("不要辣", "refusal"), ("不放香菜", "constraint"), ("我对海鲜敏感", "constraint"), ("我儿子有乳糜泻", "constraint"),
    ("我妈有急性肠胃炎", "constraint"), ("花生会要我的命", "constraint"), ("No dairy", "constraint"),
    ("No onions or garlic", "constraint"), ("Nothing with nuts, please", "constraint"),
    ("peanuts would kill me", "constraint"), ("Shellfish could hurt my daughter", "constraint"),
    ("I'm sensitive to bright light", "constraint"), ("My uncle has Crohn's disease", "constraint"),
    ("It's her 40th birthday", "fact"), ("It is our wedding anniversary", "fact"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), SHORT)
def test_short_wishes_are_taken(text: str, kind: str) -> None:
    assert told(f"user: {text}") == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    ["No problem", "No, hello", "No", "No dairy?", "Nothing else", "No changes", "No questions", "别担心",
     "不要紧", "别客气", "请别介意", "别墅不错", "有什么病吗？"],
)  # fmt: skip
def test_what_only_looks_like_one_is_not(text: str) -> None:
    assert told(f"user: {text}") == []


def test_what_is_kept_out_answers_no_offer() -> None:
    assert told("assistant: Any other wishes?", "user: No dairy") == [("constraint", "No dairy")]
    offer = "Would you like a cooking class with lunch?"
    assert told(f"assistant: {offer}", "user: No class") == [("refusal", f"{offer} | No class")]


@pytest.mark.parametrize(
    "text",
    [
        "Option 53 is Trattoria 53; it costs 73 euros and opens at 19:00.",
        "Option 53 is Trattoria 53. It costs 73 euros and opens at 19:00.",
        "方案53是小馆；它的价格是73元，押金20元。",
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_pronoun_comes_with_what_it_stands_for(role: str, text: str) -> None:
    facts = [text for kind, text in told(f"{role}: {text}") if kind == "fact"]
    assert facts
    assert not any(refers(one) for one in facts)
    assert text in facts


def test_or_is_not_taken() -> None:
    assert told("assistant: It costs 73 euros and opens at 19:00.") == []
    long = "Trattoria Nord " + "has rooms upstairs and downstairs " * 5 + "too. It costs 73 euros and opens at 19:00."
    assert told(f"assistant: {long}") == []
    assert told("user: It costs 73 euros and opens at 19:00.") != []
    assert told("assistant: The tour went well. It was fully booked by a choir.") == [
        ("failed", "It was fully booked by a choir.")
    ]


def test_long_sentences_are_not_cut_in_front_of_a_pronoun() -> None:
    text = "The house by the lake has three rooms and a small garden with a pond, " * 2
    text += "the roof is new, it leaks, " + "the neighbours are kind people who like music, " * 3
    found = [piece.text for piece in pieces(text)]
    assert len(found) > 1
    assert not any(refers(one) for one in found)


def shown(result: str, tool: str = "find") -> str:
    found = digest(spoken(f"tool {tool}: {result}")[0])
    assert found is not None
    return found.text.removeprefix(f"{tool}: ")


ROWS: list[Any] = [{"id": f"R{n}", "name": f"House {n}", "price": n, "note": "x" * 50} for n in range(40)]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("value", [ROWS, {"count": 40, "results": ROWS}, {"page": 1, "data": {"hotels": ROWS}}])
def test_long_json_is_told_by_the_names_of_its_first_rows(value: Any, indent: int | None) -> None:
    text = shown(json.dumps(value, indent=indent))
    found = json.loads(text)
    rows = found if isinstance(found, list) else next(iter(found.values()))
    assert rows[0] == {"id": "R0", "name": "House 0"}
    assert rows[-1] == f"… {41 - len(rows)} more items"
    assert len(text) <= 160
    assert "\n" not in text


def test_json_lines_are_rows_and_what_is_cut_off_is_told_by_its_size() -> None:
    assert json.loads(shown("\n".join(map(json.dumps, ROWS))))[0] == {"id": "R0", "name": "House 0"}
    assert shown(json.dumps(ROWS)[:900]) == "900 characters of JSON, not complete"
    assert shown('["x",\n "y"') == "10 characters of JSON, not complete"
    assert json.loads(shown(json.dumps({"x" * 50: ROWS, "ok": True})))["ok"] is True
    assert shown(json.dumps(["[1]", *range(900)])).endswith('more items"]')
    assert shown("[1] a note that is no JSON\nat all") == "[1] a note that is no JSON at all"
    assert shown(json.dumps({"k" * 200: {"a": 1}})) != ""


def test_a_digest_is_never_half_a_value() -> None:
    rng = random.Random(7)

    def value(depth: int) -> Any:
        kind = rng.randrange(6 if depth else 4)
        if kind < 4:
            return [rng.randrange(10**9), 'ab \n"' * rng.randrange(40), None, rng.random()][kind]
        if kind == 4:
            return [value(depth - 1) for _ in range(rng.randrange(9))]
        return {
            rng.choice(["id", "name", "q" * 70, "rows", "好"]) + str(n): value(depth - 1)
            for n in range(rng.randrange(9))
        }

    for _ in range(400):
        written = json.dumps([value(3)] if rng.random() < 0.5 else {"top": value(3)}, ensure_ascii=rng.random() < 0.5)
        text = shown(written)
        assert len(text) <= 160
        assert len(text.splitlines()) == 1
        assert text.endswith("characters of JSON") or json.loads(text) is not None

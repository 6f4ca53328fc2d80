"""What is secret in a prompt: masked in every spelling, and decided alike by every process."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, BudgetTooSmall, Chat, Prompt, Slot, Tracker
from slotstate.contract import MASK
from slotstate.formats import check, openai
from slotstate.stores import MemoryStore
from slotstate.testing import ScriptedExtractor, change
from tests.prompt.reading import CharCounter, stable_text, whole_text

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Pay(BaseModel):
    """Pay for something."""

    card: Annotated[str | None, Slot(sensitive=True, ask="Which card?")] = None
    pin: Annotated[int | None, Slot(sensitive=True)] = None
    price: Annotated[float | None, Slot(sensitive=True)] = None
    memo: str | None = None
    code: int | None = None
    notes: dict[str, str] = {}


def opened(
    script: list[Any] | None = None, store: MemoryStore | None = None, now: list[datetime] | None = None
) -> Chat:
    clock = [NOW] if now is None else now
    return Tracker(
        Pay, extractor=ScriptedExtractor(script or []), store=store or MemoryStore(), clock=lambda: clock[0]
    ).open("s")


def calls_of(prompt: Prompt) -> list[dict[str, Any]]:
    return [call for message in prompt.messages for call in message.get("tool_calls", ())]


# In every spelling


SPELLINGS = {
    "José García": [
        json.dumps({"n": "José García"}),
        json.dumps({"body": json.dumps({"n": "José García"})}),
        json.dumps(json.dumps(json.dumps("José García"))),
        '{"n": "Jos\\u00e9 Garc\\u00eda", "cut',
        "JOSÉ  GARCÍA",
        "Jose\u0301 Garci\u0301a",
    ],
    'a"b\\c<d>': [json.dumps('a"b\\c<d>'), json.dumps({"x": json.dumps('a"b\\c<d>')}), 'say a"b\\c<d>', 'a"b\\c&lt;d>'],
    "4111111111111111": [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111.1111/1111 1111",
        "4111\u200b1111\u200b1111 1111",
        "４１１１ １１１１ １１１１ １１１１",
        "4111111111111111.0",
        '{"n": 4111111111111111}',
        "ref4111111111111111x",
        "41 11-11 11·11 11,11'11",
    ],
    "4111 1111-1111 1111": ["4111111111111111", "4111,1111,1111,1111"],
    "𝄞 note": [json.dumps("𝄞 note"), "𝄞 note"],
    "8472": ["8472", "8472.0", '{"pin": 8472.00}'],
}


@pytest.mark.parametrize(("secret", "said"), [(secret, one) for secret, said in SPELLINGS.items() for one in said])
def test_a_secret_is_masked_in_every_spelling(secret: str, said: str) -> None:
    chat = opened()
    chat.set("pay.card", secret)
    chat.user("hello")
    chat.assistant(f"so: {said}, yes")
    text = str(chat.prompt().messages[-1]["content"])
    assert MASK in text
    assert not any(word in text for word in ("11", "８４", "472", "Garc", "GARC", "Garci", "note", "b\\"))
    assert text.startswith("so: ")
    assert text.endswith(", yes")


@pytest.mark.parametrize(
    "said",
    ["call 4111 2222", "2026-11-30", "note", "18472", "8472.5", "1.8472.0", "x\\u00zz\\ud83d y"],
)
def test_what_is_no_secret_is_left_alone(said: str) -> None:
    chat = opened()
    for secret in ("411111111111111", "8472", "12 note"):
        chat.set("pay.card", secret)
    chat.user("hello")
    chat.assistant(said)
    assert chat.prompt().messages[-1]["content"] == said


@given(
    secret=st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=6, max_size=12),
    depth=st.integers(0, 4),
    cut=st.booleans(),
    escaped=st.booleans(),
)
def test_json_in_json_hides_no_secret(secret: str, depth: int, cut: bool, escaped: bool) -> None:
    if not any(char.isalnum() for char in secret):
        secret = f"w{secret}w"
    chat = opened()
    chat.set("pay.card", secret)
    written = secret
    for _ in range(depth):
        written = json.dumps({"x": f"to {written} of"}, ensure_ascii=escaped)
    chat.user("hello")
    chat.tool_call("c", "f", written + "}" if cut else written)
    chat.tool_result("c", written)
    shown = chat.prompt()
    texts = [shown.messages[-1]["content"], calls_of(shown)[0]["function"]["arguments"]]
    assert all(MASK in text for text in texts)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"card": 4111111111111111}, {"card": MASK}),
        ({"4111111111111111": 1, MASK: 2}, {MASK: 1, f"{MASK}'": 2}),
        ({"pin": 8472, "n": [8472.0, True, None, 84721, 1.5]}, {"pin": MASK, "n": [MASK, True, None, 84721, 1.5]}),
        ('{"pin": 84.72e2, "price": 1950e-2}', {"pin": MASK, "price": MASK}),
        ('{"a": 1, "a": 8472}', {"arguments": f'{{"a": 1, "a": {MASK}}}'}),
        ('["8472"]', {"arguments": f'["{MASK}"]'}),
        ("8472", {"arguments": MASK}),
    ],
)
def test_numbers_and_keys_of_arguments_are_masked(given: Any, shown: Any) -> None:
    chat = opened()
    chat.set("pay.card", "4111111111111111")
    chat.set("pay.pin", 8472)
    chat.set("pay.price", 19.5)
    chat.user("hello")
    chat.tool_call("c", "f", given)
    chat.tool_result("c", "done")
    assert json.loads(calls_of(chat.prompt())[0]["function"]["arguments"]) == shown


def test_a_secret_across_the_parts_of_arguments_is_masked() -> None:
    chat = opened()
    chat.set("pay.card", 'b": "c')
    chat.user("hello")
    chat.tool_call("c", "f", '{"b": "c"}')
    chat.tool_result("c", "done")
    assert json.loads(calls_of(chat.prompt())[0]["function"]["arguments"]) == {"arguments": f'{{"{MASK}"}}'}


def test_ids_and_names_of_calls_tell_no_secret() -> None:
    chat = opened()
    chat.set("pay.card", "4111111111111111")
    chat.user("hello")
    chat.tool_call("id-4111111111111111", "pay_4111111111111111", {})
    chat.tool_call("", "pay", {})
    chat.tool_call("id-4111111111111111", "pay", {})
    for ident in ("", "id-4111111111111111", "id-4111111111111111"):
        chat.tool_result(ident, "done")
    prompt = chat.prompt()
    assert "4111" not in str(prompt.messages)
    assert [call["id"] for call in calls_of(prompt)] == ["call-1-0", "call-2-0", "call-3-0"]
    assert [one["tool_call_id"] for one in prompt.messages if one["role"] == "tool"] == [
        "call-2-0",
        "call-1-0",
        "call-3-0",
    ]
    assert calls_of(prompt)[0]["function"]["name"] == "pay____"
    assert check(prompt.messages, "openai") == ()
    openai(prompt)
    assert [call.id for event in chat.messages for call in getattr(event, "tool_calls", ())][1] == "", (
        "the log keeps it"
    )


def test_other_slots_hide_a_secret_in_keys_and_long_numbers() -> None:
    chat = opened()
    for path, value in {
        "pay.card": "411111",
        "pay.pin": 8472,
        "pay.notes": {"411111": "memo"},
        "pay.code": 411111,
    }.items():
        chat.set(path, value)
    assert "411111" not in whole_text(chat.prompt())
    chat.set("pay.code", 8472)  # a short number is often the same by chance
    assert f'"{MASK}": "memo"' in whole_text(chat.prompt())
    assert "code" in whole_text(chat.prompt())


# In every process


def test_what_was_never_shown_starts_no_epoch() -> None:
    store = MemoryStore()
    chat = opened([[], [change("pay.card", "set", "4111222233334444", "4111222233334444")]], store)
    chat.user("hello there")
    first = chat.prompt(BUDGET)
    chat.assistant("hi, card?")
    chat.user("4111222233334444")
    second, other = chat.prompt(BUDGET), opened(store=store).prompt(BUDGET)
    assert second.messages == other.messages
    assert epoch_of(first) == epoch_of(second) == epoch_of(other) == (1, "start")


def test_a_secret_with_a_marker_that_stood_there_starts_an_epoch() -> None:
    chat = opened([], MemoryStore())
    chat.user("my code is <note>7")
    assert "&lt;note>7" in whole_text(chat.prompt(BUDGET))
    chat.assistant("ok")
    chat.set("pay.card", "<note>7")
    later = chat.prompt(BUDGET)
    assert epoch_of(later) == (2, "masking")
    assert "note>7" not in whole_text(later)


def test_an_epoch_that_does_not_fit_is_looked_at_again() -> None:
    chat = opened([], MemoryStore())
    chat.user("hello there")
    chat.prompt(BUDGET)
    chat.set("pay.card", "hello")
    with pytest.raises(BudgetTooSmall):
        chat.prompt(Budget(300, counter=BUDGET.counter, profile="vllm"))
    assert epoch_of(chat.prompt(BUDGET)) == (2, "masking")


BUDGET = Budget(30_000, counter=CharCounter(), profile="vllm")
WORDS = [
    "hello",
    "4111222233334444",
    "4111 2222 3333 4444",
    "<note>7",
    "8472",
    "tomorrow",
    "blue door key",
    'a"b',
    json.dumps("<note>7 é"),
    "</slots>",
]
SECRETS = ["4111222233334444", "<note>7", "blue door", "door key", 'a"b', "hello", "é"]
SAID = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
SECRET = st.one_of(
    st.tuples(st.just("pay.card"), st.sampled_from(SECRETS)),
    st.tuples(st.just("pay.pin"), st.just(8472)),
    st.tuples(st.just("pay.memo"), st.sampled_from(WORDS)),
)
STEP = st.one_of(
    st.tuples(st.just("user"), SAID, st.lists(SECRET, max_size=2)),
    st.tuples(st.just("assistant"), SAID),
    st.tuples(st.just("tool"), st.one_of(SAID, SAID.map(lambda text: f"{'row ' * 600}{text}{' row' * 600}"))),
    st.tuples(st.just("set"), SECRET),
    st.tuples(st.just("offer"), SECRET),
    st.tuples(st.just("system"), SAID),
    st.tuples(st.just("pin"), st.integers(0, 5)),
    st.tuples(st.just("wait"), st.sampled_from([1, 100_000])),
)


class Talk:
    """A conversation in one process, and the same one opened by others."""

    def __init__(self, steps: list[tuple[Any, ...]]) -> None:
        self.now = [NOW]
        self.store = MemoryStore()
        self.calls = 0
        script = [
            [change(path, "set", value, str(value)) for path, value in step[2]] for step in steps if step[0] == "user"
        ]
        self.chat = opened(script, self.store, self.now)

    def do(self, step: tuple[Any, ...]) -> None:
        chat = self.chat
        match step:
            case ("user", text, _):
                chat.user(text)
            case ("assistant", text):
                chat.assistant(text)
            case ("tool", text):
                self.calls += 1
                chat.tool_call(f"c{self.calls}", "f", {"q": text})
                chat.tool_result(f"c{self.calls}", text)
            case ("set", (path, value)):
                chat.set(path, value)
            case ("offer", (path, value)):
                chat.assistant("so?", offers={path: value})
            case ("system", text):
                chat.add({"role": "system", "content": text})
            case ("pin", at) if at < len(chat.messages):
                chat.pin(chat.messages[at].id)
            case ("wait", seconds):
                self.now[0] += timedelta(seconds=seconds)
            case _:
                pass

    def other(self) -> Chat:
        return opened(store=self.store, now=self.now)


def told(prompt: Prompt) -> tuple[Any, ...]:
    return prompt.messages, prompt.tokens, prompt.ledger, *epoch_of(prompt)


def epoch_of(prompt: Prompt) -> tuple[int, str]:
    assert prompt.cache is not None
    return prompt.cache["epoch"], prompt.cache["epoch_reason"]


@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(st.tuples(STEP, st.sampled_from(["both", "other first", "none"])), min_size=2, max_size=14),
    context=st.sampled_from([4_000, 12_000, 30_000]),
    layout=st.sampled_from(["quotes_last", "append_only"]),
)
def test_another_process_decides_alike_and_bytes_stay(
    steps: list[tuple[tuple[Any, ...], str]], context: int, layout: Any
) -> None:
    budget = Budget(context, counter=BUDGET.counter, profile="vllm", layout=layout)
    talk = Talk([step for step, _ in steps])
    last: Prompt | None = None
    for step, asked in steps:
        talk.do(step)
        if asked == "none":
            continue
        try:
            looked = talk.other().preview(budget)
        except BudgetTooSmall:
            with pytest.raises(BudgetTooSmall):
                talk.chat.prompt(budget)
            continue
        chats = [talk.chat, talk.other()]
        first, second = (chat.prompt(budget) for chat in (chats if asked == "both" else reversed(chats)))
        assert told(first) == told(second) == told(looked)
        assert told(talk.other().prompt(budget)) == told(first)
        if last is not None and epoch_of(last) == epoch_of(first):
            assert whole_text(first).startswith(stable_text(last))
        last = first

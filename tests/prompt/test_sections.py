"""What a template says of its sections, and what gives way when there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Budget, BudgetTooSmall, Chat, Prompt, Slot, Tracker
from slotstate.caching import find_profile
from slotstate.domains import compile_domains
from slotstate.events import Item
from slotstate.masking import Secrets
from slotstate.prompt import Assembler, Terms, Transcript
from slotstate.state import State, Summary, apply
from slotstate.templating import load_template
from slotstate.testing import ScriptedExtractor, change
from tests.prompt.reading import CharCounter, counted, stable_text, whole_text

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
ITEMS = tuple(f"Item {number}: the guest prefers a quiet room at the back." for number in range(8))
SHORT = (
    '{% section "system" %}Be kind.{% endsection %}{% section "slots" %}{{ domains[0].slots | length }}{% endsection %}'
)


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?")] = None
    people: int | None = None
    note: str | None = None
    card: Annotated[str | None, Slot(sensitive=True)] = None


def template(folder: Path, text: str) -> str:
    (folder / "prompt.jinja").write_text(text, encoding="utf-8")
    return str(folder)


def chat_with(name: str = "default", script: Sequence[Any] = ()) -> Chat:
    return Tracker(Trip, extractor=ScriptedExtractor(list(script)), template=name, clock=lambda: NOW).open("s")


def budget(context: int | None = None, **options: Any) -> Budget:
    return Budget(context, **{"counter": CharCounter(), "profile": "llama.cpp", **options})


def assembled(chat: Chat, name: str, limit: int | None, summary: Sequence[str], profile: str = "none") -> Prompt:
    """A prompt with a summary, as whoever makes one asks for it."""
    transcript, state = Transcript(), State()
    for entry in chat.entries:
        state = apply(state, entry.event)
        transcript.feed(entry, state)
    terms = Terms(
        template=load_template(name),
        counter=CharCounter(),
        profile=find_profile(profile),
        layout="quotes_last",
        limit=limit,
        low=0.5,
        tools=0,
        locale="en",
        key=dict.fromkeys(("template", "locale", "schema", "tools", "masking", "provider"), ""),
    )
    items = [Item(ident=at, kind="fact", text=text, sources=("turn-0",)) for at, text in enumerate(summary, 1)]
    if items:
        state = replace(state, summary=Summary(version=1, items=tuple(items), made=len(items)))
    domains = compile_domains(Trip)
    prompt, _ = Assembler(domains, terms, Secrets(domains, now=NOW)).assemble(transcript, state, NOW)
    assert prompt.tokens is not None
    assert prompt.tokens == counted(prompt.messages)
    assert limit is None or prompt.tokens <= limit
    assert sum(line.tokens or 0 for line in prompt.ledger if line.action != "dropped") == prompt.tokens
    return prompt


def lines(prompt: Prompt, section: str) -> list[tuple[str, str | None]]:
    return [(line.action, line.reason) for line in prompt.ledger if line.section == section]


SUMMARY = '{% section "summary" OPTIONS %}{% for item in summary %}{{ item | data }}\n{% endfor %}{% endsection %}'


def with_summary(folder: Path, options: str) -> str:
    inner = folder / f"options-{len(options)}"
    inner.mkdir()
    return template(inner, SHORT + SUMMARY.replace("OPTIONS", options))


def test_a_summary_stands_behind_the_slots(tmp_path: Path) -> None:
    chat = chat_with()
    chat.user("hello")
    prompt = assembled(chat, with_summary(tmp_path, ""), None, ITEMS)
    known = prompt.messages[1]["content"]
    assert known.index("</slots>") < known.index("<summary>")
    assert known.count("Item") == 8
    assert lines(prompt, "summary") == [("kept", None)]


def test_a_summary_takes_at_most_its_share(tmp_path: Path) -> None:
    chat = chat_with()
    chat.user("hello")
    prompt = assembled(chat, with_summary(tmp_path, 'max="20%"'), 1_000, ITEMS)
    assert 0 < whole_text(prompt).count("Item") < 8
    dropped = 8 - whole_text(prompt).count("Item")
    assert ("dropped", f"{dropped} of 8 items do not fit") in lines(prompt, "summary")


def test_turns_come_before_a_summary_unless_it_has_a_minimum(tmp_path: Path) -> None:
    chat = chat_with()
    for number in range(11):
        chat.user(f"{number} " + "word " * 15)
    free = assembled(chat, with_summary(tmp_path, ""), 1_000, ITEMS)
    assert len(free.messages) == 13, "all turns fit"
    assert whole_text(free).count("Item") <= 2
    held = assembled(chat, with_summary(tmp_path, "min=200"), 1_000, ITEMS)
    assert whole_text(held).count("Item") >= 3
    assert len(held.messages) < len(free.messages)
    whole = assembled(chat, with_summary(tmp_path, "keep=true"), 1_000, ITEMS)
    assert whole_text(whole).count("Item") == 8
    with pytest.raises(BudgetTooSmall) as refused:
        assembled(chat, with_summary(tmp_path, "keep = true"), 400, ITEMS)
    assert "summary" in dict(refused.value.items)


def test_where_turns_are_cut_the_summary_counts_for_the_mark(tmp_path: Path) -> None:
    """Else each new item would bring the next cut nearer."""
    chat = chat_with()
    for number in range(30):
        chat.user(f"{number} " + "word " * 15)
    name = with_summary(tmp_path, "")
    for profile, mark in (("none", 850), ("vllm", 500)):
        bare, told = (assembled(chat, name, 1_000, items, profile=profile) for items in (ITEMS[:1], ITEMS))
        assert mark - 90 < (bare.tokens or 0) <= mark
        assert mark - 90 < (told.tokens or 0) <= mark
        assert whole_text(told).count("Item") > 2
        assert len(told.messages) < len(bare.messages)


def test_slots_beyond_their_share_leave_out_what_is_empty(tmp_path: Path) -> None:
    line = "{{ slot.path }}={{ slot.value | data }}\n"
    text = '{% section "slots" max=30 %}{% for slot in domains[0].slots %}' + line + "{% endfor %}{% endsection %}"
    chat = chat_with(template(tmp_path, text))
    chat.set("trip.people", 2)
    prompt = chat.prompt(budget())
    assert prompt.messages[0]["content"] == "<slots>\ntrip.people=2\n</slots>"
    assert lines(prompt, "slots") == [("shortened", None), ("dropped", "empty slots do not fit")]


def test_the_system_text_may_have_the_developers_role(tmp_path: Path) -> None:
    chat = chat_with(template(tmp_path, '{% section "system" role="developer" %}Be kind.{% endsection %}'))
    assert chat.prompt().messages == [{"role": "developer", "content": "Be kind."}]


def test_turns_that_must_stay_stay_while_they_fit(tmp_path: Path) -> None:
    text = SHORT + '{% section "recent" min_turns=6 %}{{ turns }}{% endsection %}'
    chat = chat_with(template(tmp_path, text))
    for number in range(40):
        chat.user(f"{number} " + "word " * 15)
        prompt = chat.prompt(budget(1_000, low=0.1))
        assert sum("word" in message["content"] for message in prompt.messages) >= min(6, number + 1)


def test_quotes_beyond_their_share_are_told() -> None:
    script = [[change("trip.city", "set", "Oslo", "to Oslo")], [change("trip.note", "set", "x" * 500, "x" * 500)]]
    chat = chat_with(script=script)
    chat.user("to Oslo")
    chat.user("x" * 500)
    for number in range(40):
        chat.assistant(f"{number} " + "word " * 30)
        chat.user("go on")
    prompt = chat.prompt(budget(6_000))
    assert lines(prompt, "quotes") == [("dropped", "2 do not fit")]
    chat.clear("trip.note")
    assert lines(chat.prompt(budget(6_000)), "quotes") == [("kept", None)]


def test_quotes_without_a_users_message_have_their_own(tmp_path: Path) -> None:
    text = '{% section "quotes" %}{% for quote in quotes %}{{ quote.text | data }}{% endfor %}{% endsection %}'
    chat = chat_with(template(tmp_path, text), script=[[change("trip.city", "set", "Oslo", "Oslo")]])
    chat.user("Oslo, please, where the ferries leave on the hour")
    chat.user(" ")
    prompt = chat.prompt(budget(46, profile="none"))
    assert prompt.messages == [{"role": "user", "content": '<quotes>\n"Oslo"\n</quotes>'}]
    assert ("dropped", "no words") in lines(prompt, "recent")


def test_a_share_of_no_limit_is_no_limit(tmp_path: Path) -> None:
    line = "{% for quote in quotes %}{{ quote.text | data }}\n{% endfor %}"
    line = '{% section "quotes" max="0.5%" %}' + line + "{% endsection %}"
    chat = chat_with(template(tmp_path, SHORT + line), script=[[change("trip.city", "set", "Oslo", "to Oslo")]])
    chat.user("to Oslo")
    for number in range(60):
        chat.assistant(f"{number} " + "word " * 30)
        chat.user("go on")
    assert lines(chat.prompt(budget(3_000)), "quotes") == [("dropped", "1 do not fit")]
    chat.set("trip.people", 2)
    assert lines(chat.prompt(budget()), "quotes") == [("kept", None)]


def test_words_that_turn_out_to_be_secret_are_hidden_in_a_new_epoch() -> None:
    chat = chat_with()
    chat.user("my note is 4929 1111")
    chat.set("trip.note", "4929 1111")
    first = chat.prompt(budget())
    assert "4929 1111" in whole_text(first)
    chat.assistant("Noted.")
    chat.tool_call("c", "pay", {"card": "4929 1111"})
    chat.tool_result("c", "paid")
    chat.set("trip.card", "4929 1111")
    later = chat.prompt(budget())
    assert "4929 1111" not in whole_text(later)
    assert later.cache
    assert later.cache["epoch_reason"] == "masking"
    assert chat.prompt(budget()).messages == later.messages


def test_a_revealed_prompt_is_another_epoch() -> None:
    chat = chat_with()
    chat.user("hello")
    chat.set("trip.card", "4929")
    assert "4929" not in whole_text(chat.prompt(budget()))
    shown = chat.prompt(budget(), reveal=True)
    assert "4929" in whole_text(shown)
    assert shown.cache
    assert shown.cache["epoch_reason"] == "masking"


def test_what_a_provider_reports_is_compared() -> None:
    chat = chat_with()
    chat.assistant("Hello.", usage={"prompt_tokens": 5})
    assert chat.cache_report is None, "no prompt was made yet"
    chat.user("hello")
    prompt = chat.prompt(budget(profile="openai"))
    assert prompt.tokens
    assert prompt.cache
    chat.assistant("Hello!", usage="none")
    assert chat.cache_report is None
    usage = {"prompt_tokens": prompt.tokens, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 256}}
    chat.assistant("Hello!", usage=usage)
    report = chat.cache_report
    assert report is not None
    assert (report.expected, report.reported, report.verdict) == (prompt.cache["expected_cached"], 256, "more")
    told = chat.prompt(budget(profile="openai")).cache
    assert told
    assert told.get("reported") == report.detail
    again = chat.prompt(budget(profile="openai")).cache
    assert again
    assert "reported" not in again, "it was said of the prompt before"


@pytest.mark.parametrize("profile", ["none", "llama.cpp", "openai", "anthropic/claude-opus-5"])
@pytest.mark.parametrize("later", [8_000, None])
def test_turns_come_back_when_there_is_room_again(profile: str, later: int | None) -> None:
    chat = chat_with()
    for turn in range(12):
        chat.user(f"And another question, number {turn}, that takes some words?")
        chat.prompt(budget(1_500, profile=profile))
        chat.assistant(f"An answer to question {turn}.")
    small = chat.prompt(budget(1_500, profile=profile))
    assert "number 0," not in whole_text(small)
    wide = chat.prompt(budget(later, profile=profile))
    shown = "number 0," in whole_text(wide)
    assert wide.cache
    assert shown or wide.cache["layout"] != "live", "what can be read from a cache stays as it is"
    other = "vllm" if profile != "vllm" else "openai"
    assert "number 0," in whole_text(chat.prompt(budget(later, profile=other))), "no cache holds anything of it"


def test_turns_that_come_back_reach_the_low_mark_only() -> None:
    chat = chat_with()
    for turn in range(40):
        chat.user(f"And another question, number {turn}, that takes some words?")
        chat.assistant(f"An answer to question {turn}.")
    chat.prompt(budget(1_500))
    wide = chat.prompt(budget(3_000, profile="vllm"))
    assert wide.tokens
    assert 1_200 < wide.tokens <= 1_500
    assert chat.prompt(budget(3_000, profile="vllm")).messages == wide.messages


def test_a_summary_that_has_no_room_is_told(tmp_path: Path) -> None:
    name = template(
        tmp_path, SHORT + '{% section "summary" %}{{ left_out }} messages went, and many words of it.{% endsection %}'
    )
    chat = chat_with(name)
    for turn in range(6):
        chat.user(f"question {turn} " * 4)
        chat.assistant("An answer.")
    seen = set()
    for limit in range(60, 400, 3):
        try:
            prompt = assembled(chat, name, limit, ())
        except BudgetTooSmall:
            continue
        told = lines(prompt, "summary")
        shown = "messages went" in whole_text(prompt)
        dropped = any(line.section == "recent" and line.action == "dropped" for line in prompt.ledger)
        assert shown or not dropped or told == [("dropped", "no room")]
        seen.add((shown, dropped))
    assert {(True, True), (False, True)} <= seen


def test_a_template_is_read_again_while_it_is_written(tmp_path: Path) -> None:
    name = template(tmp_path, '{% section "system" %}' + "Be kind. " * 40 + "{% endsection %}")
    chat = Tracker(Trip, template=name, clock=lambda: NOW, reload=True).open("s")
    chat.user("hello")
    first = chat.prompt(budget())
    template(tmp_path, '{% section "system" %}' + "Be brief. " * 40 + "{% endsection %}")
    second = chat.prompt(budget())
    assert second.messages[0]["content"].startswith("Be brief.")
    assert second.cache
    assert second.cache["epoch_reason"] == "template"
    assert not whole_text(second).startswith(stable_text(first))


def test_the_words_of_a_secret_are_no_quote() -> None:
    said = "my card is 49291111222"
    chat = chat_with(script=[[change("trip.card", "set", "49291111222", said)]])
    chat.user(said)
    for number in range(30):
        chat.user(f"And another question, number {number}, that takes some words?")
        chat.prompt(budget(1_300))
    prompt = chat.prompt(budget(1_300))
    assert not lines(prompt, "quotes")
    assert "49291111222" not in whole_text(prompt)

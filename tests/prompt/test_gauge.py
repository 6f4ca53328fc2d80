"""What is counted in parts takes as many tokens as what is counted whole, and what is put together reads the same."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from slotstate import Budget, Change, Chat, Slot, Tracker
from slotstate.counters import make_counter
from slotstate.domains import compile_domains
from slotstate.events import Layout
from slotstate.masking import Secrets
from slotstate.prompt.gauge import Gauge
from slotstate.prompt.rows import Rows
from slotstate.prompt.scene import Scene
from slotstate.state import Held, SlotState, State
from slotstate.templating import load_template
from slotstate.testing import ScriptedExtractor
from slotstate.tokens import prompt_tokens
from tests.prompt.reading import CharCounter

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
COUNTERS = ["estimate", "o200k_base", "cl100k_base"]
LINE = st.one_of(st.text(max_size=20), st.sampled_from(["- a: b", "-", "<", "</note>", "", " x", "- \t", "--", "-\r"]))


@pytest.mark.parametrize("name", COUNTERS)
@given(lines=st.lists(LINE, max_size=8))
@example(lines=["<note>", "Changed:", "- a is now b", "- c is now d", "</note>", ""])
@example(lines=["x", "- a", "- b"])
def test_a_block_is_counted_line_by_line(name: str, lines: list[str]) -> None:
    counter, text = make_counter(name), "\n".join(lines)
    gauge = Gauge(counter)
    assert [gauge.block(text) for _ in range(2)] == [counter.count(text)] * 2


@pytest.mark.parametrize("name", COUNTERS)
@given(words=st.text())
@example(words="by the way.")
@example(words="one  \t")
@example(words="a \u2003b")
@example(words="A word!" * 9)
@example(words="两个 人")
def test_a_line_break_is_counted_with_the_last_word(name: str, words: str) -> None:
    counter = make_counter(name)
    assert Gauge(counter).line_break(words) == counter.count(f"{words}\n") - counter.count(words)


def test_a_counter_that_does_not_say_so_counts_whole() -> None:
    gauge, text = Gauge(CharCounter()), "<note>\n- a\n- b\n</note>"
    assert not gauge.in_parts
    assert (gauge.block(text), gauge.once(text)) == (len(text), len(text))


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str | None, Slot(ask="Where to?", confirm="explicit")] = None
    guide: str | None = None
    hotel: str | None = None
    wine: str | None = None


NAMES = ("city", "guide", "hotel", "wine")
TEMPLATES = {
    "a list": "{% for slot in changes %}\n- {{ slot.path }}: {{ slot.value | data }}\n{% endfor %}",
    "no list": "{{ changes | length }} changed",
    "another list": "{% for slot in quotes %}\n- {{ slot.path }}\n{% endfor %}{{ changes | length }}",
    "lines that begin with words": "{% for slot in changes %}{{ slot.label }} is {{ slot.value }}\n{% endfor %}",
    "lines that end with nothing": "{% for slot in changes %}- {{ slot.value }}{% endfor %}",
    "words right in front": "now:{% for slot in changes %}- {{ slot.value }}\n{% endfor %}",
    "words behind": "{% for slot in changes %}- {{ slot.value }}\n{% endfor %}That is all.",
    "a question behind": "A\n{% for slot in changes %}- {{ slot.value }}\n{% endfor %}{{ question.text if question }}",
    "blank": "{% for slot in changes %} {% endfor %}",
    "nothing": "",
}


@pytest.mark.parametrize("counter", [*COUNTERS, "characters"])
@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_section_comes_out_as_it_is_rendered(kind: str, counter: str, tmp_path: Path) -> None:
    """After each change, with two slots more, and one that changes again."""
    note = f'{{% section "note" %}}{TEMPLATES[kind]}{{% endsection %}}'
    (tmp_path / "prompt.jinja").write_text(
        f'{{% section "system" %}}Be kind.{{% endsection %}}{note}', encoding="utf-8"
    )
    template, domains = load_template(str(tmp_path)), compile_domains(Trip)
    counts = CharCounter() if counter == "characters" else make_counter(counter)
    scene = Scene(domains, Secrets(domains, now=NOW), reveal=False, locale="en")
    rows = Rows(template, "note", "changes", scene, Gauge(counts), counts)
    slots: dict[str, SlotState] = {}
    for name, value in zip((*NAMES, "guide"), ("Oslo", "Ada\n", "", "北京 < red", "Bo"), strict=True):
        slots = {**slots, f"trip.{name}": SlotState(Held("filled", value))}
        state = State(slots=slots)
        changes = scene.changes(state, slots)
        text = template.render("note", scene.given(state, changes=changes), counter=counts)
        expected = f"<note>\n{text}\n</note>" if text.strip() else ""
        for _ in range(2):
            assert rows.block(state, changes) == (expected, counts.count(expected) if expected else 0)


def test_a_template_without_the_section_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "prompt.jinja").write_text('{% section "system" %}Be kind.{% endsection %}', encoding="utf-8")
    domains, counter = compile_domains(Trip), CharCounter()
    scene = Scene(domains, Secrets(domains, now=NOW), reveal=False, locale="en")
    rows = Rows(load_template(str(tmp_path)), "quotes", "quotes", scene, Gauge(counter), counter)
    assert rows.block(State(), []) == ("", 0)


def talk(layout: Layout, counter: Any, turns: int = 60) -> tuple[Chat, Budget]:
    """A conversation in which one slot is set early and others change time and again, while the window is cut."""
    values = [f"value {at}" for at in range(turns)]
    paths = ["trip.city", *(f"trip.{NAMES[1 + at % 3]}" for at in range(turns))]
    script = [[Change("set", paths[at], one, one)] if at % 3 == 0 else [] for at, one in enumerate(values)]
    chat = Tracker(Trip, extractor=ScriptedExtractor(script), clock=lambda: NOW).open("s")
    return chat, Budget(1_600, counter=counter, layout=layout)


@pytest.mark.parametrize("counter", [*COUNTERS, "characters"])
@pytest.mark.parametrize("layout", ["quotes_last", "append_only"])
def test_prompts_take_the_tokens_that_are_counted_whole(layout: Layout, counter: str) -> None:
    counts = CharCounter() if counter == "characters" else make_counter(counter)
    chat, budget = talk(layout, counts if counter == "characters" else counter)
    budget = budget if counter != "characters" else Budget(6_400, counter=counts, layout=layout)
    sections: set[str] = set()
    for at in range(60):
        chat.user(f"Rather value {at}, please, and nothing else for the others. " * (1 + at % 4))
        if at % 5 == 4:
            chat.set("trip.wine", f"wine {at}")
        prompt = chat.prompt(budget)
        assert prompt.tokens == prompt_tokens(counts, prompt.messages)
        kept = [line for line in prompt.ledger if line.action != "dropped"]
        assert sum(line.tokens or 0 for line in kept) == prompt.tokens
        sections |= {line.section for line in kept}
        chat.assistant("Noted. " * (1 + at % 7))
        if at % 5 == 3:
            chat.set("trip.hotel", f"hotel {at}")
    assert {"note", "quotes", "recent", "slots"} <= sections

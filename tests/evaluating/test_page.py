"""The page of an evaluation: all in it, nothing from elsewhere, nothing taken for mark-up."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from slotstate import Slot, Tracker
from slotstate.domains import compile_domains
from slotstate.evaluating import read_corpus
from slotstate.evaluating.page import render
from slotstate.evaluating.page.charts import bars, columns, milliseconds, whisker
from slotstate.evaluating.page.examples import Piece, by_slot, pieces
from slotstate.evaluating.running import Task, evaluate, samples
from slotstate.measuring.causes import Mistake
from slotstate.measuring.dialogues import Corpus, Dialogue, Turn
from slotstate.measuring.evaluation import Evaluation, Figure, Part, SlotFigure, compare, evaluation
from slotstate.measuring.scoring import DialogueScore
from slotstate.messages import Message
from slotstate.testing import ScriptedExtractor, change
from tests.evaluating.corpora import EVENING, SHOWS, metadata, tour, woz_log, write, write_sgd

HOSTILE = "<script>alert('x')</script> & {{ 7 * 7 }} \"q\" <img src=//evil.example/x>"
VOID = {"meta", "br", "link"}


class Cabs(BaseModel):
    riders: int | None = None


class Checker(HTMLParser):
    """What a page holds: its tags, its text, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def evaluated(corpus: str, folder: Path, script: Any = (), **more: Any) -> tuple[str, Evaluation]:
    task = Task(corpus, str(folder), "script:x.json", **more)
    read = task.read()
    run = evaluate(task, read, ScriptedExtractor(script))
    found = evaluation(read, task.extractor, run.scores, samples, settings={"data": task.data, "files": [HOSTILE]})
    return render(found, read, run.scores), found


def checked(page: str) -> Checker:
    read = Checker(page)
    assert not read.open
    return read


def test_the_page_shows_figures_and_turns(tmp_path: Path) -> None:
    page, found = evaluated(
        "sgd", write_sgd(tmp_path, SHOWS, EVENING), [[change("Shows_7.kind", value="Film", quote="play")]]
    )
    read = checked(page)
    assert found.jga is not None
    assert f"{100 * found.jga:.1f} %" in read.text
    for words in (
        "Any good play in Ely on May 2nd?",
        "The Kettle is on at 7 pm.",
        "unseen services",
        "Cabs_2",
        "files",
    ):
        assert words in read.text
    assert ("mark", {"class": "expected"}) in read.tags
    assert [one for one in found.by_slot if one in read.text]
    assert sum(tag == "details" for tag, _ in read.tags) == len({path for path in found.by_slot if _wrong(found, path)})
    assert sum(tag == "svg" for tag, _ in read.tags) == 2


def _wrong(found: Evaluation, path: str) -> bool:
    slot = found.by_slot[path]
    return bool(slot.gold > slot.right or slot.invented)


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    page, _ = evaluated("sgd", write_sgd(tmp_path, SHOWS))
    read = checked(page)
    assert not [tag for tag, _ in read.tags if tag in {"script", "link", "img", "iframe", "object", "form"}]
    assert not [attrs for _, attrs in read.tags if {"src", "href", "onclick", "onload"} & attrs.keys()]
    assert not re.findall(r"url\(|@import|https?://", page)
    policy = {name: value for tag, attrs in read.tags if tag == "meta" for name, value in attrs.items()}
    assert policy["content"]
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page


def test_what_people_said_is_no_markup(tmp_path: Path) -> None:
    said = woz_log((f"I want {HOSTILE}", "What?", metadata(restaurant={"name": "tea &amp; more"})))
    script = [[change("restaurant.food", value="<b>food</b>", quote="I want <script>")]]
    page, found = evaluated("multiwoz", write(tmp_path / "data.json", {f"A1{HOSTILE}": said}).parent, script)
    read = checked(page)
    assert "<script" not in page
    assert "<img" not in page
    assert read.text.count(HOSTILE) >= 2  # in the turn, and the dialogue's name
    assert "tea &amp; more" in read.text
    assert found.causes


def test_chinese_is_shown_as_it_is(tmp_path: Path) -> None:
    page, _ = evaluated("crosswoz", write(tmp_path / "x.json", {"7": tour()}).parent)
    read = checked(page)
    assert "好的,就去故宫。" in read.text
    assert ("meta", {"charset": "utf-8"}) in read.tags
    assert '<mark class="expected">故宫</mark>' in page


def test_a_comparison_is_shown(tmp_path: Path) -> None:
    folder = write_sgd(tmp_path, *({**SHOWS, "dialogue_id": str(number)} for number in range(6)))
    right = [change("Shows_7.kind", value="Play", quote="play"), change("Shows_7.city", value="Ely", quote="in Ely")]
    _, before = evaluated("sgd", folder)
    task = Task("sgd", str(folder), "script:x.json")
    corpus = task.read()
    run = evaluate(task, corpus, ScriptedExtractor([right, []] * 6))
    after = evaluation(corpus, task.extractor, run.scores, samples)
    after = after.model_copy(update={"comparison": compare(after, before, samples)})
    page = render(after, corpus, [])
    assert "compared with script:x.json on the 6 dialogues" in checked(page).text
    assert re.search(r'<td class="n good">\+\d', page)
    worse = before.model_copy(update={"comparison": compare(before, after, samples)})
    assert re.search(r'<td class="n bad">−\d', render(worse, corpus, []))


def test_sensitive_values_are_masked(tmp_path: Path) -> None:
    case = {
        "name": "a card",
        "domains": [
            {
                "title": "pay",
                "type": "object",
                "properties": {"pin": {"type": "string", "x-slot": {"sensitive": True}}, "shop": {"type": "string"}},
            }
        ],
        "turns": [{"role": "assistant", "text": "Is it 4711?"}, {"role": "user", "text": "Yes, 4711, at the baker's."}],
        "expected": {"pay.pin": "4711", "pay.shop": "baker"},
    }
    write(tmp_path / "a.cases.json", [case])
    wrong = [change("pay.pin", value="Yes", quote="Yes")]
    page, _ = evaluated("cases", tmp_path, [wrong])
    assert "4711" not in page
    assert "•••" in page
    assert "baker" in page


def _pay(**slots: Any) -> dict[str, Any]:
    return {"title": "pay", "type": "object", "properties": slots}


SECRET = {"type": "string", "x-slot": {"sensitive": True}}


def _case(name: str, domain: Any, turns: Any, expected: Any) -> dict[str, Any]:
    said = [{"role": role, "text": text} for role, text in turns]
    return {"name": name, "domains": [domain], "turns": said, "expected": expected}


def test_what_was_proposed_for_a_sensitive_slot_is_masked(tmp_path: Path) -> None:
    """Though the reference says something else, or nothing of the slot, and other slots took it too."""
    domain = _pay(pin=SECRET, shop={"type": "string"}, note={"type": "string"})
    turns = [("assistant", "Is it 88 17 42?"), ("user", "It is 881742, at the baker's"), ("user", "no, 990 055 is it")]
    write(tmp_path / "a.cases.json", [_case("pin 881742", domain, turns, {"pay.pin": "1234", "pay.shop": "baker"})])
    script = [
        [change("pay.pin", value="881742", quote="881742"), change("pay.note", value="881742", quote="881742")],
        [change("pay.pin", value="990055", quote="990 055"), change("pay.shop", value="881742", quote="no, 990 055")],
    ]
    page, _ = evaluated("cases", tmp_path, script)
    assert not re.search(r"88 ?17 ?42|990 ?055|1234", page)
    assert "baker" in page


def test_a_refused_value_of_a_sensitive_slot_is_masked(tmp_path: Path) -> None:
    born = {"type": "string", "format": "date", "x-slot": {"sensitive": True}}
    domain = _pay(born=born, shop={"type": "string"})
    turns = [("user", "The baker's; born on the 31st of Juneteenth, Xyzzy")]
    write(tmp_path / "a.cases.json", [_case("a", domain, turns, {"pay.shop": "baker"})])
    page, _ = evaluated("cases", tmp_path, [[change("pay.born", value="Xyzzy", quote="Xyzzy")]])
    assert "Xyzzy" not in page
    assert "baker" in page


def test_parts_of_a_sensitive_slot_and_what_is_ruled_out_are_masked(tmp_path: Path) -> None:
    home = {"type": "object", "properties": {"street": {"type": "string"}}, "x-slot": {"sensitive": True}}
    turns = [("assistant", "Not 4711?"), ("user", "The baker's, no, not 4711; I live in Elm Lane")]
    case = _case("a", _pay(home=home, pin=SECRET, shop={"type": "string"}), turns, {"pay.home.street": "Elm Lane"})
    case["expected"]["pay.shop"] = "baker"
    write(tmp_path / "a.cases.json", [{**case, "excluded": {"pay.pin": ["4711"]}}])
    page, _ = evaluated("cases", tmp_path, [[]])
    assert not re.search("4711|Elm", page)
    assert "baker" in page


def test_a_sensitive_slot_is_that_of_its_own_test(tmp_path: Path) -> None:
    """Of two tests with a domain of one name, only the second says that the slot is sensitive."""
    turns = [("user", "4711, at the baker's")]
    open_ = _case("open", _pay(pin={"type": "string"}, shop={"type": "string"}), turns, {"pay.shop": "baker"})
    hidden = _case("hidden", _pay(pin=SECRET, shop={"type": "string"}), [("user", "4712 at the baker's")], {})
    hidden["expected"] = {"pay.pin": "4712", "pay.shop": "baker"}
    write(tmp_path / "a.cases.json", [open_, hidden])
    page, _ = evaluated("cases", tmp_path, [[], [change("pay.pin", value="at", quote="at")]])
    assert ("4711" in page, "4712" in page) == (True, False)


class Visit(BaseModel):
    """A visit at the vet."""

    code: Annotated[str | None, Slot(sensitive=True)] = None
    pet: str | None = None


def test_what_a_sensitive_slot_held_in_a_session_is_masked(tmp_path: Path) -> None:
    """Unconfirmed, undone or offered: none of it is in the reference."""
    script = [
        [change("visit.code", value="662-190", quote="662-190")],
        [change("visit.code", value="Kilo", quote="Kilo")],
        [],
    ]
    tracker = Tracker(Visit, extractor=ScriptedExtractor(script))
    chat = tracker.open("a")
    chat.user("My code is 662-190, and Rex is ill")
    chat.user("no, Kilo, and Rex")
    chat.undo()
    chat.add(Message(role="assistant", text="Or is it Zulu7, 662190?", offers={"visit.code": "Zulu7"}))
    chat.user("about Rex, Zulu7, Kilo, 662 190")
    chat.set("visit.pet", "Rex")
    chat.confirm("visit.pet")
    write(tmp_path / "own.json", tracker.export())
    page, _ = evaluated("sessions", tmp_path / "own.json", schemas=(f"{__name__}:Visit",))
    assert "about Rex" in checked(page).text
    assert not re.search(r"662.?190|Kilo|Zulu7", page)


def test_secrets_come_back_from_other_processes(tmp_path: Path) -> None:
    domain = _pay(pin=SECRET, shop={"type": "string"})
    cases = [
        _case(f"n{n}", domain, [("user", f"my pin is 5511{n}, at the baker's")], {"pay.shop": "x"}) for n in (7, 8)
    ]
    write(tmp_path / "a.cases.json", cases)
    write(tmp_path / "s.json", [[{"op": "set", "path": "pay.pin", "value": "55117", "quote": "55117"}]])
    task = Task("cases", str(tmp_path / "a.cases.json"), f"script:{tmp_path / 's.json'}")
    corpus = task.read()
    run = evaluate(task, corpus, ScriptedExtractor([]), jobs=2)
    page = render(evaluation(corpus, task.extractor, run.scores, samples), corpus, run.scores)
    assert ("baker" in page, "55117" in page) == (True, False)


def test_many_examples_are_cut_and_come_from_different_dialogues(tmp_path: Path) -> None:
    folder = write_sgd(tmp_path, *({**EVENING, "dialogue_id": f"d{number}"} for number in range(9)))
    page, found = evaluated("sgd", folder, kinds="typed")
    assert found.causes["said, not read"] == 27
    assert "9, 5 shown" in checked(page).text
    assert page.count("d0, message") == 3  # once for each slot


# Parts


def test_pieces_mark_words_where_they_stand() -> None:
    found = pieces("From Oslo to Oslo, please", [("oslo", "expected"), ("to Oslo", "quote"), ("", "found")])
    assert found == (
        Piece("From ", ""),
        Piece("Oslo", "expected"),
        Piece(" ", ""),
        Piece("to ", "quote"),
        Piece("Oslo", "expected"),
        Piece(", please", ""),
    )
    assert pieces("", [("x", "found")]) == ()
    assert pieces("x" * 700, [])[0].text == "x" * 600 + "…"


def test_a_number_is_marked_where_it_stands_and_not_in_a_longer_one() -> None:
    def marked(text: str) -> list[str]:
        return [piece.text for piece in pieces(text, [("1", "expected")]) if piece.kind]

    assert marked("Their number is +1 415-555-0101, the flat is 12-1") == []
    assert marked("A table for one person, please") == ["one"]
    assert marked("one, no, 1 person") == ["1"]
    assert marked("we are 1.") == ["1"]


def test_what_the_user_said_is_not_marked_in_the_assistants_words() -> None:
    mistake = Mistake("d", 1, "cabs.riders", "said, not read", "1", None, None)
    turns = (Turn("assistant", "Ring us on +1 415 555 0101, 1 car is free"), Turn("user", "for one person"))
    domain = compile_domains(Cabs)
    corpus = Corpus("cases", {}, {}, (Dialogue("d", ("cabs",), turns, domains=domain),))
    figure = SlotFigure(gold=1, right=0, wrong=0, invented=0, precision=None, recall=0, f1=0)
    (slot,) = by_slot(corpus, [DialogueScore("d", mistakes=[mistake])], {"cabs.riders": figure})
    (example,) = slot.causes[0].examples
    assert [piece.text for piece in example.user if piece.kind] == ["one"]
    assert not [piece for piece in example.assistant if piece.kind]


def part(n: int, jga: float) -> Part:
    return Part(n=n, jga=jga, jga_exact=0.0)


def test_columns_stand_on_one_base_and_the_rest_is_one_column() -> None:
    chart = columns({number: part(10, 0.5) for number in range(1, 31)}, "By turn", "turn")
    assert chart is not None
    assert [one.name for one in chart.columns][-2:] == ["17", "18+"]
    assert (chart.columns[-1].n, chart.columns[-1].jga) == (130, 0.5)
    assert {one.exact_top for one in chart.columns} == {chart.base}
    assert all(chart.left < one.x < chart.right for one in chart.columns)
    assert columns({}, "nothing", "at all") is None
    few = columns({1: part(9, 1.0), 2: part(10, 0.0)}, "few", "turn")
    assert few is not None
    assert [one.faint for one in few.columns] == [True, False]


def test_whiskers_and_bars_are_shares() -> None:
    assert whisker(Figure(value=0.5, low=0.25, high=1.0, n=4)).__getstate__() == [50.0, 25.0, 100.0]
    assert whisker(Figure(value=0.5, n=4)).__getstate__() == [50.0, 50.0, 50.0]
    assert [(one.name, one.length) for one in bars({"a": 1, "b": 4})] == [("b", 100.0), ("a", 25.0)]
    assert bars({}) == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.0, "0.0 ms"),
        (0.256, "0.26 ms"),
        (1.7, "1.7 ms"),
        (33.88, "33.9 ms"),
        (214.2, "214 ms"),
        (2514.0, "2.51 s"),
    ],
)
def test_times_are_written_for_people(value: float | None, shown: str) -> None:
    assert milliseconds(value) == shown


def test_a_page_of_a_run_without_anything_wrong(tmp_path: Path) -> None:
    messages = [{"role": "usr", "content": "你好"}, {"role": "sys", "content": "您好", "sys_state_init": {}}]
    write(tmp_path / "x.json", {"7": json.loads(json.dumps({**tour(), "messages": messages}))})
    page, found = evaluated("crosswoz", tmp_path)
    assert found.causes == {}
    assert "0 mistakes" in checked(page).text
    assert read_corpus("crosswoz", tmp_path).dialogues

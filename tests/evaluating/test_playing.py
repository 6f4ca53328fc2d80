"""Dialogues played with scripted extractors, and figures worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from slotstate import Change
from slotstate.decide import decide
from slotstate.evaluating import read_corpus
from slotstate.evaluating.playing import Services, Watched, domains_for, play
from slotstate.events import Emptied, Usage
from slotstate.extract import Extraction, Request
from slotstate.measuring import Corpus
from slotstate.measuring.records import Found, Touched, TurnRecord
from slotstate.measuring.scoring import DialogueScore, figure, score_dialogue
from slotstate.testing import ScriptedExtractor, change
from tests.evaluating.corpora import CAB_SCHEMA, EVENING, SHOWS, metadata, stay, tour, user, woz_log, write, write_sgd

FIRST = [
    change("Shows_7.kind", value="Play", quote="play"),
    change("Shows_7.city", value="Ely", quote="in Ely"),
    change("Shows_7.show_date", value="2019-05-02", quote="May 2nd"),
]


def played(corpus: Corpus, script: Sequence[Any], services: Services = "turn") -> tuple[TurnRecord, ...]:
    (dialogue,) = corpus.dialogues
    return play(corpus, dialogue, ScriptedExtractor(script), services)


def scored(corpus: Corpus, script: Sequence[Any], services: Services = "turn") -> DialogueScore:
    (dialogue,) = corpus.dialogues
    records = played(corpus, script, services)
    return score_dialogue(corpus, dialogue, domains_for(corpus, dialogue, services), records)


def figures(score: DialogueScore) -> dict[str, float]:
    return {name: round(figure(score.sums, name) or 0.0, 4) for name in score.sums}


def shows(tmp_path: Path, *dialogues: Any) -> Corpus:
    return read_corpus("sgd", write_sgd(tmp_path, *(dialogues or (SHOWS,))), kinds="typed")


def hotels(tmp_path: Path, dialogue: Any) -> Corpus:
    return read_corpus("multiwoz", write(tmp_path / "data.json", {"A1": dialogue}))


# SGD


def test_sgd_by_hand(tmp_path: Path) -> None:
    asked = Change("request", "Shows_7.subtitles", quote="subtitles")
    score = scored(shows(tmp_path), [FIRST, [asked]])
    # The first frame is right. In the second, title and time are missing: joint 0, three of five slots right.
    assert figures(score) == {
        "jga": 0.5,
        "jga_exact": 0.5,
        "jga_turn": 0.5,
        "jga_across_turn": 0.5,
        "jga_categorical": 1.0,
        "jga_noncategorical": 0.5,
        "jga_no_fuzzy": 0.5,
        "aga": 0.8,  # (3/3 + 3/5) / 2
        "slot_f1": 0.875,  # (1 + 2 x 3 / (5 + 3)) / 2
        "requested_f1": 1.0,  # nothing in the first turn, the subtitles in the second
        "invented_rate": 0.0,
        "precision": 1.0,
        "recall": 0.75,  # 6 of 8
        "lost_rate": 0.0,
    }
    assert [one.cause for one in score.mistakes] == ["offered, not taken up", "offered, not taken up"]
    assert {one.path: one.expected for one in score.mistakes} == {
        "Shows_7.title": "The Kettle",
        "Shows_7.show_time": "7 pm / 19:00",
    }


def test_official_sgd_compares_words_and_the_exact_figure_values(tmp_path: Path) -> None:
    (record, _) = played(shows(tmp_path), [FIRST, []])
    assert record.held["Shows_7.show_date"] == Found("2019-05-02", words="May 2nd", quote="May 2nd")
    wrong = [*FIRST[:1], change("Shows_7.city", value="play in Ely", quote="play in Ely")]
    score = scored(shows(tmp_path), [wrong, []])
    # "ely in play" is like "ely" to 200 x 3 / 14 = 43 %; the missing date makes the frame 0 all the same
    assert figures(score)["aga"] == round(((0.43 + 1 + 0) / 3 + (0.43 + 1 + 0 + 0 + 0) / 5) / 2, 4)
    assert figures(score)["precision"] == 0.5


def test_frames_are_averaged_not_turns(tmp_path: Path) -> None:
    both = user("Two seats for a film in Ely, and a cab.", "Shows_7", {"seats": ["2"], "kind": ["Film"]})
    both["frames"] += user("", "Cabs_2", {"destination": ["Ely"]})["frames"]
    corpus = shows(tmp_path, {"dialogue_id": "1", "services": ["Shows_7", "Cabs_2"], "turns": [both]})
    score = scored(
        corpus,
        [[change("Shows_7.seats", value=2, quote="Two"), change("Shows_7.kind", value="Film", quote="film")]],
    )
    found = figures(score)
    assert (found["jga"], found["jga_across_turn"], found["jga_turn"]) == (0.5, 0.0, 0.0)
    assert score.groups["unseen services"]["jga"] == (1.0, 2)
    assert (score.groups["Shows_7"]["jga"], score.groups["Cabs_2"]["jga"]) == ((1.0, 1), (0.0, 1))
    assert score.by_size == {2: {"jga": (1.0, 1), "jga_exact": (1.0, 1)}, 1: {"jga": (0.0, 1), "jga_exact": (0.0, 1)}}


def test_what_is_in_a_service_without_a_frame_is_not_in_the_official_figure(tmp_path: Path) -> None:
    corpus = shows(tmp_path, EVENING)
    script = [
        [change("Shows_7.seats", value=2, quote="Two"), change("Cabs_2.riders", value=2, quote="Two")],
        [change("Cabs_2.destination", value="Castle Street", quote="Castle Street")],
    ]
    given, own = scored(corpus, script, "turn"), scored(corpus, script, "dialogue")
    assert figures(given)["jga_turn"] == 0.0
    assert given.sums["jga"] == own.sums["jga"] == (0.0, 2)  # riders were invented, which the cab's own frame tells
    assert own.slots["Cabs_2.riders"].invented == 2


def test_dontcare_is_the_label_of_no_preference(tmp_path: Path) -> None:
    said = user("Any kind will do.", "Shows_7", {"kind": ["dontcare"]})
    corpus = shows(tmp_path, {"dialogue_id": "1", "services": ["Shows_7"], "turns": [said]})
    whatever = change("Shows_7.kind", value="dontcare", quote="Any kind will do")
    assert figures(scored(corpus, [[whatever]]))["jga"] == 1.0
    missed = scored(corpus, [[]])
    assert [one.cause for one in missed.mistakes] == ["no preference missed"]


def test_a_user_turn_without_a_state_is_not_scored(tmp_path: Path) -> None:
    said = user("Hello.", "Shows_7", {})
    del said["frames"][0]["state"]
    score = scored(shows(tmp_path, {"dialogue_id": "1", "services": ["Shows_7"], "turns": [said]}), [[]])
    assert (score.turns, score.sums) == (1, {"jga_turn": (1.0, 1)})


# MultiWOZ, CrossWOZ


def test_multiwoz_by_hand(tmp_path: Path) -> None:
    script = [
        [change("hotel.area", value="north", quote="north"), change("hotel.bookpeople", value=2, quote="two")],
        [
            change("hotel.pricerange", value="cheap", quote="Cheap"),
            change("hotel.type", value="hotel", quote="A guest house"),
        ],
    ]
    score = scored(hotels(tmp_path, stay("guesthouse")), script, "all")
    # The second turn has the type wrong or, as its words do not say "hotel", not at all.
    assert score.sums["jga"] == (1.0, 2)
    held = 4 if "hotel.type" in played(hotels(tmp_path, stay("guesthouse")), script, "all")[1].held else 3
    assert figures(score)["slot_accuracy"] == round((1 + 29 / 30) / 2, 4)
    assert figures(score)["slot_f1"] == round((1 + 2 * 3 / (4 + held)) / 2, 4)
    assert figures(score)["aga"] == round((1 + 3 / 4) / 2, 4)
    assert figures(score)["relative_slot_accuracy"] == round((1 + 3 / 4) / 2, 4)
    assert figures(score)["relative_slot_accuracy_pooled"] == round(5 / 6, 4)


def test_multiwoz_values_are_written_as_its_labels(tmp_path: Path) -> None:
    said = ("A hotel with parking, no wifi, any area. A cab at 9:30 to Saint John 's College.", "Fine.")
    gold = metadata(
        hotel={"parking": "free", "internet": "n", "area": "any"},
        taxi={"leaveAt": "9:30", "destination": "saint john's college"},
    )
    corpus = hotels(tmp_path, woz_log((*said, gold)))
    script = [
        change("hotel.parking", value=True, quote="with parking"),
        change("hotel.internet", value=False, quote="no wifi"),
        change("hotel.area", value="dontcare", quote="any area"),
        change("taxi.leaveat", value="09:30", quote="9:30"),
        change("taxi.destination", value="Saint John 's College", quote="Saint John 's College"),
    ]
    record = played(corpus, [script], "all")[0]
    assert {path: found.value for path, found in record.held.items() if not found.dontcare} == {
        "hotel.parking": True,
        "hotel.internet": False,
        "taxi.destination": "Saint John 's College",
        "taxi.leaveat": "09:30",
    }
    assert figures(scored(corpus, [script], "all"))["jga"] == 1.0


def test_a_predicted_label_that_stands_for_nothing_is_left_out(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, woz_log(("The Not, please.", "Hm.", metadata())))
    score = scored(corpus, [[change("restaurant.name", value="Not", quote="Not")]], "all")
    assert (score.sums["jga"], score.sums["jga_exact"]) == ((1.0, 1), (0.0, 1))


def test_crosswoz_by_hand(tmp_path: Path) -> None:
    corpus = read_corpus("crosswoz", write(tmp_path / "test.json", {"7": tour()}))
    script = [
        [change("景点.评分", value="4.5分以上", quote="4.5分以上")],
        [change("景点.名称", value="故宫", quote="故宫")],
    ]
    assert figures(scored(corpus, script, "all"))["jga"] == 1.0
    half = scored(corpus, [script[0], []], "all")
    assert (half.sums["jga"], half.sums["aga"]) == ((1.0, 2), (1.5, 2))
    assert figures(half)["slot_f1"] == round((1 + 2 / 3) / 2, 4)
    assert [one.cause for one in half.mistakes] == ["said, not read"]


def test_a_turn_before_anything_was_said_has_no_average(tmp_path: Path) -> None:
    messages = [{"role": "usr", "content": "你好"}, {"role": "sys", "content": "您好", "sys_state_init": {"景点": {}}}]
    corpus = read_corpus("crosswoz", write(tmp_path / "test.json", {"7": {**tour(), "messages": messages}}))
    right, wrong = (
        scored(corpus, [[]], "all"),
        scored(corpus, [[change("景点.名称", value="你好", quote="你好")]], "all"),
    )
    assert (right.sums["jga"], right.sums["slot_f1"], "aga" in right.sums) == ((1.0, 1), (1.0, 1), False)
    assert (wrong.sums["jga"], wrong.sums["slot_f1"], wrong.sums["invented_rate"]) == ((0.0, 1), (0.0, 1), (1.0, 1))


# Conversation tests


def test_conversation_tests_are_judged_where_they_say_what_they_expect(tmp_path: Path) -> None:
    case = {
        "name": "a trip",
        "domains": [
            {"title": "trip", "type": "object", "properties": {"via": {"type": "string"}, "to": {"type": "string"}}}
        ],
        "turns": [
            {"role": "user", "text": "To Ely."},
            {"role": "assistant", "text": "Via Oslo?", "offers": {"trip.via": "Oslo"}},
            {"role": "user", "text": "Yes."},
        ],
        "expected": {"trip.via": "Oslo"},
    }
    corpus = read_corpus("cases", write(tmp_path / "a.cases.json", [case]))
    score = scored(corpus, [[change("trip.to", value="Ely", quote="To Ely")], []], "dialogue")
    assert (score.turns, score.sums["jga"]) == (2, (1.0, 1))
    assert list(score.slots) == ["trip.via"]  # nothing is said of the other one


# Over the turns


def three(*goals: dict[str, str]) -> Any:
    said = ["A room in the north.", "Which day?", "No, in the south.", "Fine.", "Thank you.", "Bye."]
    turns = [(said[2 * at], said[2 * at + 1], metadata(hotel=goal)) for at, goal in enumerate(goals)]
    return woz_log(*turns)


NORTH = change("hotel.area", value="north", quote="north")
SOUTH = change("hotel.area", value="south", quote="south")


def test_corrections_that_come_through_are_counted(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "south"}, {"area": "south"}))
    caught, missed = scored(corpus, [[NORTH], [SOUTH], []], "all"), scored(corpus, [[NORTH], [], []], "all")
    assert (caught.sums["corrections_caught"], missed.sums["corrections_caught"]) == ((1.0, 1), (0.0, 1))
    assert caught.sums["lost_rate"] == (0.0, 1)
    assert [(one.turn, one.cause) for one in missed.mistakes] == [(2, "correction missed")]  # once, where it begins


def test_right_values_that_do_not_stay_are_counted(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "north"}, {"area": "north"}))
    score = scored(corpus, [[NORTH], [SOUTH], []], "all")
    assert score.sums["lost_rate"] == (1.0, 1)  # after the second turn there was nothing right to lose any more
    assert [(one.turn, one.cause, one.found) for one in score.mistakes] == [(2, "overwritten", "south")]
    assert score.by_turn == {
        1: {"jga": (1.0, 1), "jga_exact": (1.0, 1)},
        2: {"jga": (0.0, 1), "jga_exact": (0.0, 1)},
        3: {"jga": (0.0, 1), "jga_exact": (0.0, 1)},
    }


def test_an_extraction_that_fails_is_told(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "south"}))
    score = scored(corpus, [[NORTH], TimeoutError("too late")], "all")
    assert (score.failed, score.error) == (1, "TimeoutError: too late")
    assert [one.cause for one in score.mistakes] == ["extraction failed"]


def test_tokens_and_time_are_added_up(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "south"}))
    told = [Extraction((NORTH,), Usage(tokens_in=100, tokens_out=7)), Extraction((SOUTH,), Usage(tokens_in=50))]
    score = scored(corpus, told, "all")
    assert (score.tokens_in, score.tokens_out, len(score.ms)) == (150, 7, 2)
    spent = iter([0.0, 500.0, 500.0, 500.0])
    (dialogue,) = corpus.dialogues
    first, second = play(corpus, dialogue, ScriptedExtractor(told), "all", saved=lambda: next(spent))
    assert first.ms > 500  # what a kept reply had taken counts as if it had been waited for
    assert second.ms < 500


# Which services are shown


class Looking:
    """Remembers what it was shown."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def extract(self, request: Request) -> Extraction:
        self.requests.append(request)
        return Extraction()

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


@pytest.mark.parametrize(
    ("services", "first", "last"),
    [
        ("turn", {"Shows_7"}, {"Cabs_2"}),
        ("dialogue", {"Shows_7", "Cabs_2"}, {"Shows_7", "Cabs_2"}),
        ("all", {"Shows_7", "Cabs_2", "Trams_1"}, {"Shows_7", "Cabs_2", "Trams_1"}),
    ],
)
def test_an_extractor_is_shown_the_services_that_were_asked_for(
    services: Services, first: set[str], last: set[str], tmp_path: Path
) -> None:
    write_sgd(tmp_path, EVENING)
    write(tmp_path / "more.json", [{**CAB_SCHEMA, "service_name": "Trams_1"}])
    corpus = read_corpus("sgd", tmp_path, kinds="typed")
    looking = Looking()
    play(corpus, corpus.dialogues[0], looking, services)
    assert [set(request.domains) for request in looking.requests] == [first, last]
    assert [request.user for request in looking.requests] == ["Two seats for a film, please.", "Yes, to Castle Street."]
    assert looking.requests[1].assistant == "Fine. Do you need a ride?"


async def test_a_watched_extractor_can_be_awaited(tmp_path: Path) -> None:
    corpus = shows(tmp_path)
    looking = Looking()
    play(corpus, corpus.dialogues[0], looking, "turn")
    watched = Watched(looking, frozenset({"elsewhere"}))
    assert await watched.aextract(looking.requests[0]) == watched.last == Extraction()
    assert set(looking.requests[-1].domains) == {"Shows_7"}  # nothing at all is never shown


# Confirmed values


def test_confirmed_values_at_risk_and_replaced_by_the_users_words(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "south"}, {"area": "south"}))
    score = scored(corpus, [[NORTH], [SOUTH], []], "all")
    assert (score.confirmed, score.at_risk, score.lost) == (2, 1, 0)
    assert (score.changed_rightly, score.changed_wrongly) == (1, 0)
    misread = hotels(tmp_path, three({"area": "north"}, {"area": "north"}, {"area": "north"}))
    assert scored(misread, [[NORTH], [SOUTH], []], "all").changed_wrongly == 1


def test_a_change_that_the_words_do_not_bear_puts_at_risk_and_changes_nothing(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "north"}, {"area": "north"}))
    meant = change("hotel.area", value="west", quote="in the south")
    score = scored(corpus, [[NORTH], [meant], [Change("clear", "hotel.*", quote="Thank you")]], "all")
    assert (score.confirmed, score.at_risk, score.lost) == (2, 2, 0)
    assert (score.changed_rightly, score.changed_wrongly) == (0, 0)
    assert score.sums["jga"] == (2.0, 3) or score.sums["jga"] == (1.0, 3)  # the scored tracker confirms nothing


def test_what_says_the_same_is_no_risk(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "north"}))
    again = change("hotel.area", value="north", quote="south")
    assert scored(corpus, [[NORTH], [again, Change("confirm", "hotel.area", quote="No")]], "all").at_risk == 0


def test_a_tracker_that_loses_a_confirmed_value_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def losing(state: Any, domains: Any, said: Any, changes: Any, more: Any) -> Any:
        events = list(decide(state, domains, said, changes, more))
        for path, slot in state.slots.items():
            if slot.held.status == "confirmed":
                lost = Emptied(turn=said.turn, step=state.step + 1, at=said.now, op="clear", path=path)
                events.append(lost)
        return events

    monkeypatch.setattr("slotstate.conversation.decide", losing)
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "north"}, {"area": "north"}))
    score = scored(corpus, [[NORTH], [], []], "all")
    assert (score.lost, score.at_risk) == (1, 1)


def test_a_value_that_does_not_follow_from_the_quoted_words_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tracker's own grade is not believed."""

    def believing(state: Any, domains: Any, said: Any, changes: Any, more: Any) -> Any:
        events = list(decide(state, domains, said, changes, more))
        return [one.model_copy(update={"value": "west"}) if one.kind == "overwritten" else one for one in events]

    monkeypatch.setattr("slotstate.conversation.decide", believing)
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": "south"}))
    assert scored(corpus, [[NORTH], [SOUTH]], "all").lost == 1


def test_lists_may_grow_by_the_users_words(tmp_path: Path) -> None:
    messages = [
        {"role": "usr", "content": "我想吃面片。"},
        {"role": "sys", "content": "好的。", "sys_state_init": {"餐馆": {"推荐菜": "面片"}}},
        {"role": "usr", "content": "还要烤鸭。"},
        {"role": "sys", "content": "好的。", "sys_state_init": {"餐馆": {"推荐菜": "面片 烤鸭"}}},
    ]
    corpus = read_corpus("crosswoz", write(tmp_path / "test.json", {"7": {**tour(), "messages": messages}}))
    script = [[Change("add", "餐馆.推荐菜", "面片", "面片")], [Change("add", "餐馆.推荐菜", "烤鸭", "烤鸭")]]
    score = scored(corpus, script, "all")
    assert (score.sums["jga"], score.at_risk, score.lost, score.changed_rightly) == ((2.0, 2), 1, 0, 1)


def test_a_confirmed_value_that_is_emptied_by_words_counts_as_replaced(tmp_path: Path) -> None:
    corpus = hotels(tmp_path, three({"area": "north"}, {"area": ""}))
    (dialogue,) = corpus.dialogues
    touched = (Touched("hotel.area", "north", None, by_words=True), Touched("hotel.area", "north", "dontcare", True))
    record = TurnRecord(2, {}, confirmed=1, at_risk=("hotel.area",), touched=touched)
    score = score_dialogue(corpus, dialogue, domains_for(corpus, dialogue, "all"), [record])
    assert (score.changed_rightly, score.changed_wrongly) == (1, 1)

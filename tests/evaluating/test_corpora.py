"""Corpora read from files in the forms in which they are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from slotstate.errors import InputError, SchemaError
from slotstate.evaluating import read_corpus
from slotstate.measuring import Act, Call, Marked, Reference
from tests.evaluating import corpora
from tests.evaluating.corpora import (
    CAB_SCHEMA,
    CAB_VARIANT,
    EVENING,
    SHOW_SCHEMA,
    SHOW_VARIANT,
    SHOWS,
    metadata,
    stay,
    tour,
    woz_log,
    write,
    write_sgd,
)


def refused(*args: str | Path, **more: Any) -> str:
    with pytest.raises(InputError) as told:
        read_corpus(*map(str, args), **more)
    return str(told.value)


# SGD


def test_sgd_is_read_with_states_acts_and_calls(tmp_path: Path) -> None:
    corpus = read_corpus("sgd", write_sgd(tmp_path, SHOWS), kinds="typed")
    (dialogue,) = corpus.dialogues
    first, offer, last = dialogue.turns
    assert (dialogue.name, dialogue.services, dialogue.user_turns) == ("1_00001", ("Shows_7",), 2)
    assert first.state == {
        "Shows_7.kind": Reference(("Play",), ("Play",)),
        "Shows_7.city": Reference(("Ely",), ("Ely",)),
        "Shows_7.show_date": Reference(("May 2nd",), ("2019-05-02",)),
    }
    assert (first.frames[0].intent, first.frames[0].requested) == ("FindShow", ())
    assert offer.state is None
    assert offer.frames[0].acts[1] == Act("OFFER", "show_time", ("7 pm",), ("19:00",))
    assert offer.frames[0].call == Call("FindShow", {"city": "Ely"}, [{"title": "The Kettle"}])
    assert last.state is not None
    assert last.state["Shows_7.show_time"] == Reference(("7 pm",), ("19:00",))  # told by the assistant's act
    assert last.frames[0].requested == ("subtitles",)


def test_sgd_keeps_the_state_of_services_that_are_not_spoken_of(tmp_path: Path) -> None:
    (dialogue,) = read_corpus("sgd", write_sgd(tmp_path, EVENING)).dialogues
    last = dialogue.turns[-1]
    assert last.services == ("Cabs_2",)
    assert last.state is not None
    assert set(last.state) == {"Shows_7.seats", "Shows_7.kind", "Cabs_2.destination"}


def test_sgd_marks_where_values_stand(tmp_path: Path) -> None:
    said = corpora.user("In Ely.", "Shows_7", {"city": ["Ely"]})
    said["frames"][0]["slots"] = [{"slot": "city", "start": 3, "exclusive_end": 6}]
    dialogue = {"dialogue_id": "2", "services": ["Shows_7"], "turns": [said]}
    (read,) = read_corpus("sgd", write_sgd(tmp_path, dialogue)).dialogues
    assert read.turns[0].frames[0].spans == (Marked("city", 3, 6),)


def test_sgd_declares_kinds_by_names_and_options(tmp_path: Path) -> None:
    corpus = read_corpus("sgd", write_sgd(tmp_path, SHOWS), kinds="typed")
    kinds = {name: spec.kind for name, spec in corpus.domains["Shows_7"].slots.items()}
    assert kinds == {
        "title": "text",
        "city": "text",
        "show_date": "date",
        "show_time": "time",
        "kind": "categorical",
        "seats": "integer",
        "subtitles": "boolean",
        "phone_number": "phone",
    }
    assert corpus.schemas["Shows_7"]["x-intents"][0]["required"] == ["city"]


def test_sgd_can_be_declared_as_its_schema_has_it(tmp_path: Path) -> None:
    slots = read_corpus("sgd", write_sgd(tmp_path, SHOWS), kinds="plain").domains["Shows_7"].slots
    kinds = [slots[name].kind for name in ("show_date", "show_time", "phone_number", "seats", "subtitles")]
    assert kinds == ["text", "text", "text", "categorical", "boolean"]
    assert slots["seats"].options == ("1", "2", "3")


def test_what_no_intent_takes_in_is_for_tools(tmp_path: Path) -> None:
    corpus = read_corpus("sgd", write_sgd(tmp_path, SHOWS), kinds="typed")
    shows, cabs = corpus.domains["Shows_7"], corpus.domains["Cabs_2"]
    assert {name for name, spec in shows.slots.items() if spec.slot.evidence == "tool"} == {"subtitles", "phone_number"}
    assert [name for name, spec in shows.slots.items() if spec.required] == ["city"]
    assert shows.slots["kind"].slot.dont_care
    assert not [spec for spec in cabs.slots.values() if spec.slot.evidence == "tool"]  # it has no intents to go by
    assert shows.description == "Plays and films. Find a show"


def test_a_rewording_renames_what_the_original_has(tmp_path: Path) -> None:
    write_sgd(tmp_path, SHOWS)
    write(tmp_path / "x" / "any name.json", [SHOW_VARIANT, CAB_VARIANT])
    corpus = read_corpus("sgd", tmp_path, version="v3", kinds="typed")
    (dialogue,) = corpus.dialogues
    assert (corpus.version, dialogue.services) == ("v3", ("Shows_73",))
    first = dialogue.turns[0]
    assert first.state is not None
    assert set(first.state) == {"Shows_73.sort", "Shows_73.town", "Shows_73.which_day"}
    assert first.frames[0].intent == "LookForShow"
    assert [act.slot for act in first.frames[0].acts][:3] == ["sort", "town", "which_day"]
    assert first.frames[0].acts[3].values == ("LookForShow",)
    assert dialogue.turns[1].frames[0].call == Call("LookForShow", {"town": "Ely"}, [{"title": "The Kettle"}])
    assert corpus.domains["Shows_73"].slots["begin"].kind == "time"  # a declaration is typed; its words are not
    assert set(corpus.domains) == {"Shows_73", "Cabs_23"}
    assert set(read_corpus("sgd", tmp_path).domains) == {"Shows_7", "Cabs_2"}


def test_a_rewording_may_come_with_dialogues_of_its_own(tmp_path: Path) -> None:
    reworded = json.loads(json.dumps(EVENING).replace("Shows_7", "Shows_73").replace("Cabs_2", "Cabs_23"))
    for turn in reworded["turns"]:
        for frame in turn["frames"]:
            frame.get("state", {}).get("slot_values", {}).clear()
    write_sgd(tmp_path, EVENING)
    write(tmp_path / "v3" / "d.json", [{**reworded, "dialogue_id": "own"}])
    write(tmp_path / "v3" / "schema.json", [SHOW_VARIANT, CAB_VARIANT])
    assert [one.name for one in read_corpus("sgd", tmp_path, version="v3").dialogues] == ["own"]
    assert [one.name for one in read_corpus("sgd", tmp_path).dialogues] == ["1_00002"]
    assert [one.name for one in read_corpus("sgd", tmp_path / "v3", version="v3").dialogues] == ["own"]


def test_services_of_the_training_split_are_known(tmp_path: Path) -> None:
    assert read_corpus("sgd", write_sgd(tmp_path / "a", SHOWS)).seen == frozenset()
    weather = {**CAB_SCHEMA, "service_name": "Weather_1"}
    here = write_sgd(tmp_path / "b", SHOWS, schemas=(SHOW_SCHEMA, weather))
    assert read_corpus("sgd", here).seen == frozenset({"Weather_1"})
    write_sgd(tmp_path / "c" / "test", EVENING)
    write_sgd(tmp_path / "c" / "train", SHOWS, schemas=(SHOW_SCHEMA,))
    assert read_corpus("sgd", tmp_path / "c").seen == frozenset({"Shows_7"})


def test_the_test_split_is_read_unless_another_is_named(tmp_path: Path) -> None:
    write_sgd(tmp_path / "test", EVENING)
    write_sgd(tmp_path / "train", SHOWS)
    assert [one.name for one in read_corpus("sgd", tmp_path).dialogues] == ["1_00002"]
    assert [one.name for one in read_corpus("sgd", tmp_path, split="train").dialogues] == ["1_00001"]
    assert "no split 'exam': it is one of train, dev, test" in refused("sgd", tmp_path, split="exam")
    assert "there is no split dev, but test, train: choose it with --split" in refused("sgd", tmp_path, split="dev")


def test_files_are_of_the_split_that_their_names_say(tmp_path: Path) -> None:
    for name in ("test", "val", "train"):
        write(tmp_path / f"{name}.json", {name: tour()})
    assert [one.name for one in read_corpus("crosswoz", tmp_path).dialogues] == ["test"]
    assert [one.name for one in read_corpus("crosswoz", tmp_path, split="dev").dialogues] == ["val"]
    (tmp_path / "test.json").unlink()
    assert [one.name for one in read_corpus("crosswoz", tmp_path).dialogues] == ["train", "val"]  # as there is no test
    write(tmp_path / "mine.json", {"mine": tour()})
    assert [one.name for one in read_corpus("crosswoz", tmp_path).dialogues] == ["mine"]
    assert [one.name for one in read_corpus("crosswoz", tmp_path, split="train").dialogues] == ["train"]


def test_a_split_that_cannot_be_told_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "mine_test_dev.json", {"mine": tour()})
    told = refused("crosswoz", file, split="dev")
    assert "nothing in it says which split it is: leave out --split dev" in told
    assert [one.name for one in read_corpus("crosswoz", file).dialogues] == ["mine"]
    own = write(tmp_path / "dev" / "part.json", {"mine": tour()})
    for place in (own, own.parent):
        assert [one.name for one in read_corpus("crosswoz", place, split="dev").dialogues] == ["mine"]
        assert "there is no split train, but dev" in refused("crosswoz", place, split="train")


def test_options_that_a_corpus_has_no_use_for_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "own.json", {"sessions": []})
    assert "--split is for sgd, multiwoz, crosswoz: sessions has no splits" in refused(
        "sessions", tmp_path, split="dev"
    )
    assert "--version is for sgd, multiwoz: crosswoz has no versions" in refused("crosswoz", tmp_path, version="2.1")


def test_the_folders_of_sgd_are_read_as_they_are_published(tmp_path: Path) -> None:
    for split, dialogue in (("train", SHOWS), ("test", EVENING)):
        write_sgd(tmp_path / split, dialogue)
        write(tmp_path / "sgd_x" / "data" / "v3" / split / "schema.json", [SHOW_VARIANT, CAB_VARIANT])
    (dialogue,) = read_corpus("sgd", tmp_path, version="v3").dialogues
    assert (dialogue.name, dialogue.services) == ("1_00002", ("Shows_73", "Cabs_23"))
    (tmp_path / "train" / "d.json").write_text("broken, and not read")
    assert [one.name for one in read_corpus("sgd", tmp_path).dialogues] == ["1_00002"]


def test_what_is_wrong_with_sgd_is_told_in_one_line(tmp_path: Path) -> None:
    lone = write(tmp_path / "a" / "d.json", [SHOWS]).parent
    assert "no schema of its service 'Shows_7': schema.json belongs beside it" in refused("sgd", lone)
    broken = {**SHOWS, "turns": [{"speaker": "USER", "utterance": "Hm"}]}
    assert "dialogue 1_00001: not SGD as it is published (no 'frames')" in refused(
        "sgd", write_sgd(tmp_path / "b", broken)
    )
    assert "dialogue that is no object" in refused("sgd", write_sgd(tmp_path / "c", SHOWS, 7))
    assert "no version '2.4' of SGD: leave it out, or give one of v1" in refused("sgd", tmp_path, version="2.4")
    short = {**SHOW_VARIANT, "slots": SHOW_VARIANT["slots"][:3]}
    write_sgd(tmp_path / "d", SHOWS, schemas=(SHOW_SCHEMA, CAB_SCHEMA, short, CAB_VARIANT))
    assert "not SGD as it is published (ValueError" in refused("sgd", tmp_path / "d", version="v3")
    assert "no schema of its service 'Shows_71'" in refused("sgd", tmp_path / "d", version="v1")
    bare = {"service_name": "Shows_7", "slots": [{"name": "city"}]}
    assert "the schema of Shows_7: not SGD" in refused("sgd", write_sgd(tmp_path / "e", SHOWS, schemas=(bare,)))


# Files


@pytest.mark.parametrize("wrong", [5, -1.5, True, None, [], {}])
def test_what_is_no_text_in_sgd_is_told_in_one_line(tmp_path: Path, wrong: Any) -> None:
    said, held, named = (json.loads(json.dumps(SHOWS)) for _ in range(3))
    said["turns"][1]["utterance"] = wrong
    held["turns"][2]["frames"][0]["state"]["slot_values"]["show_time"] = [wrong]
    for number, dialogue in enumerate((said, held)):
        assert "not SGD as it is published" in refused("sgd", write_sgd(tmp_path / f"d{number}", dialogue))
    named = json.loads(json.dumps(SHOW_SCHEMA))
    named["slots"][1]["name"] = wrong
    assert "not SGD as it is published" in refused("sgd", write_sgd(tmp_path / "s", SHOWS, schemas=(named, CAB_SCHEMA)))


def test_a_dialogue_of_no_service_is_read(tmp_path: Path) -> None:
    empty = {**json.loads(json.dumps(SHOWS)), "services": []}
    assert len(read_corpus("sgd", write_sgd(tmp_path, empty)).dialogues) == 1


def test_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    write_sgd(tmp_path, SHOWS, name="multiwoz.json")
    write(tmp_path / "sgd.json", {"A1": stay("guesthouse")})
    write(tmp_path / "b" / "train.json", {"7": tour()})
    write(tmp_path / "c.json", {"x": 1})
    write(tmp_path / "d.json", [])
    write(tmp_path / "e.json", [{"service_name": 1}])
    (tmp_path / "readme.txt").write_text("no JSON")
    names = {
        kind: [one.name for one in read_corpus(kind, tmp_path).dialogues] for kind in ("sgd", "multiwoz", "crosswoz")
    }
    assert names == {"sgd": ["1_00001"], "multiwoz": ["A1"], "crosswoz": ["7"]}


def test_zipped_files_are_read(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "test.json.zip", "w") as archive:
        archive.writestr("test.json", json.dumps({"7": tour()}))
        archive.writestr("__MACOSX/._test.json", b"\x00")
    for path in (tmp_path, tmp_path / "test.json.zip"):
        assert [one.name for one in read_corpus("crosswoz", path).dialogues] == ["7"]
    (tmp_path / "broken.zip").write_bytes(b"PK no")
    assert "broken.zip: not a zip file that can be read" in refused("crosswoz", tmp_path)


def test_what_is_missing_or_no_json_is_told_in_one_line(tmp_path: Path) -> None:
    assert refused("sgd", tmp_path / "nowhere") == f"no file or folder '{tmp_path / 'nowhere'}'"
    told = refused("crosswoz", tmp_path)
    assert told.startswith(
        f"{tmp_path}: none of its 0 JSON documents holds dialogues of CrossWOZ; get it from github.com"
    )
    assert "no corpus 'swg'" in refused("swg", tmp_path)
    assert "did you mean 'sgd'" in refused("sdg", tmp_path)
    (tmp_path / "a.json").write_text('[\n{"x": 1},\n{"x" 2}]')
    assert refused("sgd", tmp_path) == f"{tmp_path / 'a.json'}:3: not JSON: Expecting ':' delimiter"
    (tmp_path / "a.json").write_bytes(b"\xff\xfe\x00")
    assert refused("sgd", tmp_path) == f"{tmp_path / 'a.json'}: not JSON that can be read (UnicodeDecodeError)"
    text = tmp_path / "dialogues.txt"
    text.write_text("hello")
    assert "a corpus is a .json file" in refused("multiwoz", text)


# MultiWOZ


def test_multiwoz_state_is_that_of_the_next_system_turn(tmp_path: Path) -> None:
    log = stay("guesthouse")
    log["log"].append({"text": "Thanks.", "metadata": {}})
    log["log"][0]["dialog_act"] = {"Hotel-Inform": [["Area", "north"]], "general-greet": [["none", "none"]]}
    corpus = read_corpus("multiwoz", write(tmp_path / "data.json", {"A1.json": log}))
    (dialogue,) = corpus.dialogues
    first, _, second, _, third = dialogue.turns
    assert (dialogue.name, dialogue.services) == ("A1", ("hotel",))
    assert first.state == {"hotel.area": Reference(("north",)), "hotel.bookpeople": Reference(("2",))}
    assert first.frames[0].acts == (Act("INFORM", "area", ("north",)),)
    assert second.state is not None
    assert second.state["hotel.type"] == Reference(("guest house",))
    assert second.state["hotel.pricerange"] == Reference(("cheap", "dontcare"))
    assert third.state is None  # nothing follows that would tell


def test_multiwoz_is_thirty_slots_of_five_domains(tmp_path: Path) -> None:
    corpus = read_corpus("multiwoz", write(tmp_path / "data.json", {"A1": stay("guesthouse")}))
    assert set(corpus.domains) == {"attraction", "hotel", "restaurant", "taxi", "train"}
    assert sum(len(domain.slots) for domain in corpus.domains.values()) == 30
    hotel = corpus.domains["hotel"].slots
    assert (hotel["parking"].kind, hotel["stars"].kind, hotel["type"].options) == (
        "boolean",
        "integer",
        ("guest house", "hotel"),
    )
    taxi = woz_log(
        ("To the station at 9:30.", "Fine.", metadata(taxi={"leaveAt": "9:30"}, hospital={"department": "x"}))
    )
    (dialogue,) = read_corpus("multiwoz", write(tmp_path / "data.json", {"A2": taxi})).dialogues
    assert dialogue.turns[0].state == {"taxi.leaveat": Reference(("09:30",))}


def test_the_schema_of_2_2_tells_descriptions_and_options(tmp_path: Path) -> None:
    slots = [
        {"name": "hotel-type", "description": "sort of it", "is_categorical": True, "possible_values": ["guesthouse"]},
        {"name": "hotel-ref", "description": "number", "is_categorical": False},
    ]
    schema = [{"service_name": "hotel", "description": "Beds", "slots": slots}, {"service_name": "train", "slots": []}]
    write(tmp_path / "any.json", schema)
    write(tmp_path / "test" / "d.json", {"A1": stay("guesthouse")})
    domains = read_corpus("multiwoz", tmp_path).domains
    assert domains["hotel"].description == "Beds"
    kind = domains["hotel"].slots["type"]
    assert (kind.description, kind.options) == ("sort of it", ("guest house",))
    assert kind.slot.aliases == {"guest house": ["guesthouse"]}
    assert "ref" not in domains["hotel"].slots


def test_versions_of_multiwoz_are_told_by_their_labels(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"old": stay("guesthouse")})
    write(tmp_path / "b.json", {"new": stay("guest house")})
    assert [one.name for one in read_corpus("multiwoz", tmp_path, version="2.1").dialogues] == ["old"]
    newest = read_corpus("multiwoz", tmp_path)
    assert (newest.version, [one.name for one in newest.dialogues]) == ("2.4", ["new"])
    assert "there is no MultiWOZ 2.2, but 2.1, 2.4" in refused("multiwoz", tmp_path, version="2.2")
    assert "no version '3' of MultiWOZ: it is one of 2.1, 2.2, 2.4" in refused("multiwoz", tmp_path, version="3")


def test_a_file_that_does_not_tell_its_version_is_taken_at_the_users_word(tmp_path: Path) -> None:
    write(tmp_path / "data.json", {"A1": stay("hotel")})
    assert read_corpus("multiwoz", tmp_path).version is None
    assert read_corpus("multiwoz", tmp_path, version="2.1").version == "2.1"


def test_multiwoz_2_2_has_frames(tmp_path: Path) -> None:
    state = {"active_intent": "find_hotel", "requested_slots": [], "slot_values": {"hotel-area": ["centre", "center"]}}
    turns = [
        {"speaker": "USER", "utterance": "In the centre.", "frames": [{"service": "hotel", "state": state}]},
        {"speaker": "SYSTEM", "utterance": "Fine.", "frames": []},
    ]
    write(tmp_path / "d.json", [{"dialogue_id": "A1.json", "services": ["hotel"], "turns": turns}])
    corpus = read_corpus("multiwoz", tmp_path)
    (dialogue,) = corpus.dialogues
    assert (corpus.version, dialogue.name) == ("2.2", "A1")
    assert [turn.role for turn in dialogue.turns] == ["user", "assistant"]
    assert dialogue.turns[0].state == {"hotel.area": Reference(("centre",))}


def test_preprocessed_dialogues_are_read(tmp_path: Path) -> None:
    turns = [
        {
            "system_transcript": "",
            "transcript": "a cheap hotel",
            "belief_state": [{"slots": [["hotel-price range", "cheap"]], "act": "inform"}],
        },
        {
            "system_transcript": "which day ?",
            "transcript": "monday",
            "belief_state": [["hotel-pricerange", "cheap"], ["hotel-book day", "monday"], ["hotel-name", "none"]],
        },
    ]
    write(tmp_path / "test_dials.json", [{"dialogue_idx": "A1.json", "dialogue": turns}])
    corpus = read_corpus("multiwoz", tmp_path, version="2.4")
    (dialogue,) = corpus.dialogues
    assert [turn.text for turn in dialogue.turns] == ["a cheap hotel", "which day ?", "monday"]
    assert dialogue.turns[2].state == {
        "hotel.pricerange": Reference(("cheap",)),
        "hotel.bookday": Reference(("monday",)),
    }


def test_the_test_list_beside_a_whole_multiwoz_selects(tmp_path: Path) -> None:
    write(tmp_path / "data.json", {"A1.json": stay("guesthouse"), "A2.json": stay("guesthouse")})
    (tmp_path / "testListFile.txt").write_text("A2.json\n")
    (tmp_path / "valListFile.txt").write_text("A1.json\n")
    assert [one.name for one in read_corpus("multiwoz", tmp_path).dialogues] == ["A2"]
    assert [one.name for one in read_corpus("multiwoz", tmp_path, split="dev").dialogues] == ["A1"]
    assert [one.name for one in read_corpus("multiwoz", tmp_path / "data.json").dialogues] == ["A2"]


def test_what_is_wrong_with_multiwoz_is_told_in_one_line(tmp_path: Path) -> None:
    log = {"goal": {}, "log": [{"text": "Hm"}, {"text": "Hm"}]}
    assert "data.json: not MultiWOZ as it is published (no 'metadata')" in refused(
        "multiwoz", write(tmp_path / "data.json", {"A1": log})
    )
    odd = woz_log(("A room.", "Fine.", metadata(hotel={"area": ["north", 3], "stars": 4})))
    (dialogue,) = read_corpus("multiwoz", write(tmp_path / "data.json", {"A1": odd})).dialogues
    assert dialogue.turns[0].state == {"hotel.area": Reference(("north",))}  # what is no text is no value


# CrossWOZ


def test_crosswoz_is_read(tmp_path: Path) -> None:
    corpus = read_corpus("crosswoz", write(tmp_path / "test.json", {"7": tour()}))
    (dialogue,) = corpus.dialogues
    first, _, second, last = dialogue.turns
    assert dialogue.services == ("景点",)
    assert first.frames[0].acts == (Act("INFORM", "评分", ("4.5分以上",)),)
    assert second.state == {"景点.评分": Reference(("4.5分以上",)), "景点.名称": Reference(("故宫",))}
    assert last.role == "assistant"
    sights = corpus.domains["景点"].slots
    assert (sights["评分"].options, sights["名称"].kind) == (("4.5分以上",), "text")
    assert corpus.domains["餐馆"].slots["推荐菜"].kind == "list"
    assert "dialogue 7: not CrossWOZ" in refused(
        "crosswoz", write(tmp_path / "test.json", {"7": {**tour(), "messages": [{"role": "usr"}]}})
    )
    assert "not CrossWOZ as it is published" in refused(
        "crosswoz", write(tmp_path / "test.json", {"7": {**tour(), "goal": [1]}})
    )


# Conversation tests

CASE = {
    "name": "a trip",
    "now": "2025-03-03T09:00",
    "domains": [
        {
            "title": "trip",
            "type": "object",
            "properties": {
                "people": {"type": "integer"},
                "via": {"type": "string"},
                "home": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ],
    "turns": [
        {"role": "user", "text": "Two of us."},
        {"role": "assistant", "text": "Via Ely?", "asks": ["trip.via"], "offers": {"trip.via": "Ely"}},
        {"role": "user", "text": "No."},
    ],
    "expected": {"trip.people": 2, "trip.via": None, "trip.home.city": "Ely"},
}


def test_conversation_tests_are_judged_at_their_end(tmp_path: Path) -> None:
    write(tmp_path / "a.cases.json", [CASE, CASE])
    first, again = read_corpus("cases", tmp_path).dialogues
    assert (first.name, again.name) == ("a trip", "a trip (2)")  # names are looked up
    assert first.turns[0].state is None
    assert first.turns[2].state == {"trip.people": Reference(("2",))}
    assert first.turns[2].listed == frozenset({"trip.people", "trip.via"})
    assert first.turns[1].offers == {"trip.via": "Ely"}
    assert first.now.isoformat() == "2025-03-03T09:00:00+00:00"
    assert len(read_corpus("cases", tmp_path / "a.cases.json").dialogues) == 2


def test_what_is_wrong_with_conversation_tests_is_told_in_one_line(tmp_path: Path) -> None:
    assert "it holds no conversation tests" in refused("cases", tmp_path)
    write(tmp_path / "a.cases.json", [{"name": "x"}])
    assert "a.cases.json:1: a case needs domains, a list" in refused("cases", tmp_path)
    (tmp_path / "b.cases.yaml").write_text("[a")
    (tmp_path / "a.cases.json").unlink()
    with pytest.raises(SchemaError, match=r"b\.cases\.yaml"):
        read_corpus("cases", tmp_path)

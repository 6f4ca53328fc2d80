"""Corpora of a few words of our own, in the forms in which the real ones are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = Any


def write(path: Path, document: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


# SGD


def _slot(name: str, about: str, options: list[str] | None = None) -> Json:
    return {
        "name": name,
        "description": about,
        "is_categorical": options is not None,
        "possible_values": options or [],
    }


SHOW_SCHEMA: Json = {
    "service_name": "Shows_7",
    "description": "Plays and films",
    "slots": [
        _slot("title", "name of the play"),
        _slot("city", "where it is on"),
        _slot("show_date", "day of the show"),
        _slot("show_time", "when it starts"),
        _slot("kind", "play or film", ["Play", "Film"]),
        _slot("seats", "how many seats", ["1", "2", "3"]),
        _slot("subtitles", "whether it has subtitles", ["True", "False"]),
        _slot("phone_number", "phone of the house"),
    ],
    "intents": [
        {
            "name": "FindShow",
            "description": "Find a show",
            "is_transactional": False,
            "required_slots": ["city"],
            "optional_slots": dict.fromkeys(("title", "show_date", "show_time", "kind", "seats"), "dontcare"),
        }
    ],
}
CAB_SCHEMA: Json = {
    "service_name": "Cabs_2",
    "description": "Order a cab",
    "slots": [_slot("destination", "where to"), _slot("riders", "how many people", ["1", "2"])],
    "intents": [],
}
SHOW_VARIANT: Json = {
    "service_name": "Shows_73",
    "description": "What is on",
    "slots": [
        _slot("name_of_it", "how it is called"),
        _slot("town", "town of the house"),
        _slot("which_day", "on which day"),
        _slot("begin", "when one has to be there"),
        _slot("sort", "what it is", ["Play", "Film"]),
        _slot("places", "number of places", ["1", "2", "3"]),
        _slot("captions", "are there captions", ["True", "False"]),
        _slot("call_them", "number to call"),
    ],
    "intents": [
        {
            "name": "LookForShow",
            "description": "Look for something",
            "is_transactional": False,
            "required_slots": ["town"],
            "optional_slots": dict.fromkeys(("name_of_it", "which_day", "begin", "sort", "places"), "dontcare"),
        }
    ],
}
CAB_VARIANT: Json = {
    "service_name": "Cabs_23",
    "description": "Get driven",
    "slots": [_slot("goal", "where to be driven"), _slot("heads", "number of riders", ["1", "2"])],
    "intents": [],
}


def act(act: str, slot: str = "", *values: str, canonical: tuple[str, ...] | None = None) -> Json:
    return {"act": act, "slot": slot, "values": list(values), "canonical_values": list(canonical or values)}


def user(text: str, service: str, slots: Json, *acts: Json, intent: str = "FindShow", requested: Json = ()) -> Json:
    state = {"active_intent": intent, "requested_slots": list(requested), "slot_values": slots}
    frame = {"service": service, "actions": list(acts), "slots": [], "state": state}
    return {"speaker": "USER", "utterance": text, "frames": [frame]}


def system(text: str, service: str, *acts: Json, **more: Json) -> Json:
    frame = {"service": service, "actions": list(acts), "slots": [], **more}
    return {"speaker": "SYSTEM", "utterance": text, "frames": [frame]}


SHOWS: Json = {
    "dialogue_id": "1_00001",
    "services": ["Shows_7"],
    "turns": [
        user(
            "Any good play in Ely on May 2nd?",
            "Shows_7",
            {"kind": ["Play"], "city": ["Ely"], "show_date": ["May 2nd"]},
            act("INFORM", "kind", "Play"),
            act("INFORM", "city", "Ely"),
            act("INFORM", "show_date", "May 2nd", canonical=("2019-05-02",)),
            act("INFORM_INTENT", "intent", "FindShow"),
        ),
        system(
            "The Kettle is on at 7 pm.",
            "Shows_7",
            act("OFFER", "title", "The Kettle"),
            act("OFFER", "show_time", "7 pm", canonical=("19:00",)),
            service_call={"method": "FindShow", "parameters": {"city": "Ely"}},
            service_results=[{"title": "The Kettle"}],
        ),
        user(
            "Good. Are there subtitles?",
            "Shows_7",
            {
                "kind": ["Play"],
                "city": ["Ely"],
                "show_date": ["May 2nd"],
                "title": ["The Kettle"],
                "show_time": ["7 pm"],
            },
            act("REQUEST", "subtitles"),
            requested=["subtitles"],
        ),
    ],
}
EVENING: Json = {
    "dialogue_id": "1_00002",
    "services": ["Shows_7", "Cabs_2"],
    "turns": [
        user("Two seats for a film, please.", "Shows_7", {"seats": ["2"], "kind": ["Film"]}),
        system("Fine. Do you need a ride?", "Cabs_2"),
        user("Yes, to Castle Street.", "Cabs_2", {"destination": ["Castle Street"]}, intent="NONE"),
    ],
}


def write_sgd(folder: Path, *dialogues: Json, schemas: Json = (SHOW_SCHEMA, CAB_SCHEMA), name: str = "d.json") -> Path:
    """A folder as SGD has one for each split."""
    write(folder / name, list(dialogues))
    write(folder / "schema.json", list(schemas))
    return folder


# MultiWOZ


def metadata(**domains: Json) -> Json:
    """What a system turn says of the state: `hotel={"area": "north", "book people": "2"}`."""
    return {
        domain: {
            "semi": {name: value for name, value in slots.items() if not name.startswith("book ")},
            "book": {"booked": []}
            | {name.removeprefix("book "): value for name, value in slots.items() if name.startswith("book ")},
        }
        for domain, slots in domains.items()
    }


def woz_log(*turns: tuple[str, str, Json]) -> Json:
    """A dialogue of (user, assistant, metadata of the assistant's turn)."""
    log: list[Json] = []
    for said, answer, state in turns:
        log += [{"text": said, "metadata": {}}, {"text": answer, "metadata": state}]
    return {"goal": {}, "log": log}


def stay(kind: str) -> Json:
    return woz_log(
        ("A room in the north for two.", "Which price?", metadata(hotel={"area": "north", "book people": "2"})),
        (
            "Cheap, or no matter. A guest house.",
            "All right.",
            metadata(hotel={"area": "north", "book people": "2", "pricerange": "cheap|dontcare", "type": kind}),
        ),
    )


# CrossWOZ


def tour() -> Json:
    def state(**slots: str) -> Json:
        return {"景点": {"名称": "", "门票": "", "评分": "", "selectedResults": [], **slots}}

    return {
        "sys-usr": [1, 2],
        "goal": [[1, "景点", "评分", "4.5分以上", False], [1, "景点", "名称", "", False]],
        "messages": [
            {
                "role": "usr",
                "content": "你好,推荐一个评分4.5分以上的景点。",
                "dialog_act": [["Inform", "景点", "评分", "4.5分以上"], ["General", "greet", "none", "none"]],
            },
            {"role": "sys", "content": "故宫怎么样?", "sys_state_init": state(评分="4.5分以上")},
            {"role": "usr", "content": "好的,就去故宫。", "dialog_act": []},
            {"role": "sys", "content": "好的。", "sys_state_init": state(评分="4.5分以上", 名称="故宫")},
        ],
    }

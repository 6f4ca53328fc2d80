"""A small corpus in SGD's form, of own sentences: two services, each with a handful of ways to say things."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

CITIES = ["Rivaton", "Port Elm", "Saint Orla", "Quillham", "Noreby", "Tessford"]
SHOPS = ["Blue Lantern", "Old Mill", "Pepper Tree", "Half Moon"]
DAYS = ["Monday", "the 4th of May", "next Friday", "March 9th"]
TABLES = {
    "service_name": "Tables_1",
    "description": "Book a table at a restaurant",
    "slots": [
        {"name": "town", "description": "Town of the restaurant", "is_categorical": False, "possible_values": []},
        {"name": "shop_name", "description": "Name of the restaurant", "is_categorical": False, "possible_values": []},
        {"name": "day", "description": "Day of the visit", "is_categorical": False, "possible_values": []},
        {
            "name": "guests",
            "description": "Number of guests",
            "is_categorical": True,
            "possible_values": ["1", "2", "3"],
        },
        {"name": "phone", "description": "Phone number", "is_categorical": False, "possible_values": []},
    ],
    "intents": [
        {
            "name": "BookTable",
            "description": "Book a table",
            "required_slots": ["town", "shop_name", "day"],
            "optional_slots": {"guests": "2"},
        }
    ],
}
RIDES = {
    "service_name": "Rides_1",
    "description": "Order a ride in a car",
    "slots": [
        {"name": "goal", "description": "Where the ride goes to", "is_categorical": False, "possible_values": []},
        {
            "name": "riders",
            "description": "Number of riders",
            "is_categorical": True,
            "possible_values": ["1", "2", "3"],
        },
        {"name": "shared", "description": "Share it", "is_categorical": True, "possible_values": ["True", "False"]},
    ],
    "intents": [
        {
            "name": "Ride",
            "description": "Order a ride",
            "required_slots": ["goal"],
            "optional_slots": {"shared": "False"},
        }
    ],
}
SERVICES: list[dict[str, Any]] = [TABLES, RIDES]
Slots = dict[str, str]


def _turn(
    speaker: str, service: str, text: str, acts: list[tuple[str, str, str]], state: Slots | None
) -> dict[str, Any]:
    told = [
        {"act": act, "slot": slot, "values": [value] * bool(value), "canonical_values": [value] * bool(value)}
        for act, slot, value in acts
    ]
    spans = [
        {"slot": slot, "start": text.index(value), "exclusive_end": text.index(value) + len(value)}
        for _, slot, value in acts
        if value in text and value and not value.isdigit() and slot not in {"shared", "intent"}
    ]
    frame: dict[str, Any] = {"service": service, "actions": told, "slots": spans}
    if state is not None:
        values = {slot: [value] for slot, value in state.items()}
        frame["state"] = {"active_intent": "NONE", "requested_slots": [], "slot_values": values}
    return {"speaker": speaker, "utterance": text, "frames": [frame]}


def table(number: int, rng: random.Random) -> dict[str, Any]:
    """A talk about a table."""
    town, shop, day, guests = rng.choice(CITIES), rng.choice(SHOPS), rng.choice(DAYS), rng.choice("123")
    state: Slots = {"town": town}
    asks = rng.choice(["I want to eat out in {}.", "find me a restaurant in {} please", "dinner somewhere in {}"])
    turns = [_turn("USER", "Tables_1", asks.format(town), [("INFORM", "town", town)], dict(state))]
    offer = rng.choice(["How about {}?", "There is {}, would you like that?", "I found {}. Does that suit you?"])
    turns.append(_turn("SYSTEM", "Tables_1", offer.format(shop), [("OFFER", "shop_name", shop)], None))
    state["shop_name"] = shop
    yes = rng.choice(["Sounds good.", "Yes, that works", "Perfect, thanks."])
    turns.append(_turn("USER", "Tables_1", yes, [("SELECT", "", "")], dict(state)))
    turns.append(_turn("SYSTEM", "Tables_1", "For which day, and how many people?", [("REQUEST", "day", "")], None))
    state |= {"day": day, "guests": guests}
    says = rng.choice(["On {} for {} people.", "{}, we are {}", "make it {} and {} of us"]).format(day, guests)
    acts = [("INFORM", "day", day), ("INFORM", "guests", guests)]
    turns.append(_turn("USER", "Tables_1", says, acts, dict(state)))
    return {"dialogue_id": f"t_{number}", "services": ["Tables_1"], "turns": turns}


def ride(number: int, rng: random.Random) -> dict[str, Any]:
    """A talk about a ride."""
    goal, riders = rng.choice(CITIES), rng.choice("123")
    state: Slots = {"goal": goal}
    asks = rng.choice(["I need a ride to {}.", "get me a cab to {}", "take me to {} please"])
    turns = [_turn("USER", "Rides_1", asks.format(goal), [("INFORM", "goal", goal)], dict(state))]
    turns.append(_turn("SYSTEM", "Rides_1", "How many riders?", [("REQUEST", "riders", "")], None))
    state["riders"] = riders
    turns.append(_turn("USER", "Rides_1", f"{riders} of us", [("INFORM", "riders", riders)], dict(state)))
    turns.append(_turn("SYSTEM", "Rides_1", "Is a shared one fine?", [("REQUEST", "shared", "")], None))
    fine = rng.random() < 0.5
    state["shared"] = str(fine)
    says = "yes, sharing is fine" if fine else "no, only for us"
    turns.append(_turn("USER", "Rides_1", says, [("INFORM", "shared", str(fine))], dict(state)))
    return {"dialogue_id": f"r_{number}", "services": ["Rides_1"], "turns": turns}


def write(folder: Path, count: int = 220) -> Path:
    """Write the corpus into a folder."""
    rng = random.Random(3)
    dialogues = [(table if number % 2 else ride)(number, rng) for number in range(count)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dialogues_001.json").write_text(json.dumps(dialogues), encoding="utf-8")
    (folder / "schema.json").write_text(json.dumps(SERVICES), encoding="utf-8")
    return folder

"""Dialogues played on states of the recipe's own: what a slot may hold there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from slotstate.domains import Domains
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.extractors.builtin.learned.known import ANY
from slotstate.jsonschema import domain_from_json_schema
from training.golds import Gold
from training.playing import Played, Player

VISIT = domain_from_json_schema(
    {
        "title": "visit",
        "type": "object",
        "description": "Plan a visit",
        "properties": {
            "at": {"type": "string", "format": "time", "description": "When the visit begins"},
            "on": {"type": "string", "format": "date", "description": "Day of the visit"},
            "people": {"type": "integer", "description": "How many come"},
            "town": {"type": "string", "description": "Where it is"},
        },
    }
)
NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("slot", "words", "held"),
    [
        ("at", "half past two in the afternoon", "14:30"),
        ("at", '2 o"clock in the afternon!', None),  # as misprinted
        ("on", "the 9th of May", "2026-05-09"),
        ("on", "the 39th of May", None),
        ("people", "three", 3),
        ("people", "thre people e", None),
        ("town", 'Port "Elm', 'Port "Elm'),
    ],
)
def test_a_slot_holds_values_only(slot: str, words: str, held: object) -> None:
    player = Player(Played(Domains([VISIT]), [], NOW))
    spec = VISIT.slots[slot]
    player.put(spec, words)
    assert (player.slots[spec.path].held.value if spec.path in player.slots else None) == held
    player.put(spec, ANY)
    assert player.slots[spec.path].held.dontcare


def test_a_dialogue_with_a_misprinted_time_is_played_to_its_end() -> None:
    gold: Gold = {"visit.at": ['2 o"clock in the afternon']}
    turns = [
        ("", 'come at 2 o"clock in the afternon', gold, frozenset[str]()),
        ("At 2?", "no, in the evening", {"visit.at": ["8 pm"]}, frozenset[str]()),
        ("At 8?", "make it 9 instead, in the morning", {"visit.at": ["9 am"]}, frozenset[str]()),
    ]
    player = Player(Played(Domains([VISIT]), turns, NOW))
    for view, candidates, _, after in player.views(BuiltinExtractor().models()):
        player.teach(after, view, candidates)
    assert player.slots["visit.at"].held.value == "09:00"

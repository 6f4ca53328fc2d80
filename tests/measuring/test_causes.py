"""Why a slot is wrong, told from what there was to read and what the tracker did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slotstate.domains import Domains
from slotstate.jsonschema import domain_from_json_schema
from slotstate.measuring.causes import ABOUT, CAUSES, Moment, cause_of
from slotstate.measuring.dialogues import NOW, Reference, domain_schema
from slotstate.measuring.records import Found, Proposal, TurnRecord

SPEC = Domains([domain_from_json_schema(domain_schema("trip", "", {"city": {"type": "string"}}))]).specs["trip.city"]
ELY, OSLO, ANY = Reference(("Ely",)), Reference(("Oslo",)), Reference(("dontcare",))
QUIET = TurnRecord(0, {})
PLAIN = Moment(SPEC, None, ELY, None, None, QUIET, {}, "Hm.", ("Yes?", "Well."), NOW)


def proposed(value: str, outcome: str, path: str = "trip.city") -> TurnRecord:
    return TurnRecord(0, {}, proposals=(Proposal("set", path, value, "Hm", outcome),))


GIFT = Domains([domain_from_json_schema(domain_schema("trip", "", {"gift": {"type": "boolean"}}))]).specs["trip.gift"]
ASKED = replace(PLAIN, spec=GIFT, reference=Reference(("true",)), text="Yes.", earlier=("Is it a gift?",))


@pytest.mark.parametrize(
    ("moment", "cause"),
    [
        (ASKED, "said, not read"),
        (replace(ASKED, text="No, it is not."), "implied, not concluded"),
        (replace(ASKED, reference=Reference(("false",)), text="No, it is not."), "said, not read"),
        (replace(ASKED, earlier=("It is ready.",)), "implied, not concluded"),
        (replace(PLAIN, text="To Ely."), "said, not read"),
        (replace(PLAIN, earlier=("Ely, then?", "Well.")), "offered, not taken up"),
        (replace(PLAIN, earlier=("Well?", "Ely is nice.")), "from earlier, not carried over"),
        (replace(PLAIN, earlier=()), "implied, not concluded"),
        (PLAIN, "implied, not concluded"),
        (replace(PLAIN, taken={"trip.home": Found("Ely")}), "given to another slot"),
        (replace(PLAIN, reference=ANY), "no preference missed"),
        (replace(PLAIN, before=OSLO, had=Found("Oslo"), found=Found("Oslo"), text="Ely!"), "correction missed"),
        (replace(PLAIN, before=OSLO, had=Found("Rome"), found=Found("Rome"), text="Ely!"), "said, not read"),
        (replace(PLAIN, record=proposed("Ely", "rejected")), "held back"),
        (replace(PLAIN, record=proposed("Ely", "pending")), "held back"),
        (replace(PLAIN, record=proposed("Rome", "rejected")), "implied, not concluded"),
        (replace(PLAIN, record=proposed("Ely", "rejected", "trip.home")), "implied, not concluded"),
        (replace(PLAIN, reference=ANY, record=proposed("dontcare", "rejected")), "held back"),
        (replace(PLAIN, record=replace(QUIET, extraction="failed"), text="To Ely."), "extraction failed"),
        (replace(PLAIN, found=Found("Rome")), "wrong value"),
        (replace(PLAIN, found=Found(dontcare=True)), "no preference invented"),
        (replace(PLAIN, before=ELY, had=Found("Ely"), found=Found("Rome")), "overwritten"),
        (replace(PLAIN, before=ELY, had=Found("Ely")), "emptied"),
        (replace(PLAIN, before=ELY, had=Found("Rome"), text="To Ely."), "said, not read"),  # emptied, and was wrong
        (replace(PLAIN, before=OSLO, had=Found("Oslo"), text="To Ely."), "correction missed"),
        (replace(PLAIN, reference=None, found=Found("Rome")), "invented"),
        (replace(PLAIN, reference=None, found=Found(dontcare=True)), "no preference invented"),
        (replace(PLAIN, reference=None, before=ELY, had=Found("Ely"), found=Found("Ely")), "not taken back"),
    ],
)
def test_the_cause_of_a_mistake(moment: Moment, cause: str) -> None:
    assert cause_of(moment) == cause


def test_every_cause_is_explained() -> None:
    assert set(ABOUT) == set(CAUSES)

"""The promises on domains as people write them: names, aliases and values that say the same or hold one another."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from slotstate import Money, Phone, Slot
from slotstate.testing import promises_for


class Visit(BaseModel):
    """Make an appointment with a doctor at a clinic."""

    doctor: Annotated[str, Slot(ask="Which doctor?", cues=["Dr", "doctor"], examples=["Dr Smith"], confirm="explicit")]
    day: Annotated[date, Slot(ask="On which day?")]
    new_patient: Annotated[
        bool,
        Slot(
            ask="Is it your first visit?",
            aliases={"true": ["new patient", "first visit"], "false": ["been here before", "not a new patient"]},
        ),
    ]
    video: Annotated[
        bool | None, Slot(ask="By video?", aliases={"true": ["video", "online"], "false": ["no video"]})
    ] = None
    allergies: Annotated[list[str], Slot(ask="Any allergies?", cues=["allergic to", "allergy"])] = []


class Catering(BaseModel):
    """Order catering for a party."""

    dish: Annotated[
        Literal["thai", "thai fusion", "italian"], Slot(ask="Which dish?", aliases={"thai": ["dish of the day"]})
    ]
    guests: Annotated[int, Field(ge=5, le=200), Slot(ask="How many guests?")]
    budget: Annotated[Money, Slot(ask="What is your budget?", confirm="explicit")]
    lasts: Annotated[timedelta | None, Slot(ask="How long will it last?", confirm="implicit")] = None
    starts: Annotated[time, Slot(ask="When does it start?")]
    extras: Annotated[list[Literal["cake", "extra cake", "music"]] | None, Slot(ask="Any extras?", dont_care=True)] = (
        None
    )
    venue: Annotated[Literal["indoors", "garden"] | None, Slot(ask="Where?", dont_care=True)] = None


class Job(BaseModel):
    """Send a parcel."""

    parcel: Annotated[Literal["small parcel", "large parcel", "letter"], Slot(aliases={"letter": ["parcel letter"]})]
    deposit: Annotated[Money | None, Slot(cues=["deposit", "pay"])] = None
    wait: Annotated[timedelta | None, Slot(aliases={}, cues=["wait"])] = None
    collected: Annotated[datetime | None, Slot(ask="When should we collect it?")] = None
    caller: Annotated[Phone | None, Slot(ask="Your number?", sensitive=True)] = None
    stops: Annotated[list[date], Slot(ask="Which days?")] = []
    prices: Annotated[list[Money], Slot(ask="Which prices?")] = []
    insured: Annotated[bool | None, Slot(aliases={"true": ["insured"], "false": ["uninsured", "not insured"]})] = None
    no_signature: Annotated[bool | None, Slot(ask="Without signature?")] = None


TABLE: dict[str, Any] = {
    "餐厅": Annotated[str, Slot(ask="哪家餐厅？", examples=["全聚德", "海底捞"], confirm="explicit")],
    "靠窗": (
        Annotated[bool | None, Slot(ask="要靠窗吗？", aliases={"true": ["靠窗"], "false": ["不靠窗", "大厅"]})],
        None,
    ),
    "人数": Annotated[int, Field(ge=1, le=30), Slot(ask="几位？")],
    "人均": (Annotated[Money | None, Slot(ask="人均多少元？")], None),
    "忌口": (Annotated[list[str], Slot(ask="有忌口吗？", cues=["忌口"])], []),
    "菜系": (Annotated[Literal["川菜", "粤菜"] | None, Slot(aliases={"川菜": ["菜系川菜"]}, dont_care=True)], None),
}
Table = create_model("订座", __doc__="在餐厅订座位。", **TABLE)
"""A domain in Chinese."""


TestVisit = promises_for(Visit, max_examples=25)
TestCatering = promises_for(Catering, max_examples=25)
TestParcel = promises_for(Job, max_examples=25)
TestBoth = promises_for(Visit, Catering, max_examples=15)
TestChinese = promises_for(Table, max_examples=25)

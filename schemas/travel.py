"""A trip by train or plane. Cues and aliases in English and Chinese; a schema to start from."""

from datetime import date, time
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from slotstate import Email, Money, Phone, Slot


class Travel(BaseModel):
    """Plan a trip by train or plane."""

    origin: Annotated[
        str,
        Field(description="City or station where the trip starts"),
        Slot(
            ask="Where do you leave from?",
            cues=["from", "leave from", "leaving from", "depart from", "starting in", "从", "自", "出发地", "始发"],
            examples=["Leeds", "杭州"],
            confirm="explicit",
        ),
    ]
    destination: Annotated[
        str,
        Field(description="City or station where the trip ends"),
        Slot(
            ask="Where do you want to go?",
            cues=["to", "going to", "travel to", "arrive in", "去", "到", "飞往", "前往", "目的地"],
            examples=["Bristol", "成都"],
        ),
    ]
    outbound_on: Annotated[
        date,
        Field(description="Day of the outward journey"),
        Slot(
            ask="Which day do you leave?",
            cues=["leave on", "leaving on", "outbound", "depart on", "去程", "出发日期", "出发"],
        ),
    ]
    return_on: Annotated[
        date | None,
        Field(description="Day of the journey back; none for a single ticket"),
        Slot(
            ask="Which day do you come back?",
            cues=["return", "returning", "come back", "coming back", "back on", "返程", "回程", "回来", "返回"],
        ),
    ] = None
    departs_at: Annotated[
        time | None,
        Field(description="Earliest time of departure"),
        Slot(
            ask="What time would you like to leave?",
            cues=["leave at", "leaving at", "depart at", "departure time", "几点", "点出发", "出发时间"],
            dont_care=True,
        ),
    ]
    mode: Annotated[
        Literal["train", "plane"] | None,
        Field(description="Means of transport"),
        Slot(
            ask="By train or by plane?",
            aliases={
                "train": ["trains", "rail", "railway", "by rail", "火车", "高铁", "动车", "列车"],
                "plane": ["planes", "flight", "flights", "fly", "flying", "by air", "飞机", "航班", "坐飞机"],
            },
            dont_care=True,
        ),
    ] = None
    seat: Annotated[
        Literal["second", "first"] | None,
        Field(description="Class of the seat"),
        Slot(
            ask="First or second class?",
            cues=["class", "seat", "seats", "座位", "座席", "席别"],
            aliases={
                "second": [
                    "second class",
                    "2nd class",
                    "standard",
                    "standard class",
                    "economy",
                    "二等座",
                    "二等",
                    "经济舱",
                ],
                "first": ["first class", "1st class", "business class", "一等座", "一等", "头等舱", "商务舱"],
            },
            dont_care=True,
        ),
    ]
    people: Annotated[
        int,
        Field(ge=1, le=9, description="Number of travellers"),
        Slot(
            ask="How many people travel?",
            cues=[
                *("people", "persons", "passengers", "travellers", "travelers", "adults", "tickets", "of us"),
                *("人", "位", "个人", "张票", "人数", "乘客"),
            ],
        ),
    ]
    budget: Annotated[
        Money | None,
        Field(description="The most that the whole trip may cost"),
        Slot(
            ask="How much may it cost at most?",
            cues=["budget", "at most", "up to", "no more than", "spend", "预算", "不超过", "最多", "以内"],
        ),
    ] = None
    insurance: Annotated[
        bool | None,
        Field(description="Whether travel insurance is wanted"),
        Slot(ask="Would you like travel insurance?", cues=["insurance", "insured", "保险"]),
    ] = None
    avoid: Annotated[
        list[str],
        Field(description="Cities or stations that the trip must not pass through"),
        Slot(
            ask="Is there any place to avoid?",
            cues=["avoid", "not via", "not through", "避开", "不经过", "不要经过", "别经过"],
        ),
    ] = []
    contact_email: Annotated[
        Email | None,
        Field(description="Where the tickets are sent"),
        Slot(
            ask="Which email address should the tickets go to?", cues=["email", "mail", "邮箱", "邮件"], sensitive=True
        ),
    ] = None
    contact_phone: Annotated[
        Phone | None,
        Field(description="Phone number for news about the trip"),
        Slot(
            ask="Which phone number can we reach you on?",
            cues=["phone", "phone number", "mobile", "call me", "text me", "电话", "手机", "手机号"],
            sensitive=True,
        ),
    ] = None

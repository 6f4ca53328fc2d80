"""A support ticket: what is broken, since when, and how to reach the customer."""

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from slotstate import Email, Slot


class Support(BaseModel):
    """Open a ticket for a product that does not work."""

    product: Annotated[
        Literal["router", "phone", "tv_box", "sim_card"],
        Field(description="What the ticket is about"),
        Slot(
            ask="Which product is it about?",
            aliases={
                "router": ["wifi box", "wi-fi", "modem", "路由器", "光猫"],
                "phone": ["mobile", "handset", "smartphone", "手机"],
                "tv_box": ["tv", "set-top box", "television", "机顶盒", "电视盒子"],
                "sim_card": ["sim", "esim", "电话卡"],
            },
        ),
    ]
    problem: Annotated[
        str,
        Field(description="What is wrong, in the customer's words"),
        Slot(ask="What is the problem?", cues=["problem", "issue", "broken", "wrong", "问题", "故障"]),
    ]
    since: Annotated[
        date | None,
        Field(description="Day on which the problem began"),
        Slot(ask="Since when?", cues=["since", "began", "started", "从什么时候", "开始"], dont_care=True),
    ]
    order_id: Annotated[
        str | None,
        Field(pattern=r"^[A-Z]{2}-\d{6}$", description="Order number: two letters, a dash, six digits"),
        Slot(
            ask="What is the order number?",
            cues=["order", "order number", "order id", "订单", "订单号"],
            examples=["AB-123456"],
        ),
    ] = None
    urgent: Annotated[
        bool,
        Field(description="Whether it cannot wait for the next working day"),
        Slot(
            ask="Is it urgent?",
            aliases={
                "true": ["urgent", "urgently", "as soon as possible", "紧急", "很急"],
                "false": ["no rush", "no hurry", "不急"],
            },
            cues=["urgent", "紧急"],
        ),
    ]
    steps_tried: Annotated[
        list[Literal["restart", "cable", "reset", "update"]],
        Field(description="What the customer has tried already"),
        Slot(
            ask="What have you tried so far?",
            aliases={
                "restart": ["restarted", "rebooted", "reboot", "turned it off and on", "重启"],
                "cable": ["cables", "replaced the cable", "换线", "网线"],
                "reset": ["factory reset", "恢复出厂设置"],
                "update": ["updated", "firmware update", "升级", "更新"],
            },
        ),
    ] = []
    email: Annotated[
        Email,
        Field(description="Where the answer is sent"),
        Slot(
            ask="Which email address can we answer to?",
            cues=["email", "mail", "邮箱"],
            confirm="implicit",
            sensitive=True,
        ),
    ]

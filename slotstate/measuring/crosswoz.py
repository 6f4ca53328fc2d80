"""CrossWOZ, read from its JSON (Zhu et al. 2020, "CrossWOZ: A Large-Scale Chinese Cross-Domain Task-Oriented Dialogue
Dataset"): five domains of Beijing, in Chinese. The reference is `sys_state_init` of the system turn that follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from slotstate.measuring.dialogues import Act, Dialogue, Frame, JsonSchema, Reference, Turn, domain_schema

Raw = Mapping[str, Any]

_NEAR: Final = {"周边景点": "附近的景点", "周边餐馆": "附近的餐馆", "周边酒店": "附近的酒店"}
_RIDE: Final = {"出发地": "从哪里出发", "目的地": "到哪里去"}
_SLOTS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "景点": (
        "找景点",
        {"名称": "景点的名字", "门票": "门票的价格", "游玩时间": "玩多长时间", "评分": "游客的评分", **_NEAR},
    ),
    "餐馆": (
        "找餐馆",
        {"名称": "餐馆的名字", "推荐菜": "想吃的菜", "人均消费": "每个人花多少钱", "评分": "顾客的评分", **_NEAR},
    ),
    "酒店": (
        "找酒店",
        {
            "名称": "酒店的名字",
            "酒店类型": "哪一种酒店",
            "酒店设施": "要有的设施和服务",
            "价格": "每晚的价格",
            "评分": "住客的评分",
            **_NEAR,
        },
    ),
    "地铁": ("查地铁", _RIDE),
    "出租": ("叫出租车", _RIDE),
}
DOMAINS: Final = tuple(_SLOTS)
_CHOSEN: Final = frozenset({"评分", "门票", "游玩时间", "人均消费", "价格", "酒店类型"})
"""Slots whose options are the values that stand in the goals of the dialogues."""
LISTS: Final = frozenset({"推荐菜", "酒店设施"})
"""Slots that hold several values; the corpus writes them with spaces between."""


def is_dialogues(data: Any) -> bool:
    """Whether a JSON document holds dialogues of CrossWOZ."""
    if not isinstance(data, dict) or not data:
        return False
    first = next(iter(data.values()))
    return isinstance(first, dict) and {"messages", "sys-usr"} <= first.keys()


def schemas(dialogues: Iterable[Raw]) -> Mapping[str, JsonSchema]:
    """The five domains, with the options that the goals of the dialogues name."""
    options: dict[tuple[str, str], dict[str, None]] = {}
    for dialogue in dialogues:
        for _, domain, slot, value, *_ in dialogue.get("goal", ()):
            if slot in _CHOSEN and isinstance(value, str) and value:
                options.setdefault((domain, slot), {})[value] = None
    return {
        domain: domain_schema(
            domain, about, {slot: _slot(slot, what, options.get((domain, slot), ())) for slot, what in slots.items()}
        )
        for domain, (about, slots) in _SLOTS.items()
    }


def _slot(name: str, what: str, options: Iterable[str]) -> JsonSchema:
    listed = sorted(options)
    if name in LISTS:
        return {"type": "array", "items": {"type": "string"}, "description": what}
    return {"type": "string", **({"enum": listed} if listed else {}), "description": what}


def read_dialogue(name: str, raw: Raw) -> Dialogue:
    """A dialogue of CrossWOZ."""
    messages: Sequence[Raw] = raw["messages"]
    turns = tuple(_turn(message, messages[index + 1 : index + 2]) for index, message in enumerate(messages))
    used = dict.fromkeys(path.partition(".")[0] for turn in turns for path in turn.state or ())
    return Dialogue(name, tuple(used) or (DOMAINS[0],), turns)


def _turn(message: Raw, following: Sequence[Raw]) -> Turn:
    frames = tuple(_frames(message.get("dialog_act", ())))
    if message["role"] != "usr":
        return Turn("assistant", message["content"], frames)
    after: Raw = following[0].get("sys_state_init", {}) if following else {}
    return Turn("user", message["content"], frames, MappingProxyType(dict(_state(after))))


def _state(told: Raw) -> Iterator[tuple[str, Reference]]:
    for domain, values in told.items():
        for slot, value in values.items():
            if domain in _SLOTS and slot in _SLOTS[domain][1] and isinstance(value, str) and value.strip():
                yield f"{domain}.{slot}", Reference((value.strip(),))


def _frames(acts: Iterable[Sequence[str]]) -> Iterator[Frame]:
    found: dict[str, list[Act]] = {}
    for act, domain, slot, value, *_ in acts:
        if domain in _SLOTS:
            found.setdefault(domain, []).append(Act(act.upper(), slot, (value,) if value else ()))
    for domain, told in found.items():
        yield Frame(domain, acts=tuple(told))


__all__ = ["DOMAINS", "LISTS", "is_dialogues", "read_dialogue", "schemas"]

"""Dialogues in one typed form, whatever corpus they come from: turns, and what the slots should hold after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from slotstate.domains import Domain, Domains
from slotstate.log import Entry
from slotstate.slots import Json

CorpusName: TypeAlias = Literal["sgd", "multiwoz", "crosswoz", "cases", "sessions"]
JsonSchema: TypeAlias = Mapping[str, Any]
"""A domain as `slotstate.domain_from_json_schema` reads it. SGD's carry their intents under `x-intents`."""
DONTCARE_LABEL: Final = "dontcare"
"""How the corpora write that the user has no preference."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a slot should hold. `values` are the ways in which the corpus writes it, any of which is right; `canonical`
    are standard forms of the same (2019-03-01, 18:00) where the corpus tells them.
    """

    values: tuple[str, ...]
    canonical: tuple[str, ...] = ()

    @property
    def forms(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.values, *self.canonical))

    @property
    def is_dontcare(self) -> bool:
        """Whether the user has no preference."""
        return DONTCARE_LABEL in self.values


@dataclass(frozen=True, slots=True)
class Act:
    """A dialogue act: INFORM, OFFER, REQUEST, … as the corpus names it, about a slot ("" where about none)."""

    act: str
    slot: str = ""
    values: tuple[str, ...] = ()
    canonical: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """A slot's value where it stands in the text: characters `start` up to `end`."""

    slot: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a service that the assistant made before it spoke, and what it returned."""

    method: str
    parameters: Mapping[str, Any]
    results: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What a corpus says of one service in one turn. Of a user turn `state` is the whole state of the service after it,
    by slot name; of an assistant turn it is None. `intent` and `requested` are None where the corpus does not tell.
    """

    service: str
    state: Mapping[str, Reference] | None = None
    intent: str | None = None
    requested: tuple[str, ...] | None = None
    acts: tuple[Act, ...] = ()
    spans: tuple[Marked, ...] = ()
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A message. `state` is what the slots should hold after a user turn, by path (`service.slot`), None where the
    corpus does not say: conversation tests say it of the last turn only. `listed` are the slots of which it says
    something, None for all; `unjudged` those that hold something of which nobody said whether it is right. `asks` and
    `offers` are what a conversation test says about an assistant turn.
    """

    role: Literal["user", "assistant"]
    text: str
    frames: tuple[Frame, ...] = ()
    state: Mapping[str, Reference] | None = None
    listed: frozenset[str] | None = None
    asks: tuple[str, ...] = ()
    offers: Mapping[str, Any] | None = None
    unjudged: frozenset[str] = frozenset()

    @property
    def services(self) -> tuple[str, ...]:
        """The services that have a frame in this turn."""
        return tuple(frame.service for frame in self.frames)


NOW: Final = datetime(2019, 3, 1, 9, tzinfo=UTC)
"""When dialogues take place that do not say so: the day on which those of SGD do."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue. `services` are those that it is about, in the corpus' order. `domains` are its own, where it brings
    some; else those of the corpus are meant. `log` is what an exported session's log says, `said` all values that a
    conversation test names of slots, by path, those of parts and those ruled out included: what must not be shown of
    sensitive slots is known by them.
    """

    name: str
    services: tuple[str, ...]
    turns: tuple[Turn, ...]
    now: datetime = NOW
    timezone: str = "UTC"
    domains: Domains | None = None
    log: tuple[Entry, ...] = field(default=(), compare=False)
    said: tuple[tuple[str, Json], ...] = field(default=(), compare=False)

    @property
    def user_turns(self) -> int:
        """How often the user speaks."""
        return sum(turn.role == "user" for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Dialogues with the schemas of their services; `domains` are the same, compiled. `seen` are the services that
    stand in the corpus' training split, None where there is no such thing. `files` are those that were read.
    """

    name: CorpusName
    schemas: Mapping[str, JsonSchema]
    domains: Mapping[str, Domain]
    dialogues: tuple[Dialogue, ...]
    version: str | None = None
    seen: frozenset[str] | None = None
    files: tuple[str, ...] = field(default=(), compare=False)

    def domains_of(self, dialogue: Dialogue) -> Domains:
        """The domains of the services that a dialogue is about."""
        return dialogue.domains or Domains(self.domains[name] for name in dialogue.services)


def domain_schema(title: str, description: str, slots: Mapping[str, Any], **more: Any) -> JsonSchema:
    """A domain's JSON Schema."""
    return {"title": title, "type": "object", "description": description, "properties": dict(slots), **more}


NOTHING: Final[Mapping[str, Reference]] = MappingProxyType({})
"""The state before anything was said."""

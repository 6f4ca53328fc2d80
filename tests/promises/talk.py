"""A conversation in a few words, for tests: each user turn comes with what the extractor proposes for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from slotstate import DONTCARE, Change, Extraction, Request, Slot, Tracker, Turn, View
from slotstate.domains import compile_domains
from slotstate.log import Store
from slotstate.testing import change

NOW = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)


class Hotel(BaseModel):
    name: str
    stars: Annotated[int, Field(ge=1, le=5)]


class Trip(BaseModel):
    """Plan a trip."""

    city: Annotated[str, Slot(ask="Which city?", cues=["城市"], share="place")]
    home: Annotated[str | None, Slot(ask="Where do you live?", confirm="explicit")] = None
    town: Annotated[str | None, Slot(confirm="implicit")] = None
    seat: Annotated[
        Literal["second", "first"] | None,
        Slot(ask="Which class?", aliases={"second": ["2nd class", "二等座"], "first": ["一等座"]}, dont_care=True),
    ] = None
    people: Annotated[int | None, Field(ge=1, le=9), Slot(ask="How many?")] = None
    direct: Annotated[bool | None, Slot(ask="Direct only?")] = None
    day: Annotated[date | None, Slot(ask="Which day?", ttl=timedelta(hours=2))] = None
    avoid: Annotated[list[str], Slot(cues=["忌口"])] = []
    hotel: Annotated[Hotel | None, Slot()] = None
    party: Annotated[dict[str, int], Slot()] = {}
    quota: Annotated[int | None, Slot(evidence="tool")] = None
    card: Annotated[str | None, Slot(evidence="user")] = None


class Support(BaseModel):
    """Ask for help."""

    city: Annotated[str, Slot(share="place")]
    topic: Annotated[str | None, Slot()] = None


BOTH = compile_domains((Trip, Support))


class Mouth:
    """An extractor that says what it was last told to say."""

    def __init__(self) -> None:
        self.answer: Extraction | Exception = Extraction()

    def extract(self, request: Request) -> Extraction:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def aextract(self, request: Request) -> Extraction:
        return self.extract(request)


class Talk:
    """One conversation under way, with a clock that stands still unless told to move."""

    def __init__(self, *domains: type[BaseModel], store: Store | str = "memory://", now: datetime = NOW) -> None:
        self.now = now
        self.mouth = Mouth()
        self.tracker = Tracker(
            domains or BOTH, extractor=self.mouth, store=store, clock=lambda: self.now, timezone="Europe/London"
        )
        self.chat = self.tracker.open("test")

    def bot(self, text: str, *, asks: Iterable[str] = (), offers: Mapping[str, Any] | None = None) -> None:
        self.chat.assistant(text, asks=asks, offers=offers)

    def says(self, text: str, *changes: Change, id: str | None = None) -> Turn:
        self.mouth.answer = Extraction(changes)
        return self.chat.user(text, id=id)

    def fails(self, text: str, *, id: str) -> Turn:
        self.mouth.answer = TimeoutError("no answer")
        return self.chat.user(text, id=id)

    def holds(self, path: str) -> View:
        domain, slot = path.split(".")
        return self.chat.state[domain][slot]

    def has(self, path: str) -> Any:
        """What the slot holds: its value, DONTCARE, or None."""
        found = self.holds(path)
        return DONTCARE if found.dontcare else found.value

    def give(self, path: str, value: Any, status: str = "filled") -> None:
        """The application sets the slot, unless it is to stay empty."""
        if status != "empty":
            self.chat.set(path, value, confirmed=status == "confirmed")


def outcomes(turn: Turn, path: str) -> list[str]:
    """What became of the changes of a slot in a turn, in the order of judgement within kept and rejected."""
    return [one.outcome for one in (*turn.changes, *turn.rejected) if one.path == path]


__all__ = ["DONTCARE", "NOW", "Hotel", "Mouth", "Support", "Talk", "Trip", "change", "outcomes"]

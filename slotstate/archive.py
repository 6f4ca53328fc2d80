"""What slotstate shows of stored conversations, as typed models: their history, their timeline, and their export.

`export_schema()` is the published JSON Schema of an export.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from slotstate.contract import Decision, Shown, Value, View
from slotstate.events import AnyEvent, EpochReason, Item, Lost, Source, Trigger, Usage, Why

EXPORT_FORMAT: Literal[1] = 1
"""Of exports: it grows with every change that a reader has to know of."""


class Amended(Shown):
    """An item of a summary before and after it was given another text."""

    before: Item
    after: Item


class Version(Shown):
    """A version of the summary against the one before: what it added, amended and dropped, and samples of what it left
    out. `kind` says whether a compaction made it or a rollback to version `to`. It covers the messages before number
    `covered`; a compaction took in those from `since` on, and `digest` is theirs. `refused` are patches of the model
    that did not hold, `items` how many there are now; `measures` are described in docs/compaction.md.
    """

    version: int
    kind: Literal["compacted", "rolled_back"]
    at: datetime
    trigger: Trigger | None = None
    model: str | None = None
    to: int | None = None
    since: int
    covered: int
    digest: str | None = None
    items: int
    added: list[Item] = []
    amended: list[Amended] = []
    dropped: list[Lost] = []
    left_out: list[Lost] = []
    refused: list[str] = []
    usage: Usage | None = None
    measures: dict[str, float] = {}


class Failure(Shown):
    """A compaction that came to nothing, and why. `version` is the version of the summary that stayed."""

    at: datetime
    version: int
    trigger: Trigger
    model: str
    reason: str
    usage: Usage | None = None


class Compactions(Shown):
    """What `slotstate compact --json` and `slotstate rollback --json` print: the version that came of it, null when
    there was nothing to do, and what failed before.
    """

    version: Version | None
    failures: list[Failure] = []


class Offered(Shown):
    """A value that was put forward for a slot, and by whom."""

    path: str
    value: Value
    by: Literal["assistant", "tool", "share"]


class Ruled(Decision):
    """A decision, whose words led to it (`source`), and the rule: a row of the decision table, or what else decided.
    Of what is pending, `why`, and the candidates in `values`.
    """

    source: Source
    rule: str
    why: Why | None = None
    values: list[Value] = []


class Reading(Shown):
    """How a user turn was read in the last of `tries`: see contract.Turn."""

    result: Literal["ok", "partial", "failed", "skipped"]
    tries: int
    model: str | None = None
    error: str | None = None
    requested: list[str] = []
    usage: Usage | None = None
    ms: float | None = None


class Moment(Shown):
    """Something that happened: the number of its first entry in the log, and when that was written."""

    seq: int
    at: datetime


class Said(Moment):
    """A message. What was read out of a user's stands in `reading` and `changes`; an assistant's has what it asks for,
    offers and calls, and the `usage` that its provider reported. `blobs` are references.
    """

    kind: Literal["message"] = "message"
    turn: int
    id: str
    role: Literal["user", "assistant", "tool", "system", "developer"]
    text: str
    reading: Reading | None = None
    changes: list[Ruled] = []
    asks: list[str] = []
    offers: list[Offered] = []
    calls: list[str] = []
    blobs: list[str] = []
    usage: Usage | None = None


class Acted(Moment):
    """What the application, a tool or the tracker itself did behind message `turn` (-1: before the first)."""

    kind: Literal["action"] = "action"
    turn: int
    changes: list[Ruled] = []
    offers: list[Offered] = []


class Kept(Moment):
    """A message was pinned, or is no more."""

    kind: Literal["pin"] = "pin"
    id: str
    pinned: bool


class Began(Moment):
    """A prompt's stable part was made anew: `window` is the first message that stands in it, `tokens` what the prompt
    took then, null where that is not known; `frozen` says whether its slots stay as they are.
    """

    kind: Literal["epoch"] = "epoch"
    number: int
    reason: EpochReason
    window: int
    frozen: bool
    tokens: int | None = None


class Condensed(Moment):
    """What became of the summary: a new version of it (see Version), or a failure that left it as it was."""

    kind: Literal["compacted", "rolled_back", "compaction_failed"]
    version: int
    trigger: Trigger | None = None
    model: str | None = None
    since: int
    covered: int
    items: int
    usage: Usage | None = None
    reason: str | None = None


class Tokens(Shown):
    """Tokens of a whole session as they were reported: by what reads the user's turns, by what summarises, and by the
    provider of the bot's replies. Null where nothing was.
    """

    reading: Usage | None = None
    summaries: Usage | None = None
    replies: Usage | None = None


class AsideView(Shown):
    """A value that the log holds and no slot of the present schema can: `path` is its slot in the log, `now` the one of
    the present schema; `part` says that it is what is left of a value.
    """

    path: str
    now: str | None
    value: Any
    part: bool
    status: Literal["empty", "filled", "confirmed"]
    why: Literal["removed", "does_not_fit"]
    detail: str
    source: Source | None
    quote: str | None
    turn: int | None


class Inspection(Shown):
    """What `slotstate inspect --json` prints. `timeline` is all that happened, in order; `items` are those of the
    present summary, `running` says whether a compaction was begun and has not ended; `measures` are those of the whole
    session. `aside` is what the schema has no place for.
    """

    session: str
    user: str | None
    began: datetime
    touched: datetime
    messages: int
    tokens: Tokens
    timeline: list[Annotated[Said | Acted | Kept | Began | Condensed, Field(discriminator="kind")]]
    version: int
    covered: int
    items: list[Item]
    running: bool
    versions: list[Version]
    failures: list[Failure]
    measures: dict[str, float]
    aside: list[AsideView]


class Listed(Shown):
    """A conversation in a store: whose it is, how many entries its log has, when the first and the last was written."""

    session: str
    user: str | None
    entries: int
    began: datetime
    touched: datetime


class Sessions(Shown):
    """What `slotstate sessions --json` prints: a tenant's conversations, or those of one user, by name."""

    tenant: str
    sessions: list[Listed]


class ExportedEntry(Shown):
    """A line of the log: its number, when it was written, and the fact. Fields that hold their default are left out."""

    seq: int
    at: datetime
    event: AnyEvent


class ExportedBlob(Shown):
    """What was moved out of a message: its size in characters, of what is no text in bytes; what it is; and the
    content, as text or in base64, null where the store has lost it.
    """

    size: int
    kind: str
    media: str | None
    encoding: Literal["utf-8", "base64"]
    content: str | None


class ExportedSummary(Shown):
    """What tells the messages before number `covered`, in the version that holds now."""

    version: int
    covered: int
    items: list[Item]


class ExportedSession(Shown):
    """All that is kept of a session. `state` has every slot that is declared now, `aside` what it has no place for;
    `blobs` are by their reference.
    """

    session: str
    user: str | None
    began: datetime
    touched: datetime
    state: dict[str, dict[str, View]]
    aside: list[AsideView]
    summary: ExportedSummary
    entries: list[ExportedEntry]
    blobs: dict[str, ExportedBlob]


class Export(Shown):
    """What `Tracker.export` returns and `slotstate export` prints: a person's own data, complete, nothing masked. The
    sessions stand in the order of their names, entries in that of the log, blobs in that in which they were mentioned.
    """

    format: Literal[1]
    tenant: str
    sessions: list[ExportedSession]


def export_schema() -> dict[str, Any]:
    """The JSON Schema of an export, as published in docs/."""
    adapter: TypeAdapter[Export] = TypeAdapter(Annotated[Export, Field(title="slotstate export")])
    return adapter.json_schema(mode="serialization")

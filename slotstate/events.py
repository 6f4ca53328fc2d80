"""Events: the facts of a conversation, a tagged union. The log holds nothing else, and state is their fold."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from slotstate.frozen import frozen
from slotstate.messages import ToolCall
from slotstate.slots import Json
from slotstate.upcasting import FORMAT, upcast

Op = Literal["set", "add", "remove", "clear", "exclude", "confirm", "deny", "request", "undo", "start", "expire"]
"""What a change asks for. A model may propose all but `expire`, which stands for a time to live that ran out."""
Grade = Literal["said", "accepted", "meant", "none"]
Source = Literal["user", "offer", "tool", "app"]
Outcome = Literal[
    "filled",
    "overwritten",
    "emptied",
    "confirmed",
    "excluded",
    "denied",
    "restated",
    "unchanged",
    "pending",
    "superseded",
    "rejected",
]
Reason = Literal[
    "unknown_slot",
    "invalid_value",
    "no_quote",
    "quote_not_found",
    "does_not_follow",
    "ambiguous",
    "not_allowed",
    "nothing_asked",
    "not_in_list",
    "unknown_offer",
]
Why = Literal["conflict", "ambiguous", "denied", "stale"]
Layout = Literal["quotes_last", "append_only"]
EpochReason = Literal[
    "start",
    "compaction",
    "idle",
    "notes",
    "task_end",
    "template",
    "locale",
    "schema",
    "tools",
    "masking",
    "provider",
    "rollback",
    "erasure",
    "cleared",
    "system",
    "pin",
]
"""Why a prompt's stable part was made anew. compaction: it no longer fitted, or that was asked for; idle: the cache had
run out anyway; notes: too many lines were out of date; cleared: a sensitive slot was emptied; system: the application
added a system message; pin: a message was pinned that no longer stood in it.
"""
ItemKind = Literal["constraint", "preference", "decision", "refusal", "open", "failed", "fact", "tool", "quote"]
"""What an item of a summary tells: a hard constraint, a preference, a decision with its reason, something refused, an
open task or question, an attempt that failed, a fact or figure, what a tool returned, the user's words.
"""
Trigger = Literal["window", "high", "limit", "manual", "overflow"]
"""Why a compaction ran. window: turns were leaving the prompt anyway; high: the prompt stood above the high mark;
limit: it no longer fitted; manual: the application asked for it; overflow: the provider said that it was too long.
"""
Span: TypeAlias = tuple[int, int]


Kept: TypeAlias = Annotated[Json, AfterValidator(frozen)]
"""A JSON value that cannot be changed any more."""


Digests: TypeAlias = Annotated[dict[str, str], AfterValidator(frozen)]
"""Digests by what they are of; nobody can change them any more."""


class Event(BaseModel):
    """A fact. Frozen; unknown fields are refused, so that a damaged log is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Usage(BaseModel):
    """Tokens that a model call cost, all attempts together. None where the provider did not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    attempts: int = 1


class Offer(BaseModel):
    """A value put forward for a slot in a turn, by the assistant, a tool or another domain's slot. `sensitive`: that is
    what the slot was then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    value: Kept
    turn: int
    by: Literal["assistant", "tool", "share"] = "assistant"
    sensitive: bool = False
    fits: bool = Field(default=True, exclude=True)
    """Known to readers, never written: whether the present schema has a slot that can hold it."""


class Aside(BaseModel):
    """What of a logged decision the present schema has no place for: known to readers, never written.

    `path` and `value` are as the log has them; `rest` is the part of the value that fits nowhere, with `whole` all of
    it. `removed`: there is no such slot any more. `why` is one line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    value: Kept
    rest: Kept
    whole: bool
    removed: bool
    why: str


class Blob(BaseModel):
    """Content that was moved out of a message into the store, under its reference. `size` is in characters, of what is
    no text in bytes; `media` its type where one is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: str
    size: int
    kind: Literal["json", "table", "log", "text", "binary", "image", "audio"]
    media: str | None = None


class UserTurn(Event):
    """The user said something. `turn` is the 0-based index of the message in the conversation. `blobs` are pictures and
    sounds that came with it.
    """

    kind: Literal["user"] = "user"
    turn: int
    id: str
    text: str
    at: datetime
    blobs: tuple[Blob, ...] = ()


class AssistantTurn(Event):
    """The assistant said something: which slots it asks for and which values it offers, where the application says
    so.
    """

    kind: Literal["assistant"] = "assistant"
    turn: int
    id: str
    text: str
    asks: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Kept = None


class ToolTurn(Event):
    """A tool returned something for the call `call_id`. What was too long is in `blob`, and `text` is a preview."""

    kind: Literal["tool"] = "tool"
    turn: int
    id: str
    call_id: str
    text: str
    blob: Blob | None = None


class SystemTurn(Event):
    """A system or developer message that stands in the transcript."""

    kind: Literal["system"] = "system"
    turn: int
    id: str
    role: Literal["system", "developer"]
    text: str


class Extracted(Event):
    """What came of reading a user turn. `requested` are the slots that the user asked about, `ms` is wall time,
    `decided` counts the events behind this one that came of it.
    """

    kind: Literal["extracted"] = "extracted"
    turn: int
    result: Literal["ok", "partial", "failed", "skipped"]
    model: str | None = None
    error: str | None = None
    requested: tuple[str, ...] = ()
    usage: Usage | None = None
    ms: float | None = None
    decided: int = 0


class Offered(Event):
    """A value was put forward by what no assistant turn declares: by another domain's slot that shares it, or in the
    words of the assistant's last turn, as the extractor read them.
    """

    kind: Literal["offered"] = "offered"
    offer: Offer


class Pinned(Event):
    """A message must stay in the prompt from here on, or need no longer (`pinned` false)."""

    kind: Literal["pinned"] = "pinned"
    id: str
    pinned: bool = True


class Epoch(Event):
    """A prompt whose stable part was made anew, with all that later prompts need to begin with the same bytes.

    `window` is the index of the first message that stands in it, `pins` are the ids of pinned ones before it. `system`,
    `slots` and `summary` are the rendered sections, masked; `quotes` the quotes that stay where they were (layout
    append_only), in the message `quoted`; `left_out` what had no room, as section, id and reason. Long tool results in
    messages before number `folded` are folded, with `tight` also those that are not long. `size` are the tokens that it
    began with. While `frozen` is false the slots are rendered anew each time. `key` holds digests of what else decides
    over the bytes.
    """

    kind: Literal["epoch"] = "epoch"
    number: int
    reason: EpochReason
    layout: Layout
    frozen: bool
    window: int
    pins: tuple[str, ...] = ()
    system: str = ""
    slots: str = ""
    summary: str = ""
    quotes: str = ""
    quoted: str | None = None
    left_out: tuple[tuple[str, str, str], ...] = ()
    folded: int = 0
    tight: bool = False
    size: int = 0
    key: Digests


class Item(BaseModel):
    """One thing that a summary says. `sources` are the ids of the messages that tell it, oldest first; `quote` stands
    word for word in one of them. `path` is the slot that the item speaks of, where it speaks of one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ident: int
    kind: ItemKind
    text: str
    sources: tuple[str, ...]
    quote: str | None = None
    path: str | None = None


class Lost(BaseModel):
    """What a compaction left out, for people to review: an item (`ident`), or words of the span, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    reason: str
    ident: int | None = None


class Compacting(Event):
    """A summary of the messages before number `covered` has been asked for."""

    kind: Literal["compacting"] = "compacting"
    at: datetime
    trigger: Trigger
    model: str
    covered: int


class Compacted(Event):
    """A new version of the summary, as what it changes of the last one: it covers the messages from number `since` to
    before number `covered`, whose digest is `digest`. `add` and `amend` are items as they are now, `drop` those that
    are said no more, `lost` samples of what was left out. `model` is the summariser's name, `failed` what a validation
    refused before it was right, or before the model-free one stood in. `measures` are in old logs only: they are taken
    when somebody looks.
    """

    kind: Literal["compacted"] = "compacted"
    at: datetime
    version: int
    trigger: Trigger
    model: str
    since: int
    covered: int
    digest: str
    add: tuple[Item, ...] = ()
    amend: tuple[Item, ...] = ()
    drop: tuple[Lost, ...] = ()
    lost: tuple[Lost, ...] = ()
    failed: tuple[str, ...] = ()
    usage: Usage | None = None
    measures: Annotated[dict[str, float], AfterValidator(frozen)] = Field(default_factory=dict)


class CompactionFailed(Event):
    """A compaction that was begun came to nothing; state and prompt are as before."""

    kind: Literal["compaction_failed"] = "compaction_failed"
    at: datetime
    trigger: Trigger
    model: str
    reason: str
    usage: Usage | None = None


class RolledBack(Event):
    """The summary is again what it was in version `to`: these items, for the messages before number `covered`."""

    kind: Literal["rolled_back"] = "rolled_back"
    at: datetime
    version: int
    to: int
    covered: int
    items: tuple[Item, ...] = ()


CompactionEvent: TypeAlias = Compacting | Compacted | CompactionFailed | RolledBack


class Decided(Event):
    """A change with its outcome; the kind of the event is the outcome.

    `turn` is the message it is about, or after which the application acted (-1 before the first). `step` groups what
    one turn or one call did, for undo. `value` is canonical JSON, or None with `dontcare`. `span` holds the quote's
    offsets in the user turn's text. `old` is the value held before ("dontcare" for no preference). `reason` says why,
    from a fixed list, where the change did not simply hold; `detail` says it in words. `sensitive`: that is what the
    slot was then; it counts where no schema says so any more. `aside` is never written.
    """

    turn: int
    step: int
    at: datetime
    op: Op
    path: str
    value: Kept = None
    dontcare: bool = False
    quote: str | None = None
    span: Span | None = None
    grade: Grade | None = None
    source: Source = "user"
    old: Kept = None
    reason: Reason | None = None
    detail: str | None = None
    sensitive: bool = False
    aside: Aside | None = Field(default=None, exclude=True)


class Filled(Decided):
    """An empty slot now holds a value. `raw` are the words that it came from."""

    kind: Literal["filled"] = "filled"
    raw: str | None = None
    confirmed: bool = False


class Overwritten(Decided):
    """A held value was replaced; the slot is filled, or confirmed when the application says so."""

    kind: Literal["overwritten"] = "overwritten"
    raw: str | None = None
    confirmed: bool = False


class Emptied(Decided):
    """A held value was taken back; with `excludes` it is ruled out as well."""

    kind: Literal["emptied"] = "emptied"
    excludes: bool = False


class Confirmed(Decided):
    """The held value was confirmed."""

    kind: Literal["confirmed"] = "confirmed"


class Excluded(Decided):
    """A value (of a list: an item) was ruled out."""

    kind: Literal["excluded"] = "excluded"


class Denied(Decided):
    """What was put forward was refused: offers close, a held value must be asked about."""

    kind: Literal["denied"] = "denied"


class Restated(Decided):
    """The held value was said again; what was pending is settled."""

    kind: Literal["restated"] = "restated"


class Unchanged(Decided):
    """There was nothing to do."""

    kind: Literal["unchanged"] = "unchanged"


class Pended(Decided):
    """The slot keeps what it has and must be asked about; `values` are the candidates."""

    kind: Literal["pending"] = "pending"
    why: Why
    values: tuple[Kept, ...] = ()


class Superseded(Decided):
    """A change that came too late: the slot has changed since the turn that it speaks of, or was corrected in it."""

    kind: Literal["superseded"] = "superseded"


class Rejected(Decided):
    """A change that does not count; the slot keeps what it had."""

    kind: Literal["rejected"] = "rejected"


class Undone(Decided):
    """The slot's last change was taken back: `value` and `dontcare` are what it holds again, `result` says how it
    looks.
    """

    kind: Literal["undone"] = "undone"
    result: Literal["filled", "overwritten", "emptied", "confirmed", "unchanged"]


class Reset(Event):
    """A task in a domain ended: its slots are archived and start clean. `slots` are those that had been touched, by
    path; None means all of the domain, as rows of format 1 have it.
    """

    kind: Literal["reset"] = "reset"
    turn: int
    step: int
    at: datetime
    domain: str
    slots: tuple[str, ...] | None
    moved: tuple[str, ...] = Field(default=(), exclude=True)
    """Known to readers, never written: slots of other domains that belonged to this one under an earlier name."""
    source: Source = "app"
    quote: str | None = None
    span: Span | None = None


SlotEvent: TypeAlias = (
    Filled
    | Overwritten
    | Emptied
    | Confirmed
    | Excluded
    | Denied
    | Restated
    | Unchanged
    | Pended
    | Superseded
    | Rejected
    | Undone
)
MessageEvent: TypeAlias = UserTurn | AssistantTurn | ToolTurn | SystemTurn
AnyEvent: TypeAlias = MessageEvent | Extracted | Offered | Pinned | Epoch | SlotEvent | Reset | CompactionEvent


def outcome_of(event: SlotEvent) -> Outcome:
    """What became of a change, in the words of the published contract."""
    return event.result if isinstance(event, Undone) else event.kind


@cache
def _adapter() -> TypeAdapter[AnyEvent]:
    return TypeAdapter(Annotated[AnyEvent, Field(discriminator="kind")])


def dump_event(event: AnyEvent) -> str:
    """The event as JSON, its kind first, fields that hold their default left out."""
    # What model_dump_json does, without looking through its options: half the time.
    told = event.__pydantic_serializer__.to_json(event, exclude_defaults=True)
    return f'{{"kind":"{event.kind}",{told[1:].decode()}'


def load_event(text: str | bytes, format: int = FORMAT) -> AnyEvent:
    """The event that `dump_event` wrote, now or when the format of events had this number.

    Raises ValueError (pydantic.ValidationError among them) for what is no event, NewerFormat for a format to come.
    """
    return _adapter().validate_json(text if format == FORMAT else upcast(text, format))

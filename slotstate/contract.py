"""What slotstate shows to others, as typed models: what a `Chat` returns, and what `--json` prints.

In Python, values are the slots' own types (date, Decimal, Money, …). As JSON they are written as the published contract
says: Decimal "19.90", ISO dates, time "HH:MM", datetime with offset, duration "PT2H", money {"value", "currency"}.
`json_schema("run")` and `json_schema("test")` are the published JSON Schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter
from typing_extensions import TypedDict  # typing's own is refused by Pydantic before Python 3.12

from slotstate.events import (
    EpochReason,
    Extracted,
    Grade,
    Op,
    Outcome,
    Reason,
    Reset,
    SlotEvent,
    Source,
    Span,
    Usage,
    Why,
    outcome_of,
)
from slotstate.slots import Json, SlotSpec
from slotstate.state import SlotState
from slotstate.values import jsonable, to_python

Value: TypeAlias = Annotated[Any, PlainSerializer(jsonable, when_used="json")]
MASK = "•••"
"""What stands in place of a sensitive value."""


class Shown(BaseModel):
    """Base of what is shown: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings", defer_build=True)


class OfferView(Shown):
    """A value put forward for a slot, and the message that did."""

    value: Value
    turn: int


class PendingView(Shown):
    """Why a slot must be asked about, with the candidates and the words that raised it."""

    why: Why
    values: list[Value] = []
    quote: str | None = None
    turn: int | None = None


class View(Shown):
    """One slot at a moment. `span` are the quote's offsets in the text of message `turn`; `raw` the words that the
    value came from; with `dontcare` the value is null.
    """

    value: Value = None
    raw: str | None = None
    status: Literal["empty", "filled", "confirmed"] = "empty"
    dontcare: bool = False
    grade: Grade | None = None
    source: Source | None = None
    quote: str | None = None
    turn: int | None = None
    span: Span | None = None
    excluded: list[Value] = []
    offers: list[OfferView] = []
    pending: PendingView | None = None


class Decision(Shown):
    """A proposed change with its outcome. `value` is "dontcare" for no preference; `detail` is the reason in words."""

    op: Op
    path: str
    value: Value = None
    quote: str | None = None
    old: Value = None
    outcome: Outcome
    reason: Reason | None = None
    grade: Grade | None = None
    span: Span | None = None
    detail: str | None = None


class Turn(Shown):
    """What a user turn did. `turn` is the 0-based index of its message, `ms` the wall time of the whole turn; `error`
    says why extraction failed or is partial.
    """

    turn: int
    id: str
    extraction: Literal["ok", "partial", "failed", "skipped"]
    changes: list[Decision] = []
    rejected: list[Decision] = []
    requested: list[str] = []
    usage: Usage | None = None
    ms: float | None = None
    error: str | None = None


class LedgerLine(Shown):
    """What became of one part of the prompt, and why."""

    section: str
    id: str
    action: Literal["kept", "shortened", "dropped"]
    tokens: int | None = None
    reason: str | None = None


class Breakpoint(TypedDict):
    """A seam of the prompt: in message `message`, behind `chars` characters of its content, after `tokens` tokens."""

    message: int
    chars: int
    tokens: int


class Cost(TypedDict):
    """Tokens by what a provider charges for them; `equivalents` is the whole in tokens that are not cached."""

    fresh: int
    written: int
    read: int
    equivalents: float


class Cache(TypedDict):
    """What a provider's cache makes of the prompt; its tokens count the tools' schemas, which stand in front.

    layout: "live" while nothing can be cached. stable_tokens: what stays as it is in the next prompt of the epoch.
    expected_cached: what the provider should read from its cache this time. reported: how the last prompt's figures
    compare with the usage that was recorded with the reply to it.
    """

    profile: str
    layout: Literal["live", "quotes_last", "append_only"]
    epoch: int
    epoch_reason: EpochReason
    stable_tokens: int
    expected_cached: int
    breakpoints: list[Breakpoint]
    cost: Cost
    reported: NotRequired[str]


class Prompt(Shown):
    """The prompt for the bot's next reply, as chat messages in the OpenAI form. `budget` is what the model's window
    leaves for them, null without a limit; the tokens of the ledger's lines that are not dropped add up to `tokens`.
    """

    messages: list[dict[str, Any]]
    tokens: int | None = None
    budget: int | None = None
    ledger: list[LedgerLine] = []
    cache: Cache | None = None

    if not TYPE_CHECKING:
        # The last two may be set later: when somebody looks at one of them, or at all fields at once, as whatever
        # copies, compares or serialises a model does.

        @property
        def __dict__(self) -> dict[str, Any]:
            fields = FIELDS.__get__(self)
            later = fields.get(LATER)
            if later is not None:
                fields.update(later())
                fields.pop(LATER, None)
            return fields

        @__dict__.setter
        def __dict__(self, fields: dict[str, Any]) -> None:
            FIELDS.__set__(self, fields)

        def __getattr__(self, name: str) -> Any:
            if name in ("ledger", "cache") and LATER in FIELDS.__get__(self):
                return self.__dict__[name]
            return super().__getattr__(name)


FIELDS: Final[Any] = BaseModel.__dict__["__dict__"]
"""Where an instance keeps its fields."""
LATER: Final = "·later"
"""Stands among them for `ledger` and `cache` before these are set: a function that gives both, the same whenever it is
called.
"""


class Run(Shown):
    """What `slotstate run --json` prints."""

    state: dict[str, dict[str, View]]
    turns: list[Turn]
    prompt: Prompt


class CaseResult(Shown):
    """What came of a conversation test. `found` holds the slots of `expected` as they are at its end, `invented` those
    that should be empty and are not, `why` a line for each difference; `error` says why it could not be played.
    """

    name: str
    kind: str
    ok: bool
    expected: dict[str, Any]
    found: dict[str, Any]
    invented: list[str] = []
    why: list[str] = []
    error: str | None = None


class CasesReport(Shown):
    """What `slotstate test --json` prints. A case passes, fails, or errs."""

    passed: int
    failed: int
    errors: int
    cases: list[CaseResult]


class PromptChange(Shown):
    """What changed from one prompt to a later one, the prompts before messages `before` and `after`: both begin with
    `same_messages` whole messages and `same_characters` of the next one, together `same_tokens`; behind them stand
    `added_tokens` now and stood `removed_tokens`. `new_epoch` is the reason of an epoch that begins with the later one.
    """

    before: int
    after: int
    same_messages: int
    same_characters: int
    same_tokens: int
    added_tokens: int
    removed_tokens: int
    new_epoch: EpochReason | None
    diff: str


class PromptDiff(Shown):
    """What `slotstate prompt --diff --json` prints."""

    prompt: Prompt
    change: PromptChange


class CostLine(Shown):
    """What a conversation costs under a cache profile and a layout, in tokens of all its requests together.

    `equivalents` is the price in fresh tokens, `ratio` that over the tokens without any cache; `predicted` are the read
    tokens that the prompts themselves expected, `off` the most that this differs from the simulator in one request.
    `epochs` counts them by reason; `cacheable` is false when no request reached the profile's `minimum`.
    """

    profile: str
    layout: Literal["quotes_last", "append_only"]
    requests: int
    sent: int
    fresh: int
    written: int
    read: int
    equivalents: float
    per_request: float
    ratio: float
    predicted: int
    off: int
    longest: int
    minimum: int
    cacheable: bool
    epochs: dict[str, int]
    cheapest: bool


class ModelCost(Shown):
    """What the conversation costs with a model in US dollars, under the cheapest of its profiles and layouts: its
    prompts, the same conversation's without a cache, and the replies. Prices as of the date `as_of`, from `source`.
    """

    model: str
    profile: str
    layout: Literal["quotes_last", "append_only"]
    input: float
    uncached: float
    output: float
    as_of: str
    source: str
    note: str


class CostReport(Shown):
    """What `slotstate cost --json` prints. `interval` is in seconds, `replies` are the replies' tokens."""

    requests: int
    budget: int | None
    counter: str
    interval: float
    replies: int
    profiles: list[CostLine]
    models: list[ModelCost]


def json_schema(command: Literal["run", "test"] = "run") -> dict[str, Any]:
    """The JSON Schema of what a command prints with `--json`, as published in docs/."""
    adapters: dict[str, TypeAdapter[Any]] = {
        "run": TypeAdapter(Annotated[Run, Field(title="slotstate run")]),
        "test": TypeAdapter(Annotated[CasesReport, Field(title="slotstate test")]),
    }
    return adapters[command].json_schema(mode="serialization")


def view(spec: SlotSpec, slot: SlotState, *, masked: bool = False) -> View:
    """A slot as it is shown; `masked` hides a sensitive slot's values and the words they came from."""
    held = slot.held
    hide = masked and spec.slot.sensitive
    pending = slot.pending

    def typed(value: Json) -> Any:
        return MASK if hide else _typed(spec, value)

    def words(text: str | None) -> str | None:
        return MASK if hide and text is not None else text

    return View(
        value=None if held.value is None else typed(held.value),
        raw=words(held.raw),
        status=held.status,
        dontcare=held.dontcare,
        grade=held.grade,
        source=held.source,
        quote=words(held.quote),
        turn=None if held.turn is None or held.turn < 0 else held.turn,
        span=None if hide else held.span,
        excluded=[typed(value) for value in held.excluded],
        offers=[OfferView(value=typed(offer.value), turn=offer.turn) for offer in slot.offers],
        pending=None
        if pending is None
        else PendingView(
            why=pending.why,
            values=[typed(value) for value in pending.values],
            quote=words(pending.quote),
            turn=pending.turn,
        ),
    )


def _typed(spec: SlotSpec, value: Json) -> Any:
    if value == "dontcare" and spec.slot.dont_care and value not in spec.options:
        return value
    if spec.kind == "list" and not isinstance(value, list):
        return to_python(spec.element, value)
    return to_python(spec, value)


def decision(event: SlotEvent | Reset, *, hide: bool = False) -> Decision:
    """A decision as it is shown; `hide` masks its values and words."""
    if isinstance(event, Reset):
        outcome: Outcome = "emptied"
        return Decision(op="start", path=event.domain, quote=event.quote, outcome=outcome, span=event.span)
    value = "dontcare" if event.dontcare else event.value
    return Decision(
        op=event.op,
        path=event.path,
        value=MASK if hide and value is not None else value,
        quote=MASK if hide and event.quote is not None else event.quote,
        old=MASK if hide and event.old is not None else event.old,
        outcome=outcome_of(event),
        reason=event.reason,
        grade=event.grade,
        span=None if hide else event.span,
        detail=None if hide else event.detail,
    )


def turn_report(turn: int, ident: str, extracted: Extracted, decisions: list[Decision]) -> Turn:
    """A user turn as it is shown."""
    return Turn(
        turn=turn,
        id=ident,
        extraction=extracted.result,
        changes=[one for one in decisions if one.outcome != "rejected"],
        rejected=[one for one in decisions if one.outcome == "rejected"],
        requested=list(extracted.requested),
        usage=extracted.usage,
        ms=extracted.ms,
        error=extracted.error,
    )


__all__ = [
    "MASK",
    "Breakpoint",
    "Cache",
    "CaseResult",
    "CasesReport",
    "Cost",
    "CostLine",
    "CostReport",
    "Decision",
    "LedgerLine",
    "ModelCost",
    "OfferView",
    "PendingView",
    "Prompt",
    "PromptChange",
    "PromptDiff",
    "Run",
    "Turn",
    "View",
    "decision",
    "json_schema",
    "turn_report",
    "view",
]

"""A conversation: what a bot's loop calls. Every call is written to the log before it returns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from pydantic import BaseModel

from slotstate.caching import CacheReport, read_usage
from slotstate.compact.overflow import read_overflow
from slotstate.compact.recall import read_arguments
from slotstate.compacting import Compactor, Worker, tightened
from slotstate.contract import Prompt, Turn, View
from slotstate.conversation import Conversation, text_of, told_by
from slotstate.decide import (
    app_clear,
    app_confirm,
    app_reset,
    app_set,
    app_undo,
)
from slotstate.domains import Domain
from slotstate.elicit import Missing, Question, fill_form, missing_slots, next_question
from slotstate.errors import InputError, SlotstateError, ToolCallsPending, UnknownPath
from slotstate.events import (
    AnyEvent,
    Compacted,
    MessageEvent,
    Pinned,
    Source,
    ToolTurn,
    Trigger,
)
from slotstate.evolution import KeptAside, kept_aside
from slotstate.flow import Flow
from slotstate.log import Entry
from slotstate.messages import Message, ToolCall, check_tool_name, is_writable, near_ids, read_message, storable
from slotstate.prompt import Budget
from slotstate.prompter import Prompter
from slotstate.session import Depth
from slotstate.shelving import Shelved, shelve_media
from slotstate.slots import UNSET, Json
from slotstate.state import State, Summary
from slotstate.telling import tell_prompt
from slotstate.values import jsonable
from slotstate.views import state_views

if TYPE_CHECKING:
    from slotstate.tracker import Tracker

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
NO_RESULT: Final = "[no result]"
"""What is recorded for a tool call that was never answered."""
RECALLED: Final = 8_000
"""Characters that one call of the recall tool brings back, where it does not say how many."""


class Chat(Conversation):
    """One conversation of a tracker. Safe to use from several threads and tasks; also beside other Chats of the same
    session, in this process or in others.
    """

    def __init__(self, tracker: Tracker, session: str, user: str | None = None) -> None:
        super().__init__(tracker, session, user)
        self._prompters: dict[bool, Prompter] = {}
        self._prompter: Prompter | None = None
        self._report: CacheReport | None = None
        self._tightened: list[tuple[Budget, Budget]] = []
        self._overflow: str | None = None
        self._compactor = Compactor(self._session, tracker.compaction, tracker.summarises, self._append, tracker.now)
        self._worker = Worker(self._run, self._compactor, self._about)

    # What people say

    def user(self, text: str, *, id: str | None = None, domains: Iterable[str] = ()) -> Turn:
        """Record what the user said, read the changes out of it and decide them.

        `domains` names the domains that the turn is about, where the application knows: the extractor is shown no
        others. The same id with the same text again returns the stored turn, and reads it again if that had failed.
        Raises MessageConflict for the same id with another text, UnknownPath for an unknown domain. What the extractor
        does wrong is in the Turn, not raised.
        """
        return self._run(self._user(text, id, domains=domains))

    async def auser(self, text: str, *, id: str | None = None, domains: Iterable[str] = ()) -> Turn:
        """`user` for callers on an event loop."""
        return await self._arun(self._user(text, id, domains=domains))

    def assistant(
        self,
        text: str,
        *,
        id: str | None = None,
        asks: Iterable[str] | str = (),
        offers: Mapping[str, Any] | None = None,
        usage: Any = None,
    ) -> None:
        """Record what the assistant said: `asks` are the slots that it asks for, `offers` maps slots to a value, or a
        list of values, that it puts forward, `usage` what the provider reported for the call (its usage object, or its
        whole answer): `cache_report` then compares that with what the last prompt expected.

        Raises UnknownPath, InvalidValue, MessageConflict, InputError.
        """
        self.add(
            Message(
                role="assistant",
                text=text_of(text, "what the assistant said"),
                id=id if id is None else text_of(id, "a message id"),
                asks=(asks,) if isinstance(asks, str) else tuple(asks),
                offers=None if offers is None else dict(offers),
                usage=_usage(usage),
            )
        )
        if usage is not None and self._prompter is not None:
            self._report = self._prompter.compared(usage) or self._report

    def tool_call(self, id: str, name: str, arguments: Mapping[str, Any] | str) -> None:
        """Record that the assistant calls a tool. Raises InputError for a name that no provider takes."""
        call = ToolCall(
            id=storable(id), name=storable(name), arguments=storable(_as_text(arguments, "a call's arguments"))
        )
        self.add(Message(role="assistant", text="", tool_calls=(call,)))

    def tool_result(self, id: str, content: Any) -> None:
        """Record what a tool returned for call `id`; what is not text is written as JSON. Of a list of content parts,
        pictures and sounds become a line each, like in `add`.
        """
        described, media = shelve_media({"content": content})
        content = described["content"]
        if media and all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in content):
            content = "\n".join(part["text"] for part in content)
        text = storable(_as_text(content, "a tool's result"))
        self._run(self._recorded(Message(role="tool", text=text, tool_call_id=storable(id)), media))

    def add(self, message: Mapping[str, Any] | Message) -> Turn | None:
        """Record a chat message of any role, in the OpenAI form; a user message is read like in `user`.

        Raises InputError for what is no such message.
        """
        read, media = (message, ()) if isinstance(message, Message) else _read(message)
        for call in read.tool_calls:
            check_tool_name(call.name)
        if read.role == "user":
            return self._run(self._user(read.text, read.id, media))
        self._run(self._recorded(read, media))
        return None

    # What the application decides

    def set(self, path: str, value: Any, *, confirmed: bool = False, source: Source = "app") -> None:
        """Set a slot, or a field of one. Raises UnknownPath, InvalidValue."""
        if source not in {"app", "tool"}:
            raise InputError(f"source must be 'app' or 'tool', not {source!r}: users speak through user()")
        self._change(lambda s, now: app_set(s, self.domains, path, value, now=now, confirmed=confirmed, source=source))

    def clear(self, path: str) -> None:
        """Empty a slot, or a field of one. Raises UnknownPath."""
        self._change(lambda state, now: app_clear(state, self.domains, path, now=now))

    def confirm(self, path: str, value: Any = UNSET) -> None:
        """Confirm what a slot holds. Raises NotHeld when it is empty, ValueChanged when it does not hold `value`."""
        self._change(lambda state, now: app_confirm(state, self.domains, path, value, now=now))

    def pin(self, id: str) -> None:
        """Keep a message in every prompt from here on, with its tool calls and results. Raises InputError."""
        self._pin(id, True)

    def unpin(self, id: str) -> None:
        """Let a pinned message leave the prompt when the turns around it do. Raises InputError."""
        self._pin(id, False)

    def undo(self, path: str | None = None) -> None:
        """Bring back what a slot held before its last change; with no path, undo the last step whatever it changed.

        Raises NotHeld when there is nothing to take back.
        """
        self._run(self._deepened(Depth.WINDOW))
        self._change(lambda state, now: app_undo(state, self.domains, path, now=now))

    def reset(self, domain: type[BaseModel] | str) -> None:
        """End the task in a domain: its slots are archived in the log and start clean."""
        name = self._domain(domain).name
        self._change(lambda state, now: app_reset(state, self.domains, name, now=now))

    # What is known

    @property
    def state(self) -> Mapping[str, Mapping[str, View]]:
        """What every slot holds at this moment: `chat.state["travel"]["origin"].value`. It does not change
        afterwards.
        """
        return state_views(self.domains, self._session.state)

    @property
    def aside(self) -> tuple[KeptAside, ...]:
        """What the log holds and no slot of the present schema can: values of slots that were removed or changed."""
        return kept_aside(self.domains, self._session.state)

    @property
    def owner(self) -> str | None:
        """The user whose conversation it is; None where nobody said."""
        return self._session.user or self._user_name

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole log, as the present schema has it: `entry.logged` is what stands there, where that is something
        else. Of a conversation that was opened from a snapshot it is read at the first call.
        """
        return tuple(self._whole().entries)

    @property
    def messages(self) -> tuple[MessageEvent, ...]:
        """The messages so far, like `entries`."""
        return tuple(self._whole().messages)

    @property
    def summary(self) -> Summary:
        """The summary of what has left the prompt: its version, and its items with their sources."""
        return self._session.state.summary

    def why(self, path: str) -> tuple[Entry, ...]:
        """Every decision about a slot, oldest first: which turn, which words, which outcome and reason."""
        removed = path in self._session.state.removed
        return self._whole().about(path if removed else self.domains.resolve(path)[0].path)

    def missing(self, domain: type[BaseModel] | str) -> tuple[Missing, ...]:
        """What a domain's form still needs, in the order of asking."""
        return missing_slots(self._domain(domain), self._session.state)

    def next_question(self, domain: type[BaseModel] | str | None = None) -> Question | None:
        """What to ask next, or None when nothing is missing."""
        name = None if domain is None else self._domain(domain).name
        return next_question(self.domains, self._session.state, name)

    def form(self, domain: type[M]) -> M:
        """The domain's model, filled and validated as a whole. Raises Incomplete (`.missing`), InvalidValue."""
        return fill_form(self._domain(domain), domain, self._session.state)

    def prompt(
        self,
        budget: Budget | int | None = None,
        *,
        reveal: bool = False,
        pending_calls: Literal["raise", "close"] = "raise",
    ) -> Prompt:
        """The prompt for the bot's next reply, within `budget` (the tracker's, where none is given; a number is the
        model's window in tokens). Sensitive values are masked unless `reveal`.

        Raises BudgetTooSmall when what must be kept does not fit, ToolCallsPending while a tool call has no result;
        with pending_calls="close" such calls get a visible "[no result]" in the log instead.
        """
        given, closes = self._budget(budget), _closes(pending_calls)
        going_on = self._going_on(given, reveal)
        return going_on or self._run((self._closing if closes else self._prompted)(given, reveal))

    async def aprompt(
        self,
        budget: Budget | int | None = None,
        *,
        reveal: bool = False,
        pending_calls: Literal["raise", "close"] = "raise",
    ) -> Prompt:
        """`prompt` for callers on an event loop: a model that summarises is awaited."""
        given, closes = self._budget(budget), _closes(pending_calls)
        return await self._arun((self._closing if closes else self._prompted)(given, reveal))

    def compact(self, budget: Budget | int | None = None) -> Compacted | None:
        """Compact now: turns leave the window down to the budget's low mark (without a limit, all but the last few that
        the template keeps), and a summary covers them. None when there is nothing that could leave, or another worker
        is at it.

        Raises BudgetTooSmall, ToolCallsPending.
        """
        return self._run(self._compacted(self._budget(budget), "manual"))

    async def acompact(self, budget: Budget | int | None = None) -> Compacted | None:
        """`compact` for callers on an event loop."""
        return await self._arun(self._compacted(self._budget(budget), "manual"))

    def rollback(self, version: int) -> None:
        """Bring a version of the summary back (0: the one without items). Slots and messages stay as they are. Raises
        InputError.
        """

        def events(state: State) -> Sequence[AnyEvent] | None:
            event = self._compactor.rolled_back(state, version)
            return None if event is None else (event,)

        self._whole()
        self._run(self._append(events))

    def overflowed(self, error: object, budget: Budget | int | None = None) -> Prompt:
        """A shorter prompt, after a provider refused the last one as too long: `error` is what it raised or said. Later
        prompts of this Chat with this budget stay as short. Raises InputError when the error says something else.
        """
        given, text = self._budget(budget), told_by(error)
        said = read_overflow(text)
        if said is None:
            raise InputError("this error does not say that the prompt was too long: handle it as another failure")
        if said.size is not None and text == self._overflow:  # the same refusal, handed over again
            return self._run(self._prompted(given, reveal=False))
        tight = tightened(given, said, self._prompter_for(reveal=False).size)
        self._run(self._compacted(tight, "overflow"))
        prompt = self._run(self._prompted(tight, reveal=False))
        self._tightened.append((self._asked(budget), tight))  # once it has worked
        self._overflow = text
        return prompt

    def recall(self, reference: str, start: int = 0, end: int | None = None, *, reveal: bool = False) -> str:
        """What a reference of the prompt stands for: a blob's text, a message by its id, or a range of messages
        ("12..18", both included); characters `start` to `end` of it, masked unless `reveal`. Raises InputError.
        """
        edges: dict[str, object] = {"start": start, "end": 0 if end is None else end}
        for name, at in edges.items():
            if not isinstance(at, int) or at < 0:
                raise InputError(f"{name} is a number of characters, 0 or more, not {at!r}")
        if end is not None and end < start:
            raise InputError(f"characters {start} to {end} run backwards: turn them round")
        text = self._run(self._fetched(text_of(reference, "a reference")))
        if not reveal:
            self._run(self._deepened(Depth.WINDOW))
            text = self._prompter_for(reveal=False).mask(text)
        return text[start:end]

    def blob(self, reference: str) -> bytes:
        """The content of a `blob:…` as it came: a picture for the next request, say. Not masked. Raises InputError."""
        return self._run(self._bytes(text_of(reference, "a reference")))

    def recalled(self, arguments: Mapping[str, Any] | str) -> str:
        """The result of a call of `recall_tool()`: what was asked for, or one line that says what is wrong."""
        try:
            asked = read_arguments(arguments)
            end = asked.start + RECALLED if asked.end is None else asked.end
            text = self.recall(asked.reference)
        except InputError as error:
            return f"error: {error}"
        rest = len(text) - end
        return text[asked.start : end] + (f"\n[{rest} more characters: ask with start={end}]" if rest > 0 else "")

    def preview(self, budget: Budget | int | None = None, *, reveal: bool = False) -> Prompt:
        """The prompt as `prompt` would make it, with nothing written to the log; calls without a result show
        "[no result]". For looking at: providers' caches are not kept in mind from one preview to the next.
        """
        given = self._budget(budget)

        def made() -> Flow[Prompt]:
            yield from ()
            copy, now = self._session.copy(), self._tracker.now()
            turn = copy.state.turns
            for at, call in enumerate(copy.transcript.pending):
                event = ToolTurn(turn=turn + at, id=f"no-result-{at}", call_id=call, text=NO_RESULT)
                copy.absorb([Entry(copy.count, now, event)])
            return Prompter(self._tracker.prompt_settings, copy, reveal=reveal).prompt(given)[0]

        return self._run(self._looking_back(made))

    @property
    def cache_report(self) -> CacheReport | None:
        """What the provider last reported beside what the prompt before expected; None while nothing was reported."""
        return self._report

    # How it is done

    def _let_go(self, entries: Sequence[Entry], user: str | None) -> None:
        super()._let_go(entries, user)
        self._prompters.clear()
        self._prompter = self._report = self._overflow = None

    def _pin(self, ident: str, pinned: bool) -> None:
        def events(_: State) -> Sequence[AnyEvent] | None:
            if self._session.message(ident) is None:
                raise InputError(f"no message has the id {ident!r}{near_ids(ident, self._session.messages)}")
            if (ident in self._session.transcript.pins) == pinned:
                return None
            return (Pinned(id=ident, pinned=pinned),)

        self._whole()
        self._run(self._append(events))

    def _budget(self, budget: Budget | int | None) -> Budget:
        if type(budget) is Budget and not self._tightened:
            return budget
        given = self._asked(budget)
        return next((tight for wide, tight in reversed(self._tightened) if wide == given), given)

    def _asked(self, budget: Budget | int | None) -> Budget:
        return self._tracker.budget if budget is None else Budget.of(budget)

    def _prompter_for(self, *, reveal: bool) -> Prompter:
        prompter = self._prompters.get(reveal)
        if prompter is None:
            prompter = self._prompters[reveal] = Prompter(self._tracker.prompt_settings, self._session, reveal=reveal)
        return prompter

    def _going_on(self, budget: Budget, reveal: bool) -> Prompt | None:
        """The prompt as `_prompted` makes it, at once: if it goes on in its epoch, no model summarises, and nobody else
        has written anything. Most do.
        """
        session, plugins = self._session, self._tracker.plugins
        if plugins.summariser is not None or session.depth < Depth.WINDOW:
            return None
        prompter = self._prompters.get(reveal) or self._prompter_for(reveal=reveal)
        with self._line.lock:
            try:
                prompt = prompter.going_on(budget)
            except SlotstateError:  # is it so on the newest state, too?
                return None
            if prompt is None or not session.is_last(plugins.store.load(self._name, max(session.count - 1, 0))):
                return None
            self._prompter = prompter  # while nobody can let go of it
        tell_prompt(prompt, **self._about)
        return prompt

    def _prompted(self, budget: Budget, reveal: bool) -> Flow[Prompt]:
        """Assemble the prompt; where an epoch begins with it, the log is told first."""
        return self._looking_back(partial(self._assembled, budget, reveal))

    def _assembled(self, budget: Budget, reveal: bool) -> Flow[Prompt]:
        prompter = self._prompter_for(reveal=reveal)
        asks = self._tracker.plugins.summariser is not None
        if asks and not self._tracker.compaction.background:
            yield from self._compactor.compact(prompter, budget, None)
        made: list[Prompt] = []

        def events(state: State) -> Sequence[AnyEvent] | None:
            self._prompter = prompter
            prompt, told = prompter.prompt(budget, patient=asks and self._compactor.is_running())
            made[:] = [prompt]
            return told or None

        yield from self._append(events)
        tell_prompt(made[0], **self._about)
        if asks and self._tracker.compaction.background:
            self._worker.start(prompter, budget, made[0])
        return made[0]

    def _compacted(self, budget: Budget, trigger: Trigger) -> Flow[Compacted | None]:
        return self._looking_back(lambda: self._compacting(budget, trigger))

    def _compacting(self, budget: Budget, trigger: Trigger) -> Flow[Compacted | None]:
        prompter = self._prompter_for(reveal=False)
        if self._tracker.plugins.summariser is not None:
            done = yield from self._compactor.compact(prompter, budget, trigger)
            if done is not None or (trigger == "manual" and self._compactor.is_running()):
                return done

        def events(state: State) -> Sequence[AnyEvent] | None:
            _, told = prompter.prompt(budget, trigger)
            return told if any(isinstance(event, Compacted) for event in told) else None

        written = yield from self._append(events)
        return next((event for event in written if isinstance(event, Compacted)), None)

    def _closing(self, budget: Budget, reveal: bool) -> Flow[Prompt]:
        """`_prompted`, once no call is without a result; also one that another worker makes meanwhile."""
        while True:
            closed = yield from self._unanswered(NO_RESULT)
            try:
                return (yield from self._prompted(budget, reveal))
            except ToolCallsPending:
                if not closed:
                    raise

    def _domain(self, domain: type[BaseModel] | str) -> Domain:
        if isinstance(domain, str):
            return self.domains[domain]
        for known in self.domains.values():
            if known.model is domain:
                return known
        name = getattr(domain, "__name__", domain)
        raise UnknownPath(f"{name} is not tracked here; tracked are: {', '.join(self.domains)}")


def _closes(pending_calls: object) -> bool:
    """Whether calls without a result are to be closed. Raises InputError."""
    if pending_calls not in ("raise", "close"):
        raise InputError(f"pending_calls is 'raise' or 'close', not {pending_calls!r}")
    return pending_calls == "close"


def _read(raw: Mapping[str, Any]) -> tuple[Message, tuple[Shelved, ...]]:
    described, media = shelve_media(raw)
    return read_message(described), media


def _as_text(value: Any, what: str) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(jsonable(value), ensure_ascii=False)
    except Exception:  # any object may be given, also one that breaks what touches it
        raise InputError(
            f"{what} must be text, or an object of JSON values, and this {type(value).__name__} cannot be written as "
            "JSON: write it as text"
        ) from None


def _usage(usage: object) -> Json:
    """What is kept of a provider's report: the figures, where they can be read, else all of it, or that it cannot be
    read: it is no reason to lose what was said.
    """
    told = read_usage(usage)
    if told is not None:
        return told.model_dump(exclude_none=True)
    try:
        kept = jsonable(usage)
    except Exception:  # what a client hands over may do anything when it is looked at
        kept = usage
    return kept if is_writable(kept) else {"unreadable": type(usage).__name__}

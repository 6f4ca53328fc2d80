"""Compaction of a conversation: when it is due, who summarises, and what the log is told of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from logging import WARNING
from threading import Thread
from typing import Any, Final

from slotstate.compact import (
    EXTRACTIVE,
    Add,
    Amend,
    Commit,
    Patch,
    Rules,
    Summariser,
    SummaryReply,
    SummaryRequest,
    ToolPolicy,
    checked_reply,
    committed,
    faults,
    patched,
)
from slotstate.compact.extractive import extract
from slotstate.compact.history import versions
from slotstate.compact.overflow import Overflow
from slotstate.contract import Prompt
from slotstate.errors import InputError, SlotstateError, one_line
from slotstate.events import AnyEvent, Compacted, Compacting, CompactionFailed, Lost, RolledBack, Trigger, Usage
from slotstate.flow import Effect, Flow, Summarise
from slotstate.messages import storable
from slotstate.prompt import REST, Budget, digest_of
from slotstate.prompter import Prompter
from slotstate.records import COMPACTION, tell
from slotstate.session import Session
from slotstate.state import State

DEADLINE: Final = 60.0
"""Seconds that a summary may take, unless the settings say otherwise."""
ATTEMPTS: Final = 2
"""How often a summariser is asked: once more when its patch is refused."""
SAFE: Final = 0.95
"""Of what the provider says is too much, so much is asked for next time."""
SHRINK: Final = 0.7
"""The same, where it does not say how much is too much."""
SAMPLES: Final = 20
"""Of what was left out, kept for people to review."""
_HEAVY: Final = frozenset({"constraint", "refusal", "decision"})
"""Items that a summary must not be without."""
_OVERDUE: Final = timedelta(minutes=10)
"""After so long a compaction that was begun and never ended is taken for dead, where there is no deadline."""

Append = Callable[[Callable[[State], Sequence[AnyEvent] | None]], Generator[Effect, Any, Sequence[AnyEvent]]]
"""Writes the events that a function decides on the newest state."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """How conversations are compacted.

    summariser: a Summariser, or its name ("extractive", "instructor:openai/gpt-5-mini", "local",
    "package.module:object"). high: the share of the budget above which a prompt is compacted, to the budget's `low`.
    background: whether a model summarises while the conversation goes on; until it is done, or if it fails, turns
    simply leave the window. results: what holds for the results of tools, and tools: for those of one tool, by its
    name. recent: so many of the last results are never folded. most: items of the summary. deadline: seconds for one.

    Raises InputError for figures that cannot be meant.
    """

    summariser: Summariser | str = EXTRACTIVE
    high: float = 0.85
    background: bool = False
    results: ToolPolicy = field(default_factory=ToolPolicy)
    tools: Mapping[str, ToolPolicy] = field(default_factory=dict[str, ToolPolicy])
    recent: int = 3
    most: int = 40
    deadline: float | None = DEADLINE

    def __post_init__(self) -> None:
        if not isinstance(self.summariser, str | Summariser):
            raise InputError(f"{self.summariser!r} is no summariser: it needs a name, summarise() and asummarise()")
        if not isinstance(self.background, bool):
            raise InputError(f"background is true or false, not {self.background!r}")
        self.rules(spare=False)

    def rules(self, *, spare: bool) -> Rules:
        """The pure part. With `spare`, a model summarises: turns leave the window only when it is full."""
        high = 1.0 if spare and self.background else self.high
        return Rules(high, self.results, dict(self.tools), self.recent, self.most, spare)


class Compactor:
    """The compactions of one conversation by a summariser that has to be asked. The model-free one is part of making a
    prompt, and stands in where this one fails.
    """

    def __init__(
        self, session: Session, settings: Compaction, name: str, append: Append, now: Callable[[], datetime]
    ) -> None:
        self._session = session
        self._settings = settings
        self._name = name
        self._append = append
        self._now = now

    def compact(self, prompter: Prompter, budget: Budget, trigger: Trigger | None) -> Flow[Compacted | None]:
        """Summarise what leaves the window with the next prompt, if anything does and nobody else is at it."""
        found = prompter.gap(budget, trigger)
        if found is None:
            return None
        gap, span = found
        summary, why = self._session.state.summary, trigger or "high"
        erasures = self._session.erasures

        def begins(state: State) -> Sequence[AnyEvent] | None:
            if self._session.erasures != erasures or self.is_running() or state.summary.version != summary.version:
                return None
            return (Compacting(at=self._now(), trigger=why, model=self._name, covered=gap.until),)

        if not (yield from self._append(begins)):
            return None
        request = SummaryRequest(summary, span, most_items=self._settings.most, deadline=self._settings.deadline)
        reply, refused = yield from self._asked(request)

        def ends(state: State) -> Sequence[AnyEvent] | None:
            if self._session.erasures != erasures:
                return None  # not even why it failed may be told: that could quote what is gone
            now, reason = replace(request, span=prompter.span(gap)), reply.error
            if state.summary.version != summary.version:
                reason = "the summary was changed in the meantime"
            elif reply.patch is not None:  # slots and secrets may have changed while the model worked
                wrong = self._faults(now, reply.patch)
                shown = (prompter.mask(text) == text for text in _texts(reply.patch))
                reason = wrong[0] if wrong else None if all(shown) else "it tells what became secret in the meantime"
            if reply.patch is None or reason is not None:
                reason = reason or "the summariser gave nothing"
                failed = CompactionFailed(
                    at=self._now(), trigger=why, model=self._name, reason=storable(reason)[:500], usage=reply.usage
                )
                return (failed,)
            patch = completed(now, reply.patch)  # what it adds was said, and needs no check
            digest = digest_of(self._session.transcript, gap.since, gap.until)
            commit = Commit(
                self._now(),
                why,
                self._name,
                gap.until,
                digest,
                tuple(_samples(reply.lost)),
                tuple(map(storable, refused)),
                usage=reply.usage,
            )
            return (committed(summary, patch, commit),)

        events = yield from self._append(ends)
        return next((event for event in events if isinstance(event, Compacted)), None)

    def rolled_back(self, state: State, version: int) -> RolledBack | None:
        """What brings a version of the summary back; None when it is the present one. Raises InputError."""
        known = versions(entry.event for entry in self._session.entries)
        if version not in known:
            there = f"it has 0 to {max(known)}" if max(known) else "nothing was compacted yet"
            raise InputError(f"the summary has no version {version!r}: {there}")
        if version == state.summary.version:
            return None
        then = known[version]
        return RolledBack(at=self._now(), version=max(known) + 1, to=version, covered=then.covered, items=then.items)

    def is_due(self, prompt: Prompt) -> bool:
        """Whether a prompt stands above the high mark, and has not just been compacted."""
        high = None if prompt.budget is None else self._settings.high * prompt.budget
        rested = self._session.transcript.asked > REST
        return high is not None and (prompt.tokens or 0) > high and rested and not self.is_running()

    def is_running(self) -> bool:
        """Whether a compaction was begun, here or by another worker, and may still end."""
        last = self._session.transcript.compacting
        if last is None:
            return False
        deadline = self._settings.deadline
        patience = _OVERDUE if deadline is None else timedelta(seconds=ATTEMPTS * deadline + 5)
        return self._now() - last.at < patience

    def _asked(self, request: SummaryRequest) -> Flow[tuple[SummaryReply, list[str]]]:
        """What the summariser gives in the end, with the tokens of all attempts, and what was refused of it before."""
        refused: list[str] = []
        usage: Usage | None = None
        for _ in range(ATTEMPTS):
            try:
                reply = checked_reply((yield Summarise(request)))
            except Exception as error:  # no provider's or plug-in's error may hurt the conversation
                reply = SummaryReply(None, error=one_line(error))
            usage = _added(usage, reply.usage)
            if reply.patch is None:
                return replace(reply, usage=usage), refused
            faulty = self._faults(request, reply.patch)
            if not faulty:
                return replace(reply, usage=usage), refused
            refused += faulty
            request = replace(request, faults=tuple(faulty))
        return SummaryReply(None, usage, f"refused: {refused[-1]}"), refused

    def _faults(self, request: SummaryRequest, patch: Patch) -> list[str]:
        if any(storable(text) != text for text in _texts(patch)):
            return ["the patch holds half a character: give whole ones"]
        try:
            patched(request.summary, patch, 0)
        except InputError as error:
            return [str(error)]
        known = request.span.slots.keys() | request.span.others.keys()
        if strange := next((add.path for add in patch.add if add.path is not None and add.path not in known), None):
            return [f"there is no slot {strange[:80]!r} to speak of: leave the path out"]
        most = request.most_items * 3 // 2  # a few more than were asked for do no harm
        found = faults(request.summary, patch, request.span, most_items=most)
        return [f"{one.where}: {one.detail}" for one in found]


def _texts(patch: Patch) -> Iterator[str]:
    """Whatever of a patch the log would have to keep."""
    told: tuple[Add | Amend, ...] = (*patch.add, *patch.amend)
    for change in told:
        yield from (change.text, change.quote or "", *change.sources)
    yield from (add.path or "" for add in patch.add)
    yield from (drop.reason for drop in patch.drop)


def _samples(lost: Sequence[Lost]) -> Iterator[Lost]:
    """Some of what was left out, as the log can keep it."""
    for one in lost[:SAMPLES]:
        text, reason = (storable(str(part))[:500] for part in (one.text, one.reason))
        yield Lost(text=text, reason=reason, ident=one.ident if isinstance(one.ident, int) else None)


def completed(request: SummaryRequest, patch: Patch) -> Patch:
    """A model's patch with what it leaves out of the span's constraints, refusals and decisions, as they were said: a
    model's silence must not lose them.
    """
    after = patched(request.summary, patch, 0)
    more, _ = extract(after, request.span, most=request.most_items)
    heavy = tuple(one for one in more.add if one.kind in _HEAVY)
    return replace(patch, add=(*patch.add, *heavy))


def _added(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return one or other
    sums = {
        name: None if a is None and b is None else (a or 0) + (b or 0)
        for name in ("tokens_in", "tokens_out", "tokens_cached")
        for a, b in [(getattr(one, name), getattr(other, name))]
    }
    return Usage(**sums, attempts=one.attempts + other.attempts)


class Worker:
    """Runs a conversation's compactions in the background, one at a time."""

    def __init__(
        self, run: Callable[[Flow[Compacted | None]], Compacted | None], compactor: Compactor, about: Mapping[str, str]
    ) -> None:
        self._run = run
        self._compactor = compactor
        self._about = about
        self._thread: Thread | None = None

    def start(self, prompter: Prompter, budget: Budget, prompt: Prompt) -> None:
        """Begin, if the prompt stands above the high mark and none is under way."""
        if not self._compactor.is_due(prompt) or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = Thread(target=self._work, args=(prompter, budget), name="slotstate-compaction", daemon=True)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is under way; False when `timeout` seconds were not enough."""
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self, prompter: Prompter, budget: Budget) -> None:
        # A store that fails, or a budget that became too small: the next prompt says so where somebody can act on it.
        try:
            self._run(self._compactor.compact(prompter, budget, "high"))
        except SlotstateError as error:  # Truncated among them
            tell(COMPACTION, WARNING, "background compaction failed", **self._about, error=type(error).__name__)


def tightened(budget: Budget, said: Overflow, size: int | None) -> Budget:
    """A budget for which the provider's own count would not have been too long. `size` was the prompt's by ours."""
    kept = budget.reply + budget.margin
    if said.window is not None and said.size and size:
        room = int((said.window - kept) * size / said.size * SAFE)
    elif said.window is not None:
        room = int((said.window - kept) * SAFE)
    else:
        room = int((size or budget.limit(0) or 0) * SHRINK)
    if size:
        room = min(room, int(size * SAFE))
    if budget.context is not None:
        room = min(room, int((budget.context - kept) * SAFE))
    if room <= 0 and said.window is None:
        raise InputError("the error does not say how long a prompt may be: give the budget a smaller context")
    if room <= 0:
        raise InputError(f"a window of {said.window} tokens leaves nothing beside reply and margin: make these smaller")
    return replace(budget, context=room + kept)

"""The summariser itself: puts prompt, response model and model together, one chunk of the messages after the other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from slotstate.compact.summariser import SummaryReply, SummaryRequest
from slotstate.errors import InputError
from slotstate.providers import Asker, Calls, Record, calls
from slotstate.summarisers.instructor.folding import Fold
from slotstate.summarisers.instructor.prompting import Chunk, make_prompting, unshield
from slotstate.summarisers.instructor.response import Found, Reader, response_model
from slotstate.tokens import CachedCounter, Counter, Estimator

MIN_WINDOW: Final = 5_000
"""Tokens of the smallest window in which instructions, messages and an answer have room."""
_TOLD: Final = 700
"""Tokens that the account of an answer's mistakes may have."""


class InstructorSummariser:
    """Summarises with a language model.

    client: a provider string as `instructor.from_provider` takes it ("openai/gpt-5-mini", "anthropic/…"), or a ready
    client: instructor's, or openai's (then with `model`). window: tokens that the model takes in and writes at a time,
    as `counter` counts them (by default an estimate that errs to the safe side); a span that needs more is taken in
    parts, each on top of what came of the last. mode: instructor's mode by name. retries: how often the model is told
    what was wrong with its answer. deadline: seconds for all of it; the request's own counts as well. max_tokens: the
    longest answer, by default a sixth of the window, up to 2,000 (8,192 for models that think). extra: passed to the
    provider as it is. template: a folder in place of the bundled one.

    What a model or a provider does wrong is in the reply, not raised: one line that says what happened, and the tokens
    of all attempts. A part of the span that could not be summarised spoils the whole: nothing is left out in silence.

    Raises InputError, MissingExtra, ExtractorError when it cannot work, as far as that shows without network.
    """

    def __init__(  # noqa: PLR0913  # options by keyword, each of use to someone
        self,
        client: Any,
        *,
        model: str | None = None,
        window: int = 8_000,
        counter: Counter | None = None,
        mode: Any = None,
        retries: int = 1,
        deadline: float | None = None,
        temperature: float | None = 0,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
        template: str | Path | None = None,
    ) -> None:
        if window < MIN_WINDOW:
            raise InputError(f"a summariser needs a window of at least {MIN_WINDOW} tokens, not {window}")
        usual = min(2_000, window // 6)
        self._asker: Asker[SummaryReply] = Asker(
            client,
            _failed,
            model=model,
            mode=mode,
            retries=retries,
            deadline=deadline,
            temperature=temperature,
            max_tokens=max_tokens,
            usual=usual,
            extra=extra,
        )
        # Each answer with mistakes stands in the conversation when the next is asked for.
        answers = (1 + retries) * min(self._asker.longest, max_tokens or usual) + retries * _TOLD
        self._prompting = make_prompting(template, counter or CachedCounter(Estimator()), window - answers)
        self.name = f"instructor:{self._asker.name}"

    def summarise(self, request: SummaryRequest) -> SummaryReply:
        """The patch that takes in the messages of the request's span."""
        return self._asker.ask(partial(self._course, request), request.deadline)

    async def asummarise(self, request: SummaryRequest) -> SummaryReply:
        """The same, for callers on an event loop."""
        return await self._asker.aask(partial(self._course, request), request.deadline)

    def close(self) -> None:
        """Close the connections of a client that was made here; a ready one is left to its owner."""
        self._asker.close()

    def _course(self, request: SummaryRequest, record: Record) -> Calls[SummaryReply]:
        """What is to be called, chunk by chunk, and what comes of it all."""
        fold = Fold(request.summary)
        pending, done = request.span.messages, 0
        while done < len(pending):
            if record.remaining == 0:  # a client that blocks is not ended from outside
                return _failed(record, _part("the deadline has passed", done, len(pending)))
            chunk = self._prompting.chunk(fold.summary, pending[done:], request)
            found = yield from self._call(fold, chunk, request, record)
            if isinstance(found, str):
                return _failed(record, _part(found, done, len(pending)))
            fold.apply(found.patch, found.lost)
            done += chunk.taken
        return SummaryReply(fold.patch, record.usage, lost=tuple(fold.lost))

    def _call(self, fold: Fold, chunk: Chunk, request: SummaryRequest, record: Record) -> Calls[Found | str]:
        reader = Reader(fold.summary, request, record, unshield, chunk.texts, chunk.sources)
        model = response_model(changing=bool(fold.summary.items))
        arguments = self._asker.arguments(record, model, chunk.prompt)
        return (yield from calls(record, reader, arguments, self._asker.dropped))


def _part(line: str, done: int, count: int) -> str:
    """The line, with how far it went where some messages had been taken in."""
    return f"{line} (after {done} of {count} messages)" if done else line


def _failed(record: Record, line: str) -> SummaryReply:
    """The reply when there is no patch."""
    return SummaryReply(None, record.usage, line)

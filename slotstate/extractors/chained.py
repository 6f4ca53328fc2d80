"""Chained extractors: the first answers where it is sure, the second is asked where it is not.

When the second fails or the deadline passes, what the first had read stands in.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as NotDone
from dataclasses import replace
from functools import partial
from typing import Any, Final

from slotstate.errors import InputError
from slotstate.extract import Extraction, Extractor, Request, touches
from slotstate.parsing import Span, bare_no, bare_yes, find_quote, fold, unspaced
from slotstate.providers.portal import in_thread

REST: Final = 6
"""Words (in scripts without spaces: characters) that a turn may hold beside what was read, to count as read in full."""
THRESHOLD: Final = 0.7
"""The confidence from which on the first answer is enough."""
KEPT: Final = 0.9
"""The confidence from which on a change of the first stands, whatever the second says of its slot."""
_WORD: Final = re.compile(r"\w+")

Sure = Callable[[Request, Extraction], bool]


class ChainedExtractor:
    """Asks `first`, and `second` only where the first is not sure.

    sure: whether the first one's answer is enough for a turn; by default where its confidence is at least `threshold`
    (higher asks the second more often); where it tells none, when it read something and little of the turn is left
    beside the words that it quoted. The second one's changes count, but for slots of which the first has read a change
    with a confidence of at least `kept`; the others of the first stay for slots about which the second says nothing.
    Both share the request's deadline.

    Raises InputError for what is no extractor, no probability or no judge.
    """

    def __init__(
        self,
        first: Extractor,
        second: Extractor,
        *,
        sure: Sure | None = None,
        threshold: float = THRESHOLD,
        kept: float = KEPT,
    ) -> None:
        for extractor in (first, second):
            if not isinstance(extractor, Extractor):
                raise InputError(f"{extractor!r} is no extractor: it needs extract(request) and aextract(request)")
        self._kept = _probability("kept", kept)
        threshold = _probability("threshold", threshold)
        if sure is not None and not callable(sure):
            raise InputError(f"sure is a function of a request and an extraction that says yes or no, not {sure!r}")
        self._first, self._second = first, second
        self._sure = sure or partial(is_sure, threshold=threshold)

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        ends = _ends(request)
        try:
            first = self._first.extract(request)
        except Exception as error:  # the other one can still answer
            first = _failed(error)
        if first.error is None and self._sure(request, first):
            return first
        rest = _remaining(request, ends)
        answer = in_thread(lambda: self._second.extract(rest))  # one can stop waiting for a thread
        try:
            return self._together(first, answer.result(rest.deadline))
        except (NotDone, TimeoutError):
            return _stand_in(first, f"no answer within the deadline of {request.deadline:g} s")
        except Exception as error:  # whatever it is, the first one stands in
            return _stand_in(first, _line(error))

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        import asyncio

        ends = _ends(request)
        try:
            first = await self._first.aextract(request)
        except Exception as error:  # the other one can still answer
            first = _failed(error)
        if first.error is None and self._sure(request, first):
            return first
        rest = _remaining(request, ends)
        try:
            return self._together(first, await asyncio.wait_for(self._second.aextract(rest), rest.deadline))
        except TimeoutError:
            return _stand_in(first, f"no answer within the deadline of {request.deadline or 0:g} s")
        except Exception as error:  # whatever it is, the first one stands in
            return _stand_in(first, _line(error))

    def _together(self, first: Extraction, second: Extraction) -> Extraction:
        if second.error is not None and not second.changes:
            return replace(_stand_in(first, second.error), usage=second.usage)
        settled = {one.path for one in first.changes if one.op == "set" and (one.confidence or 0.0) >= self._kept}
        theirs = [change for change in second.changes if not touches(change, settled)]
        spoken_of = {change.path for change in theirs}
        own = [change for change in first.changes if not touches(change, spoken_of)]
        more = [one for one in first.suggestions if one not in second.suggestions]
        return replace(second, changes=(*theirs, *own), suggestions=(*second.suggestions, *more))

    def close(self) -> None:
        """Close what the two hold open."""
        for extractor in (self._first, self._second):
            close = getattr(extractor, "close", None)
            if close is not None:
                close()


def _probability(name: str, given: Any) -> float:
    """Raises InputError for what is no probability."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        raise InputError(f"{name} is a probability from 0 to 1, not {given!r}")
    return given


def is_sure(request: Request, read: Extraction, *, threshold: float = THRESHOLD) -> bool:
    """Whether a reader is confident of a turn as a whole; of one that does not say, whether it was read in full."""
    if read.confidence is None:
        return read_in_full(request, read)
    return read.confidence >= threshold


def read_in_full(request: Request, read: Extraction) -> bool:
    """Whether little of the turn is left beside the words that changes were read from, and no number, name or question
    among it. A plain yes or no needs no second reader; a turn from which nothing was read does.
    """
    text = fold(request.user)
    if bare_yes(text) or bare_no(text):
        return True
    places = [find_quote(change.quote or "", text) for change in read.changes]
    if not places or not all(places):
        return False
    left = _without(request.user, [span for spans in places for span in spans])
    words = [(found.start(), found[0]) for found in _WORD.finditer(left)]
    named = any(at > 0 and word[0].isupper() and word != "I" for at, word in words)
    if named or re.search(r"[?？\d]", left):
        return False
    return sum(len(word) if unspaced(word[0]) else 1 for _, word in words) <= REST


def _without(text: str, spans: Sequence[Span]) -> str:
    """The text with blanks in place of the spans."""
    kept = list(text)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    return "".join(kept)


def _ends(request: Request) -> float | None:
    return None if request.deadline is None else time.monotonic() + request.deadline


def _remaining(request: Request, ends: float | None) -> Request:
    """The request with what is left of its deadline, a little kept to answer in time oneself."""
    if ends is None or request.deadline is None:
        return request
    left = ends - time.monotonic() - min(0.1, request.deadline * 0.1)
    return replace(request, deadline=max(left, 0.001))


def _stand_in(first: Extraction, problem: str) -> Extraction:
    """What the first one read, with a note why the second one's answer is missing."""
    note = problem if first.error is None else f"{first.error}; then: {problem}"
    return replace(first, error=note)


def _failed(error: Exception) -> Extraction:
    return Extraction(error=_line(error))


def _line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__

"""The built-in extractor's own reading of a turn, beside a language model's.

Small models miss what the user takes up of the assistant's words, or set what nobody took; and they set what a turn
does not speak of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from slotstate.decide import Said
from slotstate.decide.drafts import Draft, draft
from slotstate.domains import Domains
from slotstate.extract import Change, Extraction, Request, touches
from slotstate.extractors.builtin import BuiltinExtractor
from slotstate.slots import DONTCARE

if TYPE_CHECKING:
    from slotstate.extractors.builtin.learned.reader import Scored

DOUBTED: Final = -2.0
"""The logit below which the models of the built-in extractor speak against a change."""
QUOTED: Final = 0.0
"""The logit from which on a value that a model gives without the user's words is looked up in them."""
_MEANT: Final = frozenset({"boolean", "categorical"})
"""Kinds whose values may be meant in other words: what those models do not think of is doubted as well."""


class OwnReader:
    """Reads turns with the built-in extractor."""

    def __init__(self) -> None:
        self._own = BuiltinExtractor()

    def read(self, request: Request) -> OwnReading:
        """A turn as the built-in extractor reads it."""
        return OwnReading(request, *self._own.reading(request))


@dataclass(frozen=True, slots=True)
class OwnReading:
    """What the built-in extractor reads in a turn; `turn` is what its models say, None where they say nothing."""

    request: Request
    read: Extraction
    turn: Scored | None

    def hints(self) -> Iterator[tuple[str, Any]]:
        """The slots and values that it reads: candidates for another reader."""
        for change in self.read.changes:
            if change.op in {"set", "add"} and change.value is not DONTCARE:
                yield change.path, change.value

    def doubts(self, judged: Draft) -> bool:
        """Whether the models speak against a value, or do not even think of an option that nobody names."""
        claim = judged.claim
        if self.turn is None or claim.field is not None or not self._looks_at(claim.spec.path):
            return False
        logit = self._logit(claim.spec.path, claim.value)
        if logit is None:
            return claim.spec.kind in _MEANT and claim.value is not DONTCARE and judged.evidence.grade == "meant"
        return logit < DOUBTED

    def requoted(self, change: Change) -> Change:
        """A change with the user's words for its value, where the models read the same value in them."""
        from slotstate.extractors.builtin.learned.reader import as_change, is_value, said_at

        if self.turn is not None:
            for place, one in enumerate(self.turn.candidates):
                if self.turn.view.every[one.slot].path != change.path or not is_value(one, change.value):
                    continue
                logit = float(self.turn.scores[place])
                if logit > QUOTED and said_at(self.turn, one) is not None:
                    return replace(change, quote=as_change(self.turn, one, logit).quote)
        return change

    def added(self, read: Extraction, domains: Domains) -> Extraction:
        """What a model read, with the values that the user takes up and of whose slots the model says nothing.

        The assistant's values that the user did not take up are suggestions. What could not be read stays so: it is
        read when its message comes again.
        """
        if read.error is not None and not read.changes:
            return read
        request = self.request
        said = Said(
            request.turn, request.user, request.now, request.state.heard, request.asked, before=request.state.slots
        )
        spoken_of = {change.path for change in read.changes}
        taken = [
            change
            for change in self.read.changes
            if not touches(change, spoken_of)
            and isinstance(judged := draft(change, domains, request.state, said), Draft)
            and judged.evidence.source == "offer"
        ]
        return replace(read, changes=(*read.changes, *taken), suggestions=self.read.suggestions)

    def _looks_at(self, path: str) -> bool:
        turn = self.turn
        return turn is not None and any(turn.view.every[slot].path == path for slot in turn.view.fillable)

    def _logit(self, path: str, value: Any) -> float | None:
        """What the models say of a value, None where it is none of their candidates."""
        from slotstate.extractors.builtin.learned.reader import UNKNOWN, worth

        if self.turn is None:
            return None
        logit = worth(self.turn, Change("set", path, value))
        return None if logit == UNKNOWN else logit

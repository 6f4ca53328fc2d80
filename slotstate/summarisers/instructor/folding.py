"""Several patches, each made on top of the last, as the one that they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from slotstate.compact.items import Add, Amend, Drop, Patch, patched
from slotstate.events import Lost
from slotstate.state import Summary


@dataclass(slots=True)
class Fold:
    """A summary with patches applied one after the other. `summary` is as it stands now; items that are added have the
    numbers that they would have if each patch counted by itself.
    """

    summary: Summary
    lost: list[Lost] = field(default_factory=list[Lost])
    """What was left out, and what was added and dropped again."""
    _added: dict[int, Add] = field(default_factory=dict[int, Add])
    _amended: dict[int, Amend] = field(default_factory=dict[int, Amend])
    _dropped: dict[int, Drop] = field(default_factory=dict[int, Drop])

    def apply(self, patch: Patch, lost: Iterable[Lost] = ()) -> None:
        """Take one more patch in. Raises InputError as `patched` does."""
        made = self.summary.made
        self.summary = patched(self.summary, patch, self.summary.covered)
        for amend in patch.amend:
            self._amend(amend)
        for drop in patch.drop:
            self._drop(drop)
        self._added.update(enumerate(patch.add, made + 1))
        self.lost += lost

    @property
    def patch(self) -> Patch:
        """What all of them come to, for the summary that was there first."""
        return Patch(tuple(self._added.values()), tuple(self._amended.values()), tuple(self._dropped.values()))

    def _amend(self, amend: Amend) -> None:
        ident = amend.ident
        before = self._added.get(ident) or self._amended.get(ident)
        sources = tuple(dict.fromkeys((*(before.sources if before else ()), *amend.sources)))
        quote = amend.quote or (before.quote if before else None)
        if ident in self._added:
            self._added[ident] = replace(self._added[ident], text=amend.text, sources=sources, quote=quote)
        else:
            self._amended[ident] = Amend(ident, amend.text, sources, quote)

    def _drop(self, drop: Drop) -> None:
        added = self._added.pop(drop.ident, None)
        if added is not None:
            self.lost.append(Lost(text=added.text, reason=drop.reason))
            return
        self._amended.pop(drop.ident, None)
        self._dropped[drop.ident] = drop

"""Finds the stretches of a text that may be values: a linear-chain CRF, decoded over exported weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from slotstate.extractors.builtin.learned.hashing import hashed
from slotstate.extractors.builtin.learned.tokens import Token, shape_of, tokenize

KINDS: Final = ("date", "time", "number", "place", "name", "sort")
LABELS: Final = ("O", *(f"{mark}-{kind}" for kind in KINDS for mark in "BI"))
_END: Final = Token("", "", 0, 0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch that may be a value: its place among the tokens and characters, its kind, and whether only the
    second, laxer look found it.
    """

    first: int
    last: int
    start: int
    end: int
    kind: str
    lax: bool = False


def features(tokens: Sequence[Token], index: int, speaker: str) -> list[str]:
    """What the tagger knows of a token: its words around it and their shapes. `speaker` is "u" or "s"."""
    count = len(tokens)
    word = tokens[index]
    before = tokens[index - 1] if index else _END
    second = tokens[index - 2] if index > 1 else _END
    after = tokens[index + 1] if index + 1 < count else _END
    third = tokens[index + 2] if index + 2 < count else _END
    shape, key = shape_of(word.text), word.key
    return [
        "b",
        f"w{key}",
        f"-1{before.key}",
        f"+1{after.key}",
        f"-2{second.key}",
        f"+2{third.key}",
        f"-21{second.key} {before.key}",
        f"-10{before.key} {key}",
        f"01{key} {after.key}",
        f"+12{after.key} {third.key}",
        f"s{shape}",
        f"-s{shape_of(before.text)} {shape}",
        f"+s{shape} {shape_of(after.text)}",
        f"-w{before.key} {shape}",
        f"p{key[:3]}",
        f"e{key[-3:]}",
        f"{speaker}{shape}",
        f"{speaker}-1{before.key}",
        f"^{shape}" if not index or before.text in ".?!" else f"~{shape}",
    ]


class Tagger:
    """A CRF over `LABELS`. `keys` are features' numbers, each with a row of `table`; `moves[i, j]` weighs j after i."""

    def __init__(self, keys: Any, table: Any, moves: Any) -> None:
        order = np.argsort(keys)
        self._keys = keys.astype(np.uint32)[order]
        self._table = np.vstack([table.astype(np.float32)[order], np.zeros((1, len(LABELS)), np.float32)])
        self._moves = moves.astype(np.float32)
        self.stretches = lru_cache(maxsize=256)(self._stretches)

    def _emissions(self, tokens: Sequence[Token], speaker: str) -> Any:
        told = [[hashed(one) for one in features(tokens, i, speaker)] for i in range(len(tokens))]
        numbers = np.array(told, np.uint32)
        rows = np.searchsorted(self._keys, numbers)
        known = self._keys.take(rows, mode="clip") == numbers
        return self._table[np.where(known, rows, len(self._keys))].sum(axis=1)

    def labels(self, text: str, speaker: str, lean: float = 0.0) -> list[int]:
        """The best labels of a text's tokens; `lean` is taken from the score of O."""
        tokens = tokenize(text)
        if not tokens:
            return []
        return self._best(self._emissions(tokens, speaker), (lean,))[0]

    def _best(self, scores: Any, leans: Sequence[float]) -> list[list[int]]:
        """For each lean the best path: all are decoded side by side, as each step costs more in calls than in sums."""
        rows = np.repeat(scores[:, None, :], len(leans), axis=1)
        rows[:, :, 0] -= leans
        best = rows[0]
        back: list[Any] = []
        for row in rows[1:]:
            step = best[:, :, None] + self._moves
            back.append(step.argmax(axis=1))
            best = step.max(axis=1) + row
        return [_traced(int(best[at].argmax()), [steps[at] for steps in back]) for at in range(len(leans))]

    def _stretches(self, text: str, speaker: str) -> tuple[Stretch, ...]:
        """The stretches of a text that may be values, those of a second, laxer look last."""
        tokens = tokenize(text[:2000])
        if not tokens:
            return ()
        scores = self._emissions(tokens, speaker)
        narrow, wide = self._best(scores, (0.0, LEAN))
        sure, more = _joined(tokens, narrow, lax=False), _joined(tokens, wide, lax=True)
        known = {(one.first, one.last) for one in sure}
        return (*sure, *(one for one in more if (one.first, one.last) not in known))


LEAN: Final = 3.0


def _traced(last: int, back: Sequence[Any]) -> list[int]:
    """The path that ends with a label, from where the best step to each came."""
    path = [last]
    for steps in reversed(back):
        path.append(int(steps[path[-1]]))
    return path[::-1]


def _joined(tokens: Sequence[Token], labels: Sequence[int], *, lax: bool) -> list[Stretch]:
    found: list[Stretch] = []
    start = -1
    kind = ""
    for index, label in enumerate([*labels, 0]):
        name = LABELS[label]
        if start >= 0 and (name[0] != "I" or name[2:] != kind):
            found.append(Stretch(start, index, tokens[start].start, tokens[index - 1].end, kind, lax))
            start = -1
        if name[0] == "B" or (name[0] == "I" and start < 0):
            start, kind = index, name[2:]
    return found

"""The summariser that needs no model: it picks sentences as they were said, so that nothing can drift. It is the
default, and what stands in for every other one.
"""

from __future__ import annotations

from slotstate.compact.board import Board
from slotstate.compact.digests import digest
from slotstate.compact.held import Values
from slotstate.compact.items import Patch, Span
from slotstate.compact.picking import Sentence, picked, sentences, weight
from slotstate.events import Lost
from slotstate.state import Summary

__all__ = ["extract", "weight"]


def extract(summary: Summary, span: Span, *, most: int = 40, chars: int = 8_000) -> tuple[Patch, tuple[Lost, ...]]:
    """What the messages of `span` change of the summary, and samples of what was left out. At most `most` items, of at
    most `chars` characters together, are there afterwards. The same input always gives the same patch.

    The text of each new item stands word for word in its last source, behind the name of the tool where a tool returned
    it; `quote` is the assistant's question where the text only answers it. Items that are there already stay as they
    are or are dropped, never changed.
    """
    values = Values(span)
    board = Board(summary.items, values, max(0, most))
    before: tuple[Sentence, ...] = ()
    for message in span.messages:
        if message.role == "tool":
            found = digest(message)
            if found is not None:
                board.put(found)
        elif message.role != "system":
            said = sentences(message)
            _take(board, said, before, values)
            before = said if message.role == "assistant" else ()
    return board.result(max(0, chars))


def _take(board: Board, said: tuple[Sentence, ...], before: tuple[Sentence, ...], values: Values) -> None:
    """What the sentences of one message change, in their order."""
    items = {one.piece.start: item for one, item in picked(said, before, values)}
    for one in said:
        if one.message.role == "user":
            board.revise(one)
        item = items.get(one.piece.start)
        if item is not None:
            board.put(item)

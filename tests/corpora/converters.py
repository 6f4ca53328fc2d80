"""Dialogue corpora turned into chat messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slotstate.evaluating import read_corpus
from slotstate.measuring import Turn

Messages = list[dict[str, Any]]
Dialogues = dict[str, Messages]


def messages_of(folder: Path, kind: str, version: str | None = None) -> Dialogues:
    """Every dialogue of that kind ("sgd", "multiwoz", "crosswoz") in the folder's files, by its name."""
    corpus = read_corpus(kind, folder, version=version, kinds="typed")
    return {one.name: [message for turn in one.turns for message in messages(turn)] for one in corpus.dialogues}


def messages(turn: Turn) -> Iterator[dict[str, Any]]:
    """A turn as chat messages: a service call and its results stand before the assistant's words."""
    for number, frame in enumerate(turn.frames):
        if frame.call is not None:
            ident = f"call_{number}"
            arguments = json.dumps(dict(frame.call.parameters), ensure_ascii=False)
            function = {"name": frame.call.method, "arguments": arguments}
            called = {"id": ident, "type": "function", "function": function}
            yield {"role": "assistant", "content": None, "tool_calls": [called]}
            results = json.dumps(list(frame.call.results), ensure_ascii=False)
            yield {"role": "tool", "tool_call_id": ident, "content": results}
    yield {"role": turn.role, "content": turn.text}

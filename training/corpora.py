"""Corpora and exported sessions, as dialogues to be played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from slotstate.domains import Domains
from slotstate.evaluating import read_corpus
from slotstate.measuring.dialogues import Corpus, Dialogue, Reference
from training.playing import Played


def read_played(name: str, path: Path, schemas: Sequence[str] = ()) -> list[Played]:
    """The dialogues of a corpus. Raises InputError."""
    corpus = read_corpus(name, path, schemas=list(schemas)) if schemas else read_corpus(name, path)
    every = name in {"multiwoz", "crosswoz"}
    return [played(corpus, dialogue, every=every) for dialogue in corpus.dialogues]


def played(corpus: Corpus, dialogue: Dialogue, *, every: bool) -> Played:
    """A dialogue with all domains of its corpus, or its own."""
    domains = corpus.domains_of(dialogue) if dialogue.domains is not None or not every else _all(corpus)
    turns = []
    assistant = ""
    for turn in dialogue.turns:
        if turn.role == "assistant":
            assistant = f"{assistant}\n{turn.text}" if assistant else turn.text
            continue
        gold = {path: _forms(one) for path, one in (turn.state or {}).items() if path in domains.specs}
        turns.append((assistant, turn.text, gold, frozenset(turn.services) if turn.frames else frozenset()))
        assistant = ""
    return Played(domains, turns, dialogue.now)


def _all(corpus: Corpus) -> Domains:
    return Domains(corpus.domains.values())


def _forms(one: Reference) -> list[str]:
    return ["dontcare"] if one.is_dontcare else list(dict.fromkeys((*one.values, *one.canonical)))


def language_of(dialogues: Sequence[Played]) -> str:
    """Which language most of the user turns are in."""
    users = [turn[1] for dialogue in dialogues for turn in dialogue.turns]
    unspaced = sum(re.search(r"[\u3400-\u9fff]", text) is not None for text in users)
    return "zh" if unspaced * 2 > len(users) else "en"

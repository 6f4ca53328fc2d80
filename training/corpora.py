"""Corpora and exported sessions, as dialogues to be played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from slotstate.domains import Domains
from slotstate.evaluating import read_corpus
from slotstate.extractors.builtin.learned.words import plain
from slotstate.measuring.dialogues import Corpus, Dialogue, Reference
from training.playing import Played


def read_played(name: str, path: Path, schemas: Sequence[str] = ()) -> list[Played]:
    """The dialogues of a corpus. Raises InputError."""
    corpus = read_corpus(name, path, schemas=list(schemas)) if schemas else read_corpus(name, path)
    return prepared(corpus)


def prepared(corpus: Corpus) -> list[Played]:
    """The dialogues of a corpus ready to be played."""
    every = corpus.name in {"multiwoz", "crosswoz"}
    shown = frozenset(path for dialogue in corpus.dialogues for turn in dialogue.turns for path in turn.state or ())
    return [played(corpus, dialogue, every=every, shown=shown) for dialogue in corpus.dialogues]


def played(corpus: Corpus, dialogue: Dialogue, *, every: bool, shown: frozenset[str]) -> Played:
    """A dialogue with all domains of its corpus, or its own. `shown` are the slots of which the corpus has a value."""
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
    return Played(domains, turns, dialogue.now, _unknown(dialogue, frozenset(domains.specs) - shown))


def _unknown(dialogue: Dialogue, never: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Of each user turn the slots of which nobody says what they hold: those of which the corpus shows no value at all
    (`never`), those that hold something unjudged now or later, and those of which a value that is told later was said
    already. Of the others the judged value is known, or that they hold nothing. Empty where all is judged.
    """
    users = [turn for turn in dialogue.turns if turn.role == "user"]
    if all(turn.listed is None for turn in users):
        return ()
    heard = ""
    found: list[frozenset[str]] = []
    for turn in dialogue.turns:
        heard += f"{plain(turn.text)} "
        if turn.role != "user":
            continue
        later = users[len(found) :]
        unjudged = {path for one in later for path in one.unjudged}
        told = {
            path
            for one in later
            for path, reference in (one.state or {}).items()
            if any(plain(form) in heard for form in _forms(reference))
        }
        found.append(frozenset((unjudged | told) - (turn.listed or frozenset())) | never)
    return tuple(found)


def _all(corpus: Corpus) -> Domains:
    return Domains(corpus.domains.values())


def _forms(one: Reference) -> list[str]:
    return ["dontcare"] if one.is_dontcare else list(dict.fromkeys((*one.values, *one.canonical)))


def language_of(dialogues: Sequence[Played]) -> str:
    """Which language most of the user turns are in."""
    users = [turn[1] for dialogue in dialogues for turn in dialogue.turns]
    unspaced = sum(re.search(r"[\u3400-\u9fff]", text) is not None for text in users)
    return "zh" if unspaced * 2 > len(users) else "en"

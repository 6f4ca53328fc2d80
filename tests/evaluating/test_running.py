"""A whole corpus evaluated: in this process and in several."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from slotstate.errors import ExtractorError, InputError
from slotstate.evaluating.running import Task, evaluate, samples
from slotstate.extractors import make_extractor
from slotstate.measuring.scoring import DialogueScore
from slotstate.testing import ScriptedExtractor, change
from tests.evaluating.corpora import EVENING, SHOWS, stay, write, write_sgd


def task(tmp_path: Path, **more: Any) -> Task:
    write_sgd(tmp_path, SHOWS, EVENING, {**SHOWS, "dialogue_id": "1_00003"})
    return Task("sgd", str(tmp_path), "builtin", **more)


def timeless(scores: list[DialogueScore]) -> list[DialogueScore]:
    return [replace(score, ms=[]) for score in scores]


def test_several_processes_find_what_one_does(tmp_path: Path) -> None:
    here = task(tmp_path)
    corpus = here.read()
    done: list[int] = []
    one = evaluate(here, corpus, make_extractor("builtin"), 1, lambda: done.append(1))
    two = evaluate(here, corpus, make_extractor("builtin"), 2, lambda: done.append(2))
    assert [score.name for score in one.scores] == ["1_00001", "1_00002", "1_00003"]
    assert timeless(one.scores) == timeless(two.scores)
    assert done == [1, 1, 1, 2, 2, 2]


def test_a_limit_takes_the_first_dialogues(tmp_path: Path) -> None:
    assert [one.name for one in task(tmp_path, limit=2).read().dialogues] == ["1_00001", "1_00002"]


def test_services_are_those_of_the_corpus_unless_asked_otherwise(tmp_path: Path) -> None:
    here = task(tmp_path)
    assert (here.shown, replace(here, services="all").shown) == ("turn", "all")
    assert Task("multiwoz", "x", "builtin").shown == "all"
    assert Task("cases", "x", "builtin").shown == "dialogue"


def test_an_extractor_that_never_answers_is_an_error(tmp_path: Path) -> None:
    here = replace(task(tmp_path), extractor="script:gone")
    failing = ScriptedExtractor([TimeoutError("no answer")] * 20)
    with pytest.raises(ExtractorError, match="not one turn could be read: TimeoutError: no answer"):
        evaluate(here, here.read(), failing)
    once = ScriptedExtractor([TimeoutError("no answer"), [change("Shows_7.city", value="Ely", quote="Ely")]])
    assert [score.failed for score in evaluate(here, here.read(), once).scores] == [1, 0, 0]


def test_nothing_to_evaluate_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "data.json", {"A1": stay("guesthouse")})
    (tmp_path / "testListFile.txt").write_text("A2\n")
    here = Task("multiwoz", str(tmp_path), "builtin")
    with pytest.raises(InputError, match="there is no dialogue to evaluate"):
        evaluate(here, here.read(), make_extractor("builtin"))
    (tmp_path / "testListFile.txt").unlink()
    write(tmp_path / "data.json", {"A1": {"goal": {}, "log": []}})
    with pytest.raises(ExtractorError, match="no dialogue has a user turn"):
        evaluate(here, here.read(), make_extractor("builtin"))


def test_samples_are_the_same_each_time_and_fewer_of_large_corpora() -> None:
    first, again = (list(islice(samples(5), 3)) for _ in range(2))
    assert first == again
    assert all(set(sample) <= set(range(5)) and len(sample) == 5 for sample in first)
    assert (sum(1 for _ in samples(5)), sum(1 for _ in samples(2_000))) == (10_000, 1_000)

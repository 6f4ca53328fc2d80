"""The evaluation as it is printed, and two of them compared."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from slotstate.errors import InputError
from slotstate.measuring import Corpus
from slotstate.measuring.causes import Mistake
from slotstate.measuring.evaluation import Evaluation, compare, evaluation, is_worse, json_schema, read_evaluation
from slotstate.measuring.naming import ABOUT, titled
from slotstate.measuring.scoring import DialogueScore, SlotCounts

CORPUS = Corpus("sgd", {}, {}, (), version="v1", seen=frozenset())


def samples(count: int) -> Iterator[list[int]]:
    chance = random.Random(3)
    for _ in range(400):
        yield chance.choices(range(count), k=count)


def score(name: str, right: float, **more: Any) -> DialogueScore:
    sums = {"jga": (10 * right, 10), "jga_exact": (10 * right, 10), "invented_rate": (1 - right, 1)}
    return DialogueScore(
        name,
        turns=10,
        sums=sums,
        slots={"a.x": SlotCounts(gold=4, right=3, wrong=1, invented=2), "a.y": SlotCounts()},
        by_turn={2: {"jga": (right, 1), "jga_exact": (0.0, 1)}, 1: {"jga": (1.0, 1), "jga_exact": (1.0, 1)}},
        by_size={0: {"jga": (right, 1), "jga_exact": (0.0, 1)}},
        groups={
            "seen services": {"jga": (right, 1), "jga_exact": (0.0, 1)},
            "A_1": {"jga": (right, 2), "jga_exact": (0.0, 2)},
            "A_2": {"jga": (2.0, 2), "jga_exact": (0.0, 2)},
        },
        mistakes=[Mistake(name, 0, "a.x", "invented", None, "x")],
        ms=[1.0, 3.0],
        confirmed=3,
        at_risk=2,
        lost=1,
        changed_rightly=1,
        changed_wrongly=1,
        **more,
    )


def evaluated(*rights: float, version: str | None = "v1", **more: Any) -> Evaluation:
    corpus = Corpus(CORPUS.name, {}, {}, (), version=version)
    return evaluation(corpus, "builtin", [score(f"d{at}", right, **more) for at, right in enumerate(rights)], samples)


def test_an_evaluation_adds_up_its_dialogues() -> None:
    found = evaluated(0.5, 0.75, tokens_in=10, failed=1)
    assert (found.corpus, found.version, found.dialogues, found.turns) == ("sgd", "v1", 2, 20)
    assert (found.jga, found.jga_exact, found.invented_rate) == (0.625, 0.625, 0.375)
    assert (found.aga, found.requested_f1, found.intent_accuracy, found.lost_rate) == (None, None, None, None)
    assert (found.confirmed, found.at_risk, found.lost_confirmed) == (6, 4, 2)
    assert (found.replaced_rightly, found.replaced_wrongly, found.failed_turns) == (2, 2, 2)
    assert (found.ms_per_turn_p50, found.ms_per_turn_p95, found.tokens_in, found.tokens_out) == (1.0, 3.0, 20, None)
    assert found.causes == {"invented": 2}
    slot = found.by_slot["a.x"]
    assert (slot.gold, slot.right, slot.wrong, slot.invented) == (8, 6, 2, 4)
    assert (slot.precision, slot.recall, slot.f1) == (0.5, 0.75, 0.6)  # 6 of 12, 6 of 8, 2 x 6 / (8 + 12)
    assert (found.by_slot["a.y"].precision, found.by_slot["a.y"].recall, found.by_slot["a.y"].f1) == (None, None, None)
    assert list(found.by_turn) == [1, 2]
    assert (found.by_turn[2].n, found.by_turn[2].jga) == (2, 0.625)
    assert (found.services["A_1"].n, found.groups["seen services"]["jga"].value) == (4, 0.625)
    assert list(found.groups) == ["seen services"]
    assert (found.domains["A"].n, found.domains["A"].jga) == (8, round((1.25 + 4) / 8, 4))


def test_what_is_printed_can_be_read_again_and_keeps_its_schema() -> None:
    found = evaluated(0.5, 0.75, 0.6, 0.7, 0.8)
    text = found.model_dump_json()
    assert read_evaluation(text, "run.json") == found
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert not list(Draft202012Validator(schema).iter_errors(json.loads(text)))
    assert schema["title"] == "slotstate eval"


def test_what_is_no_evaluation_is_refused() -> None:
    with pytest.raises(InputError, match=r"run\.json: not what slotstate eval --json prints \(Invalid JSON"):
        read_evaluation("{", "run.json")
    with pytest.raises(InputError, match=r"\(corpus: Field required\)"):
        read_evaluation("{}", "run.json")


def test_runs_are_compared_on_the_dialogues_that_both_have() -> None:
    before, after = evaluated(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), evaluated(0.3, 0.4, 0.5, 0.6, 0.7)
    found = compare(after, before, samples)
    assert (found.extractor, found.dialogues) == ("builtin", 5)
    jga, invented = found.changes["jga"], found.changes["invented_rate"]
    assert (jga.before, jga.after, jga.difference, jga.better, jga.sure) == (0.3, 0.5, 0.2, 1.0, True)
    assert (invented.difference, invented.better) == (-0.2, 1.0)  # fewer inventions are better
    assert not is_worse(found)
    assert is_worse(compare(before, after, samples))


def test_a_difference_that_is_not_sure_is_not_worse() -> None:
    few = compare(evaluated(0.1, 0.2), evaluated(0.9, 0.8), samples)
    assert (few.changes["jga"].sure, few.changes["jga"].better) == (False, None)
    assert not is_worse(few)
    assert not is_worse(few.model_copy(update={"changes": {}}))


def test_runs_on_other_dialogues_are_not_compared() -> None:
    one = evaluated(0.5)
    with pytest.raises(InputError, match="the baseline is of version v1, not None: compare runs on the same dialogues"):
        compare(evaluated(0.5, version=None), one, samples)
    other = one.model_copy(update={"scores": {"elsewhere": {}}})
    with pytest.raises(InputError, match="the baseline has no dialogue in common with this run"):
        compare(other, one, samples)


def test_figures_have_titles() -> None:
    assert titled("jga") == "joint goal accuracy"
    assert titled("unheard of") == "unheard of"
    assert set(Evaluation.model_fields) > {"jga", "aga", "lost_confirmed", "by_slot"}
    assert all(title and about for title, about in ABOUT.values())

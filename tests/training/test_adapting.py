"""Carrying models on with dialogues that tell no more than the state after each turn."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from pydantic import BaseModel, Field

from slotstate import Chat, Slot, Tracker
from slotstate.domains import Domains, compile_domain
from slotstate.extractors import make_extractor
from slotstate.extractors.builtin.learned import modelfile
from slotstate.jsonschema import domain_from_json_schema
from tests.training import talks

pytest.importorskip("lightgbm")
pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")


def dialogues(count: int) -> list[object]:
    from training.playing import Played
    from training.sgd import domain_schema

    domain = domain_from_json_schema(domain_schema(talks.TABLES))
    rng = random.Random(1)
    found: list[object] = []
    for _ in range(count):
        town, guests = rng.choice(talks.CITIES), rng.choice("123")
        first = {f"{domain.name}.town": [town]}
        turns = [
            ("", f"{town} is my haunt", first, frozenset[str]()),
            ("How many?", f"party of {guests}", {**first, f"{domain.name}.guests": [guests]}, frozenset[str]()),
        ]
        found.append(Played(Domains([domain]), turns))
    return found


def test_models_learn_a_users_way_of_speaking() -> None:
    from slotstate.extractors.builtin.learned.models import Models
    from training.adapting import adapt
    from training.playing import Player

    arrays, about = modelfile.arrays_of()
    made = adapt(arrays, dialogues(60), seed=0)  # type: ignore[arg-type]
    again = adapt(arrays, dialogues(60), seed=0)  # type: ignore[arg-type]
    assert modelfile.dump(made, about) == modelfile.dump(again, about)

    def right(models: Models) -> int:
        count = 0
        for one in dialogues(20):
            player = Player(one)  # type: ignore[arg-type]
            for view, candidates, rows, gold in player.views(models):
                if candidates:
                    assert models.first is not None
                    assert models.second is not None
                    from slotstate.extractors.builtin.learned.rivals import second_rows

                    scores = models.second.scores(second_rows(view, candidates, rows, models.first.scores(rows)))
                    player.follow(view, candidates, scores)
                count += all(
                    path in player.slots and str(player.slots[path].held.value) == values[0]
                    for path, values in gold.items()
                )
        return count

    before, _ = modelfile.load(modelfile.dump(arrays, about), "before")
    after, _ = modelfile.load(modelfile.dump(made, about), "after")
    assert right(after) > right(before)


class Stay(BaseModel):
    """Find a place to stay."""

    facilities: Annotated[list[str], Field(description="Facilities that the place must have"), Slot()] = []


FACILITIES = ["sauna", "gym", "pool", "bar", "library", "garden", "terrace", "kitchen"]


def wishes(count: int) -> list[object]:
    from training.playing import Played

    rng = random.Random(2)
    found: list[object] = []
    for _ in range(count):
        one, other, third = rng.sample(FACILITIES, 3)
        turns = [
            ("", f"one with {one} plus {other} for me", {"stay.facilities": [f"{one} {other}"]}, frozenset[str]()),
            ("Sure.", f"it had {third} last time", {"stay.facilities": [f"{one} {other}"]}, frozenset[str]()),
        ]
        found.append(Played(Domains([compile_domain(Stay)]), turns))
    return found


def test_models_learn_to_read_the_items_of_a_list(tmp_path: Path) -> None:
    from training.adapting import adapt

    arrays, about = modelfile.arrays_of()
    made = adapt(arrays, wishes(80), seed=0)  # type: ignore[arg-type]
    file = tmp_path / "own.slotmodel"
    chats: list[Chat] = []
    for lists, expected in ((False, {"garden"}), (True, {"sauna", "garden"})):  # the rules alone read one
        file.write_bytes(modelfile.dump(made, {**about, "lists": lists}))
        modelfile.read.cache_clear()
        chat = Tracker([Stay], extractor=make_extractor(f"builtin:{file}")).open("s")
        chats.append(chat)
        chat.user("one with sauna plus garden for me")
        assert set(chat.state["stay"]["facilities"].value or []) == expected
    chats[-1].user("it had a library last time")
    assert set(chats[-1].state["stay"]["facilities"].value) == {"sauna", "garden"}


def test_a_tagger_finds_no_kinds_that_it_never_saw() -> None:
    from slotstate.extractors.builtin.learned.tagger import Tagger
    from training.tagging import fit_tagger

    texts = [f"we go to {town} today" for town in talks.CITIES] * 5
    marked = [(text, "u", [(9, 9 + len(town), "name")]) for text, town in zip(texts, talks.CITIES * 5, strict=True)] + [
        (f"nothing at all {number}", "u", []) for number in range(30)
    ]
    tagger = Tagger(**fit_tagger(marked))
    found = [one for text in (*texts, "quite another thing", "nothing at all") for one in tagger.stretches(text, "u")]
    assert {one.kind for one in found} == {"name"}


def test_nothing_to_learn_from_changes_nothing() -> None:
    from training.adapting import adapt

    arrays, _ = modelfile.arrays_of()
    made = adapt(arrays, [])
    assert made.keys() == arrays.keys()
    assert all(np.array_equal(made[name], arrays[name]) for name in arrays)


def test_sessions_need_their_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from training.__main__ import main

    (tmp_path / "sessions.jsonl").write_text("", encoding="utf-8")
    assert main(["adapt", "sessions", str(tmp_path / "sessions.jsonl"), "--out", str(tmp_path / "x")]) == 2
    told = capsys.readouterr().err
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize("option", [("--limit", "0"), ("--limit", "-1"), ("--seed", "-1"), ("--seed", "x")])
def test_numbers_that_mean_nothing_are_refused(
    option: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from training.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(["adapt", "sessions", str(tmp_path / "s.json"), "--out", str(tmp_path / "x"), *option])
    assert ended.value.code == 2
    assert f"argument {option[0]}" in capsys.readouterr().err

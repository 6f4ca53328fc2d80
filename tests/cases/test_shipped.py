"""What the shipped cases promise as a set. Each of them is played by the pytest plug-in, as an item of its own."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from slotstate.cases import Case, play, read_cases

HERE = Path(__file__).parent
KINDS_OF_REPORTS = """
ambiguous_slots ambiguous_value categorical_number_index categorical_out_of_list confirm_denied_exits
confirm_false_negative correction_at_confirmation cross_domain_bleed cross_domain_same_name date_ambiguous date_context
date_direction date_partial date_refine date_timezone date_unicode digression dontcare hallucinated
hallucinated_inference list_last_only list_remove list_set lost_composite_patch lost_next_turn lost_on_restatement
lost_valid_part_on_retry_exhaustion multi_intent multi_intent_domains multi_slot_turn negation negation_retract
normalisation number_as_date number_unicode number_words out_of_order_answer overwritten_by_bad_candidate
overwritten_side_slot provenance_quote repeated_slot_in_turn retry_amplification schema_export signed_number
stale_after_restart stale_second_request system_offer_accepted template_braces template_injection undo unicode_span
validation_order validation_twice validator_injection wrong_type
""".split()


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.cases.yaml")) for case in read_cases(path)]


def is_chinese(case: Case) -> bool:
    return any(re.search("[\u4e00-\u9fff]", turn.text) for turn in case.turns)


def test_there_are_enough_of_them_in_both_languages(cases: list[Case]) -> None:
    assert len(cases) >= 150
    assert 3 * sum(map(is_chinese, cases)) >= len(cases)


def test_every_kind_has_three_or_more(cases: list[Case]) -> None:
    kinds = Counter(case.kind for case in cases)
    assert {kind: number for kind, number in kinds.items() if number < 3} == {}
    assert set(KINDS_OF_REPORTS) <= set(kinds)


def test_names_and_dialogues_stand_once(cases: list[Case]) -> None:
    assert [name for name, number in Counter(case.name for case in cases).items() if number > 1] == []
    dialogues = Counter(tuple(turn.text for turn in case.turns if turn.role == "user") for case in cases)
    assert [dialogue for dialogue, number in dialogues.items() if number > 1] == []


def test_none_is_taken_from_the_reports(cases: list[Case], corpora: Path) -> None:
    lines = (corpora / "cases" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    theirs = {turn["text"].casefold() for line in lines for turn in json.loads(line)["turns"]}
    ours = {turn.text.casefold() for case in cases for turn in case.turns if turn.role == "user"}
    assert {text for text in theirs & ours if len(text) > 12} == set()


def test_the_pages_example_is_a_case_that_passes(tmp_path: Path) -> None:
    page = (HERE.parents[1] / "docs" / "conversation-tests.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "booking.cases.yaml").write_text(example, encoding="utf-8")
    examples = read_cases(tmp_path / "booking.cases.yaml")
    assert [play(one, "builtin").why for one in examples] == [()] * len(examples)


def test_the_plug_in_plays_them(request: pytest.FixtureRequest) -> None:
    assert any(name.endswith("slotstate.testing.plugin") for name, _ in request.config.pluginmanager.list_name_plugin())

"""The shipped machine bites: unmutated code passes, and every seeded fault is caught with a few times its effort."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from slotstate.testing import PromiseMachine
from slotstate.testing.checks import MAX_EXAMPLES, STEPS, machine_for
from tests.promises.mutants import DOMAINS, MUTANTS, Mutant

EFFORT = settings(
    max_examples=MAX_EXAMPLES,
    stateful_step_count=STEPS,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@cache
def machine() -> type[PromiseMachine]:
    return machine_for(DOMAINS)


def test_the_code_as_it_is_passes() -> None:
    run_state_machine_as_test(machine(), settings=EFFORT)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_is_caught(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    made = machine()
    mutant.seed(monkeypatch)
    with pytest.raises(AssertionError, match="The story"):  # what is tried depends on the modules that are imported
        run_state_machine_as_test(made, settings=settings(EFFORT, max_examples=4 * MAX_EXAMPLES))


def test_there_are_enough_of_them() -> None:
    assert len({mutant.name for mutant in MUTANTS}) >= 12

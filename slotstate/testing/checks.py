"""The state machine for a user's own domains, as a test class or as a call."""

from __future__ import annotations

from typing import Any
from unittest import TestCase

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from slotstate.domains import Declarable, Domains, compile_domains
from slotstate.testing.machine import PromiseMachine
from slotstate.testing.pools import known_values

MAX_EXAMPLES = 80
STEPS = 25


def _settings(max_examples: int, steps: int, base: settings | None) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(
        base or settings(),
        max_examples=max_examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=slow,
    )


def machine_for(*domains: Declarable | Domains) -> type[PromiseMachine]:
    """The state machine over these domains."""
    compiled = (
        domains[0]
        if len(domains) == 1 and isinstance(domains[0], Domains)
        else compile_domains([one for one in domains if not isinstance(one, Domains)])
    )
    name = "PromisesOf" + "".join(part.title().replace("_", "") for part in compiled)
    about = {"domains": compiled, "known": known_values(compiled)}
    return type(name, (PromiseMachine,), about)


def promises_for(
    *domains: Declarable | Domains,
    max_examples: int = MAX_EXAMPLES,
    steps: int = STEPS,
    settings: settings | None = None,
) -> type[TestCase]:
    """A test class that checks the promises on your domains: `TestTravel = promises_for(Travel)`."""
    case: type[TestCase] = machine_for(*domains).TestCase
    vars_of_case: Any = case
    vars_of_case.settings = _settings(max_examples, steps, settings)
    return case


def check_promises(
    *domains: Declarable | Domains,
    max_examples: int = MAX_EXAMPLES,
    steps: int = STEPS,
    settings: settings | None = None,
) -> None:
    """Check the promises on your domains, here and now. Raises AssertionError with the story of what went wrong."""
    run_state_machine_as_test(machine_for(*domains), settings=_settings(max_examples, steps, settings))


__all__ = ["MAX_EXAMPLES", "STEPS", "PromiseMachine", "check_promises", "machine_for", "promises_for"]

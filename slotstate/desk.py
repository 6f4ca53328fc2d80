"""Where a conversation's prompts are made: what a tracker and a budget say is looked up once and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slotstate.caching import find_profile
from slotstate.contract import Prompt
from slotstate.counters import make_counter
from slotstate.events import Epoch
from slotstate.masking import Secrets
from slotstate.prompt import Assembler, Budget, Terms, digest
from slotstate.session import Session
from slotstate.templating import Template
from slotstate.tokens import Counter, canonical_json, tools_tokens

if TYPE_CHECKING:
    from slotstate.tracker import Tracker


class Desk:
    """Makes the prompts of one session, with sensitive values masked or revealed."""

    def __init__(self, tracker: Tracker, session: Session, *, reveal: bool) -> None:
        self._tracker = tracker
        self._session = session
        self._reveal = reveal
        self._secrets = Secrets(tracker.domains, now=tracker.now(), reveal=reveal)
        self._learned = 0
        self._terms: tuple[Budget, str, Terms] | None = None
        self._assembler: Assembler | None = None

    def prompt(self, budget: Budget) -> tuple[Prompt, Epoch | None]:
        """The prompt as things stand, and the epoch that begins with it, if the log must know of one."""
        now = self._tracker.now()
        with self._session.lock:
            entries = self._session.entries
            self._secrets.learn(entries[self._learned :])
            self._learned = len(entries)
            return self._assembling(budget).assemble(self._session.transcript, self._session.state, now)

    def _assembling(self, budget: Budget) -> Assembler:
        template = self._tracker.template
        known = self._terms
        if (
            known is not None
            and known[0] is budget
            and known[1] == template.fingerprint
            and self._assembler is not None
        ):
            return self._assembler
        terms = self._agreed(budget, template)
        before = None if known is None else known[2]
        self._terms = budget, template.fingerprint, terms
        if self._assembler is None or before is None or _renders_otherwise(before, terms):
            self._assembler = Assembler(self._tracker.domains, terms, self._secrets)
        elif before != terms:
            self._assembler.under(terms)
        return self._assembler

    def _agreed(self, budget: Budget, template: Template) -> Terms:
        """A budget with its parts looked up. Raises InputError, MissingExtra."""
        tracker = self._tracker
        counter: Counter = make_counter(budget.counter) if isinstance(budget.counter, str) else budget.counter
        profile = find_profile(budget.profile)
        tools = tools_tokens(counter, budget.tools)
        return Terms(
            template=template,
            counter=counter,
            profile=profile,
            layout=budget.layout,
            limit=budget.limit(tools),
            low=budget.low,
            tools=tools,
            locale=tracker.locale or template.locale,
            reveal=self._reveal,
            key={
                "template": template.fingerprint,
                "locale": tracker.locale or template.locale,
                "schema": tracker.schema,
                "tools": digest(*map(canonical_json, budget.tools)),
                "masking": "revealed" if self._reveal else "masked",
                "provider": f"{profile.name} {budget.layout}",
            },
        )


def _renders_otherwise(before: Terms, after: Terms) -> bool:
    return (before.key["template"], before.locale) != (after.key["template"], after.locale) or (
        before.counter is not after.counter and before.counter.name != after.counter.name
    )

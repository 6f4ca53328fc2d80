"""Where a conversation's prompts are made: what a tracker and a budget say is looked up once and kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from slotstate.caching import CacheReport, compare, find_profile, read_usage
from slotstate.compact import Rules, Span
from slotstate.contract import Prompt
from slotstate.counters import make_counter
from slotstate.domains import Domains
from slotstate.events import AnyEvent, Trigger
from slotstate.masking import Secrets
from slotstate.prompt import Assembler, Budget, Gap, Terms, digest, span_of
from slotstate.session import Session
from slotstate.templating import Template
from slotstate.tokens import Counter, canonical_json, tools_tokens

if TYPE_CHECKING:
    from slotstate.templating.engine import Engine


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """What the prompts of all of a tracker's conversations have in common."""

    domains: Domains
    schema: str
    template: Template
    locale: str | None
    now: Callable[[], datetime]
    rules: Rules
    masks: tuple[re.Pattern[str], ...] = ()


class Prompter:
    """Makes the prompts of one session, with sensitive values masked or revealed."""

    def __init__(self, prompt_settings: PromptSettings, session: Session, *, reveal: bool) -> None:
        self._settings = prompt_settings
        self._session = session
        self._reveal = reveal
        self._generation = -1
        self._learned = 0
        self._terms: tuple[Budget, Engine, Terms] | None = None
        self._assembler: Assembler | None = None
        self._last: tuple[Prompt, Terms] | None = None
        self._report: CacheReport | None = None
        patterns = [f"{mask.flags} {mask.pattern}" for mask in prompt_settings.masks]
        masked = f"masked {digest(*sorted(patterns))}" if patterns else "masked"
        self._masking = "revealed" if reveal else masked
        self._secrets = self._anew()

    def prompt(
        self, budget: Budget, compact: Trigger | None = None, *, patient: bool = False
    ) -> tuple[Prompt, tuple[AnyEvent, ...]]:
        """The prompt as things stand, and what the log must know of: see Assembler.assemble."""
        with self._session.lock:
            assembler, now = self._ready(budget)
            prompt, events = assembler.assemble(
                self._session.transcript, self._session.state, now, compact=compact, patient=patient
            )
            if self._report is not None:
                cache = {**(prompt.cache or {}), "reported": self._report.detail}
                prompt, self._report = prompt.model_copy(update={"cache": cache}), None
        self._last = prompt, assembler.terms
        return prompt, events

    def going_on(self, budget: Budget) -> Prompt | None:
        """The prompt, if it goes on in its epoch: then the log need not know of it. Raises what `prompt` does."""
        if self._report is not None:
            return None
        with self._session.lock:
            assembler, now = self._ready(budget)
            prompt = assembler.going_on(self._session.transcript, self._session.state, now)
        if prompt is not None:
            self._last = prompt, assembler.terms
        return prompt

    def gap(self, budget: Budget, compact: Trigger | None = None) -> tuple[Gap, Span] | None:
        """The messages that leave the window with the next prompt and that no summary covers; None when none do."""
        with self._session.lock:
            assembler, now = self._ready(budget)
            gap = assembler.gap(self._session.transcript, self._session.state, now, compact=compact)
            return None if gap is None else (gap, self.span(gap))

    def span(self, gap: Gap) -> Span:
        """What a summary is to cover, masked."""
        session = self._session
        return span_of(session.transcript, session.state, gap.since, gap.until, self._secrets)

    @property
    def size(self) -> int | None:
        """The tokens of the last prompt, tools included, by our count; None when none was made."""
        return None if self._last is None else (self._last[0].tokens or 0) + self._last[1].tools

    def mask(self, text: str) -> str:
        """A text as it may leave the tracker."""
        with self._session.lock:
            self._learn()
            return self._secrets.mask(text)

    def _ready(self, budget: Budget) -> tuple[Assembler, datetime]:
        self._learn()
        known, assembler = self._terms, self._assembler
        if (
            assembler is None
            or known is None
            or known[0] is not budget
            or known[1] is not self._settings.template.engine
        ):
            assembler = self._assembling(budget)
        return assembler, self._settings.now()

    def _anew(self) -> Secrets:
        """Nothing learned of the entries, which are others now."""
        settings, session = self._settings, self._session
        self._generation, self._learned = session.generation, 0
        self._terms = self._assembler = None
        secrets = Secrets(settings.domains, now=settings.now(), reveal=self._reveal, masks=settings.masks)
        secrets.learn(session.earlier)
        return secrets

    def _learn(self) -> None:
        session = self._session
        if self._generation != session.generation:
            self._secrets = self._anew()
        if (new := session.entries[self._learned :]) and not self._reveal:
            self._secrets.learn(new)
            self._learned += len(new)

    def compared(self, usage: object) -> CacheReport | None:
        """What a provider says of the last prompt beside what was expected; None when it does not say, or none was
        made.
        """
        told = read_usage(usage)
        if self._last is None or told is None:
            return None
        prompt, terms = self._last
        expected = 0 if prompt.cache is None else prompt.cache["expected_cached"]
        self._report = compare(expected, (prompt.tokens or 0) + terms.tools, told, step=terms.profile.step)
        return self._report

    def _assembling(self, budget: Budget) -> Assembler:
        template, known = self._settings.template, self._terms
        engine = template.engine
        terms = self._agreed(budget, template)
        before = None if known is None else known[2]
        self._terms = budget, engine, terms
        if self._assembler is None or before is None or _renders_otherwise(before, terms):
            self._assembler = Assembler(self._settings.domains, terms, self._secrets)
        elif before != terms:
            self._assembler.under(terms)
        return self._assembler

    def _counter(self, budget: Budget) -> Counter:
        return make_counter(budget.counter) if isinstance(budget.counter, str) else budget.counter

    def _agreed(self, budget: Budget, template: Template) -> Terms:
        """A budget with its parts looked up. Raises InputError, MissingExtra."""
        locale = self._settings.locale or template.locale
        counter = self._counter(budget)
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
            locale=locale,
            rules=self._settings.rules,
            reveal=self._reveal,
            key={
                "template": template.fingerprint,
                "locale": locale,
                "schema": self._settings.schema,
                "tools": digest(*map(canonical_json, budget.tools)),
                "masking": self._masking,
                "provider": f"{profile.name} {budget.layout}",
            },
        )


def _renders_otherwise(before: Terms, after: Terms) -> bool:
    return (before.key["template"], before.locale) != (after.key["template"], after.locale) or (
        before.counter is not after.counter and before.counter.name != after.counter.name
    )

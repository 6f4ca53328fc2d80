"""The tracker: domains, extractor, store and clock in one place; it opens conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from logging import INFO, WARNING
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slotstate.archive import EXPORT_FORMAT
from slotstate.chat import Chat
from slotstate.compact import EXTRACTIVE, Summariser
from slotstate.compacting import Compaction
from slotstate.domains import Declarable, Domains, compile_domains
from slotstate.erasure import Selection, forget
from slotstate.errors import InputError, StoreError
from slotstate.evolution import Reader
from slotstate.export import exported
from slotstate.extract import Extractor
from slotstate.extractors import make_extractor
from slotstate.flow import Plugins
from slotstate.log import DEFAULT_TENANT, Entry, Erased, SessionInfo, Store
from slotstate.masking import telling
from slotstate.messages import storable
from slotstate.patterns import declared
from slotstate.prompt import Budget, schema_digest
from slotstate.prompter import PromptSettings
from slotstate.records import STORES, tell
from slotstate.session import lines_of
from slotstate.snapshots import schema_key
from slotstate.stores import open_store
from slotstate.stores.reading import name_of
from slotstate.summarisers import make_summariser
from slotstate.templating import load_template

DEADLINE = 30.0
"""Seconds that an extraction may take, unless the tracker is given another limit."""


class Tracker:
    """Tracks the slots of `domains` over any number of conversations.

    domains: a Pydantic model, several, or compiled domains. extractor: an Extractor, or its name ("builtin",
    "instructor:openai/gpt-5-mini", "local", "script:FILE", "package.module:object"). store: a Store, or its URL.
    template: a bundled template's name ("default", "zh"), or a folder; reload: whether a changed one is read again, for
    development. locale: how dates and money are written, by default the template's. budget: of prompts, by default
    without a limit. clock: returns the time, aware; by default the system's. timezone:
    the users' IANA zone, in which "tomorrow" is understood. deadline: seconds for one extraction, None for no limit.
    compaction: what becomes of long tool results and of turns that leave the prompt, by default without any model.
    masks: regular expressions of what is masked wherever it stands, like the values of sensitive slots.
    tenant: whose data the store keeps here; no tracker sees another tenant's.

    Raises SchemaError, InputError, TemplateError, StoreError when something cannot work, before any conversation.
    """

    def __init__(  # noqa: PLR0913 — each by its name
        self,
        domains: Declarable | Domains | Iterable[Declarable],
        *,
        extractor: Extractor | str = "builtin",
        store: Store | str = "memory://",
        template: str = "default",
        locale: str | None = None,
        budget: Budget | int | None = None,
        clock: Callable[[], datetime] | None = None,
        timezone: str = "UTC",
        deadline: float | None = DEADLINE,
        reload: bool = False,
        compaction: Compaction | None = None,
        masks: Iterable[str] = (),
        tenant: str = DEFAULT_TENANT,
    ) -> None:
        self.masks = declared(masks)
        self.domains = compile_domains(domains)
        self.reader = Reader(self.domains)
        self.timezone = timezone
        self.zone = zone_of(timezone)
        self.extractor = make_extractor(extractor) if isinstance(extractor, str) else extractor
        if not isinstance(self.extractor, Extractor):
            raise InputError(f"{extractor!r} is no extractor: it needs extract(request) and aextract(request)")
        self.template = load_template(template, reload=reload)
        self.budget = Budget.of(budget)
        self.deadline = deadline
        self._clock = clock or _system_clock
        if compaction is not None and not isinstance(compaction, Compaction):
            raise InputError(f"compaction must be a Compaction, not {type(compaction).__name__}")
        self.compaction = compaction or Compaction()
        summariser = _summariser(self.compaction.summariser)
        self.summarises = EXTRACTIVE if summariser is None else summariser.name
        rules = self.compaction.rules(spare=summariser is not None)
        schema = schema_digest(self.domains)
        self.prompt_settings = PromptSettings(self.domains, schema, self.template, locale, self.now, rules, self.masks)
        self.sensitive = frozenset(path for path, spec in self.domains.specs.items() if spec.slot.sensitive)
        opened = open_store(store) if isinstance(store, str) else store
        self._opened = opened if isinstance(store, str) else None
        self.store = opened.within(name_of(tenant, "tenant"))
        self.plugins = Plugins(self.extractor, self.store, summariser)

    def open(self, session: str, *, user: str | None = None) -> Chat:
        """The conversation `session`, begun or continued where its log ends, in the same time whatever its age. `user`
        says whose it is, for `forget` and `export`. Raises InputError when it is another user's.
        """
        return Chat(self, session, user)

    def sessions(self, user: str | None = None) -> Iterator[SessionInfo]:
        """The tenant's sessions by name, or those of a user: whose they are, how many entries their logs have, when the
        first and the last was written. Raises StoreError.
        """
        return self.store.sessions(user=None if user is None else name_of(user, "user"))

    def forget(
        self,
        session: str | None = None,
        *,
        user: str | None = None,
        before: datetime | None = None,
        everything: bool = False,
    ) -> Erased:
        """Remove what fits all that is given: a session, a user's, those last written `before` a time (aware); with
        `everything`, all that the tenant has. Logs, snapshots, summaries and blobs go at once or not at all, and nobody
        can bring them back. Chats that are open on them, here or elsewhere, go on as new conversations.

        The result counts what was removed; `left` is what a second look still found of it: 0. A name that is not there
        is no error, since what should be gone is gone: its `sessions` are 0, so look at them where a name was typed.

        Raises InputError where it is not clear what is meant, StoreError.
        """
        chosen = Selection(session, user, before, everything)
        try:
            erased = forget(self.store, chosen)
        finally:  # also where the store could not do all of it
            self._let_go(chosen)
        about = {"tenant": self.store.tenant} | ({} if session is None else {"session": session})
        tell(STORES, WARNING if erased.left else INFO, "forgotten", **about, **asdict(erased))
        return erased

    def _let_go(self, chosen: Selection) -> None:
        """Let those who hold sessions here see that they are gone. Raises StoreError once all have."""
        errors: list[StoreError] = []
        for line in lines_of(self.store):
            if chosen.session in (None, line.session):
                try:
                    line.look_again()
                except StoreError as error:
                    errors.append(error)
        if errors:
            raise errors[0]

    def export(self, session: str | None = None, *, user: str | None = None) -> dict[str, Any]:
        """All that is kept of a session, of a user, or of the tenant, as JSON values: see `slotstate.archive.Export`.
        It is the person's own data: complete, and nothing in it is masked.

        Raises InputError where there is no such session, StoreError.
        """
        chosen = None if session is None else name_of(session, "session")
        of = None if user is None else name_of(user, "user")
        told = list(exported(self.store, self.domains, chosen, of))
        tell(STORES, INFO, "exported", tenant=self.store.tenant, sessions=len(told))
        return {"format": EXPORT_FORMAT, "tenant": self.store.tenant, "sessions": told}

    @cached_property
    def schema(self) -> str:
        """A digest of what states depend on: a snapshot of another one is not used."""
        return schema_key(self.domains)

    def telling(self) -> Callable[[Entry], bool]:
        """What says of the entries of a log, in order, whether they tell secrets."""
        return telling(self.domains, self.now())

    def now(self) -> datetime:
        """The time in the users' zone."""
        now = self._clock()
        if now.tzinfo is None:
            raise InputError("the clock must return an aware datetime: give it a tzinfo")
        return now.astimezone(self.zone)

    def close(self) -> None:
        """Release the store and, where it holds something open, the extractor."""
        (self._opened or self.store).close()
        close = getattr(self.extractor, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _summariser(given: Summariser | str) -> Summariser | None:
    """Whom to ask for summaries; None for the model-free one, which is part of making a prompt."""
    if given == EXTRACTIVE:
        return None
    made = make_summariser(given) if isinstance(given, str) else given
    if not isinstance(made, Summariser):
        raise InputError(f"{given!r} is no summariser: it needs a name, summarise(request) and asummarise(request)")
    name: object = made.name
    if not isinstance(name, str) or not 0 < len(name) <= 200 or storable(name) != name:
        raise InputError(f"a summariser's name is a text of up to 200 characters, not {name!r:.80}")
    return made


def _system_clock() -> datetime:
    return datetime.now(UTC)


def zone_of(name: str) -> tzinfo:
    """The time zone of an IANA name. Raises InputError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"unknown time zone {name!r}: use an IANA name such as Europe/Berlin") from None

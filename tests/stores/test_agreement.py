"""Memory, SQLite and PostgreSQL say the same, whatever is done to them in whatever order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from slotstate import InputError, Store, StoreError
from slotstate.events import Blob, ToolTurn, UserTurn
from slotstate.log import Entry
from slotstate.stores import open_store
from tests.stores.entries import AT, ref_of, snapshot

TENANTS = st.sampled_from("xxxy")
SESSIONS = st.sampled_from(["a", "a", "a", "b", "无"])
USERS = st.sampled_from([None, "ada", "bob"])
AFTER = st.integers(0, 9)
CONTENTS = st.sampled_from([b"", b"one", b"two"])
SCHEMAS = st.sampled_from(["v1", "v2"])
KINDS: st.SearchStrategy[Literal["head", "window"]] = st.sampled_from(["head", "window"])
DAYS = st.integers(0, 3).map(lambda days: AT + timedelta(days=days))
LONG_AGO, FAR = datetime(1999, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


APPENDED: dict[str, Any] = {
    "tenant": TENANTS,
    "session": SESSIONS,
    "kinds": st.lists(st.one_of(st.integers(0, 3), CONTENTS), max_size=4),
    "stale": st.sampled_from([0] * 8 + [-1, 1]),
    "wrong": st.sampled_from([None] * 8 + ["", "x"]),
    "user": USERS,
    "at": DAYS,
    "kept": st.lists(st.tuples(KINDS, SCHEMAS, st.integers(1, 4)), max_size=2),
}


class Agreement(RuleBasedStateMachine):
    """The same calls on each store, for two tenants that no other run has."""

    places: tuple[Store, ...]

    @initialize()
    def begin(self) -> None:
        run = uuid4().hex
        self.tenants = {name: [place.within(f"{run}-{name}") for place in self.places] for name in "xy"}

    def agree(self, tenant: str, call: Callable[[Store], Any]) -> Any:
        """What a call answers, or which error it raises, is the same everywhere."""
        answers = []
        for store in self.tenants[tenant]:
            try:
                answers.append(call(store))
            except (StoreError, InputError) as error:
                answers.append((type(error), "damaged" in str(error)))
        assert answers[0] == answers[1] == answers[2]
        return answers[0]

    def _append(
        self,
        tenant: str,
        session: str,
        kinds: list[Any],
        stale: int,
        wrong: str | None,
        user: str | None,
        at: datetime,
        kept: list[Any],
    ) -> None:
        opened = self.tenants[tenant][0].open(session, "")
        log = list(self.tenants[tenant][0].load(session))
        expected = max(len(log) + stale, 0)
        entries = [made(seq, kind, at) for seq, kind in enumerate(kinds, expected)]
        snapshots = [
            snapshot(log, max(len(log) - back, 1), f"{len(log)} {kind}", schema, kind)
            for kind, schema, back in (kept if log else ())
        ]
        origin = opened.origin if wrong is None else wrong
        self.agree(
            tenant,
            lambda store: store.append(session, entries, expected, origin=origin, user=user, snapshots=snapshots),
        )
        self.same(tenant, session)

    # As many rules as all the others: what is in a log makes the difference.
    append, append_more, append_again, append_last = (rule(**APPENDED)(one) for one in [_append] * 4)

    @rule(tenant=TENANTS, session=SESSIONS, numbers=st.lists(st.integers(-1, 12)), after=AFTER)
    def read(self, tenant: str, session: str, numbers: list[int], after: int) -> None:
        self.agree(tenant, lambda store: tuple(store.pick(session, numbers)))
        self.agree(tenant, lambda store: tuple(store.load(session, after)))

    @rule(tenant=TENANTS, session=SESSIONS, content=CONTENTS, another=st.sampled_from([b"", b"", b"!"]))
    def keep(self, tenant: str, session: str, content: bytes, another: bytes) -> None:
        self.agree(tenant, lambda store: store.save_blob(session, ref_of(content), content + another))

    @rule(tenant=TENANTS, before=st.sampled_from([LONG_AGO, FAR]))
    def collect(self, tenant: str, before: datetime) -> None:
        self.agree(tenant, lambda store: store.collect(before))

    @rule(
        tenant=TENANTS,
        session=SESSIONS | SESSIONS | st.none(),
        user=USERS,
        before=st.none() | DAYS,
    )
    def forget(self, tenant: str, session: str | None, user: str | None, before: datetime | None) -> None:
        erased = self.agree(tenant, lambda store: store.forget(session=session, user=user, before=before))
        assert erased.left == 0

    @rule(tenant=TENANTS, user=USERS, before=st.none() | DAYS)
    def listed(self, tenant: str, user: str | None, before: datetime | None) -> None:
        self.agree(tenant, lambda store: tuple(store.sessions(user=user, before=before)))

    def same(self, tenant: str, session: str) -> None:
        """What there is to know of a session is the same."""
        self.agree(tenant, lambda store: tuple(store.sessions()))
        self.agree(tenant, lambda store: [store.open(session, schema) for schema in ("v1", "v2")])
        self.agree(tenant, lambda store: [store.load_snapshot(session, "window", schema) for schema in ("v1", "v2")])
        self.agree(tenant, lambda store: [store.load_blob(session, ref_of(one)) for one in (b"", b"one", b"two")])
        self.agree(tenant, lambda store: [store.find(session, message) for message in ("m0", "m1", "t2")])

    def teardown(self) -> None:
        """In the end all is."""
        for tenant in getattr(self, "tenants", ()):
            for session in ("a", "b", "无"):
                self.same(tenant, session)


def made(seq: int, kind: int | bytes, at: datetime) -> Entry:
    """A message whose id may come twice, or one with a blob."""
    if isinstance(kind, bytes):
        blob = Blob(ref=ref_of(kind), size=len(kind), kind="text")
        return Entry(seq, at, ToolTurn(turn=seq, id=f"t{seq}", call_id="c", text="…", blob=blob))
    return Entry(seq, at, UserTurn(turn=seq, id=f"m{kind}", text="hello", at=at))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, database: str) -> Iterator[tuple[Store, ...]]:
    file = tmp_path_factory.mktemp("agreement") / "log.db"
    made = tuple(open_store(url) for url in ("memory://", f"sqlite:///{file}?durability=fast", database))
    yield made
    for store in made:
        store.close()


def test_the_stores_agree(places: tuple[Store, ...]) -> None:
    machine = type("Machine", (Agreement,), {"places": places})
    steps = settings(
        max_examples=max(settings().max_examples // 2, 1),
        stateful_step_count=20,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    run_state_machine_as_test(machine, settings=steps)

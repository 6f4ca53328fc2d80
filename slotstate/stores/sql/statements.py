"""Every statement that a SQL store executes on its tables, built in one place: each is bound to one tenant.

`mine` is the tenant and `its` the session wherever they are bound. The tenant is the first parameter of each statement;
`Run` fills it in, so that no caller can name another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, product, starmap
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    CTE,
    BigInteger,
    BindParameter,
    Dialect,
    Table,
    Text,
    bindparam,
    cast,
    column,
    delete,
    exists,
    func,
    literal_column,
    null,
    select,
    true,
    union,
    union_all,
    update,
    values,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.elements import ClauseElement, ColumnElement

from slotstate.stores.sql.tables import BLOBS, ENTRIES, SESSIONS, SNAPSHOTS, USES

T = TypeVar("T")
SIZES: Final = (1, 16, 256)
"""How many values a statement is given at a time: few sizes, so that each statement is prepared once."""
AT_ONCE: Final = 16
"""Rows that are written in one statement at most: each number of them is a statement of its own."""
PAGE: Final = 1_000
"""Sessions that are listed at a time."""

Names = tuple[str, ...]


def _names(prefix: str, *columns: str) -> list[Names]:
    return [tuple(f"{prefix}{at}_{name}" for name in columns) for at in range(AT_ONCE)]


_ENTRY: Final = (ENTRIES.c.seq, ENTRIES.c.at, ENTRIES.c.event, ENTRIES.c.format, ENTRIES.c.mark)
_ENTRY_NAMES: Final = _names("e", "seq", "at", "event", "format", "message_key", "mark")
_SNAPSHOT_NAMES: Final = _names("s", "kind", "schema", "seq", "last", "content", "mark")
"""Parameters of each row of a statement, by column."""
_IN_ROWS: Final = frozenset(chain.from_iterable((*_ENTRY_NAMES, *_SNAPSHOT_NAMES)))
_PARAMETERS: Final = {"sqlite": (r":(\w+)", "?{}"), "postgresql": (r"%\((\w+)\)s", "${}")}
"""How SQLAlchemy writes a parameter, and how the driver is given it: by number it need not look for names."""
_HEADER: Final = literal_column("-1", BigInteger())
_OF_SESSIONS: Final = (ENTRIES, SNAPSHOTS, USES)
_BY_SESSION: Final = (*_OF_SESSIONS, SESSIONS)
"""What a session has rows in: entries first, the session itself last."""


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Values in as many as a statement takes at a time; a smaller rest is filled up by repeating one of them."""
    rest = list(values)
    while rest:
        size = next((size for size in SIZES if size >= len(rest)), SIZES[-1])
        yield (rest[:size] + rest[:1] * size)[:size]
        rest = rest[size:]


def parts(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Rows in as many as one statement writes."""
    return (rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE))


def several(values: Sequence[object]) -> dict[str, object]:
    """The parameters of `_among`."""
    return {f"v{index}": value for index, value in enumerate(values)}


class Known(NamedTuple):
    """What a writer names of the session that goes on: how it began, and whose it is."""

    origin: bool
    user: bool


_KNOWN: Final = tuple(starmap(Known, product((False, True), repeat=2)))


class Statement:
    """A statement in a database's own words, its parameters by number: the tenant is the first, then come those of
    `names`, then the values of rows, row by row.
    """

    __slots__ = ("_constants", "names", "sql")

    def __init__(self, clause: ClauseElement, dialect: Dialect) -> None:
        compiled = clause.compile(dialect=dialect)
        parameters: Mapping[str, Any] = compiled.params or {}
        if "mine" not in parameters:
            raise TypeError("a statement must be bound to a tenant")
        written, numbered = _PARAMETERS[dialect.name]
        found = list(dict.fromkeys(re.findall(written, str(compiled))))
        in_rows = [name for name in found if name in _IN_ROWS]
        self.names = [name for name in found if name != "mine" and name not in _IN_ROWS]
        numbers = {name: numbered.format(at) for at, name in enumerate(["mine", *self.names, *in_rows], 1)}
        self.sql = re.sub(written, lambda name: numbers[name[1]], str(compiled))
        self._constants = {name: value for name, value in parameters.items() if value is not None}

    def bound(self, mine: str, values: Mapping[str, object], rows: Iterable[Sequence[object]] = ()) -> list[object]:
        """What it is executed with."""
        given = {**self._constants, **values} if self._constants else values
        return [mine, *[given[name] for name in self.names], *chain.from_iterable(rows)]


class Statements:
    """The statements for one kind of database. Each is built when it is first used."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._insert: Callable[[Table], Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[dialect.name]
        self.at_once = cache(self._at_once)
        self.go_on = cache(self._go_on)
        self.write = cache(self._write)
        self.keep_snapshots = cache(self._keep_snapshots)
        self.sessions = cache(self._sessions)
        self.chosen = cache(self._chosen)
        self.pick = cache(self._pick)
        self.refs = cache(self._refs)
        self.lock_blobs = cache(self._lock_blobs)
        self.drop_blobs = cache(self._drop_blobs)
        self.drop_unused = cache(self._drop_unused)
        self.drop = cache(self._drop)
        self.drop_strays = cache(self._drop_strays)
        self.left = cache(self._left)

    def all(self) -> Iterator[Statement]:
        """Each of them, in the smallest form: for what must be known of all."""
        for name, made in vars(type(self)).items():
            if isinstance(made, cached_property):
                yield getattr(self, name)
        if self._dialect.name != "sqlite":
            yield from (self._at_once(known, 2, snapshots) for known in (None, *_KNOWN) for snapshots in (0, 2))
        yield from map(self._go_on, _KNOWN)
        yield from (made(size) for made in (self._write, self._keep_snapshots) for size in (1, 2))
        for user in (False, True):
            for before in (False, True):
                yield from (self._sessions(user, before, past) for past in (False, True))
                yield from (self._chosen(user, before, its) for its in (False, True))
        yield from (self._drop(table, 1) for table in _BY_SESSION)
        yield from (self._drop_strays(table, 1) for table in _OF_SESSIONS)
        yield from (self._left(1, strays) for strays in (False, True))
        yield from (self._lock_blobs(1, old) for old in (False, True))
        yield from (made(1) for made in (self._pick, self._refs, self._drop_blobs, self._drop_unused))

    # The log

    @cached_property
    def load(self) -> Statement:
        """The session, as the row of entry -1, and its entries from `after` on."""
        entries = select(*_ENTRY, _no(Text)).where(*_its(ENTRIES), ENTRIES.c.seq >= _int("after"))
        return self._made(_by_seq(_header(), entries))

    @cached_property
    def open(self) -> Statement:
        """The session with its head snapshot, as the row of entry -1, and the entries from the snapshot's last on."""
        joined = (
            (SNAPSHOTS.c.tenant == SESSIONS.c.tenant)
            & (SNAPSHOTS.c.session == SESSIONS.c.session)
            & _own(SNAPSHOTS)
            & (SNAPSHOTS.c.kind == "head")
            & (SNAPSHOTS.c.schema == _text("schema"))
        )
        snapshot = (SNAPSHOTS.c.seq.label("upto"), SNAPSHOTS.c.last, SNAPSHOTS.c.content, SNAPSHOTS.c.mark)
        head = (
            select(SESSIONS.c.count, SESSIONS.c.origin, SESSIONS.c.owner, *snapshot)
            .select_from(SESSIONS.outerjoin(SNAPSHOTS, joined))
            .where(*_its(SESSIONS))
            .cte("head")
        )
        first = func.coalesce(select(head.c.upto - 1).scalar_subquery(), 0)
        of_head = (head.c.owner, head.c.upto, head.c.last, head.c.content, head.c.mark)
        header = select(_HEADER, _no(Text), _no(Text), head.c.count, head.c.origin, *of_head)
        nothing = (_no(Text), _no(BigInteger), _no(Text), _no(Text), _no(Text))
        entries = select(*_ENTRY, *nothing).where(*_its(ENTRIES), ENTRIES.c.seq >= first)
        return self._made(_by_seq(header, entries))

    def _pick(self, size: int) -> Statement:
        """The session as in `load`, and the entries of some numbers."""
        among = _among(ENTRIES.c.seq, size, BigInteger)
        return self._made(_by_seq(_header(), select(*_ENTRY, _no(Text)).where(*_its(ENTRIES), among)))

    @cached_property
    def find(self) -> Statement:
        """The entries of a message, and of others that have its key."""
        found = select(*_ENTRY).where(*_its(ENTRIES), ENTRIES.c.message_key == _int("key"))
        return self._made(found.order_by(ENTRIES.c.seq))

    @cached_property
    def count(self) -> Statement:
        """How many entries a session has, its origin and its user."""
        return self._made(select(SESSIONS.c.count, SESSIONS.c.origin, SESSIONS.c.owner).where(*_its(SESSIONS)))

    @cached_property
    def marks(self) -> Statement:
        """The marks of the entries between two numbers."""
        between = ENTRIES.c.seq.between(_int("first"), _int("last"))
        return self._made(select(ENTRIES.c.mark).where(*_its(ENTRIES), between).order_by(ENTRIES.c.seq))

    @cached_property
    def begin(self) -> Statement:
        """A session begins, if nobody was faster."""
        return self._made(self._begin())

    def _go_on(self, known: Known) -> Statement:
        """A session has more entries, if nobody was faster and it is not another user's."""
        return self._made(self._more(known))

    def _write(self, size: int) -> Statement:
        """So many entries."""
        return self._made(self._rows(ENTRIES, _ENTRY_NAMES[:size]))

    def _begin(self) -> Any:
        names = ("origin", "owner", "began", "touched")
        made = self._new(SESSIONS, session="its", count="counted", **{name: name for name in names})
        return made.on_conflict_do_nothing()

    def _more(self, known: Known) -> Any:
        values: dict[str, Any] = {"count": _int("counted"), "touched": _int("touched")}
        change = update(SESSIONS).where(*_its(SESSIONS), SESSIONS.c.count == _int("expected"))
        if known.user:  # else the index by user is written with each turn
            values["owner"] = _text("owner")
            change = change.where(SESSIONS.c.owner.is_(None) | (SESSIONS.c.owner == _text("owner")))
        change = change.values(values)
        return change.where(SESSIONS.c.origin == _text("origin")) if known.origin else change

    def _at_once(self, known: Known | None, entries: int, snapshots: int) -> Statement:
        """`go_on`, without what is known `begin`, with so many entries and snapshots in one statement; a row for who
        was first.
        """
        change = self._begin() if known is None else self._more(known)
        won = change.returning(SESSIONS.c.session).cte("won")
        made = [self._if_won(ENTRIES, _ENTRY_NAMES[:entries], won).cte("put")]
        if snapshots:
            made.append(self._newest(self._if_won(SNAPSHOTS, _SNAPSHOT_NAMES[:snapshots], won)).cte("keep"))
        return self._made(select(won.c.session).add_cte(*made))

    def _rows(self, table: Table, names: Sequence[Names]) -> Any:
        """INSERT of rows, a parameter for each value."""
        key = {"tenant": _mine(), "session": _text("its")}
        return self._insert(table).values([{**key, **_binds(table, row)} for row in names])

    def _if_won(self, table: Table, names: Sequence[Names], won: CTE) -> Any:
        """The same, if there is a row in `won`."""
        given = [_binds(table, row) for row in names]
        columns = [column(name, table.c[name].type) for name in given[0]]
        rows = values(*columns, name=f"{table.name}_rows").data([tuple(row.values()) for row in given])
        found = select(_mine(), won.c.session, *rows.c).select_from(rows.join(won, true()))
        return self._insert(table).from_select(["tenant", "session", *given[0]], found)

    # Snapshots

    def _keep_snapshots(self, size: int) -> Statement:
        """So many snapshots, where no newer ones are there."""
        return self._made(self._newest(self._rows(SNAPSHOTS, _SNAPSHOT_NAMES[:size])))

    def _newest(self, made: Any) -> Any:
        new = {name: made.excluded[name] for name in ("seq", "last", "content", "mark")}
        older = SNAPSHOTS.c.seq < made.excluded.seq
        key = ["tenant", "session", "kind", "schema"]
        return made.on_conflict_do_update(index_elements=key, set_=new, where=older)

    @cached_property
    def snapshot(self) -> Statement:
        """A snapshot."""
        columns = (SNAPSHOTS.c.seq, SNAPSHOTS.c.last, SNAPSHOTS.c.content, SNAPSHOTS.c.mark)
        return self._made(select(*columns).where(*_its(SNAPSHOTS), *_of_kind()))

    @cached_property
    def drop_snapshot(self) -> Statement:
        """A snapshot goes."""
        return self._made(delete(SNAPSHOTS).where(*_its(SNAPSHOTS), *_of_kind()))

    # Blobs

    @cached_property
    def keep_blob(self) -> Statement:
        """A blob, or its time where it is there; nothing where it has another content."""
        made = self._new(BLOBS, ref="ref", touched="touched", mark="mark", content="content")
        new = {"touched": made.excluded.touched}
        same = BLOBS.c.mark == made.excluded.mark
        return self._made(made.on_conflict_do_update(index_elements=["tenant", "ref"], set_=new, where=same))

    @cached_property
    def use_blob(self) -> Statement:
        """A session keeps a blob."""
        return self._made(self._new(USES, session="its", ref="ref").on_conflict_do_nothing())

    @cached_property
    def refer(self) -> Statement:
        """An entry refers to a blob, where there is such a one."""
        found = select(_mine(), _text("its"), BLOBS.c.ref, _int("seq")).where(_own(BLOBS), BLOBS.c.ref == _text("ref"))
        made = self._insert(USES).from_select(["tenant", "session", "ref", "seq"], found)
        key = ["tenant", "session", "ref"]
        new = {"seq": made.excluded.seq}
        return self._made(made.on_conflict_do_update(index_elements=key, set_=new, where=USES.c.seq.is_(None)))

    @cached_property
    def blob(self) -> Statement:
        """A blob that a session keeps."""
        kept = BLOBS.join(USES, (USES.c.tenant == BLOBS.c.tenant) & (USES.c.ref == BLOBS.c.ref))
        found = select(BLOBS.c.content, BLOBS.c.mark).select_from(kept)
        return self._made(found.where(*_its(USES), _own(BLOBS), BLOBS.c.ref == _text("ref")))

    @cached_property
    def unused(self) -> Statement:
        """The references that only uses without an entry stand behind, kept before a time."""
        kept = BLOBS.join(USES, (USES.c.tenant == BLOBS.c.tenant) & (USES.c.ref == BLOBS.c.ref))
        old = BLOBS.c.touched < _int("before")
        found = select(USES.c.ref).select_from(kept).where(_own(USES), _own(BLOBS), USES.c.seq.is_(None), old)
        return self._made(found.distinct().order_by(USES.c.ref))

    def _refs(self, size: int) -> Statement:
        """The references that some sessions keep."""
        return self._made(select(USES.c.ref).where(_own(USES), _among(USES.c.session, size)).distinct())

    def _lock_blobs(self, size: int, old: bool) -> Statement:
        """Some blobs, held until the transaction ends, in one order for all; `old`: if they are still older."""
        found = select(BLOBS.c.ref).where(_own(BLOBS), _among(BLOBS.c.ref, size))
        if old:
            found = found.where(BLOBS.c.touched < _int("before"))
        return self._made(found.order_by(BLOBS.c.ref).with_for_update())

    def _drop_unused(self, size: int) -> Statement:
        """The uses of some blobs that no entry stands behind."""
        return self._made(delete(USES).where(_own(USES), _among(USES.c.ref, size), USES.c.seq.is_(None)))

    def _drop_blobs(self, size: int) -> Statement:
        """Those of some blobs that nobody keeps."""
        kept = exists().where(_own(USES), USES.c.ref == BLOBS.c.ref).correlate(BLOBS)
        return self._made(delete(BLOBS).where(_own(BLOBS), _among(BLOBS.c.ref, size), ~kept))

    # Sessions

    def _sessions(self, user: bool, before: bool, past: bool) -> Statement:
        """A page of sessions by name: a user's, those touched before a time, those behind a name."""
        columns = (SESSIONS.c.session, SESSIONS.c.owner, SESSIONS.c.count, SESSIONS.c.began, SESSIONS.c.touched)
        found = select(*columns).where(*_selected(user, before))
        if past:
            found = found.where(SESSIONS.c.session > _text("past"))
        return self._made(found.order_by(SESSIONS.c.session).limit(PAGE))

    def _chosen(self, user: bool, before: bool, its: bool) -> Statement:
        """Which sessions are to be forgotten; nobody appends to them until the transaction ends."""
        found = select(SESSIONS.c.session).where(*_selected(user, before))
        if its:
            found = found.where(SESSIONS.c.session == _text("its"))
        return self._made(found.order_by(SESSIONS.c.session).with_for_update())

    @cached_property
    def everybody(self) -> Statement:
        """Every session that has a row anywhere."""
        return self._made(union(*(select(table.c.session).where(_own(table)) for table in _BY_SESSION)))

    def _drop(self, table: Table, size: int) -> Statement:
        """What some sessions have in a table."""
        return self._made(delete(table).where(_own(table), _among(table.c.session, size)))

    def _drop_strays(self, table: Table, size: int) -> Statement:
        """What has a session's name in a table, and no session: one that begins meanwhile keeps its own."""
        return self._made(delete(table).where(_own(table), _among(table.c.session, size), _stray(table)))

    def _left(self, size: int, strays: bool) -> Statement:
        """How many rows some sessions have, table by table; with `strays`, those that belong to no session."""
        counts = (
            select(func.count())
            .select_from(table)
            .where(_own(table), _among(table.c.session, size), *((_stray(table),) if strays else ()))
            for table in (_OF_SESSIONS if strays else _BY_SESSION)
        )
        return self._made(union_all(*counts))

    def _made(self, clause: Executable) -> Statement:
        if not isinstance(clause, ClauseElement):
            raise TypeError(f"{clause!r} is no statement")
        return Statement(clause, self._dialect)

    def _new(self, table: Table, **binds: str) -> Any:
        """INSERT of a row: parameters by column."""
        values = {name: bindparam(bind, type_=table.c[name].type) for name, bind in binds.items()}
        return self._insert(table).values({"tenant": _mine(), **values})


def _binds(table: Table, names: Names) -> dict[str, BindParameter[Any]]:
    """A parameter for each column of a row."""
    columns = [name.partition("_")[2] for name in names]
    return {name: bindparam(bind, type_=table.c[name].type) for name, bind in zip(columns, names, strict=True)}


def _mine() -> BindParameter[str]:
    return bindparam("mine", type_=Text())


def _own(table: Table) -> ColumnElement[bool]:
    """The rows of one tenant."""
    return table.c.tenant == _mine()


def _stray(table: Table) -> ColumnElement[bool]:
    """Rows whose session is not there."""
    return ~exists().where(_own(SESSIONS), SESSIONS.c.session == table.c.session).correlate(table)


def _its(table: Table) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The rows of one session of one tenant."""
    return _own(table), table.c.session == _text("its")


def _of_kind() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return SNAPSHOTS.c.kind == _text("kind"), SNAPSHOTS.c.schema == _text("schema")


def _selected(user: bool, before: bool) -> Iterator[ColumnElement[bool]]:
    yield _own(SESSIONS)
    if user:
        yield SESSIONS.c.owner == _text("user")
    if before:
        yield SESSIONS.c.touched < _int("before")


def _text(name: str) -> BindParameter[str]:
    return bindparam(name, type_=Text())


def _int(name: str) -> BindParameter[int]:
    return bindparam(name, type_=BigInteger())


def _no(kind: type[Text] | type[BigInteger]) -> ColumnElement[Any]:
    return cast(null(), kind())


def _among(one: ColumnElement[Any], size: int, kind: type[Text] | type[BigInteger] = Text) -> ColumnElement[bool]:
    return one.in_([bindparam(f"v{index}", type_=kind()) for index in range(size)])


def _header() -> Any:
    columns = (SESSIONS.c.count, SESSIONS.c.origin, SESSIONS.c.owner)
    return select(_HEADER, _no(Text), _no(Text), *columns).where(*_its(SESSIONS))


def _by_seq(header: Any, entries: Any) -> Any:
    """The header first, then the entries: one statement sees one moment."""
    return union_all(header, entries).order_by(literal_column("1"))

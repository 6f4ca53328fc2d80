"""What an erasure is to remove: exactly what was said, and nothing where nothing was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from slotstate.errors import InputError
from slotstate.log import Erased, SessionInfo, Store
from slotstate.stores.reading import name_of


@dataclass(frozen=True, slots=True)
class Selection:
    """Sessions that fit all that is given; without any selector, and with `everything`, all that a tenant has.

    Raises InputError for what has no clear meaning.
    """

    session: str | None = None
    user: str | None = None
    before: datetime | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        chosen = (self.session, self.user, self.before) != (None, None, None)
        if not chosen and not self.everything:
            raise InputError(
                "say what is to be forgotten: a session, a user's sessions, those last written before a time, or "
                "everything that the tenant has"
            )
        if chosen and self.everything:
            raise InputError("everything leaves nothing to choose: leave out session, user and time, or everything")
        named: tuple[tuple[object, str], ...] = (self.session, "session"), (self.user, "user")
        for value, what in named:
            if value is not None and not isinstance(value, str):
                raise InputError(f"a {what} to be forgotten is named by its text, not {value!r:.80}")
            if value is not None:
                name_of(value, what)
        before: object = self.before
        if before is not None and (not isinstance(before, datetime) or before.tzinfo is None):
            raise InputError(f"before is an aware datetime, not {before!r:.80}: give it a tzinfo")

    def may_fit(self, info: SessionInfo) -> bool:
        """Whether the session fits."""
        return (
            self.session in (None, info.session)
            and self.user in (None, info.user)
            and (self.before is None or info.touched < self.before)
        )


def forget(store: Store, chosen: Selection) -> Erased:
    """Remove what is chosen from a store. By age also goes what was kept for entries that were never written."""
    erased = store.forget(session=chosen.session, user=chosen.user, before=chosen.before)
    if chosen.before is None or chosen.session is not None or chosen.user is not None:
        return erased
    return replace(erased, blobs=erased.blobs + store.collect(chosen.before))


def fitting(store: Store, chosen: Selection) -> list[SessionInfo]:
    """The sessions that would go."""
    return [info for info in store.sessions(user=chosen.user, before=chosen.before) if chosen.may_fit(info)]

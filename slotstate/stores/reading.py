"""What stores index of an event, and what they take for a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from slotstate.errors import InputError, StoreError
from slotstate.events import AnyEvent, AssistantTurn, SystemTurn, ToolTurn, UserTurn
from slotstate.log import Entry

LONGEST_NAME: Final = 500
"""Characters of a session's, user's or tenant's name."""
MOST_BYTES: Final = 800
"""Of a name in UTF-8: three of them are a key in an index of PostgreSQL, which takes 2,704 bytes."""


_MESSAGES: Final = (UserTurn, AssistantTurn, ToolTurn, SystemTurn)


def message_of(event: AnyEvent) -> str | None:
    """The id of the message that an event is; None for other events."""
    return event.id if isinstance(event, _MESSAGES) else None


def blobs_of(event: AnyEvent) -> Iterator[str]:
    """The references to blobs in an event."""
    match event:
        case UserTurn(blobs=blobs):
            yield from (blob.ref for blob in blobs)
        case ToolTurn(blob=blob) if blob is not None:
            yield blob.ref
        case _:
            return


def checked(name: str, what: str) -> str:
    """A name that every store can keep. Raises InputError, calling it a `what`."""
    if name.isascii() and len(name) <= LONGEST_NAME and "\0" not in name:
        return name
    if len(name) > LONGEST_NAME:
        raise InputError(f"a {what}'s name has at most {LONGEST_NAME} characters, not {len(name)}: {name[:40]!r}…")
    if not is_stored_text(name):
        raise InputError(f"a {what}'s name is text without NUL and half characters, not {name[:80]!r}")
    if (size := len(name.encode())) > MOST_BYTES:
        raise InputError(f"a {what}'s name has at most {MOST_BYTES} bytes in UTF-8, not {size}: {name[:40]!r}…")
    return name


def is_stored_text(text: str) -> bool:
    """Whether every database can keep it in a column of its own: without NUL and half characters."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def name_of(given: object, what: str) -> str:
    """The name of a session, user or tenant as somebody gave it. Raises InputError, calling it a `what`. Only that of
    a tenant may be empty: an empty session or user is what a variable holds that nobody filled.
    """
    if not isinstance(given, str):
        raise InputError(f"a {what}'s name must be text, not {type(given).__name__}")
    if not given and what != "tenant":
        raise InputError(f"a {what}'s name is empty: name one")
    return checked(given, what)


def numbered(entries: Sequence[Entry], expected: int) -> None:
    """Whether the entries are those from number `expected` on. Raises StoreError."""
    for seq, entry in enumerate(entries, expected):
        if entry.seq != seq:
            raise StoreError(f"entry {entry.seq} cannot be appended as number {seq}: number entries as the log goes on")

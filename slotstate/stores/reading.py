"""What stores index of an event."""

from __future__ import annotations

from collections.abc import Iterator

from slotstate.events import AnyEvent, AssistantTurn, SystemTurn, ToolTurn, UserTurn


def message_of(event: AnyEvent) -> str | None:
    """The id of the message that an event is; None for other events."""
    return event.id if isinstance(event, UserTurn | AssistantTurn | ToolTurn | SystemTurn) else None


def blobs_of(event: AnyEvent) -> Iterator[str]:
    """The references to blobs in an event."""
    match event:
        case UserTurn(blobs=blobs):
            yield from (blob.ref for blob in blobs)
        case ToolTurn(blob=blob) if blob is not None:
            yield blob.ref
        case _:
            return

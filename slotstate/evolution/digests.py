"""A digest of all in a schema that decides how a log is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b

from slotstate.domains import Domains
from slotstate.evolution.shapes import bare, config, limits
from slotstate.slots import SlotSpec


def reading_digest(domains: Domains) -> str:
    """32 hexadecimal digits: schemas with the same read every log to the same state."""
    told = (part for spec in domains.specs.values() for part in _told(spec))
    return blake2b("\n".join(told).encode(), digest_size=16).hexdigest()


def _told(spec: SlotSpec) -> Iterator[str]:
    slot = spec.slot
    words = [*slot.cues, slot.ask, spec.description]  # they say which way a date without a year looks
    yield json.dumps(
        [
            spec.path,
            spec.kind,
            spec.options,
            slot.earlier,
            slot.dont_care,
            {option: list(others) for option, others in slot.aliases.items()},
            [repr(limit) for limit in limits(spec)],
            sorted(f"{key}={value}" for key, value in config(spec).items()),
            bare(spec).model_json_schema() if spec.kind == "money" else None,
            words if spec.kind in {"date", "datetime"} else [],
        ],
        ensure_ascii=False,
    )
    for part in (*spec.fields.values(), *([spec.item] if spec.item is not None else [])):
        yield from _told(part)

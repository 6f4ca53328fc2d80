"""What is logged of the events that were written, and of prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from logging import DEBUG, INFO, WARNING

from slotstate.contract import Prompt
from slotstate.events import (
    AnyEvent,
    Compacted,
    Compacting,
    CompactionFailed,
    Decided,
    Epoch,
    Extracted,
    Reset,
    RolledBack,
    SlotEvent,
    Usage,
    outcome_of,
)
from slotstate.records import COMPACTION, PROMPTS, TURNS, Told, error_class, model_name, tell


def tell_written(events: Sequence[AnyEvent], **about: str) -> None:
    """Log what was written in one go."""
    first = events[0]
    decided = [event for event in events if isinstance(event, Decided | Reset)]
    if isinstance(first, Extracted):
        _read(first, decided, about)
        return
    if decided and TURNS.isEnabledFor(DEBUG):
        source = decided[0].source
        tell(TURNS, DEBUG, "slots changed by a call", **about, **_counts(decided), turn=decided[0].turn, source=source)
    for event in events:
        _other(event, about)


def _read(read: Extracted, decided: Sequence[SlotEvent | Reset], about: Mapping[str, str]) -> None:
    failed = read.result == "failed"
    level = WARNING if failed else DEBUG
    if not TURNS.isEnabledFor(level):
        return
    told: dict[str, Told] = {
        **about,
        "turn": read.turn,
        "result": read.result,
        "model": model_name(read.model),
        "error": error_class(read.error),
        "ms": read.ms,
        **_usage(read.usage),
        **_counts(decided),
    }
    tell(TURNS, level, "turn not read" if failed else "turn read", **told)


def _other(event: AnyEvent, about: Mapping[str, str]) -> None:
    match event:
        case Epoch():
            why: dict[str, Told] = {"epoch": event.number, "epoch_reason": event.reason, "window": event.window}
            tell(PROMPTS, DEBUG, "epoch began", **about, **why, tokens=event.size or None)
        case Compacting():
            begun: dict[str, Told] = {
                "trigger": event.trigger,
                "model": model_name(event.model),
                "covered": event.covered,
            }
            tell(COMPACTION, DEBUG, "compaction began", **about, **begun)
        case Compacted():
            done: dict[str, Told] = {
                "version": event.version,
                "trigger": event.trigger,
                "model": model_name(event.model),
                "since": event.since,
                "covered": event.covered,
                "items": len(event.add),
                "dropped": len(event.drop),
                "tries": len(event.failed) + 1,
            }
            tell(COMPACTION, INFO, "compacted", **about, **done, **_usage(event.usage))
        case CompactionFailed():
            failed: dict[str, Told] = {
                "trigger": event.trigger,
                "model": model_name(event.model),
                "error": error_class(event.reason),
            }
            tell(COMPACTION, WARNING, "compaction failed", **about, **failed, **_usage(event.usage))
        case RolledBack():
            tell(COMPACTION, INFO, "summary rolled back", **about, version=event.version, covered=event.covered)
        case _:
            pass


def tell_prompt(prompt: Prompt, **about: str) -> None:
    """Log that a prompt was made, and what it takes."""
    if not PROMPTS.isEnabledFor(DEBUG):
        return
    cache = prompt.cache
    told: dict[str, Told] = {
        **about,
        "tokens": prompt.tokens,
        "budget": prompt.budget,
        "messages": len(prompt.messages),
        "dropped": sum(line.action == "dropped" for line in prompt.ledger),
        "shortened": sum(line.action == "shortened" for line in prompt.ledger),
    }
    if cache is not None:
        told |= {
            "epoch": cache["epoch"],
            "epoch_reason": cache["epoch_reason"],
            "tokens_cached": cache["expected_cached"],
        }
    tell(PROMPTS, DEBUG, "prompt made", **told)


def _counts(decided: Iterable[SlotEvent | Reset]) -> dict[str, Told]:
    outcomes = Counter("reset" if isinstance(event, Reset) else str(outcome_of(event)) for event in decided)
    reasons = Counter(str(event.reason) for event in decided if not isinstance(event, Reset) and event.reason)
    return {"outcomes": dict(outcomes), "reasons": dict(reasons)}


def _usage(usage: Usage | None) -> dict[str, Told]:
    if usage is None:
        return {}
    return {
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "tokens_cached": usage.tokens_cached,
        "attempts": usage.attempts,
    }

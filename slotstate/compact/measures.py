"""What a compaction was worth, and what a session's compactions were: figures by name, each defined where it is made.

They compare words and numbers, in English and Chinese; they do not understand. A share of what survives is therefore a
lower bound: what a summary says in other words is counted as gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, NamedTuple

from slotstate.compact.cues import STRONG, kinds, moves, negations, small
from slotstate.compact.held import Values
from slotstate.compact.history import versions
from slotstate.compact.items import Span, Spoken
from slotstate.compact.phrases import amount, content, words
from slotstate.compact.sentences import pieces
from slotstate.events import AnyEvent, Compacted, CompactionFailed, Item, ItemKind, RolledBack, Usage, UserTurn
from slotstate.parsing import fold
from slotstate.parsing.numbers import number_hits
from slotstate.state import State, Summary, apply

KEPT: Final = ("slots", "numbers", "negations", "open")
"""Of these a measure says how many there were, and under the same name with `_kept` the share that survived, where
there were any.
"""
_MOST: Final = 2 / 3
"""Share of the content words of a sentence that an item holds when it tells it."""
_DIGITS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,18}(?:\.\d{1,9})?")
_READ: Final = 20_000
"""Characters of a message that are read."""
_NOT_CITED: Final[frozenset[ItemKind]] = frozenset({"refusal", "failed", "tool"})
"""Kinds of items that may name a value which a slot does not hold: they say that it was refused, failed or found."""

Count = Callable[[str], int]
"""Counts tokens."""
Mask = Callable[[str], str]
"""Replaces what nobody may see."""


class Cost(NamedTuple):
    """What a summary cost: the tokens that its summariser reported, where it did, and whether it is a model."""

    usage: Usage | None
    model: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence: its content words, whether it denies something, and its numbers."""

    content: frozenset[str]
    negated: bool
    numbers: frozenset[Decimal]
    role: str = "user"
    told: bool = False
    """Whether slots tell all that it says."""
    leaves_open: bool = False
    closes: bool = False


def of_compaction(
    before: Summary, after: Summary, span: Span, *, count: Count, mask: Mask, cost: Cost, orphans: int
) -> dict[str, float]:
    """The measures of one compaction, from the summary before to the one after over the messages of `span`.

    tokens_span: tokens of the texts of the span's messages, by the prompt's counter. tokens_before: these and those of
    the items before. tokens_after: of the items after. ratio: tokens_after over tokens_before, smaller being shorter.
    tokens_saved: their difference. tokens_spent: what the summariser read and wrote, by its own report, else by the
    counter; 0 without a model. orphans: tool messages that the cut parted from their calls, or calls from their
    results. stale: see `stale`. secrets: items with something in them that has to be masked. The rest: see `survival`.
    """
    texts = [one.text for one in span.messages]
    sizes = _size(before.items, count), sum(map(count, texts)), _size(after.items, count)
    had = sizes[0] + sizes[1]
    values = Values(span)
    return {
        "tokens_span": sizes[1],
        "tokens_before": had,
        "tokens_after": sizes[2],
        "ratio": round(sizes[2] / had, 4) if had else 1.0,
        "tokens_saved": had - sizes[2],
        "tokens_spent": _spent(cost, had, sum(map(count, _new_texts(before, after)))),
        **survival(before, after, span, values),
        "orphans": orphans,
        "stale": len(stale(after.items, values)),
        "secrets": len(unmasked(after.items, mask)),
    }


def survival(before: Summary, after: Summary, span: Span, values: Values | None = None) -> dict[str, float]:
    """How much of what the span tells survives in the slots or in the items after.

    slots: held slots whose value came from a message of the span; one survives when it is held still. numbers:
    different numbers in the sentences of the user and the assistant, in digits or words; one survives when an item or a
    slot's value has it, or slots tell all that its sentence says. negations: sentences of the user that deny something
    and have two content words at least; one survives when slots tell it, or an item that denies something holds two
    thirds of its content words. open: open items of the summary before, and sentences of the user that leave something
    open, as far as no later sentence says that it is done; one survives when an item holds two thirds of its content
    words.
    """
    said = [one for message in span.messages for one in _sentences(message, values or Values(span))]
    items = [_of_item(item) for item in after.items]
    held = {number for value in span.slots.values() for number in _numbers(_text(value))}
    found = held.union(*(item.numbers for item in items))
    numbers: dict[Decimal, bool] = {}
    for one in said:
        for number in one.numbers:
            numbers[number] = numbers.get(number, False) or one.told or number in found
    denied = [one for one in said if one.negated and one.role == "user" and amount(one.content) >= 2]
    return {
        **_share("slots", [path in span.slots for path in span.told]),
        **_share("numbers", list(numbers.values())),
        **_share("negations", [one.told or _tells(one, items, negated=True) for one in denied]),
        **_share("open", [_tells(one, items) for one in _open(before, said)]),
    }


def stale(items: Iterable[Item], values: Values) -> tuple[Item, ...]:
    """Items that say of a slot, or of its value by name, what it holds no longer; what tells of refusals, failures and
    results of tools may.
    """
    found: list[Item] = []
    for item in items:
        said = words(item.text)
        contradicts = item.path is not None and values.contradicted(said, item.path)
        if item.kind not in _NOT_CITED and (contradicts or values.outdated(said) is not None):
            found.append(item)
    return tuple(found)


def unmasked(items: Iterable[Item], mask: Mask) -> tuple[Item, ...]:
    """Items with something in their text or quote that has to be masked."""
    return tuple(item for item in items if any(mask(text) != text for text in (item.text, item.quote or "")))


def of_session(events: Sequence[AnyEvent], span: Span, *, count: Count, mask: Mask) -> dict[str, float]:
    """The measures of a session with this log, whose summary covers the messages of `span`.

    compactions, failures, rollbacks: how many there were. tokens_covered: tokens of the texts of the messages that the
    summary covers. tokens_summary: of its items. ratio: the latter over the former. tokens_saved: their difference.
    tokens_spent: of all compactions together, those that failed included. repeated: see `counted`. orphans: of all
    compactions together. stale: of the present items. secrets: items of all versions with something in them that has to
    be masked. The rest: see `survival`, with the slots and items as they are now.
    """
    known = versions(events)
    summary = known[max(known)]
    values = Values(span)
    covered, size = sum(count(one.text) for one in span.messages), _size(summary.items, count)
    items = {(item.text, item.quote): item for one in known.values() for item in one.items}
    return {
        **counted(events),
        "tokens_covered": covered,
        "tokens_summary": size,
        "ratio": round(size / covered, 4) if covered else 1.0,
        "tokens_saved": covered - size,
        **survival(Summary(), summary, span, values),
        "stale": len(stale(summary.items, values)),
        "secrets": len(unmasked(items.values(), mask)),
    }


def counted(events: Iterable[AnyEvent]) -> dict[str, float]:
    """What a log tells of compactions, failures, rollbacks, tokens_spent and orphans, each summed up, and `repeated`:
    sentences of the user that say again what a constraint of the summary says whose own message had left the window.
    They share two thirds of the content words of both, deny as much, and have the same numbers.
    """
    compactions = failures = rollbacks = repeated = 0
    spent = orphans = 0.0
    state, given = State(), list[_Said]()
    for event in events:
        match event:
            case Compacted() | RolledBack():
                state = apply(state, event)
                given = [_of_item(item) for item in state.summary.items if item.kind == "constraint"]
                compactions += isinstance(event, Compacted)
                rollbacks += isinstance(event, RolledBack)
                if isinstance(event, Compacted):
                    spent += event.measures.get("tokens_spent", 0)
                    orphans += event.measures.get("orphans", 0)
            case CompactionFailed():
                failures += 1
                spent += _total(event.usage) or 0
            case UserTurn() if given:
                said = (_of_text(piece.text) for piece in pieces(event.text[:_READ]))
                repeated += sum(any(_repeats(one, other) for other in given) for one in said)
            case _:
                pass
    return {
        "compactions": compactions,
        "failures": failures,
        "rollbacks": rollbacks,
        "tokens_spent": spent,
        "repeated": repeated,
        "orphans": orphans,
    }


def _share(name: str, kept: Sequence[bool]) -> dict[str, float]:
    told: dict[str, float] = {name: len(kept)}
    return {**told, f"{name}_kept": round(sum(kept) / len(kept), 4)} if kept else told


def _size(items: Iterable[Item], count: Count) -> int:
    return sum(count(item.text) + count(quote) for item in items for quote in [_beside(item)])


def _beside(item: Item) -> str:
    """What a prompt shows of an item beside its text."""
    return "" if item.quote is None or item.quote in item.text else item.quote


def _spent(cost: Cost, had: int, written: int) -> int:
    told = _total(cost.usage)
    return told if told is not None else had + written if cost.model else 0


def _total(usage: Usage | None) -> int | None:
    if usage is None or (usage.tokens_in is None and usage.tokens_out is None):
        return None
    return (usage.tokens_in or 0) + (usage.tokens_out or 0)


def _new_texts(before: Summary, after: Summary) -> Iterator[str]:
    known = {item.ident: item.text for item in before.items}
    yield from (item.text for item in after.items if known.get(item.ident) != item.text)


def _sentences(message: Spoken, values: Values) -> Iterator[_Said]:
    if message.role not in ("user", "assistant"):
        return
    for piece in pieces(message.text[:_READ]):
        said = words(piece.text)
        user = message.role == "user"
        one = _of_text(piece.text, said)
        opens = user and kinds(said).get("open", 0.0) >= STRONG and amount(one.content) >= 2
        closes = user and moves(said, "done")
        yield _Said(one.content, one.negated, one.numbers, message.role, values.tell(said, message.id), opens, closes)


def _of_item(item: Item) -> _Said:
    text = item.text if item.quote is None else f"{item.text}\n{item.quote}"
    told = _of_text(text)
    return replace(told, numbers=told.numbers.union(*(_numbers(piece.text) for piece in pieces(text))))


def _of_text(text: str, said: Sequence[str] | None = None) -> _Said:
    said = words(text) if said is None else said
    return _Said(content(said, small()), not negations().isdisjoint(said), _numbers(text))


def _numbers(text: str) -> frozenset[Decimal]:
    folded = fold(text).text
    found = {Decimal(match[0].replace(",", "")) for match in _DIGITS.finditer(folded)}
    return frozenset(found.union(*(hit.values for hit in number_hits(folded))))


def _text(value: object) -> str:
    """A slot's value with all its parts."""
    if isinstance(value, dict):
        return " ".join(map(_text, value.values()))
    return " ".join(map(_text, value)) if isinstance(value, list) else str(value)


def _tells(one: _Said, items: Iterable[_Said], *, negated: bool = False) -> bool:
    return any(
        len(one.content & item.content) >= _MOST * len(one.content) for item in items if item.negated or not negated
    )


def _repeats(one: _Said, given: _Said) -> bool:
    common = len(one.content & given.content)
    alike = common >= _MOST * max(len(one.content), len(given.content)) and amount(one.content) >= 2
    return alike and one.negated == given.negated and one.numbers == given.numbers


def _open(before: Summary, said: Sequence[_Said]) -> Iterator[_Said]:
    """What was open or was left open, and is not done by the end of the span."""
    opened = [(-1, _of_item(item)) for item in before.items if item.kind == "open"]
    opened += [(at, one) for at, one in enumerate(said) if one.leaves_open and not one.told]
    for at, one in opened:
        if not any(later.closes and len(later.content & one.content) for later in said[at + 1 :]):
            yield one

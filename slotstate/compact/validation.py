"""What a summary must satisfy before it counts: every item follows from its sources, and contradicts no slot.

The checks compare figures, names and denials with what the sources say, in English and Chinese. They are rules about
words: what they let pass need not be true, what they refuse is told so that a model can mend it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from slotstate.compact.contradictions import contradictions, shown
from slotstate.compact.evidence import evidence, missing
from slotstate.compact.figures import figures
from slotstate.compact.instructions import instructs
from slotstate.compact.items import Amend, Drop, Patch, Span, Spoken
from slotstate.compact.naming import known, strangers
from slotstate.compact.polarity import reversals, stance
from slotstate.events import Item, ItemKind
from slotstate.parsing import find, fold, sentences
from slotstate.state import Summary

Code = Literal[
    "unknown_item",
    "changed_twice",
    "empty",
    "lines",
    "too_long",
    "too_many",
    "no_source",
    "unknown_source",
    "instruction",
    "quote",
    "number",
    "unit",
    "date",
    "name",
    "negation",
    "slot",
    "duplicate",
]
_LINE_ENDS: Final = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_EDGES: Final = " \t.,;:!?。，；：！？\"'“”‘’"
_SHOWN: Final = 60
_CUT: Final = re.compile(r"\b(?:not|no|never|without|nor|neither|cannot|except)\b|n't\b|[不没無无别未非勿莫]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a patch: `where` names the item ("new item 3", "item 17"), `detail` says it in one line."""

    where: str
    code: Code
    detail: str

    def __str__(self) -> str:
        return f"{self.where}: {self.detail}"


@dataclass(frozen=True, slots=True)
class _Proposed:
    """An item that a patch adds or amends; `old` is what it was."""

    where: str
    kind: ItemKind
    text: str
    sources: tuple[str, ...]
    quote: str | None
    path: str | None
    old: Item | None = None


def faults(
    summary: Summary, patch: Patch, span: Span, *, most_items: int = 60, most_chars: int = 400
) -> tuple[Fault, ...]:
    """What keeps `patch` from being the next version of `summary` for the messages of `span`; () when nothing does.

    Whether every message of the span is covered is not looked at here.
    """
    items = {item.ident: item for item in summary.items}
    messages = {message.id: message for message in span.messages}
    found = [*_idents(items, patch)]
    kept = len(items) - len({drop.ident for drop in patch.drop} & items.keys())
    if kept + len(patch.add) > most_items:
        many = f"it would have {kept + len(patch.add)} items, at most {most_items} may stay: drop or merge some"
        found.append(Fault("summary", "too_many", many))
    proposed = [*_proposed(items, patch)]
    for one in proposed:
        shape = [*_shape(one, messages, most_chars)]
        found += shape
        if not any(fault.code in ("empty", "too_long") for fault in shape):
            found += _content(one, messages, span)
    found += _duplicates(proposed, patch, items)
    return tuple(found)


def _idents(items: Mapping[int, Item], patch: Patch) -> Iterator[Fault]:
    """Numbers of items that there are not, or that are used twice."""
    seen: set[int] = set()
    changes: tuple[Amend | Drop, ...] = (*patch.amend, *patch.drop)
    for change in changes:
        where = f"item {change.ident}"
        if change.ident not in items:
            there = f"the summary has {', '.join(map(str, sorted(items))) or 'none'}"
            yield Fault(where, "unknown_item", f"there is no item {change.ident}: {there}")
        elif change.ident in seen:
            yield Fault(where, "changed_twice", f"item {change.ident} is changed twice: change it once")
        seen.add(change.ident)


def _proposed(items: Mapping[int, Item], patch: Patch) -> Iterator[_Proposed]:
    for number, add in enumerate(patch.add, 1):
        yield _Proposed(f"new item {number}", add.kind, add.text, add.sources, add.quote, add.path)
    for amend in patch.amend:
        old = items.get(amend.ident)
        if old is not None:
            sources = tuple(dict.fromkeys((*old.sources, *amend.sources)))
            yield _Proposed(f"item {amend.ident}", old.kind, amend.text, sources, amend.quote, old.path, old)


def _shape(one: _Proposed, messages: Mapping[str, Spoken], most_chars: int) -> Iterator[Fault]:
    """Size, lines and sources."""
    where, text = one.where, one.text
    if not any(char.isalnum() for char in text):
        yield Fault(where, "empty", "its text says nothing: write one, or leave the item out")
    for name, words in (("text", text), ("quote", one.quote or "")):
        if len(words) > most_chars:
            yield Fault(where, "too_long", f"its {name} has {len(words)} characters, at most {most_chars} may stay")
    if _LINE_ENDS.search(text):
        yield Fault(where, "lines", "its text has several lines: write one")
    if not one.sources:
        yield Fault(where, "no_source", "it names no source: give the ids of the messages that tell it")
    before = one.old.sources if one.old else ()
    unknown = [source for source in one.sources if source not in messages and source not in before]
    if unknown:
        yield Fault(
            where, "unknown_source", f"there is no message {_cut(unknown[0])!r} in the span: name those that are"
        )


def _content(one: _Proposed, messages: Mapping[str, Spoken], span: Span) -> Iterator[Fault]:
    """What the item says, compared with what its sources and the slots say."""
    for words in (one.text, one.quote or "", one.path or ""):
        if order := instructs(words):
            yield Fault(
                one.where,
                "instruction",
                f"'{_cut(order)}' instructs who reads it or poses as another part: leave it out",
            )
            return
    for path, told, value in contradictions(one.text, one.kind, one.path, span):
        yield Fault(
            one.where,
            "slot",
            f"it says '{_cut(told)}', but {path} holds '{_cut(value)}': say that, or what became of it",
        )
    sources = [messages[source] for source in dict.fromkeys(one.sources) if source in messages]
    if one.quote is not None and not _quoted(one, sources):
        yield Fault(
            one.where, "quote", f"'{_cut(one.quote)}' stands in none of its sources: copy the words as they are"
        )
    if (sources or one.old) and not any(_verbatim(one.text, source.text) for source in sources):
        yield from _supported(one, sources, span)


def _supported(one: _Proposed, sources: Sequence[Spoken], span: Span) -> Iterator[Fault]:
    before = (one.old.text, *([one.old.quote] if one.old.quote else ())) if one.old else ()
    texts = (*(source.text for source in sources), *before)
    told = {one.path, *(path for source in one.sources for path in span.told.get(source, ()))}
    said = evidence(texts, [shown(value) for path, value in span.slots.items() if path in told])
    for code, written, instead in missing(figures(one.text), said):
        say = f"; they say {instead}" if instead else ""
        yield Fault(one.where, code, f"'{_cut(written)}' stands in none of its sources{say}")
    for name in strangers(one.text, known((*texts, *map(shown, span.slots.values())))):
        yield Fault(one.where, "name", f"'{_cut(name)}' stands in none of its sources: use their names")
    roles = (*((source.role, source.text) for source in sources), *(("assistant", text) for text in before))
    for denies, words, written in reversals(one.text, stance(roles)):
        those = ", ".join(words[:4])
        why = (
            f"denies '{those}', which its sources do not"
            if denies
            else f"affirms '{those}', which its sources only deny"
        )
        yield Fault(one.where, "negation", f"'{_cut(written)}' {why}")


def _quoted(one: _Proposed, sources: Iterable[Spoken]) -> bool:
    """Whether the quote stands word for word in a source; that of an old item may stay."""
    quote = one.quote or ""
    if one.old and one.old.quote is not None and quote == one.old.quote:
        return True
    return any(find(quote, fold(source.text)) is not None for source in sources)


def _verbatim(text: str, source: str) -> bool:
    """Whether a text stands in one sentence of a source, with no denial cut off in front of it."""
    wanted = fold(text).text.strip(_EDGES)
    if not wanted or wanted not in fold(source).text:
        return False
    for sentence in sentences(source):
        folded = fold(sentence)
        place = find(wanted, folded)
        if place is not None:
            return _CUT.search(fold(sentence[: place[0]]).text) is None
    return False


def _duplicates(proposed: Iterable[_Proposed], patch: Patch, items: Mapping[int, Item]) -> Iterator[Fault]:
    """Items that say in the same words what another says."""
    changed = {change.ident for change in patch.amend} | {change.ident for change in patch.drop}
    seen = {_plain(item.text): f"item {ident}" for ident, item in items.items() if ident not in changed}
    for one in proposed:
        words = _plain(one.text)
        if words and words in seen:
            yield Fault(one.where, "duplicate", f"it says the same as {seen[words]}: leave it out")
        seen.setdefault(words, one.where)


def _plain(text: str) -> str:
    return " ".join(fold(text).text.strip(_EDGES).split())


def _cut(words: str) -> str:
    """Words short enough for one line."""
    line = " ".join(words.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"

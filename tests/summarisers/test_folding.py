"""Several patches as one: what they come to together is what they come to one after the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotstate.compact.items import Add, Amend, Drop, Patch, patched
from slotstate.errors import InputError
from slotstate.events import Item, Lost
from slotstate.state import Summary
from slotstate.summarisers.instructor.folding import Fold
from tests.summarisers.spans import SUMMARY

SOURCES = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=3, unique=True).map(tuple)
QUOTES = st.sampled_from([None, "q", "r"])


@st.composite
def chains(draw: st.DrawFn) -> tuple[Summary, list[Patch]]:
    """A summary, and patches each of which fits what the ones before it left."""
    start = draw(st.integers(0, 4))
    items = tuple(Item(ident=n * 2, kind="fact", text=f"old {n}", sources=("a",)) for n in range(1, start + 1))
    first = Summary(1, 5, items, made=start * 2 + draw(st.integers(0, 2)))
    patches: list[Patch] = []
    now = first
    for step in range(draw(st.integers(0, 5))):
        fates = {item.ident: draw(st.sampled_from(["keep", "keep", "amend", "drop"])) for item in now.items}
        patch = Patch(
            tuple(
                Add("fact", f"new {step}.{number}", draw(SOURCES), draw(QUOTES))
                for number in range(draw(st.integers(0, 3)))
            ),
            tuple(
                Amend(ident, f"text {step}.{ident}", draw(SOURCES), draw(QUOTES))
                for ident, fate in fates.items()
                if fate == "amend"
            ),
            tuple(Drop(ident, f"why {step}.{ident}") for ident, fate in fates.items() if fate == "drop"),
        )
        patches.append(patch)
        now = patched(now, patch, now.covered)
    return first, patches


def told(item: Item, made: int) -> tuple[Any, ...]:
    """An item without its number where that is a new one: the numbers between may not be given again."""
    return (item.ident if item.ident <= made else None, item.kind, item.text, item.sources, item.quote)


@given(chains())
def test_one_patch_does_what_several_do(chain: tuple[Summary, list[Patch]]) -> None:
    first, patches = chain
    fold, stepped = Fold(first), first
    for patch in patches:
        fold.apply(patch)
        stepped = patched(stepped, patch, stepped.covered)
    assert fold.summary == stepped
    at_once = patched(first, fold.patch, first.covered)
    assert [told(item, first.made) for item in at_once.items] == [told(item, first.made) for item in stepped.items]
    gone = {item.ident for item in first.items} - {item.ident for item in stepped.items}
    assert {drop.ident for drop in fold.patch.drop} == gone
    added = {add.text for patch in patches for add in patch.add}
    assert len(fold.lost) == len(added) - len([item for item in stepped.items if item.ident > first.made])


def test_what_was_added_and_dropped_again_is_told() -> None:
    fold = Fold(SUMMARY)
    greeting = Lost(text="Hi", reason="a greeting")
    fold.apply(Patch(add=(Add("open", "Who brings the cables?", ("turn-4",)),)), [greeting])
    fold.apply(Patch(drop=(Drop(7, "Ana brings them"),)))
    assert fold.patch == Patch()
    assert fold.lost == [greeting, Lost(text="Who brings the cables?", reason="Ana brings them")]
    with pytest.raises(InputError, match="there is no item 7"):
        fold.apply(Patch(drop=(Drop(7, "again"),)))

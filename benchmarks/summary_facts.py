"""How many facts that no slot holds a long conversation keeps when the summariser that needs no model sums it up.

usage: python -m benchmarks.summary_facts [--seeds N] [--turns N] [--most N]

Twenty constraints, decisions and refusals stand at random places of 400 turns of small talk, slot changes and tool
traffic, alone or among other sentences. All but the last 20 turns are summarised, every 40 turns. A fact is kept when
its words stand in one item at the end. `planted` are the sentences that were there when the cue lists were made,
`held out` others, in other words; of these each run takes 20. Both are in summary_facts.toml.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.summary_talk import Conversation
from slotstate.compact import patched
from slotstate.compact.extractive import extract
from slotstate.events import Item
from slotstate.state import Summary
from slotstate.tokens import Estimator

EVERY, WINDOW = 40, 20
FACTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Run:
    """What came of one conversation."""

    kept: int
    facts: int
    items: tuple[Item, ...]
    tokens: int
    said: int
    invented: int
    changed: int
    milliseconds: float
    """For 1,000 characters."""
    missing: tuple[str, ...]


def run(language: str, chosen: str, seed: int, turns: int, most: int) -> Run:
    """One conversation to its end."""
    rng = random.Random(f"{language} {chosen} {seed}")
    facts = rng.sample(FACTS[language][chosen], 20)
    places = dict(zip(rng.sample(range(turns - EVERY), 20), facts, strict=True))
    talk, summary, spent, changed = Conversation(rng, language), Summary(), 0.0, 0
    starts: list[int] = []
    for turn in range(turns):
        starts.append(len(talk.messages))
        talk.turn(places.get(turn))
        if turn >= WINDOW and (turn + 1) % EVERY == 0:
            covered = starts[turn + 1 - WINDOW]
            span = talk.span(summary.covered, covered)
            start = time.process_time()
            patch, _ = extract(summary, span, most=most)
            spent += time.process_time() - start
            before = {item.ident: item for item in summary.items}
            summary = patched(summary, patch, covered)
            changed += sum(before.get(item.ident, item) != item for item in summary.items)
    texts = {message.id: message.text for message in talk.messages}
    told = [f"{item.text}\n{item.quote or ''}" for item in summary.items]
    missing = [fact for fact in facts if not any(all(need in one for need in fact["needs"]) for one in told)]
    length = sum(len(message.text) for message in talk.messages[: summary.covered])
    return Run(
        kept=len(facts) - len(missing),
        facts=len(facts),
        items=summary.items,
        tokens=sum(Estimator().count(one) for one in told),
        said=sum(Estimator().count(text) for text in texts.values()),
        invented=sum(not stands(item, texts) for item in summary.items),
        changed=changed,
        milliseconds=1e6 * spent / length,
        missing=tuple(fact["said"] for fact in missing),
    )


def stands(item: Item, texts: dict[str, str]) -> bool:
    """Whether an item's words are those of its sources, the name of a tool aside."""
    text = item.text.partition(": ")[2] if item.text.startswith("search_hotels: ") else item.text
    sources = [texts[source] for source in item.sources]
    return any(text in one for one in sources) and (item.quote is None or any(item.quote in one for one in sources))


def report(language: str, chosen: str, seeds: int, turns: int, most: int) -> list[Run]:
    """One line on the runs of a language."""
    runs = [run(language, chosen, seed, turns, most) for seed in range(seeds)]
    kept = [one.kept for one in runs]
    kinds: Counter[Any] = Counter(item.kind for one in runs for item in one.items)
    means = ", ".join(f"{kind} {count / seeds:.1f}" for kind, count in kinds.most_common())
    print(
        f"{language} {chosen.replace('_', ' '):<9} kept {' '.join(map(str, kept))} of 20 (mean {statistics.fmean(kept):.1f}); "
        f"{statistics.fmean(len(one.items) for one in runs):.0f} items, {statistics.fmean(one.tokens for one in runs):.0f} "
        f"tokens of {statistics.fmean(one.said for one in runs):.0f} said; invented {sum(one.invented for one in runs)}, "
        f"changed {sum(one.changed for one in runs)}; {statistics.median(one.milliseconds for one in runs):.2f} ms for "
        f"1,000 characters\n   items: {means}"
    )
    return runs


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--show", action="store_true", help="print the last summary and what is missing from it")
    options = parser.parse_args(arguments)
    for chosen in ("planted", "held_out"):
        for language in FACTS:
            runs = report(language, chosen, options.seeds, options.turns, options.most)
            if options.show and chosen == "planted":
                for item in runs[-1].items:
                    print(f"     {item.kind:<10} {item.text!r} {item.quote or ''}")
                print(*(f"   missing: {text}" for text in runs[-1].missing), sep="\n")


if __name__ == "__main__":
    main()

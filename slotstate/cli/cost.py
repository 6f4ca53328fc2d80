"""`slotstate cost`: what a transcript's prompts cost under the cache rules of every provider, in both layouts."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from slotstate.caching import Model, Profile, find_profile, profile_names
from slotstate.cli.anatomy import counter_of
from slotstate.cli.cutting import Cutter
from slotstate.cli.options import PROFILES, SCHEMA_HELP, add_budget_options, clean_output, set_up_streams
from slotstate.cli.prices import cost_page
from slotstate.cli.pricing import Bill, Call, bill, calls_of
from slotstate.cli.replay import Replay, add_replay_options, replayed
from slotstate.cli.screen import Screen
from slotstate.contract import CostLine, CostReport, ModelCost
from slotstate.errors import InputError
from slotstate.events import Layout

SUMMARY: Final = "Price a transcript's prompts under the cache rules of each provider, in both layouts."
USAGE: Final = "%(prog)s TRANSCRIPT --schema S [--schema S ...] [--profile P ...] [options]"
EPILOG: Final = f"""\
transcript:   as in `slotstate run`; each of the assistant's messages is the reply to one request
{SCHEMA_HELP}
tokens:       sent = read from the cache + written to it + fresh
price:        of one request, in fresh tokens: how many of them the same money buys
ratio:        of the price to that of the same conversation where nothing is cached
dollars:      the prompts of 1,000 such conversations, at the prices that docs/caching.md dates and links
profiles:     what the providers say of their caches is in docs/caching.md

example:      slotstate cost dialogue.jsonl --schema travel --budget 4000 --interval 20"""
ELSEWHERE: Final = {"--layout": "it compares both layouts", "--turn": "it prices every request"}
_CLEARED: Final = "\r\x1b[2K"
"""Back to the start of the line, and all of it gone."""
LAYOUTS: Final[tuple[Layout, ...]] = ("quotes_last", "append_only")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `cost`."""
    add_replay_options(parser)
    add_budget_options(parser, cache=False)
    parser.add_argument(
        "--profile",
        metavar="P",
        action="append",
        dest="profiles",
        help=f"only these cache rules: {PROFILES}; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Replay the transcript under each profile and print what it costs. Raises SlotstateError for bad input."""
    set_up_streams(utf8_out=arguments.json)
    profiles = [find_profile(name) for name in dict.fromkeys(arguments.profiles or profile_names())]
    if not arguments.json:
        with replayed(arguments) as replay:
            with _progress() as tell:
                report = _report(replay, profiles, tell)
            Screen().show(*cost_page(report))
            return replay.verdict()
    with clean_output() as out, replayed(arguments) as replay:
        with _progress() as tell:
            report = _report(replay, profiles, tell)
        print(report.model_dump_json(indent=2), file=out)
        return replay.verdict()


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Says what is being worked on, where someone looks on: a long conversation takes its time."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    try:
        yield lambda what: print(f"{_CLEARED}{what} …", end="", file=sys.stderr, flush=True)
    finally:
        print(_CLEARED, end="", file=sys.stderr, flush=True)


class _Prices:
    """The requests of a conversation under any profile and layout. Profiles that differ in nothing that decides over
    the prompts share them.
    """

    def __init__(self, replay: Replay, tell: Callable[[str], None]) -> None:
        self._replay = replay
        self._tell = tell
        self._cutter = Cutter(replay.budget)
        self._calls: dict[tuple[object, ...], list[Call]] = {}
        self._bills: dict[tuple[object, ...], Bill] = {}
        self._pause = 0.0
        self.bare = self.calls(find_profile("none"), LAYOUTS[0])
        """The requests where nothing is cached."""
        times = [call.at for call in self.bare]
        self._pause = max(((after - before).total_seconds() for before, after in pairwise(times)), default=0.0)

    def calls(self, profile: Profile, layout: Layout) -> list[Call]:
        """Its requests, with what the prompts expect of the cache under this very profile."""
        terms = self._terms(profile, layout)
        found = self._calls.get((*terms, _rules(profile)))
        if found is None:
            self._tell(f"{profile.name}, {layout.replace('_', ' ')}")
            budget = replace(self._replay.budget, profile=profile.name, layout=layout)
            found = calls_of(
                self._replay.prompts(budget, end=False), self._cutter, blocks=profile.rule == "breakpoints"
            )
            self._calls[terms] = self._calls[(*terms, _rules(profile))] = found
        return found

    def bill(self, profile: Profile, layout: Layout) -> Bill:
        """What is read and written; what it says of the prompts' expectations may be another profile's."""
        key = _rules(profile), profile.minimum, profile.ttl, layout
        if key not in self._bills:
            found = self._calls.get(self._terms(profile, layout))
            self._bills[key] = bill(profile, self.calls(profile, layout) if found is None else found)
        return self._bills[key]

    def _terms(self, profile: Profile, layout: Layout) -> tuple[object, ...]:
        """What decides over the prompts and how they are cut: the layout, from how many tokens on the profile caches,
        and for how long, unless no pause is that long.
        """
        if profile.rule == "none":
            return ("none",)
        lasting = profile.ttl if profile.ttl < self._pause else None
        return profile.rule == "breakpoints", profile.minimum, lasting, layout


def _rules(profile: Profile) -> Profile:
    """What a cache does, whatever it is called and costs, and however long it lasts."""
    return replace(
        profile,
        name="",
        title="",
        ttl=0,
        read=0,
        write=0,
        as_of="",
        source="",
        also=(),
        note="",
        models=(),
        priced=None,
    )


def _report(replay: Replay, profiles: Sequence[Profile], tell: Callable[[str], None]) -> CostReport:
    """The costs under each profile, and with each model of theirs."""
    prices = _Prices(replay, tell)
    if not prices.bare:
        raise InputError("the assistant says nothing in this transcript: there is no request to price")
    bare = prices.bill(find_profile("none"), LAYOUTS[0])
    lines = [line for profile in profiles for line in _lines(profile, prices, bare)]
    replies = sum(call.replied for call in prices.bare)
    return CostReport(
        requests=bare.requests,
        budget=replay.budget.context,
        counter=counter_of(replay.budget).name,
        interval=replay.interval,
        replies=replies,
        profiles=lines,
        models=sorted(_models(profiles, prices, bare, replies), key=lambda one: one.input),
    )


def _lines(profile: Profile, prices: _Prices, bare: Bill) -> Iterator[CostLine]:
    """A profile's costs in each layout."""
    bills: dict[Layout, Bill] = {layout: bill(profile, prices.calls(profile, layout)) for layout in LAYOUTS}
    prices_of = {layout: one.equivalents(profile) for layout, one in bills.items()}
    for layout, one in bills.items():
        equivalents = prices_of[layout]
        yield CostLine(
            profile=profile.name,
            layout=layout,
            requests=one.requests,
            sent=one.sent,
            fresh=one.fresh,
            written=one.written,
            read=one.read,
            equivalents=round(equivalents, 2),
            per_request=round(equivalents / one.requests, 2),
            ratio=round(equivalents / bare.sent, 4),
            predicted=one.predicted,
            off=one.off,
            longest=one.longest,
            minimum=profile.minimum,
            cacheable=profile.rule != "none" and one.longest >= profile.minimum,
            epochs=dict(one.epochs),
            cheapest=equivalents == min(prices_of.values()),
        )


def _models(profiles: Sequence[Profile], prices: _Prices, bare: Bill, replies: int) -> Iterator[ModelCost]:
    """What the conversation costs with each model whose prices are known, where it costs least."""
    known: dict[str, list[tuple[Profile, Model]]] = {}
    for profile in profiles:
        for model in (profile.priced,) if profile.priced is not None else profile.models:
            named = profile if profile.priced is not None else profile.for_model(model.name)
            known.setdefault(model.name, []).append((named, model))
    for name, ways in known.items():
        costs: list[tuple[float, Profile, Model, Layout]] = []
        for profile, model in ways:
            for layout in LAYOUTS:
                one = prices.bill(profile, layout)
                dollars = profile.dollars(fresh=one.fresh, written=one.written, read=one.read)
                if dollars is not None:
                    costs.append((dollars, profile, model, layout))
        if costs:
            dollars, profile, model, layout = min(costs, key=lambda one: one[0])
            yield ModelCost(
                model=name,
                profile=profile.name.partition("/")[0],
                layout=layout,
                input=dollars,
                uncached=bare.sent * (model.fresh or 0) / 1e6,
                output=replies * (model.output or 0) / 1e6,
                as_of=model.as_of,
                source=model.source,
                note=model.note,
            )

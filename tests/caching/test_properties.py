"""What holds for every cache and every conversation, and agreement with the brute-force rules."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from slotstate.caching import (
    CacheSimulator,
    Charge,
    Piece,
    Profile,
    Request,
    expected_read,
    find_profile,
    profile_names,
)
from tests.caching.oracle import Oracle

RULES = [find_profile(name) for name in profile_names()]
ALPHABET = "abcdefgh"
PIECES = st.builds(lambda sign: Piece(sign, 1 + ALPHABET.index(sign)), st.sampled_from(ALPHABET))
PROMPTS = st.lists(PIECES, max_size=8).map(tuple)


@st.composite
def small(draw: st.DrawFn) -> Profile:
    """A profile by any rule with numbers so small that every limit is met."""
    profile = draw(st.sampled_from(RULES))
    most = draw(st.integers(1, 3))
    return replace(
        profile,
        minimum=draw(st.integers(0, 12)),
        step=draw(st.integers(1, 5)),
        ttl=draw(st.integers(0, 12)),
        max_breakpoints=most,
        markers=most + draw(st.integers(0, 3)),
        lookback=draw(st.integers(1, 4)),
        implicit=draw(st.booleans()),
        learns=draw(st.booleans()),
        remembers=draw(st.integers(0, 2)),
        recomputed=draw(st.integers(0, 2)),
        caches_reply=draw(st.booleans()),
    )


Asked = tuple[Request, Piece | None]
"""A request, and the reply that it got if it matters."""


@st.composite
def requests(draw: st.DrawFn, profile: Profile) -> list[Asked]:
    """Prompts that often go on from an earlier one."""
    made: list[Asked] = []
    at = 0.0
    for _ in range(draw(st.integers(1, 7))):
        at += draw(st.integers(0, 8))
        pieces = draw(PROMPTS)
        on = draw(st.integers(-1, len(made) - 1))
        if on >= 0:
            before, reply = made[on]
            kept = before.pieces[: draw(st.integers(0, len(before.pieces)))]
            pieces = (*kept, *((reply,) if reply and draw(st.booleans()) else ()), *pieces[:3])
        marks = draw(st.lists(st.integers(1, len(pieces)), max_size=profile.markers).map(tuple)) if pieces else ()
        made.append((Request(pieces, marks, at), draw(st.none() | PIECES)))
    return made


CASES = small().flatmap(lambda profile: st.tuples(st.just(profile), requests(profile)))


def run(profile: Profile, asked: list[Asked]) -> list[Charge]:
    simulator = CacheSimulator(profile)
    charges: list[Charge] = []
    for request, reply in asked:
        charges.append(simulator.request(request))
        if reply:
            simulator.reply(reply)
    return charges


@given(CASES)
def test_the_brute_force_rules_agree(case: tuple[Profile, list[Asked]]) -> None:
    profile, asked = case
    oracle = Oracle(profile)
    for (request, reply), charged in zip(asked, run(profile, asked), strict=True):
        assert (charged.read, charged.written) == oracle.request(request)
        if reply:
            oracle.reply(reply)


def begins(pieces: tuple[Piece, ...], earlier: tuple[Piece, ...]) -> int:
    """Tokens of the beginning that both have in common."""
    total = 0
    for mine, theirs in zip(pieces, earlier, strict=False):
        if mine != theirs:
            break
        total += mine.tokens
    return total


@given(CASES)
def test_what_holds_for_every_charge(case: tuple[Profile, list[Asked]]) -> None:
    """Each token is charged once; no more is read than an earlier prompt with its reply shares; nothing is random."""
    profile, asked = case
    charges = run(profile, asked)
    assert charges == run(profile, asked)
    earlier: list[tuple[Piece, ...]] = []
    for (request, reply), charged in zip(asked, charges, strict=True):
        assert charged.total == sum(piece.tokens for piece in request.pieces)
        assert min(charged.fresh, charged.written, charged.read) >= 0
        assert charged.equivalents == charged.fresh + charged.written * profile.write + charged.read * profile.read
        assert charged.read <= max((begins(request.pieces, pieces) for pieces in earlier), default=0)
        earlier.append((*request.pieces, *((reply,) if reply else ())))


@given(CASES)
def test_nothing_is_read_when_every_pause_is_longer_than_the_lifetime(
    case: tuple[Profile, list[Asked]],
) -> None:
    profile, asked = case
    slow = [(replace(request, at=turn * (profile.ttl + 1.0)), reply) for turn, (request, reply) in enumerate(asked)]
    assert all(charged.read == 0 for charged in run(profile, slow))


@settings(max_examples=200)
@given(profile=st.sampled_from(RULES), sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=30))
def test_the_same_prompt_again_is_read_as_far_as_the_rule_allows(profile: Profile, sizes: list[int]) -> None:
    prompt = Request(tuple(Piece(str(place), size) for place, size in enumerate(sizes)), breakpoints=(len(sizes),))
    simulator = CacheSimulator(profile)
    simulator.request(prompt)
    again = simulator.request(prompt)
    total = sum(sizes)
    assert again.read == expected_read(profile, total, total)
    assert simulator.request(prompt) == again
    if profile.rule != "none" and total >= profile.minimum + profile.recomputed:
        assert again.read > total - profile.step - profile.recomputed


@settings(max_examples=200)
@given(
    profile=st.sampled_from(RULES),
    shared=st.lists(st.integers(1, 3000), max_size=15),
    old=st.integers(1, 3000),
    new=st.integers(1, 3000),
    idle=st.sampled_from([0, 100, 299, 301, 2000, 4000]),
)
def test_the_light_function_says_the_same(profile: Profile, shared: list[int], old: int, new: int, idle: int) -> None:
    common = tuple(Piece(f"s{place}", size) for place, size in enumerate(shared))
    marks = (len(common),) if common and profile.rule == "breakpoints" else ()
    simulator = CacheSimulator(replace(profile, implicit=False))
    simulator.request(Request((*common, Piece("old", old)), marks))
    read = simulator.request(Request((*common, Piece("new", new)), marks, idle)).read
    total = sum(shared)
    assert read == expected_read(profile, total, total + new, idle, earlier=total + old)


@settings(max_examples=200)
@given(
    profile=st.sampled_from(RULES),
    less=st.integers(0, 9000),
    more=st.integers(0, 9000),
    rest=st.integers(0, 9000),
    idle=st.integers(0, 5000),
)
def test_more_that_is_shared_and_less_waiting_never_read_less(
    profile: Profile, less: int, more: int, rest: int, idle: int
) -> None:
    less, more = sorted((less, more))
    read = expected_read(profile, less, more + rest, idle)
    assert read <= expected_read(profile, more, more + rest, idle)
    assert read <= expected_read(profile, less, more + rest, idle / 2)
    assert 0 <= read <= less


@given(st.integers(1, 40), st.integers(2, 60))
def test_a_small_capacity_only_ever_reads_less(capacity: int, count: int) -> None:
    profile = replace(find_profile("openai"), minimum=1, step=1)
    tight, roomy = CacheSimulator(profile, capacity=capacity), CacheSimulator(profile)
    for number in range(count):
        prompt = Request(tuple(Piece(f"{number % 5}.{place}", 10) for place in range(number % 7)))
        assert tight.request(prompt).read <= roomy.request(prompt).read

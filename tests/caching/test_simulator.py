"""What the providers' own examples and rules say, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from slotstate.caching import CacheSimulator, Charge, Piece, Profile, Request, charge, expected_read, find_profile
from slotstate.errors import InputError

OPENAI = find_profile("openai")
EXPLICIT = find_profile("openai-breakpoints")
IMPLICIT = find_profile("openai-implicit")
ANTHROPIC = find_profile("anthropic")
DEEPSEEK = find_profile("deepseek")
VLLM = find_profile("vllm")
LLAMA = find_profile("llama.cpp")


def pieces(*sizes: int, prefix: str = "p") -> tuple[Piece, ...]:
    """Pieces of those sizes, told apart by their place."""
    return tuple(Piece(f"{prefix}{place}", size) for place, size in enumerate(sizes))


def reads(profile: Profile, *requests: Request) -> list[int]:
    simulator = CacheSimulator(profile)
    return [simulator.request(request).read for request in requests]


def blocks(count: int, changed: int | None = None) -> tuple[Piece, ...]:
    """So many blocks of 5,000 tokens, the one of that number (from 1) unlike all others."""
    return tuple(Piece("new" if number == changed else f"b{number}", 5_000) for number in range(1, count + 1))


class TestOpenAi:
    def test_the_announced_example(self) -> None:
        """A prompt of 2,006 tokens, sent before, is reported with 1,920 cached ones."""
        prompt = Request(pieces(2006))
        assert reads(OPENAI, prompt, prompt) == [0, 1920]

    @pytest.mark.parametrize(
        ("shared", "read"), [(1023, 0), (1024, 1024), (1151, 1024), (1152, 1152), (3000, 2944)], ids=str
    )
    def test_a_thousand_and_24_tokens_then_steps_of_128(self, shared: int, read: int) -> None:
        first, second = Request(pieces(shared, 500)), Request((*pieces(shared), Piece("other", 500)))
        assert reads(OPENAI, first, second) == [0, read]

    def test_a_partly_shared_piece_does_not_count(self) -> None:
        """A changed tail ends what is shared at the piece before it."""
        first, second = Request(pieces(1500, 600, 600)), Request((*pieces(1500, 600), Piece("x", 600)))
        assert reads(OPENAI, first, second) == [0, 2048]

    def test_nothing_is_shared_once_the_beginning_differs(self) -> None:
        first, second = Request(pieces(10, 4000)), Request((Piece("x", 10), *pieces(10, 4000)[1:]))
        assert reads(OPENAI, first, second) == [0, 0]

    def test_writing_costs_nothing(self) -> None:
        assert CacheSimulator(OPENAI).request(Request(pieces(4000))) == Charge(4000, 0, 0, 4000)
        simulator = CacheSimulator(OPENAI)
        simulator.request(Request(pieces(4000)))
        again = simulator.request(Request(pieces(4000)))
        assert (again.fresh, again.written, again.read) == (32, 0, 3968)
        assert again.equivalents == pytest.approx(428.8)

    def test_any_earlier_request_will_do_and_a_use_keeps_it(self) -> None:
        a, b = pieces(2048), (Piece("b", 2048),)
        assert reads(OPENAI, Request(a, at=0), Request(b, at=200), Request(a, at=300), Request(a, at=600)) == [
            0,
            0,
            2048,
            2048,
        ]
        assert reads(OPENAI, Request(a, at=0), Request(a, at=300.5)) == [0, 0]


class TestOpenAiBreakpoints:
    def test_the_guides_arithmetic(self) -> None:
        """Written once and read once costs 1.35 times the prefix, nine reads 2.15 times."""
        simulator = CacheSimulator(EXPLICIT)
        paid = [simulator.request(Request(pieces(2000), (1,))).equivalents for _ in range(10)]
        assert sum(paid[:2]) == pytest.approx(1.35 * 2000)
        assert sum(paid) == pytest.approx(2.15 * 2000)

    def test_below_the_minimum_nothing_is_written(self) -> None:
        assert reads(EXPLICIT, Request(pieces(1023), (1,)), Request(pieces(1023), (1,))) == [0, 0]
        assert CacheSimulator(EXPLICIT).request(Request(pieces(1023), (1,))).written == 0
        assert CacheSimulator(EXPLICIT).request(Request(pieces(1024), (1,))).written == 1024

    def test_no_mark_no_cache(self) -> None:
        prompt = Request(pieces(5000))
        assert reads(EXPLICIT, prompt, prompt) == [0, 0]

    def test_a_changing_suffix_in_implicit_mode_is_written_each_time_and_never_read(self) -> None:
        simulator = CacheSimulator(IMPLICIT)
        for message in ("one", "two", "three"):
            paid = simulator.request(Request((*pieces(3000), Piece(message, 200))))
            assert (paid.read, paid.written, paid.fresh) == (0, 3200, 0)

    def test_a_mark_after_the_static_content_mends_that(self) -> None:
        simulator = CacheSimulator(EXPLICIT)
        first = simulator.request(Request((*pieces(3000), Piece("one", 200)), (1,)))
        second = simulator.request(Request((*pieces(3000), Piece("two", 200)), (1,)))
        assert (first.read, first.written, first.fresh) == (0, 3000, 200)
        assert (second.read, second.written, second.fresh) == (3000, 0, 200)

    def test_a_growing_conversation_reads_what_the_turn_before_wrote(self) -> None:
        first, second = Request(pieces(2000)), Request(pieces(2000, 50, 60))
        simulator = CacheSimulator(IMPLICIT)
        simulator.request(first)
        paid = simulator.request(second)
        assert (paid.fresh, paid.written, paid.read) == (0, 110, 2000)
        assert paid.equivalents == pytest.approx(110 * 1.25 + 200)

    def test_explicit_marks_have_to_be_repeated(self) -> None:
        """Only what this request marks is looked up."""
        first, moved = Request(pieces(2000, 50), (1,)), Request(pieces(2000, 50, 60), (2,))
        kept = replace(moved, breakpoints=(1, 2))
        assert reads(EXPLICIT, first, moved) == [0, 0]
        assert reads(EXPLICIT, first, kept) == [0, 2000]

    def test_a_longer_last_message_is_another_message(self) -> None:
        """The old end lies inside the message: the guide's example of a lost prefix."""
        assert reads(IMPLICIT, Request(pieces(1500, 500)), Request((*pieces(1500), Piece("longer", 700)))) == [0, 0]

    def test_implicit_mode_looks_back_over_20_earlier_ends(self) -> None:
        grown = pieces(2000, *[10] * 21)
        assert reads(IMPLICIT, Request(pieces(2000)), Request(grown[:21])) == [0, 2000]
        assert reads(IMPLICIT, Request(pieces(2000)), Request(grown)) == [0, 0]

    def test_the_latest_four_are_written_the_implicit_one_among_them(self) -> None:
        prompt = pieces(1100, 100, 100, 100, 100, 100)
        seen = Request(prompt, (1, 2, 3, 4, 5))
        for count, four, three in [(1, 0, 0), (2, 1200, 0), (3, 1300, 1300), (5, 1500, 1500)]:
            probe = Request(prompt[:count], (count,))
            assert reads(EXPLICIT, seen, probe) == [0, four]
            assert reads(IMPLICIT, seen, replace(probe, pieces=(*prompt[:count], Piece("x", 1)))) == [0, three]

    def test_a_mark_at_the_end_is_the_implicit_one(self) -> None:
        seen = Request(pieces(1100, 100, 100, 100, 100, 100), (2, 3, 4, 6))
        assert reads(IMPLICIT, seen, Request((*seen.pieces[:2], Piece("x", 1)))) == [0, 1200]

    def test_half_an_hour(self) -> None:
        prompt = pieces(2000)
        assert reads(EXPLICIT, *(Request(prompt, (1,), at) for at in (0, 1800, 3600, 5401))) == [0, 2000, 2000, 0]


class TestAnthropic:
    def test_the_documented_growing_conversation(self) -> None:
        """10 blocks, then 15, then 35, each marked at its end: the third finds nothing, one position too far."""
        simulator = CacheSimulator(ANTHROPIC)
        assert simulator.request(Request(blocks(10), (10,))).written == 50_000
        second = simulator.request(Request(blocks(15), (15,)))
        assert (second.read, second.written, second.fresh) == (50_000, 25_000, 0)
        third = simulator.request(Request(blocks(35), (35,)))
        assert (third.read, third.written) == (0, 175_000)

    def test_a_second_breakpoint_starts_a_second_lookback(self) -> None:
        first, second = Request(blocks(15), (15,)), Request(blocks(35), (15, 35))
        assert reads(ANTHROPIC, first, second) == [0, 75_000]
        assert reads(ANTHROPIC, first, Request(blocks(34), (34,))) == [0, 75_000], "the twentieth position"

    def test_a_breakpoint_on_what_changes_never_hits(self) -> None:
        first, second = Request(blocks(6, changed=6), (6,)), Request(blocks(6), (6,))
        assert reads(ANTHROPIC, first, second) == [0, 0]
        assert reads(ANTHROPIC, replace(first, breakpoints=(5,)), replace(second, breakpoints=(5,))) == [0, 25_000]

    def test_what_is_before_the_breakpoint_must_not_change(self) -> None:
        assert reads(ANTHROPIC, Request(blocks(6), (6,)), Request(blocks(6, changed=2), (6,))) == [0, 0]

    def test_prices(self) -> None:
        """100 fresh, 5,000 written at 1.25 or 2, then read at a tenth."""
        prompt = Request((*blocks(1), Piece("question", 100)), (1,))
        for profile, first in ((ANTHROPIC, 6350.0), (find_profile("anthropic-1h"), 10_100.0)):
            simulator = CacheSimulator(profile)
            assert simulator.request(prompt) == Charge(100, 5000, 0, first)
            assert simulator.request(prompt) == Charge(100, 0, 5000, 600.0)

    def test_the_minimum_depends_on_the_model(self) -> None:
        prompt = Request(pieces(1000), (1,))
        assert reads(find_profile("anthropic/claude-opus-5-5"), prompt, prompt) == [0, 1000]
        assert reads(find_profile("anthropic/claude-sonnet-5"), prompt, prompt) == [0, 0]

    def test_a_read_refreshes_the_lifetime(self) -> None:
        requests = [Request(blocks(2), (2,), at) for at in (0, 299, 598, 898, 1199)]
        assert reads(ANTHROPIC, *requests) == [0, 10_000, 10_000, 10_000, 0]

    def test_so_does_a_read_of_an_entry_that_is_not_marked_again(self) -> None:
        first, second = Request(blocks(2), (2,), 0), Request(blocks(4), (4,), 200)
        assert reads(ANTHROPIC, first, second, Request(blocks(3, changed=3), (3,), 450)) == [0, 10_000, 10_000]

    def test_a_short_entry_lives_on_beside_a_long_one(self) -> None:
        """Both marks are in use at every request, though only the longer one is read."""
        both = [Request(blocks(4), (2, 4), at) for at in (0, 200, 400)]
        other = Request(blocks(4, changed=3), (2, 4), 600)
        assert reads(ANTHROPIC, *both, other) == [0, 20_000, 20_000, 10_000]

    @pytest.mark.parametrize(
        ("points", "message"),
        [
            ((1, 2, 3, 4, 5), "anthropic takes at most 4 breakpoints, not 5: drop some"),
            ((0,), "breakpoints must be from 1 to the 6 pieces of the prompt, not [0]"),
            ((1, 7), "breakpoints must be from 1 to the 6 pieces of the prompt, not [1, 7]"),
        ],
    )
    def test_breakpoints_that_would_be_refused(self, points: tuple[int, ...], message: str) -> None:
        with pytest.raises(InputError) as error:
            CacheSimulator(ANTHROPIC).request(Request(blocks(6), points))
        assert str(error.value) == message


class TestDeepSeek:
    SYSTEM, ASKED, ANSWER, NEXT = pieces(640, 64, 128, 64, prefix="d")

    def test_the_documented_multi_round_conversation(self) -> None:
        """The second round begins with the first as a whole; with the answer kept, it reads that too."""
        first = Request((self.SYSTEM, self.ASKED))
        second = Request((self.SYSTEM, self.ASKED, self.ANSWER, self.NEXT))
        assert reads(DEEPSEEK, first, second) == [0, 704]
        simulator = CacheSimulator(DEEPSEEK)
        simulator.request(first)
        simulator.reply(self.ANSWER)
        assert simulator.request(second).read == 832

    def test_the_documented_questions_about_one_text(self) -> None:
        """A + B, then A + C hits nothing; A is then found to be common, and A + D hits it."""
        report = Piece("report", 1280)
        asked = [Request((self.SYSTEM, report, Piece(question, 64))) for question in "BCD"]
        assert reads(DEEPSEEK, *asked) == [0, 0, 1920]
        assert reads(replace(DEEPSEEK, learns=False), *asked) == [0, 0, 0]

    def test_read_in_units_of_64_tokens(self) -> None:
        first, second = Request(pieces(100)), Request(pieces(100, 100))
        assert reads(DEEPSEEK, first, second) == [0, 64]
        assert reads(DEEPSEEK, Request(pieces(63)), Request(pieces(63, 100))) == [0, 0]

    def test_a_unit_is_cleared_after_its_lifetime(self) -> None:
        assert reads(DEEPSEEK, Request(pieces(640)), Request(pieces(640), at=3600.5)) == [0, 0]


class TestOwnServers:
    @pytest.mark.parametrize(("tokens", "read"), [(480, 0), (552, 528), (979, 528), (1100, 1056)], ids=str)
    def test_vllm_with_the_large_blocks_of_a_hybrid_model(self, tokens: int, read: int) -> None:
        """As reported for blocks of 528 tokens: only full ones are reused."""
        prompt = Request(pieces(tokens))
        assert reads(replace(VLLM, step=528, minimum=528), prompt, prompt) == [0, read]

    def test_vllm_computes_the_last_token_and_so_its_block(self) -> None:
        assert reads(VLLM, Request(pieces(160)), Request(pieces(160))) == [0, 144]
        assert reads(VLLM, Request(pieces(160)), Request(pieces(160, 1))) == [0, 160]

    def test_vllm_keeps_the_reply_and_every_conversation(self) -> None:
        simulator = CacheSimulator(VLLM)
        simulator.request(Request(pieces(160)))
        simulator.reply(Piece("reply", 32))
        simulator.request(Request((Piece("other", 320),)))
        assert simulator.request(Request((*pieces(160), Piece("reply", 32), Piece("next", 20)))).read == 192

    def test_llama_cpp_reads_all_but_the_last_token(self) -> None:
        """The server's own example: 236 of 237 tokens reused, one computed."""
        prompt = Request(pieces(237))
        assert reads(LLAMA, prompt, prompt) == [0, 236]

    def test_llama_cpp_knows_only_the_last_prompt_and_its_reply(self) -> None:
        a, b, reply = pieces(100), (Piece("b", 100),), Piece("reply", 20)
        assert reads(LLAMA, Request(a), Request(b), Request(a)) == [0, 0, 0]
        assert reads(replace(LLAMA, remembers=2), Request(a), Request(b), Request(a)) == [0, 0, 99]
        simulator = CacheSimulator(LLAMA)
        simulator.request(Request(a))
        simulator.reply(reply)
        assert simulator.request(Request((*a, reply, Piece("next", 5)))).read == 120
        assert simulator.request(Request((*a, Piece("x", 5)))).read == 100

    @pytest.mark.parametrize("profile", [LLAMA, OPENAI], ids=lambda profile: profile.name)
    def test_a_reply_before_any_request_changes_nothing(self, profile: Profile) -> None:
        simulator = CacheSimulator(profile)
        simulator.reply(pieces(3000)[0])
        assert simulator.request(Request(pieces(3000))).read == 0

    def test_a_reply_is_nothing_to_a_cache_that_does_not_keep_it(self) -> None:
        simulator = CacheSimulator(OPENAI)
        simulator.request(Request(pieces(3000)))
        simulator.reply(Piece("reply", 1024))
        assert simulator.request(Request((*pieces(3000), Piece("reply", 1024)))).read == 2944

    def test_no_cache(self) -> None:
        simulator = CacheSimulator(find_profile("none"))
        for _ in range(2):
            assert simulator.request(Request(pieces(3000))) == Charge(3000, 0, 0, 3000)


class TestTimeAndRoom:
    def test_moments_and_seconds_are_one_clock(self) -> None:
        start = datetime(2026, 11, 30, 9, tzinfo=timezone(timedelta(hours=8)))
        prompt = pieces(2048)
        later = start.astimezone(UTC).replace(tzinfo=None) + timedelta(seconds=300)
        assert reads(OPENAI, Request(prompt, at=start), Request(prompt, at=later)) == [0, 2048]
        assert reads(OPENAI, Request(prompt, at=start), Request(prompt, at=start.timestamp() + 301)) == [0, 0]

    def test_a_clock_set_back_neither_forgets_nor_revives(self) -> None:
        prompt = pieces(2048)
        requests = [Request(prompt, at=at) for at in (1000, 0, 1299, 1650, 1300)]
        assert reads(OPENAI, *requests) == [0, 2048, 2048, 0, 2048]

    def test_only_the_latest_requests_are_kept_beyond_the_capacity(self) -> None:
        simulator = CacheSimulator(OPENAI, capacity=100)
        prompts = [tuple(Piece(f"{number}.{place}", 300) for place in range(20)) for number in range(30)]
        for prompt in prompts:
            assert simulator.request(Request(prompt)).read == 0
        assert simulator.request(Request(prompts[29])).read == 5888
        assert simulator.request(Request(prompts[28])).read == 5888
        assert simulator.request(Request(prompts[0])).read == 0

    def test_a_prompt_beyond_the_capacity_is_kept_whole(self) -> None:
        simulator = CacheSimulator(OPENAI, capacity=3)
        prompt = Request(pieces(*[300] * 20))
        assert [simulator.request(prompt).read for _ in range(3)] == [0, 5888, 5888]
        simulator.request(Request(pieces(*[300] * 20, prefix="q")))
        assert simulator.request(prompt).read == 0

    def test_a_shared_beginning_outlives_old_tails(self) -> None:
        """The system text is part of every request, so it never is among the oldest."""
        simulator = CacheSimulator(OPENAI, capacity=50)
        system = pieces(2048)
        for number in range(100):
            tail = tuple(Piece(f"{number}.{place}", 10) for place in range(7))
            assert simulator.request(Request((*system, *tail))).read == (2048 if number else 0)

    def test_an_empty_prompt(self) -> None:
        for profile in (OPENAI, IMPLICIT, ANTHROPIC, DEEPSEEK, LLAMA):
            assert reads(profile, Request(()), Request(())) == [0, 0]


class TestExpectedRead:
    @pytest.mark.parametrize(
        ("profile", "shared", "total", "idle", "read"),
        [
            (OPENAI, 2006, 2006, 0, 1920),
            (OPENAI, 2006, 5000, 300, 1920),
            (OPENAI, 2006, 5000, 301, 0),
            (OPENAI, 1023, 5000, 0, 0),
            (ANTHROPIC, 4096, 5000, 0, 4096),
            (ANTHROPIC, 4095, 5000, 0, 0),
            (VLLM, 160, 160, 10_000, 144),
            (LLAMA, 237, 237, 10_000, 236),
            (LLAMA, 9999, 237, 0, 236),
            (find_profile("none"), 5000, 5000, 0, 0),
        ],
    )
    def test_by_profile(self, profile: Profile, shared: int, total: int, idle: float, read: int) -> None:
        assert expected_read(profile, shared, total, idle) == read

    def test_a_whole_prompt_or_nothing(self) -> None:
        assert expected_read(DEEPSEEK, 640, 1000, earlier=640) == 640
        assert expected_read(DEEPSEEK, 640, 1000, earlier=700) == 0
        assert expected_read(DEEPSEEK, 640, 1000) == 640
        assert expected_read(OPENAI, 2048, 3000, earlier=9000) == 2048

    def test_the_charge_of_it(self) -> None:
        paid = charge(ANTHROPIC, total=6000, read=5000, written=800)
        assert (paid.fresh, paid.total, paid.equivalents) == (200, 6000, 200 + 1000 + 500)

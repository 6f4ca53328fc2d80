"""The data file of rules and prices: whole, dated, sourced; profiles and models are found by name."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from slotstate.caching import Profile, find_profile, profile_names
from slotstate.errors import InputError

PROFILES = [find_profile(name) for name in profile_names()]
PAIRS = [(profile, model) for profile in PROFILES for model in profile.models]


def test_the_profiles_are_there_in_the_order_of_the_file() -> None:
    assert profile_names() == (
        "openai",
        "openai-breakpoints",
        "openai-implicit",
        "anthropic",
        "anthropic-1h",
        "deepseek",
        "gemini",
        "vllm",
        "llama.cpp",
        "none",
    )


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_profile_has_sane_numbers_a_date_and_sources(profile: Profile) -> None:
    assert profile.title
    assert "\n" not in profile.note
    assert profile.step >= 1
    assert profile.minimum >= 0
    assert profile.ttl >= 0
    assert 0 <= profile.read <= 1 <= profile.write
    assert date(2026, 1, 1) < date.fromisoformat(profile.as_of) <= date(2026, 11, 30)
    assert all(re.match(r"https://[\w.-]+/\S+$", url) for url in (profile.source, *profile.also))
    if profile.rule == "breakpoints":
        assert 0 < profile.max_breakpoints <= profile.markers
        assert profile.lookback >= 1
    else:
        assert profile.write == 1
        assert profile.max_breakpoints == profile.markers == profile.lookback == 0
        assert not profile.implicit


@pytest.mark.parametrize(("profile", "model"), PAIRS, ids=lambda part: part.name)
def test_a_model_has_a_date_a_source_and_all_of_its_prices_or_none(profile: Profile, model: object) -> None:
    known = profile.model(getattr(model, "name", ""))
    assert known is model
    assert date.fromisoformat(known.as_of) <= date(2026, 11, 30)
    assert known.source.startswith("https://")
    prices = (known.fresh, known.cached, known.output)
    assert prices == (None, None, None) or all(price is not None and price > 0 for price in prices)
    assert known.minimum is None or known.minimum >= 512
    own = profile.for_model(known.name)
    assert own.read <= 0.5
    assert own.minimum <= max(profile.minimum, 2048)


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_the_profile_is_no_less_careful_than_any_of_its_models(name: str) -> None:
    profile = find_profile(name)
    assert profile.minimum == max(profile.for_model(model).minimum for model in profile.model_names())
    assert profile.read == pytest.approx(max(profile.for_model(model).read for model in profile.model_names()))


def test_a_model_brings_its_own_numbers() -> None:
    haiku = find_profile("anthropic/claude-haiku-4-5")
    assert (haiku.name, haiku.minimum, haiku.step) == ("anthropic/claude-haiku-4-5", 4096, 1)
    fable = find_profile("anthropic").for_model("claude-fable-5-1")
    assert (fable.minimum, fable.write) == (512, 1.25)
    assert fable.read == pytest.approx(0.025)
    assert (find_profile("openai/gpt-5.5").minimum, find_profile("openai/gpt-5.5").step) == (2048, 2048)
    assert find_profile("openai/gpt-4o").read == pytest.approx(0.5)
    assert find_profile("gemini/gemini-2.5-pro").minimum == 2048
    assert find_profile("gemini/gemini-2.5-pro").read == 0.1


def test_the_hour_long_profile_differs_in_lifetime_and_price_of_writing_only() -> None:
    short, long = find_profile("anthropic"), find_profile("anthropic-1h")
    assert replace(short, name=long.name, title=long.title, ttl=3600, write=2.0) == long


def test_what_a_call_costs() -> None:
    opus = find_profile("anthropic/claude-opus-5-5")
    # 1,000 fresh at 4 + 1,000 written at 5 + 10,000 read at 0.20 + 100 out at 20, a million tokens each
    assert opus.dollars(fresh=1000, written=1000, read=10_000, output=100) == pytest.approx(0.013)
    assert find_profile("anthropic-1h/claude-opus-5-5").dollars(fresh=0, written=1000) == pytest.approx(0.008)
    assert find_profile("openai/gpt-4o").dollars(fresh=1_000_000) == pytest.approx(2.5)
    assert find_profile("anthropic").dollars(fresh=1) is None, "no model is chosen"
    assert find_profile("gemini/gemini-2.5-pro").dollars(fresh=1) is None, "its prices are not known"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("antropic", "no cache profile 'antropic'; did you mean 'anthropic'?"),
        ("xyz", "no cache profile 'xyz'; known: anthropic, anthropic-1h, "),
        (
            "anthropic/claude-opus-5.5",
            "cache profile 'anthropic' knows no model 'claude-opus-5.5'; did you mean 'claude-opus-5-5'?",
        ),
        ("vllm/qwen", "cache profile 'vllm' knows no model 'qwen': leave the model out"),
        ("openai/zzz", "cache profile 'openai' knows no model 'zzz': docs/caching.md lists its models"),
        ("claude", "no cache profile 'claude'; did you mean 'anthropic'?"),
        ("GPT", "no cache profile 'GPT'; did you mean 'openai'?"),
        ("claude-opus-5", "no cache profile 'claude-opus-5'; did you mean 'anthropic/claude-opus-5'?"),
        ("", "no cache profile ''; known: anthropic, "),
        (
            "openai/gpt-6-luna",
            "the cache profile of 'gpt-6-luna' is 'openai-breakpoints' or 'openai-implicit', not 'openai'",
        ),
        ("none/", "cache profile 'none' knows no model ''"),
    ],
)
def test_an_unknown_name_is_refused_with_near_ones(name: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        find_profile(name)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)

"""Cache profiles: what a provider's prompt cache keeps, for how long, and what it costs.

The numbers stand in `profiles.toml`, dated and each with its source; this module only reads them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from slotstate.errors import InputError, near
from slotstate.resources import data_text

Rule = Literal["prefix", "blocks", "breakpoints", "whole", "none"]
"""How a cache finds what it can reuse: see docs/caching.md."""

_DATA: Final = "caching/profiles.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What is particular to one model. Prices are US dollars for a million tokens, None where not known."""

    name: str
    minimum: int | None = None
    """Tokens that a prefix must have to be cached; None: the profile's."""
    step: int | None = None
    fresh: float | None = None
    """Input that is not in the cache; what is written costs this times the profile's `write`."""
    cached: float | None = None
    """Input read from the cache."""
    output: float | None = None
    as_of: str
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The rules of one prompt cache. Sizes are tokens, times seconds, `read` and `write` multiples of a fresh token."""

    name: str
    title: str
    rule: Rule
    minimum: int
    """Tokens that a prefix must have to be cached."""
    step: int
    """Above the minimum, this many tokens at a time are reused."""
    ttl: int
    """Seconds that an entry lives after its last use; a year where only lack of room ends it."""
    read: float
    """Price of a token read from the cache."""
    write: float
    """Price of a token written to the cache; 1 where writing costs nothing extra."""
    max_breakpoints: int = 0
    """Breakpoints that one request writes at most: the latest ones."""
    markers: int = 0
    """Breakpoints that one request may carry; those beyond `max_breakpoints` are looked up, not written."""
    lookback: int = 0
    """Ends of pieces that are looked up from a breakpoint backwards, itself the first."""
    implicit: bool = False
    """The provider sets one of the breakpoints itself, at the end of the prompt."""
    learns: bool = False
    """A beginning that two prompts have in common becomes an entry of its own."""
    remembers: int = 0
    """Requests that are remembered; 0: all within `ttl`."""
    recomputed: int = 0
    """Tokens at the end of a prompt that are computed even when all of it is cached."""
    caches_reply: bool = False
    """What the model generated is in the cache too."""
    as_of: str
    source: str
    also: tuple[str, ...] = ()
    """Further sources."""
    note: str = ""
    """What is uncertain, and what is left out."""
    models: tuple[Model, ...] = ()
    priced: Model | None = None
    """The model whose numbers these are, once `for_model` has chosen one."""

    def model(self, name: str) -> Model:
        """The model of that name. Raises InputError with a near name."""
        for known in self.models:
            if known.name == name:
                return known
        hint = near(name, self.model_names()) or ": leave the model out"
        hint = ": docs/caching.md lists its models" if hint.startswith("; known") else hint
        raise InputError(f"cache profile {self.name!r} knows no model {name!r}{hint}")

    def model_names(self) -> tuple[str, ...]:
        """The names of the models that something particular is known of."""
        return tuple(model.name for model in self.models)

    def for_model(self, name: str) -> Profile:
        """This profile with the numbers of one model. Raises InputError with a near name."""
        model = self.model(name)
        return replace(
            self,
            name=f"{self.name}/{name}",
            minimum=self.minimum if model.minimum is None else model.minimum,
            step=self.step if model.step is None else model.step,
            read=self.read if model.fresh is None or model.cached is None else model.cached / model.fresh,
            priced=model,
        )

    def dollars(self, *, fresh: int, written: int = 0, read: int = 0, output: int = 0) -> float | None:
        """What a call with so many tokens costs; None as long as no model is chosen or its prices are not known."""
        model = self.priced
        if model is None or model.fresh is None or model.cached is None or model.output is None:
            return None
        return ((fresh + written * self.write) * model.fresh + read * model.cached + output * model.output) / 1e6


@cache
def _profiles() -> Mapping[str, Profile]:
    data: dict[str, dict[str, Any]] = tomllib.loads(data_text(_DATA))
    return {name: _profile(name, data[fields.get("like", name)] | fields) for name, fields in data.items()}


def _profile(name: str, fields: dict[str, Any]) -> Profile:
    told = {key: value for key, value in fields.items() if key not in {"like", "also", "models"}}
    models = tuple(Model(**model) for model in fields.get("models", ()))
    return Profile(name=name, also=tuple(fields.get("also", ())), models=models, **told)


def profile_names() -> tuple[str, ...]:
    """The names of all profiles, as the data file has them in order."""
    return tuple(_profiles())


def _hint(name: str) -> str:
    """The profile that a name must mean: that of the model, or of the models that begin so; else a near one."""
    asked = name.lower()
    for profile in _profiles().values():
        if asked in profile.model_names():
            return f"; did you mean '{profile.name}/{asked}'?"
    for profile in _profiles().values():
        if asked and any(model.startswith(asked) for model in profile.model_names()):
            return f"; did you mean {profile.name!r}?"
    return near(name, _profiles())


def find_profile(name: str) -> Profile:
    """The profile of that name; `"anthropic/claude-haiku-4-5"` is the one with that model's own numbers.

    Raises InputError with near names.
    """
    profile, slash, model = name.partition("/")
    found = _profiles().get(profile)
    if found is None:
        raise InputError(f"no cache profile {profile!r}{_hint(profile)}")
    if not slash:
        return found
    others = [other.name for other in _profiles().values() if model in other.model_names()]
    if others and profile not in others:
        raise InputError(f"the cache profile of {model!r} is {' or '.join(map(repr, others))}, not {profile!r}")
    return found.for_model(model)

"""The profiles as tables, for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slotstate.caching.profiles import Model, Profile, find_profile, profile_names

_YEAR = 31_536_000


def as_markdown() -> str:
    """A table of the rules, the notes with their sources, and a table of models and their prices."""
    profiles = [find_profile(name) for name in profile_names()]
    rules = _table(
        ("profile", "rule", "at least", "in steps of", "kept for", "read", "write", "breakpoints", "as of"),
        (_rule_row(profile) for profile in profiles),
    )
    notes = "\n".join(f"- **`{profile.name}`**: {profile.title}. {_note(profile)}" for profile in profiles)
    models = _table(
        ("model", "of", "at least", "fresh", "cached", "output", "as of", "source", "note"),
        (
            _model_row(model, [profile for profile in profiles if model in profile.models])
            for model in dict.fromkeys(model for profile in profiles for model in profile.models)
        ),
    )
    return f"### Rules\n\n{rules}\n\n{notes}\n\n### Models\n\n{models}\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def _rule_row(profile: Profile) -> tuple[str, ...]:
    marks = f"{profile.max_breakpoints}, looking back {profile.lookback}" if profile.max_breakpoints else ""
    return (
        f"`{profile.name}`",
        profile.rule,
        f"{profile.minimum:,}",
        f"{profile.step:,}",
        _duration(profile.ttl),
        f"{profile.read:g}",
        f"{profile.write:g}",
        marks,
        profile.as_of,
    )


def _duration(seconds: int) -> str:
    if seconds >= _YEAR:
        return "until room is needed"
    return f"{seconds // 60} min" if seconds else "never"


def _note(profile: Profile) -> str:
    links = ", ".join(f"[{place}]({url})" for place, url in enumerate((profile.source, *profile.also), 1))
    return f"{profile.note} Sources: {links}."


def _model_row(model: Model, profiles: Sequence[Profile]) -> tuple[str, ...]:
    minimum = profiles[0].for_model(model.name).minimum
    prices = (f"{price:.4g}" if price is not None else "" for price in (model.fresh, model.cached, model.output))
    names = ", ".join(f"`{profile.name}`" for profile in profiles)
    return (f"`{model.name}`", names, f"{minimum:,}", *prices, model.as_of, f"[page]({model.source})", model.note)

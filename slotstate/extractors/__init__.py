"""Extractors: plug-ins that read proposed changes out of a user turn. `make_extractor` makes one from its name."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from slotstate.errors import InputError, near
from slotstate.extract import Extractor
from slotstate.plugins import find_plugin

NAMES = ("builtin", "instructor", "local", "chain", "script")
_BUILTIN = "builtin:FILE for models of your own, builtin:rules for the rules alone"


def make_extractor(name: str) -> Extractor:
    """The extractor that `name` stands for: `builtin` (rules and the models that ship; `builtin:FILE` with your own
    models, `builtin:rules` without any), `instructor:PROVIDER/MODEL`, `local[:GGUF]`, `chain:E,E` (the second is asked
    where the first is not sure), `script:FILE` or `package.module:object` (an extractor, or a callable without
    arguments that returns one).

    Raises InputError, naming what is possible, and MissingExtra.
    """
    kind, colon, rest = name.partition(":")
    match kind:
        case "builtin":
            from slotstate.extractors.builtin import BuiltinExtractor, RulesExtractor

            if colon and not rest:
                raise InputError(f"{name!r} names no models: leave the colon out, or say {_BUILTIN}")
            if rest == "rules":
                return RulesExtractor()
            if get_close_matches(rest, ["rules"]) and not Path(rest).exists():
                raise InputError(f"no file of models {rest!r}; did you mean 'builtin:rules'? ({_BUILTIN})")
            return BuiltinExtractor(rest or None)
        case "instructor":
            from slotstate.extractors.instructor import InstructorExtractor

            return InstructorExtractor(rest)
        case "local":
            from slotstate.extractors.local import LocalExtractor

            return LocalExtractor(rest or None)
        case "chain":
            from slotstate.extractors.chained import ChainedExtractor

            first, _, second = rest.partition(",")
            several = "," in second and not second.startswith("chain:") and not Path(second.partition(":")[2]).exists()
            if not first or not second or several:
                raise InputError(f"a chain names two extractors: chain:builtin,instructor:PROVIDER/MODEL, not {name!r}")
            return ChainedExtractor(make_extractor(first), make_extractor(second))
        case "script":
            from slotstate.extractors.scripted import read_script

            return read_script(rest)
        case _ if (rest and "." in kind) or (rest and kind.isidentifier()):
            needs = "extract(request) and aextract(request)"
            made: Extractor = find_plugin(name, lambda one: isinstance(one, Extractor), "extractor", needs, NAMES)
            return made
        case _:
            raise InputError(f"no extractor is called {name!r}{near(kind, NAMES)} (or name package.module:object)")

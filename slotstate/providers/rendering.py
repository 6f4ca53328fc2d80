"""Prompts out of the templates in a folder: what is rendered is data to them, never a template or a role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2 import TemplateError as JinjaError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from slotstate.errors import TemplateError
from slotstate.resources import folder


def template_folder(given: str | Path | None, bundled: str, names: Sequence[str], what: str) -> Path:
    """The folder that was given, or the bundled one of that name. Raises TemplateError where it lacks a template."""
    directory = folder("templates") / bundled if given is None else Path(given)
    for name in names:
        if not (directory / name).is_file():
            raise TemplateError(f"{directory} holds no {name}: {what} is a {' and a '.join(names)}")
    return directory


def render(directory: Path, name: str, variables: Mapping[str, Any]) -> str:
    """A template's text, outer blank lines aside. Raises TemplateError, naming file and line where known."""
    try:
        return _environment(directory).get_template(name).render(variables).strip("\n")
    except TemplateNotFound as error:
        raise TemplateError(f"{directory}: no template file {error.name!r}") from None
    except JinjaError as error:
        line = getattr(error, "lineno", None)
        raise TemplateError(f"{directory / name}{f':{line}' if line else ''}: {error.message}") from None


@lru_cache(maxsize=16)
def _environment(directory: Path) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(directory),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # the text goes to a model, not to a browser
    )

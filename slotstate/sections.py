"""Sections: a template rendered into named texts, in a sandbox. The only module of the core that knows Jinja."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import FileSystemLoader, StrictUndefined, TemplateNotFound, nodes
from jinja2 import TemplateError as JinjaError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from slotstate.errors import TemplateError
from slotstate.values import jsonable

SECTIONS: Final = ("system", "slots", "summary", "recent", "quotes")
"""The sections of a prompt, in the order in which they stand there."""


class SectionExtension(Extension):
    """`{% section "name" %} … {% endsection %}`: renders its body into the named section instead of the page."""

    tags = {"section"}  # noqa: RUF012 — Jinja declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        """Turn the tag into a call block on the collector."""
        line = next(parser.stream).lineno
        name = parser.parse_expression()
        body = parser.parse_statements(("name:endsection",), drop_needle=True)
        call = self.call_method("_collect", [nodes.ContextReference(), name])
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _collect(self, context: Any, name: str, caller: Callable[[], str]) -> str:
        sections: dict[str, str] = context["_sections"]
        if name not in SECTIONS:
            raise TemplateError(f"unknown section {name!r}: use {', '.join(SECTIONS)}")
        sections[name] = caller()
        return ""


_UNSAFE: Final = re.compile("[<\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What could close a delimiter, end a line, or turn the reading direction of what follows."""


def as_data(value: Any) -> str:
    """A value as one line of JSON that cannot close a delimiter: what could is written as an escape."""
    text = json.dumps(jsonable(value), ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@lru_cache(maxsize=32)
def _environment(directory: Path) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(directory),
        extensions=[SectionExtension],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters["data"] = as_data
    return environment


def render_sections(directory: Path, variables: Mapping[str, Any]) -> dict[str, str]:
    """The text of each section that the template has. Raises TemplateError, naming file and line where known."""
    sections: dict[str, str] = {}
    try:
        _environment(directory).get_template("prompt.jinja").render({**variables, "_sections": sections})
    except TemplateNotFound as error:
        raise TemplateError(f"{directory}: no template file {error.name!r}") from None
    except JinjaError as error:
        line = getattr(error, "lineno", None)
        where = f"{directory / 'prompt.jinja'}{f':{line}' if line else ''}"
        raise TemplateError(f"{where}: {error.message}") from None
    return {key: text.strip("\n") for key, text in sections.items()}

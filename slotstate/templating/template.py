"""A template: what the prompt's sections say, loaded once, rendered one section at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from slotstate.errors import TemplateError, near
from slotstate.templating.options import NAMES, SectionOptions
from slotstate.templating.sources import Sources, read_sources
from slotstate.tokens import Counter

if TYPE_CHECKING:
    from slotstate.templating.engine import Engine
    from slotstate.templating.listing import Listed


class Template:
    """A loaded template. With `reload` it reads its files again before each use, for the time of writing it."""

    def __init__(self, name: str, engine: Engine, *, reload: bool = False) -> None:
        self.name = name
        self._loaded = engine
        self._reload = reload

    def render(self, section: str, variables: Mapping[str, Any], *, counter: Counter | None = None) -> str:
        """One section's text, without line breaks around it; `counter` is what the filter `tokens` counts by.

        Section "recent" is empty here: its messages come as messages. Raises TemplateError, naming file, line, section
        and remedy.
        """
        engine = self.engine if self._reload else self._loaded
        if section not in engine.options:
            self._refuse(section)
        return engine.render(section, variables, counter)

    def listed(self, section: str, items: str, counter: Counter, measure: Callable[[str], int]) -> Listed | None:
        """What writes the section again and again faster than `render`, if the section is a list of the items in the
        variable `items`: for one conversation, as long as the files stay as they are. See Listed.
        """
        from slotstate.templating.listing import Listed

        listing = self.engine.listing(section)
        return Listed(listing, counter, measure) if listing is not None and listing.items == items else None

    def has(self, section: str) -> bool:
        """Whether the template has this section. Raises TemplateError for a name that no section has."""
        if section not in self.engine.options:
            _known(section)
            return False
        return True

    @property
    def options(self) -> Mapping[str, SectionOptions]:
        """What the template says about each of its sections."""
        return self.engine.options

    @property
    def fingerprint(self) -> str:
        """A digest of every file that the template can use: another one, another template."""
        return self.engine.fingerprint

    @property
    def locale(self) -> str:
        """The language of the bundled set that it is or extends, as in `en` or `zh`; `en` where it extends none."""
        return self.engine.locale

    @property
    def engine(self) -> Engine:
        """The files, parsed and compiled; read again first with `reload`. Raises TemplateError."""
        if self._reload:
            sources = read_sources(self.name)
            if sources != self._loaded.sources:
                self._loaded = _engine(sources)
        return self._loaded

    def _refuse(self, section: str) -> None:
        _known(section)
        raise TemplateError(f'template {self.name!r} has no section "{section}": add one, or ask has() first')


def _known(section: str) -> None:
    if section not in NAMES:
        raise TemplateError(f"unknown section {section!r}{near(section, NAMES)}")


def load_template(name: str, *, reload: bool = False) -> Template:
    """A bundled template by its name, or the one in a folder. It is checked now, and compiled once for as long as its
    files stay the same. With `reload` they are read again before each use.

    Raises TemplateError, naming file, line and remedy.
    """
    name = str(name)
    sources = read_sources(name)
    if reload:
        return Template(name, _engine(sources), reload=True)
    key = f"{sources.home} {name}"
    known = _LOADED.get(key)
    if known is None or known.engine.sources != sources:
        if len(_LOADED) >= _MOST_LOADED:
            _LOADED.clear()
        known = _LOADED[key] = Template(name, _engine(sources))
    return known


_LOADED: Final[dict[str, Template]] = {}
_MOST_LOADED: Final = 64


def _engine(sources: Sources) -> Engine:
    from slotstate.templating.engine import Engine  # Jinja is imported when a template is first asked for

    return Engine(sources)

"""A section that lists items, between its markers: written and counted again when some of its items have changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from slotstate.prompt.gauge import Gauge
from slotstate.prompt.scene import Scene
from slotstate.state import State
from slotstate.templating import Fixed, Template
from slotstate.tokens import Counter

if TYPE_CHECKING:
    from slotstate.templating.listing import Around, Told  # Jinja is imported when a template is first asked for


class Rows:
    """Writes the section `name` with items of a scene in the variable `items`. Where the section is a list, what has
    not changed in it is not written again; where its lines are counted apart, it is not counted again either.
    """

    def __init__(self, template: Template, name: str, items: str, scene: Scene, gauge: Gauge, counter: Counter) -> None:
        self._template = template
        self._name = name
        self._items = items
        self._scene = scene
        self._gauge = gauge
        self._counter = counter
        self._apart = gauge.in_parts
        """Whether every line so far can be counted by itself."""
        self._listed = template.listed(name, items, counter, self._tokens)
        self._framed: tuple[Around | None, int] = (None, 0)

    def block(self, state: State, items: Sequence[Fixed]) -> tuple[str, int]:
        """The section between its markers, and its tokens; "" where it says nothing. Raises TemplateError."""
        name, listed, scene = self._name, self._listed, self._scene
        found = None if listed is None else listed.parts(items, scene.question(state), lambda: scene.given(state))
        if found is None:
            text = self._rendered(state, items)
        else:
            around, told = found
            text = f"{around.before}{''.join(map(_TEXT, told))}{around.behind}".strip("\r\n")
        if not text or text.isspace():
            return "", 0
        text = f"<{name}>\n{text}\n</{name}>"
        if found is not None and self._apart:
            if self._framed[0] is not found[0]:
                self._framed = found[0], self._frame(found[0])
            if self._framed[1]:
                return text, self._framed[1] + sum(map(_TOKENS, found[1]))
        return text, self._gauge.block(text)

    def _tokens(self, line: str) -> int:
        """Tokens of a line; where they depend on what is in front of it, that is remembered instead."""
        if not self._apart:
            return 0
        self._apart = line[:1] in _STARTS and line[-1:] == "\n" and line[-2:-1] not in _ENDS
        return self._gauge.once(line)

    def _frame(self, around: Around) -> int:
        """Tokens of what stands around the lines, the markers included; 0 where they depend on these."""
        before = around.before
        if around.behind or (before and (before[-1] != "\n" or before[-2:-1] in _ENDS)):
            return 0
        return self._gauge.once(f"<{self._name}>\n{before}") + self._gauge.once(f"</{self._name}>")

    def _rendered(self, state: State, items: Sequence[Fixed]) -> str:
        if not self._template.has(self._name):
            return ""
        given = self._scene.given(state, **{self._items: items})
        return self._template.render(self._name, given, counter=self._counter)


_TEXT: Final[Callable[[Told], str]] = itemgetter(0)
_TOKENS: Final[Callable[[Told], int]] = itemgetter(3)
_STARTS: Final = ("<", "-")
_ENDS: Final = ("\n", "\r")

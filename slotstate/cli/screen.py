"""Where a person reads: a console that takes no text for markup."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console, RenderableType


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Rich would end the process here; the command line decides that."""
        raise BrokenPipeError


class Screen:
    """Standard output for people: colour and width as the terminal has them, plain text elsewhere."""

    def __init__(self) -> None:
        self._console = _Console(highlight=False, markup=False, emoji=False)

    @property
    def is_terminal(self) -> bool:
        """Whether someone is looking on."""
        return self._console.is_terminal

    def show(self, *parts: RenderableType | None) -> None:
        """Print each part, on lines of its own."""
        for part in parts:
            if part is None:
                continue
            if self._console.is_terminal:
                self._console.print(part)
                continue
            with self._console.capture() as captured:
                self._console.print(part)
            lines = [line.rstrip() for line in captured.get().split("\n")]
            self._console.file.write("\n".join(lines))
            self._console.file.flush()

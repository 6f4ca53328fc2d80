"""The extractor itself: puts prompt, response model and model together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from slotstate.domains import Domain, Domains
from slotstate.errors import InputError, near
from slotstate.events import Op
from slotstate.extract import MAX_DOMAINS_READ, Extraction, Request, nearest
from slotstate.extractors.instructor.examples import EXAMPLES, KEEN, Example
from slotstate.extractors.instructor.own_reading import OwnReader, OwnReading
from slotstate.extractors.instructor.prompting import Hint, make_prompting
from slotstate.extractors.instructor.response import Reader, Shape, response_model, shape_of
from slotstate.providers import Asker, Calls, Record, calls


@dataclass(frozen=True, slots=True)
class _Turn:
    """A request as a model is shown it, with its domains, and the built-in extractor's reading where it was read."""

    request: Request
    domains: tuple[Domain, ...]
    compiled: Domains
    shape: Shape
    own: OwnReading | None = None


class InstructorExtractor:
    """Reads changes with a language model.

    client: a provider string as `instructor.from_provider` takes it ("openai/gpt-5-mini", "anthropic/…"), or a ready
    client: instructor's, or openai's (then with `model`). mode: instructor's mode by name, where the usual one for the
    provider is not wanted. retries: how often the model is told what was wrong with its answer. deadline: seconds for
    all attempts together; the request's own counts as well. max_tokens: the longest answer, by default 1,024 (8,192 for
    models that think). extra: passed to the provider as it is (`base_url`, `api_key`, `reasoning_effort`, …). examples,
    template: in place of the bundled ones. ops: operations to be offered, by default all that the schema can use.
    grounded: whether what nobody said is left out before it is proposed: values of slots that take any, no preference
    that no words and no question speak of, values of the assistant's where the user only asks back. offers: whether the
    built-in extractor reads what the assistant's words put forward, for the user to take up now or later. checked:
    whether it also speaks against a model's changes, for small models, which fill in more than they are told: left out
    are those that its own models hold for unlikely, among them options and yes or no that no words tell, so that large
    models had better do without; words are looked up where the model misquotes them; and the bundled examples are those
    that lead a model to propose more. hints: whether the prompt names what the built-in extractor reads. max_domains:
    how many domains the prompt describes where more are loaded: those that the turn is likeliest to be about.

    What a model or a provider does wrong is in the Extraction, not raised: with what could be saved, one line that says
    what happened, and the tokens of all attempts.

    Raises InputError, MissingExtra, ExtractorError when it cannot work, as far as that shows without network.
    """

    def __init__(  # noqa: PLR0913  # options by keyword, each of use to someone
        self,
        client: Any,
        *,
        model: str | None = None,
        mode: Any = None,
        retries: int = 2,
        deadline: float | None = None,
        temperature: float | None = 0,
        max_tokens: int | None = None,
        extra: Mapping[str, Any] | None = None,
        examples: Sequence[Example] | None = None,
        template: str | Path | None = None,
        ops: Sequence[Op] | None = None,
        grounded: bool = True,
        offers: bool = True,
        hints: bool = False,
        checked: bool = False,
        max_domains: int = MAX_DOMAINS_READ,
    ) -> None:
        self._asker = Asker(
            client,
            _failed,
            model=model,
            mode=mode,
            retries=retries,
            deadline=deadline,
            temperature=temperature,
            max_tokens=max_tokens,
            extra=extra,
        )
        bundled = KEEN if checked else EXAMPLES
        self._prompting = make_prompting(template, bundled if examples is None else examples)
        self._ops = None if ops is None else _checked(ops)
        self._grounded = grounded
        self._own = OwnReader() if offers or hints or checked else None
        self._offers, self._hints, self._checked = offers, hints, checked
        self._max_domains = _counted(max_domains)

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        turn = self._shown(request)
        if self._hints or self._checked:
            turn = self._read_by_code(turn)
        return self._completed(turn, self._asker.ask(partial(self._course, turn), request.deadline))

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        import asyncio

        # To read a long message takes a while, in which others on the loop go on.
        turn = self._shown(request)
        if self._hints or self._checked:
            turn = await asyncio.to_thread(self._read_by_code, turn)
        read = await self._asker.aask(partial(self._course, turn), request.deadline)
        return await asyncio.to_thread(self._completed, turn, read)

    def close(self) -> None:
        """Close the connections of a client that was made here; a ready one is left to its owner."""
        self._asker.close()

    def _course(self, turn: _Turn, record: Record) -> Calls[Extraction]:
        """What is to be called, and who reads the answers."""
        if not turn.shape.paths:  # nothing that a user's words can fill
            return Extraction(model=record.model)
        hints = tuple(turn.own.hints()) if self._hints and turn.own is not None else ()
        model, messages = self._model(turn.shape), self._messages(turn.request, turn.domains, turn.shape, hints)
        arguments = self._asker.arguments(record, model, messages)
        checked = turn.own if self._checked else None
        reader = Reader(turn.request, turn.compiled, turn.shape, record, self._grounded, checked)
        return (yield from calls(record, reader, arguments, self._asker.dropped))

    def _completed(self, turn: _Turn, read: Extraction) -> Extraction:
        """What was read, with what the user takes up of the assistant's words."""
        if not self._offers or not turn.shape.paths:
            return read
        turn = self._read_by_code(turn)
        return read if turn.own is None else turn.own.added(read, turn.compiled)

    def _shown(self, request: Request) -> _Turn:
        """The request as the model is shown it, and its domains."""
        request = nearest(request, self._max_domains)
        domains = tuple(sorted(request.domains.values(), key=lambda domain: domain.name))
        return _Turn(request, domains, *_compiled(domains, self._ops))

    def _read_by_code(self, turn: _Turn) -> _Turn:
        """The turn with the built-in extractor's reading of it."""
        if turn.own is not None or self._own is None or not turn.shape.paths:
            return turn
        return replace(turn, own=self._own.read(turn.request))

    def _model(self, shape: Shape) -> type[BaseModel]:
        return response_model(shape)

    def _messages(
        self, request: Request, domains: tuple[Domain, ...], shape: Shape, hints: Sequence[Hint]
    ) -> list[dict[str, Any]]:
        return self._prompting.messages(request, domains, shape, hints)


def _checked(ops: Sequence[Op]) -> tuple[Op, ...]:
    """Raises InputError for what is no operation that a model can propose."""
    known = [op for op in get_args(Op) if op != "expire"]
    if isinstance(ops, str) or not ops:
        raise InputError(f"ops lists the operations that a model may propose, like ('set',), not {ops!r}")
    for op in ops:
        if op not in known:
            raise InputError(f"no operation {op!r}{near(str(op), known)}: ops are of {', '.join(known)}")
    return tuple(ops)


def _counted(most: int) -> int:
    """Raises InputError for what is no number of domains."""
    given: Any = most
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InputError(f"max_domains is a whole number from 1 on, not {most!r}")
    return most


def _failed(record: Record, line: str) -> Extraction:
    """The extraction when nothing can be read."""
    return Extraction(usage=record.usage, model=record.model, error=line)


@lru_cache(maxsize=32)
def _compiled(domains: tuple[Domain, ...], ops: tuple[Op, ...] | None) -> tuple[Domains, Shape]:
    return Domains(domains), shape_of(domains, ops)

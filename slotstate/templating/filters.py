"""Filters and tests that templates may use: ours, and those of Jinja's that can be kept within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

from jinja2 import TemplateRuntimeError, pass_context
from jinja2 import filters as theirs
from jinja2 import tests as their_tests

from slotstate.templating.bounds import CHARACTERS, SMALL, STEPS, Run, TooMuch
from slotstate.templating.escaping import as_data
from slotstate.templating.formats import FORMATS, LONGEST_LOCALE
from slotstate.templating.remembering import REMEMBERED
from slotstate.templating.sandbox import WHOLE, Rendered, RunContext, check_join, check_replace, contains, printed
from slotstate.templating.syntax import PRINTED, RENDERED
from slotstate.templating.texts import label, quote, truncate_tokens

_WRITTEN: Final = 120
"""Steps of writing one value as people of a locale do."""

Function: TypeAlias = Callable[..., Any]
Check: TypeAlias = Callable[[Run, Any, tuple[Any, ...], Mapping[str, Any]], None]


def make_filters() -> dict[str, Function]:
    """Every filter by its name."""
    made: dict[str, Function] = {name: _bounded(name, theirs.FILTERS[name], check) for name, check in _THEIRS.items()}
    made |= {name: _formatting(name, function) for name, function in FORMATS.items()}
    return made | {
        "data": _data,
        "label": _bounded("label", label, _weighs),
        "quote": _bounded("quote", quote, _weighs, with_run=True),
        "string": _bounded("string", _string, _weighs),
        "sum": _bounded("sum", _sum, _weighs),
        "tokens": _bounded("tokens", _tokens, _counts, with_run=True),
        "truncate_tokens": _bounded("truncate_tokens", truncate_tokens, _counts, with_run=True),
        "tojson": _data,
        RENDERED: _bounded(RENDERED, Rendered, _touches),
        PRINTED: printed,
        WHOLE: str,  # marks, for the compiler
        REMEMBERED: str,
    }


def make_tests() -> dict[str, Function]:
    """Every test by its name."""
    known: Mapping[str, Any] = their_tests.TESTS
    made: dict[str, Function] = {name: known[name] for name in _PLAIN_TESTS}
    return made | {name: _comparing(known[name]) for name in _COMPARING_TESTS} | {"in": _is_in}


@pass_context
def _data(context: RunContext, value: Any) -> str:
    run = context.run
    if type(value) is not str:
        run.weigh(value)
        text = as_data(value)
    else:
        text = encode_basestring(value)
        if not value.isascii() or "<" in text or "\x7f" in text:
            text = as_data(value)
    size = len(text)  # from here on as Run.read has it: this is called for each value that is printed
    run.left -= 1 + (size >> 3)
    if run.left < 0 or size > CHARACTERS:
        run.room(size)
    return Rendered(text)  # in which nothing is left to escape


def _bounded(name: str, function: Any, check: Check, *, with_run: bool = False) -> Function:
    """The filter within bounds: reading and making paid for, small numbers as arguments for those of Jinja's."""
    most = CHARACTERS if with_run else SMALL
    needs = getattr(getattr(function, "jinja_pass_arg", None), "name", None)

    @pass_context
    def bounded(context: RunContext, value: Any, *args: Any, **kwargs: Any) -> Any:
        run = context.run
        if args or kwargs:
            _read(run, (*args, *kwargs.values()), most)
        check(run, value, args, kwargs)
        if with_run:
            given = run, value, *args
        else:
            given = (value, *args) if needs is None else (_lead(needs, context), value, *args)
        try:
            return run.own(function(*given, **kwargs))
        except TypeError as error:
            raise _misused(name, function, len(given) - len(args), given, kwargs) or error from None

    return bounded


def _misused(
    name: str, function: Function, own: int, given: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> TemplateRuntimeError | None:
    """What to say where a filter does not take these arguments; `own` come before those of the template."""
    known = signature(function)
    try:
        known.bind(*given, **kwargs)
    except TypeError:
        takes = ", ".join(list(known.parameters)[own:])
        what = f"takes {takes}: give it these" if takes else "takes no arguments: leave them out"
        return TemplateRuntimeError(f"filter {name!r} {what}")
    return None


def _lead(needs: str, context: RunContext) -> Any:
    """What a filter of Jinja's wants in front of its value."""
    if needs == "context":
        return context
    return context.eval_ctx if needs == "eval_context" else context.environment


def _read(run: Run, arguments: Iterable[Any], most: int) -> None:
    """Pay for the arguments. Raises TooMuch for a whole number above `most`: widths and counts make texts long."""
    for one in arguments:
        run.weigh(one)
        if isinstance(one, int) and abs(one) > most:
            raise TooMuch(f"a filter's argument above {most:,}: use a smaller number")


def _formatting(name: str, function: Function) -> Function:
    """A filter that writes a value by locale: the conversation's unless the filter names another one."""

    @pass_context
    def formatted(context: RunContext, value: Any, *args: Any, **kwargs: Any) -> str:
        run = context.run
        run.spend(_WRITTEN * _items(value))
        for one in (value, *args, *kwargs.values()):
            run.weigh(one)
        given = context.get("locale")
        options = {"locale": given if isinstance(given, str) else run.locale, **kwargs}
        run.speak(str(options["locale"])[:LONGEST_LOCALE])
        try:
            written: str = function(value, *args, **options)
        except TypeError as error:
            raise _misused(name, function, 1, (value, *args), options) or error from None
        return written

    return formatted


def _items(value: Any) -> int:
    """How many values a list holds, lists in it as well."""
    if not isinstance(value, list):
        return 1
    found, waiting = 1, [value]
    while waiting and found * _WRITTEN <= STEPS:
        for one in waiting.pop():
            found += 1
            if isinstance(one, list):
                waiting.append(one)
    return found


def _comparing(function: Function) -> Function:
    @pass_context
    def bounded(context: RunContext, value: Any, other: Any) -> Any:
        context.run.weigh(value)
        context.run.weigh(other)
        return function(value, other)

    return bounded


@pass_context
def _is_in(context: RunContext, item: Any, items: Any) -> bool:
    return contains(context.run, item, items)


# What is paid before a filter runs


def _touches(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.touch(value)


def _weighs(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)


def _looks_up(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Each part of an attribute's name is looked up in each item."""
    run.touch(value)
    names = [one for one in (*args, *kwargs.values()) if isinstance(one, str)]
    run.look_up(value, sum(1 + one.count(".") + one.count(",") for one in names))


def _orders(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Sorting compares each item several times, or the parts of it that an attribute names."""
    _looks_up(run, value, args, kwargs)
    named = kwargs.get("attribute", args[0] if args else None)
    parts = value
    if isinstance(named, str) and isinstance(value, list | tuple):
        firsts = {name.partition(".")[0] for name in named.split(",")}
        parts = [one.get(first) if isinstance(one, dict) else one for one in value for first in firsts]
    for _ in range(4):
        run.weigh(parts)


def _joins(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    _looks_up(run, value, args[1:], {key: one for key, one in kwargs.items() if key != "d"})
    run.weigh(value)
    check_join(run, args[0] if args else kwargs.get("d", ""), value)


def _replaces(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)
    old, new = [*args, kwargs.get("old"), kwargs.get("new")][:2]
    check_replace(run, str(value), str(old), str(new))


def _indents(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)
    width = args[0] if args else kwargs.get("width", 4)
    size = width if isinstance(width, int) else len(str(width))
    run.room(len(str(value)) + size * (str(value).count("\n") + 1))


def _rounds(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if any(isinstance(one, int) and abs(one) > 12 for one in (*args, *kwargs.values())):
        raise TooMuch("round() to more than 12 places: use fewer")


def _trims(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)
    for one in (*args, *kwargs.values()):
        run.spend(len(str(value)) * len(str(one)) >> 8)


def _counts(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Counting tokens reads a text several times."""
    run.weigh(value)
    run.spend(200 + (len(value) if isinstance(value, str) else 0))


def _string(value: Any) -> str:
    return str(value)


def _sum(values: Any, start: Any = 0) -> Any:
    numbers = [value for value in values if isinstance(value, int | float)]
    return sum(numbers, start if isinstance(start, int | float) else 0)


def _tokens(run: Run, value: Any) -> int:
    return run.counter.count(value if isinstance(value, str) else as_data(value))


_THEIRS: Final[Mapping[str, Check]] = {
    "abs": _touches,
    "batch": _touches,
    "capitalize": _weighs,
    "count": _touches,
    "d": _touches,
    "default": _touches,
    "dictsort": _orders,
    "first": _touches,
    "float": _touches,
    "groupby": _orders,
    "indent": _indents,
    "int": _touches,
    "items": _touches,
    "join": _joins,
    "last": _touches,
    "length": _touches,
    "list": _touches,
    "lower": _weighs,
    "map": _looks_up,
    "max": _orders,
    "min": _orders,
    "reject": _looks_up,
    "rejectattr": _looks_up,
    "replace": _replaces,
    "reverse": _touches,
    "round": _rounds,
    "select": _looks_up,
    "selectattr": _looks_up,
    "sort": _orders,
    "title": _weighs,
    "trim": _trims,
    "truncate": _weighs,
    "unique": _orders,
    "upper": _weighs,
    "wordcount": _weighs,
}
"""Jinja's filters that can be used, and what each is paid for."""
_PLAIN_TESTS: Final = (
    "boolean defined divisibleby even false float integer iterable lower mapping none number odd sameas sequence "
    "string true undefined upper".split()
)
_COMPARING_TESTS: Final = "== != < <= > >= eq equalto ge greaterthan gt le lessthan lt ne".split()

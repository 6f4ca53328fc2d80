"""Filters and tests that templates may use: ours, and those of Jinja's that can be kept within bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from jinja2 import filters as theirs
from jinja2 import pass_context
from jinja2 import tests as their_tests
from jinja2.runtime import Context, Undefined

from slotstate.templating import formats
from slotstate.templating.bounds import SMALL, Run, TooMuch, search_cost
from slotstate.templating.escaping import as_data
from slotstate.templating.sandbox import Rendered, check_join, check_replace, contains, run_of
from slotstate.templating.syntax import RENDERED
from slotstate.templating.texts import label, quote, truncate_tokens

Function = Callable[..., Any]
Check = Callable[[Run, Any, tuple[Any, ...], Mapping[str, Any]], None]


def make_filters() -> dict[str, Function]:
    """Every filter by its name."""
    made: dict[str, Function] = {name: _plain(theirs.FILTERS[name]) for name in _SHALLOW}
    made |= {name: _plain(theirs.FILTERS[name], with_=lambda c: c.environment) for name in _BY_ENVIRONMENT}
    made |= {name: _plain(theirs.FILTERS[name], with_=lambda c: c) for name in _BY_CONTEXT}
    made |= {name: _plain(theirs.FILTERS[name], with_=lambda c: c.environment, check=_orders) for name in _ORDERING}
    made |= {
        "count": _plain(len),
        "d": _plain(theirs.do_default),
        "data": _plain(as_data, check=_weighs),
        "dictsort": _plain(theirs.do_dictsort, check=_orders),
        "indent": _plain(theirs.do_indent, check=_indents),
        "join": _plain(theirs.do_join, with_=lambda c: c.eval_ctx, check=_joins),
        "length": _plain(len),
        "replace": _plain(theirs.do_replace, with_=lambda c: c.eval_ctx, check=_replaces),
        "round": _plain(theirs.do_round, check=_rounds),
        "string": _plain(str, check=_weighs),
        "sum": _plain(_sum, check=_weighs),
        "trim": _plain(theirs.do_trim, check=_trims),
        RENDERED: _plain(Rendered),
        "label": _plain(label),
        "quote": _plain(quote, with_=run_of),
        "tokens": _plain(_tokens, with_=run_of, check=_counts),
        "truncate_tokens": _plain(truncate_tokens, with_=run_of, check=_counts),
    }
    for name in formats.FORMATS:
        made[name] = _format(name)
    return made


def make_tests() -> dict[str, Function]:
    """Every test by its name."""
    made = {name: their_tests.TESTS[name] for name in _PLAIN_TESTS}
    made |= {name: _compares(their_tests.TESTS[name]) for name in _COMPARING_TESTS}
    made["in"] = pass_context(lambda context, item, items: contains(run_of(context), item, items))
    return made


_SHALLOW: Final = (
    "abs batch capitalize default float int items list lower reverse title truncate upper wordcount".split()
)
_SHALLOW.remove("truncate")
_BY_ENVIRONMENT: Final = ("first", "truncate")
_BY_CONTEXT: Final = ("map", "select", "reject", "selectattr", "rejectattr")
_ORDERING: Final = ("groupby", "max", "min", "sort", "unique")
_PLAIN_TESTS: Final = (
    "boolean defined divisibleby even false float integer iterable lower mapping none number odd sameas sequence "
    "string true undefined upper".split()
)
_COMPARING_TESTS: Final = "== != < <= > >= eq equalto ge greaterthan gt le lessthan lt ne".split()


def _plain(
    function: Function, *, with_: Callable[[Context], Any] | None = None, check: Check | None = None
) -> Function:
    """The filter within bounds: small numbers as arguments, reading and making paid for."""

    @pass_context
    def bounded(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        run = run_of(context)
        run.touch(value)
        for one in (*args, *kwargs.values()):
            run.touch(one)
            if isinstance(one, int) and abs(one) > SMALL:
                raise TooMuch(f"an argument above {SMALL:,}: use a smaller number")
        if check is not None:
            check(run, value, args, kwargs)
        lead = () if with_ is None else (with_(context),)
        return run.own(function(*lead, value, *args, **kwargs))

    return bounded


def _format(name: str) -> Function:
    """A filter that writes a value by locale: the template's unless the filter names another one."""
    function = formats.FORMATS[name]

    @pass_context
    def formatted(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        run = run_of(context)
        if isinstance(value, Undefined):
            str(value)  # raises
        run.weigh(value)
        run.spend(300)
        given = context.get("locale")
        return function(value, *args, **{"locale": given if isinstance(given, str) else run.locale, **kwargs})

    return formatted


def _compares(function: Function) -> Function:
    @pass_context
    def bounded(context: Context, value: Any, other: Any) -> Any:
        run = run_of(context)
        run.weigh(value)
        run.weigh(other)
        return function(value, other)

    return bounded


def _weighs(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)


def _orders(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Sorting compares each item several times."""
    if isinstance(value, list | tuple | dict):
        for _ in range(4):
            run.weigh(value) if not args and "attribute" not in kwargs else run.spend(8 * len(value))


def _joins(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)
    check_join(run, args[0] if args else kwargs.get("d", ""), value)


def _replaces(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    run.weigh(value)
    old, new = [*args, kwargs.get("old"), kwargs.get("new")][:2]
    check_replace(run, str(value), old, new)


def _indents(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    width = args[0] if args else kwargs.get("width", 4)
    size = len(width) if isinstance(width, str) else int(width)
    run.room(len(str(value)) + size * (str(value).count("\n") + 1))


def _rounds(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if any(isinstance(one, int) and abs(one) > 12 for one in (*args, *kwargs.values())):
        raise TooMuch("round() to more than 12 places: use fewer")


def _trims(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    for one in (*args, *kwargs.values()):
        run.spend(len(str(value)) * len(str(one)) >> 8)


def _counts(run: Run, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Counting tokens reads a text several times."""
    run.weigh(value)
    run.spend(200 + (len(value) if isinstance(value, str) else 0))


def _sum(values: Any, start: Any = 0) -> Any:
    numbers = [value for value in values if isinstance(value, int | float)]
    return sum(numbers, start if isinstance(start, int | float) else 0)


def _tokens(run: Run, value: Any) -> int:
    return run.counter.count(value if isinstance(value, str) else as_data(value))


__all__ = ["make_filters", "make_tests", "search_cost"]

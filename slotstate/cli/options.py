"""What the commands that track a conversation have in common: their options, and the tracker made from them."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

from slotstate.caching import find_profile, profile_names
from slotstate.chat import Chat
from slotstate.compact import EXTRACTIVE, Summariser
from slotstate.compacting import Compaction
from slotstate.counters import make_counter
from slotstate.domains import Domain
from slotstate.errors import InputError, SlotstateError
from slotstate.extract import Extractor
from slotstate.extractors import make_extractor
from slotstate.loading import importable, load_domains
from slotstate.log import DEFAULT_TENANT, Store
from slotstate.masking import Secrets
from slotstate.prompt import Budget
from slotstate.summarisers import make_summariser
from slotstate.tracker import Tracker, zone_of

T = TypeVar("T")
SCHEMA_HELP: Final = """\
schema S:     travel, support, restaurant (bundled), a .py, .yaml or .json file, FILE.py:Class, or package.module:Class
extractor E:  builtin, builtin:FILE (models of your own), builtin:rules (no models), instructor:PROVIDER/MODEL,
              local[:GGUF], chain:E,E (the second where the first is not sure), script:FILE, or package.module:object"""


PROFILES: Final = f"{', '.join(profile_names())}, or one with a model of it, as anthropic/claude-haiku-4-5"
"""What a cache profile can be called, for help texts."""


def add_tracker_options(parser: argparse.ArgumentParser, *, later: str = "a second") -> None:
    """--schema, --extractor, --template, --locale, --now, --timezone, --store, --tenant, --session, --reveal, --mask.
    `later` is the time between two messages, in words.
    """
    parser.add_argument("--schema", metavar="S", action="append", required=True, help="what to track; may be repeated")
    parser.add_argument(
        "--extractor", metavar="E", default="builtin", help="what reads the user's turns (default: builtin)"
    )
    parser.add_argument(
        "--template", metavar="DIR", default="default", help="the prompt's template (default: the bundled one)"
    )
    parser.add_argument(
        "--locale", metavar="L", help="how the prompt writes dates and money: en, zh (default: as the template says)"
    )
    parser.add_argument(
        "--now",
        metavar="T",
        help="the time of the first message, as 2025-03-03T09:00, in --timezone unless it has an offset; each "
        f"message is {later} later (default: the system's clock)",
    )
    parser.add_argument("--timezone", metavar="Z", default="UTC", help="the user's IANA time zone (default: UTC)")
    parser.add_argument(
        "--store",
        metavar="URL",
        default="memory://",
        help="where to keep the log: sqlite:///FILE.db or postgresql://USER@HOST/DATABASE",
    )
    add_tenant_option(parser)
    parser.add_argument(
        "--session",
        metavar="ID",
        help="the conversation's name in the store (default: the transcript's file name without its ending, or stdin; "
        "of chat: chat)",
    )
    add_masking_options(parser)


def add_tenant_option(parser: argparse.ArgumentParser) -> None:
    """--tenant."""
    parser.add_argument(
        "--tenant",
        metavar="T",
        default=DEFAULT_TENANT,
        help=f"whose data it is, in a store that several share (default: {DEFAULT_TENANT})",
    )


def add_user_option(parser: argparse.ArgumentParser) -> None:
    """--user."""
    parser.add_argument(
        "--user", metavar="U", help="whose conversation it is, for `slotstate forget` and `slotstate export`"
    )


def add_masking_options(parser: argparse.ArgumentParser) -> None:
    """--reveal and --mask."""
    parser.add_argument(
        "--reveal", action="store_true", help="show the values of sensitive slots instead of masking them"
    )
    parser.add_argument(
        "--mask",
        metavar="PATTERN",
        action="append",
        default=[],
        help=r"a regular expression of what is masked wherever it stands, as \b\d{16}\b; may be repeated",
    )


def add_summariser_option(parser: argparse.ArgumentParser) -> None:
    """--summariser."""
    parser.add_argument(
        "--summariser",
        metavar="NAME",
        default="extractive",
        help="what summarises the turns that leave the prompt: extractive, instructor:PROVIDER/MODEL, local[:GGUF] or "
        "package.module:object (default: extractive, which needs no model)",
    )


def add_budget_options(parser: argparse.ArgumentParser, *, cache: bool = True) -> None:
    """--budget, --reply, --counter, --tools and, for `cache`, --profile and --layout."""
    parser.add_argument("--budget", metavar="N", type=_tokens, help="the prompt's limit in tokens (default: none)")
    parser.add_argument(
        "--reply", metavar="N", type=_tokens, default=0, help="tokens of it to keep free for the reply (default: 0)"
    )
    parser.add_argument(
        "--counter",
        metavar="C",
        default="estimate",
        help="what counts tokens: estimate, o200k_base, cl100k_base, a model of OpenAI, or hf:PATH (default: estimate)",
    )
    parser.add_argument(
        "--tools", metavar="FILE", help="a JSON list of the tools' schemas as they are sent: their tokens count too"
    )
    if not cache:
        return
    parser.add_argument(
        "--profile",
        metavar="P",
        default="openai",
        help=f"whose cache rules: {PROFILES} (default: openai)",
    )
    parser.add_argument(
        "--layout",
        choices=("quotes_last", "append_only"),
        default="quotes_last",
        help="where quotes stand: at the end, or where they were when the epoch began (default: quotes_last)",
    )


def make_budget(arguments: argparse.Namespace) -> Budget:
    """The budget that the options describe. Raises InputError, MissingExtra."""
    given = {name: getattr(arguments, name) for name in ("profile", "layout") if hasattr(arguments, name)}
    tools = read_tools(arguments.tools) if arguments.tools is not None else ()
    budget = Budget(
        arguments.budget, reply=arguments.reply, tools=tools, counter=make_counter(arguments.counter), **given
    )
    find_profile(budget.profile)
    return budget


def read_tools(source: str) -> list[dict[str, Any]]:
    """The schemas of tools in a JSON file: a list of them, or an object with `tools`. Raises InputError."""
    try:
        found = json.loads(Path(source).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the tools in {source}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"the tools in {source} are not JSON") from None
    tools: Any = found.get("tools") if isinstance(found, dict) else found
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise InputError(f'{source} must hold the tools\' schemas: a JSON list, or an object with them as "tools"')
    return tools


def _tokens(text: str) -> int:
    if not text.strip().isdecimal() or int(text) > 100_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens")
    return int(text)


class SteppedClock:
    """A clock that stands still until it is told that the next message has come, `step` seconds after the last one."""

    def __init__(self, start: datetime, step: float = 1.0) -> None:
        self._start = start.astimezone(UTC)
        self._step = step
        self._now = self._start

    def __call__(self) -> datetime:
        return self._now

    def at_message(self, index: int) -> None:
        """It is now so many steps after the start."""
        self.at(self._start + timedelta(seconds=index * self._step))

    def at(self, now: datetime) -> None:
        """It is now that time."""
        self._now = now


class SystemClock:
    """The system's clock."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)

    def at_message(self, index: int) -> None:
        """Time passes by itself."""


def make_clock(now: str | None, timezone: str) -> SteppedClock | SystemClock:
    """The clock that --now asks for. Raises InputError."""
    zone_of(timezone)
    return SystemClock() if now is None else SteppedClock(start_time(now, timezone))


def start_time(now: str, timezone: str) -> datetime:
    """The time that --now names. Raises InputError."""
    try:
        start = datetime.fromisoformat(now.strip())
    except ValueError:
        raise InputError(f"--now {now!r} is no ISO time: write it as 2025-03-03T09:00") from None
    if not 1900 <= start.year <= 2200:
        raise InputError(f"--now {now!r}: the year must lie between 1900 and 2200")
    return start if start.tzinfo is not None else start.replace(tzinfo=zone_of(timezone))


def make_tracker(arguments: argparse.Namespace, clock: Callable[[], datetime], store: Store | None = None) -> Tracker:
    """The tracker that the options describe, on a store that is open already, where one is. Raises SlotstateError."""
    if arguments.session is not None and arguments.store == "memory://":
        raise InputError("--session names a conversation in a store: add --store sqlite:///FILE.db, or leave it out")
    if getattr(arguments, "user", None) is not None and arguments.store == "memory://":
        raise InputError("--user says whose a stored conversation is: add --store sqlite:///FILE.db, or leave it out")
    domains: list[Domain] = [domain for name in arguments.schema for domain in load_domains(name)]
    return Tracker(
        domains,
        extractor=load_extractor(arguments.extractor),
        store=arguments.store if store is None else store,
        template=arguments.template,
        locale=_locale(arguments.locale),
        budget=make_budget(arguments),
        clock=clock,
        timezone=arguments.timezone,
        compaction=Compaction(summariser=_loaded(getattr(arguments, "summariser", EXTRACTIVE))),
        masks=arguments.mask,
        tenant=arguments.tenant,
    )


def make_secrets(tracker: Tracker, chat: Chat, *, reveal: bool) -> Secrets:
    """What of a conversation is not shown."""
    return Secrets(chat.domains, chat.entries, now=tracker.now(), reveal=reveal, masks=tracker.masks)


def _locale(name: str | None) -> str | None:
    """The locale that --locale names. Raises InputError."""
    if name is None:
        return None
    from babel import Locale, UnknownLocaleError  # heavy, and seldom asked for

    try:
        Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        raise InputError(f"no locale {name!r}: name a language as en, zh or pt_BR") from None
    return name


@contextlib.contextmanager
def clean_output() -> Iterator[TextIO]:
    """Standard output for the one object that is asked for: what schemas and extractors print goes elsewhere."""
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        yield out


def set_up_streams(*, utf8_out: bool) -> None:
    """Standard input is UTF-8, output too where asked; no character that cannot be read or shown ends a run."""
    _reconfigure(sys.stdin, "utf-8", "replace")
    _reconfigure(sys.stdout, "utf-8" if utf8_out else None, "replace")
    _reconfigure(sys.stderr, None, "backslashreplace")


def _reconfigure(stream: TextIO, encoding: str | None, errors: str) -> None:
    reconfigure = getattr(stream, "reconfigure", None)  # a stream put in place by a test may not have it
    if reconfigure is not None:
        reconfigure(encoding=encoding, errors=errors)


def load_extractor(name: str) -> Extractor:
    """The extractor that --extractor names; modules in the current folder can be named. Raises SlotstateError."""
    return _plugin(name, "extractor", make_extractor)


def _loaded(name: str) -> Summariser | str:
    """The summariser that --summariser names. Raises SlotstateError."""
    return name if name == EXTRACTIVE else _plugin(name, "summariser", make_summariser)


def _plugin(name: str, kind: str, make: Callable[[str], T]) -> T:
    try:
        with importable(Path.cwd()):
            return make(name)
    except SlotstateError:
        raise
    except Exception as error:  # someone else's module may raise anything
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{kind} {name!r} cannot be made: {type(error).__name__}: {reason}") from None

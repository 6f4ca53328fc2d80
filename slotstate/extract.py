"""Extraction: what an extractor is shown and what it gives back. Extractors propose; they decide nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Protocol, cast, get_args, runtime_checkable

from slotstate.domains import Domain, Domains
from slotstate.events import Offer, Op, Usage
from slotstate.messages import is_writable, storable
from slotstate.relevance import relevance
from slotstate.slots import UNSET
from slotstate.state import Heard, State

MAX_USER_CHARS: Final = 8_000
"""Characters of a user turn that an extractor sees; of a longer one, the first and last half of this."""
MAX_ASSISTANT_CHARS: Final = 4_000
MAX_OFFERS_SHOWN: Final = 24
MAX_DOMAINS_SHOWN: Final = 64
MAX_DOMAINS_READ: Final = 12
"""So many of them extractors read unless told otherwise: a prompt with more is long, and values go astray."""
MANY: Final = 6
"""Up to so many domains their order hardly matters: what texts speak of is not looked at."""
FRESH: Final = 3
"""How many of the domains that changed last stand before those that the turn speaks of."""
SPOKEN_OF: Final = 1.0
"""The relevance from which on a turn speaks of a domain: a word of what a slot is called or holds, shared by none."""
MAX_SUGGESTIONS: Final = 24
"""What an extractor may read in one assistant turn; more is left out."""
CUT: Final = "\n[…]\n"


@dataclass(frozen=True, slots=True)
class Change:
    """One proposed change: `op` on `path` (`domain.slot[.field]`), its value, and the user's own words for it.

    `value` is UNSET where the op takes none, DONTCARE for no preference; None is never a value. `confidence` is the
    extractor's own estimate, from 0 to 1, that the change is right; decisions do not look at it.
    """

    op: Op
    path: str
    value: Any = UNSET
    quote: str | None = None
    confidence: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What an extractor sees of a conversation, bounded: texts over their cap are cut in the middle (`cut` says so).

    `domains` are the active domains, those that matter most first (`shown_domains` says how); `state` covers all.
    `asked` are the slots that the assistant's last turn asks for, stated or inferred. `now` is aware, in `timezone`.
    `deadline` is seconds for the whole extraction, None for no limit. `earlier` are the assistant's turns before its
    last one, oldest first.
    """

    domains: Mapping[str, Domain]
    state: State
    offers: tuple[Offer, ...]
    assistant: str
    user: str
    now: datetime
    timezone: str
    asked: tuple[str, ...] = ()
    deadline: float | None = None
    cut: bool = False
    turn: int = 0
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A value that the assistant's last turn put forward for a slot, as an extractor reads that turn's words."""

    path: str
    value: Any


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found. `error` says why changes may be missing: with changes the extraction is partial, without
    any it failed. `usage` counts the tokens of all attempts. `confidence` is the extractor's own estimate, from 0 to 1,
    that nothing of the turn is missing or wrong: a chained extractor asks the next one where it is low. `suggestions`
    are values in the assistant's last turn: those that the user neither took up nor refused stay open as offers, so
    that a later "fine, that one" can take them up. Only values that stand in that turn's words count.
    """

    changes: tuple[Change, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    error: str | None = None
    confidence: float | None = None
    suggestions: tuple[Suggestion, ...] = ()


@runtime_checkable
class Extractor(Protocol):
    """Reads changes out of a user turn. May raise: the turn is kept, and read again when its message comes again."""

    def extract(self, request: Request) -> Extraction:
        """The changes that the user's turn asks for."""
        ...

    async def aextract(self, request: Request) -> Extraction:
        """The same, for callers on an event loop."""
        ...


def checked(given: object) -> Extraction:
    """What an extractor gave back, made safe: what is no change is left out, and the error says so.

    Plug-ins are other people's code, and may return anything.
    """
    if not isinstance(given, Extraction):
        return Extraction(error=f"the extractor returned {type(given).__name__}, not an Extraction")
    told: object = given.error
    error = told if told is None or isinstance(told, str) else "the extractor's error is no text"
    try:
        proposed = list(given.changes)
    except Exception as problem:  # not even a collection, or one that fails on the way
        return Extraction(error=f"the extractor's changes cannot be read ({type(problem).__name__})")
    good = [change for change in proposed if _is_change(change)]
    bad = len(proposed) - len(good)
    if bad:
        note = f"{bad} of {len(proposed)} changes were left out: a change needs an op of {', '.join(get_args(Op))}, "
        error = f"{error}; {note}" if error else note + "a path, and its quote as text"
    usage: object = given.usage
    model: object = given.model
    return Extraction(
        tuple(good),
        usage if isinstance(usage, Usage) and is_writable(usage.model_dump()) else None,
        storable(model) if isinstance(model, str) else None,
        error,
        given.confidence if isinstance(given.confidence, float) else None,
        _suggestions(given.suggestions),
    )


def _suggestions(given: object) -> tuple[Suggestion, ...]:
    """What is a suggestion among what an extractor calls so; their values may be anything, `decide` judges them."""
    if not isinstance(given, tuple):
        return ()
    found = cast(tuple[object, ...], given)
    named = [one for one in found if isinstance(one, Suggestion) and isinstance(cast(object, one.path), str)]
    return tuple(named[:MAX_SUGGESTIONS])


def _is_change(given: object) -> bool:
    """Whether it is a change by all its types; its value may be anything, `decide` judges that."""
    if not isinstance(given, Change):
        return False
    op, path, quote = cast(tuple[object, object, object], (given.op, given.path, given.quote))
    named = isinstance(op, str) and op in get_args(Op) and isinstance(path, str)
    return named and (quote is None or isinstance(quote, str))


def touches(change: Change, paths: Collection[str]) -> bool:
    """Whether one of the paths is the change's, goes into it, or holds it."""
    return any(
        path == change.path or path.startswith(f"{change.path}.") or change.path.startswith(f"{path}.")
        for path in paths
    )


def cut_middle(text: str, limit: int) -> tuple[str, bool]:
    """`text` within `limit` characters, its middle left out where it is longer, and whether that was so."""
    if len(text) <= limit:
        return text, False
    half = (limit - len(CUT)) // 2
    return text[:half] + CUT + text[-half:], True


def shown_domains(
    domains: Domains, state: State, asked: tuple[str, ...], only: Collection[str] = (), texts: Sequence[str] = ()
) -> Mapping[str, Domain]:
    """The domains that an extractor is shown, none but `only` where that names any. First those just asked about, then
    the few that changed or were offered something last, then those that `texts` speak of, then the others: most recent
    first, in the order of declaration where nothing speaks.
    """
    able = [name for name in domains if not only or name in only]
    asking = {path.partition(".")[0] for path in asked}
    recent = _recency(able, state)
    fresh = set(sorted((name for name in able if recent[name] >= 0), key=recent.__getitem__, reverse=True)[:FRESH])
    said = dict.fromkeys(able, 0.0)
    if len(able) > MANY:
        said = dict(zip(able, relevance(tuple(domains[name] for name in able), *texts), strict=True))

    def rank(name: str) -> tuple[bool, bool, float, int]:
        return name in asking, name in fresh, said[name] if said[name] >= SPOKEN_OF else 0.0, recent[name]

    order = sorted(able, key=rank, reverse=True)
    return {name: domains[name] for name in order[:MAX_DOMAINS_SHOWN]}


def _recency(names: Collection[str], state: State) -> dict[str, int]:
    """For each domain the turn of its last change or offer, -1 where there was none."""
    found = dict.fromkeys(names, -1)
    for path, slot in state.slots.items():
        name = path.partition(".")[0]
        if name in found:
            found[name] = max(found[name], slot.changed, *(offer.turn for offer in slot.offers))
    return found


def narrowed(request: Request, names: Collection[str]) -> Request:
    """The request with only some of its domains and the offers for them; as it is where it would have none."""
    domains = {name: domain for name, domain in request.domains.items() if name in names}
    if not domains or len(domains) == len(request.domains):
        return request
    offers = tuple(offer for offer in request.offers if offer.path.partition(".")[0] in domains)
    return replace(request, domains=domains, offers=offers)


def nearest(request: Request, most: int = MAX_DOMAINS_READ) -> Request:
    """The request with at most so many domains, those that matter most."""
    return narrowed(request, list(request.domains)[:most])


def make_request(
    domains: Domains,
    state: State,
    heard: Heard | None,
    text: str,
    *,
    now: datetime,
    timezone: str,
    asked: tuple[str, ...],
    deadline: float | None,
    turn: int,
    only: Collection[str] = (),
) -> Request:
    """The bounded request for one user turn. `only` names the domains that it is about, where the caller knows."""
    user, user_cut = cut_middle(text, MAX_USER_CHARS)
    assistant, assistant_cut = cut_middle(heard.text if heard else "", MAX_ASSISTANT_CHARS)
    offers = [offer for slot in state.slots.values() for offer in slot.offers]
    offers.sort(key=lambda offer: offer.turn)
    return Request(
        domains=shown_domains(domains, state, asked, only, (user, assistant)),
        state=state,
        offers=tuple(offers[-MAX_OFFERS_SHOWN:]),
        assistant=assistant,
        user=user,
        now=now,
        timezone=timezone,
        asked=asked,
        deadline=deadline,
        cut=user_cut or assistant_cut,
        turn=turn,
        earlier=state.earlier,
    )

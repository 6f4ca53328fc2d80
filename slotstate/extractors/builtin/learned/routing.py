"""Which of many domains a turn may be about: only their slots are weighed."""

from __future__ import annotations

from typing import Final

from slotstate.extract import Request, narrowed
from slotstate.extractors.builtin.learned.lefts import numbers
from slotstate.extractors.builtin.learned.linear import Side
from slotstate.extractors.builtin.learned.looking import domains_side, with_acts
from slotstate.extractors.builtin.learned.models import Models
from slotstate.extractors.builtin.learned.nearness import topical

MOST: Final = 6
"""Domains that are weighed: more cost time, and their slots take values that are not meant for them."""
FIRST: Final = 3
"""So many of them are those that stand first in the request: asked about, changed last, or spoken of by their words."""
TOPIC: Final = 1.5
"""What a word for what a domain is about adds to the logit that the turn is about it."""

HEARD: Final = 1.0
"""What the same adds in the assistant's turn."""
USED: Final = 3.0
"""What it adds that slots of the domain hold something."""


def routed(request: Request, models: Models) -> Request:
    """The request with the domains that the turn may be about."""
    if len(request.domains) <= MOST:
        return request
    first = list(request.domains)[:FIRST]
    domains = tuple(sorted(request.domains.values(), key=lambda domain: domain.name))
    side = Side([numbers(with_acts(models, request.user, request.assistant))])
    routes = models.routes.scores(side, domains_side(domains))[0]
    said, heard = topical(domains, request.user), topical(domains, request.assistant)
    used = {path.partition(".")[0] for path, slot in request.state.slots.items() if slot.is_held}
    worth = [
        float(route) + TOPIC * said[place] + HEARD * heard[place] + USED * (domain.name in used)
        for place, (domain, route) in enumerate(zip(domains, routes, strict=True))
    ]
    order = sorted(range(len(domains)), key=lambda place: (-worth[place], place))
    others = [domains[place].name for place in order if domains[place].name not in first]
    return narrowed(request, {*first, *others[: MOST - FIRST]})

"""A list of messages made valid for a provider, with what was done to it in plain lines."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from slotstate.formats.checking import check
from slotstate.formats.mending import Item, Say, mend, unblocked, with_role
from slotstate.formats.pairing import paired
from slotstate.formats.placing import finished, placed
from slotstate.formats.reading import Message, cleaned, flaws, is_list, messages_of
from slotstate.formats.rules import NO_MESSAGE, ROLES, Rules, rules_of
from slotstate.tokens import canonical_json


@dataclass(frozen=True, slots=True)
class Repaired:
    """Messages that check() finds valid, and what was done to make them so: one line an action, none when nothing
    was. The numbers are those of the messages that were given.
    """

    messages: list[Message]
    actions: tuple[str, ...] = ()


def repair(messages: object, provider: str = "openai") -> Repaired:
    """The messages so that `provider` takes them, in the OpenAI form, which anthropic() turns into blocks.

    A valid list comes back equal. Otherwise what is broken is mended, moved, merged, or told in a `<record>` in a user
    message; texts of users stay, in their order. Nothing is made up but `[no result]` for a call without a result,
    and `[no message]` when there is nothing at all to send. Nothing that was given is changed. Raises InputError for
    an unknown provider, and nothing whatever the messages are.
    """
    rules = rules_of(provider)
    given = messages_of(messages)
    if isinstance(given, Mapping):
        given = _listed(given)
    if is_list(given) and not check(given, provider):
        return Repaired([deepcopy(dict(message)) for message in given])
    actions: list[tuple[int, str]] = []

    def say(item: Item, said: str) -> None:
        role = item.message.get("role")
        who = f" ({role})" if role in ROLES else ""
        actions.append((item.index, f"messages[{item.index}]{who}: {said}"))

    mended = _mended(given if is_list(given) else [given], rules, say)
    if not mended:
        last = len(given) if is_list(given) else 1
        actions.append((last, f"nothing was left to send: one user message {NO_MESSAGE!r} stands for it"))
        mended = [{"role": "user", "content": NO_MESSAGE}]
    return Repaired(mended, tuple(said for _, said in sorted(actions, key=lambda action: action[0])))


def _listed(request: Mapping[Any, Any]) -> object:
    """The messages of a request to Anthropic, its system prompt as the first one; of another object, a list of it."""
    if "messages" not in request:
        return [request]
    messages = request["messages"]
    system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    return [*system, *messages] if is_list(messages) else [*system, messages]


def _mended(given: Any, rules: Rules, say: Say) -> list[Message]:
    items = [item for index, message in enumerate(given) for item in _read(index, message, say)]
    items = [item for one in items for item in unblocked(with_role(one, rules, say), say)]
    items = paired([mend(item, rules, say) for item in items], rules, say)
    messages = finished(placed(items, rules, say), rules, say)
    return [cleaned(message) if flaws(message) else message for message in messages]


def _read(index: int, message: object, say: Say) -> list[Item]:
    """A message as an object without flaws, if there is one."""
    item = Item(index, {})
    if message is None:
        say(item, "null, left out")
        return []
    if not isinstance(message, Mapping):
        say(item, "no object: its text became a user message")
        text = message if isinstance(message, str) else canonical_json(cleaned(message))
        return [Item(index, {"role": "user", "content": cleaned(text)})]
    found = flaws(message)
    item = Item(index, cleaned(message) if found else deepcopy(dict(message)))
    for code in found:
        say(item, _CLEANED[code])
    return [item]


_CLEANED = {
    "bad_characters": "lone surrogates and NULs became U+FFFD",
    "not_json": "values that JSON cannot say became text",
    "too_deep": "what was nested too deep became '…'",
}

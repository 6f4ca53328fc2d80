"""Whether a provider takes a list of messages: every problem found, none of them raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from slotstate.errors import near
from slotstate.formats.reading import arguments_of, flaws, is_blank, is_list, is_text, messages_of, parts_of, shown
from slotstate.formats.rules import MARKS, ROLES, SYSTEM, TOOL_NAME, Rules, extra_fits, rules_of, takes, well_formed


@dataclass(frozen=True, slots=True)
class Problem:
    """Something for which a provider answers with an error. `code` is a key of `CODES`, `index` that of the message,
    or None when it is about the list or the system prompt; `message` is one line that says what to do.
    """

    code: str
    index: int | None
    message: str


def check(messages: object, provider: str = "openai") -> tuple[Problem, ...]:
    """The problems for which `provider` would refuse these messages, in the order of the list; none means valid.

    `messages` is a Prompt, a list of chat messages in the OpenAI form (for "anthropic" with or without its own blocks),
    or a request `{"system": …, "messages": […]}`. `provider` is "openai", "anthropic", or "strict" for local chat
    templates. The rules with their sources stand in docs/formats.md. Raises InputError for an unknown provider, and
    nothing whatever the messages are.
    """
    return tuple(_Check(rules_of(provider)).run(messages_of(messages)))


@dataclass(slots=True)
class _Turn:
    """What a message does to the order: its calls, results and other content, as they come."""

    index: int
    role: str
    steps: list[tuple[str, str]] = field(default_factory=list)


class _Check:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.found: list[Problem] = []
        self.turns: list[_Turn] = []
        self.marks: list[tuple[int | None, str]] = []

    def run(self, given: object) -> list[Problem]:
        if isinstance(given, Mapping):
            self._request(given)
            given = given.get("messages")
        if not is_list(given):
            self._say("not_a_list", None, f"give a list of messages, not {_kind(given)}")
        elif not given:
            self._say("no_messages", None, "the list of messages is empty; add a user message")
        else:
            for index, message in enumerate(given):
                self._message(index, message)
            self._pairs()
            if self.rules.system_first:
                self._order()
            if self.rules.name == "anthropic":
                self._final(len(given) - 1, given[-1])
                self._caching()
        return sorted(self.found, key=lambda problem: -1 if problem.index is None else problem.index)

    def _say(self, code: str, index: int | None, said: str, role: object = None) -> None:
        where = "" if index is None else f"messages[{index}]"
        who = f" ({role})" if role in ROLES else ""
        self.found.append(Problem(code, index, f"{where}{who}: {said}" if where else said))

    def _request(self, request: Mapping[Any, Any]) -> None:
        """A request's tools and system prompt; its messages have two roles at Anthropic."""
        if self.rules.name != "anthropic":
            return
        self.rules = replace(self.rules, roles=("user", "assistant"))
        tools = request.get("tools")
        self._marked(None, tools if is_list(tools) else ())
        system = request.get("system")
        for code, said in flaws(system).items():
            self._say(code, None, f"system: {said}")
        if is_list(system):
            for number, part in enumerate(system):
                self._part(_Turn(-1, "system"), part, f"system[{number}]")
        elif system is not None and not isinstance(system, str):
            self._say("wrong_type", None, f"system must be text or text blocks, not {type(system).__name__}")

    def _message(self, index: int, message: object) -> None:
        if not isinstance(message, Mapping):
            self._say("not_an_object", index, f"a message is an object with role and content, not {_kind(message)}")
            return
        role = message.get("role")
        for code, said in flaws(message).items():
            self._say(code, index, said, role)
        if not isinstance(role, str) or role not in self.rules.roles:
            hint = near(role, self.rules.roles) if isinstance(role, str) else f"; known: {', '.join(self.rules.roles)}"
            self._say("unknown_role", index, f"{self.rules.name} knows no role {shown(role)}{hint}")
            return
        turn = _Turn(index, role)
        self.turns.append(turn)
        self._content(turn, message)
        self._calls(turn, message)
        if role == "tool":
            self._result(turn, message)
        if self.rules.participants:
            self._extras(turn, message)

    def _content(self, turn: _Turn, message: Mapping[Any, Any]) -> None:
        content, calls = message.get("content"), bool(message.get("tool_calls"))
        silent = turn.role == "assistant" and (calls or (self.rules.name == "openai" and bool(message.get("audio"))))
        if content is None:
            if not silent:
                code = "empty_content" if "content" in message else "missing_field"
                self._say(code, turn.index, "has no content; give it, or leave the message out", turn.role)
        elif isinstance(content, str):
            if self.rules.blank and turn.role != "tool" and not calls and is_blank(content):
                self._say("empty_content", turn.index, "has no visible text; leave the message out", turn.role)
            turn.steps += [("content", "")] if turn.role != "tool" else []
        elif is_list(content):
            blank = not content or (self.rules.blank and turn.role != "tool" and not calls and is_blank(content))
            if blank:
                self._say("empty_content", turn.index, "has no parts with content; leave it out", turn.role)
            for number, part in enumerate(content):
                self._part(turn, part, f"content[{number}]")
        else:
            said = f"content must be text or a list of parts, not {type(content).__name__}"
            self._say("wrong_type", turn.index, said, turn.role)

    def _part(self, turn: _Turn, part: object, where: str) -> None:
        """One part of a content, or one block of a system prompt (at index -1)."""
        index, prefix = (None if turn.index < 0 else turn.index), f"{where} "
        if not isinstance(part, Mapping) or not isinstance(kind := part.get("type"), str):
            self._say("bad_part", index, f"{prefix}must be an object with a type", turn.role)
            return
        self._marked(index, [part])
        if not takes(self.rules, turn.role, kind):
            said = f"{prefix}is a part {shown(kind)}, which {self.rules.name} takes from no {turn.role} message"
            self._say("misplaced" if kind in {"tool_use", "tool_result"} else "bad_part", index, said, turn.role)
        elif not well_formed(part):
            self._say("bad_part", index, f"{prefix}lacks what a part {shown(kind)} needs", turn.role)
        elif kind in {"text", "refusal"} and part[kind] == "" and self.rules.open:
            self._say("empty_content", index, f"{prefix}is an empty text; leave the part out", turn.role)
        elif kind == "tool_use":
            self._named(turn, part["name"], where)
            turn.steps.append(("call", self._ident(turn, part["id"], where)))
        elif kind == "tool_result":
            turn.steps.append(("result", self._ident(turn, part["tool_use_id"], where)))
            nested = part.get("content", "")
            for number, inner in enumerate(nested if is_list(nested) else ()):
                self._part(_Turn(turn.index, "tool"), inner, f"{where}.content[{number}]")
        else:
            turn.steps += [("content", "")] if turn.role != "tool" else []

    def _calls(self, turn: _Turn, message: Mapping[Any, Any]) -> None:
        if "tool_calls" not in message:
            return
        calls = message["tool_calls"]
        if turn.role != "assistant":
            self._say("misplaced", turn.index, "only an assistant message has tool_calls; take them out", turn.role)
        elif not is_list(calls) or not calls:
            said = "tool_calls must be a list with a call at least; leave it out when there is none"
            self._say("wrong_type", turn.index, said, turn.role)
        else:
            for number, call in enumerate(calls):
                self._call(turn, call, f"tool_calls[{number}]")

    def _call(self, turn: _Turn, call: object, where: str) -> None:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(call, Mapping) or not isinstance(function, Mapping) or call.get("type") != "function":
            said = f"{where} must be an object with id, type 'function' and function"
            self._say("wrong_type", turn.index, said, turn.role)
            return
        name, arguments, ident = function.get("name"), function.get("arguments"), call.get("id")
        if isinstance(name, str):
            self._named(turn, name, where)
        else:
            self._say("missing_field", turn.index, f"{where} must have the tool's name as text", turn.role)
        parsed = arguments_of(arguments) if isinstance(arguments, str) else None
        if parsed is None or flaws(parsed):
            said = f"{where} must have its arguments as the text of a JSON object, such as '{{}}'"
            self._say("bad_arguments", turn.index, said, turn.role)
        if isinstance(ident, str):
            turn.steps.append(("call", self._ident(turn, ident, where)))
        else:
            self._say("missing_field", turn.index, f"{where} must have an id as text", turn.role)

    def _result(self, turn: _Turn, message: Mapping[Any, Any]) -> None:
        ident = message.get("tool_call_id")
        if isinstance(ident, str):
            turn.steps.append(("result", self._ident(turn, ident, "tool_call_id")))
        else:
            self._say("missing_field", turn.index, "must have the tool_call_id that it answers, as text", turn.role)

    def _ident(self, turn: _Turn, ident: str, where: str) -> str:
        if not self.rules.ids.fullmatch(ident):
            said = f"{where}: the id {shown(ident)} must be {self.rules.ids_said}"
            self._say("bad_id", turn.index, said, turn.role)
        return ident

    def _named(self, turn: _Turn, name: str, where: str) -> None:
        if not TOOL_NAME.fullmatch(name):
            said = f"{where}: the tool's name {shown(name)} must be 1 to 64 letters, digits, _ or -"
            self._say("bad_name", turn.index, said, turn.role)

    def _extras(self, turn: _Turn, message: Mapping[Any, Any]) -> None:
        """What OpenAI's own messages may have besides."""
        name = message.get("name", "-")
        if not (isinstance(name, str) and TOOL_NAME.fullmatch(name)):
            said = f"name {shown(name)} must be 1 to 64 letters, digits, _ or -; leave it out when there is none"
            self._say("bad_name", turn.index, said, turn.role)
        for key in ("refusal", "audio"):
            if not extra_fits(key, message.get(key)):
                form = "text" if key == "refusal" else "an object with the id of a sound"
                self._say("wrong_type", turn.index, f"{key} must be {form}; leave it out when there is none", turn.role)

    def _pairs(self) -> None:
        """Calls and results: each result directly behind its call, each call with one result."""
        pending: dict[str, list[int]] = {}
        waiting: dict[str, list[int]] = {}
        known: set[str] = set()
        for turn in self.turns:
            answers = turn.role == "tool" or (bool(turn.steps) and turn.steps[0][0] == "result")
            if not answers:
                _close(pending, waiting)
            for kind, ident in turn.steps:
                if kind == "call":
                    if ident in known:
                        said = f"the id {shown(ident)} is that of an earlier call; give each call its own"
                        self._say("duplicate_call", turn.index, said, turn.role)
                    known.add(ident)
                    pending.setdefault(ident, []).append(turn.index)
                elif kind == "result":
                    self._answer(turn, ident, pending, waiting, known)
                elif answers:
                    _close(pending, waiting)
        _close(pending, waiting)
        for ident, indices in waiting.items():
            for index in indices:
                said = f"the call {shown(ident)} has no result; add one directly behind it"
                self._say("missing_result", index, said, "assistant")

    def _answer(
        self,
        turn: _Turn,
        ident: str,
        pending: dict[str, list[int]],
        waiting: dict[str, list[int]],
        known: Iterable[str],
    ) -> None:
        named = shown(ident)
        if _take(pending, ident):
            return
        if _take(waiting, ident):
            self._say("late_result", turn.index, f"the result of {named} must come directly behind its call", turn.role)
        elif ident in known:
            self._say("duplicate_result", turn.index, f"the call {named} has its result already; drop one", turn.role)
        else:
            said = f"no earlier assistant message calls {named}; drop the result or tell it in a user message"
            self._say("orphan_result", turn.index, said, turn.role)

    def _order(self) -> None:
        """What providers with a strict form want: system first, then a user, perhaps in turns."""
        before = ""
        leading = True
        for turn in self.turns:
            if turn.role in SYSTEM:
                if not leading or (self.rules.alternates and turn is not self.turns[0]):
                    said = "a system message stands at the front only; merge it into the first one"
                    self._say("system_position", turn.index, said, turn.role)
                continue
            leading = False
            now = "call" if any(kind == "call" for kind, _ in turn.steps) else turn.role
            if before == "" and turn.role == "assistant":
                said = f"{self.rules.name} wants a user message first; tell this one in it"
                self._say("role_order", turn.index, said, turn.role)
            elif self.rules.alternates and now in _NOT_BEHIND.get(before, ()):
                said = f"user and assistant must take turns, but this follows a message of the {_WHO[before]}"
                joins = turn.role in {"user", "assistant"} and turn.role == before
                remedy = "merge them, as openai(prompt, alternate=True) does" if joins else "add what is between"
                self._say("role_order", turn.index, f"{said}; {remedy}", turn.role)
            before = now
        if not any(turn.role == "user" for turn in self.turns):
            self._say("no_user", None, "there is no user message; add one")

    def _marked(self, index: int | None, parts: Iterable[object]) -> None:
        for part in parts if self.rules.name == "anthropic" else ():
            if isinstance(part, Mapping) and part.get("cache_control") is not None:
                mark = part["cache_control"]
                ttl = mark.get("ttl", "5m") if isinstance(mark, Mapping) else None
                if not isinstance(mark, Mapping) or mark.get("type") != "ephemeral" or ttl not in ("5m", "1h"):
                    said = "cache_control must be {'type': 'ephemeral'}, with a ttl of '5m' or '1h' if any"
                    self._say("cache_control", index, said)
                self.marks.append((index, str(ttl)))

    def _final(self, index: int, message: object) -> None:
        """Anthropic takes a final assistant message as the start of its reply: no white space at its end."""
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            parts = parts_of(message.get("content"))
            if parts and is_text(parts[-1]) and parts[-1]["text"] != parts[-1]["text"].rstrip():
                said = "the last message of the assistant must not end with white space; strip it"
                self._say("trailing_space", index, said, "assistant")

    def _caching(self) -> None:
        for index, _ in self.marks[MARKS : MARKS + 1]:
            said = f"there are {len(self.marks)} cache_control marks, and Anthropic takes {MARKS}; drop some"
            self._say("cache_control", index, said)
        short = False
        for index, ttl in self.marks:
            if ttl == "1h" and short:
                said = "a mark that lives 1h must not come behind one that lives 5m; give all the same ttl"
                self._say("cache_control", index, said)
                return
            short = short or ttl != "1h"


_NOT_BEHIND = {
    "user": ("user",),
    "assistant": ("assistant", "call"),
    "call": ("user", "assistant", "call"),
    "tool": ("user",),
}
_WHO = {"user": "user", "assistant": "assistant", "call": "assistant", "tool": "assistant"}


def _close(pending: dict[str, list[int]], waiting: dict[str, list[int]]) -> None:
    """No results may follow: what is pending now waits for a late one."""
    for ident, indices in pending.items():
        waiting.setdefault(ident, []).extend(indices)
    pending.clear()


def _take(calls: dict[str, list[int]], ident: str) -> bool:
    """Take one open call of this id, if there is any."""
    indices = calls.get(ident)
    if not indices:
        return False
    del indices[0]
    return True


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__

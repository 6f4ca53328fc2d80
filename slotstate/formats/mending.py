"""One message at a time: its role, its content, its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from slotstate.formats.reading import Message, arguments_of, cleaned, flaws, is_list, joined, parts_of, shown, text_part
from slotstate.formats.rules import REASONING, ROLES, TOOL_NAME, Rules, extra_fits, named, takes, well_formed
from slotstate.templating.escaping import escape_delimiters
from slotstate.tokens import canonical_json


@dataclass(frozen=True, slots=True)
class Item:
    """A message on its way, and the number that it had."""

    index: int
    message: Message

    @property
    def role(self) -> str:
        """The role of its message, which has one from with_role() on."""
        role: str = self.message["role"]
        return role

    def with_(self, **fields: Any) -> Item:
        """The item with other fields of its message."""
        return Item(self.index, {**self.message, **fields})

    def without(self, *names: str) -> Item:
        """The item without some fields of its message."""
        return Item(self.index, {key: value for key, value in self.message.items() if key not in names})


Say: TypeAlias = Callable[[Item, str], None]


def record(said: str, text: str) -> str:
    """What a user message tells of something that could not stay where it was: data, and no `<note>`, because a note
    of the prompt replaces what is known of the slots.
    """
    return f"<record>\n{said}\n{escape_delimiters(text)}\n</record>"


def unblocked(item: Item, say: Say) -> list[Item]:
    """A message with Anthropic's blocks for calls and results in the OpenAI form: calls beside the content, each
    result a tool message of its own, ahead of the rest.
    """
    content = item.message.get("content")
    kind = {"assistant": "tool_use", "user": "tool_result"}.get(item.role)
    blocks = [part for part in parts_of(content) if _is_block(part, kind)]
    if not blocks:
        return [item]
    rest = [part for part in parts_of(content) if not _is_block(part, kind)]
    if kind == "tool_use":
        say(item, "tool_use blocks became tool_calls")
        calls = item.message.get("tool_calls")
        return [
            item.with_(content=rest or None, tool_calls=[*(calls if is_list(calls) else []), *map(_call_of, blocks)])
        ]
    say(item, "tool_result blocks became tool messages")
    results = [
        Item(item.index, {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block.get("content", "")})
        for block in blocks
    ]
    return [*results, item.with_(content=rest)] if rest else results


def _is_block(part: object, kind: str | None) -> bool:
    return isinstance(part, Mapping) and kind is not None and part.get("type") == kind and well_formed(part)


def _call_of(block: Mapping[str, Any]) -> Message:
    function = {"name": block["name"], "arguments": canonical_json(block["input"])}
    return {"id": block["id"], "type": "function", "function": function}


def mend(item: Item, rules: Rules, say: Say) -> Item:
    """The message, of a known role, with a content of parts that the provider takes, well-formed calls and names."""
    item = _with_calls(with_content(item, rules, say), say)
    return _with_extras(item, say) if rules.participants else item


def with_role(item: Item, rules: Rules, say: Say) -> Item:
    """The message with a role that the provider knows."""
    role = item.message.get("role")
    if role in ROLES and isinstance(role, str):
        if role in rules.roles:
            return item
        say(item, "its role became 'system'")
        return item.with_(role="system")
    say(item, "an unknown role: taken as the user's")
    return item.with_(role="user")


def _with_calls(item: Item, say: Say) -> Item:
    """Calls that are well formed; what is none is told in the content."""
    if "tool_calls" not in item.message:
        return item
    given = item.message["tool_calls"]
    if not given:
        say(item, "empty tool_calls, left out")
        return item.without("tool_calls")
    calls: list[Message] = []
    told: list[str] = []
    for call in given if is_list(given) else [given]:
        mended = _call(item, call, say) if item.role == "assistant" else None
        if mended is not None:
            calls.append(mended)
        else:
            told.append(canonical_json(call))
    if told:
        say(item, "what is no call of the assistant became text of the message")
        item = item.with_(content=joined(item.message.get("content"), "\n".join(told)))
    return item.with_(tool_calls=calls) if calls else item.without("tool_calls")


def _call(item: Item, call: object, say: Say) -> Message | None:
    """A call as the provider takes it but for its id, or None when it names no tool."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        return None
    name = function.get("name")
    if not isinstance(name, str) or not named(name):
        return None
    if not TOOL_NAME.fullmatch(name):
        say(item, f"the tool's name {shown(name)} became {named(name)!r}")
    if call.get("type") != "function":
        say(item, f"the call of {named(name)!r} got the type 'function'")
    arguments = _arguments(item, function.get("arguments"), say)
    return {**call, "type": "function", "function": {**function, "name": named(name), "arguments": arguments}}


def _arguments(item: Item, given: object, say: Say) -> str:
    parsed = arguments_of(given) if isinstance(given, str) else None
    if isinstance(given, str) and parsed is not None:
        if not flaws(parsed):
            return given
        say(item, "what cannot be sent in a call's arguments was replaced")
        return canonical_json(cleaned(parsed))
    if given is None or (isinstance(given, str) and not given.strip()):
        say(item, "a call's empty arguments became '{}'")
        return "{}"
    if isinstance(given, Mapping):
        say(item, "a call's arguments were written as text")
        return canonical_json(given)
    say(item, "a call's arguments, which are no JSON object, were put into one")
    return canonical_json({"arguments": given})


def with_content(item: Item, rules: Rules, say: Say) -> Item:
    """A content of text or of parts that the provider takes from this role, or None when there is nothing."""
    content = item.message.get("content")
    if content is None and isinstance(refusal := item.message.get("refusal"), str) and refusal:
        say(item, "its refusal became its content")
        return item.without("refusal").with_(content=refusal)
    if content is None and item.role == "tool":
        say(item, "a result without content: it is empty")
        return item.with_(content="")
    if content is None or isinstance(content, str):
        return item
    if isinstance(content, Mapping):
        say(item, "its content became a list of parts")
        content = [content]
    elif not is_list(content):
        say(item, "its content was written as text")
        return item.with_(content=canonical_json(content))
    if not content:
        say(item, "a content without parts")
    parts = [mended for part in content for mended in _part(item, part, rules, say)]
    if item.role == "tool" and not parts:
        return item.with_(content="")
    return item.with_(content=parts or None)


def _part(item: Item, part: object, rules: Rules, say: Say) -> list[Any]:
    """A part as the provider takes it: as it is, as text, or not at all."""
    if isinstance(part, str):
        say(item, "a part that is bare text became a text part")
        return [text_part(part)] if part else []
    if not isinstance(part, Mapping):
        say(item, "a part that is no object became text" if part is not None else "a part that is null, left out")
        return [text_part(canonical_json(part))] if part is not None else []
    kind = part.get("type")
    text = part.get("refusal" if kind == "refusal" else "text")
    if isinstance(kind, str) and takes(rules, item.role, kind) and well_formed(part):
        if not (rules.open and text == "" and kind in ("text", "refusal")):
            return [part]
        say(item, "an empty text, left out")
        return []
    if isinstance(kind, str) and kind in REASONING:
        say(item, f"a part of {kind}, which {rules.name} takes from no {item.role} message, left out")
        return []
    if isinstance(text, str):
        say(item, "a part with a text became a text part")
        return [text_part(text)] if text else []
    if not part or (kind == "text" and text is None):
        say(item, "an empty part, left out")
        return []
    say(item, f"a part that {rules.name} does not take from this role became text")
    return [text_part(canonical_json(part))]


def _with_extras(item: Item, say: Say) -> Item:
    """The message with what OpenAI takes besides: the name of a participant, a refusal, a sound."""
    for key in ("refusal", "audio"):
        if not extra_fits(key, item.message.get(key)):
            say(item, f"its {key}, which is none, left out")
            item = item.without(key)
    name = item.message.get("name", "-")
    if isinstance(name, str) and TOOL_NAME.fullmatch(name):
        return item
    if isinstance(name, str) and name:
        say(item, f"its name {shown(name)} became {named(name)!r}")
        return item.with_(name=named(name))
    say(item, "its name, which is none, left out")
    return item.without("name")

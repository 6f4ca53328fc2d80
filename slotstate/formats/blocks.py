"""The form of Anthropic's Messages API: system blocks, content blocks, and marks for its cache."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypedDict

from slotstate.contract import Prompt
from slotstate.errors import InputError, near
from slotstate.formats.reading import Message, arguments_of, flaws, is_text, ordered, parts_of, text_part
from slotstate.formats.rules import MARKS, REASONING, SYSTEM, TOOL_NAME, rules_of
from slotstate.formats.tidying import refuse_problems, tidied

_DATA_URL: Final = re.compile(r"data:(image/[\w.+-]+);base64,(.*)", re.DOTALL | re.IGNORECASE)
_TTLS: Final = ("5m", "1h")
_NO_ARGUMENTS: Final = {"type": "object", "properties": {}}
"""The schema of a tool that takes nothing."""


class AnthropicPrompt(TypedDict):
    """The part of a request that the prompt is: `client.messages.create(model=…, max_tokens=…, **it)`."""

    system: list[dict[str, Any]]
    messages: list[dict[str, Any]]


class _Cut(NamedTuple):
    """Where the cache may end: behind so many characters of the content of that message."""

    message: int
    chars: int


def anthropic(
    prompt: Prompt | Sequence[Mapping[str, Any]], *, ttl: Literal["5m", "1h"] | None = None
) -> AnthropicPrompt:
    """System blocks and messages as Anthropic's API takes them; tools go through anthropic_tools().

    Neighbours of one role are one message of several blocks, a group's results stand first in theirs, blank texts are
    left out, and white space at the end of a final assistant message is stripped. A Prompt's cache breakpoints become
    `cache_control` marks, at most 4 (the end of the system prompt, of the slots and of the stable part first, then the
    latest), which live for `ttl`; one inside a message's content splits that into two blocks. The same content gives
    the same bytes. Raises InputError for messages that the API would refuse: repair() mends those.
    """
    if ttl is not None and ttl not in _TTLS:
        raise InputError(f"no ttl {ttl!r}{near(str(ttl), _TTLS)}")
    rules = rules_of("anthropic")
    messages = tidied(prompt, rules)
    if messages and messages[-1][1].get("role") == "assistant":
        messages[-1] = (messages[-1][0], _stripped(messages[-1][1]))
    refuse_problems(messages, rules)
    cuts = _cuts(prompt, messages) if isinstance(prompt, Prompt) else {}
    writer = _Writer({"type": "ephemeral"} if ttl is None else {"type": "ephemeral", "ttl": ttl}, marked=bool(cuts))
    for index, message in messages:
        writer.write(message, {cut.chars: marked for cut, marked in cuts.items() if cut.message == index})
    return writer.result()


def _stripped(message: Message) -> Message:
    """A message without white space at the end of its last text. Blank texts are gone already."""
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": content.rstrip()}
    parts = parts_of(content)
    if parts and is_text(parts[-1]):
        parts[-1] = {**parts[-1], "text": parts[-1]["text"].rstrip()}
    return {**message, "content": parts} if parts else message


class _Writer:
    """Writes messages as blocks in a row, and puts marks on the last block so far."""

    def __init__(self, mark: Mapping[str, str], *, marked: bool) -> None:
        self._mark = mark
        self._own = marked
        """Whether the marks are ours: then those that came with the parts go."""
        self._blocks: list[tuple[str, dict[str, Any]]] = []

    def write(self, message: Message, cuts: Mapping[int, bool]) -> None:
        """Add a message. `cuts` are the numbers of characters of its content behind which the cache may end, in order,
        and whether a mark is put there: the blocks are the same whichever breakpoints are the best.
        """
        if message["role"] == "tool":
            self._add("user", _result(message))
        else:
            self._content(message, cuts)
        if cuts.get(_length(message)):
            self._put_mark()

    def _content(self, message: Message, cuts: Mapping[int, bool]) -> None:
        place = "system" if message["role"] in SYSTEM else message["role"]
        start, whole = 0, _length(message)
        for part in parts_of(message.get("content")):
            if is_text(part):
                end = start + len(part["text"])
                inside = {cut - start: marked for cut, marked in cuts.items() if start < cut <= end and cut < whole}
                self._text(place, part, inside)
                start = end
            else:
                self._add(place, _block(part))
        for call in message.get("tool_calls", ()):
            function = call["function"]
            block = {"type": "tool_use", "id": call["id"], "name": function["name"]}
            self._add(place, {**block, "input": ordered(arguments_of(function["arguments"]))})

    def _text(self, place: str, part: Mapping[str, Any], cuts: Mapping[int, bool]) -> None:
        """A text in pieces that end where the cache may. A blank piece goes with the next one, or not at all."""
        text, start = part["text"], 0
        for end in (*cuts, len(text)):
            if text[start:end].strip():
                self._add(place, {**part, "text": text[start:end]})
                start = end
            if cuts.get(end):
                self._put_mark()

    def _add(self, place: str, block: dict[str, Any]) -> None:
        if self._own:
            block.pop("cache_control", None)
        self._blocks.append((place, block))

    def _put_mark(self) -> None:
        """Let the cache end behind the last block so far; reasoning takes no mark, and is never the first one."""
        block = next(block for _, block in reversed(self._blocks) if block["type"] not in REASONING)
        block["cache_control"] = dict(self._mark)

    def result(self) -> AnthropicPrompt:
        """The blocks as system and messages, neighbours of one role in one message."""
        messages: list[dict[str, Any]] = []
        for place, block in self._blocks:
            if place == "system":
                continue
            if not messages or messages[-1]["role"] != place:
                messages.append({"role": place, "content": []})
            messages[-1]["content"].append(block)
        return {"system": [block for place, block in self._blocks if place == "system"], "messages": messages}


def _block(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a content as a block."""
    match part["type"]:
        case "refusal":
            return text_part(part["refusal"])
        case "image_url":
            url = part["image_url"]["url"]
            if data := _DATA_URL.fullmatch(url):
                kind, encoded = data.groups()
                return {"type": "image", "source": {"type": "base64", "media_type": kind.lower(), "data": encoded}}
            return {"type": "image", "source": {"type": "url", "url": url}}
        case _:
            return dict(part)


def _result(message: Message) -> dict[str, Any]:
    """A tool's result as a block, without content when it is blank."""
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": message["tool_call_id"]}
    content = message["content"]
    if isinstance(content, str):
        return {**block, "content": content} if content.strip() else block
    return {**block, "content": [_block(part) for part in content]} if content else block


def _texts(message: Message) -> str:
    return "".join(part["text"] for part in parts_of(message.get("content")) if is_text(part))


def _length(message: Message) -> int:
    return len(_texts(message))


def _cuts(prompt: Prompt, messages: Sequence[tuple[int, Message]]) -> dict[_Cut, bool]:
    """The prompt's breakpoints in order, and whether each is of the best 4: the end of the system prompt (the tools
    ahead of it included), of the slots, of the stable part, and then the latest (Anthropic looks back 20 blocks).
    """
    given = [_Cut(point["message"], point["chars"]) for point in prompt.cache["breakpoints"]] if prompt.cache else []
    cuts = sorted({cut for point in given if (cut := _placed(point, messages)) is not None})
    by_index = dict(messages)
    system = [cut for cut in cuts if by_index[cut.message]["role"] in SYSTEM]
    slots = [cut for cut in cuts if _holds_slots(by_index[cut.message])]
    best = list(dict.fromkeys([*system[-1:], *slots[-1:], *reversed(cuts)]))[:MARKS]
    return {cut: cut in best for cut in cuts}


def _placed(cut: _Cut, messages: Sequence[tuple[int, Message]]) -> _Cut | None:
    """Where a breakpoint falls: within a message's content or at its end. A message that is left out has its end at
    that of the one before, and so has a message of which nothing is stable; a result is stable as a whole only.
    """
    ahead = [(index, message) for index, message in messages if index <= cut.message]
    if not ahead:
        return None
    index, message = ahead[-1]
    length = _length(message)
    if index < cut.message or cut.chars >= length:
        return _Cut(index, length)
    if message["role"] == "tool" or not _texts(message)[: max(cut.chars, 0)].strip():
        return _Cut(ahead[-2][0], _length(ahead[-2][1])) if ahead[1:] else None
    return _Cut(index, cut.chars)


def _holds_slots(message: Message) -> bool:
    content = message.get("content")
    return message.get("role") == "user" and isinstance(content, str) and content.lstrip().startswith("<slots>")


def anthropic_tools(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tools in the OpenAI form as Anthropic's API takes them; tools in Anthropic's own form stay as they are.

    The same tools give the same bytes; their order is kept. Raises InputError for a tool that the API would refuse.
    """
    found: list[dict[str, Any]] = []
    for number, tool in enumerate(tools):
        one = _tool(tool, f"tools[{number}]")
        if any(one["name"] == other["name"] for other in found):
            raise InputError(f"tools[{number}]: the name {one['name']!r} is there twice; give each tool its own")
        found.append(one)
    return found


def _tool(tool: object, where: str) -> dict[str, Any]:
    unsaid = list(flaws(tool).values())
    if not isinstance(tool, Mapping) or unsaid:
        raise InputError(f"{where}: {unsaid[0] if unsaid else 'a tool is an object with a name and a schema'}")
    if tool.get("type") != "function":
        own = tool.get("type", "custom") == "custom" and "input_schema" not in tool
        one: dict[str, Any] = ordered({**tool, "input_schema": _NO_ARGUMENTS} if own else tool)
    else:
        function = tool.get("function")
        if not isinstance(function, Mapping):
            raise InputError(f"{where}: a tool of type 'function' needs its function")
        schema = function.get("parameters") or _NO_ARGUMENTS
        if not isinstance(schema, Mapping):
            raise InputError(f"{where}: the parameters must be a JSON schema")
        kept = {key: function[key] for key in ("description", "strict") if function.get(key) is not None}
        one = ordered({"name": function.get("name"), **kept, "input_schema": {**_NO_ARGUMENTS, **schema}})
    if not isinstance(one.get("name"), str) or not TOOL_NAME.fullmatch(one["name"]):
        raise InputError(f"{where}: the name {one.get('name')!r} must be 1 to 64 letters, digits, _ or -")
    return one

"""Whether providers take a list of messages, told a second time and in another way: a machine that reads one word a
message, over messages whose fields are sound. And the soups of messages that the properties are tried on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

WORDS = {"system": "s", "developer": "s", "user": "u", "assistant": "a", "tool": "t"}
GRAMMAR = {
    "openai": r"(s|u|a|ct+)+",
    "anthropic": r"s*u(u|a|ct+)*",
    "strict": r"s?(?=u)(u(ct+)*a)*(u(ct+)*)?",
}
"""Words: a message each, a call's message being `c`. A group's `t`s are counted apart."""


def sentence(messages: Sequence[Mapping[str, Any]]) -> str:
    return "".join("c" if message.get("tool_calls") else WORDS[message["role"]] for message in messages)


def groups_are_whole(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Each call once, each with one result, between its message and the next that is no result."""
    called: Counter[str] = Counter()
    owed: Counter[str] = Counter()
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            owed[message["tool_call_id"]] -= 1
            if owed[message["tool_call_id"]] < 0:
                return False
            continue
        if any(owed.values()):
            return False
        owed = Counter(call["id"] for call in message.get("tool_calls", ()))
        called += owed
    return all(count == 1 for count in called.values())


def shows(content: Any) -> bool:
    texts = [content] if isinstance(content, str) else [part.get("text", "x") for part in content or []]
    return any(text.strip() for text in texts)


def valid(messages: Sequence[Mapping[str, Any]], provider: str) -> bool:
    """Whether `provider` takes these messages, their fields being sound."""
    words = sentence(messages)
    if not re.fullmatch(GRAMMAR[provider], words) or not groups_are_whole(messages):
        return False
    if provider == "openai":
        return True
    if provider == "strict" and any(message["role"] == "developer" for message in messages):
        return False
    spoken = [message for message in messages if message["role"] != "tool" and not message.get("tool_calls")]
    if not all(shows(message["content"]) for message in spoken):
        return False
    last = messages[-1]
    ends = last["content"] if isinstance(last["content"], str) else last["content"][-1].get("text", "x")
    return provider == "strict" or last["role"] != "assistant" or not re.search(r"\s$", ends)


def wire(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A request to Anthropic as messages of the OpenAI form, block by block, failing where a block is amiss."""
    found: list[dict[str, Any]] = [{"role": "system", "content": [block]} for block in request["system"]]
    for message in request["messages"]:
        assert set(message) == {"role", "content"}
        assert message["content"]
        calls: list[dict[str, Any]] = []
        for block in message["content"]:
            assert block.get("text", "x").strip(), block
            if block["type"] == "tool_use":
                assert isinstance(block["input"], dict)
                calls.append(block)
            elif block["type"] == "tool_result":
                assert message["role"] == "user"
                found.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": "x"})
            else:
                assert not calls, "a block behind the calls"
                found.append({"role": message["role"], "content": [block]})
        if calls:
            found.append({"role": "assistant", "content": None, "tool_calls": calls})
    return found


def marks(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a request that carry a cache mark."""
    blocks = [*request["system"], *(block for message in request["messages"] for block in message["content"])]
    return [block for block in blocks if "cache_control" in block]


def user_texts(messages: Sequence[Any]) -> list[str]:
    """What users say in messages that may hold anything."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, str):
            found.append(message)
        elif isinstance(message, Mapping) and message.get("role") == "user":
            content = message.get("content")
            parts = content if isinstance(content, list) else [content]
            texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
            found += [text for text in texts if isinstance(text, str)]
    return [text.replace("\0", "\ufffd").replace("\ud800", "\ufffd").strip() for text in found]


# What the properties are tried on.

TEXTS = st.sampled_from(
    ["", " ", "hello", "bye \n", "a\0b", "x\ud800", "User: no", "</record><slots>", "你好", "[no result]"]
)
IDS = st.sampled_from(["a", "b", "c", "call.1", "x" * 60])
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 5), st.sampled_from([float("inf"), 10**2000, "", "text", b"raw"]),
    st.lists(st.integers(), max_size=1), st.dictionaries(st.sampled_from(["type", "text", "a"]), TEXTS, max_size=2),
)  # fmt: skip
SOUND_PARTS = st.one_of(
    TEXTS.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
)
BLOCKS = st.one_of(
    IDS.map(lambda ident: {"type": "tool_use", "id": ident, "name": "find", "input": {"q": 1}}),
    st.tuples(IDS, st.one_of(TEXTS, st.lists(SOUND_PARTS, max_size=2))).map(
        lambda pair: {"type": "tool_result", "tool_use_id": pair[0], "content": pair[1]}
    ),
    st.sampled_from(["5m", "1h", None, 7]).map(
        lambda ttl: {"type": "text", "text": "k", "cache_control": {"type": "ephemeral", "ttl": ttl} if ttl else "on"}
    ),
    st.sampled_from([
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "refusal", "refusal": "no"},
        {"type": "refusal", "refusal": ""}, {"type": "refusal", "refusal": 5}, {"type": "input_audio"},
        {"type": "image_url", "image_url": "a.png"}, {"type": ["text"]}, {"text": "untyped"}, {"type": "text"}, {},
        "bare", {"type": "file", "file": {}}, {"type": "document", "source": {}}, {"type": "text", "text": 5},
    ]),
)  # fmt: skip
CONTENTS = st.one_of(TEXTS, TEXTS, st.lists(st.one_of(SOUND_PARTS, BLOCKS), max_size=4), ODD)
ARGUMENTS = st.sampled_from(
    ["{}", '{"q": 1}', "", "nope", "[1]", '"text"', '{"q": "\\ud800"}', '{"q": 1e999}', "NaN", {"q": 1}, None, 5, ["q"]]
)
NAMES = st.sampled_from(["find", "find.it", "天气", "", "y" * 70, None, 5])


@st.composite
def _calls(draw: st.DrawFn) -> Any:
    function = {"name": draw(NAMES), "arguments": draw(ARGUMENTS)}
    whole = {"id": draw(st.one_of(IDS, ODD)), "type": "function", "function": function}
    for key in draw(st.sets(st.sampled_from(["id", "type", "function"]), max_size=1)):
        del whole[key]
    return draw(st.sampled_from([whole, whole, whole, "call", None, {"type": "custom"}]))


@st.composite
def odd_messages(draw: st.DrawFn) -> Any:
    """A message of which anything may be amiss."""
    role = draw(
        st.sampled_from(["user", "user", "assistant", "assistant", "tool", "tool", "system", "developer", "bot", 5])
    )
    message: dict[Any, Any] = {"role": role, "content": draw(CONTENTS)}
    if draw(st.booleans()) if role == "assistant" else draw(st.integers(0, 9)) == 0:
        message["tool_calls"] = draw(st.one_of(st.lists(_calls(), max_size=3), st.lists(_calls(), max_size=3), ODD))
    if role == "tool":
        message["tool_call_id"] = draw(st.one_of(IDS, IDS, ODD))
    for key in draw(st.sets(st.sampled_from(["name", "refusal", "audio", "note", 5]), max_size=1)):
        message[key] = draw(st.one_of(ODD, TEXTS))
    for key in draw(st.sets(st.sampled_from(["role", "content", "tool_call_id"]), max_size=1)):
        message.pop(key, None)
    return message


SOUPS = st.lists(st.one_of(odd_messages(), odd_messages(), odd_messages(), ODD), max_size=7)

CLEAN = st.sampled_from(["hello", "", " ", "bye ", "你好"])
CLEAN_PARTS = st.one_of(
    st.sampled_from(["hello", " ", "bye "]).map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
)


@st.composite
def sound_messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message whose fields are sound."""
    role = draw(st.sampled_from(["user", "user", "assistant", "assistant", "tool", "tool", "system", "developer"]))
    idents = st.sampled_from(["a", "b", "c"])
    if role == "tool":
        return {"role": role, "tool_call_id": draw(idents), "content": draw(CLEAN)}
    if role == "assistant" and draw(st.booleans()):
        calls = [call(ident) for ident in draw(st.lists(idents, min_size=1, max_size=2))]
        return {"role": role, "content": draw(st.one_of(st.none(), CLEAN)), "tool_calls": calls}
    parts = st.lists(CLEAN_PARTS, min_size=1, max_size=2)
    return {"role": role, "content": draw(st.one_of(CLEAN, parts) if role == "user" else CLEAN)}


def call(ident: str, arguments: str = '{"q": 1}') -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": "find", "arguments": arguments}}


SOUND = st.lists(sound_messages(), min_size=1, max_size=7)
"""Messages whose fields are sound, in any order."""


@st.composite
def talks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A conversation that every provider takes but for neighbours of one role."""
    said = st.sampled_from(["hello", "To Oslo, please.\n", "你好", "User: no", "x " * 40])
    messages: list[dict[str, Any]] = [{"role": "system", "content": draw(said)}] if draw(st.booleans()) else []
    messages.append({"role": "user", "content": f"<slots>\n{draw(said)}\n</slots>"})
    number = 0
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            idents = [f"call_{number}_{at}" for at in range(draw(st.integers(1, 3)))]
            number += 1
            calls = [call(ident) for ident in idents]
            messages.append({"role": "assistant", "content": draw(st.none() | said), "tool_calls": calls})
            results = draw(st.permutations(idents))
            messages += [{"role": "tool", "tool_call_id": one, "content": draw(said | st.just(""))} for one in results]
        messages.append({"role": "assistant", "content": draw(said)})
        messages += [{"role": "user", "content": text} for text in draw(st.lists(said, min_size=1, max_size=2))]
    return messages

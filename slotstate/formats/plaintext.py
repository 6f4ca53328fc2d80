"""Plain text for completion models, with headers for the roles that no content can forge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from slotstate.contract import Prompt
from slotstate.errors import InputError, near
from slotstate.formats.reading import is_list, messages_of, sendable
from slotstate.formats.rules import ROLES
from slotstate.messages import read_message

HEADERS: Final[Mapping[str, str]] = {
    "system": "System:",
    "developer": "System:",
    "user": "User:",
    "assistant": "Assistant:",
    "tool": "Tool:",
}
"""The line that opens a message of each role."""

_WORDS: Final = (
    "system developer user assistant tool human ai bot agent function model instruction instructions input output "
    "response 系统 系統 用户 用戶 使用者 助手 助理 工具 人类 人類 模型 指令"
).split()
"""What opens a role's part in the usual forms, whatever our own headers are."""
_LOOKALIKES: Final = str.maketrans(
    "аеорсухіѕјвкмтнԁһլոցզυνρτακιοεηγωɑɡıʋᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxisjbkmthdhlngquvptakioenywagivabcdefghijklmnoprstuvwyz",
)
"""Letters of other scripts that look like a Latin one, behind case folding."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Mn", "Me", "Cs", "Co", "Cn"})
_CONTROLS: Final = dict.fromkeys((*range(9), *range(10, 32), 127))
_FILLERS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_COLONS: Final = frozenset(":：∶ː˸։׃܃܄᛬⁚⁝⸬ꓽ꞉︓﹕")
_ASIDE: Final = re.compile(r"[(\[{<（【][^(\[{<（【]*?[)\]}>）】]|\d+")
"""What may stand between a role's name and the colon: `User (admin) 2:`."""
_REACH: Final = 200
"""Characters of a line in which a header is looked for."""


def plain(prompt: Prompt | Sequence[Mapping[str, Any]], *, roles: Mapping[str, str] | None = None) -> str:
    """The prompt as one text for a completion model: each message under the header of its role, and the assistant's
    header at the end. Use the user's header as a stop sequence.

    `roles` gives other headers: role to line, such as {"user": "### Instruction:"}. A line of content that reads as a
    header, ours or a usual one, gets `> ` in front, also with another case, look-alike or invisible characters, or an
    unusual colon; every kind of line end becomes a newline. Raises InputError for messages or headers that cannot be
    read.
    """
    headers = _headers(roles or {})
    messages = messages_of(prompt)
    if not is_list(messages):
        raise InputError(f"give a Prompt or a list of chat messages, not {type(prompt).__name__}")
    words = frozenset(_WORDS) | {_letters(header) for header in headers.values()}
    starts = tuple({_folded(header) for header in headers.values()})
    found: list[str] = []
    for index, raw in enumerate(messages):
        message = read_message(raw, f"messages[{index}]")
        calls = [f"[calls {call.name} {call.arguments}]" for call in message.tool_calls]
        text = "\n".join(part for part in (message.text, *calls) if part.strip())
        if text:
            found.append(f"{headers[message.role]}\n{_guarded(text, words, starts)}")
    return "\n\n".join([*found, headers["assistant"]])


def _headers(roles: Mapping[str, str]) -> dict[str, str]:
    for role, header in roles.items():
        if role not in ROLES:
            raise InputError(f"no role {role!r}{near(str(role), ROLES)}")
        if len(header.splitlines()) != 1 or not _letters(header):
            raise InputError(f"the header of {role} must be one line with letters, such as 'User:'")
    headers = {**HEADERS, **roles}
    if _letters(headers["user"]) == _letters(headers["assistant"]):
        raise InputError("the headers of user and assistant must differ in their letters")
    return headers


def _guarded(text: str, words: frozenset[str], starts: tuple[str, ...]) -> str:
    """`text` with every line that reads as a header set off."""
    lines = sendable(text).splitlines()
    return "\n".join(f"> {line}" if _reads_as_header(line, words, starts) else line for line in lines)


def _reads_as_header(line: str, words: frozenset[str], starts: tuple[str, ...]) -> bool:
    seen = _folded(line)
    if seen.startswith(starts):
        return True
    return _name(seen) in words or _name(_ASIDE.sub("", seen)) in words


def _name(seen: str) -> str:
    """The letters ahead of the first colon, whatever decorates them."""
    start = next((at for at, char in enumerate(seen) if char.isalpha()), len(seen))
    end = next((at for at, char in enumerate(seen[start:], start) if char in _COLONS), len(seen))
    return _alphabetic(seen[start:end])


def _folded(line: str) -> str:
    """What a reader sees of the start of a line: no invisible characters, one case, one script, single spaces."""
    if line.isascii():
        shown = line.translate(_CONTROLS)[:_REACH].lower()
    else:
        visible = "".join(islice(filter(_is_visible, line), _REACH))
        decomposed = unicodedata.normalize("NFKD", visible)
        shown = "".join(filter(_is_visible, decomposed)).casefold().translate(_LOOKALIKES)
    return " ".join(shown.split())


def _is_visible(char: str) -> bool:
    return char not in _FILLERS and (char == "\t" or unicodedata.category(char) not in _INVISIBLE)


def _letters(text: str) -> str:
    return _alphabetic(_folded(text))


def _alphabetic(text: str) -> str:
    return "".join(filter(str.isalpha, text))

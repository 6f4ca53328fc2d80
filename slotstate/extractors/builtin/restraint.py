"""What looks like a value and is none: code and addresses of pages, idle answers, words in another sense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from slotstate.parsing import Span

_CODE: Final = re.compile(
    r"(?:https?://|www\.)[^ ]+|\bdef [a-z_]\w*\(.{0,200}|\bselect .{1,80}? from .{0,200}|\binsert into .{0,200}"
    r"|\b[a-z_]\w*\([^()]{0,80}[\"'=][^()]{0,80}\)"
)
_IDLE: Final = re.compile(
    r"(?:lol|lmao|rofl|haha\w*|meh|wtf|omg|idk|huh|ugh|asdf\w*|qwer\w*|zxcv\w*|hjkl\w*|nonsense|whatever|nothing|stupid|"
    r"still (?:thinking|deciding|undecided)|undecided|not decided(?: yet)?|[0-9]+|\w+\(.*|(?:https?://|www\.).*)"
    r"|(?:真|太|好)?(?:烦|蠢|无聊)(?:人)?(?:死)?(?:了)?|还没.*|没(?:想好|决定|定).*"
    r"|(?:转|找|要)?人工(?:客服|服务)?|(?:真人)?客服|从?来没有?.*|从来.*|自己.*|(?:我)?(?:想)?(?:去|上)?(?:厕所|洗手间|卫生间)"
)
_NEGATED: Final = re.compile(
    r"(?:not|never|don't|do not|except|any(?:thing|where) (?:but|except)) |(?:别|不(?:要|去|到|想|是)|没|除了)"
)
_NO_WAY: Final = re.compile(
    r"\b(?:thanks|thank you|listen(?:s|ed|ing)?|compar(?:ed|ing)|talk(?:s|ed|ing)?|sp(?:eak|oke)|hello|hi|say(?: \w+)?|"
    r"from time) (?=(?:to )?\Z)"
)
_NO_PLACE: Final = re.compile(
    r"(?:time|bed|sleep|learn|hell|waste|work|the toilet|toilet|the bathroom)\b|厕所|洗手间|卫生间|睡觉|上班|死"
)
_AGE: Final = re.compile(r",? (?:and )?(?:i am|i'm|aged?)\b.*|[,， ]*(?:我)?(?:今年|年龄).*")
_OTHER_SENSE: Final = re.compile(
    r" ?(?:class )?(?:is|are|was|were) (?:so |very |too |really |such |just )*(?:an? )?(?:\w+ )?"
    r"(?:scam|joke|rip-?off|bad|terrible|awful|in trouble|in recession|weak|overpriced)\b"
    r"| (?:procedure|practice|geometry|on the wall|against|of thought|class work)\b"
)


def code_spans(text: str) -> list[Span]:
    """Where code and addresses of pages stand in a folded text: nothing is read there."""
    return [match.span() for match in _CODE.finditer(text)]


def is_idle(text: str) -> bool:
    """Whether an answer names no place or person: laughter, scolding, numbers, code, putting off, a refusal."""
    return _IDLE.fullmatch(text) is not None or _NEGATED.match(text) is not None


def leads_nowhere(text: str, cue: Span, at: int) -> bool:
    """Whether a cue of direction is none ("thanks to Mary"), or leads to no place ("go to bed")."""
    return _NO_WAY.search(text[max(0, cue[0] - 24) : cue[0]]) is not None or _NO_PLACE.match(text, at) is not None


def before_age(text: str, span: Span) -> Span:
    """A name without what tells the age behind it ("Anna Schmidt and I'm")."""
    match = _AGE.search(text, *span)
    return (span[0], match.start()) if match is not None and match.start() > span[0] else span


def other_sense(text: str, span: Span) -> bool:
    """Whether an option's word means something else, or is only judged ("the economy is bad")."""
    return _OTHER_SENSE.match(text, span[1]) is not None


def swapped(text: str, held: str) -> Iterator[Span]:
    """Where a value stands that is to replace the held one ("York instead of Leeds", 要南京不要北京)."""
    old = re.escape(held)
    for pattern in (
        rf"(?:.{{0,40}}? to |)(?P<value>[^,]{{2,40}}?),? (?:instead of|rather than|and not) (?:to )?{old}[ .!]*",
        rf"(?:我)?(?:想)?(?:要|去|是|改成)(?P<value>[^,，不要去]{{2,10}})[,， ]?"
        rf"(?:不要|不去|而不是|不是){old}[ 。!]*(?:了)?",
    ):
        match = re.fullmatch(pattern, text.strip())
        if match is not None:
            lead = len(text) - len(text.lstrip())
            start, end = match.span("value")
            yield start + lead, end + lead

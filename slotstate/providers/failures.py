"""Provider errors: which pass by themselves, and each as one clear line without secrets.

Providers' error classes are known by their shape (`status_code`, class names), not by import: most of the packages are
not installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from slotstate.contract import MASK

_PASSING: Final = frozenset({408, 409, 425, 429})
_CUT: Final = frozenset(
    {"APIConnectionError", "TransportError", "HTTPError", "ConnectionError", "ServiceUnavailableError"}
)
_NEVER: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_SECRET: Final = re.compile(
    r"\b(?:sk|pk|gsk|xai|key|tok|hf|AIza)[-_][\w./+=-]{8,}|\bAIza[\w-]{20,}"
    r"|(?<=Bearer )[\w./+=-]+|(?<=api[-_]key[=:])\s*\S+",
    re.IGNORECASE,
)
_DAY: Final = 86_400.0
"""Seconds: a longer wait, or an infinite one, is no answer to when to call again."""
_UNSEEN: Final = re.compile(
    "[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
"""What nobody sees, and what moves a terminal or turns the line around."""
_ADVICE: Final[Mapping[int, str]] = {
    400: "the provider refused the request",
    401: "the provider refused the key: check it",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "no such model or address: check both",
    408: "the provider took too long",
    413: "the request is too long for the provider",
    422: "the provider refused the request",
    429: "the provider's rate limit is reached",
}


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error stands for."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and 100 <= status < 600:
                return status
    return None


def passing(error: BaseException) -> bool:
    """Whether the same request may succeed in a moment."""
    if getattr(error, "code", None) in _NEVER:
        return False
    status = status_of(error)
    if status is not None:
        return status in _PASSING or status >= 500
    return isinstance(error, OSError) or bool(_CUT & {kind.__name__ for kind in type(error).__mro__})


def retry_after(error: BaseException) -> float | None:
    """Seconds that the provider asks to wait, None where it names none that make sense."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    for name, unit in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name)) / unit
        except (TypeError, ValueError):  # absent, or a date: providers of models send seconds
            continue
        if 0 <= seconds <= _DAY:
            return seconds
    return None


def describe(error: BaseException, model: str, secrets: Iterable[str] = ()) -> str:
    """One line that says what happened and what to do, without keys."""
    status = status_of(error)
    told = _message(error)
    if status is not None:
        advice = _ADVICE.get(status) or ("the provider failed" if status >= 500 else "the provider answered")
        wait = retry_after(error)
        hint = f", retry in {wait:g} s" if status == 429 and wait else ""
        line = f"{model}: {advice} ({status}{hint})"
    elif "timeout" in type(error).__name__.lower() or isinstance(error, TimeoutError):
        line = f"{model}: the provider did not answer in time"
    elif passing(error):
        line = f"{model}: the connection to the provider failed"
        cause = error.__cause__
        told = told if cause is None else f"{told} {type(cause).__name__}: {cause}"
    else:
        line = f"{model}: {type(error).__name__}"
    return redact(f"{line}: {told}" if told else line, secrets)


def _message(error: BaseException) -> str:
    body: Any = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = cast(Mapping[str, Any], body).get("error", cast(Any, body))
        said = cast(Mapping[str, Any], inner).get("message") if isinstance(inner, Mapping) else inner
        if isinstance(said, str):
            return said
    return "" if status_of(error) is not None and "<" in str(error) else str(error)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` on one line, cut, with keys masked: those given, and whatever looks like one."""
    text = _UNSEEN.sub("", text)
    for secret in sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    text = " ".join(_SECRET.sub(MASK, text).split())
    return text if len(text) <= 300 else f"{text[:299]}…"


def keys_of(options: Mapping[str, Any], client: object = None) -> set[str]:
    """Keys that must not be shown: in the options, in the client, in the environment."""
    found: set[Any] = {value for name, value in options.items() if "key" in name.lower() or "token" in name.lower()}
    found |= {value for name, value in os.environ.items() if name.endswith(("_API_KEY", "_TOKEN", "_SECRET"))}
    found.add(getattr(client, "api_key", None))
    found.add(getattr(getattr(client, "client", None), "api_key", None))
    return {secret for secret in found if isinstance(secret, str)}

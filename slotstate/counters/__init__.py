"""Token counters: plug-ins that count as a model does. `make_counter` makes one from its name."""

from __future__ import annotations

import re
from typing import Final

from slotstate.errors import InputError, near
from slotstate.tokens import CachedCounter, Counter, Estimator

NAMES: Final = ("estimate", "o200k_base", "cl100k_base", "hf:PATH")

_MODELS: Final = (
    ("o200k_base", re.compile(r"(?:(?:chat)?gpt-(?:4o|4\.1|4\.5|5(?:\.\d+)?|oss)|o[134]|codex-mini)(?:-.*)?")),
    ("cl100k_base", re.compile(r"gpt-(?:4|3\.5|35)(?:-.*)?")),
)
"""OpenAI's models by the encoding that they use: a family, or a family, a hyphen and anything."""

_FAMILIES: Final = (
    "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4.5", "gpt-5", "gpt-5-mini", "gpt-oss-20b", "o1", "o3",
    "o3-mini", "o4-mini", "gpt-4", "gpt-4-turbo", "gpt-3.5-turbo",
)  # fmt: skip


def make_counter(name: str) -> Counter:
    """The counter that `name` stands for: `estimate`, `o200k_base`, `cl100k_base`, an OpenAI model (`gpt-4o`,
    `openai/gpt-5-mini`, `ft:gpt-4o:…`), or `hf:PATH`, a Hugging Face tokenizer.json or the folder that holds one.

    It remembers the counts of texts that come again. Raises InputError, naming what is possible, and MissingExtra.
    """
    if name == "estimate":
        return CachedCounter(Estimator())
    if name.startswith("hf:"):
        from slotstate.counters.huggingface import read_tokenizer

        return CachedCounter(read_tokenizer(name.removeprefix("hf:")))
    encoding = encoding_of(name)
    if encoding is None:
        hint = near(name.rpartition("/")[2], (*NAMES, *_FAMILIES))
        forms = f"use {', '.join(NAMES)} or an OpenAI model"
        hint = f"{hint} (or {forms})" if hint.startswith("; did") else f"; {forms}"
        raise InputError(f"no token counter for {name!r}{hint}")
    from slotstate.counters.encodings import EncodingCounter

    return CachedCounter(EncodingCounter(encoding))


def encoding_of(name: str) -> str | None:
    """The encoding that this OpenAI model uses, or that has this name; None where none is known.

    A provider in front (`openai/`, `azure/`) and the marks of a fine-tuned model (`ft:MODEL:…`) are no part of it.
    """
    model = re.sub(r"^(?:openai/|azure/)?(?:ft:)?", "", name.strip().lower()).partition(":")[0]
    for encoding, pattern in _MODELS:
        if model == encoding or pattern.fullmatch(model):
            return encoding
    return None


__all__ = ["NAMES", "encoding_of", "make_counter"]

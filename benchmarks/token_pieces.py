"""Writes slotstate/pieces.py, what the estimator of tokens knows of vocabularies.

usage: python -m benchmarks.token_pieces TOKENIZER.json … > slotstate/pieces.py

A piece is listed when it is one token in o200k_base, cl100k_base and every tokenizer.json given (byte-level ones: those
of Llama 3.1, Qwen 3 and DeepSeek were given), and among those that the texts at hand use most: package descriptions,
the standard library, half of the corpora's dialogues and half of Django's translations; benchmarks.token_estimate
measures on the other halves. A character is listed when it is one token in both of OpenAI's encodings.
"""

from __future__ import annotations

import json
import re
import string
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import toktok

from benchmarks.token_estimate import LANGUAGES, code, corpora, descriptions, records, translations

WORDS, UPPER, LETTERS, MARKS = 2_500, 150, 400, 250
"""How many are listed: words (in all their forms), capitals, pieces with letters beyond ASCII, punctuation."""
LONGEST = 12
WIDTH = 114
OPENAI = ("o200k_base", "cl100k_base")
SPECIAL = frozenset(range(0xD800, 0xE000))


def vocabulary(encoding: str) -> set[bytes]:
    """The tokens of one of OpenAI's encodings."""
    return {bytes(token) for token in toktok._encoding(encoding).token_byte_values()}


def byte_level(path: str) -> set[bytes]:
    """The tokens of a byte-level tokenizer.json, whose vocabulary writes each byte as a printable character."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    bytes_of = {chr(byte): byte for byte in printable}
    bytes_of |= {chr(256 + at): byte for at, byte in enumerate(byte for byte in range(256) if byte not in printable)}
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        tokens = json.load(file)["model"]["vocab"]
    return {bytes(bytes_of[one] for one in token) for token in tokens if all(one in bytes_of for one in token)}


def texts() -> Iterator[tuple[float, list[str]]]:
    """What is counted on, with weights."""
    english, chinese = corpora(odd=False)
    yield 6, english
    yield 4, chinese
    yield 5, descriptions()
    yield 1, code()[::2]
    yield 1, records(odd=False)
    for language in LANGUAGES:
        yield 0.25, translations(language)[::2]


def shares(common: set[str]) -> Counter[str]:
    """How much of the texts each common token makes up, as cl100k_base splits them."""
    encoding = toktok._encoding("cl100k_base")
    tokens = [bytes(token).decode("utf-8", "replace") for token in encoding.token_byte_values()]
    found: Counter[str] = Counter()
    for weight, some in texts():
        ids = Counter(one for text in some for one in encoding.encode_ordinary(text))
        for one, times in ids.items():
            if tokens[one] in common:
                found[tokens[one]] += weight * times / ids.total()
    return found


def most(found: Mapping[str, float], pattern: str, number: int, base: partial[str] | None = None) -> list[str]:
    """The pieces of this form that are used most, without the space in front of them and by their `base`."""
    share: Counter[str] = Counter()
    for piece, weight in found.items():
        bare = piece.removeprefix(" ")
        if 1 < len(piece) <= LONGEST and re.fullmatch(pattern, bare):
            share[base(bare) if base else bare] += weight
    return [piece for piece, _ in share.most_common(number)]


def forms(piece: str, common: set[str]) -> str:
    """In which forms a piece is a token: (b)are, (B)are with a capital, after a (s)pace, after a (S)pace with one."""
    title = piece[0].upper() + piece[1:]
    known = {"b": piece, "B": title, "s": f" {piece}", "S": f" {title}"}
    if title == piece:
        known = {"b": piece, "s": f" {piece}"}
    return "".join(key for key, form in known.items() if len(form) > 1 and form in common)


def costs(characters: Iterable[str]) -> dict[str, int]:
    """The tokens of each character in the worse of OpenAI's encodings."""
    every = list(characters)
    counted = [toktok.batch_count(every, encoding) for encoding in OPENAI]
    return {one: max(counts) for one, *counts in zip(every, *counted, strict=True)}


def shown(character: str) -> str:
    """A character as it can stand in a source file."""
    plain = unicodedata.category(character)[0] in "LPS" and unicodedata.bidirectional(character) not in {"R", "AL"}
    return character if plain and character != "\\" else character.encode("unicode_escape").decode()


def lines(parts: Iterable[str], between: str) -> str:
    """The parts put into lines of the width of the project's, where a wide character counts twice."""
    found, line = [], ""
    for part in parts:
        longer = line + between + part if line else part
        if sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in longer) > WIDTH:
            found.append(line)
            longer = part
        line = longer
    return "\n".join([*found, line])


def main(paths: list[str]) -> None:
    tokens = set.intersection(*map(vocabulary, OPENAI), *map(byte_level, paths))
    common = {text for token in tokens if "\ufffd" not in (text := token.decode("utf-8", "replace"))}
    found = shares(common)
    groups: defaultdict[str, list[str]] = defaultdict(list)
    pieces = most(found, "[A-Z]?[a-z]+", WORDS, partial(str.lower))
    pieces += most(found, "[A-Z]{2,}", UPPER)
    pieces += most(found, "[a-z\u00c0-\u052f]*[\u00c0-\u052f][a-z\u00c0-\u052f]*", LETTERS)
    for piece in dict.fromkeys([*pieces, *string.ascii_letters]):
        groups[forms(piece, common)].append(piece)
    marks = [form for one in most(found, r"[!-/:-@\[-`{-~]+\n*", MARKS) for form in (one, f" {one}") if form in common]
    marks += [f" {one}" for one in string.punctuation if f" {one}" in common]
    cost = costs(chr(code) for code in range(0x80, 0x10000) if code not in SPECIAL)
    pairs = 0
    for block in range(2, 1024):
        inside = [cost[chr(code)] for code in range(block * 64, block * 64 + 64) if code not in SPECIAL]
        pairs |= (max(inside, default=3) <= 2) << block
    print(HEAD)
    for key in sorted((key for key in groups if key), key=lambda key: -len(groups[key])):
        print(f'    "{key}": """\n{lines(sorted(groups[key]), " ")}\n""",')
    print("}\n" + MARKS_DOC)
    quoted = [json.dumps(one) for one in sorted(set(marks)) if len(one) > 1]
    print(
        "MARKS: Final = (\n" + "\n".join(f"    {one}," for one in lines(quoted, ", ").split("\n")) + "\n)  # fmt: skip"
    )
    print('\nSINGLES: Final = """\n' + lines(map(shown, (one for one, tokens in cost.items() if tokens == 1)), ""))
    print(f'"""\n{SINGLES_DOC}\nPAIRS: Final = int(\n    """')
    digits = f"{pairs:x}"
    print("\n".join(digits[at : at + 100] for at in range(0, len(digits), 100)))
    print('""".replace("\\n", ""),\n    16,\n)\n' + PAIRS_DOC)


HEAD = '''"""What the estimator of tokens knows of vocabularies. Written by benchmarks/token_pieces.py, not by hand."""

from __future__ import annotations

from typing import Final

PIECES: Final = {'''
MARKS_DOC = '''"""What is one token in the vocabularies of most models, by the forms in which it is: (b)are, (B)are with
a capital first, after a (s)pace, after a (S)pace with a capital first."""
'''
SINGLES_DOC = '''"""The characters beyond ASCII that are one token in OpenAI's encodings."""
'''
PAIRS_DOC = (
    '''"""A bit for each block of 64 characters below U+10000, set where each of them is at most two tokens."""'''
)

if __name__ == "__main__":
    main(sys.argv[1:])

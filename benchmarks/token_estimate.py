"""How far the estimator of tokens is from exact counts, and what counting costs.

usage: python -m benchmarks.token_estimate [--tokenizer PATH …]

For each kind of text, the estimate is divided by the larger count of o200k_base and cl100k_base, text by text: the
median, the 5th and the 95th percentile, the share of texts that are under-counted, and the largest part that is missing
from a text of more than 20 tokens. Dialogues, JSON, code and translations are the halves that no choice was made on
(see benchmarks.token_pieces). Other languages are Django's translations, where Django is installed.
--tokenizer adds a table against any tokenizer.json.
"""

from __future__ import annotations

import argparse
import base64
import gettext
import json
import os
import random
import statistics
import string
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import distributions
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from slotstate.counters import make_counter
from slotstate.tokens import CachedCounter, Counter, Estimator, message_tokens

LANGUAGES = "ar cs da de el es fa fi fr he hi hu id it ja ko nl pl pt ro ru sv th tr uk vi zh_Hans".split()
UNSEEN = "af be bg bn cy eo et eu ga hy is ka kk km kn lt lv mk mn mr my ne sk sl sq sr sw ta te tk ur uz".split()
"""Languages of Django that had no part in the choice of pieces."""
EMOJI = [chr(code) for block in ((0x1F300, 0x1F650), (0x1F680, 0x1F6D0), (0x2600, 0x27B0)) for code in range(*block)]
EMOJI += ["👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣"] * 40
NAMES = """Þorsteinn Jónsdóttir Nguyễn Phương Qiaozhen Xiuying Krzysztof Brzęczyszczykiewicz Hrvoje Ljubljana
Reykjavík København Tegucigalpa Ouagadougou Antananarivo Nuku'alofa Dnipropetrovsk Szczecin""".split()


def _data() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("SLOTSTATE_DATA") or folder)


def _read(name: str) -> Any:
    return json.loads((_data() / name).read_text(encoding="utf-8"))


# -- Texts: the even halves chose the pieces, the odd ones measure -----------------------------------------------------


def corpora(*, odd: bool) -> tuple[list[str], list[str]]:
    """The English and the Chinese turns of every second dialogue."""
    names = ("sgd/sgd_test_dev.json", "multiwoz/multiwoz24_test_dev.json", "crosswoz/crosswoz_test_dev.json")
    sgd, multiwoz, crosswoz = map(_read, names)
    english = [turn["utterance"] for dialogue in sgd[odd::2] for turn in dialogue["turns"]]
    english += [turn["text"] for dialogue in list(multiwoz.values())[odd::2] for turn in dialogue["log"]]
    return english, [turn["content"] for dialogue in list(crosswoz.values())[odd::2] for turn in dialogue["messages"]]


def descriptions() -> list[str]:
    """What the installed packages say of themselves."""
    return [text for one in distributions() if (text := one.metadata.get_payload()) and isinstance(text, str)]


def code() -> list[str]:
    """Pieces of the standard library's modules."""
    found = []
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found += ["\n".join(lines[at : at + 5 + at % 23]) for at in range(0, len(lines), 151)]
    return found


def records(*, odd: bool) -> list[str]:
    """JSON in the usual three spellings: what the corpora note beside every turn, and the slots of services."""
    frames = [turn["frames"] for dialogue in _read("sgd/sgd_test_dev.json")[odd::2] for turn in dialogue["turns"]]
    slots = [slot for service in _read("sgd/schema.json")[odd::2] for slot in service["slots"]]
    dialogues = list(_read("multiwoz/multiwoz24_test_dev.json").values())[odd::2]
    states = [turn["metadata"] for dialogue in dialogues for turn in dialogue["log"]]
    spellings: tuple[dict[str, Any], ...] = ({"separators": (",", ":")}, {}, {"indent": 2})
    some = [one for one in (*frames, *slots, *states) if one]
    return [json.dumps(one, ensure_ascii=False, **spellings[at % 3]) for at, one in enumerate(some)]


@cache
def translations(language: str) -> list[str]:
    """Django's messages in a language, where Django is installed."""
    spec = find_spec("django")
    if spec is None or not spec.submodule_search_locations:
        return []
    root = Path(next(iter(spec.submodule_search_locations)))
    found = set()
    for file in root.rglob(f"locale/{language}/LC_MESSAGES/django.mo"):
        with file.open("rb") as opened:
            messages = gettext.GNUTranslations(opened)._catalog
        found |= {text for key, text in messages.items() if key and isinstance(text, str) and len(text) > 3}
    return sorted(found)


def log_line(rng: random.Random) -> str:
    """A line as servers write them."""
    at = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:07"
    level = rng.choice(["INFO", "WARN", "ERROR", "DEBUG"])
    ip = ".".join(str(rng.randint(0, 255)) for _ in range(4))
    word = "".join(rng.choices(string.ascii_lowercase, k=6))
    return rng.choice(
        [
            f"{at}.{rng.randint(0, 999):03}Z {level} [worker-{rng.randint(1, 9)}] app.billing.InvoiceService - request "
            f"{rng.getrandbits(64):016x} took {rng.randint(1, 9999)} ms, status={rng.choice([200, 404, 500])}",
            f'{ip} - - [{rng.randint(1, 28)}/Mar/2026:10:11:12 +0000] "GET /api/items/{rng.randint(1, 99999)}?q={word} '
            f'HTTP/1.1" 200 {rng.randint(100, 99999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"',
            f"[{rng.random() * 1000:12.6f}] usb {rng.randint(1, 4)}-1: new high-speed USB device number 7 on xhci_hcd",
            f'  File "/srv/app/views.py", line {rng.randint(1, 900)}, in get_{word}\nKeyError: {word!r}',
        ]
    )


def kinds(rng: random.Random) -> Iterator[tuple[str, list[str]]]:
    """The kinds of texts, with samples."""
    english, chinese = corpora(odd=True)
    yield "English turns", english
    yield "English, ten turns", ["\n".join(english[at : at + 10]) for at in range(0, len(english), 10)]
    yield "Chinese turns", chinese
    yield "Chinese, ten turns", ["\n".join(chinese[at : at + 10]) for at in range(0, len(chinese), 10)]
    yield "JSON", records(odd=True)
    yield "Python", code()[1::2]
    yield "logs", ["\n".join(log_line(rng) for _ in range(rng.randint(1, 12))) for _ in range(500)]
    mixed = english + chinese * 4
    yield "with emoji", [f"{rng.choice(mixed)} {''.join(rng.choices(EMOJI, k=rng.randint(1, 5)))}" for _ in range(800)]
    yield "names", [f"Please book it for {' '.join(rng.sample(NAMES, 2))}." for _ in range(300)]
    for name, languages in (("27 languages", LANGUAGES), ("32 languages unseen", UNSEEN)):
        texts = [translations(language)[1::2] for language in languages]
        yield name, list(chain.from_iterable(texts))
        yield f"{name}, ten texts", ["\n".join(one[at : at + 10]) for one in texts for at in range(0, len(one), 10)]
    yield "capitals", [text.upper() for text in english[:600]]
    hexes = [f"{rng.getrandbits(rng.randint(64, 512)):x}" for _ in range(300)]
    yield "hex, base64", hexes + [base64.b64encode(rng.randbytes(rng.randint(20, 300))).decode() for _ in range(300)]
    for name, first, last in (
        ("random ASCII", 0, 127),
        ("random Unicode", 0, 0x10FFFF),
        ("random CJK", 0x4E00, 0x9FFF),
    ):
        yield name, [random_text(rng, first, last) for _ in range(500)]


def random_text(rng: random.Random, first: int, last: int) -> str:
    """Characters of a range, without surrogates."""
    codes = (rng.randint(first, last) for _ in range(rng.randint(3, 60)))
    return "".join(chr(one) for one in codes if not 0xD800 <= one < 0xE000)


# -- Measures ----------------------------------------------------------------------------------------------------------


def report(name: str, texts: Sequence[str], estimator: Counter, exact: Sequence[Counter]) -> None:
    """One line on a kind of texts."""
    counts = [(estimator.count(text), max(one.count(text) for one in exact)) for text in texts]
    counts = [(estimate, count) for estimate, count in counts if count]
    if not counts:
        print(f"{name:<30} none here")
        return
    ratios = sorted(estimate / count for estimate, count in counts)
    under = sum(estimate < count for estimate, count in counts) / len(counts)
    missing = max([0.0, *(1 - estimate / count for estimate, count in counts if count > 20)])
    low, high = (ratios[int(share * (len(ratios) - 1))] for share in (0.05, 0.95))
    print(
        f"{name:<30} {len(counts):>6} {sum(count for _, count in counts):>8} {statistics.median(ratios):>8.2f} "
        f"{low:>6.2f} {high:>6.2f} {under:>8.2%} {missing:>9.1%}"
    )


def table(exact: Sequence[Counter]) -> None:
    """The estimator against these counters."""
    print(f"\nagainst {' and '.join(one.name for one in exact)}")
    print(f"{'':<30} {'texts':>6} {'tokens':>8} {'median':>8} {'5 %':>6} {'95 %':>6} {'under':>8} {'missing':>9}")
    for name, texts in kinds(random.Random(4)):
        report(name, texts, Estimator(), exact)


def microseconds(call: Callable[[], object], times: int = 20, repeats: int = 400) -> float:
    """The least time of one call, so that other work on the machine counts little."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(times):
            call()
        best = min(best, (time.perf_counter() - start) / times)
    return best * 1e6


def costs(counters: Sequence[Counter]) -> None:
    """What a count takes: of a text of some 60 tokens that is new and that is known, and of 100,000 characters."""
    english, chinese = corpora(odd=True)
    samples = {"English": " ".join(english[:4]), "Chinese": "".join(chinese[:4])}
    print("\nµs to count a text, to count a message with a text that came before, ms for 100,000 characters")
    for counter in counters:
        known = CachedCounter(counter)
        for language, text in samples.items():
            message = {"role": "user", "content": text}
            new = microseconds(lambda counter=counter, text=text: counter.count(text))
            again = microseconds(lambda known=known, message=message: message_tokens(known, message))
            long = microseconds(lambda counter=counter, text=text: counter.count((text * 5_000)[:100_000]), 1, 3) / 1e3
            print(
                f"{counter.name[-20:]:<20} {language}, {counter.count(text)} tokens: {new:.1f}, {again:.2f}, {long:.1f}"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", action="append", default=[], help="a tokenizer.json, or its folder")
    options = parser.parse_args(arguments)
    openai = [make_counter(name) for name in ("o200k_base", "cl100k_base")]
    others = [make_counter(f"hf:{path}") for path in options.tokenizer]
    for exact in (openai, openai[:1], *([one] for one in others)):
        table(exact)
    costs([Estimator(), *(one._counter for one in (*openai, *others) if isinstance(one, CachedCounter))])


if __name__ == "__main__":
    main()

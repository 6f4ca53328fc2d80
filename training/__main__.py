"""Makes the models of the built-in extractor.

usage: python -m training learn FOLDER --out FILE [--seed N] [--jobs N] [--small]
       python -m training adapt CORPUS PATH --out FILE [--base FILE] [--schema S]… [--limit N] [--seed N]

learn   from the training split of the Schema-Guided Dialogue corpus: FOLDER holds its dialogues_*.json and schema.json
        (github.com/google-research-datasets/dstc8-schema-guided-dialogue, folder train; CC BY-SA 4.0); files
        schema_v1.json … schema_v5.json beside them are taken as rewordings (folder sgd_x/data/v*/train there).
adapt   carries models on with another corpus (multiwoz, crosswoz) or with sessions exported from a store (sessions,
        with --schema for their domains): what was confirmed or corrected there is what is learned from. What nobody
        confirmed counts neither as right nor as wrong.

`slotstate … --extractor builtin:FILE` then uses them. The same data and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from slotstate.errors import InputError, SlotstateError
from slotstate.extractors.builtin.learned import modelfile


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 2 for input that cannot be used."""
    options = _parser().parse_args(argv)
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {line}", file=sys.stderr, flush=True)

    try:
        _check_out(options.out)
        arrays, about = _learn(options, say) if options.command == "learn" else _adapt(options, say)
    except ModuleNotFoundError as error:
        print(f"training: {error.name} is not installed: pip install -e '.[train]'", file=sys.stderr)
        return 2
    except (SlotstateError, OSError, ValueError) as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    content = modelfile.dump(arrays, about)
    modelfile.load(content, str(options.out))
    try:
        options.out.write_bytes(content)
    except OSError as error:
        print(f"training: cannot write {options.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    say(f"{options.out}: {len(content) / 1e6:.2f} MB, sha256 {hashlib.sha256(content).hexdigest()[:16]}")
    return 0


def _check_out(out: Path) -> None:
    """Raises InputError where the file cannot be written: before the work is done rather than after it."""
    if out.is_dir():
        raise InputError(f"--out {out} is a folder: name a file")
    if not out.parent.is_dir():
        raise InputError(f"cannot write --out {out}: there is no folder {out.parent}")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise InputError(f"cannot write --out {out}: it is not permitted")


def _learn(options: argparse.Namespace, say: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from training.recipe import Sizes, learn

    sizes = Sizes(60, 60, 60, 30, 30, 30) if options.small else None
    arrays = learn(options.folders, seed=options.seed, sizes=sizes, jobs=options.jobs, say=say)
    return arrays, {
        "data": [f"SGD {folder.name} (CC BY-SA 4.0)" for folder in options.folders],
        "seed": options.seed,
        "languages": ["en"],
    }


def _adapt(options: argparse.Namespace, say: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from training.corpora import language_of, read_played
    from training.keeping import adapted

    arrays, about = modelfile.arrays_of(options.base)
    dialogues = read_played(options.corpus, options.path, options.schema)[: options.limit]
    say(f"{len(dialogues)} dialogues, {sum(len(one.turns) for one in dialogues)} user turns")
    languages = sorted({*about.get("languages", ["en"]), language_of(dialogues)})
    data = [*about.get("data", []), f"{options.corpus} ({len(dialogues)} dialogues)"]
    lists = about.get("lists", False) or any(
        spec.kind == "list" for one in dialogues for spec in one.domains.specs.values()
    )
    after = {**about, "data": data, "languages": languages, "lists": lists}
    made = adapted(arrays, about, dialogues, after, seed=options.seed, say=say)
    return (dict(arrays), dict(about)) if made is None else (made, after)


def _from(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not less."""

    def read(given: str) -> int:
        number = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else -1
        if number < least:
            raise argparse.ArgumentTypeError(f"{given[:20]!r} is no whole number from {least} on")
        return number

    return read


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="training", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    learn = commands.add_parser("learn", help="from SGD's training and development splits")
    learn.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a split each, with its schemas")
    learn.add_argument("--small", action="store_true", help="a few dialogues: to try the recipe out")
    learn.add_argument("--jobs", type=_from(1), default=1, help="processes (default: 1); the result is the same")
    adapt = commands.add_parser("adapt", help="with more dialogues")
    adapt.add_argument("corpus", choices=["multiwoz", "crosswoz", "sessions"], help="what PATH holds")
    adapt.add_argument("path", type=Path, metavar="PATH", help="a file, a .zip file, or a folder")
    adapt.add_argument("--base", metavar="FILE", help="the models to carry on with, by default those that ship")
    adapt.add_argument(
        "--schema", metavar="S", action="append", default=[], help="what the sessions track; may be repeated"
    )
    adapt.add_argument("--limit", metavar="N", type=_from(1), help="only the first N dialogues")
    for command in (learn, adapt):
        command.add_argument("--out", metavar="FILE", type=Path, required=True, help="where to write the models")
        command.add_argument("--seed", metavar="N", type=_from(0), default=0, help="of all chance (default: 0)")
    return parser


if __name__ == "__main__":
    sys.exit(main())

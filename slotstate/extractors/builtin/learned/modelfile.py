"""The file that holds the models: a line that says what it is, a header as JSON, then the arrays one after another.

Nothing in it depends on when or where it was written: the same models give the same bytes. The header holds a digest of
all the rest, so that a damaged file is refused rather than read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np

from slotstate.errors import InputError
from slotstate.extractors.builtin.learned.columns import NAMES
from slotstate.extractors.builtin.learned.fitting import check_arrays
from slotstate.extractors.builtin.learned.linear import Crossed, Several
from slotstate.extractors.builtin.learned.models import SYSTEM_ACTS, USER_ACTS, Models
from slotstate.extractors.builtin.learned.rivals import EXTRA
from slotstate.extractors.builtin.learned.tagger import LABELS, Tagger
from slotstate.extractors.builtin.learned.trees import Trees
from slotstate.resources import data_bytes

MAGIC: Final = b"slotstate extractor models\n"
VERSION: Final = 3
"""Of the format and of what the features mean: a file of another version is refused."""
DEFAULT: Final = "extractors/builtin/learned/builtin.slotmodel"
REMEDY: Final = "train it again with this version: python -m training (see docs/extractors.md)"
_TREES: Final = ("feature", "threshold", "masks", "starts", "leaves")
_DTYPES: Final = frozenset({"|i1", "|u1", "<u2", "<u4", "<i4", "<f4", "<f8"})
_FEATURES: Final = crc32("\n".join((*NAMES, *EXTRA, *LABELS, *USER_ACTS, *SYSTEM_ACTS)).encode())
"""Tells models apart that were made for other columns than these."""


def dump(arrays: Mapping[str, Any], about: Mapping[str, Any]) -> bytes:
    """The bytes of a model file. `arrays` are plain little-endian numpy arrays by name, `about` is told of the models:
    data, seed, figures, no times.
    """
    listed = []
    body = bytearray()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        listed.append([name, array.dtype.str, list(array.shape)])
        body += array.tobytes()
    header: dict[str, Any] = {"version": VERSION, "features": _FEATURES, "about": dict(about), "arrays": listed}
    told = _told({**header, "digest": _digest(header, body)})
    return MAGIC + len(told).to_bytes(4, "little") + told + bytes(body)


def _told(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _digest(header: Mapping[str, Any], body: bytes | bytearray | memoryview) -> str:
    """Of the arrays and of all that the header says beside it."""
    digest = sha256(_told(header))
    digest.update(body)
    return digest.hexdigest()


def load(content: bytes, name: str) -> tuple[Models, Mapping[str, Any]]:
    """The models of a file's content, and what it tells of them. Raises InputError, in one line."""
    arrays, about = _opened(content, name)
    return _models(arrays, about), about


def _opened(content: bytes, name: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    if not content.startswith(MAGIC):
        raise InputError(f"{name} is no model file of the built-in extractor: it should begin with {MAGIC.decode()!r}")
    start = len(MAGIC) + 4
    try:
        size = int.from_bytes(content[len(MAGIC) : start], "little")
        header = json.loads(content[start : start + size])
        version = header["version"]
        if type(version) is not int:
            raise TypeError("a version is a whole number")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{name}: the header of this model file cannot be read; {REMEDY}") from None
    if version != VERSION:
        short = str(version)[:12]
        raise InputError(f"{name} holds models of version {short}, this slotstate reads version {VERSION}; {REMEDY}")
    if header.get("features") != _FEATURES:
        raise InputError(f"{name} holds models that were made by another release of slotstate; {REMEDY}")
    told = header.pop("digest", None)
    try:
        if told != _digest(header, memoryview(content)[start + size :]):
            raise ValueError("not the bytes that were written")
        arrays, about = _arrays(content, start + size, header["arrays"]), _about(header["about"])
        check_arrays(arrays)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError):
        raise InputError(f"{name}: this model file is cut off or damaged; {REMEDY}") from None
    return arrays, about


def _about(told: Any) -> Mapping[str, Any]:
    """What a file tells of its models. Raises ValueError where a part that is read is of another kind."""
    about = dict(told)
    for name in ("languages", "data"):
        if not isinstance(about.get(name, []), list) or not all(isinstance(one, str) for one in about.get(name, [])):
            raise ValueError(name)
    if not isinstance(about.get("lists", False), bool):
        raise ValueError("lists")
    return about


def _arrays(content: bytes, at: int, listed: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, kind, shape in listed:
        if kind not in _DTYPES:
            raise ValueError(kind)
        dtype = np.dtype(kind)
        count = int(np.prod(shape, dtype=np.int64))
        if count < 0 or at + count * dtype.itemsize > len(content):
            raise ValueError(name)
        found[name] = np.frombuffer(content, dtype, count, at).reshape(shape)
        at += count * dtype.itemsize
    if at != len(content):
        raise ValueError("more bytes than are listed")
    return found


def _models(arrays: Mapping[str, Any], about: Mapping[str, Any]) -> Models:
    first, second = (Trees(*(arrays[f"{which}.{part}"] for part in _TREES)) for which in ("first", "second"))
    return replace(
        built(arrays), first=first, second=second, languages=tuple(about.get("languages", ("en",))),
        lists=about.get("lists", False),
    )  # fmt: skip


def built(arrays: Mapping[str, Any]) -> Models:
    """The models of a file's arrays, the scorers left out."""

    def crossed(name: str) -> Crossed:
        return Crossed(_real(arrays, name), float(arrays[f"{name}.bias"][0]))

    def several(name: str) -> Several:
        return Several(_real(arrays, name), arrays[f"{name}.bias"])

    return Models(
        tagger=Tagger(arrays["tagger.keys"], _real(arrays, "tagger"), _real(arrays, "moves")),
        user_acts=several("user_acts"),
        system_acts=several("system_acts"),
        fits=crossed("fits"),
        asks=crossed("asks"),
        tells=crossed("tells"),
        option=crossed("option"),
        carries=crossed("carries"),
        routes=crossed("routes"),
        open=crossed("open"),
    )


def quantised(name: str, weights: Any) -> dict[str, Any]:
    """Weights as bytes with the step between two of them."""
    top = float(np.abs(weights).max()) or 1.0
    step = np.float32(top / 127)
    return {name: np.round(weights / step).astype(np.int8), f"{name}.step": np.array([step], "<f4")}


def _real(arrays: Mapping[str, Any], name: str) -> Any:
    return arrays[name].astype(np.float32) * arrays[f"{name}.step"][0]


@lru_cache(maxsize=4)
def read(path: str | None = None) -> tuple[Models, Mapping[str, Any]]:
    """The models of a file, or those that ship with the package, and what the file tells of them. Raises InputError."""
    return load(_content(path), path or DEFAULT)


def arrays_of(path: str | None = None) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The arrays of a model file, and what it tells of them. Raises InputError."""
    return _opened(_content(path), path or DEFAULT)


def _content(path: str | None) -> bytes:
    if path is None:
        return data_bytes(DEFAULT)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the model file {path}: {error.strerror or error}") from None

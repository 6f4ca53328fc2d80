"""Features as numbers: strings hashed by CRC-32, pairs of them mixed, so that no dictionary has to ship."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias
from zlib import crc32

import numpy as np

Ids: TypeAlias = Any
"""A one-dimensional array of unsigned 32-bit numbers."""
_LEFT: Final = np.uint32(0x9E3779B1)
_RIGHT: Final = np.uint32(0x85EBCA77)


def hashed(text: str) -> int:
    """A string's number."""
    return crc32(text.encode("utf-8", "replace"))


def ids(features: Iterable[str]) -> Ids:
    """The numbers of features."""
    return np.array([hashed(one) for one in features], dtype=np.uint32)


def mixed(left: Ids, right: Ids) -> Ids:
    """The numbers of all pairs: a row for each on the left."""
    out = (left * _LEFT)[:, None] ^ (right * _RIGHT)[None, :]
    out ^= out >> np.uint32(15)
    out *= np.uint32(0x2C1B3C6D)
    out ^= out >> np.uint32(13)
    return out

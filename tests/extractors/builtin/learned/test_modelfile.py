"""The model file: what ships can be read, and what cannot be used is refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slotstate.errors import InputError
from slotstate.extractors import make_extractor
from slotstate.extractors.builtin.learned import modelfile
from slotstate.resources import data_bytes

SHIPPED = data_bytes(modelfile.DEFAULT)


def test_what_ships_is_small_and_tells_what_it_was_made_of() -> None:
    models, about = modelfile.load(SHIPPED, "shipped")
    assert len(SHIPPED) <= 8_000_000
    assert models.first is not None
    assert models.second is not None
    assert about["data"]
    assert about["languages"] == ["en"]


def test_the_same_arrays_give_the_same_bytes_and_come_back() -> None:
    arrays, about = modelfile.arrays_of()
    written = modelfile.dump(dict(reversed(arrays.items())), about)
    assert written == modelfile.dump(arrays, about)
    assert written.endswith(SHIPPED[-1_000_000:])
    again, _ = modelfile._opened(modelfile.dump(arrays, about), "again")
    assert all(np.array_equal(again[name], array) for name, array in arrays.items())


def test_weights_keep_their_size_as_bytes() -> None:
    weights = np.random.default_rng(0).normal(size=1000)
    stored = modelfile.quantised("x", weights)
    back = stored["x"].astype(np.float32) * stored["x.step"][0]
    assert np.abs(back - weights).max() <= stored["x.step"][0]


def with_header(**changes: object) -> bytes:
    start = len(modelfile.MAGIC) + 4
    size = int.from_bytes(SHIPPED[start - 4 : start], "little")
    header = {**json.loads(SHIPPED[start : start + size]), **changes}
    told = json.dumps(header).encode()
    return modelfile.MAGIC + len(told).to_bytes(4, "little") + told + SHIPPED[start + size :]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no model file"),
        (b"PK\x03\x04 something else", "no model file"),
        (modelfile.MAGIC + b"\xff\xff\xff\xff", "cannot be read"),
        (modelfile.MAGIC + b"\x02\x00\x00\x00{}", "cannot be read"),
        (SHIPPED[:-1], "cut off or damaged"),
        (SHIPPED + b"x", "cut off or damaged"),
        (modelfile.MAGIC + (100_000).to_bytes(4, "little") + b"[" * 100_000, "cannot be read"),
        (with_header(version="\x1b[31m" * 900), "cannot be read"),
        (with_header(version=10**4000), "version 100000000000,"),
        (with_header(version=99), "version 99"),
        (with_header(features=1), "train it again"),
        (with_header(arrays=[["x", "|O8", [1]]]), "cut off or damaged"),
        (with_header(arrays=[]), "cut off or damaged"),
        (with_header(digest=None), "cut off or damaged"),
        (with_header(about={"data": ["other"], "languages": ["en"]}), "cut off or damaged"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_line(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "own.slotmodel"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        make_extractor(f"builtin:{path}")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


ARRAYS, ABOUT = modelfile.arrays_of()
WRONG: dict[str, dict[str, Any]] = {
    "a tree's test of a column that there is not": {"first.feature": np.full_like(ARRAYS["first.feature"], 60_000)},
    "trees that begin nowhere": {"second.starts": np.full_like(ARRAYS["second.starts"], 10**9)},
    "trees without leaves": {"first.leaves": ARRAYS["first.leaves"][:7]},
    "leaves that are no numbers": {"first.leaves": np.full_like(ARRAYS["first.leaves"], np.nan)},
    "no trees": {f"first.{part}": ARRAYS[f"first.{part}"][:0] for part in ("feature", "threshold", "masks", "starts")},
    "no moves": {"moves": ARRAYS["moves"][:3]},
    "no words for the tagger": {"tagger": ARRAYS["tagger"][:0], "tagger.keys": ARRAYS["tagger.keys"][:0]},
    "keys for other words": {"tagger.keys": ARRAYS["tagger.keys"][:9]},
    "an act too few": {"system_acts": ARRAYS["system_acts"][:, :9]},
    "weights of an odd number": {"tells": ARRAYS["tells"][:-1]},
    "no weights": {"fits": ARRAYS["fits"][:0]},
    "no bias": {"carries.bias": ARRAYS["carries.bias"][:0]},
    "no step": {"open.step": ARRAYS["open.step"][:0]},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_arrays_that_do_not_fit_together_are_refused_when_read(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "own.slotmodel"
    path.write_bytes(modelfile.dump({**ARRAYS, **wrong}, ABOUT))
    for read in (make_extractor, lambda name: modelfile.arrays_of(name.removeprefix("builtin:"))):
        with pytest.raises(InputError, match=r"own\.slotmodel: this model file is cut off or damaged"):
            read(f"builtin:{path}")


@pytest.mark.parametrize("about", [{"languages": 5}, {"languages": "en"}, {"data": [7]}, {"lists": "no"}])
def test_what_a_file_tells_is_of_its_kind(about: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cut off or damaged"):
        modelfile.load(modelfile.dump(ARRAYS, {**ABOUT, **about}), "own")


def test_a_missing_array_is_noticed() -> None:
    lacking = {name: array for name, array in ARRAYS.items() if name != "second.masks"}
    with pytest.raises(InputError, match="cut off or damaged"):
        modelfile.load(modelfile.dump(lacking, ABOUT), "own")


@pytest.mark.parametrize("place", [0.02, 0.5, 0.999])
def test_bytes_that_were_overwritten_are_noticed(place: float, tmp_path: Path) -> None:
    content = bytearray(SHIPPED)
    path = tmp_path / "own.slotmodel"
    path.write_bytes(content)
    make_extractor(f"builtin:{path}")
    at = int(len(content) * place)
    content[at : at + 4] = bytes(byte ^ 0x5A for byte in content[at : at + 4])
    path = tmp_path / "damaged.slotmodel"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged.slotmodel: this model file is cut off or damaged"):
        make_extractor(f"builtin:{path}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the model file"):
        make_extractor(f"builtin:{tmp_path / 'none.slotmodel'}")

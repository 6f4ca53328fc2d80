"""Exact counters: names, texts that others stumble over, tokenizer.json files."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest
import toktok
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from slotstate import InputError, MissingExtra
from slotstate.counters import encoding_of, make_counter
from slotstate.tokens import TEMPLATED, CachedCounter, Counter, Overhead


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("o200k_base", "o200k_base"),
        ("cl100k_base", "cl100k_base"),
        ("gpt-4o", "o200k_base"),
        ("GPT-4o-mini-2024-07-18", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-4.5-preview", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5-mini", "o200k_base"),
        ("gpt-5.6", "o200k_base"),
        ("gpt-5.6-codex", "o200k_base"),
        ("gpt-oss-120b", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("codex-mini-latest", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("azure/gpt-4-turbo", "cl100k_base"),
        ("ft:gpt-4o-mini-2024-07-18:org:name:id", "o200k_base"),
        ("ft:gpt-3.5-turbo:org::id", "cl100k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-4-32k", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-35-turbo-16k", "cl100k_base"),
        ("gpt-4.2", None),
        ("gpt-40", None),
        ("gpt-6", None),
        ("o2", None),
        ("claude-sonnet", None),
        ("anthropic/gpt-4o", None),
        ("", None),
    ],
)
def test_models_and_their_encodings(name: str, encoding: str | None) -> None:
    assert encoding_of(name) == encoding


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gpt4o", "did you mean 'gpt-4o'"),
        ("openai/gpt-4oo", "did you mean 'gpt-4o'"),
        ("o200k", "did you mean 'o200k_base'"),
        ("estimator", "did you mean 'estimate'"),
        ("claude-opus-5", "use estimate, o200k_base, cl100k_base, hf:PATH or an OpenAI model"),
        ("", "use estimate"),
    ],
)
def test_unknown_names(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint) as refused:
        make_counter(name)
    assert "\n" not in str(refused.value)


def test_the_estimator_by_name() -> None:
    counter = make_counter("estimate")
    assert isinstance(counter, Counter)
    assert (counter.name, counter.count("hello there"), getattr(counter, "overhead", None)) == (
        "estimate",
        2,
        TEMPLATED,
    )


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("<|endoftext|>", 7, 7),
        ("<|im_start|>user<|im_sep|>", 13, 13),
        ("你好，世界 🧠", 6, 9),
        ("   \n\n  x", 3, 3),
        ("a\u0301", 2, 2),
        ("don't", 1, 2),
        ("1234567", 3, 3),
    ],
)
def test_openais_encodings(text: str, o200k: int, cl100k: int) -> None:
    assert (make_counter("gpt-5").count(text), make_counter("gpt-4").count(text)) == (o200k, cl100k)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_counts_are_those_of_the_ids(name: str) -> None:
    """The counter takes a short cut; the ids are there to compare."""
    counter = make_counter(name)
    assert (counter.name, getattr(counter, "overhead", None)) == (name, Overhead())
    rng = random.Random(3)
    pools = [
        "ab c\n\t .,",
        " \n\r\t\u00a0\u3000x",
        "中文我们的。，ab ",
        "😀👍🏽👨‍👩‍👧 a",
        "éàüßñ ",
        "'sS'T'll ",
        "0123456789 ,",
        "\u0301\u200dابجد ",
    ]
    for _ in range(2_000):
        text = "".join(rng.choices(rng.choice(pools), k=rng.randint(1, 40))) + rng.choice(
            ["", "<|endoftext|>", "<|fim_prefix|>"]
        )
        assert counter.count(text) == len(toktok._encoding(name).encode_ordinary(text)), text


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_lone_surrogates_count_as_what_is_stored(name: str) -> None:
    counter = make_counter(name)
    assert counter.count("a\ud800b\udfff") == counter.count("a\ufffdb\ufffd")
    assert counter.count("\ud83d\ude00") == counter.count("😀")


@pytest.mark.parametrize("unit", ["a", "-", " ", "\n", "1", "中", "a ", "\u200d"])
def test_a_million_of_one_letter(unit: str) -> None:
    """The naive way to merge takes the square of the length: hours."""
    assert make_counter("o200k_base").count(unit * (1_000_000 // len(unit))) > 0


def test_missing_packages_are_named_with_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'slotstate\[tokens\]'"):
        make_counter("gpt-4o")
    with pytest.raises(MissingExtra, match=r"pip install 'slotstate\[hf\]'"):
        make_counter("hf:somewhere")
    assert make_counter("estimate").count("a") == 1


# -- tokenizer.json ----------------------------------------------------------------------------------------------------


def byte_level(**settings: Any) -> Tokenizer:
    """A tokenizer of single bytes that knows one word, puts a special token in front, and cuts and pads."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = [*alphabet, "he", "Ġt"]
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    found = Tokenizer(models.BPE(vocabulary, [("h", "e"), ("Ġ", "t")], **settings))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens(["<|start|>"])
    found.post_processor = processors.TemplateProcessing(
        single="<|start|> $A", special_tokens=[("<|start|>", found.token_to_id("<|start|>"))]
    )
    found.enable_truncation(8)
    found.enable_padding(length=16, pad_token="<|start|>")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    byte_level().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_a_file_or_its_folder(folder: Path) -> None:
    for path in (folder, folder / "tokenizer.json"):
        counter = make_counter(f"hf:{path}")
        assert (counter.name, getattr(counter, "overhead", None)) == (f"hf:{path}", TEMPLATED)
        assert counter.count("he") == 1


def test_neither_cut_nor_padded_nor_framed(folder: Path) -> None:
    counter = make_counter(f"hf:{folder}")
    assert counter.count("") == 0
    assert counter.count("x" * 100) == 100
    assert counter.count("he the") == 3


def test_special_tokens_in_a_text_are_text(folder: Path) -> None:
    assert make_counter(f"hf:{folder}").count("<|start|>") == 9


def test_surrogates_in_a_tokenizer_json(folder: Path) -> None:
    assert make_counter(f"hf:{folder}").count("a\ud800") == 1 + 3


def test_home_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert make_counter("hf:~/tokenizer.json").count("x") == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory; name a tokenizer.json or its folder: hf:PATH"),
        (b"", "not a tokenizer.json of Hugging Face: EOF"),
        (b"{}", "not a tokenizer.json of Hugging Face: Model missing"),
        (b'{"model": {"type": "BPE"}}', "not a tokenizer.json of Hugging Face"),
        (b"\xff\xfe\x00", "no text file; name a tokenizer.json"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes | None, reason: str) -> None:
    if content is not None:
        (tmp_path / "tokenizer.json").write_bytes(content)
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        with pytest.raises(InputError, match=reason) as refused:
            make_counter(f"hf:{path}")
        assert str(refused.value).startswith(str(path))
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("path", ["", "\x00", "~no-such-user/tokenizer.json"])
def test_paths_that_are_none(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"name a tokenizer\.json or its folder"):
        make_counter(f"hf:{path}")


def test_a_closed_vocabulary_says_so(tmp_path: Path) -> None:
    closed = Tokenizer(models.WordLevel({"yes": 0}, unk_token="?"))
    closed.save(str(tmp_path / "tokenizer.json"))
    counter = make_counter(f"hf:{tmp_path}")
    assert counter.count("yes") == 1
    with pytest.raises(InputError, match=r"cannot count every text: .*; use another tokenizer"):
        counter.count("no")


@pytest.mark.parametrize("name", ["estimate", "o200k_base", "cl100k_base"])
@pytest.mark.parametrize("mark", ["<", "-"])
@given(before=st.text(), behind=st.text())
@example(before="a  \n", behind="|endoftext|>")
@example(before="C.\r", behind=" <\n<")
@example(before="!" * 40 + "\n" * 70, behind="<<<")
def test_lines_that_begin_with_a_tag_are_counted_apart(name: str, mark: str, before: str, behind: str) -> None:
    counter = make_counter(name)
    apart = counter.count(f"{before}\n") + counter.count(f"{mark}{behind}")
    assert counter.parts_at_tags  # type: ignore[attr-defined]  # an attribute that a counter may have
    assert counter.count(f"{before}\n{mark}{behind}") == apart


@pytest.mark.parametrize("name", ["estimate", "o200k_base", "cl100k_base"])
@given(before=st.text(min_size=1).filter(lambda text: not text[-1].isspace()), behind=st.text())
@example(before="word", behind="\t\n ")
@example(before="(", behind="'s")
@example(before="12", behind="34")
def test_what_begins_with_a_space_is_counted_apart(name: str, before: str, behind: str) -> None:
    counter = make_counter(name)
    assert counter.count(f"{before} {behind}") == counter.count(before) + counter.count(f" {behind}")


class Halves:
    """Two characters are a token, also where a line ends."""

    name = "halves"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return -(-len(text) // 2)


def test_other_counters_are_not_taken_to_count_so() -> None:
    assert not CachedCounter(Halves()).parts_at_tags

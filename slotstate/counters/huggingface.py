"""Any tokenizer of Hugging Face's `tokenizers`, read from its tokenizer.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from slotstate.errors import InputError, MissingExtra
from slotstate.messages import storable
from slotstate.tokens import TEMPLATED, Overhead

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class HuggingFaceCounter:
    """Counts as a tokenizer.json says, without the special tokens that it would put around a text.

    The names of special tokens in a text are ordinary text. What the model's chat template adds is not in that file:
    `overhead` is what the usual ones add at most.
    """

    overhead: Final[Overhead] = TEMPLATED

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self._name = name

    @property
    def name(self) -> str:
        """What make_counter makes it from."""
        return self._name

    def count(self, text: str) -> int:
        """Tokens of `text`; what cannot be written as UTF-8 counts as what it is stored as."""
        try:
            return len(self._tokenizer.encode(storable(text), add_special_tokens=False))
        except Exception as error:  # it raises bare ones, such as for a word that a closed vocabulary does not hold
            raise InputError(f"{self._name} cannot count every text: {_line(error)}; use another tokenizer") from None


def read_tokenizer(path: str) -> HuggingFaceCounter:
    """The counter of this tokenizer.json, or of the one in this folder. Raises InputError and MissingExtra."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("tokenizers, which reads tokenizer.json,", "hf") from None
    file = Path(path)
    try:
        file = file.expanduser()
        text = (file / "tokenizer.json" if file.is_dir() else file).read_text(encoding="utf-8")
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else _line(error)
        reason = "no text file" if isinstance(error, UnicodeDecodeError) else reason
        raise InputError(f"{path or '.'}: {reason}; name a tokenizer.json or its folder: hf:PATH") from None
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # it raises bare ones
        raise InputError(f"{path}: not a tokenizer.json of Hugging Face: {_line(error)}") from None
    return HuggingFaceCounter(tokenizer, f"hf:{path}")


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]

"""Replies of models in a folder, each in a file that is named by the digest of all that decides it."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from slotstate.providers import Asked


class Replies:
    """A folder of replies, which several processes may share. What cannot be read is not there, and is written anew.

    scope: what else decides a reply, where a call does not say it: the file of a local model.
    """

    def __init__(self, folder: Path, scope: str = "") -> None:
        self._folder = folder
        self._scope = scope
        self._lock = Lock()
        self.found = 0
        self.made = 0
        self.saved_ms = 0.0
        """What the replies that were found had taken when they were made."""

    def find(self, asked: Asked, read: Callable[[Any], Any]) -> Any:
        """What `read` makes of the reply that was kept; None where there is none, or it makes nothing of it."""
        try:
            stored = json.loads(self._path(asked).read_text(encoding="utf-8"))
            reply, ms = read(stored["reply"]), float(stored["ms"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
            return None
        if reply is None or not (math.isfinite(ms) and ms >= 0):
            return None
        with self._lock:
            self.found += 1
            self.saved_ms += ms
        return reply

    def keep(self, asked: Asked, reply: Any, ms: float) -> None:
        """Keep a reply, whole or not at all. Where the folder takes none, the reply counts all the same."""
        with self._lock:
            self.made += 1
        with suppress(OSError):
            self._write(self._path(asked), reply, ms)

    def _write(self, path: Path, reply: Any, ms: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"reply": reply, "ms": round(ms, 3)}, file, ensure_ascii=False)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def counts(self) -> Mapping[str, int]:
        """How many calls were made, and how many answered from what was kept."""
        return {"made": self.made, "kept": self.found}

    def _path(self, asked: Asked) -> Path:
        told = json.dumps({"scope": self._scope, **asked}, sort_keys=True, ensure_ascii=False)
        digest = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"


def default_folder() -> Path:
    """Where replies are kept unless said otherwise: in the user's own folder for caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "slotstate" / "replies"


def kept_since(folder: Path, moment: float) -> bool:
    """Whether a reply was kept in the folder since then (seconds, Unix time), to within a second."""
    parts = folder.iterdir() if folder.is_dir() else ()
    return any(part.stat().st_mtime >= moment - 1 for part in parts)


def scope_of(extractor: str) -> str:
    """What of an extractor's name decides replies beside the calls: the content of the model files that it names."""
    parts = [part.removeprefix("local:") for part in extractor.removeprefix("chain:").split(",")]
    files = [Path(part) for part in parts if Path(part).suffix.lower() == ".gguf"]
    return " ".join(_content(file) for file in files if file.is_file())


def _content(file: Path) -> str:
    digest = sha256()
    with file.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


__all__ = ["Replies", "default_folder", "kept_since", "scope_of"]

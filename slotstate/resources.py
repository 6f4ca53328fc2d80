"""Where the files that travel with the package are: built-in schemas, templates and data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


def folder(name: Literal["schemas", "templates"]) -> Path:
    """The packaged folder of that name, or the checkout's when running from one."""
    package = Path(__file__).resolve().parent
    packaged = package / name
    if packaged.is_dir():
        return packaged
    checkout = package.parent
    # A site-packages folder may hold someone else's "templates": only a checkout has a pyproject.toml beside it.
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise FileNotFoundError(f"no {name!r} folder in {package} nor in a checkout around it: reinstall slotstate")


def data_text(name: str) -> str:
    """The text of a data file inside the package, such as `caching/profiles.toml`."""
    return (Path(__file__).resolve().parent / name).read_text(encoding="utf-8")


def data_bytes(name: str) -> bytes:
    """The content of a data file inside the package, such as the models of the built-in extractor."""
    return (Path(__file__).resolve().parent / name).read_bytes()

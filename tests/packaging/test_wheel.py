"""The built wheel, installed away from the checkout, has what it needs and nothing else.

It is installed without its dependencies, into an environment that sees this one's through a .pth file: no download, and
as only the folder is put on the path, an editable install of the checkout is not seen with them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["schemas", "templates"]


def run(*command: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel built from that archive."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (wheel,) = built.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment in which the wheel is installed."""
    home = tmp_path_factory.mktemp("home") / "env"
    venv.create(home, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths("venv", {"base": str(home), "platbase": str(home)})
    Path(paths["purelib"], "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    python = Path(paths["scripts"], "python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=home)
    return Path(paths["scripts"])


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"slotstate", "slotstate-0.1.0.dist-info"}
    assert not [name for name in names if "test_" in name or "/tests/" in name or "__pycache__" in name]
    assert "slotstate/py.typed" in names
    assert "slotstate-0.1.0.dist-info/licenses/LICENSE" in names


def test_the_wheel_holds_every_module(wheel: Path) -> None:
    packed = {name.removeprefix("slotstate/") for name in ZipFile(wheel).namelist()}
    assert packed >= files(ROOT / "slotstate")


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_wheel_holds_the_checkouts_folder(folder: str, wheel: Path) -> None:
    packed = {name for name in ZipFile(wheel).namelist() if name.startswith(f"slotstate/{folder}/")}
    expected = {f"slotstate/{folder}/{name}" for name in files(ROOT / folder)}
    assert expected
    assert packed == expected


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    metadata = HeaderParser().parsestr(ZipFile(wheel).read("slotstate-0.1.0.dist-info/METADATA").decode())
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "slotstate" in str(metadata.get_payload())


def test_the_source_archive_holds_the_tests_and_the_folders(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tops = {name.split("/")[1] for name in tar.getnames() if "/" in name}
    assert tops >= {"slotstate", "schemas", "templates", "tests", "LICENSE", "README.md", "Makefile", "pyproject.toml"}
    assert not tops & {".venv", ".git", "dist"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_installed_package_finds_its_folders(folder: str, scripts: Path, tmp_path: Path) -> None:
    code = f"from slotstate.resources import folder; print(folder({folder!r}))"
    found = Path(run(scripts / "python", "-c", code, cwd=tmp_path).strip())
    assert found.is_relative_to(scripts.parent)
    assert files(found) == files(ROOT / folder)


def test_the_installed_package_reads_its_data(wheel: Path, scripts: Path, tmp_path: Path) -> None:
    assert "slotstate/caching/profiles.toml" in ZipFile(wheel).namelist()
    code = "from slotstate.caching import find_profile; print(find_profile('openai').minimum)"
    assert run(scripts / "python", "-c", code, cwd=tmp_path).strip() == "1024"


def test_the_installed_command_runs(scripts: Path, tmp_path: Path) -> None:
    assert "slotstate" in run(scripts / "slotstate", "--help", cwd=tmp_path)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_package_without_its_folders_says_so(folder: str, tmp_path: Path) -> None:
    """A neighbour's folder of the same name in site-packages is not ours."""
    shutil.copytree(ROOT / "slotstate", tmp_path / "slotstate", ignore=shutil.ignore_patterns(*FOLDERS, "__pycache__"))
    (tmp_path / folder).mkdir()
    code = (
        "from slotstate.resources import folder\n"
        f"try: folder({folder!r})\n"
        "except FileNotFoundError as error: print(error)\n"
    )
    assert "reinstall slotstate" in run(sys.executable, "-c", code, cwd=tmp_path)

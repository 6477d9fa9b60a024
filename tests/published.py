"""Schemas and data that people publish, fetched once by the package managers' own clients into a folder of
the tests. None of them is kept in this repository."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.support import PATHS

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>serbench</groupId><artifactId>published</artifactId><version>1</version><dependencies><dependency>
<groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
</dependency></dependencies></project>"""


def from_pip(name: str) -> Path:
    """The folder with the files of a wheel, fetched by pip."""
    return _fetched(name, lambda folder: _from_pip(name, folder))


def from_npm(name: str) -> Path:
    """The folder with the files of a package, fetched by npm."""
    return _fetched(name, lambda folder: _from_npm(name, folder))


def from_maven(group: str, artifact: str, version: str) -> Path:
    """The folder with the files of a jar, fetched by Maven."""
    return _fetched(artifact, lambda folder: _from_maven((group, artifact, version), folder))


def from_go(module: str, version: str) -> Path:
    """The folder with the files of a module, fetched by Go."""
    done = _run(["go", "mod", "download", "-json", f"{module}@{version}"], PATHS.home)
    return Path(json.loads(done)["Dir"])


def _from_pip(name: str, folder: Path) -> None:
    _run(["python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", name], folder)
    _unzipped(folder, "*.whl")


def _from_npm(name: str, folder: Path) -> None:
    _run(["npm", "pack", "--silent", name], folder)
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extractall(folder, filter="data")


def _from_maven(names: Sequence[str], folder: Path) -> None:
    (folder / "pom.xml").write_text(POM.format(*names))
    _run(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=."], folder)
    _unzipped(folder, f"{names[1]}-*.jar")


def _unzipped(folder: Path, pattern: str) -> None:
    with zipfile.ZipFile(next(folder.glob(pattern))) as packed:
        packed.extractall(folder)


def _fetched(name: str, fetch: Callable[[Path], None]) -> Path:
    """The folder of a package, which is fetched if it is not there. The folder gets its final name only with
    all its files, so that a fetch that was cut off is made again."""
    folder = PATHS.home / "published" / name.replace("/", "-")
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
        try:
            fetch(making)
            making.rename(folder)
        except OSError:
            if not folder.exists():  # else another test has fetched it meanwhile
                raise
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return folder


def _run(command: Sequence[str], folder: Path) -> str:
    """The output of a package manager's client; skips the test if the client is not installed."""
    if not shutil.which(command[0]):
        pytest.skip(f"no program '{command[0]}' is on the path, which fetches this")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr[-2000:]}{done.stdout[-2000:]}"
    return done.stdout

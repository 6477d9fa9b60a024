"""The packages of codecs, which npm installs: one folder for each codec, exactly those of its
``package-lock.json``."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.errors import SetupError
from serbench.languages import install
from serbench.languages.base import Found
from serbench.languages.install import missing_program
from serbench.languages.javascript.options import options_of
from serbench.languages.running import failure_of, first_error
from serbench.system.files import write_if_changed
from serbench.system.stamp import Stamp, sha256_of

LOCK = "package-lock.json"

PROGRAMS = {"node": "nodejs", "npm": "npm"}
"""Programs that a build needs, and the packages that have them."""

OLDEST_NODE = 20


def manifest(codec: Codec) -> str:
    """The text of a codec's ``package.json``."""
    described = {
        "name": f"serbench-{codec.name.replace('_', '-')}",
        "private": True,
        "type": "module",
        "dependencies": dict(options_of(codec).dependencies),
    }
    return json.dumps(described, indent=2) + "\n"


def installed(codec: Codec, folder: Path) -> Found:
    """Has npm install the packages of a codec into ``folder``, unless they are there."""
    if absent := missing_program(options_of(codec).programs):
        return Found(False, "", absent)
    if not options_of(codec).dependencies:
        return Found(True, f"Node {node_version()}", "")
    lock = codec.directory / LOCK
    if not lock.exists():
        return Found(
            False, "", f"there is no {LOCK} beside its codec.toml; see docs/add-a-javascript-codec.md"
        )
    if reason := brought(manifest(codec), lock, folder):
        return Found(False, "", reason)
    return Found(True, _library_version(next(iter(options_of(codec).dependencies)), folder), "")


def sampler_found(text: str, lock: Path, folder: Path) -> Found:
    """Has npm install the other sampler of cross-checks, the only one that ``text`` depends on, unless it is
    there."""
    if reason := brought(text, lock, folder):
        return Found(False, "", reason)
    return Found(True, _library_version(next(iter(json.loads(text)["dependencies"])), folder), "")


def brought(text: str, lock: Path, folder: Path) -> str:
    """Has npm install the packages of a ``package.json`` with this text and of its lock into ``folder``,
    once; why it failed, or nothing."""

    def bring() -> str:
        write_if_changed(folder / LOCK, lock.read_text())
        return _npm_ci(folder)

    stamp = Stamp(folder / "installed", sha256_of(text, lock.read_bytes()))
    return stamp.once(bring, keeps_failure=True)


def _npm_ci(folder: Path) -> str:
    """Installs what the lock says, without running anything of the packages; why it failed, or nothing."""
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"]
    said = failure_of([need("npm"), "ci", *quiet], folder, {**os.environ, "NO_COLOR": "1"})
    error = first_error(said, r"^npm (?:error|ERR!) (?!code )(.+)$")
    return f"npm cannot install its packages: {error}" if said else ""


def _library_version(package: str, folder: Path) -> str:
    """The version of a package as it is installed."""
    described = json.loads((folder / "node_modules" / package / "package.json").read_text())
    return str(described["version"])


def need(name: str) -> str:
    """The path of a program.

    Raises:
        SetupError: it is not on the path; says how to get it.
    """
    why = f"JavaScript codecs need Node {OLDEST_NODE} or newer with npm"
    return install.need(name, PROGRAMS[name], why=why)


@cache
def node_version() -> str:
    """The version of Node, such as ``20.11.1``.

    Raises:
        SetupError: there is none, or it is too old.
    """
    done = subprocess.run([need("node"), "--version"], capture_output=True, text=True)
    version = done.stdout.strip().removeprefix("v")
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < OLDEST_NODE:
        raise SetupError(
            f"found Node {version or 'that does not start'}, expected {OLDEST_NODE} or newer; JavaScript "
            "codecs are measured with the 'node' that is first on the path"
        )
    return version

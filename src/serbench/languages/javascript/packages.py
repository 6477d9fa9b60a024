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
from serbench.system.whole import write_atomically

LOCK = "package-lock.json"

PROGRAMS = {"node": "nodejs", "npm": "npm"}
"""Programs that a build needs, and the packages that have them."""

OLDEST_NODE = 20

_KEPT, _ANEW = "--prefer-offline", "--prefer-online"
"""The lists of a package's versions that npm keeps, and those that it asks for again: a version that a user
asks for may be newer than the list that npm keeps."""


def manifest(codec: Codec) -> str:
    """Return the text of a codec's ``package.json``."""
    described = {
        "name": f"serbench-{codec.name.replace('_', '-')}",
        "private": True,
        "type": "module",
        "dependencies": dict(options_of(codec).dependencies),
    }
    return json.dumps(described, indent=2) + "\n"


def installed(codec: Codec, folder: Path, resolved: Path | None = None) -> Found:
    """Have npm install the packages of a codec into ``folder``, unless they are there.

    Args:
        resolved: the lock of a codec in another version, which npm resolves, beginning with the codec's own
            lock, if it is not there; None for the codec's own.
    """
    if absent := missing_program(options_of(codec).programs):
        return Found(False, "", absent)
    if not options_of(codec).dependencies:
        return Found(True, f"Node {node_version()}", "")
    lock = codec.directory / LOCK
    if not lock.exists():
        return Found(
            False, "", f"there is no {LOCK} beside its codec.toml; see docs/add-a-javascript-codec.md"
        )
    if resolved and (reason := _resolved(lock, resolved, folder)):
        return Found(False, "", reason)
    return brought(manifest(codec), resolved or lock, folder, _ANEW if resolved else _KEPT)


def _resolved(given: Path, lock: Path, folder: Path) -> str:
    """Have npm write ``lock`` for the ``package.json`` of ``folder``, once; return the error, or nothing. The
    packages of the lock ``given`` stay as they are, as far as they can."""

    def resolve() -> str:
        write_if_changed(folder / LOCK, given.read_text())
        if error := _npm_error(folder, "install", "--package-lock-only", _ANEW):
            return f"npm cannot resolve its packages: {error}"
        lock.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(lock, (folder / LOCK).read_text())
        return ""

    return Stamp(folder / "resolved", lock.name, lock).once(resolve, keeps_failure=True)


def brought(text: str, lock: Path, folder: Path, lists: str = _KEPT) -> Found:
    """Have npm install the packages of a ``package.json`` with this text and of its lock into ``folder``,
    once; the first of them is the library. ``lists`` says which of npm's lists of versions count."""

    def bring() -> str:
        """Install the packages of the lock without running their scripts; return the error, or nothing."""
        write_if_changed(folder / LOCK, lock.read_text())
        error = _npm_error(folder, "ci", lists)
        return error and f"npm cannot install its packages: {error}"

    stamp = Stamp(folder / "installed", sha256_of(text, lock.read_bytes()))
    if reason := stamp.once(bring, keeps_failure=True):
        return Found(False, "", reason)
    library = next(iter(json.loads(text)["dependencies"]))
    described = json.loads((folder / "node_modules" / library / "package.json").read_text())
    return Found(True, str(described["version"]), "")


def _npm_error(folder: Path, *words: str) -> str:
    """Run npm in a folder without the scripts of packages; return its first error, or nothing."""
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    said = failure_of([need("npm"), *words, *quiet], folder, {**os.environ, "NO_COLOR": "1"})
    return said and first_error(said, r"^npm (?:error|ERR!) (?!code )(.+)$")


def need(name: str) -> str:
    """The path of a program; raises SetupError, which says how to get the program."""
    why = f"JavaScript codecs need Node {OLDEST_NODE} or newer with npm"
    return install.need(name, PROGRAMS[name], why=why)


@cache
def node_version() -> str:
    """The version of Node, such as ``20.11.1``; raises SetupError where there is none, or one that is too
    old."""
    done = subprocess.run([need("node"), "--version"], capture_output=True, text=True)
    version = done.stdout.strip().removeprefix("v")
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < OLDEST_NODE:
        raise SetupError(
            f"found Node {version or 'that does not start'}, expected {OLDEST_NODE} or newer; JavaScript "
            "codecs are measured with the 'node' that is first on the path"
        )
    return version

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
    """Return the text of a codec's ``package.json``."""
    described = {
        "name": f"serbench-{codec.name.replace('_', '-')}",
        "private": True,
        "type": "module",
        "dependencies": dict(options_of(codec).dependencies),
    }
    return json.dumps(described, indent=2) + "\n"


def installed(codec: Codec, folder: Path) -> Found:
    """Have npm install the packages of a codec into ``folder``, unless they are there."""
    if absent := missing_program(options_of(codec).programs):
        return Found(False, "", absent)
    if not options_of(codec).dependencies:
        return Found(True, f"Node {node_version()}", "")
    lock = codec.directory / LOCK
    if not lock.exists():
        return Found(
            False, "", f"there is no {LOCK} beside its codec.toml; see docs/add-a-javascript-codec.md"
        )
    return brought(manifest(codec), lock, folder)


def brought(text: str, lock: Path, folder: Path) -> Found:
    """Have npm install the packages of a ``package.json`` with this text and of its lock into ``folder``,
    once; the first of them is the library."""

    def bring() -> str:
        """Install the packages of the lock without running their scripts; return the error, or nothing."""
        write_if_changed(folder / LOCK, lock.read_text())
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"]
        said = failure_of([need("npm"), "ci", *quiet], folder, {**os.environ, "NO_COLOR": "1"})
        error = first_error(said, r"^npm (?:error|ERR!) (?!code )(.+)$")
        return said and f"npm cannot install its packages: {error}"

    stamp = Stamp(folder / "installed", sha256_of(text, lock.read_bytes()))
    if reason := stamp.once(bring, keeps_failure=True):
        return Found(False, "", reason)
    library = next(iter(json.loads(text)["dependencies"]))
    described = json.loads((folder / "node_modules" / library / "package.json").read_text())
    return Found(True, str(described["version"]), "")


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

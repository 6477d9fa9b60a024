"""The folders of the codecs' libraries, one for each codec, which pip fills once: no wheel breaks another."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.languages.base import Found
from serbench.languages.python.carried import bare
from serbench.languages.python.interpreter import Interpreter, interpreter
from serbench.languages.python.options import options_of
from serbench.languages.running import failure_of, first_error
from serbench.system.stamp import Stamp, sha256_of
from serbench.system.whole import write_atomically

LOCK = "requirements.lock"
"""The exact wheels of a codec, with their hashes, in its folder."""


@dataclass(frozen=True)
class Wheels:
    """The wheels that pip brings.

    Attributes:
        name: the name of the codec or program that needs them.
        requirements: as pip has them; the first is the library, whose version is the codec's.
        lock: the file of exact wheels, which need not be there.
    """

    name: str
    requirements: Sequence[str]
    lock: Path

    @classmethod
    def of(cls, codec: Codec) -> Wheels:
        """Return the wheels of a codec."""
        options = options_of(codec)
        return cls(codec.name, (*options.requirements, *options.tools), codec.directory / LOCK)

    @property
    def library(self) -> str:
        """The name of the first requirement, in the spelling by which names are compared."""
        return bare(re.split(r"[\s\[<>=!~;@]", self.requirements[0], maxsplit=1)[0])

    @property
    def locked_version(self) -> str:
        """The version of the library by the lock, or of Python if there is no library."""
        if not self.requirements:
            return interpreter().name
        found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", _read(self.lock), re.MULTILINE)
        return next((version for own, version in found if bare(own) == self.library), "")


class Environment:
    """The folder of all that a codec needs besides Python.

    Args:
        folder: the folder of all environments.
        python: the interpreter for which they are.
        records: whether pip resolves the wheels when it first brings them, for an edition of its own, whose
            lock is kept beside them; else the lock is the codec's.
    """

    def __init__(self, folder: Path, wheels: Wheels, python: Interpreter, records: bool = False):
        self.wheels, self._folder, self._records = wheels, folder / wheels.name, records
        self._python = python

    @property
    def libraries(self) -> Path | None:
        """The folder of the packages; None where none are needed."""
        return self._folder / "packages" if self.wheels.requirements else None

    @property
    def state(self) -> str:
        """A digest that changes with everything that decides the folder's content."""
        own, lock = self._python, "" if self._records else _read(self.wheels.lock)
        return sha256_of(own.path, own.name, *self.wheels.requirements, lock)

    @property
    def _stamp(self) -> Stamp:
        return Stamp(self._folder / "installed", self.state)

    def found(self) -> Found:
        """Return, without asking pip, that the library is there or will be brought, or why pip failed a
        moment ago."""
        reason = self._stamp.failure()
        return Found(False, "", reason) if reason else Found(True, self._version, "")

    @property
    def _version(self) -> str:
        if self.libraries is None:
            return self._python.name
        locked = "" if self._records else self.wheels.locked_version
        return locked or _library_version(self.libraries, self.wheels)

    @property
    def _lock(self) -> Path:
        """The file of exact wheels; one of an edition holds for the state in which pip resolved it."""
        if not self._records:
            return self.wheels.lock
        return self._folder.parent / "locks" / f"{self.wheels.name}-{self.state[:16]}.lock"

    def install(self) -> Found:
        """Have pip fill the folder, unless it is filled."""
        libraries = self.libraries

        def fill() -> str:
            assert libraries
            shutil.rmtree(self._folder, ignore_errors=True)
            libraries.mkdir(parents=True)
            return _installed(libraries, self.wheels, self._lock, self._records, self._python.path)

        if libraries and (reason := self._stamp.once(fill, keeps_failure=True)):
            return Found(False, "", reason)
        return Found(True, self._version, "")


def _installed(folder: Path, wheels: Wheels, lock: Path, records: bool, python: str) -> str:
    """Have pip install wheels, those of ``lock`` if there is one; return in a line why pip failed, or
    nothing. With ``records``, a lock that is not there is written."""
    pip = pip_words(python)
    if not pip:
        return f"no pip: neither {sys.executable} nor {python} has one"
    report = folder.parent / "resolved.json"
    wanted = ["--require-hashes", "-r", str(lock)] if lock.exists() else [*wheels.requirements]
    if new := records and not lock.exists():
        wanted += ["--report", str(report)]
    command = [
        *pip, "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:",
        "--retries=2", "--no-warn-conflicts", f"--target={folder}", *wanted,
    ]  # fmt: skip
    said = failure_of(command)
    if new and not said:
        lock.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(lock, _locked(json.loads(report.read_text())))
    lines = said.splitlines()[::-1]  # the last error is the one that the others led to
    error = first_error("\n".join(lines), "^ERROR: (.+)$", "".join(lines[:1]), "its index")
    return f"pip cannot install it: {error}" if said else ""


def _locked(report: Mapping[str, Any]) -> str:
    """Return the lines of a lock for what pip reports that it installed."""
    lines = []
    for each in report["install"]:
        told, source = each["metadata"], each["download_info"]
        place = f" @ {source['url']}" if each["is_direct"] else f"=={told['version']}"
        lines.append(f"{told['name']}{place} --hash=sha256:{source['archive_info']['hashes']['sha256']}\n")
    return "".join(lines)


@cache
def pip_words(python: str = "") -> Sequence[str]:
    """Return the words that start a pip for an interpreter, by default the one that runs serbench; none where
    there is no pip."""
    usual = interpreter().path
    commands = [[sys.executable], [usual]] if python in ("", usual) else [[python], [sys.executable]]
    for first in commands:
        command = [*first, "-m", "pip"]
        if first == [sys.executable] and python not in ("", usual):
            command += ["--python", python]
        if not subprocess.run([*command, "--version"], capture_output=True).returncode:
            return command
    return ()


def _library_version(libraries: Path, wheels: Wheels) -> str:
    """Return the version of a library without a lock, by what was installed."""
    for path in libraries.glob("*.dist-info"):
        own, _, version = path.name.removesuffix(".dist-info").partition("-")
        if bare(own) == wheels.library:
            return version
    return ""


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""

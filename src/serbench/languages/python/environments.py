"""The libraries of each codec in a folder of their own, which pip fills once: one wheel never breaks
another."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from serbench.codec import Codec
from serbench.guard import marked_environment
from serbench.languages.base import Found
from serbench.languages.python.interpreter import interpreter
from serbench.languages.python.options import options_of
from serbench.whole import write_atomically

LOCK = "requirements.lock"
"""The exact wheels of a codec, with their hashes, in its folder."""

ASK_AGAIN_S = 600
"""What could not be had is asked for again after so long."""

_STAMP = "installed"
_FAILED = "failed"


def locked_version(codec: Codec) -> str:
    """The version of a codec's library by its lock; of Python where it has none other."""
    if not options_of(codec).requirements:
        return interpreter().name
    name = _bare(re.split(r"[\s\[<>=!~;@]", options_of(codec).requirements[0], maxsplit=1)[0])
    found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", _read(codec.directory / LOCK), re.MULTILINE)
    return next((version for own, version in found if _bare(own) == name), "")


class Environment:
    """The folder of what a codec needs besides Python.

    Args:
        folder: of all environments.
    """

    def __init__(self, folder: Path, codec: Codec):
        self.codec, self._folder = codec, folder / codec.name

    @property
    def libraries(self) -> Path | None:
        """Where the packages are; None where none are needed."""
        return self._folder / "packages" if options_of(self.codec).requirements else None

    @property
    def state(self) -> str:
        """Changes with everything that decides what is in it."""
        parts = (
            interpreter().path,
            interpreter().name,
            *options_of(self.codec).requirements,
            _read(self.codec.directory / LOCK),
        )
        return sha256("\n".join(parts).encode()).hexdigest()

    def found(self) -> Found:
        """What is known of it without asking anybody: it is there, or pip will bring it when it is first
        asked for, or could not a moment ago."""
        failed = self._folder / _FAILED
        if failed.exists() and time.time() - failed.stat().st_mtime < ASK_AGAIN_S:
            state, _, reason = _read(failed).partition("\n")
            if state == self.state:
                return Found(False, "", reason)
        return Found(True, locked_version(self.codec), "")

    def install(self) -> Found:
        """Has pip fill it, unless it is filled."""
        libraries, stamp = self.libraries, self._folder / _STAMP
        if libraries is None or (stamp.exists() and _read(stamp) == self.state):
            return Found(True, locked_version(self.codec) or _version(libraries, self.codec), "")
        if self._folder.exists():
            shutil.rmtree(self._folder)
        libraries.mkdir(parents=True)
        if reason := _installed(libraries, self.codec):
            write_atomically(self._folder / _FAILED, f"{self.state}\n{reason}")
            return Found(False, "", reason)
        write_atomically(stamp, self.state)
        return Found(True, locked_version(self.codec) or _version(libraries, self.codec), "")


def _installed(folder: Path, codec: Codec) -> str:
    """Has pip install a codec's wheels; why it could not, in a line, or nothing."""
    pip = _pip()
    if not pip:
        return f"no pip: neither {sys.executable} nor {interpreter().path} has one"
    lock = codec.directory / LOCK
    wanted = ["--require-hashes", "-r", str(lock)] if lock.exists() else [*options_of(codec).requirements]
    command = [
        *pip, "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:",
        "--retries=2", "--no-warn-conflicts", f"--target={folder}", *wanted,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=marked_environment())
    if not done.returncode:
        return ""
    errors = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    said = errors[-1] if errors else (done.stderr.strip().splitlines() or ["it failed"])[-1]
    said = re.sub(r"(from )?[a-z+]+://\S+", "its index", said)
    return f"pip cannot install it: {said}"


@cache
def _pip() -> Sequence[str]:
    """The words that start a pip for the measured interpreter; none where there is none."""
    for python in dict.fromkeys((sys.executable, interpreter().path)):
        command = [python, "-m", "pip"]
        if not subprocess.run([*command, "--version"], capture_output=True).returncode:
            return command
    return ()


def _version(libraries: Path | None, codec: Codec) -> str:
    """That of a codec without a lock, by what was installed."""
    if libraries is None:
        return interpreter().name
    name = _bare(re.split(r"[\s\[<>=!~;@]", options_of(codec).requirements[0], maxsplit=1)[0])
    for path in libraries.glob("*.dist-info"):
        own, _, version = path.name.removesuffix(".dist-info").partition("-")
        if _bare(own) == name:
            return version
    return ""


def _bare(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""

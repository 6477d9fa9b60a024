"""The programs with which the JVM's codecs are built, and the settings of their processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from serbench.codecs.edition import Edition
from serbench.errors import SetupError
from serbench.languages.install import install_command
from serbench.languages.settings import OneOf

PACKAGES = {"java": "default-jdk-headless", "javac": "default-jdk-headless", "mvn": "maven"}
"""Programs that a build needs, and the packages that have them."""

UNSHARED, ARCHIVED = "unshared", "archived"

SETTINGS = OneOf("class-data", "shared", (UNSHARED, ARCHIVED))
"""Whether measured processes load the JDK's classes from the archive that the JDK brings, or, where single
calls are timed, those of the program and its libraries from an archive too."""


def has(edition: Edition | None, value: str) -> bool:
    """Whether an edition has this value of ``SETTINGS``."""
    profile = edition.profile if edition else None
    return profile is not None and profile.settings == f"{SETTINGS.key}={value}"


def flags_of(edition: Edition | None) -> Sequence[str]:
    """Return the flags that an edition's settings add to those of every measured process."""
    return ("-Xshare:off",) if has(edition, UNSHARED) else ()


@cache
def jdk_version() -> str:
    """Return the version of the JDK, such as ``17.0.15``."""
    done = subprocess.run([need("javac"), "-version"], capture_output=True, text=True)
    return (done.stdout or done.stderr).strip().removeprefix("javac ")


def jdk_release() -> int:
    """Return the JDK's release, such as 17; 1 for those before 9, whose versions begin with ``1.``."""
    found = re.match(r"\d+", jdk_version())
    return int(found[0]) if found else 0


def program(name: str) -> str:
    """Return the path of a program, looked for where Maven looks for it; empty where there is none."""
    home = os.environ.get("JAVA_HOME")
    if home and name != "mvn":
        return shutil.which(name, path=str(Path(home) / "bin")) or ""
    return shutil.which(name) or ""


def need(name: str) -> str:
    """Return the path of a program; raise SetupError, which says how to get it, where there is none."""
    found = program(name)
    if not found:
        where = "below JAVA_HOME" if os.environ.get("JAVA_HOME") and name != "mvn" else "on the path"
        raise SetupError(f"no program '{name}' is {where}; get it: {install_command([PACKAGES[name]])}")
    return found

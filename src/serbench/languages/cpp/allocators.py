"""Memory allocators that programs are linked with in the place of the C library's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import SetupError
from serbench.languages.install import install_command
from serbench.languages.settings import OneOf

KEY = "allocator"
"""The setting of a profile that names an allocator."""


@dataclass(frozen=True)
class Allocator:
    """An allocator.

    Attributes:
        library: the name of its library, of which the compiler knows the place.
        package: the system package that has its static library; empty where none has.
        module: its name for pkg-config, which tells its version.
    """

    library: str
    package: str
    module: str


ALLOCATORS = {
    "jemalloc": Allocator("libjemalloc", "libjemalloc-dev", "jemalloc"),
    "mimalloc": Allocator("libmimalloc", "", "mimalloc"),  # Debian's package has a shared one alone
    "tcmalloc": Allocator("libtcmalloc_minimal", "libgoogle-perftools-dev", "libtcmalloc_minimal"),
}


SETTINGS = OneOf(KEY, "libc", tuple(ALLOCATORS))
"""The allocator as a setting of the build of C and C++."""


def allocator_of(settings: str) -> str:
    """Return the allocator that the settings of a profile name; empty for the C library's own."""
    given = dict(each.split("=", 1) for each in settings.split(",") if "=" in each)
    return given.get(KEY, "")


def missing_package(name: str, compiler: str, environment: Mapping[str, str]) -> str:
    """Return the package that brings an allocator; empty where a library of it is there, and where no package
    has what programs are linked with."""
    there = any(_found(name, ending, compiler, environment) for ending in ("a", "so"))
    return "" if there else ALLOCATORS[name].package


def linked_with(name: str, compiler: str, environment: Mapping[str, str]) -> str:
    """Return the words at the end of a link command by which a static program has an allocator; raises
    SetupError where its static library is missing.

    The allocator is linked and not preloaded, since static programs load nothing: but for the allocator, they
    are linked as usual. All of its library is taken, so that no call stays with the C library.
    """
    if sys.platform != "linux":
        raise SetupError(f"{KEY} {name}: programs have another allocator on Linux alone")
    allocator = ALLOCATORS[name]
    found = _found(name, "a", compiler, environment)
    if found:
        return f"-Wl,--whole-archive {found} -Wl,--no-whole-archive -lstdc++ -lm"
    is_shared = _found(name, "so", compiler, environment)
    if is_shared or not allocator.package:
        raise SetupError(
            f"{KEY} {name}: found {'a shared' if is_shared else 'no'} {allocator.library}"
            f"{' alone' if is_shared else ''}, expected {allocator.library}.a, since programs here are "
            "static; build it, and put it into lib below SERBENCH_PREFIX"
        )
    raise SetupError(
        f"{KEY} {name}: there is no {allocator.library}.a; get it: {install_command([allocator.package])}"
    )


def described(name: str) -> str:
    """Return an allocator's name with its version, where pkg-config tells it."""
    try:
        words = ["pkg-config", "--modversion", ALLOCATORS[name].module]
        return f"{name} {subprocess.run(words, capture_output=True, text=True).stdout.strip()}".strip()
    except OSError:
        return name


def _found(name: str, ending: str, compiler: str, environment: Mapping[str, str]) -> Path | None:
    """Return the library of an allocator: below the user's prefix, or at the place that the compiler
    knows."""
    file = f"{ALLOCATORS[name].library}.{ending}"
    own = Path(environment.get("SERBENCH_PREFIX") or "/nowhere") / "lib" / file
    if own.exists():
        return own
    asked = [compiler, f"-print-file-name={file}"]
    told = Path(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
    return told if told.is_absolute() else None

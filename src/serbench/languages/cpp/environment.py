"""The environment variables of builds of C++, without those that would change unseen how cells are
compiled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.languages.cpp.options import CMakeOptions

_UNSEEN = {"CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "LD_RUN_PATH"}
_UNSEEN |= {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"}
"""The variables from which compilers, or CMake for them, take flags and folders."""

_DECISIVE = ("SERBENCH_PREFIX", "CMAKE_PREFIX_PATH", "PATH", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR")


def build_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment for CMake, Ninja and compilers: ``given`` without what would change how cells are
    compiled.

    Compilers and linkers are told to speak English, since their errors are found by English words.
    """
    kept = {name: value for name, value in given.items() if name not in left_out(given)}
    return kept | {"LC_ALL": "C"}


def left_out(given: Mapping[str, str]) -> list[str]:
    """The names of the variables that ``build_environment`` leaves out. Of CMake's variables, all are left
    out but ``CMAKE_PREFIX_PATH``, the folders in which to look for libraries."""
    return sorted(
        name
        for name, value in given.items()
        if value and (name in _UNSEEN or (name.startswith("CMAKE_") and name != "CMAKE_PREFIX_PATH"))
    )


def notices(given: Mapping[str, str], flags: str) -> list[str]:
    """Messages to the user on what a build leaves out of an environment, and on folders in it that do not
    exist; ``flags`` are those of every cell."""
    said = []
    names = left_out(given)
    if names:
        said.append(
            f"left out of the build, whose flags are {flags} for every cell: "
            f"{', '.join(names)} of the environment"
        )
    for prefix in prefixes(given):
        if not prefix.is_dir():
            said.append(
                f"found {prefix}, expected a folder with libraries (SERBENCH_PREFIX, CMAKE_PREFIX_PATH)"
            )
    return said


def prefixes(environment: Mapping[str, str]) -> list[Path]:
    """The folders in which to look for libraries, by the environment."""
    words = environment.get("SERBENCH_PREFIX", "").split(";") + environment.get(
        "CMAKE_PREFIX_PATH", ""
    ).split(os.pathsep)
    return [Path(word) for word in words if word]


def decisive(environment: Mapping[str, str], codecs: Iterable[Codec]) -> list[str]:
    """Texts of which one changes whenever CMake might find other libraries than before.

    They are variables that name folders, and the times of these folders, which an installation changes.
    """
    names = dict.fromkeys(_DECISIVE)
    asked = [codec.options for codec in codecs if isinstance(codec.options, CMakeOptions)]
    for package in dict.fromkeys(options.package for options in asked if options.package):
        names |= dict.fromkeys(
            f"{each}_{suffix}" for each in (package, package.upper()) for suffix in ("DIR", "ROOT")
        )
    said = [f"{name}={environment[name]}" for name in names if name in environment]
    for prefix in prefixes(environment):
        folders = [prefix, *(each for pattern in _CONTENTS for each in sorted(prefix.glob(pattern)))]
        said += [f"{folder} {folder.stat().st_mtime_ns}" for folder in folders if folder.is_dir()]
    return said


_CONTENTS = ("bin", "include", "lib*", "lib*/cmake", "lib*/*/cmake", "share", "share/cmake")

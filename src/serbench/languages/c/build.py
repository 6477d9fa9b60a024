"""Configures and builds the C runners with CMake and Ninja, as those of C++ are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from serbench.languages.c.sources import C_SOURCES
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.generate import Sources


@dataclass
class CBuild(CppBuild):
    """The build of all C runners with one compiler; the measuring program around them is in C++."""

    folder: ClassVar[str] = "c"
    standard: ClassVar[str] = "-std=c11"
    sources: ClassVar[Sources] = C_SOURCES
    cross_checks = None  # they would check the sampler, which is that of C++

    @property
    def compilers(self) -> Mapping[str, str]:
        return {"C": self.compiler, "CXX": cpp_compiler(self.compiler)}


_C_OF_CPP = {"g++": "gcc", "clang++": "clang", "c++": "cc"}


def c_compiler(named: str) -> str:
    """The C compiler beside a C++ compiler that the user named: ``gcc-12`` for ``g++-12``; another is taken
    as it is."""
    return _other(named, _C_OF_CPP)


def cpp_compiler(named: str) -> str:
    """The C++ compiler beside a C compiler that the user named: ``g++-12`` for ``gcc-12``."""
    return _other(named, {c: cpp for cpp, c in _C_OF_CPP.items()})


def _other(named: str, compilers: Mapping[str, str]) -> str:
    """The command ``named``, in which the name of a compiler is replaced by what ``compilers`` has for it."""
    name = named.rpartition("/")[2]
    for one, other in compilers.items():
        if name == one or name.startswith(f"{one}-"):
            return other.join(named.rsplit(one, 1))
    return named

"""Tests of doctor's findings on builds: flags, libraries and programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_doctor import holds

from serbench.doctor.system import check_tools
from serbench.languages import languages
from serbench.languages.cpp.checks import (
    check_flags,
    check_libraries,
    linked_libraries,
    traits_of,
)


def ninja(flags: str, libraries: str = "") -> str:
    """The text of a build file of Ninja for one object and one executable, as CMake writes it."""
    return (
        "build a/b.cpp.o: CXX_COMPILER__cell_ /b.cpp || a\n  DEP_FILE = a/b.cpp.o.d\n"
        f"  FLAGS = {flags}\n  OBJECT_DIR = a\n\nbuild cells/x: CXX_EXECUTABLE_LINKER__x_ a/b.cpp.o\n"
        f"  FLAGS = -g\n  LINK_LIBRARIES = libown.a  {libraries}\n"
    )


@pytest.mark.parametrize(
    ("flags", "verdict", "said"),
    [
        ("-O3 -DNDEBUG -Wall -std=c++20", "good", "g++"),
        ("-O0 -O3 -DNDEBUG", "bad", "g++: -O0"),
        ("-g", "bad", "g++: no -O3, g++: no -DNDEBUG"),
        ("-O3 -DNDEBUG -fsanitize=address", "bad", "g++: -fsanitize=address"),
        ("-O3 -DNDEBUG -D_GLIBCXX_ASSERTIONS", "bad", "-D_GLIBCXX_ASSERTIONS"),
    ],
)
def test_flags_of_cells(flags: str, verdict: str, said: str) -> None:
    holds(check_flags({"g++": ninja(flags)}), verdict, said)


def test_flags_and_libraries_of_nothing_are_not_known() -> None:
    holds(check_flags({}), "unknown", "./serbench setup")
    holds(check_flags({"g++": "# nothing\n"}), "unknown")
    holds(check_libraries([]), "unknown")


def library(path: Path, *pieces: bytes) -> Path:
    path.write_bytes(b"!<arch>\n" + b"\0".join(pieces))
    return path


OPTIMISED, UNOPTIMISED = (
    b"GNU C++17 12.2.0 -mtune=generic -g -O2 -fPIC",
    b"GNU C++17 12.2.0 -mtune=generic -g",
)


@pytest.mark.parametrize(
    ("pieces", "traits"),
    [
        ([b"memcpy"], []),
        ([b"memcpy", b"__assert_fail"], ["assertions"]),
        ([b"__asan_report_load8"], ["sanitizer"]),
        ([b"__gcov_init"], ["coverage"]),
        ([b"_Z1fRNSt7__debug6vectorIiSaIiEEEi"], ["debug containers"]),
        ([OPTIMISED, b"GNU AS 2.40"], []),
        ([UNOPTIMISED, b"-O2"], ["unoptimised"]),
        ([b"GNU C11 12.2.0 -Og -g", b"x"], ["unoptimised"]),
    ],
)
def test_what_a_library_tells_of_its_build(pieces: list[bytes], traits: list[str], tmp_path: Path) -> None:
    assert traits_of(library(tmp_path / "libx.a", *pieces)) == traits


def test_nothing_is_known_of_a_library_that_cannot_be_read(tmp_path: Path) -> None:
    assert traits_of(tmp_path / "none.a") is None
    (tmp_path / "empty.a").touch()
    assert traits_of(tmp_path / "empty.a") is None


def test_libraries_with_debug_code_are_named(tmp_path: Path) -> None:
    builds = [ninja("", '/lib/libb.a "/opt/my libs/liba.so"'), ninja("", "/lib/libb.a")]
    assert linked_libraries(builds) == [Path("/lib/libb.a"), Path("/opt/my libs/liba.so")]
    plain = library(tmp_path / "liba.so", b"memcpy")
    asserting = library(tmp_path / "libb.a", b"__assert_fail")
    slow = library(tmp_path / "libc.so", UNOPTIMISED, b"__asan_report_load8")
    good = library(tmp_path / "libd.so", OPTIMISED)
    holds(check_libraries([plain, good]), "good", "the 2 that cells", "cannot be checked")
    holds(check_libraries([plain, asserting]), "warning", "1 of 2", ": libb.a;")
    holds(check_libraries([asserting, slow]), "bad", "debug builds: libc.so (unoptimised, sanitizer) ")


def test_tools() -> None:
    known = languages().values()
    holds(
        check_tools(known, lambda program: f"/bin/{program}"),
        "good",
        "g++, cmake, clang++, ccache, valgrind, strip, size, go, node, npm, java",
    )
    holds(
        check_tools(known, lambda program: None if program in ("java", "mvn") else "/x"),
        "good",
        "no java, mvn (the JVM)",
    )
    holds(
        check_tools(known, lambda program: None if program == "cmake" else "/x"),
        "bad",
        "need cmake",
        "install cmake",
    )

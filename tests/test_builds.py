"""Doctor's findings on what was built: flags, libraries and programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_doctor import holds

from serbench.doctor.tools import check_tools
from serbench.languages import languages
from serbench.languages.cpp.checks import (
    BinaryTraits,
    check_flags,
    check_libraries,
    linked_libraries,
    traits_of,
)


def ninja(flags: str, libraries: str = "") -> str:
    """A build of one object and one executable, as CMake writes it."""
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
    holds(check_libraries([], []), "unknown")


def test_what_a_library_tells_of_its_build(tmp_path: Path) -> None:
    def traits(*pieces: bytes) -> BinaryTraits | None:
        (tmp_path / "libx.a").write_bytes(b"!<arch>\n" + b"\0".join(pieces))
        return traits_of(tmp_path / "libx.a")

    assert traits(b"memcpy") == BinaryTraits("libx.a")
    assert traits(b"memcpy", b"__assert_fail") == BinaryTraits("libx.a", assertions=True)
    assert traits(b"__asan_report_load8") == BinaryTraits("libx.a", sanitizer=True)
    assert traits(b"__gcov_init") == BinaryTraits("libx.a", coverage=True)
    assert traits(b"_Z1fRNSt7__debug6vectorIiSaIiEEEi") == BinaryTraits("libx.a", debug_containers=True)
    assert traits(b"GNU C++17 12.2.0 -mtune=generic -g -O2 -fPIC", b"GNU AS 2.40") == BinaryTraits("libx.a")
    assert traits(b"GNU C++17 12.2.0 -mtune=generic -g", b"-O2") == BinaryTraits("libx.a", unoptimised=True)
    assert traits(b"GNU C11 12.2.0 -Og -g", b"x") == BinaryTraits("libx.a", unoptimised=True)
    assert traits_of(tmp_path / "none.a") is None
    (tmp_path / "empty.a").touch()
    assert traits_of(tmp_path / "empty.a") is None


def test_libraries_with_debug_code_are_named() -> None:
    builds = [ninja("", '/lib/libb.a "/opt/my libs/liba.so"'), ninja("", "/lib/libb.a")]
    assert linked_libraries(builds) == [Path("/lib/libb.a"), Path("/opt/my libs/liba.so")]
    linked = linked_libraries(builds)
    holds(
        check_libraries(linked, [BinaryTraits("libb.a"), BinaryTraits("liba.so")]),
        "good",
        "the 2 that cells",
        "cannot be checked",
    )
    holds(
        check_libraries(linked, [BinaryTraits("libb.a", assertions=True), BinaryTraits("liba.so")]),
        "warning",
        "1 of 2",
        ": libb.a;",
    )
    debug = [
        BinaryTraits("libb.a", assertions=True),
        BinaryTraits("liba.so", unoptimised=True, sanitizer=True),
    ]
    holds(check_libraries(linked, debug), "bad", "debug builds: liba.so (unoptimised, sanitizer) ")


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

"""Checks of ``doctor`` on what was built: the flags that cells are compiled with, and the libraries that they
link."""

from __future__ import annotations

import mmap
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from serbench.system.command import COMMAND
from serbench.system.finding import Finding, Meaning

_HARMFUL_FLAGS = (
    r"-O[0g]",
    r"-fsanitize=\S+",
    r"--coverage|-fprofile-arcs|-pg",
    r"-U\s?NDEBUG",
    r"-D\s?_GLIBCXX_(?:DEBUG|ASSERTIONS)\S*",
)
_NOTHING_BUILT = "no cell was configured yet"


def ninja_files(builds: Path) -> dict[str, str]:
    """Compiler → text of the file ``build.ninja``; ``builds`` is the folder of a language's builds."""
    return {
        path.parent.name: path.read_text(errors="replace") for path in sorted(builds.glob("*/build.ninja"))
    }


def check_flags(builds: Mapping[str, str]) -> Finding:
    """The finding whether every cell is compiled with the flags that serbench wants, whatever the environment
    and CMake say; ``builds`` comes from ``ninja_files``."""
    name = "flags"
    flags_of = {compiler: _compile_flags(text) for compiler, text in builds.items()}
    if not any(flags_of.values()):
        return Finding(name, Meaning.unknown, _NOTHING_BUILT, f"{COMMAND} setup")
    harm = dict.fromkeys(
        f"{compiler}: {found}"
        for compiler, steps in flags_of.items()
        for flags in steps
        for found in _harm(flags)
    )
    if harm:
        advice = (
            "remove serbench's folder build, and build again; if it stays, "
            "it comes from the compiler's own settings"
        )
        return Finding(name, Meaning.bad, f"cells are not compiled properly: {', '.join(harm)}", advice)
    return Finding(
        name,
        Meaning.good,
        f"-O3 -DNDEBUG in every step of {', '.join(builds)}; header-only libraries have them too",
    )


def _harm(flags: str) -> list[str]:
    """The harmful flags among those of a compile step, and words such as ``no -O3`` for those it lacks."""
    harmful = [flag for pattern in _HARMFUL_FLAGS for flag in re.findall(pattern, flags)]
    return harmful + [f"no {flag}" for flag in ("-O3", "-DNDEBUG") if flag not in flags.split()]


def _compile_flags(ninja: str) -> set[str]:
    """The flags of every step in the text of a ``build.ninja`` that compiles C or C++."""
    steps = [
        step
        for step in re.split(r"^build ", ninja, flags=re.MULTILINE)
        if re.match(r"\S+\.o: C(XX)?_COMPILER", step)
    ]
    return {found[1] for step in steps if (found := re.search(r"^  FLAGS = (.*)$", step, re.MULTILINE))}


_MARKS = {
    "sanitizer": rb"__(?:asan|tsan|msan|ubsan)_",
    "coverage": rb"__gcov_|__llvm_profile_",
    "debug containers": rb"NK?St7__debug",
    "assertions": rb"__assert_fail|__assert_rtn|__glibcxx_assert_fail",
}
"""Traits of how a library was built → pattern of bytes that show them. An optimised release has none of them;
all but assertions make it slower than any user would have it."""

_ASSERTIONS, _UNOPTIMISED = "assertions", "unoptimised"
_COMPILED_BY = re.compile(rb"GNU C(?:\+\+)?\d* \d[^\0]*")
_OPTIMISED = re.compile(rb" -O(?![0g])")


def linked_libraries(builds: Iterable[str]) -> list[Path]:
    """The paths of the libraries that cells are linked with, by the texts of Ninja's files."""
    # The programs for cross-checks are left out: no cell links Google Benchmark.
    cells = [
        re.sub(r"^build \S+\.crosscheck: .*\n(?:  .*\n)*", "", text, flags=re.MULTILINE) for text in builds
    ]
    words = {
        word
        for text in cells
        for line in re.findall(r"LINK_LIBRARIES = (.*)", text)
        for word in shlex.split(line)
    }
    return sorted(Path(word) for word in words if word.startswith("/"))


def traits_of(library: Path) -> list[str] | None:
    """How a static or shared library was built, as far as its bytes tell: without optimization by GCC, with
    assertions, a sanitizer and so on. None where it cannot be read or is a mere stub."""
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            slow = any(not _OPTIMISED.search(said) for said in _COMPILED_BY.findall(data))
            marks = [name for name, pattern in _MARKS.items() if re.search(pattern, data)]
    except (OSError, ValueError):  # mmap takes no empty file
        return None
    return [*([_UNOPTIMISED] if slow else []), *marks]


def check_libraries(linked: Sequence[Path]) -> Finding:
    """The finding on debug builds among the libraries that cells are linked with, as far as bytes show it."""
    name = "libraries"
    traits = [(path.name, found) for path in linked if (found := traits_of(path)) is not None]
    if not linked:
        return Finding(
            name, Meaning.unknown, f"{_NOTHING_BUILT}, or none that links a library", f"{COMMAND} setup"
        )
    unseen = "for those without debug information, optimisation cannot be checked"
    harmful = {library: [each for each in found if each != _ASSERTIONS] for library, found in traits}
    said = "; ".join(f"{library} ({', '.join(harm)})" for library, harm in harmful.items() if harm)
    if said:
        return Finding(
            name,
            Meaning.bad,
            f"debug builds: {said}",
            "install release builds of them (-O2 or -O3, no sanitizer)",
        )
    asserting = [library for library, found in traits if _ASSERTIONS in found]
    if asserting:
        told = (
            f"{len(asserting)} of {len(traits)} were compiled with assertions: "
            f"{', '.join(asserting)}; {unseen}"
        )
        advice = (
            "keep them if your system packages them this way; otherwise build them with -DNDEBUG "
            "and set SERBENCH_PREFIX"
        )
        return Finding(name, Meaning.mind, told, advice)
    return Finding(
        name,
        Meaning.good,
        f"no assertions or debug code in the {len(traits)} that cells are linked with; {unseen}",
    )

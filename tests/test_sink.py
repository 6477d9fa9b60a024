"""Tests of the sinks, which keep a compiler from removing timed work, by the assembly that the compiler
emits."""

from __future__ import annotations

import re
import subprocess

import pytest

from serbench.paths import PROJECT

pytestmark = pytest.mark.slow("compile C++ beside the tests")

SOURCE = """
#include "serbench/sink.hpp"
#include <cstdint>

// A store that only the sink makes necessary in every iteration: without it the last one is enough.
extern "C" void sunk_bytes(unsigned char* p, long n) {
  for (long i = 0; i < n; ++i) {
    *p = static_cast<unsigned char>(i);
    serbench::consume(serbench::Bytes(reinterpret_cast<const std::byte*>(p), 1));
  }
}
extern "C" void unsunk_bytes(unsigned char* p, long n) {
  for (long i = 0; i < n; ++i) *p = static_cast<unsigned char>(i);
}

// A load that only the sink makes necessary in every iteration: without it the first one is enough.
extern "C" void sunk_number(const std::uint64_t* p, long n) {
  for (long i = 0; i < n; ++i) serbench::consume_number(*p * 3);
}
extern "C" std::uint64_t unsunk_number(const std::uint64_t* p, long n) {
  std::uint64_t last = 0;
  for (long i = 0; i < n; ++i) last = *p * 3;
  return last;
}

// An object that escapes through the sink is written before every pass of it.
extern "C" void sunk_object(long n) {
  long object[4];
  for (long i = 0; i < n; ++i) {
    object[1] = i;
    serbench::consume(object);
  }
}
extern "C" void unsunk_object(long n) {
  long object[4];
  for (long i = 0; i < n; ++i) object[1] = i;
}
"""

MEMORY = {
    "x86_64": r"\(%r\w+\)|\(%rsp\)|-?\d+\(%rsp\)",
    "aarch64": r"\[(x\d+|sp)",
}


@pytest.fixture(scope="module", name="loops")
def loops_of_functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Function → the assembly of its loop; empty if the compiler removed the loop."""
    folder = tmp_path_factory.mktemp("sink")
    (folder / "sink.cpp").write_text(SOURCE)
    include = PROJECT / "runners" / "cpp" / "include"
    flags = [
        "-std=c++20",
        "-O3",
        "-DNDEBUG",
        f"-I{include}",
        "-fno-asynchronous-unwind-tables",
        "-S",
        "-o",
        "-",
    ]
    done = subprocess.run(
        ["g++", *flags, str(folder / "sink.cpp")], capture_output=True, text=True, check=True
    )
    functions = re.findall(r"^(\w+):\n(.*?)^\s*\.size\s+\1,", done.stdout, re.MULTILINE | re.DOTALL)
    return {name: _loop(body) for name, body in functions}


def _loop(body: str) -> str:
    """The instructions of a loop: from a label up to the later jump back to it; empty without a loop."""
    lines = body.splitlines()
    for end, line in enumerate(lines):
        jump = re.match(r"\s+(?:j\w+|b\.\w+|cbn?z\s+\w+,)\s+(\.L\w+)", line)
        if jump and f"{jump[1]}:" in lines[:end]:
            return "\n".join(lines[lines.index(f"{jump[1]}:") : end + 1])
    return ""


def _touches_memory(loop: str) -> bool:
    code = [line for line in loop.splitlines() if not re.match(r"\s*(#|//|\.)", line)]
    return any(re.search(pattern, line) for line in code for pattern in MEMORY.values())


@pytest.mark.parametrize("what", ["bytes", "number", "object"])
def test_a_sink_keeps_the_work_in_the_loop(loops: dict[str, str], what: str) -> None:
    assert _touches_memory(loops[f"sunk_{what}"]), loops[f"sunk_{what}"]


@pytest.mark.parametrize("what", ["bytes", "number", "object"])
def test_without_the_sink_the_optimiser_takes_the_work_out(loops: dict[str, str], what: str) -> None:
    """The counterpart of the tests above: without the sink, the compiler does remove the work."""
    assert not _touches_memory(loops[f"unsunk_{what}"]), loops[f"unsunk_{what}"]

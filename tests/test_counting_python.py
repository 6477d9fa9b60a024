"""Tests of the program that counts the allocations of Python's runner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import small_spec

from serbench.dataset.cache import dataset_for
from serbench.errors import BuildError
from serbench.languages.python.build import PythonBuild
from serbench.languages.python.counting import CountingTools
from serbench.languages.python.interpreter import interpreter
from serbench.measure.conversation import Answers
from serbench.measure.counters import told_at_the_end
from serbench.measure.footprint import allocations_per_pass
from serbench.measure.plan import Plan, Task
from serbench.measure.said import PeakSaid
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.selecting.selection import Operation

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what stands before the allocator is for Linux"),
    pytest.mark.skipif(not shutil.which("cc"), reason="no program cc"),
]

ASKS = r"""
#include <malloc.h>
#include <stdlib.h>
int asks(int times) {
  for (int n = 0; n < times; ++n) {
    void* volatile block = malloc(7);
    block = calloc(2, 5);
    block = realloc(0, 11);
    block = memalign(16, 32);
    block = aligned_alloc(64, 128);
    void* other;
    if (posix_memalign(&other, 64, 100) != 0 || posix_memalign(&other, 3, 100) == 0 || !block) return 1;
  }
  return 0;
}
"""

ASKED = """
import ctypes, sys
failed = ctypes.CDLL(sys.argv[1]).asks(int(sys.argv[2]))
number, size = ctypes.c_uint64(), ctypes.c_uint64()
ctypes.CDLL(None).serbench_counted(ctypes.byref(number), ctypes.byref(size))
print([number.value, size.value])
sys.exit(failed)
"""


@pytest.fixture(name="tools")
def counting_tools(tmp_path: Path) -> CountingTools:
    return CountingTools(PROJECT / "runners", tmp_path / "with a space")


def test_each_way_to_ask_for_memory_counts_once(
    tools: CountingTools, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONVERBOSE", "1")  # would print what is imported
    library, source = tmp_path / "asks.so", tmp_path / "asks.c"
    source.write_text(ASKS)
    subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-o", library, source], check=True)
    tools.preload()
    words = tools.words([interpreter().path, "-I", "-c", ASKED])

    def counted(times: str) -> list[int]:
        done = subprocess.run([*words, str(library), times], capture_output=True, text=True, check=True)
        assert not done.stderr
        found: list[int] = json.loads(done.stdout)
        return found

    few, many = counted("1000"), counted("3000")
    assert many[0] - few[0] == pytest.approx(6 * 2000, abs=20)
    assert many[1] - few[1] == pytest.approx((7 + 10 + 11 + 32 + 128 + 100) * 2000, rel=0.001)


def test_without_a_compiler_it_is_said_what_is_missing(
    tools: CountingTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(BuildError, match="no program 'cc' is on the path to build what counts; get it: "):
        tools.preload()


@pytest.mark.native
def test_a_codec_has_its_allocations_and_its_peak(tmp_path: Path) -> None:
    paths, spec = Paths(PROJECT, tmp_path / "home"), small_spec("record")
    codec = load_codecs(paths.codecs)["python/handwritten"]
    (variant,) = codec.variants.values()
    pair = variant, "record"
    build = PythonBuild(paths, [codec], [spec.workload])
    build.configure()
    assert build.build_counting([pair], lambda *_: None) == {} and not build.cannot_count(variant)
    data = dataset_for(spec, paths)

    def counted() -> float:
        operation = Operation("deserialize", "fresh")
        task = Task(variant.id, "record", (operation,), build.command(*pair), str(data.path))
        found = allocations_per_pass(Plan([task], 1, seed=1), task, operation, build.counting(*pair))
        return float(found["allocations_per_pass"])

    # The root, its two lists that grow some dozens of times, 1,000 integers and 100 strings; what reads them
    # takes some too.
    first = counted()
    assert 1_102 <= first < 1_500
    assert counted() == pytest.approx(first, abs=0.5)
    command = [*build.build_peak(lambda *_: None), *build.command(*pair), "describe"]
    _, peak = told_at_the_end(PeakSaid, command, Answers(), None, 20)
    assert 5_000_000 < peak.bytes < 50_000_000

"""Tests of building Go codecs: a codec that does not compile or cannot be fetched stops no other, and an
unchanged one is not built again."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support import TEST_WORKLOADS, as_measured, small_spec

from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.languages.go.build import GoBuild
from serbench.languages.go.toolchain import find_go
from serbench.measure.conversation import Answers
from serbench.measure.counters import told_at_the_end
from serbench.measure.footprint import allocations_per_pass
from serbench.measure.plan import Plan, Task
from serbench.measure.said import PeakSaid
from serbench.measure.unit import Unit
from serbench.model import Field, Map, Record, string
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.selecting.selection import POLICIES, Operation
from serbench.selecting.support import limits_of
from serbench.verification.contract import verify
from serbench.workload import Workload, WorkloadSpec, load_workload

pytestmark = [pytest.mark.native, pytest.mark.skipif(not find_go(), reason="there is no go")]

DESCRIBED = 'b = b\'x\' * 30_000_000; print(\'{"event":"hello","protocol":1}\\n{"event":"done"}\')'
"""A Python program that prints the events of a runner's ``describe`` and uses 30 MB of memory."""


def codec(folder: Path, name: str, file: str = "", text: str = "") -> None:
    """Copies a codec that needs no modules under another name, with one file replaced."""
    made = folder / "go" / name
    shutil.copytree(PROJECT / "codecs" / "go" / "handwritten", made)
    if file:
        (made / file).write_text(text)


def built(tmp_path: Path) -> tuple[GoBuild, dict[tuple[str, str], str]]:
    """Builds all codecs below ``tmp_path`` with a workload; returns the build, and the error for each codec
    that failed."""
    codecs = load_codecs(tmp_path / "codecs")
    workload = load_workload(TEST_WORKLOADS / "grown" / "unions.py")
    build = GoBuild(Paths(PROJECT, tmp_path / "home"), list(codecs.values()), [workload])
    build.configure()
    pairs = [(variant, "unions") for each in codecs.values() for variant in each.variants.values()]
    return build, dict(build.build(pairs, lambda *_: None))


def test_an_error_costs_the_cell_that_has_it(tmp_path: Path) -> None:
    codec(tmp_path / "codecs", "good")
    codec(tmp_path / "codecs", "bad", "more.go", "package adapter\n\nvar wrong = missing\n")
    module = "module cell\n\ngo 1.24\n\nrequire (\n\tserbench v0.0.0\n\texample.invalid/none v1.0.0\n)\n"
    codec(tmp_path / "codecs", "absent", "go.mod", module)
    build, failures = built(tmp_path)
    assert failures == {("go/bad", "unions"): "adapter/more.go:3:13: undefined: missing"}
    assert not build.found["absent"].installed
    assert build.found["absent"].missing.startswith(
        "Go cannot fetch its modules: go: example.invalid/none@v1.0.0"
    )
    assert "://" not in build.found["absent"].missing
    (good,) = load_codecs(tmp_path / "codecs")["go/good"].variants.values()
    assert Path(*build.command(good, "unions")).exists()


def test_what_has_not_changed_is_left_alone(tmp_path: Path) -> None:
    codec(tmp_path / "codecs", "good")
    build, failures = built(tmp_path)
    assert not failures
    (good,) = load_codecs(tmp_path / "codecs")["go/good"].variants.values()
    (program,) = map(Path, build.command(good, "unions"))
    before = program.stat()
    built(tmp_path)
    assert program.stat().st_mtime_ns == before.st_mtime_ns
    adapter = tmp_path / "codecs" / "go" / "good" / "adapter.go"
    adapter.write_text(adapter.read_text() + "\n// another line\n")
    built(tmp_path)
    assert program.stat().st_mtime_ns != before.st_mtime_ns


def test_allocations_are_those_that_can_be_counted_by_hand(tmp_path: Path) -> None:
    """A record that is used again allocates only the characters of its 100 strings; a new record allocates
    its two slices in addition; the output of serialize does not grow again once it is kept."""
    codec(tmp_path / "codecs", "good")
    spec = small_spec("record")
    paths = Paths(PROJECT, tmp_path / "home")
    build = GoBuild(paths, list(load_codecs(tmp_path / "codecs").values()), [spec.workload])
    build.configure()
    (variant,) = load_codecs(tmp_path / "codecs")["go/good"].variants.values()
    pair = variant, "record"
    assert build.build_counting([pair], lambda *_: None) == {} and not build.cannot_count(variant)
    data = dataset_for(spec, paths)

    def counted(operation: Operation) -> dict[str, Any]:
        task = Task(variant.id, "record", (operation,), build.command(*pair), str(data.path))
        return allocations_per_pass(Plan([task], 1, seed=1), task, operation, build.counting(*pair))

    # Go's collector allocates now and then for itself.
    assert counted(Operation("serialize", "reuse"))["allocations_per_pass"] == pytest.approx(0, abs=0.2)
    again, new = counted(Operation("deserialize", "reuse")), counted(Operation("deserialize", "fresh"))
    assert again["allocations_per_pass"] == pytest.approx(100, abs=0.2)
    assert again["allocated_bytes_per_pass"] == pytest.approx(100 * 96, rel=0.01)  # 85 characters of each
    assert 102 <= round(new["allocations_per_pass"]) <= 104
    assert build.build([pair], lambda *_: None) == {}
    launcher = build.build_peak(lambda *_: None)
    go = [*launcher, *build.command(*pair), "describe"]
    python = [*launcher, sys.executable, "-c", DESCRIBED]
    peak, own = (told_at_the_end(PeakSaid, each, Answers(), None, 20)[1].bytes for each in (go, python))
    assert 2_000_000 < peak < 30_000_000 < own


def with_unions(folder: Path, codec: str) -> tuple[list[str], str]:
    """Build a codec in a folder with the workload ``unions``; return the command of its runner and the path
    of the data."""
    build, failures = built(folder)
    assert not failures
    (variant,) = load_codecs(folder / "codecs")[codec].variants.values()
    spec = WorkloadSpec(load_workload(TEST_WORKLOADS / "grown" / "unions.py"), {})
    data = dataset_for(spec, Paths(PROJECT, folder / "home"))
    return list(build.command(variant, "unions")), str(data.path)


TELLS_ITS_PLACE = """package adapter

import "unsafe"

// told tells where an object begins in its page.
func told(made *writer) *writer {
	println(uintptr(unsafe.Pointer(made)) % 4096)
	return made
}
"""


def test_small_objects_lie_elsewhere_in_each_process(tmp_path: Path) -> None:
    """Small objects have to lie at other addresses with another ``--place``. Gaps of other sizes would not
    move them, since Go puts objects of one size beside each other."""
    codec(tmp_path / "codecs", "told", "place.go", TELLS_ITS_PLACE)
    adapter = tmp_path / "codecs" / "go" / "told" / "adapter.go"
    assert "new(writer)" in adapter.read_text()
    adapter.write_text(adapter.read_text().replace("new(writer)", "told(new(writer))"))
    command, data = with_unions(tmp_path, "go/told")
    words = ["measure", "--dataset", data, "--cells", "serialize:reuse"]

    def places(number: int) -> list[int]:
        """The addresses of the objects that a process makes if it is started with ``--place NUMBER``."""
        taken = ["--samples", "1", "--iterations", "1", "--place", str(number)]
        done = subprocess.run([*command, *words, *taken], capture_output=True)
        assert done.returncode == 0
        return [int(line) for line in done.stderr.split()]

    last = [places(number)[-1] for number in range(1, 17)]
    assert len({place % 64 for place in last}) >= 3 and len(set(last)) >= 12


def test_the_collector_has_no_more_to_go_through_in_the_last_cell_than_in_the_first(tmp_path: Path) -> None:
    """Fillers that move small objects are let go of once these are there. They were kept until a process
    ended, 10 MB of them in each cell."""
    codec(tmp_path / "codecs", "good")
    command, data = with_unions(tmp_path, "go/good")
    cells = ",".join(f"{way}:{memory}" for way in ("serialize", "deserialize") for memory in POLICIES)
    words = ["--dataset", data, "--cells", ",".join([cells] * 4), "--samples", "1", "--place", "1"]
    done = subprocess.run(
        [*command, "measure", "--sample-ns", "100000", *words],
        capture_output=True, text=True, env={**os.environ, "GODEBUG": "gctrace=1"},
    )  # fmt: skip
    assert done.returncode == 0
    alive = [int(megabytes) for megabytes in re.findall(r"->(\d+) MB, .* \(forced\)", done.stderr)]
    assert len(alive) >= 16 and max(alive) <= min(alive) + 2


@pytest.mark.slow("a program in Go is compiled")
def test_go_itself_tests_what_only_go_can_see_of_its_runner(tmp_path: Path) -> None:
    tests = list((PROJECT / "tests").glob("*_test.go"))
    for source in [*(PROJECT / "runners/go").glob("*.*"), *tests]:
        shutil.copy(source, tmp_path)
    told = subprocess.run(["go", "test", "-vet=off", "-v", "."], cwd=tmp_path, capture_output=True, text=True)
    expected = sum(test.read_text().count("\nfunc Test") for test in tests)
    assert told.returncode == 0 and told.stdout.count("--- PASS") == expected > 0, told.stdout + told.stderr


def test_blocks_of_a_map_in_another_order_may_be_some_bytes_longer(tmp_path: Path) -> None:
    """Each map becomes Avro blocks of a hundred entries. The number of bytes in a block is near the limit at
    which its own encoding takes one byte more, so that another order of entries may change the size."""
    draws = random.Random(1)
    maps = [
        {f"{n:03}{'k' * draws.randrange(70)}": "v" * draws.randrange(90) for n in range(300)}
        for _ in range(20)
    ]
    root = Record("Labels", [Field("labels", Map(string, string))])
    spec = WorkloadSpec(Workload("labels", "maps", root, lambda: iter([(each,) for each in maps])), {})
    paths = Paths(PROJECT, tmp_path)
    hamba = load_codecs(PROJECT / "codecs")["go/hamba_avro"]
    build = GoBuild(paths, [hamba], [spec.workload])
    build.configure()
    if missing := build.found["hamba_avro"].missing:
        pytest.skip(f"go/hamba_avro: {missing}")
    (variant,) = hamba.variants.values()
    assert not build.build([(variant, "labels")], lambda *_: None)
    edge = edge_dataset_for(spec, paths, limits_of(variant, spec.workload.schema))
    command = build.command(variant, "labels")
    unit = Unit(variant, spec, dataset_for(spec, paths), edge, command=command)
    found = verify(as_measured(unit, whole=False))
    assert found.ok, found.reason

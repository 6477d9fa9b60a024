"""Tests of the first look at sizes, which come from the round trips of verification while programs are still
being built."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from rich.console import Console
from tests.support import PATHS, fake_unit
from tests.test_units import GOT, MISSING, VARIANTS, MadeUp
from tests.test_verify import FAKE

from serbench.building import prepare
from serbench.building.prepare import Listener, prepare_builds
from serbench.cli import console, first_look
from serbench.cli.first_look import FirstLook
from serbench.dataset.cache import dataset_for
from serbench.languages.base import Failures, Pair, Progress, Toolchain
from serbench.measure.job import Job
from serbench.measure.unit import Unit, Verification
from serbench.paths import PROJECT, Paths
from serbench.report.sizes_table import Sized, sizes_table
from serbench.selecting.selection import Chosen
from serbench.system.cores import usable_cores
from serbench.verification.contract import round_trips, verify
from serbench.verification.units import Early, verified
from serbench.workload import WorkloadSpec, load_workloads, parse_workload

FIRST, LAST, FAULTY = "cpp/cereal", "cpp/boost", "cpp/iostream"


@dataclass
class Slow(MadeUp):
    """A toolchain that builds its second batch only when the size of the first one is known."""

    known: Event | None = None
    batches: list[list[str]] = field(default_factory=list)

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        chosen = list(pairs)
        if self.known and self.batches:
            assert self.known.wait(20), "no size before all is built"
        self.batches.append([variant.id for variant, _ in chosen])
        progress(1, 2, "half of it")
        return super().build(chosen, progress)

    def command(self, variant: Any, workload: str) -> tuple[str, ...]:
        how = "wrong" if variant.codec.name == self.faulty else "none"
        return ("/usr/bin/env", f"FAKE_CODEC={variant.id}", *FAKE, how)


@pytest.fixture(name="spec")
def spec_of_monsters(monkeypatch: pytest.MonkeyPatch) -> WorkloadSpec:
    spec = parse_workload("monsters:count=2", load_workloads(PROJECT / "workloads"))
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    return spec


def job_of(tmp_path: Path, build: MadeUp, spec: WorkloadSpec, *codecs: str) -> Job:
    chosen = Chosen([VARIANTS[codec] for codec in codecs], [spec])
    return Job(Paths(PROJECT, tmp_path), chosen, cast("list[Toolchain]", [build]))


def test_sizes_are_known_while_others_are_still_being_built(
    tmp_path: Path, spec: WorkloadSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, int] = {}
    first = Event()

    def sized(unit: Unit, size_bytes: int) -> None:
        known[unit.name] = size_bytes
        first.set()

    monkeypatch.setattr(prepare, "_BATCH", 1)
    monkeypatch.setattr(prepare, "usable_cores", lambda: 1)
    build = Slow("c", {"cereal": GOT, "boost": GOT}, known=first)
    job = job_of(tmp_path, build, spec, LAST, FIRST)
    with Early(job.paths, 60, sized) as early:
        units = early.finish(prepare_builds(job, Listener(built=early.begin)))
    size = dataset_for(spec, job.paths).canonical_bytes
    assert known == {FIRST: size, LAST: size} and build.batches == [[LAST], [FIRST]]
    assert [unit.round_trips and unit.round_trips.size_bytes for unit in units] == [size, size]


def test_what_failed_on_its_way_has_no_size_and_is_told_as_ever(tmp_path: Path, spec: WorkloadSpec) -> None:
    known: list[str] = []
    build = Slow("c", {"cereal": GOT, "iostream": GOT}, faulty="iostream")
    job = job_of(tmp_path, build, spec, FIRST, FAULTY)
    with Early(job.paths, 60, lambda unit, _: known.append(unit.name)) as early:
        for unit in _commanded(job, build):
            early.begin(unit)
        units = early.finish(_commanded(job, build))
    assert known == [FIRST]
    found = verified(job.paths, units, lambda *_: None, 60)
    plainly = verified(job.paths, _commanded(job, build), lambda *_: None, 60, anew=True)
    assert [(unit.status, unit.reason, unit.verification) for unit in found] == [
        (unit.status, unit.reason, unit.verification) for unit in plainly
    ]
    assert [unit.status for unit in found] == ["ok", "failed"] and "does not round-trip" in found[1].reason


def _commanded(job: Job, build: Slow) -> list[Unit]:
    """Units of a job whose programs exist, as if the toolchain had built them."""
    units = prepare_builds(replace(job, builds=[cast("Toolchain", replace(build, faulty=""))]))
    return [replace(unit, command=build.command(*unit.pair)) for unit in units]


def test_round_trips_are_not_made_again(tmp_path: Path, spec: WorkloadSpec) -> None:
    (unit,) = _commanded(job_of(tmp_path, Slow("c", {"cereal": GOT}), spec, FIRST), Slow("c", {}))
    trips = round_trips(unit)
    assert trips.ok
    # This runner would fail as soon as it is asked to encode.
    broken = replace(unit, command=(*unit.command[:-1], "crash@encode"))
    assert not verify(broken).ok
    assert verify(replace(broken, round_trips=trips)) == verify(unit)
    why = Verification(False, "killed", signal=9)
    assert (verify(replace(unit, round_trips=why)).reason, verify(unit).ok) == ("killed", True)
    assert verify(replace(unit, round_trips=why)).signal == 9


def test_what_needs_no_compiler_is_built_first(tmp_path: Path, spec: WorkloadSpec) -> None:
    begun: list[str] = []

    class Told(MadeUp):
        def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
            begun.append(self.language)
            return super().build(pairs, progress)

    languages = ("cpp", "jvm", "python")
    builds = [Told("c", {}, language=each) for each in languages]
    chosen = [next(v for v in VARIANTS.values() if v.codec.language == each) for each in languages]
    job = Job(Paths(PROJECT, tmp_path), Chosen(chosen, [spec]), cast("list[Toolchain]", builds))
    units = prepare_builds(job)
    assert begun == ["python", "cpp", "jvm"] and [unit.variant for unit in units] == chosen


@pytest.mark.parametrize("waits", [False, True])
def test_where_somebody_waits_toolchains_are_made_ready_while_others_build(
    tmp_path: Path, spec: WorkloadSpec, waits: bool
) -> None:
    steps: list[str] = []
    later = Event()

    class Told(MadeUp):
        def configure(self) -> None:
            super().configure()
            steps.append(f"{self.language} is ready")
            if self.language == "jvm":
                later.set()

        def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
            assert later.wait(20 if waits else 0) or not waits, "not ready before the others are built"
            steps.append(f"{self.language} builds")
            return super().build(pairs, progress)

    builds = [Told("c", {}, language=each) for each in ("cpp", "jvm")]
    chosen = [next(v for v in VARIANTS.values() if v.codec.language == each) for each in ("cpp", "jvm")]
    job = Job(Paths(PROJECT, tmp_path), Chosen(chosen, [spec]), cast("list[Toolchain]", builds))
    prepare_builds(job, Listener(built=(lambda _: None) if waits else None))
    ready = ["cpp is ready", "jvm is ready"] if waits else ["cpp is ready", "cpp builds", "jvm is ready"]
    assert steps == [*ready, *(["cpp builds"] if waits else []), "jvm builds"]


SIX = [
    f"cpp/{each}"
    for each in ("protobuf:default", "msgpack:old", "boost", "msgpack:default", "cereal", "iostream")
]


def test_where_somebody_waits_the_first_variants_are_built_before_others(
    tmp_path: Path, spec: WorkloadSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare, "_BATCH", 1)
    monkeypatch.setattr(prepare, "usable_cores", lambda: 1)
    steps: list[tuple[int, int]] = []
    found = dict.fromkeys(("protobuf", "msgpack", "cereal", "iostream"), GOT)
    build = Slow("c", {**found, "boost": MISSING})
    job = job_of(tmp_path, build, spec, *SIX)
    listener = Listener(step=lambda done, total, _: steps.append((done, total)))
    assert [unit.variant.id for unit in prepare_builds(job, listener)] == SIX
    assert build.batches == [SIX] and steps == [(1, 2)]
    steps.clear()
    built: list[str] = []
    waiting = replace(listener, built=lambda unit: built.append(unit.variant.id))
    assert [unit.variant.id for unit in prepare_builds(job, waiting)] == SIX
    assert build.batches[1:] == [
        ["cpp/iostream"],
        ["cpp/msgpack:default", "cpp/cereal"],
        ["cpp/protobuf:default", "cpp/msgpack:old"],
        ["cpp/boost"],
    ]
    assert built == [each for batch in build.batches[1:-1] for each in batch]
    assert steps == [(0, 5), (2, 5), (4, 5)]


@pytest.mark.parametrize(("count", "sizes"), [(8, [1, 2, 5]), (10, [1, 2, 4, 3])])
def test_a_small_rest_is_built_with_the_batch_before_it(
    tmp_path: Path, spec: WorkloadSpec, monkeypatch: pytest.MonkeyPatch, count: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(prepare, "usable_cores", lambda: 1)
    chosen = [variant.id for variant in VARIANTS.values() if variant.codec.language == "cpp"][:count]
    build = Slow("c", dict.fromkeys((VARIANTS[each].codec.name for each in chosen), GOT))
    prepare_builds(job_of(tmp_path, build, spec, *chosen), Listener(built=lambda _: None))
    assert [len(batch) for batch in build.batches if batch] == sizes


def test_a_build_tool_that_starts_slowly_is_started_once(tmp_path: Path, spec: WorkloadSpec) -> None:
    chosen = [variant.id for variant in VARIANTS.values() if variant.codec.language == "jvm"]
    found = dict.fromkeys((VARIANTS[each].codec.name for each in chosen), GOT)
    build = Slow("maven", found, language="jvm")
    prepare_builds(job_of(tmp_path, build, spec, *chosen), Listener(built=lambda _: None))
    assert len(build.batches) == 1 and len(build.batches[0]) > 2 * usable_cores()


def test_the_smallest_comes_first_and_a_floor_is_no_contender() -> None:
    known = [Sized("a/b", 3000, False), Sized("a/floor", 1000, True), Sized("a/c", 2000, False)]
    table = sizes_table("orders", 8, known)
    assert table.rows == [["a/floor", "125", "×0.500"], ["a/c", "250", "×1.00"], ["a/b", "375", "×1.50"]]
    assert sizes_table("orders", 1, known[:1]).rows == [["a/b", "3,000", "×1.00"]]
    assert sizes_table("orders", 1, known[1:2]).rows == [["a/floor", "1,000", "×1.00"]]
    assert sizes_table("orders", 1, [Sized("a/b", 0, False)]).rows == [["a/b", "0", "–"]]
    assert [said.text for said in table.verdict] == ["a/c (250 bytes per message)"]
    assert [said.text for said in sizes_table("orders", 1, known[1:2]).verdict] == ["none yet"]
    assert "per message" in table.headings[1] and sizes_table("x", 1, known).headings[1] == "size"


def two_units(tmp_path: Path) -> list[Unit]:
    data = dataset_for(
        parse_workload("graph:nodes=5", load_workloads(PATHS.workloads)), Paths(PROJECT, tmp_path)
    )
    return [fake_unit(name, data) for name in ("fake/a", "fake/b")]


def test_without_a_terminal_each_size_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = two_units(tmp_path)
    look = FirstLook()
    look.add(a, 1500)
    look.add(b, 1000)
    look.leave()
    assert capsys.readouterr().err.splitlines() == [
        "first look: fake/a: 1,500 bytes, ×1.00 the smallest so far",
        "first look: fake/b: 1,000 bytes, ×1.00 the smallest so far",
    ]


def test_on_a_terminal_a_table_grows_above_the_bar_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    terminal = Console(file=out, width=80, height=20, force_terminal=True, color_system=None)
    for module in (console, first_look):
        monkeypatch.setattr(module, "stderr", terminal)
    a, b = two_units(tmp_path)
    look = FirstLook()

    def drawn() -> list[str]:
        """The lines that were written since the last call, without the control sequences that move the
        cursor."""
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
        out.seek(0)
        out.truncate()
        return [line.strip() for each in text.split("\r") for line in each.split("\n") if line.strip()]

    with console.Steps("building", look) as steps:
        steps.step(1, 9, "fake/b")
        assert steps._bar
        steps._bar.refresh()
        assert all("building" in line for line in drawn())
        look.add(a, 1500)
        steps._bar.refresh()
        lines = drawn()
        assert any(re.fullmatch(r"fake/a +1,500 +×1.00", line) for line in lines) and "1/9" in lines[-1]
        look.add(b, 1000)
        steps._bar.refresh()
        lines = drawn()
        rows = [line for line in lines if line.startswith("fake/")][-2:]
        assert [row.split() for row in rows] == [["fake/b", "1,000", "×1.00"], ["fake/a", "1,500", "×1.50"]]
    drawn()
    look.leave()
    left = drawn()
    assert left[0] == "fake: a first look at sizes; times follow" and len(left) == 6
    assert re.fullmatch(r"Smallest +fake/b \(1,000 bytes\)", left[1])
    for n in range(60):
        look.add(replace(a, compiler=f"c{n}"), 2000 + n)
    with console.Steps("building", look) as steps:
        steps.step(1, 9, "x")
        drawn()
        assert steps._bar
        steps._bar.refresh()
        lines = drawn()
        assert len(lines) <= 20 and any(line.startswith("… ") and "more rows" in line for line in lines)


@pytest.mark.native
def test_try_shows_sizes_before_it_measures_and_run_does_not(tmp_path: Path) -> None:
    file = tmp_path / "orders.jsonl"
    file.write_text("".join(json.dumps({"id": n, "name": "x" * n}) + "\n" for n in range(20)))
    environment = {**os.environ, "SERBENCH_HOME": str(tmp_path / "home"), "PYTHONPATH": str(PROJECT / "src")}

    def said(*words: str) -> list[str]:
        command = [sys.executable, "-m", "serbench", *words, "-c", "python/json", "-c", "python/pickle"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert "first look" not in done.stdout and "python/json" in done.stdout
        return done.stderr.splitlines()

    lines = said("try", str(file), "--no-install")
    looks = [n for n, line in enumerate(lines) if re.match(r"first look: python/\S+: [\d.]+ bytes per", line)]
    assert len(looks) >= 2 and max(looks) < next(
        n for n, line in enumerate(lines) if re.match(r"measuring \d", line)
    )
    assert not any(
        "first look" in line
        for line in said("run", "--quick", "-w", "orders", "--no-install", "--rounds", "1")
    )

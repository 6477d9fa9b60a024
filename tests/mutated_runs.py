"""A valid run and the commands that read its manifest and journal (see mutations.py), and the common part of
all classes that try mutants."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer
from tests.mutations import Mutant

import serbench.cli.measuring as measuring_module
import serbench.cli.run as run_module
from serbench.cli.app import register
from serbench.errors import SerbenchError
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.store import Journal, create_run
from serbench.paths import PROJECT, Paths

Attempt = tuple[str, Callable[[], object]]


APP = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
register(["run", "show", "compare", "plot", "list"], APP)


FORMATS = ("table", "markdown", "csv", "json")


CODECS = ("cpp/cereal", "cpp/memcpy", "cpp/thrift:compact")


OPERATIONS = ("serialize:reuse", "deserialize:reuse", "deserialize:fresh")


def command(*words: object) -> None:
    """Runs a command as the command line does, and throws its output away."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        APP([str(word) for word in words], prog_name="./serbench")


def put(holder: Any, **replacements: Any) -> None:
    """Replaces attributes of ``holder`` that build or measure by fakes, until the process ends."""
    for name, value in replacements.items():
        assert hasattr(holder, name), f"{holder} has no {name}, so nothing would be replaced"
        setattr(holder, name, value)


def end_before_building(*_: object, **__: object) -> Any:
    raise SerbenchError("this would be built")


class Reader:
    """One valid file, in a project and a home of its own, and the calls that read its mutants.

    Attributes:
        file: the file that is mutated.
        mutant: makes the bytes of a mutant from the bytes of the valid file.
    """

    file: Path
    mutant: Mutant

    def __init__(self, folder: Path):
        self.paths = Paths(folder / "project", folder / "home")
        self.paths.project.mkdir()
        for name in ("workloads", "codecs", "suites", "runners"):
            (self.paths.project / name).symlink_to(PROJECT / name)
        paths = self.paths
        put(Paths, default=classmethod(lambda cls: paths))
        os.environ["COLUMNS"] = "100"

    def attempts(self, number: int) -> Iterator[Attempt]:
        """The calls that read the mutant of this number, each with its name."""
        raise NotImplementedError

    def clean(self) -> None:
        """Removes what the calls that read a mutant left behind."""


def events() -> Iterator[dict[str, Any]]:
    """The events of a journal that has every kind of event."""
    for codec in CODECS:
        for compiler in ("g++", "clang++"):
            who = {"codec": codec, "workload": "record:ids=small", "compiler": compiler}
            unit = {
                "size_bytes": 17_008,
                "messages": 1,
                "operations": ["serialize", "deserialize"],
                "views": [],
                "executable": "ab",
            }
            yield {"event": "unit", **who, "status": "ok", "reason": "", **unit}
    yield {
        "event": "unit",
        **who,
        "codec": "cpp/boost",
        "status": "not_installed",
        "reason": "no header boost/x",
    }
    for number in range(1, 8):
        yield {
            "event": "round",
            "round": number,
            "reference": {"integer_ns": 10**6, "memory_ns": 10**6 + number},
            "order": [],
        }
        for codec in CODECS:
            for compiler in ("g++", "clang++"):
                who = {"codec": codec, "workload": "record:ids=small", "compiler": compiler}
                for operation in OPERATIONS:
                    name, _, memory = operation.partition(":")
                    cell = {
                        "operation": name,
                        "memory": memory,
                        "iterations": 100,
                        "elapsed_ns": 10**6 + 10**4 * len(codec) + number,
                    }
                    waits = {
                        "waited_ns": 10**5 * (number == 3),
                        "stolen_ns": 0,
                        "involuntary_switches": 1,
                        "settled": number != 2,
                    }
                    yield {"event": "sample", **who, **cell, **waits, "round": number, "page_faults": 0}
    who = {"codec": CODECS[0], "workload": "record:ids=small", "compiler": "g++"}
    cell = {"operation": "serialize", "memory": "reuse"}
    yield {
        "event": "failure",
        **who,
        **cell,
        "codec": CODECS[1],
        "round": 7,
        "reason": "the runner was killed by signal 9",
    }
    yield {"event": "compile_time", **who, "elapsed_ns": 10**9, "round": 1}
    yield {"event": "binary_size", **who, "file": 900, "text": 700, "data": 100, "bss": 50}
    yield {"event": "cost_failure", **who, "codec": CODECS[1], "reason": "did not build"}
    yield {
        "event": "shipped", **who, "kind": "bundles", "bytes": {"shipped": 9000, "gzip": -3}, "packages": 2,
        "licences": ["MIT"], "missing": {"browser": "no zlib"},
    }  # fmt: skip
    yield {"event": "shipped_failure", **who, "codec": CODECS[1], "reason": "did not build"}
    yield {"event": "footprints", "operations": ["serialize:reuse"], "instructions": "perf 6", "missing": ""}
    yield {"event": "instructions", **who, **cell, "instructions_per_pass": 1234.5, "tool": "perf 6"}
    yield {
        "event": "allocations",
        **who,
        **cell,
        "allocations_per_pass": 2.5,
        "allocated_bytes_per_pass": 345.0,
    }
    yield {"event": "peak", **who, **cell, "peak_bytes": 3_200_000}
    yield {
        "event": "footprint_failure",
        **who,
        **cell,
        "codec": CODECS[1],
        "figure": "peak",
        "reason": "no tool",
    }
    parcel = {**who, "parcel": "message"}
    yield {"event": "wire_parcels", **parcel, "parcels": 1, "messages": 1, "bytes": 17_008}
    for compressor in COMPRESSORS:
        yield {
            "event": "wire_size",
            **parcel,
            "compressor": compressor,
            "bytes": 5000,
            "library": f"{compressor} 1",
        }
        for direction in ("compress", "decompress"):
            sample = {"iterations": 10, "elapsed_ns": 10**6, "direction": direction}
            yield {"event": "wire_sample", **parcel, "compressor": compressor, "round": 1, **sample}
    yield {"event": "wire_failure", **who, "codec": CODECS[1], "reason": "offers no encode"}
    yield {"event": "end"}


def manifest() -> dict[str, Any]:
    """The manifest of a run of a suite with two compilers and all metrics."""
    return {
        "suite": "heron", "compilers": ["g++", "clang++"], "revisions": [], "prefixes": [], "profiles": [],
        "versions": [],
        "serbench": "1", "revision": "ab", "arguments": ["run"], "codecs": [*CODECS, "cpp/boost"],
        "floors": ["cpp/memcpy"],
        "lossy": {"cpp/cereal": "floats"},
        "features": {codec: {"schema": True, "zero_copy": False} for codec in CODECS},
        "workloads": ["record:ids=small"], "operations": list(OPERATIONS),
        "metrics": ["time", "compile_time", "binary_size", "shipped", "instructions", "memory", "wire"],
        "datasets": {
            "record:ids=small": {
                "sha256": "ab", "messages": 1, "canonical_bytes": 17_008, "parameters": {"seed": 1},
            },
        },
        "rounds": 7, "seed": 5, "target": 0.02, "most_rounds": 210, "budget_s": 1800.0, "further_s": None,
        "max_time_s": None, "sample_ns": 10**7, "samples": 3, "iterations": None, "warmup_ns": None,
        "core": 1, "dynamic": ["cpp/boost"],
        "toolchains": [
            {
                "name": name, "language": "cpp", "libraries": {"cpp/cereal": "1.3"}, "compiler": name,
                "flags": "-O3", "linking": "static",
            }
            for name in ("g++", "clang++")
        ],
        "machine": {
            "processor": "a processor", "cores": 2, "memory_bytes": 8 << 30, "system": "Linux",
            "virtual": True,
        },
    }  # fmt: skip


class OfRun(Reader):
    """The manifest or journal of a run, to mutate; beside this run stands a second one with the same content,
    which stays valid."""

    def __init__(self, folder: Path, name: str, mutant: Mutant):
        super().__init__(folder)
        made = create_run(self.paths.runs, manifest())
        with Journal(made) as journal:
            for event in events():
                journal.append(event)
        self.sound, self.mutated = "20200101-000000-aaaa", "20210101-000000-bbbb"
        made.directory.rename(self.paths.runs / self.sound)
        shutil.copytree(self.paths.runs / self.sound, self.paths.runs / self.mutated)
        self.file = self.paths.runs / self.mutated / name
        self.mutant = mutant
        journal_file = self.file.parent / "samples.jsonl"
        self.journal = journal_file, journal_file.read_bytes()
        put(run_module, with_toolchains=lambda job: job)
        put(run_module, prepare_builds=lambda *_: [])
        put(run_module, verified=lambda *_: [])
        put(measuring_module, execute=end_before_building)
        put(run_module, claim_core=lambda core, *_: core)  # which may wait for another run on this machine

    def attempts(self, number: int) -> Iterator[Attempt]:
        form = ("--format", FORMATS[number % len(FORMATS)])
        yield "show", partial(command, "show", self.mutated, *form)
        match number % 5:  # the others read the same in turn: each takes as long as all of a mutant's reading
            case 0:
                yield "compare", partial(command, "compare", self.sound, self.mutated, *form)
            case 1:
                yield "list", partial(command, "list", "runs", *form)
                yield "resume", partial(command, "run", "--resume", self.mutated)
            case 2:
                yield "compare halves", partial(command, "compare", self.mutated, *form)
                yield "resume dry", partial(command, "run", "--resume", self.mutated, "--dry-run")
            case 3:
                yield (
                    "show newest",
                    partial(command, "show", "--published", "--relative-to", "cpp/cereal", *form),
                )
            case _ if number % 20 == 4:
                yield "plot", partial(command, "plot", self.mutated, "-O", self.paths.home / "plots")

    def clean(self) -> None:
        path, content = self.journal
        if path != self.file:
            path.write_bytes(content)
        shutil.rmtree(self.paths.home / "plots", ignore_errors=True)
        outside = sorted(p.name for p in self.paths.home.iterdir())
        assert set(outside) <= {"runs", "datasets", "plots", "lock"}, outside

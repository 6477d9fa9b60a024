"""The kinds of files that serbench reads, a sound one of each, and the commands that read it (see
mutations.py)."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer
from tests.mutated_idls import IDLS, OfIdl
from tests.mutated_proto import PROTO, OfProto
from tests.mutations import Mutant, damaged, json_mutant, lines_mutant, toml_mutant

import serbench.cli.measuring as measuring_module
import serbench.cli.run as run_module
import serbench.languages.cpp.configure as configure_module
import serbench.measure.verify as verify_module
from serbench.catalogue import load_codec, load_codecs
from serbench.cli import compare, listing, plot, run, show
from serbench.codec import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import read_dataset
from serbench.errors import SerbenchError
from serbench.files import to_json
from serbench.languages.base import Found
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.generate import write_cells
from serbench.languages.cpp.ninja import Ninja
from serbench.languages.jvm.build import JvmBuild
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.store import Journal, create_run
from serbench.measure.unit import Unit, Verification
from serbench.measure.verify import verify_cached
from serbench.paths import PROJECT, Paths
from serbench.suite import load_suites
from serbench.workload import load_workloads, parse_workload

Attempt = tuple[str, Callable[[], object]]

APP = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
for module in (run, show, compare, plot, listing):
    module.register(APP)

FORMATS = ("table", "markdown", "csv", "json")
CODECS = ("cpp/cereal", "cpp/memcpy", "cpp/thrift:compact")
OPERATIONS = ("serialize:reuse", "deserialize:reuse", "deserialize:fresh")


def command(*words: object) -> None:
    """Runs a command as the command line does, its output thrown away."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        APP([str(word) for word in words], prog_name="./serbench")


def put(holder: Any, **replacements: Any) -> None:
    """Puts fakes in the place of what builds or measures; for the rest of this process."""
    for name, value in replacements.items():
        setattr(holder, name, value)


def end_before_building(*_: object, **__: object) -> Any:
    raise SerbenchError("this would be built")


class Reader:
    """One sound file, in a project and a home of its own.

    Attributes:
        file: what is mutated.
        mutant: how.
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
        """All that reads the file, by what it is."""
        raise NotImplementedError

    def clean(self) -> None:
        """Undoes what the attempts left."""


def events() -> Iterator[dict[str, Any]]:
    """A journal of every event that there is."""
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
    """Of a run of a suite with two compilers and all metrics."""
    return {
        "suite": "heron", "compilers": ["g++", "clang++"], "revisions": [], "prefixes": [], "serbench": "1",
        "revision": "ab", "arguments": ["run"], "codecs": [*CODECS, "cpp/boost"], "floors": ["cpp/memcpy"],
        "lossy": {"cpp/cereal": "floats"},
        "features": {codec: {"schema": True, "zero_copy": False} for codec in CODECS},
        "workloads": ["record:ids=small"], "operations": list(OPERATIONS),
        "metrics": ["time", "compile_time", "binary_size", "instructions", "memory", "wire"],
        "datasets": {
            "record:ids=small": {
                "sha256": "ab", "messages": 1, "canonical_bytes": 17_008, "parameters": {"seed": 1},
            },
        },
        "rounds": 7, "seed": 5, "target": 0.02, "most_rounds": 210, "budget_s": 1800.0, "max_time_s": None,
        "sample_ns": 10**7, "samples": 3, "iterations": None, "warmup_ns": None, "core": 1,
        "dynamic": ["cpp/boost"],
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
    """A file of a run, beside which there is a sound one of the same."""

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
        put(run_module, toolchains=lambda *_: [])
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


class Suite(Reader):
    def __init__(self, folder: Path):
        super().__init__(folder)
        (self.paths.project / "suites").unlink()
        shutil.copytree(PROJECT / "suites", self.paths.project / "suites")
        self.file, self.mutant = self.paths.suites / "heron.toml", toml_mutant
        made = create_run(self.paths.runs, manifest())
        with Journal(made) as journal:
            for event in events():
                journal.append(event)

    def attempts(self, number: int) -> Iterator[Attempt]:
        form = ("--format", FORMATS[number % len(FORMATS)])
        load_suites.cache_clear()
        yield "list", partial(command, "list", "suites", *form)
        yield "another", self._another
        match number % 4:
            case 0:
                yield "run", partial(command, "run", "--suite", "heron", "--dry-run")
            case 1:
                yield "run quick", partial(command, "run", "--suite", "heron", "--quick", "--dry-run")
            case 2:
                yield "show", partial(command, "show", "--published", *form)
            case _ if number % 20 == 3:
                yield "plot", partial(command, "plot", "-O", self.paths.home / "plots")

    @staticmethod
    def _another() -> None:
        """A sound suite is not hurt."""
        assert "monsters" in load_suites(Paths.default().suites)


class FakeBuild:
    """Finds every library, and builds nothing."""

    language = "cpp"
    name = "g++"

    def __init__(self, language: str, codecs: list[str]):
        self.language = language
        self.found = {name: Found(True, "1.0", "") for name in codecs}

    def configure(self) -> None:
        pass


class Codec(Reader):
    """A ``codec.toml`` in turn of one with an IDL, of the JVM, and with a tolerance."""

    def __init__(self, folder: Path, codec: str):
        super().__init__(folder)
        (self.paths.project / "codecs").unlink()
        for name in ("cpp/thrift", "cpp/bitsery", "cpp/memcpy", "jvm/circe", "jvm/memcpy"):
            shutil.copytree(PROJECT / "codecs" / name, self.paths.project / "codecs" / name)
        self.file, self.mutant = self.paths.codecs / codec / "codec.toml", toml_mutant
        self.workloads = {"record": load_workloads(PROJECT / "workloads")["record"]}
        put(
            listing,
            toolchains=lambda paths, *_: [
                FakeBuild(
                    language, [c.name for c in load_codecs(paths.codecs).values() if c.language == language]
                )
                for language in ("cpp", "jvm")
            ],
        )

    def attempts(self, number: int) -> Iterator[Attempt]:
        load_codecs.cache_clear()
        yield "list", partial(command, "list", "codecs", "--format", FORMATS[number % len(FORMATS)])
        yield "run all", partial(command, "run", "-w", "record", "-c", "*", "--dry-run")
        yield (
            "run it",
            partial(command, "run", "-w", "record", "-c", "/".join(self.file.parts[-3:-1]), "--dry-run"),
        )
        yield "generate", self._generate

    def _generate(self) -> None:
        codec = load_codec(self.file)
        if codec.language == "cpp":
            write_cells(self.paths.home / "generated", [codec], self.workloads.values())

    def clean(self) -> None:
        for path in self.paths.home.rglob("*") if self.paths.home.exists() else ():
            assert path.resolve().is_relative_to(self.paths.home.resolve())


class DatasetFile(Reader):
    def __init__(self, folder: Path, index: bool):
        super().__init__(folder)
        self.spec = parse_workload("monsters:count=2", load_workloads(PROJECT / "workloads"))
        data = dataset_for(self.spec, self.paths)
        self.data, self.original = data.path, data.path.read_bytes()
        (indexed,) = (self.paths.datasets / "index").iterdir()
        self.file, self.mutant = (indexed, damaged) if index else (data.path, _dataset_mutant)
        put(run_module, toolchains=lambda *_: [])
        put(run_module, prepare_builds=end_before_building)

    def attempts(self, number: int) -> Iterator[Attempt]:
        yield "run", partial(command, "run", "-w", "monsters:count=2", "-c", "cpp/memcpy")
        if self.file == self.data:
            yield "read", partial(self._read_all, self.file)

    @staticmethod
    def _read_all(file: Path) -> None:
        data = read_dataset(file)
        for _ in data.read_messages():
            pass
        data.schema()

    def clean(self) -> None:
        if self.file != self.data:
            self.data.write_bytes(self.original)


def _dataset_mutant(data: bytes, draws: Any) -> bytes:
    """The header mutated as JSON, its length and the digest of the body right, or any bytes damaged."""
    if draws.random() < 0.3:
        return damaged(data, draws)
    length = int.from_bytes(data[12:16], "little")
    header = json_mutant(data[96 : 96 + length], draws)
    return data[:12] + len(header).to_bytes(4, "little") + data[16:96] + header + data[96 + length :]


class Verified(Reader):
    """What is remembered of a verification."""

    mutant = staticmethod(json_mutant)

    def __init__(self, folder: Path):
        super().__init__(folder)
        spec = parse_workload("monsters:count=2", load_workloads(PROJECT / "workloads"))
        variant = load_codecs(PROJECT / "codecs")["cpp/cereal"].variants["default"]
        data, edge = (
            dataset_for(spec, self.paths),
            edge_dataset_for(spec, self.paths, Tolerance().float_range),
        )
        self.unit = Unit(variant, spec, data, edge, command=(sys.executable,))
        self.found = Verification(
            True, "", 100, 2, ("serialize", "encode"), ("edge decode:reuse",), "g++ 12", ("decode",)
        )
        put(verify_module, verify=lambda unit: self.found)
        assert verify_cached(self.paths.home / "verified", self.unit) == self.found
        (self.file,) = (self.paths.home / "verified").iterdir()

    def attempts(self, number: int) -> Iterator[Attempt]:
        yield "verify_cached", self._verify

    def _verify(self) -> None:
        found = verify_cached(self.paths.home / "verified", self.unit)
        assert found.ok and isinstance(found.operations, tuple) and isinstance(found.size_bytes, int)
        to_json(found.__dict__)


class FoundReport(Reader):
    """What CMake wrote of a library, and the stamp of the last configuration."""

    mutant = staticmethod(damaged)

    def __init__(self, folder: Path, stamp: bool):
        super().__init__(folder)
        codecs = [load_codecs(PROJECT / "codecs")["cpp/cereal"]]
        self.build = CppBuild(self.paths, "g++", codecs, [load_workloads(PROJECT / "workloads")["record"]])
        report = self.build.directory / "found" / "cereal"
        report.parent.mkdir(parents=True)
        report.write_text("found 1.3.0 (cereal)")
        put(configure_module.Configuration, _run_cmake=lambda *_: "")
        put(Ninja, refresh=lambda _: True)
        self.build.configure()
        self.file = self.build.directory / "configured" if stamp else report

    def attempts(self, number: int) -> Iterator[Attempt]:
        yield "configure", self.build.configure
        yield (
            "flags",
            lambda: to_json({"found": [vars(found) for found in self.build.found.values()]}).encode(),
        )


class Resolved(Reader):
    """What Maven found."""

    mutant = staticmethod(json_mutant)

    def __init__(self, folder: Path):
        super().__init__(folder)
        import serbench.languages.jvm.build as maven

        codecs = [load_codecs(PROJECT / "codecs")["jvm/memcpy"]]
        put(maven, _need=lambda name: name)
        put(maven, jdk_version=lambda: "17")
        self.build = JvmBuild(self.paths, codecs, [load_workloads(PROJECT / "workloads")["record"]])
        found = {"memcpy": Found(True, "1", "")}
        put(
            self.build,
            _resolve=lambda project, state: maven._Resolution(
                state=state, libraries={"memcpy": "a:b"}, found=found, all=True
            ),
        )
        self.build.configure()
        self.file = self.build.directory / "resolved.json"

    def attempts(self, number: int) -> Iterator[Attempt]:
        yield "configure", self.build.configure
        yield (
            "library",
            lambda: f"{self.build._libraries['memcpy']}{self.build.found['memcpy'].version}".encode(),
        )


KINDS: dict[str, Callable[[Path], Reader | OfProto | OfIdl]] = {
    "manifest": lambda folder: OfRun(folder, "manifest.json", json_mutant),
    "journal": lambda folder: OfRun(folder, "samples.jsonl", lines_mutant),
    "suite": Suite,
    "codec": lambda folder: Codec(folder, "cpp/thrift"),
    "codec_tolerance": lambda folder: Codec(folder, "cpp/bitsery"),
    "codec_jvm": lambda folder: Codec(folder, "jvm/circe"),
    "dataset": lambda folder: DatasetFile(folder, index=False),
    "dataset_index": lambda folder: DatasetFile(folder, index=True),
    "verified": Verified,
    "found": lambda folder: FoundReport(folder, stamp=False),
    "configured": lambda folder: FoundReport(folder, stamp=True),
    "resolved": Resolved,
    **PROTO,
    **IDLS,
}
"""By kind, what makes a sound file in an empty folder."""

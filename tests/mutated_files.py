"""The kinds of files that serbench reads besides runs, each with a valid file and the commands that read it
(see mutations.py)."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import tests.support as support_module
from tests.mutated_idls import IDLS, OfIdl
from tests.mutated_proto import PROTO, OfProto
from tests.mutated_runs import (
    FORMATS,
    Attempt,
    OfRun,
    Reader,
    command,
    end_before_building,
    events,
    manifest,
    put,
)
from tests.mutations import damaged, json_mutant, lines_mutant, toml_mutant
from tests.support import verify_cached

import serbench.cli.run as run_module
import serbench.languages.cpp.configure as configure_module
from serbench.cli import listing
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import read_dataset
from serbench.languages.base import Found
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.generate import write_cells
from serbench.languages.cpp.ninja import Ninja
from serbench.languages.jvm.build import JvmBuild
from serbench.measure.store import Journal, create_run
from serbench.measure.unit import Unit, Verification
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codec, load_codecs
from serbench.selecting.suite import load_suites
from serbench.system.files import to_json
from serbench.workload import load_workloads, parse_workload


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
        """Loads another suite, which is valid and must not be affected by the damaged one."""
        assert "monsters" in load_suites(Paths.default().suites)


class FakeBuild:
    """A toolchain that finds every library and builds nothing."""

    language = "cpp"
    name = "g++"

    def __init__(self, language: str, codecs: list[str]):
        self.language = language
        self.found = {name: Found(True, "1.0", "") for name in codecs}

    def configure(self) -> None:
        pass


class Codec(Reader):
    """The ``codec.toml`` of a codec, as a file to mutate, and the commands that read it."""

    def __init__(self, folder: Path, codec: str):
        super().__init__(folder)
        (self.paths.project / "codecs").unlink()
        for name in ("cpp/thrift", "cpp/bitsery", "cpp/memcpy", "jvm/circe", "jvm/memcpy"):
            shutil.copytree(PROJECT / "codecs" / name, self.paths.project / "codecs" / name)
        self.file, self.mutant = self.paths.codecs / codec / "codec.toml", toml_mutant
        self.workloads = {"record": load_workloads(PROJECT / "workloads")["record"]}
        put(
            listing,
            toolchains=lambda paths, *_, **__: [
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
        put(run_module, with_toolchains=lambda job: job)
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
    """A mutant of a dataset file: either any bytes are damaged, or its header is mutated as JSON; in that
    case the header's length and the digest of the messages behind it are right."""
    if draws.random() < 0.3:
        return damaged(data, draws)
    length = int.from_bytes(data[12:16], "little")
    header = json_mutant(data[96 : 96 + length], draws)
    return data[:12] + len(header).to_bytes(4, "little") + data[16:96] + header + data[96 + length :]


class Verified(Reader):
    """The file that remembers a verification, as a file to mutate."""

    mutant = staticmethod(json_mutant)

    def __init__(self, folder: Path):
        super().__init__(folder)
        spec = parse_workload("monsters:count=2", load_workloads(PROJECT / "workloads"))
        variant = load_codecs(PROJECT / "codecs")["cpp/cereal"].variants["default"]
        data, edge = (
            dataset_for(spec, self.paths),
            edge_dataset_for(spec, self.paths),
        )
        self.unit = Unit(variant, spec, data, edge, command=(sys.executable,))
        self.found = Verification(
            True, "", 100, 2, ("serialize", "encode"), ("edge decode:reuse",), ("decode",)
        )
        put(support_module, verify=lambda unit: self.found)
        assert verify_cached(self.paths.home / "verified", self.unit) == self.found
        (self.file,) = (self.paths.home / "verified").iterdir()

    def attempts(self, number: int) -> Iterator[Attempt]:
        yield "verify_cached", self._verify

    def _verify(self) -> None:
        found = verify_cached(self.paths.home / "verified", self.unit)
        assert found.ok and isinstance(found.operations, tuple) and isinstance(found.size_bytes, int)
        to_json(found.__dict__)


class FoundReport(Reader):
    """CMake's report on a library, and the stamp of the last configuration, as files to mutate."""

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
    """The file that lists the libraries that Maven found, as a file to mutate."""

    mutant = staticmethod(json_mutant)

    def __init__(self, folder: Path):
        super().__init__(folder)
        import serbench.languages.jvm.build as maven

        codecs = [load_codecs(PROJECT / "codecs")["jvm/memcpy"]]
        put(maven, need=lambda name: name)
        put(maven, jdk_version=lambda: "17")
        self.build = JvmBuild(self.paths, codecs, [load_workloads(PROJECT / "workloads")["record"]])
        found = {"memcpy": Found(True, "1", "")}
        put(
            self.build,
            _resolve=lambda project, state: maven._ResolvedPackages(
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
"""Kind → the class that makes a valid file of this kind in an empty folder."""

"""The common part of tests of real codecs: small data for every workload, and the build of every codec with
it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from serbench.building.prepare import prepare_builds, units_of
from serbench.codecs.codec import Codec, Variant
from serbench.dataset.file import Dataset
from serbench.languages.base import Toolchain
from serbench.languages.c.build import CBuild
from serbench.languages.cpp.build import CppBuild
from serbench.languages.go.build import GoBuild
from serbench.languages.rust.build import RustBuild
from serbench.measure.job import Job, Permission
from serbench.measure.process import apart
from serbench.measure.store import Run
from serbench.measure.unit import Unit, Verification
from serbench.model import Schema
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import HEADLINE, Chosen, select_variants
from serbench.selecting.support import why_unsupported
from serbench.verification.contract import verify
from serbench.verification.kept import remember, remembered
from serbench.workload import Workload, WorkloadSpec, load_workloads


def raw_events(run: Run) -> list[dict[str, Any]]:
    """The events of a journal as they stand in its file."""
    return [json.loads(line) for line in run.journal.read_text().splitlines()]


def raw_manifest(run: Run) -> dict[str, Any]:
    """A manifest as it stands in its file."""
    read: dict[str, Any] = json.loads((run.directory / "manifest.json").read_text())
    return read


TEST_WORKLOADS = Path(__file__).parent / "workloads"
# With a space, as folders of people have: who passes a path on as two words is found out.
PATHS = Paths(PROJECT, Paths.default().home / "built by tests")
"""The home in which tests keep their builds from one run to the next."""
SMALL = {
    "record": {},
    "monsters": {"count": 5},
    "graph": {"nodes": 20},
    "nobid": {"count": 50},
    "telemetry": {"spans": 12},
    "everything": {"messages": 4},
    "web_log": {"lines": 20},
    "mesh": {"triangles": 20},
    "minecraft_savedata": {"count": 5},
    "mk48": {"count": 3},
    "small_struct": {"count": 20},
    "every_kind": {},
    "nestings": {},
    "unions": {},
    "recursion": {},
    "kinds": {},
    "oneofs": {},
}

BuildOf = Callable[[Paths, Sequence[Codec], Sequence[Workload]], Toolchain]

NATIVE: dict[str, BuildOf] = {
    "cpp": lambda paths, codecs, workloads: CppBuild(paths, "g++", codecs, workloads),
    "c": lambda paths, codecs, workloads: CBuild(paths, "gcc", codecs, workloads),
    "go": lambda paths, codecs, workloads: GoBuild(paths, codecs, workloads),
    "rust": lambda paths, codecs, workloads: RustBuild(paths, "g++", codecs, workloads),
}
"""The languages whose runners are executables, each with its build."""

ENOUGH = "every_kind"
"""The workload with every type, which each codec is built with in its first variant, unless all are asked
for."""

SINGLE = "monsters"
"""The workload of variants with another format than their codec's first, and of codecs that cannot do every
kind; its sizes are published."""

WITH_SINGLE = (
    *("c/msgpack:zone", "c/protobuf_c:heap", "cpp/bitsery:general", "cpp/boost", "cpp/cereal"),
    *("cpp/handwritten:checked", "cpp/msgpack:default", "cpp/nlohmann_json:json", "cpp/protobuf:default"),
    *("cpp/yas:general", "cpp/zpp_bits:general", "jvm/java_io", "jvm/memcpy"),
)
"""The variants that are built with ``SINGLE`` besides: their sizes are published, or a test of one codec
takes them."""

PARTS = ("nestings", "unions", "recursion", "kinds")
"""The workloads that a codec which cannot do every kind is built with besides, as far as it can."""

CANONICAL = ("cpp/iostream", "cpp/memcpy", "jvm/handwritten")
"""The variants whose canonical encoding is compared with Python's, each in code of its own."""

CANONICAL_WITH = ("every_kind", "everything", "graph", "monsters")
"""The workloads that it is compared with, unless all are asked for: the two that have every type, one with a
walk, and one of which sizes are known."""

OWN = {"protobuf": "oneofs"}
"""Format → the further workload that its codecs are built with, for what only their schemas have."""

QUICK = False
"""Whether ``--quick`` was given; set before tests are imported."""


def examples(count: int) -> int:
    """How many examples a property test draws."""
    return max(count // 10, 5) if QUICK else count


@cache
def all_workloads() -> dict[str, Workload]:
    """The project's workloads, and those of tests that are parts of the one which has every type."""
    return (
        load_workloads(Paths.default().workloads)
        | load_workloads(TEST_WORKLOADS)
        | load_workloads(TEST_WORKLOADS / "grown")
    )


def glue_of(codec: str, schema: Schema) -> str:
    """The glue of a codec by its id."""
    glue = load_codecs(Paths.default().codecs)[codec].glue
    assert glue.emit, f"{codec} has no glue"
    return glue.emit(schema)


@cache
def why_not(variant: str, workload: str) -> str | None:
    """Why a codec variant, by its id, cannot do a workload made small; None where it can, or is a test's
    own."""
    known = load_variants(PATHS.codecs)
    return why_unsupported(known[variant], small_spec(workload), PATHS) if variant in known else None


def in_matrix(variant: Variant, workload: str, whole: bool) -> bool:
    """Whether a codec variant is tested with a workload: with all that it supports where the ``whole`` matrix
    is asked for. Else each codec is tested by its first variant of each format, with ``ENOUGH`` and what its
    format alone has, or the first workload that it supports where it does neither."""
    if not (whole or is_first_of_format(variant)):
        return False
    if variant.id in CANONICAL and workload in CANONICAL_WITH:
        return not why_not(variant.id, workload)
    supported = [name for name in SMALL if not why_not(variant.id, name)]
    return workload in (supported if whole else _chosen(variant, supported) or supported[:1])


def _chosen(variant: Variant, supported: Sequence[str]) -> list[str]:
    """The supported workloads that a variant is tested with unless all are asked for."""
    if next(iter(variant.codec.variants)) != variant.name:
        return [name for name in supported if name == SINGLE]
    asked = [ENOUGH] if ENOUGH in supported else [SINGLE, *PARTS]
    asked += [OWN.get(variant.codec.format, ""), SINGLE if variant.id in WITH_SINGLE else ""]
    return [name for name in asked if name in supported]


def workload_for(variant: Variant, whole: bool) -> str:
    """The workload of a test that takes one for each variant: ``SINGLE`` if the matrix has it, else the first
    that the matrix has. Skips the test of a variant that is left to ``--all``."""
    for workload in (SINGLE, *SMALL):
        if in_matrix(variant, workload, whole):
            return workload
    pytest.skip(f"{variant.id} is left to ./serbench test --all")


def is_first_of_format(variant: Variant) -> bool:
    """Whether it is the first variant of its codec that writes its format."""
    return next(each for each in variant.codec.variants.values() if each.format == variant.format) == variant


def skip_unless_in_matrix(variant: Variant, workload: str, whole: bool) -> None:
    """Skips a test of a pair that is left to ``--all``, or that the codec does not support."""
    if reason := why_not(variant.id, workload):
        pytest.skip(f"{variant.id}: {reason}")
    if not in_matrix(variant, workload, whole):
        pytest.skip(f"{variant.id} with {workload} is left to ./serbench test --all")


def small_spec(name: str) -> WorkloadSpec:
    """A workload with parameters that make it small."""
    workload = all_workloads()[name]
    defaults = {p.name: p.default for p in workload.parameters}
    return WorkloadSpec(workload, defaults | SMALL[name])


def fake_unit(codec: str, data: Dataset, **found: Any) -> Unit:
    """A unit of a codec and a workload that there are not, with what was ``found`` of it."""
    language, _, name = codec.partition("/")
    real = load_codecs(PATHS.codecs)["cpp/cereal"]
    made = replace(real, language=language, name=name, variants={"default": real.variants["default"]})
    workload = replace(all_workloads()["nestings"], name="fake", parameters=())
    return Unit(
        replace(real.variants["default"], codec=made), WorkloadSpec(workload, {}), data, data, **found
    )


@dataclass(frozen=True)
class Native:
    """Codec variants built with workloads, where their library is there: those of the matrix, and what a test
    asks for besides.

    Attributes:
        builds: language → its toolchain.
        whole: whether the matrix is every codec with every workload.
    """

    paths: Paths
    builds: Mapping[str, Toolchain]
    whole: bool
    units: dict[tuple[str, str], Unit]

    def unit(self, variant: Variant, workload: str) -> Unit:
        """A unit, built if it is not yet; a library that no package manager here has skips the test, with the
        reason."""
        if (variant.id, workload) not in self.units:
            self.add([(variant, workload)])
        unit = self.units[variant.id, workload]
        if unit.status == "not_installed" and not variant.codec.install.get("apt"):
            pytest.skip(unit.reason)
        return unit

    def add(self, pairs: Sequence[tuple[Variant, str]]) -> None:
        """Builds variants, each with a workload, all at once: a toolchain takes seconds to look around, and
        leaves no core idle while it has more to build. Installs libraries where that is allowed."""
        variants = list({variant.id: variant for variant, _ in pairs}.values())
        used = {variant.codec.language for variant in variants}
        builds = [build for language, build in self.builds.items() if language in used]
        specs = {workload: small_spec(workload) for _, workload in pairs}
        job = Job(self.paths, Chosen(variants, list(specs.values())), builds, Permission(install=True))
        asked = [
            unit
            for workload, spec in specs.items()
            for unit in units_of(replace(job, chosen=Chosen([v for v, w in pairs if w == workload], [spec])))
        ]
        made = prepare_builds(job, asked=asked)
        self.units.update({(unit.variant.id, unit.spec.workload.name): unit for unit in made})


def build_of(language: str, paths: Paths, workloads: Sequence[Workload]) -> Toolchain:
    """The build of every codec of a language of ``NATIVE``."""
    codecs = [codec for codec in load_codecs(paths.codecs).values() if codec.language == language]
    return NATIVE[language](paths, codecs, workloads)


def asked_for(config: pytest.Config) -> list[Variant]:
    """The variants of the codecs that ``--codec`` names: of all of them where it names none."""
    known = load_variants(PATHS.codecs)
    patterns = config.getoption("codec")
    codecs = {variant.codec.id for variant in select_variants(patterns, known)} if patterns else set()
    return [variant for variant in known.values() if not codecs or variant.codec.id in codecs]


def build_matrix(whole: bool, asked: Sequence[Variant]) -> Native:
    """Builds what has changed of the matrix since the last time, of the variants that were asked for."""
    variants = [v for v in asked if v.codec.language in NATIVE]
    native = Native(
        PATHS,
        {language: build_of(language, PATHS, list(all_workloads().values())) for language in NATIVE},
        whole,
        {},
    )
    native.add([(v, w) for w in SMALL for v in variants if in_matrix(v, w, whole)])
    return native


def as_measured(unit: Unit, whole: bool) -> Unit:
    """The unit as a run of the default operations has it verified, which takes a fraction of the time. All
    operations are watched where the ``whole`` matrix is asked for, of handwritten code, and of Protocol
    Buffers, whose libraries have objects of their own."""
    if whole or unit.variant.codec.name == "handwritten" or unit.variant.format == "protobuf":
        return unit
    return replace(unit, measured=HEADLINE)


def verify_cached(folder: Path, unit: Unit) -> Verification:
    """Verifies a unit as ``verify`` does, unless it passed before with the same executable, data and
    contract."""
    if known := remembered(folder, unit):
        return known
    result = verify(unit)
    remember(folder, unit, result)
    return result


@cache
def has_namespaces() -> bool:
    """Whether this system isolates processes: then none can write beside its folder."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        own, other = Path(name) / "own", Path(name) / "other"
        own.mkdir()
        subprocess.run([*apart(own), "mkdir", str(other)], capture_output=True, check=False)
        return not other.exists()

"""The common part of tests of real codecs: small data for every workload, and the builds of all codecs."""

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
from serbench.verification.checks import Found
from serbench.verification.contract import verify
from serbench.verification.kept import remember, remembered
from serbench.workload import Workload, WorkloadSpec, load_workloads


def raw_events(run: Run) -> list[dict[str, Any]]:
    """The events of a run's journal as they stand in the file."""
    return [json.loads(line) for line in run.journal.read_text().splitlines()]


def raw_manifest(run: Run) -> dict[str, Any]:
    """The manifest of a run as it stands in the file."""
    read: dict[str, Any] = json.loads((run.directory / "manifest.json").read_text())
    return read


def sharing(home: Path) -> Path:
    """A home of some tests, whose builds of C, C++ and Rust take what measures from the tests' common home,
    where it is compiled once (``PATHS``)."""
    common, own = PATHS.builds / "shared", home / "build" / "shared"
    common.mkdir(parents=True, exist_ok=True)
    own.parent.mkdir(parents=True, exist_ok=True)
    if not own.exists():
        own.symlink_to(common)
    return home


TEST_WORKLOADS = Path(__file__).parent / "workloads"
# With a space, as folders of people have: who passes a path on as two words is found out.
PATHS = Paths(PROJECT, Paths.default().home / "built by tests")
"""Paths with a home folder in which tests keep their builds from one run to the next."""
TRICKS = Paths(PROJECT, PATHS.home.parent / "tricks")
"""Paths with the home folder of adapters that cheat."""
SMALL = {
    "record": {},
    "monsters": {"count": 5},
    "graph": {"nodes": 20},
    "nobid": {"count": 50},
    "telemetry": {"spans": 12},
    "everything": {"messages": 4},
    "evolving": {"count": 1},
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
"""Languages whose runners are executables → the function that makes their toolchain."""

ENOUGH = "every_kind"
"""The workload with every type. The first variant of each codec is built with this workload alone, unless the
whole matrix is asked for."""

SINGLE = "monsters"
"""The workload of variants whose format is not the first of their codec, and of codecs that cannot do every
kind; its sizes are published."""

WITH_SINGLE = (
    *("c/msgpack:zone", "c/protobuf_c:heap", "cpp/bitsery:general", "cpp/boost", "cpp/cereal"),
    *("cpp/handwritten:checked", "cpp/msgpack:default", "cpp/protobuf:default"),
    *("cpp/yas:general", "cpp/zpp_bits:general", "jvm/java_io", "jvm/memcpy"),
)
"""The variants that are built with ``SINGLE`` in addition, since their sizes are published or a test of one
codec needs them."""

LEFT_TO_ALL = (
    *("cpp/nlohmann_json:bson", "cpp/nlohmann_json:cbor", "cpp/nlohmann_json:ubjson"),
    *("jvm/avrohugger", "jvm/msgpack4z:maps", "jvm/scrooge:binary", "jvm/scrooge:compact"),
    "rust/planus",
)
"""The variants that take longest to build, and are tested only with ``--all``: nlohmann_json writes all its
formats by the same code, other libraries of the JVM write those of these three, and planus needs a generator
of a hundred crates."""

ONLY_OWN = ("cpp/protobuf_proto2",)
"""Codecs whose adapter is that of another: they are tested with the workload of ``OWN`` alone."""

PARTS = ("nestings", "unions", "recursion", "kinds")
"""The workloads that a codec which cannot do every kind is built with in addition, if it can do them."""

CANONICAL = ("cpp/iostream", "cpp/memcpy", "jvm/handwritten")
"""The variants that have a canonical encoding in code of their own, which tests compare with Python's."""

CANONICAL_WITH = ("every_kind", "graph", "monsters")
"""The workloads of this comparison, unless the whole matrix is asked for: that with every type, one with a
walk, and one whose sizes are published."""

OWN = {"protobuf": "oneofs"}
"""Format → the additional workload of its codecs, with features that only schemas of this format have."""

SHARE = 2
"""One of so many examples that a property test can draw is drawn: of two; of ten with ``--quick``; each with
``--all``. The value is set before tests are imported."""


def examples(count: int) -> int:
    """The number of examples that a property test draws, of ``count`` that it draws at most."""
    return max(count // SHARE, 5)


@cache
def all_workloads() -> dict[str, Workload]:
    """The workloads of the project and of the tests, by their names."""
    return (
        load_workloads(Paths.default().workloads)
        | load_workloads(TEST_WORKLOADS)
        | load_workloads(TEST_WORKLOADS / "grown")
    )


def glue_of(codec: str, schema: Schema) -> str:
    """The text of the glue that a codec, named by its id, generates for a schema."""
    glue = load_codecs(Paths.default().codecs)[codec].glue
    assert glue.emit, f"{codec} has no glue"
    return glue.emit(schema)


@cache
def why_not(variant: str, workload: str) -> str | None:
    """Why a codec variant, named by its id, cannot do the small form of a workload; None if it can, or if a
    test made the variant up."""
    known = load_variants(PATHS.codecs)
    return why_unsupported(known[variant], small_spec(workload), PATHS) if variant in known else None


def in_matrix(variant: Variant, workload: str, whole: bool) -> bool:
    """Whether a codec variant is tested with a workload.

    With ``whole``, each variant is tested with all workloads that it supports. Otherwise only the first
    variant of each format of a codec is tested, but for a few (``LEFT_TO_ALL``). The codec's first variant is
    tested with ``ENOUGH``, or with ``SINGLE`` and ``PARTS`` where it cannot do every kind, and with the
    additional workload of its format (``ONLY_OWN``: with that alone). The first variants of its other formats
    are tested with ``SINGLE``. A variant that supports none of these workloads is tested with the first one
    that it supports.
    """
    if not whole and (variant.id in LEFT_TO_ALL or not is_first_of_format(variant)):
        return False
    if variant.id in CANONICAL and workload in CANONICAL_WITH:
        return not why_not(variant.id, workload)
    supported = [name for name in SMALL if not why_not(variant.id, name)]
    return workload in (supported if whole else _chosen(variant, supported) or supported[:1])


def _chosen(variant: Variant, supported: Sequence[str]) -> list[str]:
    """The supported workloads that a variant is tested with if not all are asked for."""
    if next(iter(variant.codec.variants)) != variant.name:
        return [name for name in supported if name == SINGLE]
    asked = [ENOUGH] if ENOUGH in supported else [SINGLE, *PARTS]
    asked += [OWN.get(variant.codec.format, ""), SINGLE if variant.id in WITH_SINGLE else ""]
    if variant.id in ONLY_OWN:
        asked = [OWN[variant.codec.format]]
    return [name for name in asked if name in supported]


def workload_for(variant: Variant, whole: bool) -> str:
    """The workload for a test that runs on a single one for each variant: ``SINGLE`` if the variant is tested
    with it (``in_matrix``), otherwise the first of the workloads that it is tested with. Skips the test if
    there is none."""
    for workload in (SINGLE, *SMALL):
        if in_matrix(variant, workload, whole):
            return workload
    pytest.skip(f"{variant.id} is left to ./serbench test --all")


def is_first_of_format(variant: Variant) -> bool:
    """Whether a variant is the first of its codec that writes its format."""
    return next(each for each in variant.codec.variants.values() if each.format == variant.format) == variant


def skip_unless_in_matrix(variant: Variant, workload: str, whole: bool) -> None:
    """Skips a test of a variant with a workload which the codec does not support, or which only ``--all``
    tests."""
    if reason := why_not(variant.id, workload):
        pytest.skip(f"{variant.id}: {reason}")
    if not in_matrix(variant, workload, whole):
        pytest.skip(f"{variant.id} with {workload} is left to ./serbench test --all")


def small_spec(name: str) -> WorkloadSpec:
    """The small form of a workload, by its name: with parameters that make few data."""
    workload = all_workloads()[name]
    defaults = {p.name: p.default for p in workload.parameters}
    return WorkloadSpec(workload, defaults | SMALL[name])


def fake_unit(codec: str, data: Dataset, **found: Any) -> Unit:
    """A made-up unit of a codec and a dataset; ``found`` gives further attributes of the unit."""
    language, _, name = codec.partition("/")
    real = load_codecs(PATHS.codecs)["cpp/cereal"]
    made = replace(real, language=language, name=name, variants={"default": real.variants["default"]})
    workload = replace(all_workloads()["nestings"], name="fake", parameters=())
    return Unit(
        replace(real.variants["default"], codec=made), WorkloadSpec(workload, {}), data, data, **found
    )


@dataclass(frozen=True)
class Native:
    """The units that tests of real codecs share: those of the matrix, which are the codec variants with the
    workloads that all of these tests run on (``in_matrix``), and others that a single test asks for.

    Attributes:
        builds: language → its toolchain.
        whole: whether the matrix is every variant with every workload that it supports.
    """

    paths: Paths
    builds: Mapping[str, Toolchain]
    whole: bool
    units: dict[tuple[str, str], Unit]

    def unit(self, variant: Variant, workload: str) -> Unit:
        """The unit of a variant with a workload, which is built on first use. Skips the test, with the
        reason, if the library is missing and no package manager here has it."""
        if (variant.id, workload) not in self.units:
            self.add([(variant, workload)])
        unit = self.units[variant.id, workload]
        if unit.status == "not_installed" and not variant.codec.install.get("apt"):
            pytest.skip(unit.reason)
        return unit

    def add(self, pairs: Sequence[tuple[Variant, str]]) -> None:
        """Builds variants with workloads, all at once: a toolchain takes seconds to start, and keeps all
        cores busy only while it has more to build. Installs libraries if installing is allowed."""
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


SEEN_BY_CASES = ("go/hamba_avro", "javascript/pbf", "python/thriftpy2:binary")
"""Variants without the check ``bounds``, as cases of conformance show, and messages that end within a text do
not."""


def told_by(found: Found, variant: Variant) -> dict[str, bool]:
    """The checks of which malformed messages tell whether a variant makes them."""
    hidden = "bounds" if variant.id in SEEN_BY_CASES else ""
    return {name: answer for name, answer in found.items() if answer is not None and name != hidden}


def build_of(language: str, paths: Paths, workloads: Sequence[Workload]) -> Toolchain:
    """The toolchain that builds every codec of a language, which is one of ``NATIVE``, with these
    workloads."""
    codecs = [codec for codec in load_codecs(paths.codecs).values() if codec.language == language]
    return NATIVE[language](paths, codecs, workloads)


def compile_quickly(patch: pytest.MonkeyPatch) -> None:
    """Has the programs of C, C++ and Rust in ``PATHS`` and ``TRICKS`` optimized little, and those of Rust in
    ``PATHS`` not at all, in folders of their own, so that programs with the usual flags are beside them. Some
    adapters cheat only after calls that a program of Rust does not come to without optimization."""
    usual = {name: vars(CppBuild)[name].fget for name in ("directory", "optimization", "_settings")}

    def is_shared(build: CppBuild) -> bool:
        return build.paths.home in (PATHS.home, TRICKS.home) and not build.sanitized

    def directory(build: CppBuild) -> Path:
        folder: Path = usual["directory"](build)
        return folder.with_name(f"{folder.name} quickly") if is_shared(build) else folder

    def optimization(build: CppBuild) -> str:
        return "-O1 -DNDEBUG" if is_shared(build) else usual["optimization"](build)

    def settings(build: CppBuild) -> str:
        return "opt-level=0" if build.paths.home == PATHS.home else usual["_settings"](build)

    patch.setattr(CppBuild, "directory", property(directory))
    patch.setattr(CppBuild, "optimization", property(optimization))
    patch.setattr(RustBuild, "_settings", property(settings))


def asked_for(config: pytest.Config) -> list[Variant]:
    """The variants of the codecs that ``--codec`` names, or of all codecs without this option."""
    known = load_variants(PATHS.codecs)
    patterns = config.getoption("codec")
    codecs = {variant.codec.id for variant in select_variants(patterns, known)} if patterns else set()
    return [variant for variant in known.values() if not codecs or variant.codec.id in codecs]


def build_matrix(whole: bool, asked: Sequence[Variant]) -> Native:
    """Builds the units of the matrix (see ``Native``) for the variants that were asked for, as far as they
    have changed since they were last built."""
    variants = [v for v in asked if v.codec.language in NATIVE]
    native = Native(
        PATHS,
        {language: build_of(language, PATHS, list(all_workloads().values())) for language in NATIVE},
        whole,
        {},
    )
    # Pairs that a codec cannot do are told at once too: alone, each would have its toolchain configured.
    native.add([(v, w) for w in SMALL for v in variants if why_not(v.id, w) or in_matrix(v, w, whole)])
    return native


def as_measured(unit: Unit, whole: bool) -> Unit:
    """The unit with only the default operations to verify, which takes a fraction of the time. All operations
    stay for the ``whole`` matrix, and with ``ENOUGH`` for handwritten code and for Protocol Buffers, whose
    libraries have native objects."""
    has_all = unit.variant.codec.name == "handwritten" or unit.variant.format == "protobuf"
    if whole or (has_all and unit.spec.workload.name == ENOUGH):
        return unit
    return replace(unit, measured=HEADLINE)


def verify_cached(folder: Path, unit: Unit) -> Verification:
    """Verifies a unit as ``verify`` does, unless it passed before with the same executable, data and timing
    contract."""
    if known := remembered(folder, unit):
        return known
    result = verify(unit)
    remember(folder, unit, result)
    return result


@cache
def has_namespaces() -> bool:
    """Whether this system can isolate processes, so that none can write outside of its folder."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        own, other = Path(name) / "own", Path(name) / "other"
        own.mkdir()
        subprocess.run([*apart(own), "mkdir", str(other)], capture_output=True, check=False)
        return not other.exists()

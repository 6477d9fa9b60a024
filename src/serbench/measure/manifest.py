"""The manifest of a run: its selection, its plan, the tools and the machine. Also finds how two manifests
differ."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from serbench import __version__
from serbench.changes.reading import fields_with_values
from serbench.codecs.edition import KINDS, Editions
from serbench.dataset.cache import dataset_for
from serbench.errors import SetupError
from serbench.languages import base as toolchain
from serbench.measure.filtered import Filtered, filtered
from serbench.measure.machine import Machine, describe_machine, git_revision
from serbench.measure.sweep import base_of, list_of
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.conforming import load_conformance
from serbench.selecting.evolved import SeenCodec, features_of, load_evolution
from serbench.selecting.selection import READING, UPDATING, Chosen
from serbench.system.command import words_to_keep
from serbench.system.files import Count, Digest, Name, Positive, Text, short
from serbench.text import shortened

if TYPE_CHECKING:
    from serbench.measure.job import Job
    from serbench.measure.plan import Plan

MANIFEST_VERSION = 4

PLANNED = (
    "rounds", "seed", "target", "most_rounds", "budget_s", "further_s", "max_time_s", "sample_ns", "samples",
    "iterations", "warmup_ns", "core"
)  # fmt: skip
"""The attributes of a plan that the manifest records."""

_HARDWARE = ("processor", "cores", "memory_bytes", "architecture", "virtual")
_TOLD_BY_NOW = ("vendor", "family", "model", "stepping", "microarchitecture", "caches")
"""Attributes of the machine that manifests of an older serbench lack."""

_TELLING = ("vendor", "family", "model")
"""Attributes that decide the microarchitecture; its name, which serbench may change, is then not compared."""

_SAME_SYSTEM = ("system", "governor")
_SYSTEM_TOLD_BY_NOW = ("microcode", "kernel", "c_library")

LONGEST_SAID = 200
"""The most characters that a message shows of a value that differs: a command line may be long, but a longer
value is damaged."""

Names = tuple[Name, ...]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
LARGEST_SEED = (1 << 63) - 1


class Data(msgspec.Struct, kw_only=True):
    """The dataset of a workload; ``canonical_bytes`` is the length of all messages in that encoding. Where
    programs read or change a part of another workload's messages, ``whole`` names that workload, ``paths``
    the part, and ``operation`` is the only one of such programs; ``filtered`` is where a filter reads them.
    ``fields`` is how many fields of the programs' schema hold a value; 0 where that is not known. Of a size
    of a sweep, ``number_of`` names the base; a list at ``longer_list`` has so many ``items``."""

    sha256: Digest
    messages: Count
    canonical_bytes: Count
    parameters: dict[Name, int | float | Text | None] = {}
    whole: Name | Literal[""] = ""
    paths: Text = ""
    operation: Name = READING
    fields: Count = 0
    filtered: Filtered | None = None
    number_of: Name | Literal[""] = ""
    longer_list: Text = ""
    items: Count = 0


class ToolchainRecord(msgspec.Struct, kw_only=True):
    """The toolchain that built the units of a language; ``missing`` says why it could not build, and
    ``libraries`` has the version of each codec's library."""

    name: Text
    language: Name
    libraries: dict[Name, Text] = {}
    compiler: Text = ""
    flags: Text = ""
    linking: Text = ""
    missing: Text = ""


class Manifest(msgspec.Struct, kw_only=True):
    """The description of a run. Fields with a default are absent in some runs; fields of later versions are
    ignored.

    Attributes:
        codecs: the ids of variants; those in ``floors`` and ``references`` do not compete, those in
            ``dynamic`` are not linked statically.
        beside: floors that nobody asked for, which are timed all the same.
        references: codec → what it is, for code that is no library and was measured beside libraries.
        lossy: codec that changes values by design → the changes.
        maintenance: codec that is no longer developed → what its authors say.
        reviewed: codec whose adapter maintainers of its library have reviewed → who, when, which version.
        remembers: codec → what its native objects keep of their first encoding.
        checks: codec → what its deserializing checks, for codecs that declare it; of the user's own codecs,
            those checks that malformed messages confirmed.
        unseen: codec of the user's own → the checks that it declares and malformed messages did not confirm.
        hostile: codec → the harm that hostile messages do to it, for codecs that declare it.
        evolved: codec → what becomes of messages when an optional field is added or dropped: ``kept``,
            ``refused`` or ``misread``, where that was seen with this version of its library.
        formats: codec → the format of its bytes.
        own: codecs and workloads that are the user's own and not built in.
        operations: the operations with their memory policies; empty where time was not asked for.
        selection: the words of the command line that select the same again, without those for workloads and
            metrics; None where they are not known.
        compilers: as the user gave them.
        revisions, prefixes, profiles, versions: the editions that the user asked for, of one kind.
        alone: whether versions were measured without the usual edition beside them.
        cluster: the cluster of a run of several machines, which has a part for each (``measure/parts.py``).
        links: the codecs that all machines of a kind measure, where these share the cells; empty where
            each machine measures everything.
    """

    version: int
    run: Text = ""
    started: Text = ""
    suite: Name | None = None
    cluster: Text = ""
    links: Names = ()
    selection: tuple[Text, ...] | None = None
    compilers: tuple[Text, ...] = ()
    revisions: tuple[Text, ...] = ()
    prefixes: tuple[Text, ...] = ()
    profiles: tuple[Text, ...] = ()
    versions: tuple[Text, ...] = ()
    alone: bool = False
    serbench: Text = ""
    revision: Text = ""
    arguments: tuple[Text, ...] = ()
    codecs: Names
    floors: Names = ()
    beside: Names = ()
    references: dict[Name, Text] = {}
    lossy: dict[Name, Text] = {}
    maintenance: dict[Name, Text] = {}
    reviewed: dict[Name, Text] = {}
    remembers: dict[Name, Text] = {}
    checks: dict[Name, tuple[Name, ...]] = {}
    unseen: dict[Name, tuple[Name, ...]] = {}
    hostile: dict[Name, tuple[Name, ...]] = {}
    features: dict[Name, dict[Name, bool]] = {}
    evolved: dict[Name, Name] = {}
    formats: dict[Name, Name] = {}
    own: Names = ()
    workloads: Names
    operations: Names
    metrics: Names = ("time",)
    datasets: dict[Name, Data]
    rounds: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    seed: Annotated[int, msgspec.Meta(ge=-LARGEST_SEED, le=LARGEST_SEED)] = 0
    target: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None
    most_rounds: Count = 0
    budget_s: Seconds | None = None
    further_s: Seconds | None = None
    max_time_s: Seconds | None = None
    sample_ns: Positive = 10_000_000
    samples: Annotated[int, msgspec.Meta(ge=1, le=10**6)] = 3
    iterations: Positive | None = None
    warmup_ns: Positive | None = None
    core: Annotated[int, msgspec.Meta(ge=0, le=10**6)] | None = None
    toolchains: tuple[ToolchainRecord, ...]
    dynamic: Names = ()
    machine: Machine

    def __post_init__(self) -> None:
        for what in ("codecs", "workloads", "operations", "metrics"):
            names = getattr(self, what)
            if len(set(names)) < len(names):
                raise ValueError(f"{what}: a name occurs twice")
        if wrong := [name for name in self.operations if not re.fullmatch(r"[a-z_]+:(reuse|fresh)", name)]:
            raise ValueError(f"operations: found {short(wrong[0])}, expected a name and :reuse or :fresh")

    @property
    def editions(self) -> Editions:
        asked = Editions.of({kind: getattr(self, field) for kind, field in KINDS.items()})
        return dataclasses.replace(asked, alone=self.alone)

    def operations_of(self, workload: str) -> Names:
        """Return the operations of a workload: one alone where its programs are handed another one's
        messages."""
        data = self.datasets.get(workload)
        if data and data.whole:
            return tuple(each for each in self.operations if each.partition(":")[0] == data.operation)
        return tuple(each for each in self.operations if each.partition(":")[0] != UPDATING)

    def of_codecs(self, codecs: Collection[str]) -> Manifest:
        """Return the manifest as if only these codec variants had been measured."""
        lists = {
            what: tuple(each for each in getattr(self, what) if each in codecs)
            for what in ("codecs", "floors", "dynamic")
        }
        told_of = ("references", "lossy", "maintenance", "reviewed", "remembers")
        tables = (*told_of, "checks", "unseen", "hostile", "features", "evolved", "formats")
        told = {
            what: {codec: each for codec, each in getattr(self, what).items() if codec in codecs}
            for what in tables
        }
        return msgspec.structs.replace(self, **lists, **told)


def _own(paths: Paths, chosen: Chosen) -> tuple[str, ...]:
    """Return the codecs and workloads that are declared outside of the project."""
    places = {v.codec.id: v.codec.directory for v in chosen.variants} | {
        spec.declared.workload.name: spec.workload.source for spec in chosen.workloads
    }
    return tuple(name for name, place in places.items() if not place.is_relative_to(paths.project))


def _seen(paths: Paths, chosen: Chosen, units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """Return the checks that tables mark for each codec: the declared ones for built-in codecs, and for
    others those that every verification confirmed."""
    marked: dict[str, tuple[str, ...]] = {}
    for variant in chosen.variants:
        if variant.checks is None:
            continue
        marked[variant.id] = tuple(variant.checks)
        if not variant.codec.directory.is_relative_to(paths.project):
            found = [u.verification.seen for u in units if u.variant.id == variant.id and u.verification]
            tried = [seen for seen in found if seen]
            marked[variant.id] = tuple(
                name for name in variant.checks if tried and all(seen.get(name) for seen in tried)
            )
    return marked


def known_features(job: Job, seen: Mapping[str, SeenCodec]) -> dict[str, dict[str, bool]]:
    """Return whether each variant has each feature, as far as that is known; conformance with the version of
    the library that is measured."""
    held, versions = load_conformance(job.paths.codecs).codecs, _versions(job)
    same = {k: own for k, own in held.items() if {own.version} == versions.get(k.partition(":")[0])}
    found = {v.id: features_of(v, seen, same) for v in job.chosen.variants}
    return {k: {name: has for name, has in own.items() if has is not None} for k, own in found.items()}


def _versions(job: Job) -> dict[str, set[str]]:
    """Return the versions of each codec's library that a job measures."""
    versions: dict[str, set[str]] = {}
    for build in job.builds:
        for name, found in build.found.items():
            versions.setdefault(f"{build.language}/{name}", set()).add(found.version)
    return versions


def evolved_of(job: Job, seen: Mapping[str, SeenCodec]) -> dict[str, str]:
    """Return what becomes of messages of each codec when an optional field is added or dropped, as far as it
    was seen with the version of the library that is measured. It is told of users' own messages alone."""
    if not any(spec.workload.origin for spec in job.chosen.workloads):
        return {}
    versions = _versions(job)
    return {
        v.id: outcome
        for v in job.chosen.variants
        if (own := seen.get(v.id)) and {own.version} == versions.get(v.codec.id)
        if (outcome := own.of_optional_field)
    }


def manifest_of(job: Job, plan: Plan, units: Sequence[Unit] = ()) -> Manifest:
    """Return the manifest of a run that is about to begin; ``units`` were verified."""
    paths, chosen = job.paths, job.chosen
    seen = _seen(paths, chosen, units)
    seen_changes = load_evolution(paths.codecs).codecs
    declared = {v.id: v.checks for v in chosen.variants if v.checks is not None}
    found = [(spec, dataset_for(spec, paths)) for spec in chosen.workloads]
    return Manifest(
        version=MANIFEST_VERSION,
        suite=job.suite,
        selection=job.selection,
        compilers=job.compilers,
        **job.editions.fields,
        serbench=__version__,
        revision=git_revision(),
        arguments=words_to_keep(sys.argv[1:]),
        codecs=tuple(v.id for v in chosen.variants),
        floors=tuple(v.id for v in chosen.variants if v.codec.floor),
        beside=tuple(v.id for v in chosen.beside),
        references=chosen.references,
        checks=seen,
        unseen={
            codec: tuple(name for name in declared[codec] if name not in marked)
            for codec, marked in seen.items()
            if len(marked) < len(declared[codec])
        },
        hostile={v.id: v.hostile for v in chosen.variants if v.hostile is not None},
        lossy={v.id: loss for v in chosen.variants if (loss := v.tolerance.loss_in(chosen.schemas))},
        maintenance={v.id: v.codec.maintenance for v in chosen.variants if v.codec.maintenance},
        reviewed={v.id: str(v.codec.reviewed) for v in chosen.variants if v.codec.reviewed},
        remembers={v.id: v.codec.remembers for v in chosen.variants if v.codec.remembers},
        features=known_features(job, seen_changes),
        evolved=evolved_of(job, seen_changes),
        formats={v.id: v.format for v in chosen.variants},
        own=_own(paths, chosen),
        workloads=tuple(spec.id for spec in chosen.workloads),
        operations=tuple(map(str, chosen.operations)) if "time" in chosen.metrics else (),
        metrics=tuple(chosen.metrics),
        datasets={
            spec.id: Data(
                sha256=data.sha256,
                messages=data.messages,
                canonical_bytes=data.canonical_bytes,
                parameters=spec.parameters,
                whole=spec.whole.id if spec.whole else "",
                paths=spec.changes[-1].partition("=")[2] if spec.whole else "",
                operation=spec.operation or READING,
                fields=len(fields_with_values(spec.workload.schema)),
                filtered=filtered(chosen.filters.get(spec.id), spec, data),
                number_of=base_of(spec),
                longer_list=list_of(spec)[0],
                items=list_of(spec)[1],
            )
            for spec, data in found
        },
        **{name: getattr(plan, name) for name in PLANNED},
        toolchains=tuple(_toolchain(build, chosen) for build in job.builds),
        dynamic=tuple(v.id for v in chosen.variants if v.codec.dynamic),
        machine=describe_machine(),
    )


def _toolchain(build: toolchain.Toolchain, chosen: Chosen) -> ToolchainRecord:
    """Return the manifest's record of a toolchain, with the version of each library that it found;
    ``missing`` says why it has no compiler."""
    codecs = [v.codec for v in chosen.variants if v.codec.language == build.language]
    found = {codec.id: build.found.get(codec.name) for codec in codecs}
    own: dict[str, Any] = {
        "name": build.name,
        "language": build.language,
        "libraries": {codec: each.version for codec, each in found.items() if each and each.installed},
    }
    try:
        return ToolchainRecord(**own, **build.describe())
    except SetupError as error:
        return ToolchainRecord(**own, missing=str(error))


def differences(before: Manifest, after: Manifest) -> list[str]:
    """Return the differences in machine, compilers, flags, libraries and data that keep samples of two runs
    from being compared, each with both values."""
    return [
        f"{shortened(what, LONGEST_SAID)}: {_said(old)}, now {_said(new)}"
        for what, old, new in _compared(before, after)
        if old != new
    ]


def other_machine(before: Manifest, after: Manifest) -> str:
    """Return how the machines of two runs differ, in words; empty if they may be the same."""
    compared = _machines(before.machine, after.machine, _HARDWARE, _TOLD_BY_NOW)
    return "; ".join(
        f"{what.removeprefix('machine, ')} {_said(old)}, now {_said(new)}"
        for what, old, new in compared
        if old != new
    )


def _machines(
    before: Machine, after: Machine, always: Sequence[str], if_known: Sequence[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each of the attributes ``always`` with the values of both machines, and each of ``if_known`` that
    both machines have."""
    known = [key for key in if_known if getattr(before, key) is not None and getattr(after, key) is not None]
    if all(getattr(before, key) == getattr(after, key) is not None for key in _TELLING):
        known = [key for key in known if key != "microarchitecture"]
    for key in (*always, *known):
        yield f"machine, {key}", getattr(before, key), getattr(after, key)


def _said(value: Any) -> str:
    return shortened(str(value), LONGEST_SAID) if value != "" else "None"


def _compared(before: Manifest, after: Manifest) -> Iterator[tuple[str, Any, Any]]:
    yield from _machines(before.machine, after.machine, _HARDWARE, _TOLD_BY_NOW)
    yield from _machines(before.machine, after.machine, _SAME_SYSTEM, _SYSTEM_TOLD_BY_NOW)
    yield "core", before.core, after.core
    tools = {each.name: each for each in after.toolchains}
    for old in before.toolchains:
        new = tools.get(old.name, ToolchainRecord(name=old.name, language=""))
        for key in sorted({*ToolchainRecord.__struct_fields__} - {"libraries", "name"}):
            yield f"toolchain {old.name}, {key}", getattr(old, key), getattr(new, key)
        for codec in sorted(old.libraries.keys() | new.libraries.keys()):
            yield f"library of {codec}", old.libraries.get(codec), new.libraries.get(codec)
    for workload, data in before.datasets.items():
        now = after.datasets.get(workload)
        yield f"data of {workload}, sha256", data.sha256, now.sha256 if now else None

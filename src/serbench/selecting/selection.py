"""Selects the cells that the command line asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

from serbench.changes.conditions import Filter, conditions_of
from serbench.changes.derived import name_in, parse_spec, reading, updating
from serbench.changes.reading import sets_of
from serbench.codecs.codec import Variant
from serbench.errors import SelectionError, SerbenchError, unknown
from serbench.model import Schema
from serbench.selecting.suite import Suite
from serbench.system.command import COMMAND
from serbench.system.files import Loaded, not_there
from serbench.workload import Workload, WorkloadSpec

Memory = Literal["reuse", "fresh"]
POLICIES: tuple[Memory, ...] = get_args(Memory)

OPERATIONS = {
    "serialize": "domain → bytes (build + encode); headline",
    "deserialize": "bytes → domain (decode + extract); headline",
    "build": "domain → native; only for libraries with native objects of their own",
    "encode": "native → bytes",
    "decode": "bytes → native, in the library's default, safe mode",
    "decode_fast": "bytes → native, unchecked; only if the library offers it",
    "traverse": "read every field of the native object or view into a checksum",
    "extract": "native → domain",
    "roundtrip": "domain → bytes → domain (serialize + deserialize): the same work for every codec",
    "native_roundtrip": (
        "native → bytes → native (encode + decode), with native objects built before the clock starts"
    ),
    "cycle": "domain → bytes → a checksum of every field (build + encode + decode + traverse)",
    "walk": "reachability from node 0 through the library's own accessors; only for graph workloads",
    "decode_walk": "decode + walk",
    "decode_traverse": "decode + traverse",
    "read": "bytes → a checksum of every field (decode + traverse), or with --read of those at its paths",
    "update": (
        "bytes → bytes in which the values at the paths of --update are changed: in place, or by deserialize "
        "and serialize"
    ),
    "decode_fast_walk": "decode_fast + walk; only if the library offers decode_fast",
    "decode_fast_traverse": "decode_fast + traverse; only if the library offers decode_fast",
}
"""Operation → what it does. One that is made of others is measured whole, never added up from its parts."""

OPERATION_NOTES = {
    "native_roundtrip": (
        "native_roundtrip: native objects are built before the clock starts, as in other "
        "benchmarks, so a codec whose native object is its bytes encodes nothing here; roundtrip "
        "is the same work for all codecs."
    ),
}
"""Operation → a note that is shown wherever the operation's figures are shown."""

METRICS = {
    "time": "of each operation",
    "compile_time": "time to compile a minimal program that uses the codec, including its generated code",
    "binary_size": "text and data of that program, without symbols",
    "shipped": "bytes, packages and licences that a program carries for the codec",
    "instructions": "instructions of a pass of each operation, counted by perf or by valgrind's callgrind: "
    "free of noise",
    "memory": (
        "allocations and allocated bytes in a pass of each operation, and peak memory of a process "
        "that does only this"
    ),
    "latency": (
        "how long single calls of each operation take, the slowest of many among them: p50, p90, p99, p99.9 "
        "and the worst; under `fresh` unless --memory says otherwise"
    ),
    "first": "from the start of a process to the first message written and read, and until calls are as fast "
    "as later ones",
    "threads": (
        "throughput with 1, 2, 4 … threads up to the cores that may be used, each with an encoder, a decoder "
        "and messages of its own, and which share of n times one thread that is"
    ),
    "wire": "bytes after zstd, lz4, gzip and brotli, and the time to compress and decompress them",
}
"""Metric → its description: all that can be measured of a codec variant with a workload."""

HEADLINE = ("serialize", "deserialize")

READING = "read"
"""The operation that reads a part of messages where only a part is asked for."""

UPDATING = "update"
"""The operation that changes values in messages, which only programs that are made for these values have."""


@dataclass(frozen=True)
class Operation:
    """An operation under a memory policy."""

    name: str
    memory: Memory

    def __str__(self) -> str:
        return f"{self.name}:{self.memory}"


def select_workloads(patterns: Sequence[str], known: dict[str, Workload]) -> list[WorkloadSpec]:
    """The workloads that ``patterns`` name, perhaps with parameters and changes; without any, the default
    ones.

    Raises:
        SelectionError: a pattern matches nothing; or there is no pattern, and no default workload.
    """
    specs: dict[str, WorkloadSpec] = {}
    defaults = [name for name, workload in known.items() if workload.default]
    if not patterns and not defaults:
        raise _no_default(known)
    for pattern in patterns or defaults:
        name = name_in(pattern)
        matching = [n for n in known if fnmatchcase(n, name)]
        if not matching:
            raise not_there("workload", name, known)
        for each in matching:
            spec = parse_spec(each + pattern.removeprefix(name), known)
            for one in (spec.whole, spec):  # whose messages are read is written beside it
                specs |= {one.id: one} if one else {}
    return list(specs.values())


def _no_default(known: Mapping[str, Workload]) -> SerbenchError:
    """Return the error where no workload is named and none is a default: a broken workload's, if any."""
    broken = list(known.broken.values()) if isinstance(known, Loaded) else []
    told = f"there is no default workload; choose one with -w, see: {COMMAND} list workloads"
    return broken[0] if broken else SelectionError(told)


POPULAR = "popular"
"""The pattern for one codec of each language and format: the one that most people have. With a language and a
slash before it, for those of this language."""


def select_variants(patterns: Sequence[str], known: dict[str, Variant]) -> list[Variant]:
    """The codec variants that ``patterns`` name: ``language/*``, ``language/codec`` (all its variants),
    ``codec:variant``, ``popular``; without any pattern, the variants of the default codecs.

    Raises:
        SelectionError: a pattern matches nothing.
        FileError: the codec that a pattern names cannot be loaded.
    """
    if not patterns:
        return [v for v in known.values() if v.codec.default]
    chosen: dict[str, Variant] = {}
    for pattern in patterns:
        matching = [v for v in known.values() if _is_meant(v, pattern)]
        if not matching:
            raise no_codec(pattern, known)
        chosen.update({v.id: v for v in matching})
    return [v for v in known.values() if v.id in chosen]


def no_codec(pattern: str, known: Mapping[str, Variant]) -> SerbenchError:
    """The error for a pattern without a match: the fault of a broken codec, or the nearest names."""
    asked = pattern.partition(":")[0]
    for codec in known.broken if isinstance(known, Loaded) else ():
        if fnmatchcase(codec, asked) or fnmatchcase(codec.partition("/")[2], asked):
            return not_there("codec", codec, known)
    return unknown("codec", pattern, {*known, *(v.codec.id for v in known.values())})


def select_operations(names: Sequence[str], memory: Sequence[str]) -> list[Operation]:
    """The operations that ``names`` (patterns) select, under the memory policies; without names, the
    headline.

    If no policies are given, each operation is measured under ``reuse``, and ``deserialize`` under both,
    since there the policy changes the order of codecs.

    Raises:
        SelectionError: a name matches nothing, or there is no such policy.
    """
    for policy in memory:
        if policy not in POLICIES:
            raise unknown("memory policy", policy, POLICIES)
    chosen: list[Operation] = []
    for pattern in names or HEADLINE:
        matching = [n for n in OPERATIONS if fnmatchcase(n, pattern)]
        if not matching:
            raise unknown("operation", pattern, OPERATIONS)
        for name in matching:
            policies = memory or (POLICIES if name == "deserialize" else ("reuse",))
            chosen += [Operation(name, "reuse" if p == "reuse" else "fresh") for p in policies]
    return list(dict.fromkeys(chosen))


def select_metrics(names: Sequence[str]) -> list[str]:
    """The metrics of these names, or ``time``; raises SelectionError for an unknown name."""
    for name in names:
        if name not in METRICS:
            raise unknown("metric", name, METRICS)
    return [name for name in METRICS if name in (names or ("time",))]


@dataclass(frozen=True)
class Asked:
    """The user's wishes in patterns and names. Where a list is empty, the suite or else the default decides;
    ``reads`` are sets of paths to read of each workload, ``conditions`` are on its messages, ``updates`` are
    sets of paths whose values change."""

    workloads: Sequence[str] = ()
    codecs: Sequence[str] = ()
    operations: Sequence[str] = ()
    memory: Sequence[str] = ()
    metrics: Sequence[str] = ()
    quick: bool = False
    reads: Sequence[str] = ()
    conditions: Sequence[str] = ()
    updates: Sequence[str] = ()


@dataclass(frozen=True)
class Chosen:
    """The choice of what to measure: every variant with every workload, the metrics, and the operations to
    time. In a suite's selection (``published``) all rows compete, as they did where it was published.

    Attributes:
        beside: floors that nobody asked for. They are timed, to notice a codec that is faster than its floor,
            and tables leave them out.
        filters: the id of a workload → the conditions on its messages, where there are any.
        foreseen_bytes: the id of a workload of a sweep → the canonical bytes that it will have.
    """

    variants: Sequence[Variant]
    workloads: Sequence[WorkloadSpec]
    operations: Sequence[Operation] = ()
    metrics: Sequence[str] = ("time",)
    published: bool = False
    beside: Sequence[Variant] = ()
    filters: Mapping[str, Filter] = field(default_factory=dict)
    foreseen_bytes: Mapping[str, int] = field(default_factory=dict)

    @property
    def references(self) -> dict[str, str]:
        """Reference → its description; empty where references compete: in a suite, or among themselves."""
        own = {v.id: v.codec.reference for v in self.variants if v.codec.reference}
        libraries = [v for v in self.variants if v.codec.competes]
        return own if libraries and not self.published else {}

    @property
    def schemas(self) -> list[Schema]:
        """The schema of each workload."""
        return [spec.workload.schema for spec in self.workloads]

    @property
    def apart(self) -> frozenset[str]:
        """The variants that do not compete: floors and references."""
        return frozenset({v.id for v in self.built if v.codec.floor} | self.references.keys())

    @property
    def built(self) -> list[Variant]:
        """All variants that are built and verified."""
        return [*self.variants, *self.beside]

    def is_beside(self, variant: Variant) -> bool:
        """Whether a variant, in whichever edition, is a floor that nobody asked for."""
        return variant.id in {each.id for each in self.beside}

    def operations_of(self, spec: WorkloadSpec) -> Sequence[Operation]:
        """The operations of a workload: where it is handed another one's messages, there is no other."""
        if spec.whole:
            return [each for each in self.operations if each.name == spec.operation]
        return [each for each in self.operations if each.name != UPDATING]

    def reading(
        self, reads: Sequence[str], memory: Sequence[str] = (), updates: Sequence[str] = ()
    ) -> Chosen:
        """The selection with workloads that read a part of each of its workloads, one for each set of paths
        in ``reads``, and with those that change values at each set in ``updates``; where there are such, that
        operation is measured.

        Raises:
            SelectionError: a workload has no such path, other metrics than times are asked for, or nothing
                is asked for but updates, and no workload's values are to change.
        """
        specs: dict[str, WorkloadSpec] = {}
        for spec in self.workloads:
            sets = [] if spec.whole else sets_of(reads, spec.workload.schema)
            parts = [reading(spec, paths) for paths in sets]
            parts += [] if spec.whole else [updating(spec, paths) for paths in updates]
            specs |= {each.id: each for each in (spec, *parts)}
        if not (words := dict.fromkeys(spec.operation for spec in specs.values() if spec.whole)):
            if self.operations and all(each.name == UPDATING for each in self.operations):
                raise SelectionError(f"{UPDATING} changes values at paths; expected them, with --{UPDATING}")
            return self
        if other := [metric for metric in self.metrics if metric != "time"]:
            told = f"found --metric {other[0]}, expected time alone"
            raise SelectionError(f"reading or changing a part is timed; {told}")
        own = [*self.operations, *select_operations([*words], memory)]
        return replace(self, workloads=list(specs.values()), operations=list(dict.fromkeys(own)))

    def filtering(self, asked: Sequence[str], memory: Sequence[str] = ()) -> Chosen:
        """The selection with conditions on the messages of each of its workloads, and with workloads that
        read the paths of these conditions. What it reads already is what a filter reads of those that match.

        Raises:
            SelectionError: a text is no condition on a workload's messages; or as ``reading`` does.
        """
        if not asked:
            return self
        filters: dict[str, Filter] = {}
        paths = ""
        for spec in (each for each in self.workloads if not each.whole):
            conditions = conditions_of(spec.workload.schema, asked)
            paths = ",".join(dict.fromkeys(each.path for each in conditions))
            readers = [each for each in self.workloads if each.operation == READING]
            then = [each.id for each in readers if each.whole and each.whole.id == spec.id]
            filters[spec.id] = Filter(conditions, reading(spec, paths).id, then)
        return replace(self.reading([paths], memory), filters=filters)

    def with_floors(self, known: Mapping[str, Variant]) -> Chosen:
        """The selection with the floor of each of its languages beside it, where times are measured."""
        if "time" not in self.metrics:
            return self
        there = {variant.codec.language for variant in self.variants if variant.codec.floor}
        lacking = {variant.codec.language for variant in self.variants} - there
        floors = {v.codec.language: v for v in reversed([*known.values()]) if v.codec.floor}
        return replace(self, beside=[v for name, v in floors.items() if name in lacking])


def find_suite(name: str | None, suites: dict[str, Suite]) -> Suite | None:
    """The suite of this name; None if none is asked for. Raises SelectionError if there is no such suite, and
    FileError if it cannot be loaded."""
    if name is not None and name not in suites:
        raise not_there("suite", name, suites)
    return suites[name] if name else None


def select(
    workloads: dict[str, Workload], variants: dict[str, Variant], suite: Suite | None, asked: Asked
) -> Chosen:
    """Select the cells to measure. What is not asked for is chosen by the suite if there is one, else by
    default. Codecs outside of the suite can be selected too, and are then added to its table.

    Raises:
        SelectionError: a name or pattern selects nothing.
    """
    if suite is None:
        chosen = Chosen(
            select_variants(asked.codecs, variants),
            select_workloads(asked.workloads, workloads),
            select_operations(asked.operations, asked.memory),
            select_metrics(asked.metrics),
        )
        chosen = chosen.reading(asked.reads, asked.memory, asked.updates)
        return chosen.filtering(asked.conditions, asked.memory)
    if asked.reads or asked.conditions or asked.updates:
        told = "expected no --read, no --where and no --update"
        raise SelectionError(f"suite {suite.name} says what is read and changed; {told}")
    rows = {row.codec for row in suite.rows}
    of_suite = {name: variant for name, variant in variants.items() if name in rows}
    operations = [parse_operation(text) for text in suite.operations]
    if asked.operations or asked.memory:
        names = asked.operations or list(dict.fromkeys(o.name for o in operations))
        operations = select_operations(names, asked.memory)
    return Chosen(
        select_variants(asked.codecs, variants) if asked.codecs else list(of_suite.values()),
        select_workloads(
            asked.workloads or (asked.quick and suite.quick_workloads) or suite.workloads, workloads
        ),
        operations,
        select_metrics(asked.metrics or suite.metrics),
        published=True,
    )


def parse_operation(text: str) -> Operation:
    name, _, memory = text.partition(":")
    if name not in OPERATIONS:  # checked here, since select_operations would take it for a pattern
        raise unknown("operation", name, OPERATIONS)
    (operation,) = select_operations([name], [memory])
    return operation


def _is_meant(variant: Variant, pattern: str) -> bool:
    """Whether a pattern matches a name of a variant, with or without the language and ``:variant``."""
    codec = variant.codec
    full = f"{codec.id}:{variant.name}"
    names = (variant.id, codec.id, full, codec.name, full.removeprefix(f"{codec.language}/"))
    popular = pattern in (POPULAR, f"{codec.language}/{POPULAR}")
    return (popular and variant.popular) or any(fnmatchcase(name, pattern) for name in names)

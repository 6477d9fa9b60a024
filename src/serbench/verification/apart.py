"""Checks what programs of one schema read of messages of another schema that differs by several changes, each
inside its own optional field of the root.

The programs of both schemas are built once. For each change they exchange messages in which its field alone
is there. A codec may judge schemas as a whole, and refuse every message for one of the changes. So messages
of a field that no change concerns are exchanged first: where they do not arrive, each change is tried with
two programs of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from serbench.changes import Change, parse, parse_all
from serbench.changes.derived import parse_spec
from serbench.changes.together import apart, keeping, only
from serbench.codecs.codec import Variant
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset
from serbench.model import Record, Schema
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.verification.evolution import (
    Direction,
    Evolved,
    Sides,
    Way,
    exchange_together,
    ways_across,
    ways_of,
)
from serbench.verification.processes import Remembering
from serbench.verification.writers import as_read, evolved
from serbench.workload import Workload, WorkloadSpec

Couple = tuple[str, str]
"""The variants of a writer and of a reader."""


@dataclass(frozen=True)
class Pair:
    """Two workloads, the second with changes of the first made, and the codec variants that can do them.

    Attributes:
        told_as: the workload that was chosen; ``old`` is it, or has some of its fields.
        changes: the names of the changes that are told, also of those that cannot be done.
        made: those that can be done, each by itself, by their names.
        impossible: the names of the changes that cannot be done → the reasons, by variant.
        couples: writers and readers that are told in place of each variant by itself → the changes that are
            told of them.
    """

    told_as: WorkloadSpec
    old: WorkloadSpec
    new: WorkloadSpec
    changes: tuple[str, ...]
    made: Mapping[str, Change]
    variants: tuple[Variant, ...]
    impossible: Mapping[str, Mapping[str, str]]
    couples: Mapping[Couple, Sequence[str]] = field(default_factory=dict)

    @property
    def unchanged(self) -> list[str]:
        """The fields that no change concerns."""
        return [each.name for each in self.old.workload.root.fields if each.name not in self.made]


def pairs_of(spec: WorkloadSpec, variants: Sequence[Variant], known: Mapping[str, Workload]) -> list[Pair]:
    """The pairs of workloads for the changes that a workload declares: one for all variants that can do the
    same changes.

    Raises:
        SelectionError: the schema cannot have one of the changes.
    """
    schemas = each_alone(spec)
    impossible: dict[str, dict[str, str]] = {}
    groups: dict[tuple[str, ...], list[Variant]] = {}
    for variant in variants:
        reasons = {name: variant.why_not(old) or variant.why_not(new) for name, (old, new) in schemas.items()}
        impossible[variant.id] = {name: reason for name, reason in reasons.items() if reason}
        groups.setdefault(tuple(name for name, reason in reasons.items() if not reason), []).append(variant)
    return [pair_of(spec, tuple(schemas), fields, own, impossible, known) for fields, own in groups.items()]


def each_alone(spec: WorkloadSpec) -> dict[str, tuple[Schema, Schema]]:
    """For each change that a workload declares, the schema with its field alone, before and after it.

    Raises:
        SelectionError: the schema cannot have one of the changes.
    """
    schema, texts = spec.workload.schema, spec.workload.changes
    apart(schema, texts)
    alone = {name: parse_all(keeping(schema, [name]), schema).new for name in texts}
    return {name: (alone[name], parse_all([texts[name]], alone[name]).new) for name in texts}


def pair_of(
    spec: WorkloadSpec,
    changes: Sequence[str],
    fields: Sequence[str],
    variants: Sequence[Variant],
    impossible: Mapping[str, Mapping[str, str]],
    known: Mapping[str, Workload],
) -> Pair:
    """The pair for the changes of these fields, of those that are told."""
    schema, texts = spec.workload.schema, spec.workload.changes
    stay = [each.name for each in schema.root.fields if each.name in fields or each.name not in texts]
    kept = keeping(schema, stay) if fields else []
    changed = [*kept, *(texts[name] for name in fields)]
    old, new = (parse_spec("/".join([spec.id, *each]), known) for each in (kept, changed))
    made = {name: parse(texts[name], old.workload.schema) for name in fields}
    return Pair(spec, old, new, tuple(changes), made, tuple(variants), impossible)


def singles(pair: Pair, variants: Sequence[Variant], known: Mapping[str, Workload]) -> list[Pair]:
    """A pair for each of a pair's changes by itself, for some of its variants as readers. The first one also
    tells the changes that cannot be done."""
    first, *others = pair.made
    told = [[first, *(name for name in pair.changes if name not in pair.made)], *([each] for each in others)]
    readers = {variant.id for variant in variants}
    pairs = []
    for own in told:
        couples = {
            couple: own[:1]
            for couple, names in pair.couples.items()
            if couple[1] in readers and own[0] in names
        }
        used = {name for couple in couples for name in couple}
        needed = [each for each in pair.variants if each.id in used] if pair.couples else variants
        if needed:
            made = pair_of(pair.told_as, own, own[:1], needed, pair.impossible, known)
            pairs.append(replace(made, couples=couples))
    return pairs


def tells(pair: Pair, reader: Sides, paths: Paths) -> bool:
    """Whether what is read with a pair's units tells of single changes: a field that no change concerns
    arrives where they read each other's messages, or there is only one change. A program that cannot be built
    tells nothing else when it is built with fewer changes."""
    if len(pair.made) < 2:
        return True
    nothing = parse_all([], pair.old.workload.schema)
    pieces = Pieces()
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        return all(
            next(evolved(pieces.way(way, name), "", "", paths, Path(folder))).outcome in ("kept", "not tried")
            for name in pair.unchanged
            for way in ways_across(nothing, reader, reader)
        )


def evolve_pair(
    pair: Pair, writer: Sides, reader: Sides, paths: Paths, remembered: Remembered
) -> list[Evolved]:
    """The outcomes of a variant with its units of a pair's workloads, or of one that reads what another has
    written, in the order of the changes."""
    told_as, one = pair.told_as.id, writer.old.variant.id
    changes = pair.changes if writer is reader else pair.couples[one, reader.old.variant.id]
    made = [change for change in changes if change in pair.made]

    def ways(change: str) -> list[Way]:
        step = pair.made[change]
        found = ways_of(step, *reader) if writer is reader else ways_across(step, writer, reader)
        return [replace(remembered.pieces.way(way, change), processes=remembered.processes) for way in found]

    def outcomes(change: str) -> list[Evolved]:
        if change not in pair.made:
            told, reason = (writer.old.name, told_as, change), pair.impossible[one][change]
            return [Evolved(*told, direction, "impossible", reason) for direction in get_args(Direction)]
        return [each for way in ways(change) for each in evolved(way, told_as, change, paths, Path(folder))]

    with (
        ThreadPoolExecutor(usable_cores()) as pool,
        tempfile.TemporaryDirectory(prefix="serbench-") as folder,
    ):
        for several in zip(*map(ways, made), strict=True):
            read = [as_read(way, Path(folder)) for way in several]
            for has_schema in read[0]:
                exchange_together([each[has_schema] for each in read], paths)
        found = list(pool.map(outcomes, changes))
        for n, change in enumerate(changes):
            if any(each.outcome in ("not tried", "hang", "crash") for each in found[n]):
                found[n] = outcomes(change)  # alone, since a busy machine may have been the reason
    return [each for own in found for each in own]


class Remembered:
    """The values and the answers that the next couple of a format can use as well."""

    def __init__(self) -> None:
        self.pieces = Pieces()
        self.processes = Remembering()


class Pieces:
    """Cuts the values of datasets into those that have one field alone. It keeps the values, since each
    change needs all of them, and edge values may be long."""

    def __init__(self) -> None:
        self._values: dict[Path, list[Any]] = {}

    def way(self, way: Way, field: str) -> Way:
        """The way with the values that have this field, and without the others."""
        return replace(way, values=partial(self._only, way.writer.spec.workload.schema.root, field))

    def _only(self, root: Record, field: str, dataset: Dataset) -> Iterator[Any]:
        if dataset.path not in self._values:
            self._values[dataset.path] = [decode(root, message) for message in dataset.read_messages()]
        cut = (only(root, field, value) for value in self._values[dataset.path])
        return (each for each in cut if each is not None)

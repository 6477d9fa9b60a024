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
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from serbench.changes import Change, parse, parse_all
from serbench.changes.derived import parse_spec
from serbench.changes.together import apart, keeping, only
from serbench.codecs.codec import Variant
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset
from serbench.measure.unit import Unit
from serbench.model import Record
from serbench.paths import Paths
from serbench.selecting.evolved import DIRECTIONS
from serbench.system.cores import usable_cores
from serbench.verification.evolution import Direction, Evolved, Way, exchange_together, ways_of
from serbench.verification.processes import Remembering
from serbench.verification.writers import as_read, evolved
from serbench.workload import Workload, WorkloadSpec


@dataclass(frozen=True)
class Pair:
    """Two workloads, the second with changes of the first made, and the codec variants that can do them.

    Attributes:
        told_as: the workload that was chosen; ``old`` is it, or has some of its fields.
        changes: the names of the changes that are told, also of those that cannot be done.
        made: those that can be done, each by itself, by their names.
        impossible: the names of the changes that cannot be done → the reasons, by variant.
    """

    told_as: WorkloadSpec
    old: WorkloadSpec
    new: WorkloadSpec
    changes: tuple[str, ...]
    made: Mapping[str, Change]
    variants: tuple[Variant, ...]
    impossible: Mapping[str, Mapping[str, str]]

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
    schema, texts = spec.workload.schema, spec.workload.changes
    apart(schema, texts)
    alone = {name: parse_all(keeping(schema, [name]), schema).new for name in texts}
    changed = {name: parse_all([texts[name]], alone[name]).new for name in texts}
    impossible: dict[str, dict[str, str]] = {}
    groups: dict[tuple[str, ...], list[Variant]] = {}
    for variant in variants:
        reasons = {name: variant.why_not(alone[name]) or variant.why_not(changed[name]) for name in texts}
        impossible[variant.id] = {name: reason for name, reason in reasons.items() if reason}
        groups.setdefault(tuple(name for name, reason in reasons.items() if not reason), []).append(variant)
    return [_pair(spec, tuple(texts), fields, own, impossible, known) for fields, own in groups.items()]


def _pair(
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
    """A pair for each of a pair's changes by itself, for some of its variants. The first one also tells the
    changes that cannot be done."""
    first, *others = pair.made
    told = [[first, *(name for name in pair.changes if name not in pair.made)], *([each] for each in others)]
    return [_pair(pair.told_as, own, own[:1], variants, pair.impossible, known) for own in told]


def tells(pair: Pair, old: Unit, new: Unit, paths: Paths) -> bool:
    """Whether what is read with a pair's units tells of single changes: a field that no change concerns
    arrives, or there is only one change. A program that cannot be built tells nothing else when it is built
    with fewer changes."""
    if len(pair.made) < 2:
        return True
    nothing = parse_all([], pair.old.workload.schema)
    pieces = Pieces()
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        return all(
            next(evolved(pieces.way(way, field), "", "", paths, Path(folder))).outcome
            in ("kept", "not tried")
            for field in pair.unchanged
            for way in ways_of(nothing, old, new)
            if way.direction in DIRECTIONS
        )


def evolve_pair(pair: Pair, old: Unit, new: Unit, paths: Paths) -> list[Evolved]:
    """The outcomes of a variant with its units of a pair's workloads, in the order of the changes."""
    pieces, told_as, processes = Pieces(), pair.told_as.id, Remembering()

    def ways(change: str) -> list[Way]:
        found = ways_of(pair.made[change], old, new)
        return [replace(pieces.way(way, change), processes=processes) for way in found]

    def outcomes(change: str) -> list[Evolved]:
        if reason := pair.impossible[old.variant.id].get(change):
            told = (old.name, told_as, change)
            return [Evolved(*told, direction, "impossible", reason) for direction in get_args(Direction)]
        return [each for way in ways(change) for each in evolved(way, told_as, change, paths, Path(folder))]

    with (
        ThreadPoolExecutor(usable_cores()) as pool,
        tempfile.TemporaryDirectory(prefix="serbench-") as folder,
    ):
        for several in zip(*map(ways, pair.made), strict=True):
            read = [as_read(way, Path(folder)) for way in several]
            for has_schema in read[0]:
                exchange_together([each[has_schema] for each in read], paths)
        found = list(pool.map(outcomes, pair.changes))
        for n, change in enumerate(pair.changes):
            if any(each.outcome in ("not tried", "hang", "crash") for each in found[n]):
                found[n] = outcomes(change)  # alone, since a busy machine may have been the reason
    return [each for own in found for each in own]


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

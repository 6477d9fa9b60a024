"""Checks what programs of one schema read of messages of another schema that differs by several changes, each
inside its own optional field of the root.

The programs of both schemas are built once. For each change they exchange messages in which its field alone
is there.
"""

from __future__ import annotations

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
from serbench.system.cores import usable_cores
from serbench.verification.evolution import Direction, Evolved, ways_of
from serbench.verification.writers import evolved
from serbench.workload import Workload, WorkloadSpec


@dataclass(frozen=True)
class Pair:
    """Two workloads, the second with changes of the first made, and the codec variants that can do them.

    Attributes:
        told_as: the workload that was chosen; ``old`` is it, or has only those of its fields whose changes
            these variants can do.
        changes: the names of all changes, also of those that cannot be done.
        made: those that can be done, each by itself, by their names.
        impossible: the names of the changes that cannot be done → the reasons, by variant.
    """

    told_as: str
    old: WorkloadSpec
    new: WorkloadSpec
    changes: tuple[str, ...]
    made: Mapping[str, Change]
    variants: tuple[Variant, ...]
    impossible: Mapping[str, Mapping[str, str]]


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

    def pair(fields: tuple[str, ...], own: Sequence[Variant]) -> Pair:
        kept = keeping(schema, fields) if fields else []
        all_changes = [*kept, *(texts[name] for name in fields)]
        old, new = (parse_spec("/".join([spec.id, *each]), known) for each in (kept, all_changes))
        made = {name: parse(texts[name], old.workload.schema) for name in fields}
        return Pair(spec.id, old, new, tuple(texts), made, tuple(own), impossible)

    return [pair(fields, own) for fields, own in groups.items()]


def evolve_pair(pair: Pair, variant: Variant, old: Unit, new: Unit, paths: Paths) -> list[Evolved]:
    """The outcomes of a variant with its units of a pair's workloads, in the order of the changes."""
    decoded: dict[Path, list[Any]] = {}  # since each change needs all values, and edge values may be long

    def pieces(root: Record, change: str, dataset: Dataset) -> Iterator[Any]:
        if dataset.path not in decoded:
            decoded[dataset.path] = [decode(root, message) for message in dataset.read_messages()]
        cut = (only(root, change, value) for value in decoded[dataset.path])
        return (each for each in cut if each is not None)

    def outcomes(change: str) -> Iterator[Evolved]:
        if reason := pair.impossible[variant.id].get(change):
            for direction in get_args(Direction):
                yield Evolved(old.name, pair.told_as, change, direction, "impossible", reason)
        else:
            for way in ways_of(pair.made[change], old, new):
                values = partial(pieces, way.writer.spec.workload.schema.root, change)
                yield from evolved(replace(way, values=values), pair.told_as, change, paths)

    with ThreadPoolExecutor(usable_cores()) as pool:
        found = list(pool.map(lambda change: [*outcomes(change)], pair.changes))
    for n, change in enumerate(pair.changes):
        if any(each.outcome == "not tried" for each in found[n]):  # a busy machine may be the reason
            found[n] = [*outcomes(change)]
    return [each for own in found for each in own]

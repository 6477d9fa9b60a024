"""Finds the pairs of codecs of one format that read each other's messages of another schema, and the changes
that say something of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from serbench.codecs.codec import Variant
from serbench.codecs.laid_out import why_unread
from serbench.model import Schema
from serbench.verification.apart import Couple, Pair, each_alone, pair_of
from serbench.verification.interop import by_shared_format
from serbench.workload import Workload, WorkloadSpec


def couples_of(spec: WorkloadSpec, variants: Sequence[Variant], known: Mapping[str, Workload]) -> list[Pair]:
    """The pairs of workloads for the changes that a workload declares, with the couples of a writer and a
    reader that share a format: one for all couples of which both codecs can do the same changes. A change is
    told of a couple where both lay out what it concerns in the same way.

    Raises:
        SelectionError: the schema cannot have one of the changes.
    """
    schemas = each_alone(spec)
    by_id = {variant.id: variant for variant in variants}
    groups: dict[tuple[str, ...], dict[Couple, tuple[str, ...]]] = {}
    for group in by_shared_format(variants, lambda variant: variant).values():
        for writer, reader in permutations(group, 2):
            can = {
                name: both
                for name, both in schemas.items()
                if not any(each.why_not(schema) for each in (writer, reader) for schema in both)
            }
            told = tuple(name for name, both in can.items() if _reads(writer, reader, both))
            if told:
                groups.setdefault(tuple(can), {})[writer.id, reader.id] = told
    pairs = []
    for fields, couples in groups.items():
        own = [by_id[each] for each in dict.fromkeys(name for couple in couples for name in couple)]
        pairs.append(replace(pair_of(spec, fields, fields, own, {}, known), couples=couples))
    return pairs


def _reads(writer: Variant, reader: Variant, schemas: Sequence[Schema]) -> bool:
    """Whether the reader reads what the writer writes where both have one of these schemas."""
    return not any(why_unread(writer.laid_out(schema), reader.laid_out(schema)) for schema in schemas)

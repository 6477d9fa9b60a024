"""The record of a filter in the manifest of a run: its conditions without their values, and what matches."""

from __future__ import annotations

import msgspec

from serbench.changes.conditions import Filter
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset
from serbench.system.files import Count, Name, Text
from serbench.workload import WorkloadSpec


class Filtered(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions by which a filter reads a workload's messages; their values are not kept.

    Attributes:
        conditions: the path and the operator of each; all of them have to hold.
        matching: how many messages match.
        reads: the workload whose programs read the paths of the conditions.
        then: those that read more of the messages that match; empty where everything is read.
    """

    conditions: tuple[tuple[Text, Text], ...]
    matching: Count
    reads: Name
    then: tuple[Name, ...] = ()


def filtered(filter: Filter | None, spec: WorkloadSpec, data: Dataset) -> Filtered | None:
    """Return the record of a filter of a workload, for which the messages that match are counted."""
    if filter is None:
        return None
    root = spec.workload.schema.root
    return Filtered(
        conditions=tuple((each.path, each.operator) for each in filter.conditions),
        matching=sum(filter.matches(decode(root, message)) for message in data.read_messages()),
        reads=filter.reads,
        then=tuple(filter.then),
    )

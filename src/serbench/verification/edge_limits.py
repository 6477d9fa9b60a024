"""The edge values that a variant can do, and those that two variants can both do."""

from __future__ import annotations

from serbench.codecs.codec import Variant
from serbench.dataset.cache import edge_dataset_for
from serbench.dataset.file import Dataset
from serbench.dataset.limits import Limits
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.support import limits_of
from serbench.verification.interop import EdgeValues
from serbench.workload import WorkloadSpec


def edge_limits(variant: Variant, spec: WorkloadSpec) -> Limits:
    """The limits of a workload's edge values for a variant."""
    return limits_of(variant, spec.workload.schema)


def edge_values_of_both(paths: Paths) -> EdgeValues:
    """A function that returns the edge values which two units of one workload can both do; it reads each
    dataset once."""
    read: dict[tuple[str, Limits], Dataset] = {}

    def of_both(one: Unit, other: Unit) -> Dataset:
        limits = edge_limits(one.variant, one.spec).and_those(edge_limits(other.variant, one.spec))
        if (one.spec.id, limits) not in read:
            read[one.spec.id, limits] = edge_dataset_for(one.spec, paths, limits)
        return read[one.spec.id, limits]

    return of_both

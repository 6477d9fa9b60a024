"""Which edge values a variant can do, and which two of them can both do."""

from __future__ import annotations

from serbench.codec import Variant
from serbench.dataset.cache import edge_dataset_for
from serbench.dataset.file import Dataset
from serbench.measure.interop import EdgeValues
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.workload import WorkloadSpec

Limits = tuple[tuple[float, float] | None, int | None]
"""The limits of edge values: a range of floats, and the most steps of recursion; None for no limit."""


def edge_limits(variant: Variant, spec: WorkloadSpec) -> Limits:
    """The limits of a workload's edge values for a variant."""
    limit = variant.steps_limit(spec.workload.schema)
    return variant.tolerance.float_range, max(limit.steps, 0) if limit else None


def edge_values_of_both(paths: Paths) -> EdgeValues:
    """A function that returns the edge values which two units of one workload can both do; it reads each
    dataset once."""
    read: dict[tuple[str, Limits], Dataset] = {}

    def of_both(one: Unit, other: Unit) -> Dataset:
        (floats, steps), (other_floats, other_steps) = (
            edge_limits(each.variant, one.spec) for each in (one, other)
        )
        ranges = [each for each in (floats, other_floats) if each]
        deepest = [each for each in (steps, other_steps) if each is not None]
        narrower = (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None
        limits = narrower, min(deepest, default=None)
        if (one.spec.id, limits) not in read:
            read[one.spec.id, limits] = edge_dataset_for(one.spec, paths, *limits)
        return read[one.spec.id, limits]

    return of_both

"""The filters that two sides of a comparison have alike, whose times are computed of those of each side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from serbench.measure.manifest import Manifest
from serbench.measure.taken import Taken
from serbench.report.computed import Computed, FilterOf, computed_of, filters_of, further_cells
from serbench.stats.comparison import Derived
from serbench.stats.stopping import Cell
from serbench.stats.summary import Rounds


@dataclass(frozen=True)
class SharedFilters:
    """The filters of two sides.

    Attributes:
        filters: those that both sides have alike.
        computed: their cells on the side before and on that after.
    """

    filters: Sequence[FilterOf]
    computed: tuple[Mapping[Cell, Computed], Mapping[Cell, Computed]]

    @property
    def derived(self) -> Sequence[Derived[Cell]]:
        """For each side, makes the computed cells of its figures."""
        return [partial(further_cells, each) for each in self.computed]

    @cached_property
    def parts(self) -> dict[Cell, set[Cell]]:
        """Each computed cell that both sides have, with the measured ones that it is of on either."""
        old, new = self.computed
        return {cell: {*old[cell].parts, *new[cell].parts} for cell in old if cell in new}

    def errors(self, errors: Mapping[Cell, float]) -> dict[Cell, float]:
        """The error of each computed cell's ratio: the greatest one of its parts."""
        return {cell: max(errors[part] for part in own) for cell, own in self.parts.items()}

    def of_any(self, cells: Collection[Cell]) -> set[Cell]:
        """The computed cells that have one of these among their parts."""
        return {cell for cell, own in self.parts.items() if not own.isdisjoint(cells)}

    def of_only(self, cells: Collection[Cell]) -> set[Cell]:
        """The computed cells, computed alike on both sides, that have these alone as their parts."""
        old, new = self.computed
        return {
            cell
            for cell, own in self.parts.items()
            if own.issubset(cells) and old[cell].further == new[cell].further
        }


def shared_filters(
    manifests: tuple[Manifest, Manifest],
    taken: tuple[Taken, Taken],
    figures: Sequence[Mapping[Cell, Rounds]],
    workloads: Collection[str],
) -> SharedFilters:
    """The filters of two sides that read these workloads alone, with their computed cells.

    Conditions have no values in a run, so those count as the same by which as many messages match.
    """
    before = {each.workload: each for each in filters_of(manifests[0])}
    filters = [
        each
        for each in filters_of(manifests[1])
        if before.get(each.workload) == each and set(each.workloads).issubset(workloads)
    ]
    old, new = (
        {each.cell: each for filter in filters for each in computed_of(filter, side, own)}
        for side, own in zip(taken, figures, strict=True)
    )
    return SharedFilters(filters, (old, new))


def notes_on_filters(found: SharedFilters, manifests: tuple[Manifest, Manifest]) -> Iterator[str]:
    """Notes on the filters that were compared, and on those that the two sides have otherwise."""
    for each in found.filters:
        yield (
            f"filter of {each.workload}: {each.title}. Its times are computed. Runs keep no values of "
            "conditions: those by which as many messages match are taken for the same."
        )
    old, new = ({each.workload: each for each in filters_of(manifest)} for manifest in manifests)
    for workload in old.keys() & new.keys():
        if old[workload].filtered != new[workload].filtered:
            one, other = (
                f"where {each.condition}: {each.matching}" for each in (old[workload], new[workload])
            )
            yield f"The filters of {workload} are not compared, since they differ: {one}; {other}."

"""The times of filters, computed from measured ones round by round: of reading the fields of a condition of
every message, and more of those that match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from serbench.codecs.codec import WHOLE
from serbench.measure.filtered import Filtered
from serbench.measure.manifest import Manifest
from serbench.measure.taken import Taken
from serbench.report.numbers import count, rounded
from serbench.stats.stopping import Cell
from serbench.stats.summary import Rounds

OPERATION = "filter"
"""The operation of computed cells."""


@dataclass(frozen=True)
class FilterOf:
    """A filter of a run that ends with reading ``workload``: what is read of messages that match, or the
    fields of the condition, where everything is read of those.

    Attributes:
        whole: the workload whose messages are read.
        messages: how many of them there are.
        paths: of messages that match, those that are read; empty where that is everything.
    """

    workload: str
    whole: str
    filtered: Filtered
    messages: int
    paths: str

    @property
    def match(self) -> str:
        """The workload that is read of messages that match."""
        return self.workload if self.filtered.then else self.whole

    @property
    def share(self) -> float:
        """The share of messages that match."""
        return self.filtered.matching / max(self.messages, 1)

    @property
    def workloads(self) -> list[str]:
        """The workloads whose times tell about the filter."""
        return [*dict.fromkeys((self.filtered.reads, self.match, self.whole))]

    @property
    def condition(self) -> str:
        """The conditions in words, without their values: ``status = … and n > …``."""
        return condition_in_words(self.filtered.conditions)

    @property
    def matching(self) -> str:
        """How many messages match, such as ``5 of 20 messages match, 25 %``."""
        share = rounded(100 * self.share, 2)
        return f"{count(self.filtered.matching)} of {count(self.messages)} messages match, {share} %"

    @property
    def title(self) -> str:
        """The filter in a line, such as ``orders, where status = …: …; of those id is read``."""
        read = f"{self.paths.replace(',', ', ')} is" if self.paths else "everything is"
        return f"{self.whole}, where {self.condition}: {self.matching}; of those {read} read"


@dataclass(frozen=True)
class Computed:
    """The computed cell of a filter by one codec and memory policy, and the measured cells that it is of.

    Attributes:
        further: how often the part of a match is read for each message: never where the condition has read
            it already, by a program of the whole schema or with the same fields.
        is_decoded: whether the condition has decoded everything already, so that of a match only what its
            values take beyond those of the condition counts.
    """

    filter: FilterOf
    condition: Cell
    match: Cell
    further: float
    is_decoded: bool = False

    @property
    def cell(self) -> Cell:
        codec, _, compiler, operation = self.condition
        return codec, self.filter.workload, compiler, f"{OPERATION}:{operation.partition(':')[2]}"

    @property
    def parts(self) -> Sequence[Cell]:
        """The cells whose times count."""
        return [self.condition, self.match] if self.further else [self.condition]

    def rounds(self, figures: Mapping[Cell, Rounds]) -> Rounds:
        """The time of a pass over all messages in each round that has all parts, in nanoseconds."""
        first = figures[self.condition]
        if not self.further:
            return first
        then, shared = figures[self.match], sorted(first.keys() & figures[self.match].keys())
        if self.is_decoded:
            return {r: first[r] + self.further * max(0.0, then[r] - first[r]) for r in shared}
        return {r: first[r] + self.further * then[r] for r in shared}


def filters_of(manifest: Manifest) -> Iterator[FilterOf]:
    """The filters of a run, one for each set of paths that is read of messages that match."""
    for whole, data in manifest.datasets.items():
        found = data.filtered
        for workload in (found.then or (found.reads,)) if found else ():
            if found and (part := manifest.datasets.get(workload)):
                yield FilterOf(workload, whole, found, data.messages, part.paths if found.then else "")


def computed_of(filter: FilterOf, taken: Taken, figures: Mapping[Cell, Rounds]) -> Iterator[Computed]:
    """The cells of a filter of which all parts have figures, which are given by their cells."""
    for cell in figures:
        codec, workload, compiler, operation = cell
        match = (codec, filter.match, compiler, operation)
        if workload != filter.filtered.reads or match not in figures:
            continue
        unit = taken.units.get((codec, workload, compiler))
        is_whole = unit is not None and unit.way == WHOLE
        has_all = match == cell or (is_whole and bool(unit and unit.way_reason))
        made = Computed(filter, cell, match, 0.0 if has_all else filter.share, is_whole)
        if made.rounds(figures):
            yield made


def further_cells(computed: Mapping[Cell, Computed], figures: Mapping[Cell, Rounds]) -> dict[Cell, Rounds]:
    """The figures of computed cells, as far as all of their parts have some."""
    return {
        cell: each.rounds(figures) for cell, each in computed.items() if figures.keys() >= set(each.parts)
    }


def condition_in_words(conditions: Sequence[tuple[str, str]]) -> str:
    """Paths and operators of conditions, without their values: ``status = … and n > …``."""
    return " and ".join(f"{path} {sign} …" for path, sign in conditions)

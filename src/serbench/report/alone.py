"""The factor between a message alone, whose branches a processor learns, and one among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.store import Run
from serbench.report.numbers import between, count, rounded
from serbench.report.rows import Row, mean_ratio
from serbench.report.sweeps import Size, Sweep, sweeps_of
from serbench.stats.summary import Interval


@dataclass(frozen=True)
class Alone:
    """The factors by which a message takes longer among others than alone: the least and the greatest."""

    operation: str
    size: Size
    cache: str
    least: tuple[str, Interval]
    most: tuple[str, Interval]

    @property
    def in_words(self) -> str:
        def factor(of: tuple[str, Interval]) -> str:
            return f"×{rounded(of[1].estimate, 2)} {between(of[1])} for {of[0]}".replace("  ", " ")

        others = f"among {count(self.size.number)} that fit into {self.cache}"
        ends = dict.fromkeys(map(factor, (self.least, self.most)))
        return f"{self.operation} takes {' to '.join(ends)} as long {others}"

    def to_json(self) -> dict[str, Any]:
        return {
            "operation": self.operation,
            "messages": self.size.number,
            "cache": self.cache,
            "factors": {name: round(found.estimate, 5) for name, found in (self.least, self.most)},
        }


def alone_of(run: Run, workload: str, rows: Sequence[Row]) -> list[Alone]:
    """For each operation of a sweep of a single message: the factor between a message alone and one among so
    many as half of a near cache holds, so that branches alone make the difference."""
    return [found for sweep in sweeps_of(run, rows) if sweep.workload == workload if (found := _alone(sweep))]


def _alone(sweep: Sweep) -> Alone | None:
    one = sweep.sizes[0]
    if sweep.longer_list:
        return None
    for cache, bytes in sweep.caches.items():
        fitting = [size for size in sweep.sizes if 2 * size.bytes <= bytes]
        if one.number == 1 and len(fitting) > 1:
            size = fitting[-1]
            pairs = ((c.name, c.rows.get(size.number), c.rows.get(1)) for c in sweep.codecs)
            found = [
                (name, ratio.scaled(1 / size.number))
                for name, many, alone in pairs
                if many and alone and many.time and alone.time
                if (ratio := mean_ratio(sweep.run, [(many, alone)]))
            ]
            found.sort(key=lambda each: each[1].estimate)
            return Alone(sweep.operation, size, cache, found[0], found[-1]) if found else None
    return None

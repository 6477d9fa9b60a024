"""The history of a library: how its versions differ, from the samples of runs that have several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from serbench.languages.releases import Release
from serbench.measure.events import UnitEvent
from serbench.measure.identity import Identity
from serbench.measure.store import Run
from serbench.report.history_figures import rounds_of, why_none
from serbench.stats.history import Change, Times, change_of, comparisons, ratio_of
from serbench.stats.summary import Interval, Rounds, geometric_interval

MOST, FIRST = 12, 6
"""The most versions that are measured; and of more versions, how many the first run has, evenly spread."""


class Series(NamedTuple):
    """The cells that differ by the version alone: those of a codec variant, a workload and an operation with
    its memory policy, or the name of a figure of another metric than times."""

    codec: str
    workload: str
    operation: str


@dataclass(frozen=True)
class Point:
    """One version in a series.

    Attributes:
        time: the nanoseconds of a message, or of another metric's figure; None where there are none, and
            ``reason`` says why.
        bytes: those of a message; None where they are not known.
        ratio_newest: the time divided by that of the newest version, with an interval that holds for the
            whole history; None for the newest itself.
        before: the version that was measured before it; empty for the first.
        ratio_before: the time divided by that of ``before``.
        change: the change from the version before.
    """

    release: Release
    time: Interval | None = None
    bytes: float | None = None
    ratio_newest: Interval | None = None
    before: str = ""
    ratio_before: Interval | None = None
    change: Change = ""
    reason: str = ""


@dataclass(frozen=True)
class History:
    """The versions of a codec's library, and the runs that have their samples.

    Attributes:
        codec: its id.
        usual: the version that is measured without ``--version``, which a run that has it has twice; empty
            where it is not known.
        releases: those that were asked for, the oldest first.
        threshold: the share by which a version has to differ from the one before it to have changed.
        most: how many versions may be measured in all; the number of comparisons follows from it.
        runs: in the order of measuring.
        first: the number of versions in the first run where there are more than ``most``; 0 where one has
            all.
    """

    codec: str
    usual: str
    releases: Sequence[Release]
    threshold: float
    most: int
    runs: Sequence[Run]
    first: int = 0

    @cached_property
    def measured(self) -> Sequence[Release]:
        """The releases that a run has, even if they could not be built."""
        had = {_label(unit[2]) for run in self.runs for unit in run.taken.units}
        return [each for each in self.releases if each.version in had]

    @property
    def skipped(self) -> Sequence[Release]:
        """The releases that no run has."""
        had = {each.version for each in self.measured}
        return [each for each in self.releases if each.version not in had]

    @cached_property
    def series(self) -> Sequence[Series]:
        """Every variant with each workload and operation, or figure of another metric."""
        first = self.runs[0].manifest
        if not self.is_of_times:
            cells = ((cell[0], cell[1], cell[3]) for each in self._figures for cell in each)
            own = [Series(*each) for each in dict.fromkeys(cells) if each[0] in first.codecs]
            return own or [Series(codec, workload, self.metric) for codec in first.codecs
                           for workload in first.workloads]  # fmt: skip
        return [
            Series(codec, workload, operation)
            for codec in first.codecs
            for workload in first.workloads
            for operation in first.operations
        ]

    @property
    def metric(self) -> str:
        """The metric of the history, which its runs have alone."""
        return next(iter(self.runs[0].manifest.metrics), "time")

    @property
    def is_of_times(self) -> bool:
        return self.metric == "time"

    @cached_property
    def _figures(self) -> Sequence[Mapping[tuple[str, str, str, str], Rounds]]:
        """The figures of each run by round, where they are not times of passes."""
        return [rounds_of(run) for run in self.runs]

    @property
    def family(self) -> int:
        """The number of comparisons whose intervals hold together."""
        halving = self.most - self.first if self.first else 0
        return comparisons(self.most, len(self.series), halving)

    def to_halve(self) -> list[Release]:
        """The releases to measure next, the oldest first: between each two neighbours that differ in an
        operation, the middle one of those that were not measured, with these two and the newest beside it.
        None where all that differ are releases in a row, or as many as may be were measured."""
        places = {each.version: n for n, each in enumerate(self.releases)}
        had = {each.version for each in self.measured}
        middles: dict[int, tuple[int, int]] = {}
        newest = 0
        for series in self.series:
            for point in self.points(series):
                end = places[point.release.version]
                newest = max(newest, end if point.time else 0)
                if point.change:
                    start = places[point.before]
                    left = [n for n in range(start + 1, end) if self.releases[n].version not in had]
                    middles |= {left[len(left) // 2]: (start, end)} if left else {}
        allowed = sorted(middles)[: max(0, self.most - len(had))]
        wanted = {place for middle in allowed for place in (middle, *middles[middle], newest)}
        return [self.releases[place] for place in sorted(wanted)]

    def points(self, series: Series) -> list[Point]:
        """The versions that were measured, the oldest first."""
        points: list[Point] = []
        timed = [each.version for each in self.measured if self._time(series, each.version)]
        for release in self.measured:
            version = release.version
            time, unit = self._time(series, version), self._unit(series, version)
            messages = max(1, unit.messages or 1) if unit else 1
            size = unit.size_bytes if unit else None
            place = timed.index(version) if version in timed else 0
            before = timed[place - 1] if place else ""
            ratio = self.ratio(series, version, before) if before else None
            points.append(
                Point(
                    release,
                    time and time.scaled(1 / messages if self.is_of_times else 1.0),
                    None if size is None else size / messages,
                    self.ratio(series, version, timed[-1]) if time and version != timed[-1] else None,
                    before,
                    ratio,
                    change_of(ratio, self.threshold),
                    "" if time else self._reason(series, version),
                )
            )
        return points

    def ratio(self, series: Series, version: str, other: str) -> Interval | None:
        """The ratio of two versions' times in the last run that has both; an empty version is the usual
        build. None where too few rounds have both."""
        for n in reversed(range(len(self.runs))):
            own = [self._times(n, series, each) for each in (version, other)]
            if own[0] and own[1] and (found := ratio_of(own[0], own[1], self.family)):
                return found
        return None

    @property
    def controls(self) -> dict[Series, Interval]:
        """The ratio of two builds of one version: the usual one, and that which was asked for."""
        found = {each: self.ratio(each, "", self.usual) for each in self.series}
        return {each: ratio for each, ratio in found.items() if ratio}

    @property
    def records(self) -> list[dict[str, Any]]:
        """One for each release and operation, in plain values."""
        told: list[dict[str, Any]] = []
        for series in self.series:
            told += [self._record(series, point) for point in self.points(series)]
            told += [self._record(series, Point(each, reason="skipped")) for each in self.skipped]
        return told

    def _record(self, series: Series, point: Point) -> dict[str, Any]:
        ratio, before = point.ratio_newest, point.ratio_before
        return {
            "codec": series.codec,
            "workload": series.workload,
            "version": point.release.version,
            "released": point.release.released or None,
            "operation": series.operation,
            "time_ns": point.time and point.time.estimate,
            "bytes": point.bytes,
            "ratio_newest": ratio and round(ratio.estimate, 5),
            "interval": ratio and [round(ratio.low, 5), round(ratio.high, 5)],
            "changed": bool(point.change) if before else None,
            "before": point.before or None,
            "ratio_before": before and round(before.estimate, 5),
            "interval_before": before and [round(before.low, 5), round(before.high, 5)],
            "reason": point.reason,
        }

    def _time(self, series: Series, version: str) -> Interval | None:
        for n in reversed(range(len(self.runs))):
            if times := self._times(n, series, version):
                return geometric_interval(times.rounds.values())
        return None

    def _times(self, number: int, series: Series, version: str) -> Times | None:
        """The times of a version in a run, which is given by its number."""
        if self.is_of_times:
            return _times(self.runs[number], series, version)
        for cell, rounds in self._figures[number].items():
            if (cell[0], cell[1], cell[3]) == series and _label(cell[2]) == version:
                return Times(rounds)
        return None

    def _unit(self, series: Series, version: str) -> UnitEvent | None:
        found = [
            event
            for run in self.runs
            for unit, event in run.taken.units.items()
            if unit[:2] == series[:2] and _label(unit[2]) == version
        ]
        return found[-1] if found else None

    def _reason(self, series: Series, version: str) -> str:
        unit = self._unit(series, version)
        if unit and unit.status != "ok":
            return unit.reason
        failures = [
            reason
            for run in self.runs
            for cell, reason in run.taken.failures.items()
            if (cell[0], cell[1], cell[3]) == series and _label(cell[2]) == version
        ]
        for run in self.runs if not failures else ():
            for codec, workload, compiler in run.taken.units:
                if (codec, workload, _label(compiler)) == (*series[:2], version):
                    failures += [why] if (why := why_none(run, Identity(codec, workload, compiler))) else []
        return failures[-1] if failures else "it has no times"


def _label(compiler: str) -> str:
    """The version in the name of a toolchain; empty for the usual one."""
    return compiler.partition("@")[2]


def _times(run: Run, series: Series, version: str) -> Times | None:
    for cell, samples in run.taken.cells.items():
        if (cell[0], cell[1], cell[3]) == series and _label(cell[2]) == version:
            figures = samples.figures()
            if cell not in run.taken.failures and figures:
                return Times(figures, samples.doubt)
    return None

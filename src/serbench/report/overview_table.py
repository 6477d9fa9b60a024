"""One table over several workloads: the geometric mean of each codec's ratios to the best.

It has means of ratios only: a mean of times would follow the workload with the longest messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.lossy import marked
from serbench.report.numbers import ratio, spread
from serbench.report.rows import Row, mean_ratio
from serbench.report.sweeps import in_sweeps
from serbench.report.table import Table, grid
from serbench.stats.summary import Interval


def overview_table(run: Run, rows: Sequence[Row]) -> Table | None:
    """A table of means with the best first, and a note on who lacks a workload; None for one workload. Parts
    of messages are left out, since each codec reads them in its own way, and so are the sizes of sweeps."""
    datasets = run.manifest.datasets
    apart = {name for name, data in datasets.items() if data.whole} | in_sweeps(run)
    workloads = [name for name in run.manifest.workloads if name not in apart]
    if len(workloads) < 2:
        return None
    rows = [row for row in rows if row.workload in workloads]
    operations = list(dict.fromkeys(row.cell for row in rows))
    means = {
        (name, operation): mean
        for operation in operations
        for name, mean in _means(run, [row for row in rows if row.cell == operation], workloads).items()
    }
    codecs = {row.name: row.codec for row in rows}
    shown = gathered((name, mean.estimate) for (name, _), mean in means.items())
    lacking = sorted({row.name for row in rows if row.time and row.competes} - shown.keys())
    notes = ["Geometric mean, over the workloads, of the ratio to the best codec of each, paired by round."]
    if lacking:
        notes.append(f"Left out, since not measured on every workload: {', '.join(lacking)}.")

    def cells(name: str, operation: str) -> list[str]:
        mean = means.get((name, operation))
        return [ratio(mean), spread(mean)] if mean else ["–", ""]

    return grid(
        f"all {len(workloads)} workloads: {', '.join(workloads)}",
        {"codec": lambda name: marked(name, codecs[name], run.manifest)},
        sorted(shown, key=lambda name: geometric_mean(shown[name])),
        operations,
        lambda operation: [operation.replace(":", "\n"), "±"],
        cells,
        notes=notes,
    )


def _means(run: Run, rows: Sequence[Row], workloads: Sequence[str]) -> Mapping[str, Interval]:
    """The mean ratio of each contender that every workload has, by name; ``rows`` are of one operation."""
    measured = {(row.name, row.workload): row for row in rows if row.time and row.ratio and row.competes}
    best = {
        (row.workload, row.view): row for row in measured.values() if row.ratio and row.ratio.estimate == 1
    }
    means = {}
    for name in dict.fromkeys(name for name, _ in measured):
        own = [measured[name, workload] for workload in workloads if (name, workload) in measured]
        if len(own) == len(workloads):
            mean = mean_ratio(run, [(row, best[row.workload, row.view]) for row in own])
            if mean:
                means[name] = mean
    return means

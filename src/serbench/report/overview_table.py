"""One table over several workloads: the geometric mean of each codec's ratios to the best.

It has means of ratios only: a mean of times would follow the workload with the longest messages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from serbench.measure.store import Run
from serbench.report.lossy import marked
from serbench.report.numbers import ratio, spread
from serbench.report.rows import Row
from serbench.report.table import Table
from serbench.stats.summary import Interval, Rounds, geometric_mean_ratio


def overview_table(run: Run, rows: Sequence[Row]) -> Table | None:
    """The table, the best first; None for a run of one workload. Codecs that lack a workload are named in a
    note."""
    workloads = run.manifest.workloads
    if len(workloads) < 2:
        return None
    operations = list(dict.fromkeys(f"{row.operation}:{row.memory}" for row in rows))
    means = {
        (name, operation): mean
        for operation in operations
        for name, mean in _means(
            run, [row for row in rows if f"{row.operation}:{row.memory}" == operation], workloads
        ).items()
    }
    names = list(dict.fromkeys(name for name, _ in means))
    codecs = {row.name: row.codec for row in rows}
    lacking = sorted({row.name for row in rows if row.time and row.competes} - set(names))
    body = []
    for name in sorted(
        names,
        key=lambda name: geometric_mean([means[name, o].estimate for o in operations if (name, o) in means]),
    ):
        line = [marked(name, codecs[name], run.manifest)]
        for operation in operations:
            mean = means.get((name, operation))
            line += [ratio(mean), spread(mean)] if mean else ["–", ""]
        body.append(line)
    headings = ["codec"]
    for operation in operations:
        headings += [operation.replace(":", "\n"), "±"]
    notes = ["Geometric mean, over the workloads, of the ratio to the best codec of each, paired by round."]
    if lacking:
        notes.append(f"Left out, since not measured on every workload: {', '.join(lacking)}.")
    return Table(
        f"all {len(workloads)} workloads: {', '.join(workloads)}",
        headings,
        body,
        frozenset(range(1, len(headings))),
        notes,
    )


def _means(run: Run, rows: Sequence[Row], workloads: Sequence[str]) -> Mapping[str, Interval]:
    """The mean ratio of each contender that was measured on every workload, by its name; all ``rows`` are of
    one operation."""
    measured = {(row.name, row.workload): row for row in rows if row.time and row.ratio and row.competes}
    best = {
        (row.workload, row.view): row for row in measured.values() if row.ratio and row.ratio.estimate == 1
    }
    means = {}
    for name in dict.fromkeys(name for name, _ in measured):
        own = [measured[name, workload] for workload in workloads if (name, workload) in measured]
        if len(own) == len(workloads):
            mean = geometric_mean_ratio(
                [(_figures(run, row), _figures(run, best[row.workload, row.view])) for row in own],
                max(_doubt(run, row, best[row.workload, row.view]) for row in own),
            )
            if mean:
                means[name] = mean
    return means


def _doubt(run: Run, row: Row, best: Row) -> float:
    """The error of the ratio of two rows that their rounds do not show."""
    apart = run.taken.spreads.get((row.workload, f"{row.operation}:{row.memory}"), 0.0)
    return math.hypot(apart, row.doubt, best.doubt)


def _figures(run: Run, row: Row) -> Rounds:
    return run.taken.cells[row.codec, row.workload, row.compiler, f"{row.operation}:{row.memory}"].figures()

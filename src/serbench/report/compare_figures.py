"""The comparison of figures of other metrics than times of passes: of single calls, of several threads, and
of what is shipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from serbench.errors import SelectionError
from serbench.measure.calls import CALLED
from serbench.measure.cost import SHIPPED
from serbench.report.calls_table import calls_of
from serbench.report.compare_table import Side, cell_in_json, contender, program_of, shared_data
from serbench.report.figures import Figures
from serbench.report.gathering import gathered
from serbench.report.numbers import count, duration, percent, quantity, significant_digits
from serbench.report.shipped_table import shipped_of
from serbench.report.table import Table
from serbench.report.threads_table import threads_of
from serbench.stats.stopping import Cell
from serbench.stats.summary import Interval

METRICS = (*CALLED, "threads", SHIPPED)
"""The metrics whose figures are compared here; times and instructions have comparisons of their own."""

ENOUGH = 0.9
"""The least coverage of both intervals from which a change is told: that of medians of five processes."""

_NAMES = {
    "mean_ns": "mean", "p50_ns": "p50", "p90_ns": "p90", "p99_ns": "p99", "p99_9_ns": "p99.9",
    "worst_ns": "worst",
    "to_first_ns": "to the first", "import_ns": "import", "preparing_ns": "prepare", "first_ns": "first",
    "until_ns": "as fast", "later_ns": "later",
    "messages_hz": "messages/s", "efficiency_ratio": "share",
    "shipped_packages": "packages",
}  # fmt: skip
"""Value that is compared → its name in a table; besides these, all numbers of bytes are compared."""

_SHOWN: Mapping[str, Callable[[Interval], str]] = {
    "ns": duration,
    "hz": lambda rate: quantity(rate.estimate, significant_digits(rate)),
    "ratio": lambda share: percent(share.estimate),
    "bytes": lambda number: count(round(number.estimate)),
    "packages": lambda number: count(round(number.estimate)),
}
"""The unit at the end of a value's name → how it is shown."""

_MORE_IS_BETTER = ("hz", "ratio")

Verdict = Literal["better", "worse", "equal", "too close to call", "too few rounds"]


class _Key(NamedTuple):
    """A figure that both sides may have."""

    metric: str
    cell: Cell
    threads: int
    name: str


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of both sides.

    Attributes:
        before, after: the figure; without coverage where it is exact.
        same: whether the program is the same in both, so that the codec cannot have caused a change.
    """

    key: _Key
    before: Interval
    after: Interval
    same: bool
    regression: bool = False

    @property
    def cell(self) -> Cell:
        return self.key.cell

    @property
    def ratio(self) -> float:
        """The figure after to that before; 1 where both are 0."""
        before, after = self.before.estimate, self.after.estimate
        return after / before if before else 1.0 if before == after else float("inf")

    @property
    def unit(self) -> str:
        return self.key.name.rpartition("_")[2]

    @property
    def verdict(self) -> Verdict:
        """Whether the figure surely changed: exact ones where they differ, others where their intervals have
        nothing in common."""
        old, new = self.before, self.after
        is_exact = self.key.metric == SHIPPED
        if is_exact and old.estimate == new.estimate:
            return "equal"
        if not is_exact and min(old.coverage, new.coverage) < ENOUGH:
            return "too few rounds"
        if old.low <= new.high and new.low <= old.high:
            return "too close to call"
        return "better" if (new.estimate > old.estimate) == (self.unit in _MORE_IS_BETTER) else "worse"

    @property
    def has_changed(self) -> bool:
        return self.verdict in ("better", "worse")

    @property
    def about(self) -> str:
        """The operation, with the number of threads where there are several such numbers."""
        key = self.key
        threads = f", {key.threads} thread{'' if key.threads == 1 else 's'}" if key.threads else ""
        return f"{key.cell[3]}{threads}"

    @property
    def name(self) -> str:
        own = self.key.name.removesuffix("_bytes").replace("_", " ")
        return _NAMES.get(self.key.name, own)

    @property
    def shown(self) -> list[str]:
        """The figure before and after, with their unit."""
        return [_SHOWN[self.unit](each) for each in (self.before, self.after)]

    def to_json(self) -> dict[str, Any]:
        """The comparison of the figure in plain values, for ``--format json``."""
        ends = {
            f"{word}_interval": [round(each.low, 5), round(each.high, 5)]
            for word, each in (("before", self.before), ("after", self.after))
            if each.coverage
        }
        return {
            **cell_in_json(self.cell),
            "metric": self.key.metric,
            **({"threads": self.key.threads} if self.key.threads else {}),
            "figure": self.key.name,
            "before": round(self.before.estimate, 5),
            "after": round(self.after.estimate, 5),
            **ends,
            "ratio": round(self.ratio, 5) if self.before.estimate else None,
            "verdict": self.verdict,
            "same_program": self.same,
            "regression": self.regression,
        }


def refuse_other_metrics(before: Side, after: Side) -> None:
    """Raise SelectionError where two runs have no metric in common."""
    old, new = before.manifest.metrics, after.manifest.metrics
    if not set(old) & set(new):
        raise SelectionError(
            f"{before.name} measured {', '.join(old)}, and {after.name} measured {', '.join(new)}; "
            "expected two runs that have a metric in common"
        )


def compare_figures(before: Side, after: Side, threshold: float) -> list[ComparedFigure]:
    """Return the figures that both sides have, of the same data, in the order of metrics and cells.

    Args:
        threshold: a figure that is worse, and by more than this share, is a regression, unless its program is
            the same in both. What is shipped is exact, so that it always counts.
    """
    shared = shared_data(before, after)
    old, new = (
        {key: own for key, own in _figures_of(side) if key.cell[1] in shared} for side in (before, after)
    )
    return [_compared(key, old[key], new[key], before, after, threshold) for key in old if key in new]


def _compared(
    key: _Key, old: Interval, new: Interval, before: Side, after: Side, threshold: float
) -> ComparedFigure:
    program = program_of(before.taken, key.cell)
    same = key.metric != SHIPPED and bool(program) and program == program_of(after.taken, key.cell)
    found = ComparedFigure(key, old, new, same)
    factor = 1 / found.ratio if found.unit in _MORE_IS_BETTER and found.ratio else found.ratio
    return replace(found, regression=found.verdict == "worse" and factor > 1 + threshold and not same)


def _figures_of(side: Side) -> Iterator[tuple[_Key, Interval]]:
    """Each figure of a side that is compared."""
    if side.run is None:
        return
    by_metric: list[tuple[str, Figures]] = [(each.metric, each) for each in calls_of(side.run)]
    by_metric += [("threads", each) for each in threads_of(side.run)]
    by_metric += [(SHIPPED, each) for each in shipped_of(side.run)]
    for metric, each in by_metric:
        if side.compiler not in ("", each.compiler):
            continue
        operation = each.cell if each.operation else ""
        cell = (each.codec, each.workload, "" if side.compiler else each.compiler, operation)
        for name, value in each.values.items():
            is_bytes = metric == SHIPPED and name.endswith("_bytes") and not name.startswith("no_")
            if name in _NAMES or is_bytes:
                exact = value if isinstance(value, Interval) else Interval(value, value, value, 0.0)
                yield _Key(metric, cell, getattr(each, "threads", 0), name), exact


def figures_tables(
    found: Sequence[ComparedFigure], before: Side, after: Side, threshold: float, changed_only: bool
) -> list[Table]:
    """A table of each metric, with a summary below it."""
    tables = []
    for metric, own in gathered((each.key.metric, each) for each in found).items():
        rows = [_row(each) for each in own if each.has_changed or not changed_only]
        headings = ["codec", "workload", "operation", "figure", "before", "after", "ratio", "verdict"]
        notes = [_summary(own, threshold), *_on_same(own)]
        title = f"{metric}, {before.name} → {after.name}"
        tables.append(Table(title, headings, rows, frozenset(range(4, 7)), notes))
    return tables


def _row(each: ComparedFigure) -> list[str]:
    figures = [*each.shown, f"×{each.ratio:.3f}"]
    verdict = each.verdict + (" !" if each.regression else "")
    return [contender(each.cell), each.cell[1], each.about, each.name, *figures, verdict]


def _summary(own: Sequence[ComparedFigure], threshold: float) -> str:
    counts = Counter(each.verdict for each in own)
    told = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    regressions = sum(each.regression for each in own)
    how = (
        ""
        if all(each.key.metric == SHIPPED for each in own)
        else " A figure changed where both 95 % intervals have nothing in common. Changes of the machine's "
        "speed are in all of them."
    )
    worse = f"{regressions} worse by more than {100 * threshold:g} % (!)"
    return f"{len(own)} figures: {told}; {worse}.{how}"


def _on_same(own: Sequence[ComparedFigure]) -> Iterator[str]:
    if found := sum(each.same and each.has_changed for each in own):
        yield (
            f"{found} of the figures that changed are of the same program in both runs, so the machine "
            "caused the change; this is no regression."
        )

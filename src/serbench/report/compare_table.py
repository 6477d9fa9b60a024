"""The table of a comparison: cells in rows, before and after beside each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from serbench.errors import SelectionError
from serbench.languages import contending_options
from serbench.measure.earlier import LAST_VERSION, NOTE
from serbench.measure.manifest import Manifest, differences, other_machine
from serbench.measure.store import Run
from serbench.measure.taken import Taken
from serbench.report.compare_filters import notes_on_filters, shared_filters
from serbench.report.gathering import gathered
from serbench.report.lossy import losses, marked
from serbench.report.numbers import duration
from serbench.report.table import Table
from serbench.stats.comparison import CONTROLS, CellChange, Comparison, compare, without_drift
from serbench.stats.stopping import Cell, column_of
from serbench.stats.summary import Interval, geometric_interval

REGRESSION = 0.05
"""The share by which a cell has to be slower to be a regression, unless another share is asked for."""


def contender(cell: Cell) -> str:
    """The codec of a cell, with its compiler where there are several."""
    return f"{cell[0]} {cell[2]}".rstrip()


def cell_in_json(cell: Cell) -> dict[str, Any]:
    return dict(zip(("codec", "workload", "compiler", "operation"), cell, strict=True))


@dataclass(frozen=True)
class Compared:
    """One cell of two runs, compared.

    Attributes:
        before, after: nanoseconds of a pass; their ratio is that of ``change`` times the machine's own drift.
        same: whether the program is the same in both, so that the codec cannot have caused a change.
        computed: whether its times are computed of those of other cells.
    """

    cell: Cell
    before: Interval
    after: Interval
    change: CellChange
    same: bool
    regression: bool
    computed: bool = False

    def to_json(self) -> dict[str, Any]:
        """The comparison of the cell in plain values, for ``--format json``."""
        return {
            **cell_in_json(self.cell),
            "before_ns": self.before.estimate,
            "after_ns": self.after.estimate,
            "ratio": round(self.change.ratio.estimate, 5),
            "ratio_interval": [round(self.change.ratio.low, 5), round(self.change.ratio.high, 5)],
            "p": self.change.p,
            "verdict": self.change.verdict,
            "same_program": self.same,
            "regression": self.regression,
            "computed": self.computed,
        }


@dataclass(frozen=True)
class RunComparison:
    """The outcome of comparing two runs.

    Attributes:
        cells: the cells that both runs have, the greatest ratio first.
        sizes: codec, workload and compiler → bytes before and after, where they changed.
        only_in_one: the cells for which only one of the runs has figures.
        notes: on filters, and on other differences between the runs.
        machines: how their machines differ; empty where they may be the same.
        apart: the greatest error that a cell's ratio has because several machines divided a run's cells.
    """

    cells: Sequence[Compared]
    sizes: Mapping[tuple[str, str, str], tuple[int, int]]
    only_in_one: Sequence[Cell]
    notes: Sequence[str]
    comparison: Comparison[Cell]
    machines: str = ""
    apart: float = 0.0


@dataclass(frozen=True)
class Side:
    """One of the two sides of a comparison.

    Attributes:
        name: the id of a run; for one half of a run, its compiler, revision or folder of libraries.
        run: the run, of which ``compiler`` has this half; empty for all of it.
    """

    name: str
    taken: Taken
    manifest: Manifest
    run: Run | None = None
    compiler: str = ""


def whole(run: Run) -> Side:
    return Side(run.id, run.taken, run.manifest, run)


def halves(run: Run) -> tuple[Side, Side]:
    """The two sides of a run that was made with two compilers, revisions or folders of libraries, in order.

    Raises:
        SelectionError: the run was not made with exactly two.
    """
    of_language = gathered((each.language, each.name) for each in run.manifest.toolchains)
    names = max(of_language.values(), key=len, default=[])
    if len(names) != 2:
        raise SelectionError(
            f"{run.id} used {len(names)} toolchain(s) per language, expected two to compare; name a second "
            f"run, or make one with two of {contending_options()}"
        )
    first, second = (Side(name, _half(run.taken, name), run.manifest, run, name) for name in names)
    return first, second


def _half(taken: Taken, compiler: str) -> Taken:
    """The cells of one compiler, as if there were no other."""
    return Taken(
        cells={(c[0], c[1], "", c[3]): samples for c, samples in taken.cells.items() if c[2] == compiler},
        units={(u[0], u[1], ""): event for u, event in taken.units.items() if u[2] == compiler},
        failures={(c[0], c[1], "", c[3]): reason for c, reason in taken.failures.items() if c[2] == compiler},
        costs=[
            msgspec.structs.replace(event, compiler="")
            for event in taken.costs
            if getattr(event, "compiler", None) == compiler
        ],
        spreads=taken.spreads,
    )


def shared_data(before: Side, after: Side) -> set[str]:
    """The workloads whose data are the same on both sides."""
    old, new = before.manifest.datasets, after.manifest.datasets
    return {workload for workload in old if workload in new and old[workload].sha256 == new[workload].sha256}


def compare_sides(before: Side, after: Side, threshold: float) -> RunComparison:
    """Compares all cells of two runs whose data are the same, or of the two halves of one run.

    Args:
        threshold: a cell that is slower, and by more than this share, is a regression, unless its program is
            the same in both.
    """
    old, new = before.taken, after.taken
    shared = shared_data(before, after)
    figures = [_figures(side, shared) for side in (before, after)]
    manifests = (before.manifest, after.manifest)
    filters = shared_filters(manifests, (old, new), figures, shared)
    same = [
        cell for cell in figures[0] if (program := program_of(old, cell)) and program == program_of(new, cell)
    ]
    paired = before.manifest is after.manifest and old is not new
    both = figures[0].keys() & figures[1].keys()
    distrusted = {c for c in both if old.cells[c].mostly_deducted or new.cells[c].mostly_deducted}
    trusted = [{cell: own[cell] for cell in own if cell not in distrusted} for own in figures]
    others = [{cell: own[cell] for cell in own if cell in distrusted} for own in figures]
    apart = _apart(old, new, paired)
    errors = {cell: math.hypot(apart[cell], old.cells[cell].doubt, new.cells[cell].doubt) for cell in both}
    errors |= filters.errors(errors)
    comparison = compare(trusted[0], trusted[1], same, paired, errors, filters.derived)
    untested = {**compare(others[0], others[1], [], paired, errors).changes}
    if doubtful := filters.of_any(distrusted):
        of_all = compare(figures[0], figures[1], [], paired, errors, filters.derived).changes
        untested |= {cell: of_all[cell] for cell in doubtful & of_all.keys()}
    unreliable = {cell: replace(each, verdict="unreliable") for cell, each in untested.items()}
    # The same figures as ratios are taken from, so that before and after agree with the ratios.
    levels = [without_drift(own) | rest for own, rest in zip(trusted, others, strict=True)]
    for own, further in zip(levels, filters.derived, strict=True):
        own |= further(own)
    unchanged = {*same, *filters.of_only(same)}
    cells = [
        Compared(
            cell,
            before=geometric_interval(levels[0][cell].values()),
            after=geometric_interval(levels[1][cell].values()),
            change=change,
            same=cell in unchanged,
            regression=change.verdict == "slower"
            and change.ratio.estimate > 1 + threshold
            and cell not in unchanged,
            computed=cell in filters.parts,
        )
        for cell, change in {**comparison.changes, **unreliable}.items()
    ]
    return RunComparison(
        cells=sorted(cells, key=lambda each: -each.change.ratio.estimate),
        sizes=_changed_sizes(old, new),
        only_in_one=sorted(figures[0].keys() ^ figures[1].keys()),
        notes=[*notes_on_filters(filters, manifests), *map("Differs: {}".format, differences(*manifests))],
        comparison=comparison,
        machines=other_machine(before.manifest, after.manifest),
        apart=max(apart.values(), default=0.0),
    )


def _apart(old: Taken, new: Taken, paired: bool) -> dict[Cell, float]:
    """The error of each cell's ratio of ``new`` to ``old`` that comes from differences between machines,
    where several divided a run's cells; ``paired`` is set if the same machines measured both."""
    apart = {}
    for cell in old.cells:
        before, after = (taken.spreads.get(column_of(cell), 0.0) for taken in (old, new))
        apart[cell] = before if paired else math.hypot(before, after) / math.sqrt(2)
    return apart


def _figures(side: Side, workloads: Collection[str]) -> dict[Cell, dict[int, float]]:
    """The time of each cell of a side by round, without failed cells, unasked floors and other workloads."""
    taken, beside = side.taken, side.manifest.beside
    return {
        cell: samples.figures()
        for cell, samples in taken.cells.items()
        if cell not in taken.failures and cell[1] in workloads and cell[0] not in beside
    }


def _changed_sizes(old: Taken, new: Taken) -> dict[tuple[str, str, str], tuple[int, int]]:
    sizes = [
        {unit: e.size_bytes for unit, e in taken.units.items() if e.size_bytes is not None}
        for taken in (old, new)
    ]
    return {
        unit: (size, sizes[1][unit]) for unit, size in sizes[0].items() if sizes[1].get(unit, size) != size
    }


def program_of(taken: Taken, cell: Cell) -> tuple[str, ...]:
    """The digests of a cell's executable and its layouts; empty where they are not known."""
    unit = taken.units.get(cell[:3])
    return (unit.executable, *unit.layouts) if unit and unit.executable else ()


def compare_table(
    found: RunComparison, before: Side, after: Side, threshold: float, changed_only: bool
) -> Table:
    """The table of a comparison; its notes have a summary and what else differs."""
    shown = [each for each in found.cells if not changed_only or each.change.verdict != "too close to call"]
    body = [
        [
            marked(contender(each.cell), each.cell[0], after.manifest),
            each.cell[1],
            each.cell[3] + (", computed" if each.computed else ""),
            duration(each.before),
            duration(each.after),
            f"×{each.change.ratio.estimate:.3f}",
            f"{each.change.ratio.low:.3f} to {each.change.ratio.high:.3f}",
            each.change.verdict + (" !" if each.regression else ""),
        ]
        for each in shown
    ]
    notes = [
        *_notes(found, threshold),
        *losses([before.manifest, after.manifest], {each.cell[0] for each in shown}),
        *(f"{side.name}: {NOTE}" for side in (before, after) if side.manifest.version <= LAST_VERSION),
    ]
    headings = ["codec", "workload", "operation", "before", "after", "ratio", "95 % interval", "verdict"]
    return Table(f"{before.name} → {after.name}", headings, body, frozenset(range(3, 7)), notes)


def _notes(found: RunComparison, threshold: float) -> Iterator[str]:
    count = Counter(each.change.verdict for each in found.cells)
    regressions = sum(each.regression for each in found.cells)
    yield (
        f"{len(found.cells)} cells: {count['slower']} slower, {count['faster']} faster, "
        f"{count['too close to call']} too close to call; "
        f"{regressions} slower by more than {100 * threshold:g} % (!). A ratio above 1 means slower; 95 % "
        "confidence over all cells together (Holm)."
    )
    comparison = found.comparison
    if comparison.controls < CONTROLS:
        yield (
            "Too few cells run the same program in both runs to estimate the machine's drift, so ratios "
            "include it."
        )
    else:
        yield (
            f"{comparison.controls} cells run the same program in both runs. They changed by "
            f"×{comparison.drift:.3f}, which is divided out, ±{100 * comparison.spread:.1f} %, which is "
            "added to every interval."
        )
    if found.machines:
        yield f"The runs are from different machines: {found.machines}. Ratios include that difference."
    if found.apart:
        yield (
            f"Several machines shared a run. How far they are apart, up to ±{100 * found.apart:.1f} %, "
            "is in every interval, even where the same machines measured both."
        )
    yield from _distrust(found.cells)
    for unit, (old, new) in found.sizes.items():
        yield f"size of {' '.join(filter(None, unit))}: {old:,} → {new:,} bytes"
    if found.only_in_one:
        names = ", ".join(" ".join(filter(None, cell)) for cell in found.only_in_one[:5])
        more = f" and {len(found.only_in_one) - 5} more" if len(found.only_in_one) > 5 else ""
        yield f"Only in one of the runs: {names}{more}."
    yield from found.notes


def _distrust(cells: Sequence[Compared]) -> Iterator[str]:
    """Notes on the differences that no codec caused."""
    if distrusted := sum(each.change.verdict == "unreliable" for each in cells):
        which = "All" if distrusted == len(cells) else f"{distrusted} of {len(cells)}"
        yield (
            f"{which} cells are unreliable: in one of the runs, other processes disturbed more than half of "
            "their rounds. No verdict is given on them, and their ratios include changes of the machine's "
            "speed. Measure that run again."
        )
    if found := sum(each.same and each.change.verdict in ("faster", "slower") for each in cells):
        yield (
            f"{found} of the cells that changed run the same program in both runs, so the machine caused the "
            "change; this is no regression."
        )

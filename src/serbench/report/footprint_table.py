"""The cost of a pass of each cell besides time: instructions, allocations and peak memory, each in one table
for each workload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from serbench.languages import title_of
from serbench.measure.events import Allocations, FootprintFailure, Footprints, Instructions, Peak
from serbench.measure.footprint import FIGURES
from serbench.measure.store import Run
from serbench.report.figures import Figures, outcome_of
from serbench.report.lossy import marked
from serbench.report.metric_table import METRICS, metric_tables
from serbench.report.notes import without_figures
from serbench.report.rows import contenders_of
from serbench.report.table import Table, terminal_width
from serbench.selecting.selection import OPERATIONS
from serbench.stats.stopping import Cell

_RATIOS = {
    "instructions_per_pass": "instructions_ratio",
    "allocations_per_pass": "allocations_ratio",
    "allocated_bytes_per_pass": "allocated_bytes_ratio",
    "peak_bytes": "peak_bytes_ratio",
}
"""The values that a cell can have → their ratios to the least."""

_Taken = Instructions | Allocations | Peak | FootprintFailure


def footprints_of(run: Run) -> list[Figures]:
    """The footprints of a run, with failed ones: ordered by workload, operation, codec and compiler."""
    asked: list[str] = []
    found: dict[Cell, list[_Taken]] = {}
    for event in run.taken.costs:
        match event:
            case Footprints():
                asked = [
                    operation for operation in event.operations if operation.partition(":")[0] in OPERATIONS
                ]
            case Instructions() | Allocations() | Peak() | FootprintFailure():
                found.setdefault(event.cell, []).append(event)
    footprints: list[Figures] = []
    for workload in run.manifest.workloads:
        for operation in sorted(asked, key=_order_of_operation):
            cells = [(codec, workload, compiler, operation) for codec, compiler in contenders_of(run)]
            footprints += _with_ratios([_footprint(run, cell, found.get(cell, ())) for cell in cells])
    return footprints


def _order_of_operation(cell: str) -> tuple[int, bool]:
    name, _, memory = cell.partition(":")
    return (list(OPERATIONS).index(name), memory == "fresh")


def _footprint(run: Run, cell: Cell, events: Sequence[_Taken]) -> Figures:
    """The figures that the events of a cell and of its unit tell."""
    codec, workload, compiler, operation = cell
    name, _, memory = operation.partition(":")
    manifest = run.manifest
    apart = codec in (*manifest.floors, *manifest.references)
    status, reason = outcome_of(run.taken.units.get(cell[:3]), name)
    footprint = Figures(codec, workload, name, memory, status, reason, compiler, apart=apart)
    if status != "ok":
        return footprint
    wanted = [figure for metric in manifest.metrics for figure in FIGURES.get(metric, ())]
    missing = dict.fromkeys(wanted, "the run stopped before it was measured")
    values: dict[str, Any] = {}
    for event in events:
        if isinstance(event, FootprintFailure):
            missing[event.figure] = event.reason
            continue
        missing.pop(str(event.__struct_config__.tag), None)
        values |= {value: getattr(event, value) for value in _RATIOS if hasattr(event, value)}
        if isinstance(event, Instructions):
            values["instructions_by"] = event.tool
    if "allocations" in missing and cell in run.taken.cells and run.taken.cells[cell].allocated:
        values["allocated_bytes_per_pass"] = median(run.taken.cells[cell].allocated)
        missing["allocations"] = f"{title_of(codec.partition('/')[0])} counts bytes only"
    return replace(footprint, values=values | {f"no_{figure}": why for figure, why in missing.items()})


def _with_ratios(footprints: Sequence[Figures]) -> Iterator[Figures]:
    """The footprints of one workload and operation, with ratios to the least value of a contender where that
    is not 0. Floors and references are no contenders."""
    least = {
        name: min((f.values[name] for f in footprints if name in f.values and not f.apart), default=0)
        for name in _RATIOS
    }
    for footprint in footprints:
        values: dict[str, Any] = {}
        for name, ratio in _RATIOS.items():
            if name in footprint.values:
                values[name] = footprint.values[name]
                values |= {ratio: values[name] / least[name]} if least[name] > 0 else {}
        yield replace(footprint, values=values | {**footprint.values})


def footprint_tables(run: Run, footprints: Sequence[Figures], width: int | None = None) -> list[Table]:
    """A table of each metric for each workload, split where its operations do not fit ``width`` columns (the
    terminal's for None)."""
    if not footprints:
        return []
    manifest = run.manifest
    told = next(event for event in reversed(run.taken.costs) if isinstance(event, Footprints))
    operations = list(dict.fromkeys(f.cell for f in footprints))
    tables: list[Table] = []
    for workload in manifest.workloads:
        own = [f for f in footprints if f.workload == workload]
        lines: dict[str, dict[str, Figures]] = {}
        for each in own:
            lines.setdefault(marked(each.name, each.codec, manifest), {})[each.cell] = each
        for metric in FIGURES:
            if metric in manifest.metrics:
                room = width or terminal_width()
                tables += metric_tables(METRICS[metric], workload, lines, operations, room)
                tables[-1].notes += _missing(told, own, metric)
                tables[-1].notes += _legend(told, metric) if workload == manifest.workloads[-1] else []
    if tables and "time" not in manifest.metrics:
        if not run.taken.ended:
            tables[-1].notes.insert(0, "This run is not finished: it was stopped or is still going on.")
        toolchains = [t for t in manifest.toolchains if not t.missing]
        tables[-1].notes += [f"run {run.id}", *(f"{t.compiler} · {t.flags}" for t in toolchains)]
    return tables


def _legend(told: Footprints, metric: str) -> Iterator[str]:
    """The meaning of the columns; ``told`` is the event that says what counted."""
    if metric == "memory":
        yield (
            "allocations and bytes: what one pass requests from malloc and similar functions, whether freed "
            "or not; counted in a separate executable, linked from the same object files, that is never "
            "timed."
        )
        yield (
            "peak: resident memory of a process that does only this operation, including its program, data "
            "and domain objects. × is relative to the least; left out where that is 0."
        )
    elif told.instructions:
        yield (
            f"Counted by {told.instructions} as the difference between two processes with fewer and "
            "more passes, which leaves out startup and preparation; other load on the machine does not "
            "change it. × is relative to the least."
        )
        if "valgrind" in told.instructions:
            yield (
                "valgrind simulates a processor without AVX-512: a library that uses it is counted on "
                "another code path. Large blocks are copied with vector instructions, since valgrind counts "
                "rep movsb once per byte."
            )


def _missing(told: Footprints, footprints: Sequence[Figures], metric: str) -> list[str]:
    """Why figures are missing: a line for a tool that is not there, then one for each other reason."""
    tool = told.missing
    rows = [f for f in footprints if f.status != "ok"]
    rows += [
        replace(f, status=f"no_{figure}", reason=reason)
        for f in footprints
        for figure in FIGURES[metric]
        if (reason := f.values.get(f"no_{figure}", tool)) != tool
    ]
    absent = [
        f"No {figure}: {tool}"
        for figure in FIGURES[metric]
        if tool and any(f.values.get(f"no_{figure}") == tool for f in footprints)
    ]
    return absent + without_figures(rows, len({f.cell for f in footprints}))

"""Tables of what a pass takes besides time: instructions, allocations and peak memory, for each workload."""

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
from serbench.report.notes import UNFINISHED, without_figures
from serbench.report.rows import contenders_of
from serbench.report.table import Table, terminal_width
from serbench.selecting.selection import OPERATIONS, POLICIES
from serbench.stats.stopping import Cell

_VALUES = ("instructions_per_pass", "allocations_per_pass", "allocated_bytes_per_pass", "peak_bytes")
"""The values that a cell can have."""

_CELLS = [f"{name}:{memory}" for name in OPERATIONS for memory in POLICIES]

_Taken = Instructions | Allocations | Peak | FootprintFailure


def footprints_of(run: Run) -> list[Figures]:
    """The footprints of a run, with failed ones: ordered by workload, operation, codec and compiler."""
    asked: list[str] = []
    found: dict[Cell, list[_Taken]] = {}
    for event in run.taken.costs:
        match event:
            case Footprints():
                asked = [each for each in event.operations if each in _CELLS]
            case Instructions() | Allocations() | Peak() | FootprintFailure():
                found.setdefault(event.cell, []).append(event)
    footprints: list[Figures] = []
    for workload in run.manifest.workloads:
        for operation in sorted(asked, key=_CELLS.index):
            cells = [(codec, workload, compiler, operation) for codec, compiler in contenders_of(run)]
            footprints += _with_ratios([_footprint(run, cell, found.get(cell, ())) for cell in cells])
    return footprints


def _footprint(run: Run, cell: Cell, events: Sequence[_Taken]) -> Figures:
    """The figures of one cell, from the events about the cell and its unit."""
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
        values |= {value: getattr(event, value) for value in _VALUES if hasattr(event, value)}
        if isinstance(event, Instructions):
            values["instructions_by"] = event.tool
    if "allocations" in missing and cell in run.taken.cells and run.taken.cells[cell].allocated:
        values["allocated_bytes_per_pass"] = median(run.taken.cells[cell].allocated)
        missing["allocations"] = f"{title_of(codec.partition('/')[0])} counts bytes only"
    return replace(footprint, values=values | {f"no_{figure}": why for figure, why in missing.items()})


def _with_ratios(footprints: Sequence[Figures]) -> Iterator[Figures]:
    """The footprints of one workload and operation with their ratios to the least value of a contender, if
    that is not 0. Floors and references are no contenders."""
    least = {
        name: min((f.values[name] for f in footprints if name in f.values and not f.apart), default=0)
        for name in _VALUES
    }
    for footprint in footprints:
        values: dict[str, Any] = {}
        for name in _VALUES:
            if name in footprint.values:
                values[name] = footprint.values[name]
                if least[name] > 0:
                    values[f"{name.removesuffix('_per_pass')}_ratio"] = values[name] / least[name]
        yield replace(footprint, values=values | {**footprint.values})


def footprint_tables(run: Run, footprints: Sequence[Figures], width: int | None = None) -> list[Table]:
    """Tables of each metric for each workload that fit ``width`` columns, the terminal's for None."""
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
            tables[-1].notes.insert(0, UNFINISHED)
        toolchains = [t for t in manifest.toolchains if not t.missing]
        tables[-1].notes += [f"run {run.id}", *(f"{t.compiler} · {t.flags}" for t in toolchains)]
    return tables


def _legend(told: Footprints, metric: str) -> Iterator[str]:
    """Notes on the meaning of the columns; ``told`` is the event that says which tools counted."""
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
    """Notes on why figures are missing: a line for a missing tool, then one for each other reason."""
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

"""What a pass of each cell takes besides time: instructions, allocations and peak memory, each in one table
for each workload."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from serbench.languages import title_of
from serbench.measure.events import Allocations, FootprintFailure, Footprints, Instructions, Peak, UnitEvent
from serbench.measure.footprint import FIGURES
from serbench.measure.store import Run
from serbench.report.lossy import marked
from serbench.report.notes import notes_of
from serbench.report.numbers import count, quantity, rounded
from serbench.report.rows import Row, contenders_of
from serbench.report.table import Table, fitting, terminal_width
from serbench.selecting.selection import OPERATIONS
from serbench.stats.stopping import Cell

_VALUES = {
    "instructions": "instructions_per_pass",
    "allocations": "allocations_per_pass",
    "bytes": "allocated_bytes_per_pass",
    "peak": "peak_bytes",
}
"""The figures that a cell can have → their names in events and in JSON."""

Figure = Instructions | Allocations | Peak

_INSTRUCTION_DIGITS = 4
"""How many digits are shown: figures agree within 0.1 % from one run to the next."""


@dataclass
class Footprint:
    """What one pass of one cell takes.

    Attributes:
        status: as a row has it; ``reason`` says why it is not ``ok``.
        values: by the names of ``_VALUES``; for those that are missing, ``reasons`` has why, by figure
            (``FIGURES``).
        ratios: each value divided by the least that a contender has for the same workload, operation and
            memory policy; left out where that is 0.
        tools: the tool that counted, by figure.
    """

    codec: str
    workload: str
    compiler: str
    operation: str
    memory: str
    apart: bool = False
    status: str = "ok"
    reason: str = ""
    values: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def cell(self) -> str:
        """Operation and memory policy."""
        return f"{self.operation}:{self.memory}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``; absent ones left out."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "compiler": self.compiler,
            "operation": self.operation,
            "memory": self.memory,
            "status": self.status,
            "reason": self.reason,
        }
        for value, key in _VALUES.items():
            if value in self.values:
                data[key] = round(self.values[value], 3)
            if value in self.ratios:
                data[f"{key.removesuffix('_per_pass')}_ratio"] = round(self.ratios[value], 5)
        data |= {f"{figure}_by": tool for figure, tool in self.tools.items()}
        return data | {f"no_{figure}": reason for figure, reason in self.reasons.items()}

    def to_row(self, status: str, reason: str) -> Row:
        """A row that says why something is missing, for the notes below a table."""
        return Row(self.codec, self.workload, self.operation, self.memory, status, reason, self.compiler)


def footprints_of(run: Run) -> list[Footprint]:
    """The footprints of a run, with failed ones: ordered by workload, operation, codec and compiler."""
    taken = run.taken
    asked: list[str] = []
    found: dict[Cell, list[Figure | FootprintFailure]] = {}
    for event in taken.costs:
        match event:
            case Footprints():
                asked = [
                    operation for operation in event.operations if operation.partition(":")[0] in OPERATIONS
                ]
            case Instructions() | Allocations() | Peak() | FootprintFailure():
                found.setdefault(event.cell, []).append(event)
    footprints = []
    apart = {*run.manifest.floors, *run.manifest.references}
    for workload in run.manifest.workloads:
        for operation in sorted(asked, key=_order_of_operation):
            own = []
            for codec, compiler in contenders_of(run):
                name, _, memory = operation.partition(":")
                footprint = Footprint(codec, workload, compiler, name, memory, codec in apart)
                cell = (codec, workload, compiler, operation)
                _fill(footprint, taken.units.get(cell[:3]), found.get(cell, ()), run.manifest.metrics)
                if "allocations" in footprint.reasons and cell in taken.cells and taken.cells[cell].allocated:
                    footprint.values["bytes"] = median(taken.cells[cell].allocated)
                    footprint.reasons["allocations"] = (
                        f"{title_of(codec.partition('/')[0])} counts bytes only"
                    )
                own.append(footprint)
            _set_ratios(own)
            footprints += own
    return footprints


def _order_of_operation(cell: str) -> tuple[int, bool]:
    name, _, memory = cell.partition(":")
    return (list(OPERATIONS).index(name), memory == "fresh")


def _fill(
    footprint: Footprint,
    unit: UnitEvent | None,
    events: Iterable[Figure | FootprintFailure],
    metrics: Sequence[str],
) -> None:
    """Gives a footprint what the events of its cell and of its unit say."""
    if unit is None:
        footprint.status, footprint.reason = "failed", "the run stopped before this codec was verified"
        return
    footprint.status, footprint.reason = unit.status, unit.reason
    if unit.status != "ok":
        return
    if footprint.operation not in unit.operations:
        footprint.status, footprint.reason = "unsupported", f"offers no {footprint.operation}"
        return
    wanted = [figure for metric in metrics for figure in FIGURES.get(metric, ())]
    footprint.reasons = dict.fromkeys(wanted, "the run stopped before it was measured")
    for event in events:
        if isinstance(event, FootprintFailure):
            footprint.reasons[event.figure] = event.reason
            continue
        figure = str(event.__struct_config__.tag)
        footprint.reasons.pop(figure, None)
        footprint.values |= {
            value: getattr(event, key) for value, key in _VALUES.items() if hasattr(event, key)
        }
        if isinstance(event, Instructions):
            footprint.tools[figure] = event.tool


def _set_ratios(footprints: Sequence[Footprint]) -> None:
    """Sets the ratios to the least value of one workload and operation; floors and references are no
    contenders."""
    for value in _VALUES:
        least = min((f.values[value] for f in footprints if value in f.values and not f.apart), default=0)
        for footprint in footprints:
            if value in footprint.values and least > 0:
                footprint.ratios[value] = footprint.values[value] / least


def footprint_tables(run: Run, footprints: Sequence[Footprint], width: int | None = None) -> list[Table]:
    """A table of each metric for each workload, split where its operations do not fit ``width`` columns (the
    terminal's for None)."""
    if not footprints:
        return []
    tools = next(event for event in reversed(run.taken.costs) if isinstance(event, Footprints))
    tables: list[Table] = []
    for workload in run.manifest.workloads:
        own = [f for f in footprints if f.workload == workload]
        for metric in FIGURES:
            if metric in run.manifest.metrics:
                tables += _fitting(run, own, metric, width or terminal_width())
                tables[-1].notes += _missing(tools, own, metric)
                tables[-1].notes += _legend(tools, metric) if workload == run.manifest.workloads[-1] else []
    if tables and "time" not in run.manifest.metrics:
        if not run.taken.ended:
            tables[-1].notes.insert(0, "This run is not finished: it was stopped or is still going on.")
        toolchains = [t for t in run.manifest.toolchains if not t.missing]
        tables[-1].notes += [f"run {run.id}", *(f"{t.compiler} · {t.flags}" for t in toolchains)]
    return tables


_Shown = Callable[[Footprint], str]


def _ratio(value: str, digits: int = 3) -> _Shown:
    return lambda f: f"×{rounded(f.ratios[value], digits)}" if value in f.ratios else ""


def _value(value: str, show: Callable[[float], str]) -> _Shown:
    return lambda f: show(f.values[value]) if value in f.values else "–"


def _allocations(per_pass: float) -> str:
    """A number of allocations; what grows only now and then gives a fraction."""
    if per_pass >= 1e6:
        return quantity(per_pass, 3)
    if per_pass == int(per_pass):
        return count(int(per_pass))
    return f"{per_pass:,.1f}" if per_pass >= 0.05 else "<0.1"


def _bytes(value: float) -> str:
    return quantity(value, 3, "B")


def _peak(value: float) -> str:
    """Bytes in MB with one digit behind the point: they vary by as much, since the system maps a varying
    number of a program's unused pages."""
    return f"{value / 1e6:,.1f} MB"


_INSTRUCTIONS = ("", _value("instructions", lambda n: quantity(n, _INSTRUCTION_DIGITS)))
_MEMORY = (
    ("allocations", _value("allocations", _allocations)),
    ("bytes", _value("bytes", _bytes)),
    ("peak", _value("peak", _peak)),
)
_LAYOUTS: dict[str, Sequence[Sequence[tuple[str, _Shown]]]] = {
    "instructions": ((_INSTRUCTIONS, ("×least", _ratio("instructions"))), (_INSTRUCTIONS,)),
    "memory": (
        (*_MEMORY[:2], ("×least", _ratio("bytes")), _MEMORY[2], ("×least", _ratio("peak", 2))),
        _MEMORY,
    ),
}
"""Metric → the layouts of what an operation's columns show, the fullest first; the first that fits is
taken."""


def _fitting(run: Run, footprints: Sequence[Footprint], metric: str, room: int) -> list[Table]:
    """The tables that fit ``room`` columns: as few as possible, then as full as possible."""
    operations = list(dict.fromkeys(f.cell for f in footprints))
    layouts = [
        [
            _table(run, footprints, metric, operations[n : n + per_table], columns)
            for n in range(0, len(operations), per_table)
        ]
        for per_table in range(len(operations), 0, -1)
        for columns in _LAYOUTS[metric]
    ]
    return list(fitting(layouts, room))


def _table(
    run: Run,
    footprints: Sequence[Footprint],
    metric: str,
    operations: Sequence[str],
    columns: Sequence[tuple[str, _Shown]],
) -> Table:
    cells = {(f.name, f.cell): f for f in footprints}
    codecs = {f.name: f.codec for f in footprints}
    wanted = _values_of(metric)
    names = dict.fromkeys(f.name for f in footprints if f.cell in operations and f.values.keys() & wanted)
    headings = ["codec"]
    for operation in operations:
        what, _, memory = operation.partition(":")
        (first, _), *others = columns
        top = "\n".join(filter(None, (what, memory, first)))
        headings += [top, *("\n" * top.count("\n") + title for title, _ in others)]
    body = []
    for name in sorted(names, key=lambda name: _order([cells[name, o] for o in operations], metric)):
        shown_name = marked(name, codecs[name], run.manifest)
        body.append(
            [shown_name, *(shown(cells[name, operation]) for operation in operations for _, shown in columns)]
        )
    title = (
        f"{footprints[0].workload}: {'instructions' if metric == 'instructions' else 'memory'} "
        "of one pass over all messages"
    )
    return Table(title, headings, body, frozenset(range(1, len(headings))))


def _values_of(metric: str) -> set[str]:
    return {"instructions"} if metric == "instructions" else {"allocations", "bytes", "peak"}


def _order(footprints: Sequence[Footprint], metric: str) -> tuple[bool, float, float]:
    """A key that sorts floors and references first, then the least: by the geometric mean of the ratios, or
    by what is allocated, then by the peak."""
    contends = not any(f.apart for f in footprints)
    if metric == "instructions":
        ratios = [f.ratios["instructions"] for f in footprints if "instructions" in f.ratios]
        return (contends, math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf, 0.0)
    allocated = [f.values["bytes"] for f in footprints if "bytes" in f.values]
    peaks = [f.values["peak"] for f in footprints if "peak" in f.values]
    return (contends, sum(allocated) if allocated else math.inf, max(peaks, default=math.inf))


def _legend(tools: Footprints, metric: str) -> list[str]:
    """What the columns mean; ``tools`` is the event that says what counted."""
    lines = []
    if metric == "instructions":
        if tools.instructions:
            lines.append(
                f"Counted by {tools.instructions} as the difference between two processes with fewer and "
                "more passes, which leaves out startup and preparation; other load on the machine does not "
                "change it. × is relative to the least."
            )
        if "valgrind" in tools.instructions:
            lines.append(
                "valgrind simulates a processor without AVX-512: a library that uses it is counted on "
                "another code path. Large blocks are copied with vector instructions, since valgrind counts "
                "rep movsb once per byte."
            )
        return lines
    return [
        "allocations and bytes: what one pass requests from malloc and similar functions, whether freed or "
        "not; counted in a separate executable, linked from the same object files, that is never timed.",
        "peak: resident memory of a process that does only this operation, including its program, data and "
        "domain objects. × is relative to the least; left out where that is 0.",
    ]


def _missing(tools: Footprints, footprints: Sequence[Footprint], metric: str) -> list[str]:
    """Why figures are missing: one line for a tool that is not there, then one for each reason of some
    cells."""
    missing = tools.missing
    rows = [f.to_row(f.status, f.reason) for f in footprints if f.status != "ok"]
    rows += [
        f.to_row(f"no_{e}", f.reasons[e])
        for f in footprints
        for e in FIGURES[metric]
        if f.reasons.get(e, missing) != missing
    ]
    absent = [
        f"No {event}: {missing}"
        for event in FIGURES[metric]
        if missing and any(f.reasons.get(event) == missing for f in footprints)
    ]
    return absent + notes_of(rows, len({f.cell for f in footprints}))

"""The tables of a run: one per workload, codecs in rows, operations in columns, the best first."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence

from serbench.measure.store import Run
from serbench.report.numbers import count, duration, ratio, spread
from serbench.report.rows import Row, rows_of
from serbench.report.table import Table

_CODEC_WIDTH, _SIZE_WIDTH = 24, 12
_FULL_CELL, _SHORT_CELL = 28, 17


def run_tables(run: Run, rows: Sequence[Row], width: int | None = None) -> list[Table]:
    """Tables that fit ``width`` columns (the terminal's for None); more operations than fit are split over several."""
    room = (width or shutil.get_terminal_size((120, 24)).columns) - _CODEC_WIDTH - _SIZE_WIDTH
    operations: list[str] = run.manifest["operations"]
    full = len(operations) * _FULL_CELL <= room
    per_table = max(1, room // (_FULL_CELL if full else _SHORT_CELL))
    tables = []
    for workload in run.manifest["workloads"]:
        of_workload = [r for r in rows if r.workload == workload]
        for n in range(0, len(operations), per_table):
            tables.append(_table(run, workload, of_workload, operations[n : n + per_table], full))
        tables[-1].notes += _notes(run, workload, of_workload)
    if tables:
        tables[-1].notes += _legend(run)
    return tables


def _table(run: Run, workload: str, rows: Sequence[Row], operations: Sequence[str], full: bool) -> Table:
    cells = {(r.codec, f"{r.operation}:{r.memory}"): r for r in rows}
    measured = {r.codec for r in rows if r.time and f"{r.operation}:{r.memory}" in operations}
    codecs = sorted(measured, key=lambda codec: _order([cells[codec, o] for o in operations]))
    headings = ["codec", "size"]
    for operation in operations:
        name, _, memory = operation.partition(":")
        headings += [f"{name}\n{memory}", "×best", "#"] if not full else [f"{name} ({memory})", "±", "×best", "#"]
    body = []
    for codec in codecs:
        line = [codec, count(next((r.size_bytes for r in rows if r.codec == codec), None))]
        for operation in operations:
            line += _cell(cells[codec, operation], full)
        body.append(line)
    dataset = run.manifest["datasets"].get(workload, {})
    messages = dataset.get("messages", 1)
    plural = "s" if messages != 1 else ""
    title = f"{workload}: {count(messages)} message{plural}, {count(dataset.get('canonical_bytes'))} canonical bytes"
    return Table(title, headings, body, frozenset(range(1, len(headings))))


def _cell(row: Row, full: bool) -> list[str]:
    if not (row.time and row.ratio):
        return ["–" if row.status == "unsupported" else row.status, *([""] * (3 if full else 2))]
    rank = "" if row.rank == 0 else str(row.rank)
    times = [duration(row.time), spread(row.time)] if full else [duration(row.time)]
    return [*times, ratio(row.ratio), rank]


def _order(rows: Sequence[Row]) -> tuple[bool, float]:
    """The floor first, then by the geometric mean of the ratios to the best."""
    ratios = [r.ratio.median for r in rows if r.ratio]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    return (not any(r.floor for r in rows), mean)


def _notes(run: Run, workload: str, rows: Sequence[Row]) -> list[str]:
    """One line for each codec and reason why a cell has no figure."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row.status not in ("ok",):
            grouped.setdefault((row.codec, row.status, row.reason), []).append(f"{row.operation}:{row.memory}")
    notes = []
    for (codec, status, reason), operations in grouped.items():
        everything = len(operations) == len(run.manifest["operations"])
        where = codec if everything else f"{codec} {', '.join(operations)}"
        notes.append(f"{where}: {status.replace('_', ' ')}: {reason}")
    return notes


def _legend(run: Run) -> list[str]:
    manifest = run.manifest
    lines = [
        "Times: one pass over all messages, median over rounds; ± half of the 95 % interval; × to the best, paired by round. "
        "Equal # means not separated. reuse: buffers and objects are used again; fresh: made anew for each message.",
        f"run {run.id} · {manifest['machine']['processor']} · {manifest['compiler']} · {manifest['flags']}",
    ]
    if manifest.get("floors"):
        lines.insert(1, f"{', '.join(manifest['floors'])}: the floor, a mere copy; it is no contender and has no rank.")
    return lines


def tables_of(run: Run, width: int | None = None) -> tuple[list[Table], list[Row]]:
    """The tables of a run and the rows behind them."""
    rows = rows_of(run)
    return run_tables(run, rows, width), rows

"""The rows of a run: one per cell, whatever became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from serbench.measure.store import Run
from serbench.stats.summary import Interval, Rounds, Standing, median_interval, paired_ratio, round_figures, standings


@dataclass(frozen=True)
class Row:
    """One cell of a run.

    Attributes:
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not ``ok``.
        size_bytes: bytes of all encoded messages together.
        time: nanoseconds of one pass over all messages; None where nothing was measured.
        ratio: to the best codec of the same workload, operation and memory policy, paired by round.
        rank: of the tie group, from 1; 0 for the floor, which is no contender.
    """

    codec: str
    workload: str
    operation: str
    memory: str
    status: str
    reason: str
    floor: bool = False
    size_bytes: int | None = None
    messages: int | None = None
    time: Interval | None = None
    ratio: Interval | None = None
    rank: int | None = None
    rounds: int = 0
    samples: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``; times in nanoseconds, absent ones left out."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "operation": self.operation,
            "memory": self.memory,
            "status": self.status,
            "reason": self.reason,
            "size_bytes": self.size_bytes,
            "messages": self.messages,
        }
        if self.time and self.ratio:
            data |= {
                "median_ns": round(self.time.median, 3),
                "interval_ns": [round(self.time.low, 3), round(self.time.high, 3)],
                "ratio_best": round(self.ratio.median, 5),
                "ratio_interval": [round(self.ratio.low, 5), round(self.ratio.high, 5)],
                "rank": self.rank,
                "rounds": self.rounds,
                "samples": self.samples,
                "coverage": round(self.time.coverage, 4),
            }
        return data


Cell = tuple[str, str, str]
"""Codec, workload, and operation with memory policy."""


def rows_of(run: Run) -> list[Row]:
    """The rows of a run in the order of its plan: workloads, then codecs, then operations."""
    samples: dict[Cell, list[tuple[int, float]]] = {}
    failures: dict[Cell, str] = {}
    units: dict[tuple[str, str], dict[str, Any]] = {}
    for event in run.events():
        match event["event"]:
            case "unit":
                units[event["codec"], event["workload"]] = event
            case "sample":
                cell = (event["codec"], event["workload"], f"{event['operation']}:{event['memory']}")
                samples.setdefault(cell, []).append((event["round"], event["elapsed_ns"] / event["iterations"]))
            case "failure":
                failures[event["codec"], event["workload"], f"{event['operation']}:{event['memory']}"] = event["reason"]
    figures = {cell: round_figures(taken) for cell, taken in samples.items() if cell not in failures}
    rows: list[Row] = []
    for workload in run.manifest["workloads"]:
        for operation in run.manifest["operations"]:
            table = [
                _row(run, units.get((codec, workload)), (codec, workload, operation), figures, samples, failures)
                for codec in run.manifest["codecs"]
            ]
            rows += _with_standings(table, {r.codec: figures[r.codec, workload, operation] for r in table if r.time})
    return rows


def _row(
    run: Run,
    unit: dict[str, Any] | None,
    cell: Cell,
    figures: dict[Cell, dict[int, float]],
    samples: dict[Cell, list[tuple[int, float]]],
    failures: dict[Cell, str],
) -> Row:
    codec, workload, operation = cell
    name, _, memory = operation.partition(":")
    known = unit or {}
    status, reason = known.get("status", "failed"), known.get("reason", "the run ended before this codec was verified")
    if status == "ok" and name not in known["operations"]:
        status, reason = "unsupported", f"offers no {name}"
    elif cell in failures:
        status, reason = "failed", failures[cell]
    elif status == "ok" and cell not in figures:
        status, reason = "failed", "the run ended before it was measured"
    measured = figures.get(cell) if status == "ok" else None
    return Row(
        codec=codec,
        workload=workload,
        operation=name,
        memory=memory,
        status=status,
        reason="" if status == "ok" else reason,
        floor=codec in run.manifest.get("floors", ()),
        size_bytes=known.get("size_bytes"),
        messages=known.get("messages"),
        time=median_interval(list(measured.values())) if measured else None,
        rounds=len(measured or ()),
        samples=len(samples.get(cell, ())),
    )


def _with_standings(table: list[Row], figures: dict[str, Rounds]) -> Iterable[Row]:
    """The same rows with ranks and ratios; the floor is measured against the best, but does not compete."""
    contenders = standings({r.codec: figures[r.codec] for r in table if r.time and not r.floor})
    best = next((name for name, s in contenders.items() if s.ratio.median == 1 and s.rank == 1), None)
    for row in table:
        standing = contenders.get(row.codec)
        if row.time and row.floor:
            ratio = paired_ratio(figures[row.codec], figures[best] if best else figures[row.codec])
            standing = Standing(0, ratio) if ratio else None
        yield Row(**{**row.__dict__, "ratio": standing.ratio, "rank": standing.rank}) if standing else row

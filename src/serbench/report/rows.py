"""The rows of a run: one per cell, whatever became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from serbench.measure.run import Cell
from serbench.measure.store import Run
from serbench.stats.summary import Interval, Rounds, Standing, median_interval, paired_ratio, round_figures, standings


@dataclass(frozen=True)
class Row:
    """One cell of a run.

    Attributes:
        compiler: empty where its language has one only.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not ``ok``.
        size_bytes: bytes of all encoded messages together.
        time: nanoseconds of one pass over all messages; None where nothing was measured.
        mean_ns: of all samples, as others publish; not what codecs are ranked by.
        ratio: to the best codec of the same workload, operation and memory policy, paired by round.
        unsettled: rounds in which times had not settled when the warm-up ended; 0 where a fixed count left no warm-up.
        rank: of the tie group, from 1; 0 for the floor, which is no contender.
    """

    codec: str
    workload: str
    operation: str
    memory: str
    status: str
    reason: str
    compiler: str = ""
    floor: bool = False
    size_bytes: int | None = None
    messages: int | None = None
    time: Interval | None = None
    mean_ns: float | None = None
    ratio: Interval | None = None
    rank: int | None = None
    rounds: int = 0
    samples: int = 0
    unsettled: int = 0

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several: who contends in a table."""
        return f"{self.codec} {self.compiler}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``; times in nanoseconds, absent ones left out."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "compiler": self.compiler,
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
                "mean_ns": round(self.mean_ns or 0.0, 3),
                "interval_ns": [round(self.time.low, 3), round(self.time.high, 3)],
                "ratio_best": round(self.ratio.median, 5),
                "ratio_interval": [round(self.ratio.low, 5), round(self.ratio.high, 5)],
                "rank": self.rank,
                "rounds": self.rounds,
                "samples": self.samples,
                "unsettled_rounds": self.unsettled,
                "coverage": round(self.time.coverage, 4),
            }
        return data


Contender = tuple[str, str]
"""Codec and compiler."""


def contenders_of(run: Run) -> list[Contender]:
    """Every codec variant of a run with every compiler of its language, named only where there are several."""
    contenders = []
    for codec in run.manifest["codecs"]:
        language = codec.partition("/")[0]
        compilers = [t["name"] for t in run.manifest["toolchains"] if t["language"] == language]
        contenders += [(codec, compiler) for compiler in (compilers if len(compilers) > 1 else [""])]
    return contenders


def rows_of(run: Run) -> list[Row]:
    """The rows of a run in the order of its plan: workloads, then operations, then codecs and compilers."""
    samples: dict[Cell, list[tuple[int, float]]] = {}
    unsettled: dict[Cell, set[int]] = {}
    failures: dict[Cell, str] = {}
    units: dict[tuple[str, str, str], dict[str, Any]] = {}
    for event in run.events():
        match event["event"]:
            case "unit":
                units[event["codec"], event["workload"], event["compiler"]] = event
            case "sample":
                samples.setdefault(_cell(event), []).append((event["round"], event["elapsed_ns"] / event["iterations"]))
                if event.get("settled") is False and not run.manifest.get("iterations"):
                    unsettled.setdefault(_cell(event), set()).add(event["round"])
            case "failure":
                failures[_cell(event)] = event["reason"]
    figures = {cell: round_figures(taken) for cell, taken in samples.items() if cell not in failures}
    rows: list[Row] = []
    for workload in run.manifest["workloads"]:
        for operation in run.manifest["operations"]:
            cells = [(codec, workload, compiler, operation) for codec, compiler in contenders_of(run)]
            table = [
                replace(_row(run, units.get(cell[:3]), cell, figures, samples, failures), unsettled=len(unsettled.get(cell, ())))
                for cell in cells
            ]
            rows += _with_standings(table, {row.name: figures[cell] for row, cell in zip(table, cells, strict=True) if row.time})
    return rows


def _cell(event: dict[str, Any]) -> Cell:
    return (event["codec"], event["workload"], event["compiler"], f"{event['operation']}:{event['memory']}")


def _row(
    run: Run,
    unit: dict[str, Any] | None,
    cell: Cell,
    figures: dict[Cell, dict[int, float]],
    samples: dict[Cell, list[tuple[int, float]]],
    failures: dict[Cell, str],
) -> Row:
    codec, workload, compiler, operation = cell
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
        compiler=compiler,
        floor=codec in run.manifest.get("floors", ()),
        size_bytes=known.get("size_bytes"),
        messages=known.get("messages"),
        time=median_interval(list(measured.values())) if measured else None,
        mean_ns=fmean(ns for _, ns in samples[cell]) if measured else None,
        rounds=len(measured or ()),
        samples=len(samples.get(cell, ())),
    )


def _with_standings(table: list[Row], figures: dict[str, Rounds]) -> Iterable[Row]:
    """The same rows with ranks and ratios; the floor is measured against the best, but does not compete."""
    contenders = standings({r.name: figures[r.name] for r in table if r.time and not r.floor})
    best = next((name for name, s in contenders.items() if s.ratio.median == 1 and s.rank == 1), None)
    for row in table:
        standing = contenders.get(row.name)
        if row.time and row.floor:
            ratio = paired_ratio(figures[row.name], figures[best] if best else figures[row.name])
            standing = Standing(0, ratio) if ratio else None
        yield Row(**{**row.__dict__, "ratio": standing.ratio, "rank": standing.rank}) if standing else row

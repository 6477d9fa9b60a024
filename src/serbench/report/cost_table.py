"""What codecs cost before they run: compile time and binary size, a table for each workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.measure.events import BinarySize, CompileTime, CostEvent, CostFailure
from serbench.measure.store import Run
from serbench.report.numbers import count, rounded
from serbench.report.table import Table
from serbench.stats.summary import median_interval

COSTS = ("compile_time", "binary_size")


@dataclass
class Cost:
    """The costs of one codec variant × workload with one compiler.

    Attributes:
        compile_s: seconds, one for each time that it was compiled.
        size: bytes by ``file``, ``text``, ``data`` and ``bss``; empty where it was not taken.
        reason: why there are no costs; empty where there are.
    """

    codec: str
    workload: str
    compiler: str
    compile_s: list[float] = field(default_factory=list)
    size: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def name(self) -> str:
        return f"{self.codec} {self.compiler}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "compiler": self.compiler,
            "reason": self.reason,
        }
        if self.compile_s:
            taken = median_interval(self.compile_s)
            data |= {
                "compile_s": taken.estimate,
                "compile_interval_s": [taken.low, taken.high],
                "compilations": len(self.compile_s),
                "coverage": round(taken.coverage, 4),
            }
        return data | {f"{part}_bytes": value for part, value in self.size.items()}


def costs_of(run: Run) -> list[Cost]:
    """The costs that a run holds, in the order of their first event."""
    costs: dict[tuple[str, str, str], Cost] = {}
    for event in run.taken.costs:
        if not isinstance(event, CostEvent) or event.codec not in run.manifest.codecs:
            continue
        cost = costs.setdefault(event.identity, Cost(*event.identity))
        match event:
            case CompileTime():
                cost.compile_s.append(event.elapsed_ns / 1e9)
            case BinarySize():
                cost.size = {part: getattr(event, part) for part in ("file", "text", "data", "bss")}
            case CostFailure():
                cost.reason = event.reason
    return list(costs.values())


@dataclass(frozen=True)
class Line:
    """What one line of a cost table shows: a name, the cost, and the published seconds, if there are any."""

    name: str
    cost: Cost
    published_s: float | None = None


def cost_table(title: str, lines: Sequence[Line], metrics: Sequence[str], linking: str) -> Table:
    """The table of costs. ``metrics`` are those that the run was asked for, and ``linking`` says how its
    programs were linked."""
    shows_published = "compile_time" in metrics and any(line.published_s is not None for line in lines)
    headings = [
        "",
        *(["compile", "range"] if "compile_time" in metrics else []),
        *(["published"] if shows_published else []),
    ]
    headings += ["text", "data", "file"] if "binary_size" in metrics else []
    body = []
    for line in lines:
        cells = [line.name]
        if "compile_time" in metrics:
            cells += _seconds(line.cost.compile_s)
        if shows_published:
            cells.append("" if line.published_s is None else f"{rounded(line.published_s, 3)} s")
        if "binary_size" in metrics:
            cells += [count(line.cost.size.get(part)) for part in ("text", "data", "file")]
        body.append(cells)
    notes = [f"{line.name}: {line.cost.reason}" for line in lines if line.cost.reason]
    notes += ["Measured on a minimal program that reads and writes one message."]
    if "compile_time" in metrics:
        times = max((len(line.cost.compile_s) for line in lines), default=0)
        notes.append(
            f"compile: median and range of {times} compilations of this program and of the codec's generated "
            "code, one file after the other, without a compiler cache; running generators and building "
            "libraries is not included."
        )
    if "binary_size" in metrics:
        notes.append(
            f"Bytes without symbols, {linking}; text: code and constants, data: initialised variables."
        )
    return Table(title, headings, body, frozenset(range(1, len(headings))), notes)


def _seconds(taken: Sequence[float]) -> list[str]:
    if not taken:
        return ["–", ""]
    middle = median_interval(taken).estimate
    return [f"{rounded(middle, 3)} s", f"{rounded(min(taken), 3)} to {rounded(max(taken), 3)}"]

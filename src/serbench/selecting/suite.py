"""Suites: published tables, each as a selection of cells with the published figures, in a file of
``suites/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from serbench.errors import FileError
from serbench.system.files import Count, Loaded, Name, Text, read_toml


@dataclass(frozen=True)
class Published:
    """The published figures of one row and workload.

    Attributes:
        size_bytes: None if the table has no size; a float is a rounded figure, such as 37.8e6.
        times: operation with memory policy → time, in the table's own unit.
        compile_s: seconds to compile; None if the table does not tell.
    """

    size_bytes: int | float | None
    times: Mapping[str, float]
    compile_s: float | None = None


@dataclass(frozen=True)
class SuiteRow:
    """One row of a published table.

    Attributes:
        name: the row's name in the published table.
        codec: id of the codec variant that does the same.
        published: workload id → the figures.
        note: why a figure is not the published one; else empty.
        apart: whether the published picture shows it apart from the others, with its whole cycles, since it
            has no plain round trip.
    """

    name: str
    codec: str
    published: Mapping[str, Published]
    note: str = ""
    apart: bool = False


@dataclass(frozen=True)
class Suite:
    """One published table, or several that belong together.

    Attributes:
        workloads: the workloads, as ``-w`` takes them.
        quick_workloads: the workloads of a quick run; if empty, all.
        operations: the operations with their memory policies, in the order of the columns.
        metrics: the names of the metrics that are measured.
        columns: the columns of tables beyond the medians: their intervals, means, or a table of the formats'
            characteristics.
        scale_ns: how many nanoseconds of a pass make one unit of a published time.
        time_unit: the unit of a published time, in words.
        flaws: flaws of the published measurement that ours does not have.
    """

    name: str
    summary: str
    source: str
    workloads: Sequence[str]
    operations: Sequence[str]
    scale_ns: float
    time_unit: str
    rows: Sequence[SuiteRow]
    flaws: Sequence[str]
    metrics: Sequence[str] = ("time",)
    columns: Sequence[str] = ()
    quick_workloads: Sequence[str] = ()


_Factor = Annotated[float, msgspec.Meta(gt=0, le=1e18)]
_Figure = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
_Names = Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)]


class _RowTable(msgspec.Struct, forbid_unknown_fields=True):
    name: Name
    codec: Name
    published: dict[Name, dict[Name, Count | _Figure]] = {}
    note: Text = ""
    apart: bool = False


class _SuiteTable(msgspec.Struct, forbid_unknown_fields=True):
    """A file of ``suites/``; what its keys mean is said in ``Suite``."""

    summary: Text
    source: Text
    workloads: _Names
    operations: _Names
    scale_ns: _Factor
    time_unit: Text
    rows: tuple[_RowTable, ...]
    flaws: tuple[Text, ...]
    metrics: tuple[Name, ...] = ("time",)
    columns: tuple[Literal["interval", "mean", "characteristics"], ...] = ()
    quick_workloads: tuple[Name, ...] = ()


@cache
def load_suites(directory: Path) -> Loaded[Suite]:
    """Every suite of ``directory`` by name; one whose file has a fault is among the broken ones."""
    found: Loaded[Suite] = Loaded()
    for path in sorted(directory.glob("*.toml")):
        try:
            found[path.stem] = load_suite(path)
        except FileError as error:
            found.broken[path.stem] = error
    return found


def load_suite(path: Path) -> Suite:
    """The suite of a file; raises FileError, which names the file and every fault in it."""
    table = read_toml(path, _SuiteTable, "suite", _problems)
    rows = [
        SuiteRow(
            row.name,
            row.codec,
            {workload: _published(values) for workload, values in row.published.items()},
            row.note,
            row.apart,
        )
        for row in table.rows
    ]
    return Suite(path.stem, **{**msgspec.structs.asdict(table), "rows": rows})


def _problems(table: _SuiteTable) -> list[str]:
    """The faults of a suite's table that its type does not rule out."""
    problems = []
    for n, row in enumerate(table.rows):
        for workload, figures in row.published.items():
            if figures.get("size", 1) == 0:
                problems.append(f"rows[{n}].published.{workload}.size: found 0, expected a positive number")
            if workload not in table.workloads:
                problems.append(
                    f"rows[{n}].published.{workload}: expected one of workloads: {', '.join(table.workloads)}"
                )
    for n, operation in enumerate(table.operations):
        if operation.partition(":")[2] not in ("reuse", "fresh"):
            problems.append(
                f"operations[{n}]: found '{operation}', expected an operation and :reuse or :fresh"
            )
    return problems


def _published(values: Mapping[str, float]) -> Published:
    times = {key: value for key, value in values.items() if key not in ("size", "compile_s")}
    return Published(values.get("size"), times, values.get("compile_s"))

"""Suites: a published table as a selection of cells, with its figures as data, in one file of ``suites/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from serbench.errors import FileError
from serbench.files import Count, Loaded, Name, Text, read_toml


@dataclass(frozen=True)
class Published:
    """What a published table says of one row and workload.

    Attributes:
        size_bytes: None where it gives none; a float is a rounded figure, such as 37.8e6.
        compile_s: seconds to compile; None where it gives none.
        times: by operation with memory policy, in the table's own unit.
    """

    size_bytes: int | float | None
    times: Mapping[str, float]
    compile_s: float | None = None


@dataclass(frozen=True)
class SuiteRow:
    """One row of a published table.

    Attributes:
        name: as the published table has it.
        codec: id of the codec variant that is its like.
        published: by workload id.
        note: why a figure is not the published one.
        apart: whether its whole cycles are published in a picture beside the others, since it has no plain
            round trip.
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
        workloads: as ``-w`` takes them.
        quick_workloads: those that a quick run is content with; all where it is empty.
        operations: with memory policies, in the order of the columns.
        metrics: what is measured besides their time.
        columns: what is shown beyond the medians: their intervals, means, a table of the formats'
            characteristics.
        scale_ns: nanoseconds of one pass for one unit of a published time.
        time_unit: what a published time is, in words.
        flaws: of the published measurement, which ours does not have.
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
    """A file of ``suites/``; what its fields mean is said at ``Suite``."""

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
    """Every suite of ``directory`` by name; a file that has a fault is among the broken."""
    found: Loaded[Suite] = Loaded()
    for path in sorted(directory.glob("*.toml")):
        try:
            found[path.stem] = load_suite(path)
        except FileError as error:
            found.broken[path.stem] = error
    return found


def load_suite(path: Path) -> Suite:
    """Raises FileError, which names the file and every fault in it."""
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
    """What no type says of a table."""
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

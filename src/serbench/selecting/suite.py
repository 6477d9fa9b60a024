"""Suites: published tables as selections of cells with the published figures, a file of ``suites/`` each."""

from __future__ import annotations

from collections.abc import Mapping
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


_Factor = Annotated[float, msgspec.Meta(gt=0, le=1e18)]
_Figure = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
_Names = Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)]


class SuiteRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"figures": "published"}):
    """One row of a published table.

    Attributes:
        name: the row's name in the published table.
        codec: id of the codec variant that does the same.
        figures: workload id → the figures: ``size``, ``compile_s``, and the time of each operation with
            memory policy.
        note: why a figure is not the published one; else empty.
        apart: whether the published picture shows it apart from the others, since its decoding only returns a
            view: by the time of ``cycle``, which reads every field.
    """

    name: Name
    codec: Name
    figures: dict[Name, dict[Name, Count | _Figure]] = {}
    note: Text = ""
    apart: bool = False

    @property
    def published(self) -> dict[str, Published]:
        """The published figures by workload id."""
        return {
            workload: Published(
                own.get("size"),
                {name: value for name, value in own.items() if name not in ("size", "compile_s")},
                own.get("compile_s"),
            )
            for workload, own in self.figures.items()
        }


class _SuiteTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of ``suites/``; what its keys mean is said in ``Suite``."""

    summary: Text
    source: Text
    workloads: _Names
    operations: _Names
    scale_ns: _Factor
    time_unit: Text
    rows: tuple[SuiteRow, ...]
    flaws: tuple[Text, ...]
    metrics: tuple[Name, ...] = ("time",)
    columns: tuple[Literal["interval", "mean", "characteristics"], ...] = ()
    quick_workloads: tuple[Name, ...] = ()


class Suite(_SuiteTable, frozen=True, kw_only=True):
    """One published table, or several that belong together.

    Attributes:
        name: the name of its file.
        workloads: the workloads, as ``-w`` takes them.
        quick_workloads: the workloads of a quick run; if empty, all.
        operations: the operations with their memory policies, in the order of the columns.
        columns: the columns of tables beyond the medians: their intervals, means, or a table of the formats'
            characteristics.
        scale_ns: how many nanoseconds of a pass make one unit of a published time.
        time_unit: the unit of a published time, in words.
        flaws: flaws of the published measurement that ours does not have.
    """

    name: str


@cache
def load_suites(directory: Path) -> Loaded[Suite]:
    """Every suite of ``directory`` by name; one whose file has a fault is among the broken ones."""
    found: Loaded[Suite] = Loaded()
    for path in sorted(directory.glob("*.toml")):
        try:
            table = read_toml(path, _SuiteTable, "suite", _problems)
            found[path.stem] = Suite(name=path.stem, **msgspec.structs.asdict(table))
        except FileError as error:
            found.broken[path.stem] = error
    return found


def _problems(table: _SuiteTable) -> list[str]:
    """The faults of a suite's file that reading it into ``_SuiteTable`` did not find."""
    problems = []
    for n, row in enumerate(table.rows):
        for workload, figures in row.figures.items():
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

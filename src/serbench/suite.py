"""Suites: a published table as a selection of cells, with its figures as data, in one file of ``suites/``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from serbench.errors import SerbenchError

_TOP = {"summary", "source", "workloads", "operations", "scale_ns", "time_unit", "rows", "flaws"}
_TOP_OPTIONAL = {"metrics", "columns", "quick_workloads"}
_COLUMNS = ("interval", "mean", "characteristics")
_ROW = {"name", "codec"}
_ROW_OPTIONAL = {"published", "note"}


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
    """

    name: str
    codec: str
    published: Mapping[str, Published]
    note: str = ""


@dataclass(frozen=True)
class Suite:
    """One published table, or several that belong together.

    Attributes:
        workloads: as ``-w`` takes them.
        quick_workloads: those that a quick run is content with; all where it is empty.
        operations: with memory policies, in the order of the columns.
        metrics: what is measured besides their time.
        columns: what is shown beyond the medians: their intervals, means, a table of the formats' characteristics.
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


@cache
def load_suites(directory: Path) -> dict[str, Suite]:
    """Every suite of ``directory`` by name.

    Raises:
        SerbenchError: names the file and every fault in it.
    """
    return {path.stem: _load(path) for path in sorted(directory.glob("*.toml"))}


def _load(path: Path) -> Suite:
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SerbenchError(f"{path} is not readable: {error}") from error
    problems = [f"{key}: missing" for key in sorted(_TOP - set(data))]
    problems += [f"{key}: unknown" for key in sorted(set(data) - _TOP - _TOP_OPTIONAL)]
    expected = ", ".join(_COLUMNS)
    problems += [f"columns: found {c!r}, expected some of {expected}" for c in data.get("columns", ()) if c not in _COLUMNS]
    for n, row in enumerate(data.get("rows", ()), start=1):
        problems += [f"row {n}, {key}: missing" for key in sorted(_ROW - set(row))]
        problems += [f"row {n}, {key}: unknown" for key in sorted(set(row) - _ROW - _ROW_OPTIONAL)]
        problems += [
            f"row {n}: workload {w} is not among workloads" for w in row.get("published", {}) if w not in data["workloads"]
        ]
    if problems:
        raise SerbenchError(f"{path}: {len(problems)} error(s)\n" + "\n".join(f"  {p}" for p in problems))
    rows = [
        SuiteRow(
            row["name"],
            row["codec"],
            {workload: _published(values) for workload, values in row.get("published", {}).items()},
            row.get("note", ""),
        )
        for row in data["rows"]
    ]
    return Suite(path.stem, **{key: data[key] for key in (_TOP | _TOP_OPTIONAL & set(data)) - {"rows"}}, rows=rows)


def _published(values: Mapping[str, Any]) -> Published:
    times = {key: value for key, value in values.items() if key not in ("size", "compile_s")}
    return Published(values.get("size"), times, values.get("compile_s"))

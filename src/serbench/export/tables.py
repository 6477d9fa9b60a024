"""Makes the tables that are exported from runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from serbench.export.columns import TABLES, Columns
from serbench.measure import events
from serbench.measure.parts import measured_parts
from serbench.measure.store import Run
from serbench.paths import PROJECT
from serbench.report.computed import condition_in_words
from serbench.report.conformance_map import held_in
from serbench.report.filters import FilterRow, filter_rows
from serbench.report.parts import is_doubtful
from serbench.report.rows import Row, rows_of
from serbench.selecting.conforming import load_conformance
from serbench.stats.disturbance import Thefts, is_disturbed
from serbench.stats.summary import Interval

Record = dict[str, Any]


def table_of(name: str, runs: Iterable[Run]) -> Columns:
    """The table of this name (one of ``TABLES``), with the rows of these runs.

    Raises:
        FileError: a run cannot be read.
    """
    if name == "samples":
        columns: Columns = {column.name: [] for column in TABLES[name]}
        for run in runs:
            for measured in measured_parts(run):
                _add_samples(measured, columns)
        return columns
    return _columns(name, chain.from_iterable(map(_RECORDS[name], runs)))


def cells_of(rows: Iterable[tuple[Run, Sequence[Row]]]) -> Columns:
    """The table of cells, from rows that the caller has made: making them takes longer than all else."""
    return _columns("cells", (_cell(run, row) for run, own in rows for row in own))


def _columns(name: str, records: Iterable[Record]) -> Columns:
    columns: Columns = {column.name: [] for column in TABLES[name]}
    for record in records:
        for column, values in columns.items():
            values.append(record.get(column))
    return columns


def _runs(run: Run) -> Iterator[Record]:
    manifest, taken = run.manifest, run.taken
    told = msgspec.structs.asdict(manifest) | msgspec.structs.asdict(manifest.machine) | {"run": run.id}
    yield told | {name: getattr(taken, name) for name in ("ended", "sampled_ns", "stolen_ns")}


def _codecs(run: Run) -> Iterator[Record]:
    manifest = run.manifest
    versions = {
        codec: version for toolchain in manifest.toolchains for codec, version in toolchain.libraries.items()
    }
    seen = load_conformance(PROJECT / "codecs")
    for codec in manifest.codecs:
        features = manifest.features.get(codec, {})
        held = held_in(run, codec, seen)
        good, decided = held.cases if held else (None, None)
        yield {
            "run": run.id,
            "codec": codec,
            "language": codec.partition("/")[0],
            "library_version": versions.get(codec.partition(":")[0]),
            "own": bool({codec, codec.partition(":")[0]} & set(manifest.own)),
            "floor": codec in manifest.floors,
            "reference": manifest.references.get(codec),
            "dynamic": codec in manifest.dynamic,
            "lossy": manifest.lossy.get(codec),
            "checks": _together(manifest.checks.get(codec)),
            "hostile": _together(manifest.hostile.get(codec)),
            "features": _together(name for name, has in features.items() if has),
            "cases_decided": decided,
            "cases_conforming": good,
        }


def _together(words: Iterable[str] | None) -> str | None:
    return None if words is None else " ".join(words)


_OF_ROW = tuple(
    column.name
    for column in TABLES["cells"]
    if column.name in Row.__dataclass_fields__ or column.name == "language"
)
"""The columns of ``cells`` that are attributes of a ``Row`` with the same name."""


def _cell(run: Run, row: Row) -> Record:
    record: Record = {"run": run.id} | {name: getattr(row, name) for name in _OF_ROW}
    record |= {"unsteady": row.not_known, "constant_time_view": row.view, "undercuts_floor": row.undercuts}
    record |= {"way": row.way or None, "way_reason": row.way_reason or None, "doubtful": is_doubtful(row)}
    record |= {"number_of": row.number_of or None, "longer_list": row.longer_list or None}
    record |= {"computed": False, "disturbed_samples": row.disturbed, "unsettled_rounds": row.unsettled}
    if row.size_bytes is not None and row.messages:
        record["bytes_per_message"] = row.size_bytes / row.messages
    if row.time:
        per_message = row.time.estimate / row.messages if row.messages else None
        record |= {"coverage": row.time.coverage, "ns_per_message": per_message, **interval("time", row.time)}
        if row.size_bytes is not None:
            record["mb_per_s"] = 1e3 * row.size_bytes / row.time.estimate
    if row.ratio:
        record |= {"ratio_best": row.ratio.estimate, "ratio_low": row.ratio.low, "ratio_high": row.ratio.high}
    if isinstance(row, FilterRow):
        condition = condition_in_words(row.conditions)
        record |= {"computed": True, "condition": condition, "matching": row.matching}
    if part := row.of_everything:
        record |= {
            "ratio_everything": part.estimate,
            "everything_low": part.low,
            "everything_high": part.high,
        }
    return record


def interval(name: str, time: Interval | None) -> Record:
    """A time in nanoseconds and the ends of its interval, in columns whose names begin with ``name``."""
    values = (time.estimate, time.low, time.high) if time else (None, None, None)
    return dict(zip((f"{name}_ns", f"{name}_low_ns", f"{name}_high_ns"), values, strict=True))


def _costs(run: Run) -> Iterator[Record]:
    for event in run.taken.costs:
        fields = msgspec.structs.asdict(event)
        for cost, value in _figures(event):
            yield {"run": run.id, **fields, "cost": cost, "value": value}


def _figures(
    event: events.MetricEvent,
) -> Iterator[tuple[str, float]]:
    """The figures of an event, each with a name that ends with its unit."""
    match event:
        case events.CompileTime():
            yield "compile_time_ns", event.elapsed_ns
        case events.BinarySize():
            yield "binary_bytes", event.file
            yield "binary_text_bytes", event.text
        case events.Shipped():
            for name, value in event.bytes.items():
                yield f"{name}_bytes", value
            if event.packages is not None:
                yield "shipped_packages", event.packages
        case events.Instructions():
            yield "instructions_per_pass", event.instructions_per_pass
        case events.Allocations():
            yield "allocations_per_pass", event.allocations_per_pass
            yield "allocated_bytes_per_pass", event.allocated_bytes_per_pass
        case events.Peak():
            yield "peak_bytes", event.peak_bytes
        case events.ThreadsSample():
            yield "passes_per_s", event.iterations / event.elapsed_ns * 1e9
        case events.WireSize():
            yield "wire_bytes", event.bytes
        case events.Latency():
            yield "latency_mean_ns", event.mean_ns
            for name, value in event.quantiles.items():
                yield f"latency_{name}_ns", value
            yield "latency_clock_ns", event.clock_ns
        case events.FirstCall():
            for part in ("import", "loading", "preparing", "first", "later", "until"):
                if (value := getattr(event, f"{part}_ns")) is not None:
                    yield f"first_call_{part}_ns", value


def _all_rows(run: Run) -> list[Row]:
    rows = rows_of(run)
    return [*rows, *filter_rows(run, rows)]


_RECORDS: dict[str, Callable[[Run], Iterator[Record]]] = {
    "runs": _runs,
    "codecs": _codecs,
    "cells": lambda run: map(partial(_cell, run), _all_rows(run)),
    "costs": _costs,
}


def _add_samples(run: Run, columns: Columns) -> None:
    """Adds the samples of a run to the table, column by column, since there may be a million of them."""
    samples, disturbed, taken_back = _samples(run)
    told: Columns = {
        "run": [run.id] * len(samples),
        "ns_per_pass": [each.elapsed_ns / each.iterations for each in samples],
        "disturbed": list(map(bool, disturbed)),
        "taken_back": list(map(bool, taken_back)),
    }
    for name, values in columns.items():
        if name in ("waited_ns", "own_ns", "stolen_ns", "involuntary_switches"):
            values += [None if value < 0 else value for value in map(attrgetter(name), samples)]
        else:
            values += told[name] if name in told else map(attrgetter(name), samples)


def _samples(run: Run) -> tuple[list[events.Sample], bytearray, bytearray]:
    """Every sample of a run; whether each was disturbed (1 or 0), and whether its cell then failed."""
    samples: list[events.Sample] = []
    disturbed, taken_back = bytearray(), bytearray()
    thefts: Thefts[events.Sample] = Thefts()
    for event in run.events():
        if isinstance(event, events.Sample):
            samples.append(event)
            disturbed.append(is_disturbed(event))
            taken_back.append(0)
            for at in range(1, len(thefts.take(event)) + 1):
                disturbed[-at] = 1
        elif isinstance(event, events.Failure) and event.round is not None:
            for at in range(len(samples) - 1, -1, -1):
                if samples[at].round != event.round:
                    break
                taken_back[at] |= samples[at].cell == event.cell
    return samples, disturbed, taken_back

"""The contents of a page, taken from runs as plain values; ``page/src/data.ts`` declares them for the script.

A page has only the name, the digest and the size of a dataset, since a run holds nothing else of it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench import __version__
from serbench.codecs.codec import ALL_FEATURES, CHECKS, Variant
from serbench.export.columns import Columns
from serbench.export.tables import cells_of, interval, table_of
from serbench.measure.manifest import Manifest
from serbench.measure.parts import name_of
from serbench.measure.store import Run
from serbench.page.packing import pack_columns
from serbench.page.plain import COLUMNS
from serbench.report.alone import alone_of
from serbench.report.calls_table import calls_of
from serbench.report.charts.curve import MESSAGES
from serbench.report.charts.curve import lines_of as lines_over
from serbench.report.charts.slowest import slowest_of
from serbench.report.compare_table import REGRESSION, compare_sides, compare_table, whole
from serbench.report.computed import filters_of
from serbench.report.conformance_map import ConformanceMap, held_in, map_table, maps_of
from serbench.report.figures import Figures
from serbench.report.filters import filter_tables
from serbench.report.gathering import gathered
from serbench.report.kinds_lines import kinds_lines
from serbench.report.kinds_verdict import kinds_verdicts
from serbench.report.lossy import marked
from serbench.report.machines_table import MachineRun, machine_of
from serbench.report.notes import legend
from serbench.report.numbers import count
from serbench.report.other_orders import order_line, other_orders
from serbench.report.parts import notes_on_parts
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import described
from serbench.report.threads_table import threads_of
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of
from serbench.report.wire_table import Wire, wires_of
from serbench.selecting.conforming import SeenConformance
from serbench.selecting.selection import OPERATIONS
from serbench.selecting.suite import Suite
from serbench.stats.summary import Interval
from serbench.system.command import COMMAND

Values = dict[str, Any]

_MOST_ROWS_COMPARED = 5_000

_OF_TOOLCHAIN = ("name", "language", "compiler", "flags", "linking", "missing", "libraries")


@dataclass(frozen=True)
class Installation:
    """The knowledge of this installation: its codec variants by id, its suites by name, and how codecs keep
    to their formats."""

    variants: Mapping[str, Variant] = field(default_factory=dict)
    suites: Mapping[str, Suite] = field(default_factory=dict)
    conformance: SeenConformance = field(default_factory=SeenConformance)


def contents(
    runs: Sequence[Run], known: Installation, title: str, rows: Mapping[str, Sequence[Row]] | None = None
) -> Values:
    """Everything that the page shows.

    Args:
        rows: the rows of each run by its id, where they are known.

    Raises:
        FileError: a run cannot be read.
    """
    rows = rows or {run.id: rows_of(run) for run in runs}
    codecs = dict.fromkeys(codec for run in runs for codec in run.manifest.codecs)
    suites = dict.fromkeys(run.manifest.suite for run in runs if run.manifest.suite)
    return {
        "title": title,
        "serbench": __version__,
        "reproduce": f"{COMMAND} report {' '.join(run.id for run in runs)}",
        "runs": [_run(run, rows[run.id]) for run in runs],
        "codecs": [_codec(codec, runs, known) for codec in codecs],
        "cells": pack_columns(cells_of((run, rows[run.id]) for run in runs)),
        "costs": pack_columns(_costs(runs)),
        "wire": pack_columns(_wire(runs)),
        "suites": [_suite(known.suites[name]) for name in suites if name in known.suites],
        "curves": [curves for run in runs for curves in _curves(run, rows[run.id])],
        "filters": [filter for run in runs for filter in _filters(run, rows[run.id])],
        "fleets": list(_fleets(runs, rows)),
        "conformance": [_map(run, each) for run in runs for each in maps_of(run, known.conformance)],
        "comparisons": [_comparison(runs[0], other) for other in runs[1:]],
        "words": {
            "operations": dict(OPERATIONS),
            "features": dict(ALL_FEATURES),
            "checks": dict(CHECKS),
        },
    }


# --- a run ---


def _run(run: Run, rows: Sequence[Row]) -> Values:
    manifest = run.manifest
    by_workload = gathered((row.workload, row) for row in rows)
    foremost, others = legend(run)
    return {
        "id": run.id,
        **_picked(manifest, "started", "suite"),
        "ended": run.taken.ended or run.going_on,
        "earlier": run.is_earlier,
        "measured_by": f"serbench {manifest.serbench} {manifest.revision}".strip(),
        # older runs do not have the command that was typed
        "command": f"{COMMAND} {shlex.join(manifest.arguments)}" if manifest.arguments else "",
        "machine": dict(_machine(manifest)),
        "part": _part(run),
        "toolchains": [_picked(each, *_OF_TOOLCHAIN) for each in manifest.toolchains],
        "workloads": [_workload(run, name, by_workload.get(name, []), rows) for name in manifest.workloads],
        "operations": list(manifest.operations),
        "damaged": list(run.taken.damaged),
        "method": [note for note in (*foremost, *others) if note],
    }


def _part(run: Run) -> Values | None:
    """The names of the whole run, the machine and the kind that a part is of; None for a whole run."""
    told = machine_of(run)
    return {"of": run.id.partition("/")[0], "machine": name_of(run), **told} if told else None


def _machine(manifest: Manifest) -> Iterator[tuple[str, str]]:
    machine = manifest.machine
    yield "processor", machine.processor_in_words
    if machine.caches:
        yield "caches", machine.caches
    if machine.cores:
        yield "cores", str(machine.cores)
    if machine.memory_bytes:
        yield "memory", f"{machine.memory_bytes / (1 << 30):.0f} GiB"
    yield "system", " ".join(filter(None, (machine.system, machine.kernel, machine.c_library)))
    if machine.virtual:
        yield "virtual machine", "yes"
    yield "rounds planned", count(manifest.rounds)
    yield "seed of the order", str(manifest.seed)


def _picked(thing: object, *names: str) -> Values:
    """The attributes of a thing that have these names, by name."""
    return {name: getattr(thing, name) for name in names}


def _workload(run: Run, workload: str, rows: Sequence[Row], all_rows: Sequence[Row]) -> Values:
    verdict = verdict_of(run, workload, rows)
    lines = lines_of(run, verdict, alone_of(run, workload, all_rows))
    lines += order_line(other_orders(run, verdict, all_rows))
    data = run.manifest.datasets.get(workload)
    is_part = bool(data and data.whole)
    return {
        "name": workload,
        "title": f"{data.whole}: {described(data)}" if data and is_part else workload,
        "notes": [*notes_on_parts(rows)] if is_part else [],
        "messages": data.messages if data else None,
        "canonical_bytes": data.canonical_bytes if data else None,
        "sha256": data.sha256 if data else "",
        "trust": {"level": verdict.trust.level, "reasons": list(verdict.trust.reasons)},
        "verdict": [_picked(said, "label", "text", "tone") for said in lines],
    }


def _curves(run: Run, rows: Sequence[Row]) -> Iterator[Values]:
    """The time over the share of the fields that is read, over the number of messages, or over quantiles of
    single calls, as it is drawn."""
    for each in (*lines_over(run, rows), *slowest_of(run)):
        lines = [
            {
                **_picked(line, "codec", "name", "label", "way", "words"),
                "points": [
                    {**_picked(point, "share", "below", "piece"), "time": point.time.estimate}
                    | _picked(point.time, "low", "high")
                    for point in line.points
                ],
            }
            for line in each.lines
        ]
        yield {
            "run": run.id,
            **_picked(each, "heading", "workload", "operation", "parts", "over", "one"),
            **{"kind": each.kind.name, "legend": each.kind.legend, "foremost": each.kind.foremost},
            "lines": lines,
            "said": list(each.said) if each.kind == MESSAGES else [],
            "caches": [{"name": name, "x": number} for name, number in each.caches.items()],
            "ticks": [{"name": name, "x": place} for place, name in each.ticks.items()],
        }


def _filters(run: Run, rows: Sequence[Row]) -> Iterator[Values]:
    """The tables of filters, whose times are computed; each row with its codec."""
    codecs = {marked(row.name, row.codec, run.manifest): row.codec for row in rows}
    for filter in filters_of(run.manifest):
        for table in filter_tables(run, filter.workload, rows, COLUMNS):
            yield {
                "run": run.id,
                **_picked(filter, "workloads"),
                **_picked(table, "title", "headings", "rows", "notes"),
                "codecs": [codecs[row[0]] for row in table.rows],
                "verdict": [_picked(said, "label", "text") for said in table.verdict[1:]],  # not the trust
            }


# --- runs of several machines ---


def _fleets(runs: Sequence[Run], rows: Mapping[str, Sequence[Row]]) -> Iterator[Values]:
    """For each run of several machines: on which kinds of machines its verdicts hold, by workload."""
    fleets = gathered(
        (run.id.partition("/")[0], MachineRun(name_of(run), told["kind"], run, rows[run.id]))
        for run in runs
        if (told := machine_of(run))
    )
    for name, parts in fleets.items():
        if len(parts) > 1:
            verdicts = {
                each.workload: [_picked(said, "label", "text") for said in kinds_lines(each)]
                for each in kinds_verdicts(parts)
            }
            yield {"run": name, "verdicts": verdicts}


# --- codecs ---


def _codec(codec: str, runs: Sequence[Run], known: Installation) -> Values:
    """The properties of a codec variant, from the first run that has it and from this installation."""
    run = next(run for run in runs if codec in run.manifest.codecs)
    manifest, variant = run.manifest, known.variants.get(codec)
    told: Values = {
        "id": codec,
        "language": codec.partition("/")[0],
        "features": [name for name, has in manifest.features.get(codec, {}).items() if has],
        "checks": list(manifest.checks.get(codec, ())) if codec in manifest.checks else None,
        "hostile": list(manifest.hostile.get(codec, ())) if codec in manifest.hostile else None,
        "lossy": manifest.lossy.get(codec, ""),
        "maintenance": manifest.maintenance.get(codec, ""),
        "reviewed": manifest.reviewed.get(codec, ""),
        "floor": codec in manifest.floors,
        "reference": manifest.references.get(codec, ""),
        "dynamic": codec in manifest.dynamic,
        "versions": dict(_versions(codec, runs)),
        "conforms": known.conformance.conforms_to(codec) if held_in(run, codec, known.conformance) else [],
    }
    if variant is None:
        return told
    told |= _picked(variant.codec, "format", "summary")
    return {**told, "variant": variant.summary, **_picked(variant.codec, "licence", "homepage", "mapping")}


def _versions(codec: str, runs: Sequence[Run]) -> Iterator[tuple[str, str]]:
    """The id of each run with the version of the codec's library in it."""
    for run in runs:
        for each in run.manifest.toolchains:
            if version := each.libraries.get(codec.partition(":")[0]):
                yield run.id, version


def _map(run: Run, of: ConformanceMap) -> Values:
    """The codecs of a run by sections of their format's specification."""
    notes = map_table(of).notes
    return {"run": run.id, **_picked(of, "format", "specification", "sections", "codecs"), "notes": notes}


# --- other costs ---


def _costs(runs: Sequence[Run]) -> Columns:
    """The costs in all runs; of single calls and several threads, which many processes take, the figures of
    all of these alone."""
    table = table_of("costs", runs)
    records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    records = [record for record in records if record["round"] is None]
    for run in runs:
        named: list[tuple[str, Figures]] = [(each.metric, each) for each in calls_of(run)]
        named += [("threads", each) for each in threads_of(run)]
        for metric, taken in named:
            cell = _picked(taken, "codec", "workload", "compiler", "operation", "memory")
            cell["threads"] = getattr(taken, "threads", None)
            figures = {name: each for name, each in taken.values.items() if isinstance(each, Interval)}
            records += [
                {"run": run.id, **cell, "cost": f"{metric}_{name}", "value": each.estimate}
                for name, each in figures.items()
            ]
    return {name: [record.get(name) for record in records] for name in table}


# --- the wire ---


def _wire(runs: Sequence[Run]) -> Columns:
    """The wire cost in all runs, for one message: sizes in bytes and times in nanoseconds."""
    records = [_parcel(run, wire) for run in runs for wire in wires_of(run) if wire.codec and wire.workload]
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def _parcel(run: Run, wire: Wire) -> Values:
    told = {"run": run.id, **_picked(wire, "codec", "workload", "compiler", "parcel", "compressor", "reason")}
    told |= {"plain": wire.plain_size, "size": wire.size}
    for direction in ("compress", "decompress"):
        told |= interval(direction, wire.values.get(f"{direction}_ns"))
    return told


# --- published tables, and other runs ---


def _suite(suite: Suite) -> Values:
    rows = [
        {
            **_picked(row, "name", "codec", "note"),
            "published": {
                workload: {
                    "size": each.size_bytes,
                    "times": {operation: time * suite.scale_ns for operation, time in each.times.items()},
                }
                for workload, each in row.published.items()
            },
        }
        for row in suite.rows
    ]
    return {**_picked(suite, "name", "summary", "source", "time_unit", "flaws"), "rows": rows}


def _comparison(before: Run, after: Run) -> Values:
    """How the cells changed that both runs have, with notes on what else differs between the runs."""
    found = compare_sides(whole(before), whole(after), REGRESSION)
    table = compare_table(found, whole(before), whole(after), REGRESSION, changed_only=False)
    records = [each.to_json() for each in found.cells[:_MOST_ROWS_COMPARED]]
    for record in records:
        record["low"], record["high"] = record.pop("ratio_interval")
    names = list(records[0]) if records else []
    notes = [note for note in table.notes if note]
    if (left_out := len(found.cells) - len(records)) > 0:
        notes.append(f"{left_out:,} cells that changed less are not shown.")
    return {
        "before": before.id,
        "after": after.id,
        "cells": pack_columns({name: [record[name] for record in records] for name in names}),
        "notes": notes,
    }

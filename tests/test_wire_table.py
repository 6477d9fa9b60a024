"""Tests of the tables of wire cost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from serbench.measure.compressors import COMPRESSORS
from serbench.measure.store import Journal, Run, create_run
from serbench.report.rows import rows_of
from serbench.report.table import Table
from serbench.report.wire_table import Wire, wire_tables, wires_of


def known_run(folder: Path) -> Run:
    """Makes a run of two codecs on 10 messages, with fixed times: ``small`` has half the bytes, and takes
    twice as long to serialize."""
    manifest = {
        "suite": None, "codecs": ["cpp/big", "cpp/small"], "floors": [], "workloads": ["w"],
        "operations": ["serialize:reuse"], "metrics": ["time", "wire"],
        "datasets": {"w": {"sha256": "", "messages": 10, "canonical_bytes": 5000}}, "rounds": 9,
        "machine": {"processor": "none"}, "arguments": [], "toolchains": [],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec, scale in (("cpp/big", 2), ("cpp/small", 1)):
            who = {"codec": codec, "workload": "w", "compiler": ""}
            unit = {
                "status": "ok",
                "reason": "",
                "size_bytes": 5000 * scale,
                "messages": 10,
                "operations": ["serialize"],
            }
            journal.append({"event": "unit", **who, **unit})
            parcels = {**who, "parcel": "message"}
            journal.append(
                {"event": "wire_parcels", **parcels, "parcels": 5, "messages": 5, "bytes": 2500 * scale}
            )
            for n, name in enumerate(COMPRESSORS, start=1):
                journal.append(
                    {
                        "event": "wire_size",
                        **parcels,
                        "compressor": name,
                        "bytes": 500 * scale * n,
                        "library": "x 1",
                    }
                )
            for number in range(1, 10):
                sample = {
                    "operation": "serialize",
                    "memory": "reuse",
                    "iterations": 2,
                    "elapsed_ns": 40_000 // scale,
                }
                journal.append({"event": "sample", **who, **sample, "round": number})
                for n, name in enumerate(COMPRESSORS, start=1):
                    for direction, ns in (("compress", 5000 * scale), ("decompress", 1000 * scale)):
                        taken = {
                            "iterations": 4,
                            "elapsed_ns": 4 * ns * n,
                            "settled": name != "lz4" or number > 5,
                        }
                        journal.append(
                            {
                                "event": "wire_sample",
                                **parcels,
                                "compressor": name,
                                "direction": direction,
                                "round": number,
                                **taken,
                            }
                        )
        byte = {"codec": "", "workload": "", "compiler": "", "parcel": "byte"}
        journal.append({"event": "wire_parcels", **byte, "parcels": 1, "messages": 1, "bytes": 1})
        for number in range(1, 10):
            for direction, ns in (("compress", 400), ("decompress", 200)):
                one: dict[str, Any] = {
                    "direction": direction,
                    "round": number,
                    "iterations": 2,
                    "elapsed_ns": 2 * ns,
                }
                journal.append({"event": "wire_sample", **byte, "compressor": "lz4", **one})
        journal.append({"event": "end"})
    return run


def cells(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.headings[1:], row[1:], strict=True)) for row in table.rows}


def test_figures_are_of_one_message_and_the_least_bytes_come_first(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    size, compress, decompress, sent, quickest = wire_tables(
        run, wires_of(run), rows_of(run), {"cpp/big": "Big"}, 80
    )
    assert size.title == "w, each message alone (5 of 10): bytes on the wire"
    assert list(cells(size)) == ["cpp/small", "Big"]
    assert cells(size)["cpp/small"] == {
        "plain": "500", "zstd-1": "100", "zstd-3": "200", "lz4": "300", "gzip-6": "400", "brotli-5": "500"
    }  # fmt: skip
    assert cells(compress)["Big"]["zstd-3"] == "4.00 µs" and cells(decompress)["Big"]["zstd-3"] == "800 ns"
    # A pass over ten messages takes 10 µs for the big codec, 20 µs for the small one.
    assert cells(sent)["Big"]["plain"] == "1.00 µs" and cells(sent)["Big"]["zstd-1"] == "3.00 µs"
    assert cells(sent)["cpp/small"]["brotli-5"] == "7.00 µs"
    # 1 Gbit/s takes 8 ns for a byte: 1 + 8 µs plain and 3 + 1.6 µs with zstd-1, which is quicker.
    assert [row[1:] for row in quickest.rows] == [
        ["3.80 µs", "zstd-1", "11.0 µs", "zstd-1"],
        ["4.60 µs", "zstd-1", "19.0 µs", "zstd-1"],
    ]
    assert all(table.width <= 80 for table in (size, compress, decompress, sent, quickest))


def test_a_table_that_is_too_wide_becomes_two(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    tables = wire_tables(run, wires_of(run), [], {}, 45)
    assert all(table.width <= 45 for table in tables)
    shown = [heading for table in tables if "bytes on the wire" in table.title for heading in table.headings]
    assert sorted(shown) == sorted(["codec", "codec", "plain", *COMPRESSORS])


def test_notes_say_what_was_not_settled_and_what_a_call_costs(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    notes = wire_tables(run, wires_of(run), [], {}, 80)[-1].notes
    assert "Still warming up when timing began (rounds): cpp/big lz4 (5), cpp/small lz4 (5)." in notes
    assert any(
        "to compress and to decompress a message of one byte: lz4 400 ns and 200 ns. This" in note
        for note in notes
    )


def test_disturbed_samples_are_left_out_and_counted(tmp_path: Path) -> None:
    def compressed(wires: list[Wire]) -> Wire:
        place = ("cpp/big", "message", "lz4")
        return next(wire for wire in wires if (wire.codec, wire.parcel, wire.compressor) == place)

    run = known_run(tmp_path)
    before = compressed(wires_of(run)).values["compress_ns"]
    with Journal(run) as journal:
        for number in range(1, 10):
            who = {"codec": "cpp/big", "workload": "w", "compiler": "", "parcel": "message"}
            slow = {"round": number, "iterations": 1, "elapsed_ns": 10**12, "waited_ns": 10**11}
            which = {"compressor": "lz4", "direction": "compress"}
            journal.append({"event": "wire_sample", **who, **which, **slow})
    wires = wires_of(Run(run.directory))
    assert compressed(wires).values["compress_ns"] == before
    notes = wire_tables(run, wires, [], {}, 80)[-1].notes
    assert any(re.match(r"9 of \d+ compressor samples were disturbed and left out\.", note) for note in notes)
    compressed(wires).samples["compress"].quiet.clear()
    notes = wire_tables(run, wires, [], {}, 80)[-1].notes
    assert any("except in 1 of " in note and "lost time is deducted" in note for note in notes)


def test_on_a_busy_machine_the_restless_are_counted_and_not_named(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    wires = wires_of(run)
    for samples in (samples for wire in wires for samples in wire.samples.values()):
        samples.unsettled |= set(range(1, 6))
    notes = wire_tables(run, wires, [], {}, 80)[-1].notes
    assert any("half of their rounds or more: 10 of 10 pairs" in note for note in notes)
    assert not any("cpp/big lz4" in note for note in notes)


def test_without_serialize_there_is_no_sum(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    assert not [table for table in wire_tables(run, wires_of(run), [], {}, 80) if "serialize" in table.title]


def test_a_compressor_without_figures_is_a_dash_with_its_reason(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    with Journal(run) as journal:
        who = {"codec": "cpp/big", "workload": "w", "compiler": "", "parcel": "message", "compressor": "lz4"}
        journal.append({"event": "wire_failure", **who, "reason": "decompressing does not restore the bytes"})
    tables = wire_tables(run, wires_of(run), rows_of(run), {}, 80)
    assert all(cells(table)["cpp/big"]["lz4"] == "–" for table in tables[:4])
    assert cells(tables[0])["cpp/small"]["lz4"] == "300"
    assert "cpp/big lz4: decompressing does not restore the bytes" in [
        note for table in tables for note in table.notes
    ]
    (failed,) = [wire.to_json() for wire in wires_of(run) if wire.reason]
    assert "wire_bytes" not in failed and "compress_ns" not in failed


def test_a_process_that_failed_after_its_last_sample_has_no_figures(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    assert all(wire.samples for wire in wires_of(run) if wire.codec == "cpp/big" and wire.parcel == "message")
    with Journal(run) as journal:
        who = {"codec": "cpp/big", "workload": "w", "compiler": "", "parcel": "message"}
        journal.append({"event": "wire_failure", **who, "reason": "the runner was killed by signal 11"})
    known = Run(run.directory)
    wires = [wire for wire in wires_of(known) if wire.codec == "cpp/big" and wire.parcel == "message"]
    assert wires and all(wire.reason and not wire.samples and not wire.values for wire in wires)
    assert any(wire.samples for wire in wires_of(known) if wire.codec == "cpp/small")

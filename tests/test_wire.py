"""What codecs cost on the wire: what is compressed, how it is sampled, and how it is shown."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support import fake_unit

from serbench.dataset.file import Dataset, Header, write_dataset
from serbench.measure.compressors import COMPRESSORS, Compressor
from serbench.measure.events import Sampled, WireSample
from serbench.measure.run import Plan
from serbench.measure.sampling import Sampler
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.unit import Unit, Verification
from serbench.measure.wire import (
    ALONE_BYTES,
    BLOCK_BYTES,
    BLOCKS,
    MESSAGES_ALONE,
    alone,
    blocks,
    measure_wire,
)
from serbench.measure.wire_runner import measure
from serbench.model import Field, Record, Schema, string
from serbench.paths import Paths
from serbench.report.rows import rows_of
from serbench.report.table import Table
from serbench.report.tables import tables_of
from serbench.report.wire_table import wire_tables, wires_of

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def of_size(messages: int, canonical_bytes: int) -> Dataset:
    """A dataset of which only the counts are looked at."""
    return Dataset(
        Path(), messages, canonical_bytes + 4 * messages, "", Header(workload="w", parameters={}, schema={})
    )


def test_one_message_is_compressed_alone_and_in_no_block() -> None:
    for size in (0, 20, 100 * ALONE_BYTES):
        assert alone(of_size(1, size)) == [0]
        assert blocks(of_size(1, size)) == []


def test_a_sample_of_many_messages_is_spread_over_all_of_them() -> None:
    many = of_size(100_000, 100_000 * 250)
    assert len(alone(many)) == MESSAGES_ALONE and alone(many)[:2] == [0, 100] and alone(many)[-1] == 99_900
    assert len(blocks(many)) == BLOCKS and {len(block) for block in blocks(many)} == {BLOCK_BYTES // 250}
    assert blocks(many)[0].start == 0 and 100_000 - 20_000 < blocks(many)[-1].stop <= 100_000


@pytest.mark.parametrize(
    ("messages", "size"), [(2, 10), (7, 100), (300, 1000), (1000, 40_000), (50, BLOCK_BYTES)]
)
def test_what_is_compressed_stays_within_the_data_and_the_budget(messages: int, size: int) -> None:
    data = of_size(messages, messages * size)
    assert len(set(alone(data))) == len(alone(data)) and max(alone(data)) < messages
    assert len(alone(data)) == 1 or len(alone(data)) * size <= ALONE_BYTES
    in_blocks = [n for block in blocks(data) for n in block]
    assert len(set(in_blocks)) == len(in_blocks) and max(in_blocks, default=0) < messages
    assert all(len(block) > 1 and len(block) * size <= BLOCK_BYTES for block in blocks(data))
    assert bool(blocks(data)) == (2 * size <= BLOCK_BYTES)


class Clock:
    """A simulated clock: each pass takes what ``durations`` says, the last of them for ever."""

    def __init__(self, *durations: int):
        self.now, self.passes, self._durations = 0, 0, list(durations)

    def batch(self, iterations: int) -> None:
        for _ in range(iterations):
            self.now += self._durations.pop(0) if len(self._durations) > 1 else self._durations[0]
            self.passes += 1

    def sampler(self, samples: int = 3) -> Sampler:
        return Sampler(20_000_000, samples, lambda: self.now)


def test_samples_last_as_long_as_asked_once_two_batches_agree() -> None:
    clock = Clock(*[50_000] * 200, 30_000)  # faster once it was calibrated
    taken = list(clock.sampler().sample(clock.batch))
    assert len(taken) == 3
    for sample in taken:
        assert (
            sample["elapsed_ns"] == 30_000 * sample["iterations"]
            and 20_000_000 <= sample["elapsed_ns"] < 25_000_000
        )
        assert sample["settled"] is True and sample["warmups"] == 3
        assert {"involuntary_switches", "waited_ns", "page_faults", "stolen_ns"} <= sample.keys()


def test_a_time_that_never_settles_is_said_after_a_bound() -> None:
    clock = Clock(*(25_000_000 + 2_000_000 * (n % 2) for n in range(30)))
    assert [(s["settled"], s["warmups"]) for s in clock.sampler().sample(clock.batch)] == [(False, 8)] * 3


def test_a_pass_far_longer_than_a_sample_is_taken_once_and_warms_itself() -> None:
    clock = Clock(500_000_000, 400_000_000)
    (taken,) = clock.sampler().sample(clock.batch)
    assert (taken["elapsed_ns"], taken["iterations"], clock.passes) == (400_000_000, 1, 2)


Events = list[dict[str, Any]]


def said_of(
    compressors: dict[str, Callable[[], Compressor]], cells: list[str], parcels: list[bytes]
) -> Events:
    events: Events = []
    clock = Clock(1)

    def say(event: str, **values: Any) -> None:
        events.append({"event": event, **values})

    def clock_that_moves() -> int:
        clock.now += 30_000_000
        return clock.now

    measure(parcels, cells, compressors, Sampler(20_000_000, 1, clock_that_moves), say)
    return events


@pytest.mark.parametrize("parcel", [b"", b"x", b"serializer " * 3000, bytes(range(256)) * 4], ids=len)
@pytest.mark.parametrize("name", COMPRESSORS)
def test_every_compressor_gives_back_what_it_was_given(name: str, parcel: bytes) -> None:
    events = said_of(COMPRESSORS, [f"{name}:compress", f"{name}:decompress"], [parcel, b"another"])
    assert [(e["event"], e.get("direction")) for e in events] == [
        ("compressed", None),
        ("wire_sample", "compress"),
        ("wire_sample", "decompress"),
    ]
    made = COMPRESSORS[name]()
    assert events[0]["bytes"] == len(made.compress(parcel)) + len(made.compress(b"another"))
    assert events[0]["library"] == made.library and made.library[-1].isdigit()


def test_each_direction_is_timed_on_what_goes_into_it() -> None:
    calls: list[tuple[str, bytes]] = []

    def shorter(data: bytes) -> bytes:
        calls.append(("compress", data))
        return data[:1]

    def longer(data: bytes) -> bytes:
        calls.append(("decompress", data))
        return data * 2

    said_of({"half": lambda: Compressor("half 1", shorter, longer)}, ["half:decompress"], [b"aa", b"bb"])
    checked, timed = calls[:4], calls[4:]
    assert checked == [("compress", b"aa"), ("compress", b"bb"), ("decompress", b"a"), ("decompress", b"b")]
    assert timed and timed == [("decompress", b"a"), ("decompress", b"b")] * (len(timed) // 2)


def test_text_becomes_smaller_and_smallest_where_entropy_is_coded() -> None:
    text = b"".join(b"name %d, place %d; " % (n, n * n) for n in range(3000))
    sizes = {name: len(make().compress(text)) for name, make in COMPRESSORS.items()}
    assert all(size < len(text) / 2 for size in sizes.values())
    assert max(sizes, key=lambda name: sizes[name]) == "lz4"  # which alone has no Huffman codes
    assert sizes["zstd-1"] != sizes["zstd-3"]


def test_gzip_is_the_format_that_others_read() -> None:
    import gzip

    made = COMPRESSORS["gzip-6"]()
    assert gzip.decompress(made.compress(b"abc" * 100)) == b"abc" * 100
    assert made.decompress(gzip.compress(b"abc" * 100)) == b"abc" * 100


def test_a_compressor_that_fails_has_no_figures_and_the_others_have() -> None:
    def wrong() -> Compressor:
        return Compressor("wrong 1", lambda data: data, lambda data: data[:1] + b"!" + data[2:])

    def raises() -> Compressor:
        def refuse(data: bytes) -> bytes:
            raise MemoryError("too much")

        return Compressor("raises 1", refuse, refuse)

    cells = ["wrong:compress", "good:compress", "raises:decompress", "wrong:decompress"]
    good = {"wrong": wrong, "raises": raises, "good": COMPRESSORS["lz4"]}
    events = said_of(good, cells, [b"?", b"abcdef"])
    assert [e["compressor"] for e in events if e["event"] == "wire_sample"] == ["good"]
    assert {e["compressor"]: e["reason"] for e in events if e["event"] == "failed"} == {
        "wrong": "ValueError: it gives back other bytes from byte 1 of parcel 0: 2, expected 1",
        "raises": "MemoryError: too much",
    }


def texts(folder: Path, count: int) -> Dataset:
    """A dataset of short messages; the fake runner encodes each to its canonical bytes."""
    schema = Schema("texts", Record("Text", [Field("text", string)]))
    return write_dataset(
        folder, "fake", {}, schema, ((f"message {n} of {count} " * 4,) for n in range(count))
    )


def measured(folder: Path, units: list[Unit], **options: Any) -> tuple[Run, bool]:
    manifest = {
        "suite": None, "codecs": [str(s.identity["codec"]) for s in units], "floors": [],
        "workloads": ["fake"], "operations": [], "metrics": ["wire"], "rounds": 2,
        "datasets": {"fake": {"sha256": "", "messages": 30, "canonical_bytes": 1}},
        "machine": {"processor": "none"}, "arguments": [], "toolchains": [],
    }  # fmt: skip
    run = create_run(folder / "runs", manifest)
    with Journal(run) as journal:
        whole = measure_wire(
            units, Plan((), 2, seed=1, sample_ns=1000, samples=1, **options), journal, Quiet()
        )
        journal.append({"event": "end"})
    return run, whole


def unit(codec: str, dataset: Dataset, fault: str = "none", **found: Any) -> Unit:
    """One that was verified and offers ``encode``."""
    verification = Verification(True, "", operations=("encode",))
    return fake_unit(codec, dataset, command=(*FAKE, fault), **({"verification": verification} | found))


def test_what_a_codec_writes_is_compressed_alone_and_in_blocks(tmp_path: Path) -> None:
    data = texts(tmp_path, 30)
    run, whole = measured(tmp_path, [unit("fake/a", data), unit("fake/b", data)])
    assert whole
    wires = {(w.codec, w.parcel, w.compressor): w for w in wires_of(run)}
    assert len(wires) == (2 * 2 + 1) * len(COMPRESSORS)
    assert list(dict.fromkeys((codec, parcel) for codec, parcel, _ in wires)) == [
        ("", "byte"), ("fake/a", "message"), ("fake/a", "block"), ("fake/b", "message"), ("fake/b", "block")
    ]  # fmt: skip
    assert [name for codec, parcel, name in wires if (codec, parcel) == ("fake/b", "block")] == list(
        COMPRESSORS
    )
    plain = [bytes(message) for message in data.read_messages()]
    zstd = COMPRESSORS["zstd-1"]()
    alone_figures = wires["fake/a", "message", "zstd-1"]
    assert (alone_figures.messages, alone_figures.plain_bytes) == (30, data.canonical_bytes)
    assert alone_figures.bytes == sum(len(zstd.compress(message)) for message in plain)
    in_block = wires["fake/b", "block", "zstd-1"]
    assert (in_block.parcels, in_block.messages, in_block.plain_bytes) == (1, 30, data.body_bytes)
    assert in_block.bytes == len(zstd.compress(data.body()))
    assert all(w.taken["compress"].rounds == {1, 2} for w in wires.values())
    again = alone_figures.to_json()
    assert json.loads(json.dumps(again)) == again
    assert (
        again["wire_bytes"] == alone_figures.bytes and again["compress_ns"] > 0 and again["decompress_ns"] > 0
    )


def test_who_has_no_bytes_is_a_line_with_the_reason(tmp_path: Path) -> None:
    data = texts(tmp_path, 3)
    units = [
        unit("fake/good", data),
        unit("fake/crashes", data, "crash@encode"),
        unit("fake/absent", data, status="not_installed", reason="get it"),
    ]
    run, _ = measured(tmp_path, units)
    tables, _, records = tables_of(run, Paths.default().suites)
    notes = "\n".join(note for table in tables for note in table.notes)
    assert "fake/absent: not installed: get it" in notes
    assert "fake/crashes: the runner was killed by signal 9; it printed: free(): invalid pointer" in notes
    assert all([row[0] for row in table.rows] == ["fake/good"] for table in tables)
    assert {r.codec: r.reason for r in records if r.reason}.keys() == {"fake/crashes", "fake/absent"}


def test_time_that_is_over_ends_it_before_the_next_process(tmp_path: Path) -> None:
    run, whole = measured(tmp_path, [unit("fake/a", texts(tmp_path, 3))], max_time_s=0)
    assert not whole
    assert not [event for event in run.events() if isinstance(event, WireSample)]


def known_run(folder: Path) -> Run:
    """Two codecs on 10 messages: ``small`` has half the bytes, and takes twice as long to serialize. Times
    are known."""
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
    assert any("to compress and to decompress: lz4 400 ns and 200 ns. That" in note for note in notes)


def test_disturbed_samples_are_left_out_and_counted(tmp_path: Path) -> None:
    wires = wires_of(known_run(tmp_path))
    big = next(
        wire for wire in wires if (wire.codec, wire.parcel, wire.compressor) == ("cpp/big", "message", "lz4")
    )
    before = big.time("compress")
    for number in big.taken["compress"].rounds:
        slow = Sampled(
            codec="cpp/big", workload="w", round=number, iterations=1, elapsed_ns=10**12, waited_ns=10**11
        )
        big.taken["compress"].add(slow)
    notes = wire_tables(known_run(tmp_path), wires, [], {}, 80)[-1].notes
    assert big.time("compress") == before
    assert any(re.match(r"\d of \d+ samples of compressors disturbed and left out\.", note) for note in notes)
    big.taken["compress"].quiet.clear()
    notes = wire_tables(known_run(tmp_path), wires, [], {}, 80)[-1].notes
    assert any("but of 1 of " in note and "not to be trusted" in note for note in notes)


def test_on_a_busy_machine_the_restless_are_counted_and_not_named(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    wires = wires_of(run)
    for samples in (samples for wire in wires for samples in wire.taken.values()):
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
        journal.append({"event": "wire_failure", **who, "reason": "it gives back other bytes"})
    tables = wire_tables(run, wires_of(run), rows_of(run), {}, 80)
    assert all(cells(table)["cpp/big"]["lz4"] == "–" for table in tables[:4])
    assert cells(tables[0])["cpp/small"]["lz4"] == "300"
    assert "cpp/big lz4: it gives back other bytes" in [note for table in tables for note in table.notes]
    (failed,) = [wire.to_json() for wire in wires_of(run) if wire.reason]
    assert "wire_bytes" not in failed and "compress_ns" not in failed


def test_a_process_that_failed_after_its_last_sample_has_no_figures(tmp_path: Path) -> None:
    run = known_run(tmp_path)
    assert all(wire.taken for wire in wires_of(run) if wire.codec == "cpp/big" and wire.parcel == "message")
    with Journal(run) as journal:
        who = {"codec": "cpp/big", "workload": "w", "compiler": "", "parcel": "message"}
        journal.append({"event": "wire_failure", **who, "reason": "the runner was killed by signal 11"})
    known = Run(run.directory)
    wires = [wire for wire in wires_of(known) if wire.codec == "cpp/big" and wire.parcel == "message"]
    assert wires and all(wire.reason and not wire.taken and wire.bytes is None for wire in wires)
    assert any(wire.taken for wire in wires_of(known) if wire.codec == "cpp/small")

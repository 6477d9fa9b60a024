"""Tests of the wire cost of codecs: the bytes that are compressed, and how compression is measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support import fake_unit

from serbench.dataset.file import Dataset, Header, write_dataset
from serbench.measure.compressors import COMPRESSORS, Compressor
from serbench.measure.events import WireSample
from serbench.measure.plan import Plan
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
from serbench.report.tables import tables_of
from serbench.report.wire_table import wires_of

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def of_size(messages: int, canonical_bytes: int) -> Dataset:
    """A dataset with these counts, and no data."""
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
    """A simulated clock: each pass takes the next of ``durations``, and every further one the last."""

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
        "wrong": "ValueError: decompressing does not restore the bytes: they differ from byte 1 of parcel 0 "
        "on; found 2 bytes, expected 1",
        "raises": "MemoryError: too much",
    }


def texts(folder: Path, count: int) -> Dataset:
    """A dataset of short texts; the fake runner encodes each message to its canonical bytes."""
    schema = Schema("texts", Record("Text", [Field("text", string)]))
    return write_dataset(
        folder, "fake", {}, schema, ((f"message {n} of {count} " * 4,) for n in range(count))
    )


def measured(folder: Path, units: list[Unit], **options: Any) -> tuple[Run, bool]:
    manifest = {
        "suite": None, "codecs": [str(s.identity.codec) for s in units], "floors": [],
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
    """A verified unit of a codec and a dataset that offers ``encode``; its runner has the fault, and
    ``found`` replaces attributes of the unit."""
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
    assert alone_figures.values["messages"] == 30
    assert alone_figures.values["plain_bytes"] == data.canonical_bytes
    assert alone_figures.values["wire_bytes"] == sum(len(zstd.compress(message)) for message in plain)
    in_block = wires["fake/b", "block", "zstd-1"]
    counts = [in_block.values[name] for name in ("parcels", "messages", "plain_bytes")]
    assert counts == [1, 30, data.body_bytes]
    assert in_block.values["wire_bytes"] == len(zstd.compress(data.body()))
    assert all(w.samples["compress"].rounds == {1, 2} for w in wires.values())
    again = alone_figures.to_json()
    assert json.loads(json.dumps(again)) == again
    assert again["wire_bytes"] == alone_figures.values["wire_bytes"]
    assert again["compress_ns"] > 0 and again["decompress_ns"] > 0


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

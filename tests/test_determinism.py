"""Tests of determinism: bytes of equal values that differ are found, and how that is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import PATHS

from serbench.building.prepare import prepare_builds
from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.canonical import encode, encode_backwards
from serbench.dataset.file import ORIGIN, write_dataset
from serbench.languages import languages
from serbench.languages.base import BuildOrder
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.model import Field, Map, Optional, Record, Ref, i32, string, u8
from serbench.paths import PROJECT, Paths
from serbench.report.determinism_table import determinism_tables, record_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.determinism import AGAIN, EQUAL, Determinism, Repeated, determinism_of
from serbench.workload import Workload, WorkloadSpec

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
VARIANTS = load_variants(Paths.default().codecs)
ORDERED, SORTED = "python/json:dataclass", "cpp/cereal"
"""A variant of a language whose maps keep the order of their entries, and one of a language whose maps do
not."""

TAGGED = Record("Tagged", [Field("name", string), Field("tags", Map(string, string))])
PLAIN = Record("Plain", [Field("name", string), Field("size", u8)])


def tagged() -> Iterator[Any]:
    yield ("Without", {})
    yield ("One", {"k": "v"})
    yield ("Several", {f"key {n}": str(n) for n in range(9)})


def plain() -> Iterator[Any]:
    yield ("secret", 1)
    yield ("words", 2)


WORKLOADS = {
    "tagged": Workload("tagged", "messages with maps", TAGGED, tagged),
    "plain": Workload("plain", "messages without maps", PLAIN, plain),
}


def fake(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str = "none",
    codec: str = ORDERED,
    workload: str = "tagged",
) -> Unit:
    """A unit of a codec that writes the canonical bytes of a workload, and whose runner has the fault."""
    paths = Paths(PROJECT, folder)
    real = VARIANTS[codec]
    variant = Variant(real.codec, real.name, "A", "a", Tolerance(), "canonical")
    spec = WorkloadSpec(WORKLOADS[workload], {})
    monkeypatch.setenv("FAKE_CODEC", variant.id)
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return Unit(variant, spec, data, edge, command=(*FAKE, fault), silence_limit_s=20.0)


def words(found: Determinism) -> str:
    return " ".join(found.found[again].outcome for again in AGAIN)


def test_entries_of_maps_are_backwards_at_each_depth() -> None:
    inner = Record("Inner", [Field("by_number", Map(i32, Optional(Ref("Inner"))))])
    value = ({-1: None, 2: ({3: None, 4: None},)},)
    back = encode_backwards(inner, value)
    three, four = b"\3\0\0\0\0", b"\4\0\0\0\0"
    nested = b"\2\0\0\0\1" + b"\2\0\0\0" + four + three
    assert back == b"\2\0\0\0" + nested + b"\xff\xff\xff\xff\0"
    assert encode(inner, value) == b"\2\0\0\0" + b"\xff\xff\xff\xff\0" + nested.replace(
        four + three, three + four
    )


@pytest.mark.parametrize(
    ("fault", "outcomes"),
    [
        ("none", "equal equal equal differs"),  # it writes maps in the order in which it gets them
        ("counts", "differs equal differs differs"),
        ("by_process", "equal differs differs differs"),
        ("wrong", "equal equal differs differs"),
        ("crash@decode", "equal equal not tried differs"),
        ("crash@encode", "not tried not tried not tried not tried"),
    ],
)
def test_bytes_that_differ_are_told_by_what_they_differ_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, outcomes: str
) -> None:
    found = determinism_of(fake(tmp_path, monkeypatch, fault))
    assert words(found) == outcomes
    for each in found.found.values():
        assert bool(each.reason) == (each != EQUAL)


def test_the_first_message_that_differs_is_told_with_the_place_in_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = fake(tmp_path, monkeypatch, "counts")
    edges, size = unit.edge.messages, len(next(unit.edge.read_messages()))
    twice = determinism_of(unit).found["twice"]
    count = edges + unit.data.messages
    assert twice.reason == f"edge value 0 from byte {size} of {size + 4}; {count} of {count} messages"
    order = determinism_of(fake(tmp_path, monkeypatch)).found["order"]
    assert order.reason.endswith(f" of {count} messages, each with a map of several entries")
    last = determinism_of(fake(tmp_path, monkeypatch, "wrong")).found["roundtrip"]
    assert last.reason.startswith(f"message {unit.data.messages - 1} from byte ")


def test_an_order_of_entries_is_tried_only_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for codec, workload, reason in (
        (SORTED, "tagged", "the language's maps keep no order of entries"),
        (ORDERED, "plain", "no map has several entries"),
    ):
        found = determinism_of(fake(tmp_path, monkeypatch, codec=codec, workload=workload))
        assert words(found) == "equal equal equal none"
        assert found.found["order"].reason == reason


def test_no_value_of_private_data_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for fault in ("counts", "wrong", "error-with-values@decode"):
        unit = fake(tmp_path, monkeypatch, fault, workload="plain")
        schema = unit.spec.workload.schema
        private = write_dataset(tmp_path, "plain", {ORIGIN: "data"}, schema, [*plain()])
        told = str(determinism_of(Unit(unit.variant, unit.spec, private, private, command=unit.command)))
        assert "differs" in told or "is not shown" in told
        assert "secret" not in told and "words" not in told and "says no" not in told


def test_a_codec_that_was_not_built_or_only_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = fake(tmp_path, monkeypatch)
    for status, word in (("unsupported", "none"), ("not_installed", "none"), ("failed", "not tried")):
        other: Any = {**vars(unit), "status": status, "reason": "it has no maps"}
        assert set(determinism_of(Unit(**other)).found.values()) == {Repeated(word, "it has no maps")}  # type: ignore[arg-type]
    monkeypatch.setenv("FAKE_OPERATIONS", "decode deserialize")
    assert set(determinism_of(unit).found.values()) == {Repeated("none", "it does not write")}


def test_codecs_stand_in_rows_with_reasons_below() -> None:
    differs, none = Repeated("differs", "message 3 from byte 1 of 2"), Repeated("none", "no map")
    outcomes = [
        Determinism("p", "w", {"twice": EQUAL, "process": differs, "roundtrip": differs, "order": none}),
        Determinism("q", "w", dict.fromkeys(AGAIN, EQUAL)),
    ]
    (table,) = determinism_tables(outcomes, {"p": "1.2"})
    assert table.headings == ["codec", "version", "twice", "process", "roundtrip", "order"]
    assert table.rows == [["p", "1.2", "✓", "≠", "≠", "–"], ["q", "", "✓", "✓", "✓", "✓"]]
    assert table.notes[1:] == ["p, process, roundtrip: message 3 from byte 1 of 2", "p, order: no map"]
    assert record_of(outcomes[0], {"p": "1.2"}) == {
        "codec": "p",
        "version": "1.2",
        "workload": "w",
        "twice": "equal",
        "process": "differs",
        "roundtrip": "differs",
        "order": "none",
        "reasons": {"process": differs.reason, "roundtrip": differs.reason, "order": "no map"},
    }


ADAPTERS = """
import json
from cell import canonical
from cell.domain import Root

class Honest:
    class Encoder:
        encode = staticmethod(canonical.write)
    class Decoder:
        decode = staticmethod(canonical.read)

class Counts(Honest):
    class Encoder:
        def __init__(self):
            self.count = 0
        def encode(self, message):
            self.count = (self.count + 1) % 256
            return canonical.write(message) + bytes([self.count])
    class Decoder:
        def decode(self, data):
            return canonical.read(data[:-1])

class ByHash(Honest):
    class Encoder:
        def encode(self, message):
            return canonical.write(message) + hash("a").to_bytes(8, "little", signed=True)
    class Decoder:
        def decode(self, data):
            return canonical.read(data[:-8])

class Folds(Honest):
    class Decoder:
        def decode(self, data):
            message = canonical.read(data)
            return Root(message.name.casefold(), message.tags)

class AsPut:
    class Encoder:
        def encode(self, message):
            return json.dumps([message.name, message.tags]).encode()
    class Decoder:
        def decode(self, data):
            return Root(*json.loads(data))
"""
MADE_UP = {
    "Honest": "equal equal equal equal",
    "Counts": "differs equal equal equal",
    "ByHash": "equal differs differs differs",
    "Folds": "equal equal differs equal",
    "AsPut": "equal equal equal differs",
}
"""Made-up adapter → the outcomes of the ways in which equal values are encoded again."""


@pytest.mark.native
def test_made_up_adapters_are_told_apart_by_their_programs(tmp_path: Path) -> None:
    folder = tmp_path / "codecs" / "python" / "unsteady"
    folder.mkdir(parents=True)
    declared = (Path(__file__).parent / "tricks/codecs/python/tricks/codec.toml").read_text()
    variants = [f'[variants.{each.lower()}]\nadapter = "{each}"\nsummary = "made up"\n' for each in MADE_UP]
    (folder / "codec.toml").write_text("\n".join([declared.partition("[variants.")[0], *variants]))
    (folder / "adapter.py").write_text(ADAPTERS)
    made = load_variants(tmp_path / "codecs")
    paths, spec = Paths(PROJECT, tmp_path / "home"), WorkloadSpec(WORKLOADS["tagged"], {})
    codec = next(iter(made.values())).codec
    builds = languages()["python"].toolchains(BuildOrder(paths, [codec], [spec.workload]))
    units = prepare_builds(Job(paths, Chosen([*made.values()], [spec]), builds))
    assert [unit.reason for unit in units if unit.status != "ok"] == []
    found = {unit.variant.adapter: words(determinism_of(unit)) for unit in units}
    assert found == MADE_UP


@pytest.mark.native
def test_the_command_tells_outcomes_and_differences_are_no_failure() -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src"), "SERBENCH_HOME": str(PATHS.home)}
    asked = ["verify", "--determinism", "-w", "nobid:count=5", "-c", "python/json:dataclass"]
    done = subprocess.run(
        [sys.executable, "-m", "serbench", *asked, "--format", "json"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert [record[again] for again in AGAIN] == ["equal", "equal", "equal", "differs"]
    assert record["codec"] == "python/json:dataclass" and record["version"]

"""Tests of interop: codecs that share a format read each other's bytes, and a codec that cannot is found."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import ENOUGH, OWN, PATHS, SINGLE, SMALL, Native

from serbench.codecs.codec import Inability, Variant
from serbench.codecs.laid_out import Layout, why_unread
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import Dataset
from serbench.dataset.values import Limits
from serbench.errors import FileError
from serbench.measure.unit import Unit
from serbench.model import Field, List, Map, Optional, Record, Schema, i32, string, u64
from serbench.paths import PROJECT, Paths
from serbench.report.interop_table import interop_tables
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.selection import Memory
from serbench.verification import interop
from serbench.verification.contract import encode
from serbench.verification.interop import (
    EdgeValues,
    Exchange,
    edge_values_of_both,
    exchange_all,
    shared_formats,
)
from serbench.workload import load_workloads, parse_workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
VARIANTS = load_variants(Paths.default().codecs)


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str = "none", layout: str = "") -> Unit:
    """A unit of a fake codec that writes the canonical bytes; the fake runner has the fault."""
    paths = Paths(PROJECT, folder)
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    plain = VARIANTS["cpp/cereal"]
    variant = Variant(plain.codec, "default", "A", "a", Tolerance(), "canonical", layout)
    monkeypatch.setenv("FAKE_SCHEMA", spec.workload.schema.digest())
    monkeypatch.setenv("FAKE_CODEC", plain.id)
    data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return Unit(variant, spec, data, edge, compiler=fault, command=(*FAKE, fault), silence_limit_s=20.0)


def own_edges(writer: Unit, reader: Unit) -> Dataset:
    return writer.edge


def exchanged(*units: Unit, edges: EdgeValues = own_edges) -> dict[tuple[str, str], Exchange]:
    return {(e.writer.split()[1], e.reader.split()[1]): e for e in exchange_all(units, edges, lambda _: None)}


def test_what_a_reader_makes_of_it_is_compared_and_its_faults_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, wrong, dumb = (fake(tmp_path, monkeypatch, fault) for fault in ("none", "wrong", "crash@encode"))
    found = exchanged(good, wrong, dumb)
    assert len(found) == 6
    read_wrongly = found["none", "wrong"]
    assert read_wrongly.failed and "message 31, Monsters.monsters[0].path" in read_wrongly.reason
    read_well = found["wrong", "none"]
    assert (read_well.failed, read_well.reason, read_well.same_bytes) == (False, "", True)
    never_written = found["crash@encode", "none"]
    assert never_written.failed and "free(): invalid pointer" in never_written.reason
    assert found["none", "crash@encode"].same_bytes is None


def test_a_declared_difference_of_layout_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = fake(tmp_path, monkeypatch, layout="records as arrays")
    maps = replace(fake(tmp_path, monkeypatch, layout="records as maps"), compiler="other")
    found = exchanged(arrays, maps)["none", "other"]
    assert (found.failed, found.reason) == (False, "writes records as arrays, reads records as maps")


def test_edge_values_are_those_that_both_can_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edge values have only as many steps of recursion as both the writer and the reader of a pair can do,
    since the lower limit of one is no fault of the other."""
    paths = Paths(PROJECT, tmp_path)
    spec = parse_workload("telemetry:spans=1", load_workloads(paths.workloads))
    units = []
    for name, steps in (("deep", ()), ("middle", (9,)), ("shallow", (5, 7))):
        cannot = tuple(Inability("its stack is small", steps_over=most) for most in steps)
        variant = replace(VARIANTS["cpp/cereal"], cannot=cannot)
        units.append(replace(fake(tmp_path, monkeypatch), variant=variant, spec=spec, compiler=name))
    deep, middle, shallow = units
    edges = edge_values_of_both(paths)
    for pair, most in (
        ((deep, shallow), 5),
        ((shallow, middle), 5),
        ((middle, deep), 9),
        ((deep, deep), None),
    ):
        for one, other in (pair, pair[::-1]):
            assert edges(one, other).header.parameters.get("most_steps") == most
    floats = [
        replace(each, variant=replace(each.variant, cannot=(Inability("", floats_outside=x),)))
        for each, x in (
            (deep, (-1.0, 8.0)),
            (deep, (0.0, 9.0)),
        )
    ]
    assert edges(*floats).header.parameters["float_range"] == [0.0, 8.0]
    assert edges(floats[0], deep).header.parameters["float_range"] == [-1.0, 8.0]


def test_what_is_read_is_what_was_written_for_this_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each distinct dataset is encoded only once, and what a reader gives is compared with the dataset that
    was written for this pair of a writer and a reader."""
    one = fake(tmp_path, monkeypatch)
    other, third = replace(one, compiler="other"), replace(one, compiler="third")
    narrow = edge_dataset_for(one.spec, Paths(PROJECT, tmp_path), Limits((-1.0, 1.0)))
    assert narrow.sha256 != one.edge.sha256
    encoded = []

    def told(unit: Unit, dataset: Dataset, memory: Memory, file: Path) -> int:
        encoded.append((unit, dataset))
        return encode(unit, dataset, memory, file)

    monkeypatch.setattr(interop, "encode", told)
    found = exchanged(
        one, other, third, edges=lambda w, r: narrow if "other" in (w.compiler, r.compiler) else one.edge
    )
    assert [each.reason for each in found.values()] == [""] * 6
    sets = {unit.compiler: [d.sha256 for u, d in encoded if u is unit] for unit in (one, other, third)}
    assert {name: len(each) for name, each in sets.items()} == {"none": 3, "other": 2, "third": 3}
    assert narrow.sha256 in sets["other"] and one.edge.sha256 not in sets["other"]


SIGNED = Layout("u64 as signed numbers", having=("u64",))
PAIRS = Layout("maps as pairs", having=("map<integer, *>",))
OBJECTS = Layout("maps as objects", having=("map<integer, *>",))
ZEROS = Layout("zeros by leaving them out", defaults=("integer",), reads=("all fields",))
SHORT = Layout("floats in few bytes", having=("f64",), freely=True)
STRICT = Layout("", having=("f64",), refuses=("floats in few bytes",))
ALL = Layout("all fields", defaults=("integer",))


@pytest.mark.parametrize(
    ("written", "read", "said"),
    [
        ([], [], None),
        ([PAIRS], [PAIRS], None),
        ([PAIRS], [OBJECTS], "writes maps as pairs, reads maps as objects"),
        ([OBJECTS, SIGNED], [OBJECTS], "writes u64 as signed numbers, which the reader does not read"),
        ([OBJECTS], [SIGNED, OBJECTS], "reads u64 as signed numbers, which the writer does not write"),
        ([OBJECTS, SIGNED], [PAIRS], "writes maps as objects and u64 as signed numbers, reads maps as pairs"),
        ([ALL], [ZEROS], None),
        ([ZEROS], [ALL], "writes zeros by leaving them out, reads all fields"),
        ([ZEROS], [ZEROS], None),
        ([ZEROS], [], "writes zeros by leaving them out, which the reader does not read"),
        ([SHORT], [], None),
        ([], [SHORT], None),
        ([SHORT, PAIRS], [PAIRS, STRICT], "writes floats in few bytes, which the reader does not read"),
        ([PAIRS, STRICT], [PAIRS, SHORT], None),
        ([OBJECTS, SHORT], [PAIRS], "writes maps as objects, reads maps as pairs"),
    ],
)
def test_a_difference_of_layouts_is_said_in_words(
    written: list[Layout], read: list[Layout], said: str | None
) -> None:
    assert why_unread(written, read) == said


def test_a_layout_counts_only_where_a_schema_has_what_it_is_about() -> None:
    def counting(*fields: Field) -> list[Layout]:
        schema = Schema("made", Record("Root", [Field("items", List(Record("Item", fields)))]))
        variant = replace(VARIANTS["cpp/cereal"], layout="as arrays", layouts=(SIGNED, PAIRS, ALL))
        return variant.laid_out(schema)

    always = Layout("as arrays")
    assert counting(Field("a", i32), Field("b", Map(string, i32))) == [always]
    assert counting(Field("a", Optional(u64))) == [always, SIGNED]
    assert counting(Field("a", Map(u64, string))) == [always, SIGNED, PAIRS]
    assert counting(Field("a", i32, default=7)) == [always, ALL]
    assert counting(
        Field("a", i32, default=0), Field("b", string, default="x"), Field("c", Optional(i32), default=7)
    ) == [always]


def test_a_fault_in_a_layout_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "jvm" / "own" / "codec.toml"
    path.parent.mkdir(parents=True)
    text = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text().replace("floor = true\n", "")
    faulty = """layouts = [
  { with = ["map<int, *>"], layout = "as pairs" },
  { layout = "as pairs" },
  { with = ["u8"], defaults = ["u8"], layout = "as pairs" },
  { defaults = ["Vec3"], layout = " " },
]"""
    path.write_text(f"{text}{faulty}\n")
    with pytest.raises(FileError) as raised:
        load_codec(path)
    said = str(raised.value)
    assert "5 errors" in said
    assert "variants.default.layouts[0].with: unknown type 'int'" in said
    for n in (1, 2):
        assert (
            f"variants.default.layouts[{n}]: expected one of with = [types] and defaults = "
            "[types], and a layout"
        ) in said
    assert "variants.default.layouts[3].defaults: unknown type 'Vec3'" in said
    assert "variants.default.layouts[3]: found an empty layout" in said


def test_codecs_that_lay_out_the_same_say_the_same_words() -> None:
    """Codecs exchange messages only if the words that describe their layouts are equal. So every layout that
    a codec says it reads or refuses must be described in the same words as by a codec that writes it."""
    declared = [(variant.format, each) for variant in VARIANTS.values() for each in variant.layouts]
    written = {(format, each.words) for format, each in declared if each.words}  # others are only refused
    assert {(format, words) for format, each in declared for words in (*each.reads, *each.refuses)} <= written
    assert {words for format, words in written if format == "json"} == {
        "64-bit integers as text",
        "a negative zero as the integer -0",
        "alternatives without a value as empty objects",
        "alternatives without a value as their names",
        "arrays of bytes as base64",
        "bytes as base64",
        "bytes as base64 for addresses",
        "bytes as base64 in lines",
        "bytes as base85",
        "enums as their numbers",
        "maps whose keys are no strings as arrays of pairs",
        "maps whose keys are no strings as objects with the keys as text",
        "maps whose keys are no strings as objects with the numbers as text",
        "open enums as their numbers",
        "u64 as signed numbers of the same bits",
        "unions as objects with their alternative's name under type",
        "unions as objects with their alternative's name under type beside value",
        "unions as objects with their class under _type",
    }


def test_a_format_of_one_codec_alone_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = fake(tmp_path, monkeypatch)
    other = replace(one, compiler="other", variant=VARIANTS["cpp/iostream"])
    assert shared_formats([one, replace(one, compiler="again")]) == {}
    assert [unit.name for unit in shared_formats([one, other])["canonical"]] == [
        "cpp/cereal none",
        "cpp/iostream other",
    ]


def test_the_matrix_has_writers_in_rows_and_its_reasons_below() -> None:
    exchanges = [
        Exchange("json", "w", "a", "b", same_bytes=True),
        Exchange("json", "w", "b", "a", same_bytes=False),
        Exchange("json", "w", "a", "c", reason="lost", failed=True),
        Exchange("json", "w", "c", "a", reason="does not write"),
        Exchange("json", "w", "b", "c", reason="lost", failed=True),
    ]
    (table,) = interop_tables(exchanges)
    assert [list(row) for row in table.rows] == [
        ["1", "a", "", "✓✓", "✗ a"],
        ["2", "b", "✓", "", "✗ a"],
        ["3", "c", "– b", "", ""],
    ]
    assert list(table.headings[2:]) == ["1", "2", "3"]
    assert table.notes[1:] == ["a: lost", "b: does not write"]


@pytest.mark.native
@pytest.mark.whatever_was_built
@pytest.mark.parametrize("workload", SMALL)
def test_real_codecs_of_one_format_read_each_other(
    request: pytest.FixtureRequest, native: Native, workload: str
) -> None:
    if not native.whole and workload not in (ENOUGH, SINGLE, *OWN.values()):
        pytest.skip(f"{workload} is left to ./serbench test --all")
    groups = shared_formats([unit for (_, built_for), unit in native.units.items() if built_for == workload])
    own = [format for format, name in OWN.items() if name == workload]
    if not request.config.getoption("codec"):  # which may leave out all but one codec of a format
        assert groups.keys() >= set(own or ["canonical"])
    exchanges = [
        each
        for group in groups.values()
        for each in exchange_all(group, edge_values_of_both(PATHS), lambda _: None)
    ]
    assert [f"{e.writer} → {e.reader}: {e.reason}" for e in exchanges if e.failed] == []
    # A oneof may stand anywhere in the bytes: prost writes it where its field is, Go behind all others.
    in_order = [e for e in exchanges if not f"{e.writer} {e.reader}".count("/prost")]
    in_order = [e for e in in_order if not f"{e.writer} {e.reader}".count("go/protobuf")]
    assert [f"{e.writer} → {e.reader}" for e in in_order if e.format in own and not e.same_bytes] == []

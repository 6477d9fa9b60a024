"""Tests of importing Parquet and Arrow: the type that each type becomes, and that imported rows equal those
that were written."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.columns_drawn import KINDS, DrawnTable, written
from tests.support import examples

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError, SetupError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.columns import library, mapping, reading
from serbench.imports.json import settings
from serbench.imports.names import identifier
from serbench.model.names import pascal
from serbench.model.parts import describe

pa = pytest.importorskip(
    "pyarrow", reason="pyarrow is not in this environment; it is of the extra serbench[parquet]"
)


def read(*files: Path, **more: Any) -> Imported:
    return formats()["parquet" if files[0].suffix == ".parquet" else "arrow"].read(Request(files, **more))


def values(found: Imported) -> list[Any]:
    assert found.values
    made = list(found.values())
    root = found.schema("test").root
    assert [find_mismatch(root, value) for value in made] == [None] * len(made)
    return made


def refusal(*files: Path, **more: Any) -> str:
    """The message with which the import refuses files, on opening or on reading."""
    with pytest.raises(InputError) as caught:
        found = read(*files, **more)
        for _ in (found.values or list)():
            pass
    return str(caught.value)


def losses(found: Imported) -> dict[str, str]:
    return {each.path: each.what for each in found.losses}


def of_numbers(numbers: list[Any], type: Any) -> Any:
    return pa.array(numbers, pa.int32() if type.bit_width == 32 else pa.int64()).view(type)


UUID = bytes(range(16))

BITS = (8, 16, 32, 64)

TYPES: dict[str, tuple[Any, str, list[Any]]] = {
    **{
        f"int{bits}": (
            pa.array([-1, 2 ** (bits - 1) - 1], f"int{bits}"),
            f"i{bits}",
            [-1, 2 ** (bits - 1) - 1],
        )
        for bits in BITS
    },
    **{
        f"uint{bits}": (pa.array([0, 2**bits - 1], f"uint{bits}"), f"u{bits}", [0, 2**bits - 1])
        for bits in BITS
    },
    "bool": (pa.array([True, False]), "bool", [True, False]),
    "float16": (pa.array([1.5, -0.25], pa.float16()), "f32", [1.5, -0.25]),
    "float": (pa.array([1.5, 0.1], pa.float32()), "f32", [1.5, 0.10000000149011612]),
    "double": (pa.array([0.1, float("inf")]), "f64", [0.1, float("inf")]),
    "string": (pa.array(["", "é😀"]), "string", ["", "é😀"]),
    "large_string": (pa.array(["", "x"], pa.large_string()), "string", ["", "x"]),
    "binary": (pa.array([b"", b"\xff\0"]), "bytes", [b"", b"\xff\0"]),
    "large_binary": (pa.array([b"x"], pa.large_binary()), "bytes", [b"x"]),
    "fixed binary": (pa.array([b"abc"], pa.binary(3)), "bytes<3>", [b"abc"]),
    "uuid": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([UUID], pa.binary(16))),
        "uuid over bytes<16>",
        [UUID],
    ),
    "dictionary": (pa.array(["a", "b", "a"]).dictionary_encode(), "string", ["a", "b", "a"]),
    "date32": (of_numbers([-1, 20000], pa.date32()), "date over i32", [-1, 20000]),
    "date64": (of_numbers([-86_400_000, 0], pa.date64()), "date over i32", [-1, 0]),
    "time32": (of_numbers([0, 86_399_999], pa.time32("ms")), "time in ms", [0, 86_399_999]),
    "time64": (of_numbers([1, 86_399_999_999], pa.time64("us")), "time in us", [1, 86_399_999_999]),
    "timestamp": (of_numbers([-1, 2**62], pa.timestamp("ns", "UTC")), "timestamp in ns", [-1, 2**62]),
    "local": (of_numbers([-1, 2**62], pa.timestamp("us")), "local timestamp in us", [-1, 2**62]),
    "duration": (of_numbers([-5, 2**62], pa.duration("ns")), "duration in ns", [-5, 2**62]),
    "decimal 9": (pa.array([Decimal("-1.25")], pa.decimal128(9, 2)), "decimal<9, 2> over i32", [-125]),
    "decimal 18": (
        pa.array([Decimal(-(10**18) + 1)], pa.decimal128(18, 0)),
        "decimal<18, 0> over i64",
        [-(10**18) + 1],
    ),
    "decimal 19": (
        pa.array([Decimal(10**19 - 1), Decimal(-2)], pa.decimal128(19, 0)),
        "decimal<19, 0> over bytes<9>",
        [b"\0\x8a\xc7\x23\x04\x89\xe7\xff\xff", b"\xff" * 8 + b"\xfe"],
    ),
    "decimal 76": (
        pa.array([Decimal(-1)], pa.decimal256(76, 0)),
        "decimal<76, 0> over bytes<32>",
        [b"\xff" * 32],
    ),
    "list": (pa.array([[1], [], [2, 3]]), "list<optional<i64>>", [[1], [], [2, 3]]),
    "fixed list": (
        pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
        "array<optional<i32>, 2>",
        [[1, 2], [3, 4]],
    ),
    "map": (
        pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int8())),
        "map<string, optional<i8>>",
        [{"a": 1}, {}],
    ),
    "struct": (pa.array([{"x": 1, "y": "a"}]), "C", [(1, "a")]),
}

CODES = pa.array([0, 1, 0], pa.int8())

ONLY_ARROW: dict[str, tuple[Any, str, list[Any]]] = {
    "dense union": (
        pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()),
            pa.array([0, 0, 1], pa.int32()),
            [pa.array([1, 2]), pa.array(["x"])],
        ),
        "C",
        [(0, 1), (1, "x"), (0, 2)],
    ),
    "sparse union": (
        pa.UnionArray.from_sparse(CODES, [pa.array([1, None, 2]), pa.array([None, "x", None])]),
        "C",
        [(0, 1), (1, "x"), (0, 2)],
    ),
    "runs": (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), "string", ["a", "a", "b"]),
    "string view": (pa.array(["a", "b" * 100], pa.string_view()), "string", ["a", "b" * 100]),
    "binary view": (pa.array([b"a"], pa.binary_view()), "bytes", [b"a"]),
    "list view": (pa.array([[1], [2, 3]], pa.list_view(pa.int8())), "list<optional<i8>>", [[1], [2, 3]]),
    "decimal32": (pa.array([Decimal("-1.25")], pa.decimal32(9, 2)), "decimal<9, 2> over i32", [-125]),
    "decimal64": (pa.array([Decimal("-1.25")], pa.decimal64(10, 2)), "decimal<10, 2> over i64", [-125]),
    "duration in s": (of_numbers([5], pa.duration("s")), "duration in s", [5]),
    "time32 in s": (of_numbers([5], pa.time32("s")), "time in s", [5]),
}


WITHOUT_NULL = ("dense union", "sparse union", "runs")
ROWS = 5


@pytest.mark.parametrize("kind", KINDS)
def test_each_type_has_its_own_and_its_values(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All types are in one file, each as a column without and one with nulls, since opening a file takes a
    third of a second."""
    cases = TYPES if kind == "parquet" else TYPES | ONLY_ARROW
    columns = {name: pa.concat_arrays([array] * ROWS).slice(0, ROWS) for name, (array, _, _) in cases.items()}
    plain = [pa.field(name, column.type, nullable=False) for name, column in columns.items()]
    optional = [
        pa.field(f"{name}, optional", column.type)
        for name, column in columns.items()
        if name not in WITHOUT_NULL
    ]
    nulls = [
        pa.concat_arrays([pa.nulls(1, field.type), columns[field.name[:-10]].slice(1)]) for field in optional
    ]
    table = pa.Table.from_arrays([*columns.values(), *nulls], schema=pa.schema([*plain, *optional]))
    found = read(written(tmp_path, kind, table, rows=2))
    rows = values(found)
    monkeypatch.setattr(reading, "WINDOW", 1)  # each row alone
    assert values(found) == rows
    made = [*zip(*rows, strict=True)]
    for field, column in zip(found.root.fields, made, strict=True):
        name = field.wire_name.removesuffix(", optional")
        _, ours, expected = cases[name]
        ours = pascal(identifier(field.wire_name)) if ours == "C" else ours
        expected = (expected * ROWS)[:ROWS]
        is_optional = field.wire_name != name
        assert describe(field.type) == (f"optional<{ours}>" if is_optional else ours)
        assert [*column] == ([None, *expected[1:]] if is_optional else expected), field.wire_name


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_tables_come_back(kind: str, tmp_path: Path) -> None:
    for number in range(examples(6)):
        draws = random.Random(f"{kind}/{number}")
        drawn = DrawnTable(draws, draws.choice((1, 5, 40)))
        file = written(tmp_path, kind, drawn.table, rows=draws.choice((1, 7, 100)))
        assert values(read(file)) == drawn.rows, number


def test_large_batches_are_made_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = DrawnTable(random.Random(5), 300)
    for window in (1, 5000, 1 << 30):
        monkeypatch.setattr(reading, "WINDOW", window)
        assert values(read(written(tmp_path, "arrow", drawn.table, rows=300))) == drawn.rows


def test_batches_may_have_dictionaries_of_their_own(tmp_path: Path) -> None:
    batches = [
        pa.record_batch({"d": pa.array(texts).dictionary_encode()})
        for texts in (["a", "b"], ["b", "c"], ["b", None])
    ]
    with pa.ipc.new_stream(str(tmp_path / "m.arrows"), batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert values(read(tmp_path / "m.arrows")) == [("a",), ("b",), ("b",), ("c",), ("b",), (None,)]


def test_what_stands_under_a_null_is_not_looked_at(tmp_path: Path) -> None:
    inner, fields = pa.array([1, None, 3]), [pa.field("x", pa.int64(), nullable=False)]
    struct = pa.StructArray.from_arrays([inner], fields=fields, mask=pa.array([False, True, False]))
    found = read(written(tmp_path, "arrow", pa.table({"c": struct})))
    assert values(found) == [((1,),), (None,), ((3,),)]
    of_null = pa.StructArray.from_arrays([inner], fields=fields)
    assert "row 2, c.x: found null; expected a value" in refusal(
        written(tmp_path, "arrow", pa.table({"c": of_null}))
    )


def test_losses_are_told(tmp_path: Path) -> None:
    table = pa.table(
        {
            "half": pa.array([1.5], pa.float16()),
            "zone": of_numbers([0], pa.timestamp("ms", "Europe/Berlin")),
            "scaled": pa.array([Decimal("1200")], pa.decimal128(5, -2)),
            "json": pa.array(["{}"], pa.json_()),
            "on": pa.array([[(5, 1)]], pa.map_(pa.date32(), pa.int8())),
            "by": pa.array([[(b"k", 1)]], pa.map_(pa.binary(), pa.int8())),
            "void": pa.nulls(1),
            "flag": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8())),
        }
    )
    found = read(written(tmp_path, "arrows", table))
    told = losses(found)
    assert set(told) == {"half", "zone", "scaled", "json", "on", "by", "flag"}
    assert (
        "f32" in told["half"]
        and "Europe/Berlin" in told["zone"]
        and "-2 digits" in told["scaled"]
        and "arrow.json" in told["json"]
    )
    assert values(found) == [(1.5, 0, 12, "{}", [(5, 1)], [(b"k", 1)], None, 1)]
    why = {each.path: each.why for each in found.mapping}
    assert why["void"] == "all values are null"


def test_the_mapping_is_in_the_words_of_arrow(tmp_path: Path) -> None:
    items = pa.list_(pa.field("item", pa.struct([pa.field("x", pa.int8(), nullable=False)]), nullable=False))
    fields = [
        pa.field("l", items, nullable=False),
        pa.field("m", pa.map_(pa.string(), pa.list_(pa.float32(), 2))),
        pa.field("d", pa.dictionary(pa.int8(), pa.string())),
        pa.field("u", pa.uuid()),
    ]
    found = read(written(tmp_path, "arrow", pa.schema(fields).empty_table()))
    assert [(each.path, each.theirs, each.ours) for each in found.mapping] == [
        ("l", "list<struct> not null", "list<LItem>"),
        ("l[]", "struct not null", "LItem"),
        ("l[].x", "int8 not null", "i8"),
        ("m", "map<string, list<float>[2]>", "optional<map<string, optional<array<optional<f32>, 2>>>>"),
        ("m{}", "list<float>[2]", "optional<array<optional<f32>, 2>>"),
        ("m{}[]", "float", "optional<f32>"),
        ("d", "dictionary<string>", "optional<string>"),
        ("u", "arrow.uuid", "optional<uuid over bytes<16>>"),
    ]


def test_parquet_says_more_than_arrow(tmp_path: Path) -> None:
    file = tmp_path / "m.parquet"
    table = pa.table({"t": of_numbers([5], pa.timestamp("ns")), "n": [1], "v": pa.array([None], pa.int8())})
    pa.parquet.write_table(table, file, use_deprecated_int96_timestamps=True, store_schema=False)
    found = read(file)
    assert "INT96" in losses(found)["t"] and values(found) == [(5, 1, None)]
    why = {each.path: each.why for each in found.mapping}
    assert why["n"] == "it can be null but never is; --set 'n=i64' makes it plain" and not why["v"]


def test_an_interval_of_parquet_is_told(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb, which writes intervals, is in serbench[sql]")
    file = tmp_path / "m.parquet"
    duckdb.sql(f"copy (select interval 3 month as i) to '{file}'")
    found = read(file)
    assert losses(found)["i"] == (
        "that it is an interval of months, days and milliseconds: it becomes the bytes that it is stored as"
    )
    assert values(found) == [((3).to_bytes(4, "little") + bytes(8),)]


def test_what_a_user_says_counts(tmp_path: Path) -> None:
    table = pa.table(
        {
            "i": pa.array([1, 2]),
            "e": pa.array(["a b", "c"]).dictionary_encode(),
            "t": pa.array([1, None]),
            "f": pa.array([0.5, 0.25]),
            "u": pa.array([UUID] * 2, pa.binary(16)),
            "l": pa.array([["x"], ["y", None]]),
        }
    )
    file = written(tmp_path, "parquet", table)
    said = {
        "i": "i32",
        "e": "enum",
        "t": "optional<timestamp in s>",
        "f": "f32",
        "u": "uuid",
        "l": "list<optional<enum>>",
    }
    found = read(file, settings=said)
    types = [describe(field.type) for field in found.root.fields]
    assert types == [
        "i32",
        "E",
        "optional<timestamp in s>",
        "f32",
        "uuid over bytes<16>",
        "list<optional<LItem>>",
    ]
    assert values(found) == [(1, 0, 1, 0.5, UUID, [0]), (2, 1, None, 0.25, UUID, [1, None])]
    schema = found.schema("s")
    assert dict(schema.enums[0].wire) == {"a_b": "a b"}
    assert (
        "row 2, t: found null; expected a value, as the schema or --set says; --set 't=optional<timestamp>'"
        in refusal(file, settings={"t": "timestamp in s"})
    )
    assert "settings, i: found 'string' for int64" in refusal(file, settings={"i": "string"})
    assert "settings, l: found 'record' for list" in refusal(file, settings={"l": "record"})
    assert "found no field at 'j'; there are i, e, t, f, u, l" in refusal(file, settings={"j": "i32"})
    assert "row 1, e: found a text of 3 characters; expected a UUID" in refusal(file, settings={"e": "uuid"})


def test_enums_have_not_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mapping, settings):
        monkeypatch.setattr(module, "MOST_MEMBERS", 2)
    file = written(tmp_path, "arrow", pa.table({"e": ["a", "b", "c", "d"]}))
    assert "settings, e: found 'enum' for more than 2 different texts" in refusal(
        file, settings={"e": "enum"}
    )
    file = written(tmp_path, "arrow", pa.table({"e": ["a", ""]}))
    assert "found 'enum' for an empty text" in refusal(file, settings={"e": "enum"})


def test_several_files_are_one_dataset_of_one_schema(tmp_path: Path) -> None:
    one = written(tmp_path, "parquet", pa.table({"a": [1], "b": ["x"]}), "one")
    two = written(tmp_path, "parquet", pa.table({"a": [2], "b": ["y"]}), "two")
    assert values(read(one, two)) == values(read(one, data=(two,))) == [(1, "x"), (2, "y")]
    for other, told in (
        (
            {"a": pa.array([1], pa.int8()), "b": ["x"]},
            "other.parquet, a: found int8; expected int64, as in the first file",
        ),
        ({"a": [1]}, "other.parquet, b: found no such column"),
        ({"a": [1], "b": ["x"], "c": [1]}, "other.parquet, c: found a column that the first file lacks"),
        ({"b": ["x"], "a": [1]}, "other.parquet: found the columns in another order"),
    ):
        assert told in refusal(one, written(tmp_path, "parquet", pa.table(other), "other"))


def test_columns_in_names_of_folders_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "year=2026"
    folder.mkdir()
    assert "in the names of folders" in losses(read(written(folder, "parquet", pa.table({"a": [1]}))))["year"]


def test_without_pyarrow_it_is_named_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "parquet", pa.table({"a": [1]}))
    monkeypatch.setattr("serbench.system.extras.find_spec", lambda name: None)
    with pytest.raises(
        SetupError, match=r"needs pyarrow, from the extra serbench\[parquet\]; get it: .+ install "
    ):
        read(file)
    assert library.EXTRA == "parquet"

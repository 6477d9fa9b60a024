"""Tests that files which are not Avro, or are made to do harm, end in an error that names the place and holds
no value."""

from __future__ import annotations

import bz2
import json
import lzma
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cramjam
import pytest
import zstandard
from tests.avro_drawn import imported
from tests.mutated_inputs import hold_mutants
from tests.test_import_avro import NODE, ORDER, field, long, order, refusal, with_block

from serbench.errors import InputError
from serbench.imports.avro import container, mapping, plan, read, schemas
from serbench.imports.base import Request
from serbench.model.types import MAX_DEPTH

EMPTY = {"type": "record", "name": "Empty", "fields": []}


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("", "found no schema: the file is empty; expected an Avro schema in JSON"),
        (
            " // a\n{}",
            "line 1, column 2: found a comment; expected an Avro schema in JSON; JSON has no comments",
        ),
        ('{"a": 1', "line 1, column 8: found unexpected end of data; expected an Avro schema in JSON"),
        ('{"type": ', "line 1, column 10: found"),
        ("[" * 1_000_000, "line 1, column 1026: found depth limit exceeded"),
        ('{"type": "array", "items": ' * 1_000_000, "found"),
        ("[]", "found 0 schemas"),
        ("5", "m.avsc: found"),
        ("null", "m.avsc: found"),
        ("{}", "found a schema without type"),
        (json.dumps({"type": "record", "name": "R"}), "R: found a message without fields"),
        (json.dumps({"type": "record", "fields": []}), '"name" is a required field'),
        (json.dumps({"type": "array"}), "found a schema without items"),
        (json.dumps({"type": ["int"], "name": []}), ""),
        (json.dumps(field("no.Such")), "found a type no.Such; expected one that is declared"),
        (json.dumps(field({"type": "record", "name": "S"})), ""),
        (json.dumps(field(["null", ["int"]])), "R.f: found a union that is a branch of a union"),
        (json.dumps(field(["int", ["int"]])), "R.f: found a union that is a branch of a union"),
        (json.dumps(field([])), "R.f: found a union without branches"),
        (json.dumps(field({"type": "enum", "name": "E", "symbols": []})), "E: found an enum without symbols"),
        (
            json.dumps(field({"type": "enum", "name": "E", "symbols": ["a b"]})),
            "must match the regular expression",
        ),
        (json.dumps(field({"type": "fixed", "name": "F", "size": 0})), "R.f: found a fixed of another size"),
        (json.dumps(field({"type": "fixed", "name": "F", "size": -1})), "R.f: found a fixed of another size"),
        (
            json.dumps(field({"type": "fixed", "name": "F", "size": 1 << 60})),
            "R.f: found a fixed of another size",
        ),
        (json.dumps(field("R")), "R: every value of it would hold another one"),
        (
            json.dumps({**ORDER, "fields": [ORDER["fields"][0]] * 2}),
            "shop.v1.Order: found two fields with the same name",
        ),
        (json.dumps({**ORDER, "fields": [{"name": 5, "type": "int"}]}), "a field whose name is not a string"),
        (json.dumps({**ORDER, "fields": [{"type": "int"}]}), "missing 'name'"),
        (json.dumps(EMPTY), "Empty: found a message without fields"),
    ],
    ids=lambda text: text[:50],
)
def test_what_is_no_schema_is_refused(schema: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "m.avsc"
    file.write_text(schema)
    if told:
        found = refusal(file)
        assert "m.avsc" in found and told in found
    else:
        read(Request((file,)))


def test_a_chain_of_many_types_is_read_or_refused(tmp_path: Path) -> None:
    def chain(length: int) -> list[Any]:
        names = [f"T{n}" for n in range(length)]
        return [
            {"type": "record", "name": name, "fields": [{"name": "f", "type": next_}]}
            for name, next_ in zip(names, [*names[1:], "int"], strict=True)
        ]

    assert len(imported(tmp_path, chain(200)[::-1]).schema("s").records) == 200
    assert "found 1001 schemas" in refusal(*_file(tmp_path, chain(1001)[::-1]))
    nested: Any = "int"
    for each in chain(300)[::-1]:
        nested = each | {"fields": [{"name": "f", "type": nested}]}
    assert len(imported(tmp_path, nested).schema("s").records) == 300


def _file(folder: Path, schema: Any) -> list[Path]:
    (folder / "m.avsc").write_text(json.dumps(schema))
    return [folder / "m.avsc"]


def test_a_schema_is_not_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "MOST_PARTS", 20)
    assert "more than 20 fields" in refusal(*_file(tmp_path, field(["int", "null", "string"] * 10)))
    monkeypatch.setattr(schemas, "MOST_BYTES", 20)
    assert "more than 0 MiB" in refusal(*_file(tmp_path, ORDER))


@pytest.mark.parametrize("suffix", [".avdl", ".avpr"])
def test_idl_is_refused_with_what_makes_a_schema_of_it(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"m{suffix}").write_text("protocol P { record R { int f; } }")
    assert "avro-tools idl2schemata" in refusal(tmp_path / f"m{suffix}")


def test_every_cut_is_seen(tmp_path: Path) -> None:
    """A file can be cut unnoticed only between two blocks, since it does not say how many blocks it has."""
    imported(tmp_path, ORDER, [order(n) for n in range(3)])
    file = tmp_path / "m.avro"
    whole = file.read_bytes()
    blocks = len(whole) - 16 - whole[:-16].rindex(whole[-16:]) - 16
    for left in range(len(whole)):
        if left != len(whole) - 16 - blocks:
            file.write_bytes(whole[:left])
            assert "m.avro" in refusal(file)


@pytest.mark.parametrize(
    ("count", "data", "told"),
    [
        (1, b"\2\2\2", "message 1, in block 1, at byte"),
        (2, b"\2\2\0", "found 2 messages in 3 bytes; expected 3 bytes of each at least"),
        (-1, b"\2\2\0", "found less than no messages"),
        (1 << 50, b"\2\2\0", "messages in 3 bytes"),
        (1, b"\2\2\0\0", "found 1 bytes behind its last message"),
        (
            1,
            b"\2" + b"\xff" * 9 + b"\1\0",
            "message 1.count: found another integer; expected an int of 32 bits",
        ),
        (1, b"\2\2\2\2\xff\0", "found a string that is not valid UTF-8"),
        (1, b"\2\2\2\xfe\xff\xff\xff\x0f\0", "message 1"),
        (1, b"\2\2" + b"\xfe" * 9 + b"\1\0", "message 1"),
        (1, b"\2\2" + b"\xff" * 20, "message 1"),
    ],
    ids=str,
)
def test_a_block_has_the_messages_that_it_says(count: int, data: bytes, told: str, tmp_path: Path) -> None:
    assert told in refusal(with_block(tmp_path, ORDER, data, count))


@pytest.mark.parametrize(
    ("type", "data", "told"),
    [
        (
            {"type": "enum", "name": "E", "symbols": ["A"]},
            b"\1",
            ".f: found another integer; expected that of a symbol of E, 0 to 0",
        ),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\2", ".f: found another integer"),
        (["null", "int"], b"\1", "an index of a union that has no such branch"),
        (["null", "int", "long"], b"\1", "an index of a union that has no such branch"),
        (["null", "int", "long"], b"\6", "an index of a union that has no such branch"),
        (["null", "int", "long"], b"\xd0\x0f", "an index of a union that has no such branch"),
        (["null", "int", "long"], b"\2" + long(1 << 31), ".f[int]: found another integer"),
        (["null", "int"], b"\2" + long(1 << 31), ".f: found another integer"),
        ({"type": "array", "items": "int"}, b"\4\0" + long(1 << 31) + b"\0", ".f[1]: found another integer"),
        ({"type": "map", "values": "int"}, b"\4\2a\0\2a\0\0", ".f: found two entries with the same key"),
        ({"type": "map", "values": "int"}, b"\2\2a" + long(1 << 31) + b"\0", ".f[0]: found another integer"),
        (
            {"type": "record", "name": "S", "fields": [{"name": "g", "type": "int"}]},
            long(1 << 31),
            ".f.g: found another integer",
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("before", [0, 63, 64])
def test_a_value_of_another_type_is_refused_with_its_place(
    type: Any, data: bytes, told: str, before: int, tmp_path: Path
) -> None:
    good = {"array": b"\0", "map": b"\0", "union": b"\0"}.get(
        "union" if isinstance(type, list) else type["type"], b"\0"
    )
    found = refusal(with_block(tmp_path, field(type), good * before + data + good * 5, before + 6))
    assert f"message {before + 1}" in found and told in found


def test_errors_hold_no_value(tmp_path: Path) -> None:
    data = long(1) + long(2) + b"\2\x10secret\xff\xff\0"
    assert "secret" not in refusal(with_block(tmp_path, ORDER, data))
    key = b"\4\x0csecret\0\x0csecret\0\0"
    assert "secret" not in refusal(with_block(tmp_path, field({"type": "map", "values": "int"}), key))


@pytest.mark.parametrize(
    "items",
    ["null", EMPTY, {"type": "record", "name": "S", "fields": [{"name": "g", "type": EMPTY}]}],
    ids=str,
)
def test_items_without_bytes_are_not_counted_on(items: Any, tmp_path: Path) -> None:
    assert "R.f: found a list of items that take no byte" in refusal(
        with_block(tmp_path, field({"type": "array", "items": items}), long(1 << 60))
    )
    assert imported(tmp_path, field({"type": "array", "items": items})).root.name == "R"


def nodes(depth: int) -> bytes:
    return b"\2\2" * depth + b"\2\0"


def test_recursion_has_an_end(tmp_path: Path) -> None:
    """Recursion is refused beyond a limit; after 10^6 steps, fastavro alone would crash the process."""
    found = read(Request((with_block(tmp_path, NODE, nodes(20) + nodes(MAX_DEPTH) + nodes(3), 3),)))
    assert found.values
    depths = []
    for value in found.values():
        depths.append(0)
        while value[1]:
            value, depths[-1] = value[1], depths[-1] + 1
    assert depths == [20, MAX_DEPTH, 3]
    for depth in (MAX_DEPTH + 1, 1_000_000):
        told = refusal(with_block(tmp_path, NODE, nodes(3) + nodes(depth), 2))
        assert "message 2" in told and "more steps of recursion" in told


def test_mutual_recursion_has_an_end(tmp_path: Path) -> None:
    """Two types that contain each other are read, with other types in front of and behind them, and refused
    beyond a limit of recursion."""
    tail = {"type": "record", "name": "Tail", "fields": [{"name": "t", "type": "int"}]}
    inner = {
        "type": "record",
        "name": "B",
        "fields": [
            {"name": "a", "type": {"type": "array", "items": "A"}},
            {"name": "t", "type": tail},
            {"name": "b", "type": ["null", "B"]},
        ],
    }
    outer = {
        "type": "record",
        "name": "A",
        "fields": [{"name": "b", "type": {"type": "map", "values": inner}}, {"name": "t", "type": "Tail"}],
    }
    schema = {
        "type": "record",
        "name": "Root",
        "fields": [{"name": "x", "type": outer}, {"name": "y", "type": ["B", "int", "Tail"]}],
    }
    end = b"\0\0\0"  # the end of a B
    message = b"\2\2k" + b"\2" + b"\0\2" + b"\0" + b"\4" + b"\2" + end + b"\0" + b"\6" + b"\0" + end
    found = read(Request((with_block(tmp_path, schema, message),)))
    last: Any = ([], (0,), None)
    assert found.values and list(found.values()) == [(({"k": ([({}, (1,))], (2,), last)}, (3,)), (0, last))]
    message = b"\0\0" + b"\0" + b"\0\0\2" * 100_000 + end
    assert "more steps of recursion" in refusal(with_block(tmp_path, schema, message))
    assert plan.MOST_CALLS < 13_500


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz", "zstandard", "snappy"])
def test_bombs_are_not_unpacked(codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MOST_BLOCK", 1 << 20)
    pack: Callable[[bytes], bytes] = {
        "deflate": lambda data: zlib.compress(data)[2:-4],
        "bzip2": bz2.compress,
        "xz": lambda data: lzma.compress(data, preset=0),
        "zstandard": zstandard.compress,
        "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big"),
    }[codec]
    most_mib = 16 if codec == "snappy" else 100  # snappy makes data smaller by 21 times at most
    file = with_block(tmp_path, ORDER, pack(bytes(most_mib << 20)), 1, codec)
    found = read(Request((file,)))
    assert found.values
    tracemalloc.start()
    try:
        told = refusal(file)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "found more than 1 MiB; expected a smaller block" in told
    assert most < 8 << 20
    sound = pack(long(1) + long(2) + b"\0")
    assert list((read(Request((with_block(tmp_path, ORDER, sound, 1, codec),))).values or list)()) == [
        (1, 2, [])
    ]
    assert "made.avro, block 1" in refusal(with_block(tmp_path, ORDER, sound[: len(sound) // 2], 1, codec))


def test_lz4_is_not_unpacked_further_than_it_may(tmp_path: Path) -> None:
    assert "found more than 128 MiB" in refusal(with_block(tmp_path, ORDER, b"\xff\xff\xff\x7fabc", 1, "lz4"))


def test_lengths_that_nothing_has_are_not_read(tmp_path: Path) -> None:
    file = with_block(tmp_path, ORDER, b"")
    head = file.read_bytes()[:-18]
    for size in (-1, 1 << 40, 1 << 62):
        file.write_bytes(head + long(1) + long(size) + b"x")
        assert "block 1, at byte" in (told := refusal(file)) and "MiB" in told
    file.write_bytes(b"Obj\1" + long(2) + long(1 << 40))
    assert "header: found more than 8 MiB" in refusal(file)


def test_what_data_claim_does_not_fill_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message is refused before its objects fill memory: those of many small records take a hundred times
    as much memory as its bytes."""
    schema = field(
        {
            "type": "array",
            "items": {"type": "record", "name": "S", "fields": [{"name": "g", "type": "boolean"}]},
        }
    )
    small, large = long(10) + bytes(10) + b"\0", long(100_000) + bytes(100_000) + b"\0"
    monkeypatch.setattr(plan, "MEMORY", 4 << 20)
    found = read(Request((with_block(tmp_path, schema, small * 5000, 5000),)))  # more than is read at once
    assert found.values and sum(len(value[0]) for value in found.values()) == 50_000
    file = with_block(tmp_path, schema, small * 3 + large, 4)
    tracemalloc.start()
    try:
        told = refusal(file)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "message 4" in told and "may take more memory" in told
    assert most < 12 << 20


@pytest.mark.slow("damage Avro's files")
@pytest.mark.parametrize("kind", ["avsc", "avro"])
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(
    kind: str, request: pytest.FixtureRequest
) -> None:
    hold_mutants(kind, 3 * request.config.getoption("--mutations"))


@pytest.mark.parametrize(
    ("type", "data", "told"),
    [
        ("string", b"\2\xff", "a string that is not valid UTF-8"),
        ("string", b"\x7e", "the end of its block"),
        ({"type": "map", "values": "string"}, b"\2\2\xff\0\0", "a string that is not valid UTF-8"),
        (["null", "int", "long"], b"\1", "an index of a union that has no such branch"),
        (["null", "int", "long"], b"\5", "an index of a union that has no such branch"),
        ([{"type": "enum", "name": "E", "symbols": ["A"]}, "int", "long"], b"\6", "no such branch"),
    ],
    ids=str,
)
@pytest.mark.parametrize("before", [0, 9])
def test_what_is_wrong_in_messages_that_are_not_wanted_is_told(
    type: Any, data: bytes, told: str, before: int, tmp_path: Path
) -> None:
    good = b"\0\0" if isinstance(type, list) and type[0] != "null" else b"\0"
    file = with_block(tmp_path, field(type), good * before + data, before + 1)
    imported = read(Request((file,)))
    with pytest.raises(InputError) as caught:
        list(imported.wanted(lambda most: most))
    assert f"message {before + 1}," in str(caught.value) and told in str(caught.value)

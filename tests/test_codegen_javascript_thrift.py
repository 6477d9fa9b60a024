"""Code generated for Apache Thrift in JavaScript: the contents of its classes, and what they cannot do."""

from __future__ import annotations

import pytest

from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Type,
    Union,
    bool_,
    bytes_,
    i8,
    i16,
    i32,
    i64,
    string,
    u8,
    u16,
    u32,
    u64,
)
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs

CODEC = load_codecs(Paths.default().codecs)["javascript/thrift"]
SPARSE = Enum("Sparse", u8, [("first", 3), ("second", 200)])
OPEN = Enum("Open", u8, [("first", 3)], open=True)
WIDE = Enum("Wide", u64, ["low", "high"])
FAR = Enum("Far", u64, [("far", 2**40)])


def of(*types: Type) -> Schema:
    return Schema("odd", Record("Odd", [Field(f"f{n}", type) for n, type in enumerate(types)]))


def test_numbers_are_what_thrift_has_of_their_width() -> None:
    """A closed enum is an i32 there, so that 200 stays what it is; an u8 is an i8, whose bits are read."""
    assert CODEC.glue.emit
    glue = CODEC.glue.emit(of(SPARSE, OPEN, WIDE, u8, u16, u32, u64, Map(u8, i16), Map(SPARSE, i8)))
    read = [line.strip().removesuffix(",") for line in glue.partition("return new Odd(")[2].splitlines()]
    assert read[1:10] == [
        "knownSparse(message.f0)",
        "message.f1 & 0xff",
        "knownWide(BigInt(message.f2))",
        "message.f3 & 0xff",
        "u16(message.f4)",
        "u32(message.f5.toNumber())",
        "BigInt.asUintN(64, toBigInt(message.f6))",
        "new Map(Object.entries(message.f7).map(([key, item]) => [Number(key) & 0xff, item]))",
        "new Map(Object.entries(message.f8).map(([key, item]) => [knownSparse(Number(key)), item]))",
    ]
    assert "message.f2 = Number(value.f2);" in glue and "message.f6 = fromBigInt(value.f6);" in glue


def test_bytes_are_buffers_when_they_are_written() -> None:
    assert CODEC.glue.emit
    glue = CODEC.glue.emit(of(bytes_, Optional(bytes_), List(u8)))
    assert 'import { bufferOf } from "serbench";' in glue and "fromBigInt" not in glue
    assert "message.f1 = value.f1 === null ? null : bufferOf(value.f1);" in glue
    assert "message.f2 = Buffer.from(value.f2);" in glue and "Array.from(message.f2)" in glue


@pytest.mark.parametrize(
    ("type", "binary", "compact"),
    [
        (Map(bool_, i32), "as true", "as true"),
        (Map(i64, i32), "other numbers", "other numbers"),
        (List(Map(u32, i32)), "other numbers", "other numbers"),
        (Map(FAR, i32), "other numbers", "other numbers"),
        (Map(WIDE, i32), "", ""),
        (Map(u16, Map(string, i32)), "", ""),
        (List(bool_), "", "as false"),
        (Optional(Array(bool_, 2)), "", "as false"),
        (Union("Any", [Alternative("by_name", Map(string, bool_))]), "", "as false"),
        (List(Optional(bool_)), "", ""),
    ],
)
def test_what_it_cannot_do_is_said(type: Type, binary: str, compact: str) -> None:
    for name, expected in (("binary", binary), ("compact", compact)):
        why = CODEC.variants[name].why_not(of(type, bool_))
        assert expected in why if why else not expected, (name, why)

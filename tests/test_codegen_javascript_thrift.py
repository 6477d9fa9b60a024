"""Tests of Apache Thrift in JavaScript: the types that its classes cannot hold."""

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
    i32,
    i64,
    string,
    u16,
    u32,
    u64,
)
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs

CODEC = load_codecs(Paths.default().codecs)["javascript/thrift"]
WIDE = Enum("Wide", u64, ["low", "high"])
FAR = Enum("Far", u64, [("far", 2**40)])


def of(*types: Type) -> Schema:
    return Schema("odd", Record("Odd", [Field(f"f{n}", type) for n, type in enumerate(types)]))


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

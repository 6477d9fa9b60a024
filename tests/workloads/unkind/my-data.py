"""A schema whose names are all reserved or used somewhere, in a file whose name is not an identifier in any
language, and with a record of 30 fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.unkind import FOUND, KEYWORDS, MACROS, METHODS, PAIRS, TYPES, names

from serbench.dataset.edges import edge_values
from serbench.model import (
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Type,
    bool_,
    bytes_,
    f64,
    i32,
    i64,
    string,
    u8,
    u16,
)
from serbench.workload import Workload

KINDS: list[Type] = [
    i32,
    string,
    List(i32),
    Optional(i64),
    bool_,
    Optional(string),
    List(string),
    Map(string, i32),
    bytes_,
]
"""Types that fields get in turn, since the code generated for a field depends on its type."""


def fields(names: list[str], shift: int = 0) -> list[Field]:
    return [Field(name, KINDS[(n + shift) % len(KINDS)]) for n, name in enumerate(names)]


color = Enum("Color", u8, [("NULL", 1), *names("EOF None Some type class red RED Red MIN MAX name of low")])
foo_bar_enum = Enum(
    "FOO_BAR",
    i32,
    [
        *names("low A A_VALUE errno unspecified"),
        ("EINVAL", 9),
        *names("UNRECOGNIZED toString TIME_UTC F_OK L_tmpnam TIME_MAX"),
    ],
)

small = [
    Record(name, [Field("value", i32), Field(name, Optional(string)), Field("Color", color)])
    for name in [*TYPES, *FOUND]
]
wide = Record("Wide", [Field(f"field_{n}", KINDS[n % 4]) for n in range(30)])
nested = Record(
    "Nestings",
    [
        Field("list_of_lists", List(List(i32))),
        Field("list_of_records", List(next(r for r in small if r.name == "ListOfI32"))),
        Field("list_of_optionals", List(Optional(i64))),
        Field("map_to_list", Map(i32, List(i32))),
        Field("map_to_record", Map(i32, next(r for r in small if r.name == "ListOfI32"))),
        Field("map_of_maps", Map(string, Map(u16, f64))),
        Field("optional_list", Optional(List(i32))),
        Field("colors", List(color)),
        Field("optional_color", Optional(color)),
        Field("array", Array(foo_bar_enum, 2)),
    ],
)
groups = Record(
    "Which2", [Field("which2", Optional(i32)), Field("Which3", Optional(i64)), Field("reader", Optional(f64))]
)
root = Record(
    "Object",
    [
        Field("keywords", Record("Keywords", fields(KEYWORDS))),
        Field("keyword_lists", Record("KeywordLists", fields(KEYWORDS, 2))),
        Field("macros", Record("Macros", fields(MACROS, 1))),
        Field("methods", Record("Methods", fields(METHODS))),
        Field("other_methods", Record("OtherMethods", fields(METHODS, 3))),
        Field("pairs", Record("Pairs", fields(["type", *PAIRS]))),
        Field("other_pairs", Record("OtherPairs", fields(["type", *PAIRS], 2))),
        Field("wide", wide),
        Field("nested", nested),
        Field("groups", groups),
        *(Field(f"a_{record.name}", record) for record in small),
    ],
)


def generate() -> Iterator[Any]:
    yield from edge_values(root)


workload = Workload(
    name="my-data",
    summary="names that are reserved somewhere, or that generated code needs",
    root=root,
    generate=generate,
)

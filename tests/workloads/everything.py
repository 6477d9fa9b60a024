"""Every type of the type model, and every nesting that some library lacks: what generators are tested on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.values import edge_values
from serbench.model import (
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    bool_,
    bytes_,
    f32,
    f64,
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
from serbench.workload import Workload

SCALARS = [bool_, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, string, bytes_]

level = Enum("Level", i16, [("low", -2), ("none", 0), ("high", 300)])
sparse = Enum("Sparse", u8, [("first", 3), ("second", 200)])
point = Record("Point", [Field("x", i16), Field("y", i16)])
padded = Record("Padded", [Field("flag", u8), Field("wide", u64), Field("level", level)])
leaf = Record("Leaf", [Field("text", string), Field("level", level)])

# Names that are reserved somewhere, and numbers with gaps and out of order.
keywords = Record(
    "Keywords",
    [
        Field("class", i32, 7),
        Field("from", string, 2),
        Field("table", u16, 40),
        Field("struct", bool_, 9),
        Field("default", i64),
    ],
)
scalars = Record("Scalars", [Field(f"a_{s.name}", s) for s in SCALARS])
lists = Record(
    "Lists",
    [
        *(Field(f"of_{s.name}", List(s)) for s in SCALARS),
        Field("of_enum", List(level)),
        Field("of_points", List(point)),
        Field("of_leaves", List(leaf)),
        Field("of_lists", List(List(i32))),
        Field("of_lists_of_lists", List(List(List(string)))),
        Field("of_maps", List(Map(string, i32))),
        Field("of_optionals", List(Optional(i32))),
        Field("of_optional_leaves", List(Optional(leaf))),
        Field("of_arrays", List(Array(u16, 2))),
    ],
)
optionals = Record(
    "Optionals",
    [
        *(Field(f"a_{s.name}", Optional(s)) for s in SCALARS),
        Field("an_enum", Optional(level)),
        Field("a_sparse", Optional(sparse)),
        Field("a_point", Optional(point)),
        Field("a_leaf", Optional(leaf)),
        Field("a_list", Optional(List(i32))),
        Field("a_map", Optional(Map(string, string))),
        Field("an_array", Optional(Array(f32, 3))),
    ],
)
maps = Record(
    "Maps",
    [
        Field("text_to_text", Map(string, string)),
        Field("i8_to_bool", Map(i8, bool_)),
        Field("u64_to_f64", Map(u64, f64)),
        Field("i32_to_leaf", Map(i32, leaf)),
        Field("text_to_list", Map(string, List(string))),
        Field("i16_to_enum", Map(i16, level)),
        Field("text_to_bytes", Map(string, bytes_)),
        Field("u16_to_optional", Map(u16, Optional(i64))),
        Field("text_to_map", Map(string, Map(i32, string))),
    ],
)
arrays = Record(
    "Arrays",
    [
        Field("of_i32", Array(i32, 3)),
        Field("of_text", Array(string, 2)),
        Field("of_points", Array(point, 2)),
        Field("of_arrays", Array(Array(u8, 2), 3)),
        Field("of_enum", Array(sparse, 2)),
    ],
)
everything = Record(
    "Everything",
    [
        Field("scalars", scalars),
        Field("lists", lists),
        Field("optionals", optionals),
        Field("maps", maps),
        Field("arrays", arrays),
        Field("keywords", keywords),
        Field("padded", padded),
        Field("paddeds", List(padded)),
        Field("level", level),
        Field("sparse", sparse),
    ],
)


def generate() -> Iterator[Any]:
    yield from edge_values(everything)


workload = Workload(name="everything", summary="every type and nesting", root=everything, generate=generate)

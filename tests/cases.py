"""The schema from which golden files are generated. Each kind of type that a generator treats in its own way
occurs once.

A record or union makes golden files grow as much as four fields do. So fields stand in the root wherever they
can, and there is only one recursive record, which leads back to itself in every possible way.
"""

from __future__ import annotations

from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    Walk,
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

status = Enum("Status", i32, [("unset", 0), ("failed", 2)], aliases=[("error", 2)], open=True)
flags = Enum("Flags", u64, [("none", 0), ("top", 1 << 63)])
offset = Enum("Offset", i64, [("least", -(1 << 63)), ("zero", 0)], open=True)
reaction = Enum("Reaction", u8, ["up", "down"], wire=[("up", "+1"), ("down", "-1")])

nothing = Record("Nothing", [])
edge = Record("Edge", [Field("from", u16), Field("to", u16)])
node = Record(
    "Node",
    [
        Field("name", string),
        Field("out_edges", List(edge)),
        Field("left", Optional(Ref("Node"))),
        Field("folders", List(Ref("Node"))),
        Field("scopes", Map(string, Ref("Node"))),
        Field("halves", Optional(Array(Ref("Node"), 2))),
        Field("both", Array(Optional(Ref("Node")), 2)),
    ],
    wire="shop.v1.Node",
)

shape = Union(
    "Shape",
    [
        Alternative("nothing"),
        Alternative("square", f64),
        Alternative("label", string, wire="the-label"),
        Alternative("corner", edge),
        Alternative("by_name", Map(string, i64)),
        Alternative("maybe", Optional(string)),
        Alternative("names", Array(string, 2)),
        Alternative("negated", Ref("Shape")),
        Alternative("values", List(Ref("Shape"))),
    ],
)
setting = Union("Setting", [Alternative("shape", shape, 3)])

cases = Record(
    "Cases",
    [
        # Scalars, some under names that are reserved somewhere.
        Field("type", string, number=3, default="none"),
        Field("class", bool_),
        Field("default", i8),
        Field("camelCase", i16),
        Field("count", u32),
        Field("struct", u64),
        Field("ratio", f32),
        Field("price", bytes_),
        # Lists, optionals and bytes of a fixed length.
        Field("updated", Optional(i64)),
        Field("inventory", List(u8)),
        Field("rows", List(List(i32))),
        Field("digest", FixedBytes(20)),
        Field("octet", Optional(FixedBytes(1))),
        Field("ids", List(FixedBytes(16))),
        # Enums: open, wide, both, and one whose members have other names in formats.
        Field("status", status),
        Field("flags", flags),
        Field("offset", Optional(offset)),
        Field("reactions", List(reaction)),
        # Maps by each kind of key.
        Field("by_bool", Map(bool_, string)),
        Field("by_reaction", Map(reaction, u8)),
        Field("by_status", Map(status, i32)),
        Field("by_number", Map(i32, edge)),
        # A record without fields, unions, and a graph.
        Field("some", List(nothing)),
        Field("shape", shape),
        Field("all", List(setting)),
        Field("nodes", List(node)),
        # A written name that is no identifier, and a number that Protocol Buffers reserve.
        Field("id", i32, wire="@id", number=19_500),
    ],
)

CASES = Schema("golden", cases, [shape, node], Walk("nodes", "out_edges", "to", source="from"))

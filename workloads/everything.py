"""Every type of the type model, in every nesting that some library lacks; codecs are verified with this
workload.

The root has four records: nestings of lists, optionals, maps and arrays; unions; recursion; and all other
kinds of fields. Values are made up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from serbench.drawing.made_up import MadeUp
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
    Union,
    bool_,
    bytes_,
    date,
    decimal,
    duration,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u16,
    u32,
    u64,
    uuid,
)
from serbench.workload import Parameter, Workload

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
nestings = Record(
    "Nestings",
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

# Unions wherever they can stand.
place = Record("Place", [Field("x", f64), Field("y", f64)])
shape = Union(
    "Shape",
    [
        Alternative("nothing"),
        Alternative("circle", f64),
        Alternative("square", f64),
        Alternative("label", string, wire="the-label"),
        Alternative("corner", place),
        Alternative("corners", List(place)),
        Alternative("by_name", Map(string, i64)),
        Alternative("maybe", Optional(string)),
        Alternative("unset", wire="un-set"),
    ],
)
setting = Union(
    "Setting", [Alternative("flag", bool_, 7), Alternative("shape", shape, 3), Alternative("off")]
)
single = Union("Single", [Alternative("only", i64)])
unions = Record(
    "Unions",
    [
        Field("shape", shape),
        Field("maybe", Optional(shape)),
        Field("all", List(setting)),
        Field("by_name", Map(string, setting)),
        Field("single", single),
    ],
)

# Types that lead back to themselves, in every way that there is.
any_value = Union(
    "AnyValue",
    [
        Alternative("text", string),
        Alternative("flag", bool_),
        Alternative("number", i64),
        Alternative("real", f64),
        Alternative("values", List(Ref("AnyValue"))),
        Alternative("fields", List(Ref("KeyValue"))),
        Alternative("octets", bytes_),
        Alternative("nothing"),
    ],
)
key_value = Record("KeyValue", [Field("key", string), Field("value", Ref("AnyValue"))])
tree = Record(
    "Tree", [Field("value", i32), Field("left", Optional(Ref("Tree"))), Field("right", Optional(Ref("Tree")))]
)
folder = Record("Folder", [Field("name", string), Field("folders", List(Ref("Folder")))])
scope = Record("Scope", [Field("number", i32), Field("scopes", Map(string, Ref("Scope")))])
branch = Record("Branch", [Field("left", Ref("Expression")), Field("right", Ref("Expression"))])
expression = Union(
    "Expression",
    [Alternative("number", i32), Alternative("sum", branch), Alternative("negated", Ref("Expression"))],
)
person = Record("Person", [Field("name", string), Field("home", Optional(Ref("House")))])
house = Record("House", [Field("street", string), Field("people", List(Ref("Person")))])
recursion = Record(
    "Recursion",
    [
        Field("attributes", List(key_value)),
        Field("tree", tree),
        Field("root", folder),
        Field("scope", scope),
        Field("expression", expression),
        Field("person", person),
    ],
)

# The types that are left: empty records, enums, keys of maps, fixed bytes, logical types.
nothing = Record("Nothing", [])
status = Enum("Status", i32, [("unset", 0), ("ok", 1), ("failed", 2)], aliases=[("error", 2)], open=True)
flags = Enum("Flags", u64, [("none", 0), ("top", 1 << 63), ("all", (1 << 64) - 1)])
offset = Enum("Offset", i64, [("least", -(1 << 63)), ("zero", 0)], open=True)
reaction = Enum("Reaction", u8, ["up", "down"], wire=[("up", "+1"), ("down", "-1")])
empties = Record(
    "Empties",
    [
        Field("one", nothing),
        Field("maybe", Optional(nothing)),
        Field("some", List(nothing)),
        Field("by_name", Map(string, nothing)),
    ],
)
enums = Record(
    "Enums",
    [
        Field("status", status),
        Field("flags", flags),
        Field("offset", Optional(offset)),
        Field("statuses", List(status)),
        Field("reactions", List(reaction)),
    ],
)
keys = Record(
    "Keys",
    [
        Field("by_bool", Map(bool_, string)),
        Field("by_reaction", Map(reaction, u8)),
        Field("by_status", Map(status, i32)),
    ],
)
octets = Record(
    "Octets",
    [
        Field("digest", FixedBytes(20)),
        Field("maybe", Optional(FixedBytes(1))),
        Field("all", List(FixedBytes(4))),
    ],
)
named = Record(
    "Named",
    [
        Field("id", i32, wire="@id", number=19_500),
        Field("plus_one", u8, wire="+1", number=70_000),
        Field("from_address", string, wire="from-address", number=(1 << 29) - 1),
        Field("type", string, number=3, default="none"),
    ],
    wire="shop.v1.Named",
)
logical = Record(
    "Logical",
    [
        Field("created", timestamp("ns")),
        Field("updated", Optional(timestamp("ms"))),
        Field("opened", timestamp("us", zoned=False)),
        Field("due", date()),
        Field("at", time_of_day("us")),
        Field("took", duration("ns")),
        Field("price", decimal(18, 2)),
        Field("amount", decimal(9, 4, i32)),
        Field("balance", decimal(38, 10, FixedBytes(16))),
        Field("id", uuid()),
        Field("trace", uuid(string)),
        Field("ids", List(uuid())),
    ],
)
kinds = Record(
    "Kinds",
    [
        Field("empties", empties),
        Field("enums", enums),
        Field("keys", keys),
        Field("octets", octets),
        Field("named", named),
        Field("logical", logical),
    ],
)

everything = Record(
    "Everything",
    [
        Field("nestings", nestings),
        Field("unions", unions),
        Field("recursion", recursion),
        Field("kinds", kinds),
    ],
)


def generate(messages: int, depth: int, share: int, seed: int) -> Iterator[Any]:
    made = MadeUp(random.Random(seed), depth, share / 100)
    for _ in range(messages):
        yield made.value(workload.schema.root)


workload = Workload(
    name="everything",
    summary="every type and nesting, made up",
    root=everything,
    also=[any_value, house],
    generate=generate,
    parameters=[
        Parameter("messages", 8, "messages", least=1),
        Parameter("depth", 4, "steps of recursion at most", least=0, most=1000),
        Parameter(
            "share",
            50,
            "optionals that are there, and alternatives with a value, in percent",
            least=0,
            most=100,
        ),
        Parameter("seed", 1, "seed of the values", least=0),
    ],
)

"""Types that lead back to themselves, in every way that there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.model import (
    Alternative,
    Array,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Union,
    bool_,
    bytes_,
    f64,
    i32,
    i64,
    string,
)
from serbench.workload import Workload

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
pair = Record("Pair", [Field("halves", Optional(Array(Ref("Pair"), 2)))])
"""What leads back is never absent, though what holds it may be."""

owner = Record("Owner", [Field("first", Optional(Ref("Deed"))), Field("by_number", Map(i32, Ref("Deed")))])
deed = Record("Deed", [Field("owners", List(Ref("Owner")))])
recursion = Record(
    "Recursion",
    [
        Field("attributes", List(key_value)),
        Field("tree", tree),
        Field("root", folder),
        Field("scope", scope),
        Field("expression", expression),
        Field("person", person),
        Field("pair", pair),
        Field("owner", owner),
    ],
)


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root)


workload = Workload(
    name="recursion",
    summary="types that lead back to themselves",
    root=recursion,
    also=[any_value, house, deed],
    generate=generate,
)

"""A workload with features of Protocol Buffers that hints preserve: oneofs inside their message, fields
without presence, and the various encodings of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.dataset.values import Limits
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Optional,
    Record,
    Ref,
    Type,
    Union,
    bool_,
    bytes_,
    f32,
    f64,
    i32,
    i64,
    string,
    u32,
    u64,
)
from serbench.workload import Workload


def hints(*words: str) -> list[tuple[str, str]]:
    return [("proto", word) for word in words]


def implicit(name: str, type: Type, number: int, *words: str) -> Field:
    return Field(name, type, number, hints=hints(*words, "implicit"))


state = Enum("State", i32, ["UNKNOWN", "OPEN", "SHUT"], open=True)
card = Record(
    "Card", [Field("holder", string, 3, hints=hints("required")), implicit("digits", u64, 900, "fixed64")]
)
paid = Union(
    "Paid",
    [
        Alternative("card", card, 5),
        Alternative("cash", bytes_, 6),
        Alternative("change", i32, 1000, hints=hints("sint32")),
        Alternative("is_free", bool_, 8),
        Alternative("state_of_it", state, 9),
        Alternative("again", Ref("Bill"), 10),
    ],
)
weight = Union(
    "Weight", [Alternative("grams", f64, 21), Alternative("pieces", u32, 20, hints=hints("fixed32"))]
)
node_value = Union("NodeValue", [Alternative("text", string, 2), Alternative("deeper", Ref("Node"), 4)])
node = Record(
    "Node",
    [
        Field("children", List(Ref("Node")), 1),
        Field("value", Optional(node_value), 2, hints=hints("oneof")),
        implicit("of", i64, 5),
    ],
)
bill = Record(
    "Bill",
    [
        implicit("name", string, 1),
        Field("paid", Optional(paid), 5, hints=hints("oneof")),
        Field("weight", Optional(weight), 20, hints=hints("oneof")),
        implicit("is_open", bool_, 30),
        implicit("small", i32, 31, "sint32"),
        implicit("large", i64, 32, "sfixed64"),
        implicit("single", f32, 33),
        implicit("double", f64, 34),
        implicit("raw", bytes_, 35),
        implicit("state", state, 36),
        Field("must", i32, 37, hints=hints("required")),
        Field("maybe", Optional(f64), 38),
        Field("loose", List(i32), 39, hints=hints("packed = false")),
        Field("tight", List(u32), 40, hints=hints("packed = true")),
        Field("node", Optional(node), 42),
    ],
)


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root, Limits(most_steps=20))


workload = Workload(
    name="oneofs",
    summary="what schemas of Protocol Buffers have",
    root=bill,
    also=[paid, weight, node_value, node],
    generate=generate,
)

"""A workload of unions in every place where a type can stand."""

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
    Union,
    bool_,
    f64,
    i64,
    string,
)
from serbench.workload import Workload

point = Record("Point", [Field("x", f64), Field("y", f64)])
shape = Union(
    "Shape",
    [
        Alternative("nothing"),
        Alternative("circle", f64),
        Alternative("square", f64),
        Alternative("label", string, wire="the-label"),
        Alternative("corner", point),
        Alternative("corners", List(point)),
        Alternative("by_name", Map(string, i64)),
        Alternative("maybe", Optional(string)),
        Alternative("unset", wire="un-set"),
        Alternative("names", Array(string, 2)),
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


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root)


workload = Workload(name="unions", summary="unions wherever they can stand", root=unions, generate=generate)

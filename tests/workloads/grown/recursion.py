"""A workload of recursive types: those of ``everything``, and others with which random tests found faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.model import Array, Field, List, Map, Optional, Record, Ref, i32
from serbench.paths import PROJECT
from serbench.workload import Workload, load_workload

everything = load_workload(PROJECT / "workloads" / "everything.py").schema
records = {record.name: record for record in everything.records}
any_value = next(union for union in everything.unions if union.name == "AnyValue")

pair = Record("Pair", [Field("halves", Optional(Array(Ref("Pair"), 2)))])
"""A recursive type with an optional array whose items are never absent."""

owner = Record("Owner", [Field("first", Optional(Ref("Deed"))), Field("by_number", Map(i32, Ref("Deed")))])
deed = Record("Deed", [Field("owners", List(Ref("Owner")))])

twin = Record("Twin", [Field("both", Array(Optional(Ref("Twin")), 2))])
"""A recursive type with an array of optional items: a reader that uses an object again must clear its
items."""

recursion = Record(
    "Recursion",
    [*records["Recursion"].fields, Field("pair", pair), Field("owner", owner), Field("twin", twin)],
)


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root)


workload = Workload(
    name="recursion",
    summary="types that lead back to themselves",
    root=recursion,
    also=[any_value, records["House"], deed],
    generate=generate,
)

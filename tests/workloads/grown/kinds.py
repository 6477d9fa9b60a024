"""The part of the workload ``everything`` with types of the type model's second edition, without unions and
recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.paths import PROJECT
from serbench.workload import Workload, load_workload

everything = load_workload(PROJECT / "workloads" / "everything.py").schema
kinds = next(record for record in everything.records if record.name == "Kinds")


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root)


workload = Workload(name="kinds", summary="every new kind of field", root=kinds, generate=generate)

"""The part of the workload ``everything`` with types of the type model's first edition, for codecs that know
or can do no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.paths import PROJECT
from serbench.workload import Workload, load_workload

everything = load_workload(PROJECT / "workloads" / "everything.py").schema
nestings = next(record for record in everything.records if record.name == "Nestings")


def generate() -> Iterator[Any]:
    yield from edge_values(nestings)


workload = Workload(
    name="nestings", summary="every type and nesting of the first edition", root=nestings, generate=generate
)

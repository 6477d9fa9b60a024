"""A workload with each kind of type once: most of what the workload ``everything`` tests, in a third of its
compile time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.dataset.values import Limits
from serbench.model.kinds import KINDS, schema_of
from serbench.workload import Workload


def generate() -> Iterator[Any]:
    # Within the limits of all codecs: edge values go to the limits of each.
    least = Limits((-1.0, 1.0), 1, (1 << 53) - 3, no_nul_in_keys=True, greatest_character=0x1FFFF)
    yield from edge_values(workload.schema.root, least)[:4]


workload = Workload("every_kind", "each kind of type once", schema_of(KINDS, "every_kind").root, generate)

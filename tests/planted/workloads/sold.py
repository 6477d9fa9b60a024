"""Sales with text and prices, of which the adapters beside linger at the prices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.model import Field, List, Record, f64, string
from serbench.workload import Workload

LINE = Record("Line", [Field("sku", string), Field("price", f64)])
SALE = Record("Sale", [Field("id", string), Field("lines", List(LINE))])


def sold() -> Iterator[Any]:
    for n in range(20):
        yield (f"number {n}", [(f"sku {n} {k}", 1.5 + k) for k in range(3)])


workload = Workload("sold", "sales", SALE, sold)

"""Triangles: ``mesh`` of djkoloski/rust_serialization_benchmark, drawn exactly as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.rand import Rand, pcg32
from serbench.model import Field, List, Record, f32
from serbench.workload import Parameter, Workload

vector3 = Record("Vector3", [Field("x", f32), Field("y", f32), Field("z", f32)])
triangle = Record("Triangle", [Field(name, vector3) for name in ("v0", "v1", "v2", "normal")])
mesh = Record("Mesh", [Field("triangles", List(triangle))])


def generate(triangles: int) -> Iterator[Any]:
    rand = Rand(pcg32(3141592653, 5897932384))
    number = rand.f32

    def vector() -> Any:
        return vector3(number(), number(), number())

    count = rand.size_in(triangles, triangles + 1)
    yield mesh([triangle(vector(), vector(), vector(), vector()) for _ in range(count)])


workload = Workload(
    name="mesh",
    summary="one long list of triangles: nothing but floats",
    root=mesh,
    generate=generate,
    parameters=[Parameter("triangles", 125_000, "number of triangles in the list", least=1)],
)

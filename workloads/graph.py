"""A big graph: the data of felixguendling/cpp-serialization-benchmark, drawn exactly as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.draws import below, mt19937
from serbench.model import Field, List, Record, Walk, string, u16
from serbench.workload import Parameter, Workload

edge = Record("Edge", [Field("from", u16), Field("to", u16), Field("weight", u16)])
node = Record(
    "Node",
    [Field("id", u16), Field("name", string), Field("out_edges", List(edge)), Field("in_edges", List(edge))],
)
graph = Record("Graph", [Field("nodes", List(node))])


def generate(nodes: int, connected: float) -> Iterator[Any]:
    draw = mt19937()
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = ["".join(letters[below(draw, 26)] for _ in range(5 + below(draw, 16))) for _ in range(nodes)]
    # The published test divides by the greatest draw; comparing draws is the same for every draw.
    limit = _greatest_draw_within(connected)
    out_edges: list[list[Any]] = [[] for _ in range(nodes)]
    in_edges: list[list[Any]] = [[] for _ in range(nodes)]
    for source in range(nodes):
        append_out = out_edges[source].append
        for target in range(nodes):
            if draw() <= limit:
                each = (source, target, below(draw, 1001))
                append_out(each)
                in_edges[target].append(each)
    yield graph([node(n, names[n], out_edges[n], in_edges[n]) for n in range(nodes)])


def _greatest_draw_within(share: float) -> int:
    """The greatest draw that makes an edge: the greatest integer r for which r / 4294967295.0 <= share."""
    r = min(int(share * 4294967295.0) + 2, 4294967295)
    while r >= 0 and r / 4294967295.0 > share:
        r -= 1
    return r


workload = Workload(
    name="graph",
    summary="one dense graph: nodes with names, out-edges and in-edges",
    root=graph,
    generate=generate,
    walk=Walk("nodes", "out_edges", "to", source="from"),
    parameters=[
        Parameter("nodes", 1870, "number of nodes", least=1, most=65535),
        Parameter("connected", 0.9, "share of the pairs of nodes with an edge", least=0, most=1),
    ],
)

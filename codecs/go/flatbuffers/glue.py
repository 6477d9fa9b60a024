"""Generates the code that a user of FlatBuffers writes around flatc's code for Go: conversions between domain
objects and buffers."""

from __future__ import annotations

from serbench.idl.fbs import MOST_PARAMETERS, Tables
from serbench.idl.fbs_go import GO, go_camel
from serbench.languages.go.conversion import Faults
from serbench.languages.go.glue import IMPORTS, GoGlue
from serbench.model import Record, Schema, Walk

from .building import Builds
from .reading import Reads


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    if Tables(schema.plain(), GO).widest > MOST_PARAMETERS:
        return (
            "flatc has no arrays in structs for Go, and members in their place are more than "
            f"{MOST_PARAMETERS}"
        )
    return None


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(schema).text()


class _Glue(GoGlue):
    builds = Builds
    reads = Reads
    faults = Faults("found", "*reading")
    imports = (
        {
            **IMPORTS,
            "fbs": '"cell/fbs"',
            "flatbuffers": 'flatbuffers "github.com/google/flatbuffers/go"',
        },
    )
    title = "domain objects and FlatBuffers"
    end = "_"
    root = "*view"

    def __init__(self, schema: Schema):
        self.tables = Tables(schema, GO)
        super().__init__(self.tables.lowered)

    def declare(self, low: Record) -> None:
        self.out(f"type view = fbs.{low.name}")

    def build_root(self, build: str) -> None:
        with self.out.block("func buildRoot(to *message, value *domain.Root) flatbuffers.UOffsetT {"):
            self.out(f"return {build}(to, value)")

    def walk(self, walk: Walk, root: Record, node: Record, edge: Record) -> None:
        out = self.out
        nodes, edges, target = (go_camel(name) for name in (walk.nodes, walk.edges, walk.target))
        with out.block(
            f"return serbench.DepthFirst(from.{nodes}Length(), func(at int, reach func(int)) {{", "})"
        ):
            out(f"var node fbs.{node.name}", f"from.{nodes}(&node, at)", f"var edge fbs.{edge.name}")
            with out.block(f"for i := range node.{edges}Length() {{"):
                out(f"node.{edges}(&edge, i)", f"reach(int(edge.{target}()))")

"""Generates the code that a user of Cap'n Proto writes around capnpc-go's code: conversions between domain
objects and messages."""

from __future__ import annotations

from serbench.idl.capnp import ordinals
from serbench.idl.capnp_go import lowered
from serbench.idl.lower import Lowered
from serbench.idl.nesting import deepest
from serbench.languages.go.conversion import Faults
from serbench.languages.go.functions import choosing
from serbench.languages.go.glue import IMPORTS, GoGlue
from serbench.model import Alternative, Enum, Record, Schema, Type, Walk
from serbench.model.names import capitalised

from .building import Builds
from .parts import Part
from .reading import Reads

_LEAST_DEPTH = 64
"""The default of the library's limit on structs and lists inside each other; ours is never lower."""


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(GoGlue):
    builds = Builds
    reads = Reads
    faults = Faults("found", "*faults")
    imports = ({**IMPORTS, "capnp": '"capnproto.org/go/capnp/v3"'},)
    title = "domain objects and Cap'n Proto"
    end = "_"
    root = "native"

    def __init__(self, types: Lowered):
        super().__init__(types)
        self.enums: dict[str, tuple[Enum, Enum]] = {}

    def alternative(self, type: Type | None, low: Alternative) -> Part:
        """Return an alternative as a part, so that the code for fields of a struct serves it too."""
        nothing = Record("Nothing", [])
        return Part(type or nothing, low.type or nothing, "", capitalised(low.name))

    def ordinal(self, type: Enum, low: Enum) -> str:
        """Return the name of the Go function from the domain's number to the enumerant in messages."""
        self.enums[low.name] = (type, low)
        return f"ordinalOf{low.name}"

    def number(self, type: Enum, low: Enum) -> str:
        """Return the name of the Go function from the enumerant in messages to the domain's number."""
        self.enums[low.name] = (type, low)
        return f"numberOf{low.name}"

    def declare(self, low: Record) -> None:
        out = self.out
        out(
            f"type native = messages.{low.name}",
            "",
            f"const depthLimit = {max(_LEAST_DEPTH, deepest(self.types))}",
            "",
        )
        with out.block("func newRoot(segment *capnp.Segment) (native, error) {"):
            out(f"return messages.NewRoot{low.name}(segment)")
        out("")
        with out.block("func rootOf(message *capnp.Message) (native, error) {"):
            out(f"return messages.ReadRoot{low.name}(message)")

    def build_root(self, build: str) -> None:
        with self.out.block("func buildRoot(to native, value *domain.Root, found *faults) {"):
            self.out(f"{build}(to, value, found)")

    def write_functions(self) -> None:
        super().write_functions()
        for own, native in self.enums.values():
            self._enum(own, native)

    def _enum(self, own: Enum, low: Enum) -> None:
        """Write Go functions from an enum's numbers to enumerants, which count from zero, and back."""
        out, domain, native = self.out, f"domain.{own.name}", f"messages.{low.name}"
        found = [ordinals(low)[name] for name, _ in low.members]
        count = 1 + max(found)
        ordinal_of = f"func ordinalOf{low.name}(value {domain}) {native} {{"
        number_of = f"func numberOf{low.name}(ordinal {native}, found *faults) {domain} {{"
        if [number for _, number in own.members] == found == list(range(count)):
            out("", ordinal_of, f"\treturn {native}(value)", "}", "", number_of)
            out(f"\tfound.Check(ordinal < {count})", f"\treturn {domain}(ordinal)", "}")
            return
        pairs = [(f"domain.{name}", str(n)) for n, (name, _) in zip(found, own.members, strict=True)]
        numbers = [(n, name) for name, n in pairs]
        choosing(out, ordinal_of, "value", pairs, f"return {count}")
        choosing(out, number_of, "ordinal", numbers, "found.Check(false)", "return 0")

    def walk(self, walk: Walk, root: Record, node: Record, edge: Record) -> None:
        out = self.out
        nodes, edges, target = (capitalised(name) for name in (walk.nodes, walk.edges, walk.target))
        out(f"nodes, _ := from.{nodes}()")
        with out.block("return serbench.DepthFirst(nodes.Len(), func(node int, reach func(int)) {", "})"):
            out(f"edges, _ := nodes.At(node).{edges}()")
            with out.block("for i := range edges.Len() {"):
                out(f"reach(int(edges.At(i).{target}()))")

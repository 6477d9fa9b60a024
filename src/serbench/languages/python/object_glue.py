"""Writes the module ``cell.glue`` of a codec whose library makes classes of a schema: dataclasses to and from
its objects, and the sums over them."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import GlueModule
from serbench.languages.python.object_totals import Totals
from serbench.languages.python.objects import LibraryObjects, ObjectValues
from serbench.model import Field, Optional, Record, Schema, Union
from serbench.model.parts import resolved

_MASK = "0xFFFFFFFFFFFFFFFF"


def object_source(schema: Schema, objects: LibraryObjects) -> str:
    """The module ``cell.glue`` of a workload."""
    return _Glue(schema, objects).text()


class _Glue(GlueModule):
    sides = "dataclasses to and from objects"
    ways = ("build", "extract")

    def __init__(self, schema: Schema, objects: LibraryObjects):
        super().__init__(schema, objects.types)
        self.objects = objects
        self.builds, self.extracts = ObjectValues(objects, True), ObjectValues(objects, False)
        self.totals = Totals(objects, self.out)

    def end(self, root: str) -> None:
        with self.function("traverse(view: Any)", "int"):
            self.out(
                '"""The sum of every number and byte of an object."""', f"return sum_{root}(view) & {_MASK}"
            )
        with self.function("walk(view: Any)", "int"):
            self.out('"""The sum of the numbers of all nodes that node 0 leads to, each plus 1."""')
            self._walk()
        super().end(root)

    def standard(self, body: str) -> list[str]:
        return ["import struct"] if "_bits32(" in body or "_bits64(" in body else []

    def declare(self, out: Source, body: str) -> None:
        out(*self.objects.head, "", f"Root = {self.objects.class_of(self.low(self.access.schema.root))}")

    def record(self, record: Record, low: Record) -> None:
        pairs = list(zip(record.fields, low.fields, strict=True))
        value, native = ("value", "native") if pairs else ("_value", "_native")
        with self.function(f"build_{function_of(record)}({value}: Any)"):
            held = [self._argument(own, lower) for own, lower in pairs]
            wrapped(self.out, f"return {self.objects.class_of(low)}(", held, ")")
        with self.function(f"extract_{function_of(record)}({native}: Any)"):
            self.access.give(self.out, record, [self._extracted(own, lower) for own, lower in pairs])
        self.totals.function(record, low)

    def _argument(self, own: Field, low: Field) -> str:
        """The argument that a class is given for a field; for a union in place, that of its alternative."""
        place = f"value.{own.name}"
        if union := self._in_place(own, low):
            return f"**build_{function_of(union)}({place})"
        return f"{self.objects.attribute(low.name)}={self.builds.value(own.type, low.type, place)}"

    def _extracted(self, own: Field, low: Field) -> str:
        if union := self._in_place(own, low):
            return f"extract_{function_of(union)}(native)"
        return self.extracts.value(own.type, low.type, f"native.{self.objects.attribute(low.name)}")

    def _in_place(self, own: Field, low: Field) -> Union | None:
        """The union of the domain whose alternatives are fields of the record that holds it."""
        if isinstance(low.type, Optional) and self.objects.is_in_place(low.type.item):
            assert isinstance(own.type, Optional) and isinstance(own.type.item, Union)
            return own.type.item
        return None

    def union(self, union: Union, low: Union) -> None:
        in_place = self.objects.is_in_place(low)
        with self.function(f"build_{function_of(union)}(value: Any)"):
            if in_place:
                with suite(self.out, "if value is None:"):
                    self.out("return {}")
            for own, lower in zip(self.access.told_apart(self.out, union), low.alternatives, strict=True):
                assert lower.type is not None  # lowering puts an empty record in its place
                name = self.objects.attribute(lower.name)
                if own.type is None:
                    made = f"{self.objects.class_of(resolved(lower.type))}()"
                else:
                    made = self.builds.value(own.type, lower.type, "value.value")
                whole = f"{self.objects.class_of(low)}({name}={made})"
                self.out(f'return {{"{name}": {made}}}' if in_place else f"return {whole}")
        with self.function(f"extract_{function_of(union)}(native: Any)"):
            for own, lower in zip(union.alternatives, low.alternatives, strict=True):
                place = f"native.{self.objects.attribute(lower.name)}"
                with suite(self.out, f"if {place} is not None:"):
                    value = None
                    if own.type is not None and lower.type is not None:
                        value = self.extracts.value(own.type, lower.type, place)
                    self.give_alternative(union, own, value)
            self.out("return None" if in_place else f'raise ValueError("{union.name} has no alternative")')
        self.totals.function(union, low)

    def _walk(self) -> None:
        walk, out, named = self.objects.types.schema.walk, self.out, self.objects.attribute
        if walk is None:
            out('raise NotImplementedError("these messages are no graph")')
            return
        out(f"nodes = view.{named(walk.nodes)}", "total, left, visited = 0, [0] if nodes else [], {0}")
        with suite(out, "while left:"):
            out("number = left.pop()", "total += number + 1")
            with suite(out, f"for edge in nodes[number].{named(walk.edges)}:"):
                out(f"target = edge.{named(walk.target)}")
                with suite(out, "if target < len(nodes) and target not in visited:"):
                    out("visited.add(target)", "left.append(target)")
        out("return total")

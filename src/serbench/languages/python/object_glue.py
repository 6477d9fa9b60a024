"""Writes the module ``cell.glue`` of a codec whose library makes classes of a schema: dataclasses to and from
its objects, and the sums over them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import LoweredModule
from serbench.languages.python.object_totals import Totals
from serbench.languages.python.objects import LibraryObjects, ObjectValues
from serbench.model import Field, Optional, Record, Schema, Union
from serbench.model.parts import resolved

_MASK = "0xFFFFFFFFFFFFFFFF"


class ObjectGlue(LoweredModule):
    """The module of a workload. Here objects are made with their fields as arguments; a library whose objects
    are filled overrides what builds them.

    Attributes:
        one: an object, as docstrings call it; ``several``: many of them.
        native: the variable that has the object of which a dataclass is made.
        anew: whether expressions of one function may have the same variables.
        totals: writes the functions of sums.
    """

    one, several = "an object", "objects"
    native = "native"
    anew = True
    totals: type[Totals] = Totals

    def __init__(self, schema: Schema, objects: LibraryObjects):
        super().__init__(schema, objects.types)
        self.objects, self.libraries = objects, objects.before
        self.sides = f"dataclasses to and from {self.several}"
        self.builds, self.extracts = ObjectValues(objects, True), ObjectValues(objects, False)
        self._sums = self.totals(objects, self.out)

    def end(self, root: str) -> None:
        exported = self.exports(root)
        with self.function("traverse(view: Any)", "int"):
            self.out(f'"""The sum of every number and byte of {self.one}."""')
            self.out(f"return sum_{root}(view) & {_MASK}")
        with self.function("walk(view: Any)", "int"):
            self.out('"""The sum of the numbers of all nodes that node 0 leads to, each plus 1."""')
            self._walk()
        self.out("", "", *exported)

    def exports(self, root: str) -> Sequence[str]:
        """The last lines, by which the adapter has the functions of the root's type; may write functions
        before those that are always there."""
        return [f"build = build_{root}", f"extract = extract_{root}"]

    def standard(self, body: str) -> list[str]:
        return ["import struct"] if "_bits32(" in body or "_bits64(" in body else []

    def constants(self, body: str) -> list[str]:
        root = self.objects.class_of(self.low(self.access.schema.root))
        return [*self.objects.head, "", f"Root = {root}", *self.objects.after]

    # --- records ---

    def record(self, record: Record, low: Record) -> None:
        self.build_record(record, low)
        self._extract_record(record, low)
        self._sums.function(record, low)

    def build_record(self, record: Record, low: Record) -> None:
        """Writes the function that makes an object of a dataclass."""
        pairs = list(zip(record.fields, low.fields, strict=True))
        with self.function(f"build_{function_of(record)}({'value' if pairs else '_value'}: Any)"):
            held = [self._argument(own, lower) for own, lower in pairs]
            wrapped(self.out, f"return {self.objects.class_of(low)}(", held, ")")

    def _argument(self, own: Field, low: Field) -> str:
        """The argument that a class is given for a field; for a union in place, that of its alternative."""
        place = f"value.{own.name}"
        if union := self.in_place(own, low):
            return f"**build_{function_of(union)}({place})"
        return f"{self.objects.attribute(low.name)}={self.builds.value(own.type, low.type, place)}"

    def _extract_record(self, record: Record, low: Record) -> None:
        pairs = list(zip(record.fields, low.fields, strict=True))
        head = f"extract_{function_of(record)}({'' if pairs else '_'}{self.native}: Any)"
        with self.function(head):
            values = [self._extracted(own, lower, low) for own, lower in pairs]
            self.access.give(self.out, record, values)

    def _extracted(self, own: Field, lower: Field, low: Record) -> str:
        if union := self.in_place(own, lower):
            return f"extract_{function_of(union)}({self.native})"
        self._begin_expression()
        return self.extracts.part(own.type, lower, low, self.native)

    def _begin_expression(self) -> None:
        if self.anew:
            self.extracts.anew()

    def in_place(self, own: Field, low: Field) -> Union | None:
        """The union of the domain whose alternatives are fields of the record that holds it."""
        if isinstance(low.type, Optional) and self.objects.is_in_place(low.type.item):
            assert isinstance(own.type, Optional) and isinstance(own.type.item, Union)
            return own.type.item
        return None

    # --- unions ---

    def union(self, union: Union, low: Union) -> None:
        self.build_union(union, low)
        self._extract_union(union, low)
        self._sums.function(union, low)

    def build_union(self, union: Union, low: Union) -> None:
        """Writes the function that makes an object of a union, or the argument for one in place."""
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

    def _extract_union(self, union: Union, low: Union) -> None:
        with self.function(f"extract_{function_of(union)}({self.native}: Any)"):
            chosen = self.objects.chosen(low, self.native)
            self.out(*([f"chosen = {chosen}"] if chosen else []))
            for own, lower in zip(union.alternatives, low.alternatives, strict=True):
                assert lower.type is not None
                place = self.objects.at(self.native, lower.name)
                with suite(
                    self.out, f'if chosen == "{lower.name}":' if chosen else f"if {place} is not None:"
                ):
                    value = None
                    if own.type is not None:
                        self._begin_expression()
                        value = self.extracts.inner(own.type, lower.type, place)
                    self.give_alternative(union, own, value)
            is_in_place = self.objects.is_in_place(low)
            self.out("return None" if is_in_place else f'raise ValueError("{union.name} has no alternative")')

    def _walk(self) -> None:
        walk, out, at = self.objects.types.schema.walk, self.out, self.objects.at
        if walk is None:
            out('raise NotImplementedError("these messages are no graph")')
            return
        out(f"nodes = {at('view', walk.nodes)}", "total, left, visited = 0, [0] if nodes else [], {0}")
        with suite(out, "while left:"):
            out("number = left.pop()", "total += number + 1")
            with suite(out, f"for edge in {at('nodes[number]', walk.edges)}:"):
                out(f"target = {at('edge', walk.target)}")
                with suite(out, "if target < len(nodes) and target not in visited:"):
                    out("visited.add(target)", "left.append(target)")
        out("return total")

    def function(self, head: str, gives: str = "Any") -> AbstractContextManager[None]:
        self.extracts.anew()
        return super().function(head, gives)

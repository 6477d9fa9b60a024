"""Generates the module ``cell.glue`` for a library that makes classes of a schema: conversions between
dataclasses and the library's objects, and functions that sum the objects."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import LoweredModule
from serbench.languages.python.object_totals import Totals
from serbench.languages.python.objects import LibraryObjects, ObjectValues
from serbench.languages.python.sums import write_walk
from serbench.model import Field, Optional, Record, Schema, Union, Walk
from serbench.model.parts import resolved


class ObjectGlue(LoweredModule):
    """Generates the module ``cell.glue``. Here, objects are made with their fields as arguments; a library
    whose objects are filled overrides the methods that build.

    Attributes:
        one: the words for an object in generated docstrings; ``several``: for many.
        native: the variable for the object of which a dataclass is made.
        anew: whether two expressions of one function may use the same variables.
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
        self.traversal(f"sum_{root}", self.one)
        self.out("", "", *exported)

    def exports(self, root: str) -> Sequence[str]:
        """Return the module's last lines, which give the root's functions the names by which the adapter
        calls them; may write functions of its own before."""
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
        """Write the function that converts a dataclass to the library's object."""
        pairs = list(zip(record.fields, low.fields, strict=True))
        with self.function(f"build_{function_of(record)}({'value' if pairs else '_value'}: Any)"):
            held = [self._argument(own, lower) for own, lower in pairs]
            wrapped(self.out, f"return {self.objects.class_of(low)}(", held, ")")

    def _argument(self, own: Field, low: Field) -> str:
        """The argument for a field when an object is made; for a union without an object of its own, the
        argument for its alternative, which is a field of the object around it."""
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
        if self.anew:
            self.extracts.anew()
        return self.extracts.part(own.type, lower, low, self.native)

    def in_place(self, own: Field, low: Field) -> Union | None:
        """The union of the domain, if its alternatives are fields of the record that holds it; else None."""
        if isinstance(low.type, Optional) and self.objects.is_in_place(low.type.item):
            return resolved(own.type).item  # type: ignore[no-any-return]
        return None

    # --- unions ---

    def union(self, union: Union, low: Union) -> None:
        self.build_union(union, low)
        self._extract_union(union, low)
        self._sums.function(union, low)

    def build_union(self, union: Union, low: Union) -> None:
        """Write the function that makes an object from a union; for a union without an object of its own, it
        makes a dict of the argument for the object around it."""
        in_place = self.objects.is_in_place(low)
        with self.function(f"build_{function_of(union)}(value: Any)"):
            if in_place:
                with suite(self.out, "if value is None:"):
                    self.out("return {}")
            for own, lower in zip(self.access.told_apart(self.out, union), low.alternatives, strict=True):
                held, name = resolved(lower.type), self.objects.attribute(lower.name)
                if own.type is None:
                    made = f"{self.objects.class_of(held)}()"  # lowering puts an empty record in its place
                else:
                    made = self.builds.value(own.type, held, "value.value")
                whole = f"{self.objects.class_of(low)}({name}={made})"
                self.out(f'return {{"{name}": {made}}}' if in_place else f"return {whole}")

    def _extract_union(self, union: Union, low: Union) -> None:
        with self.function(f"extract_{function_of(union)}({self.native}: Any)"):
            chosen = self.objects.chosen(low, self.native)
            self.out(*([f"chosen = {chosen}"] if chosen else []))
            for own, lower in zip(union.alternatives, low.alternatives, strict=True):
                place = self.objects.at(self.native, lower.name)
                is_there = f'chosen == "{lower.name}"' if chosen else f"{place} is not None"
                with suite(self.out, f"if {is_there}:"):
                    value = None
                    if self.anew:
                        self.extracts.anew()
                    if own.type is not None:
                        value = self.extracts.inner(own.type, resolved(lower.type), place)
                    self.give_alternative(union, own, value)
            is_in_place = self.objects.is_in_place(low)
            self.out("return None" if is_in_place else f'raise ValueError("{union.name} has no alternative")')

    def walk(self, walk: Walk) -> None:
        at = self.objects.at
        edges, to = f"for edge in {at('nodes[number]', walk.edges)}:", at("edge", walk.target)
        write_walk(self.out, "nodes", at("view", walk.nodes), "len(nodes)", edges=edges, target=to)

    def function(self, head: str, gives: str = "Any") -> AbstractContextManager[None]:
        self.extracts.anew()
        return super().function(head, gives)

"""Generates code between domain objects and the case classes that avrohugger makes of an Avro schema."""

from __future__ import annotations

from serbench.idl.avsc import entry_name, lowered
from serbench.languages.jvm.avro import AvroRecords, scalars
from serbench.languages.jvm.collections import ScalaMessages, quoted
from serbench.model import FixedBytes, Map, Record, Schema, Type, Union, string
from serbench.model.parts import back_references, parts


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the generator, or the classes that it makes, cannot do a schema; None where they can."""
    types = lowered(schema)
    for record in types.records:  # also those that items which may be absent are in
        for field in record.fields:
            entries = [m for m in _within(field.type) if isinstance(m, Map) and m.key != string]
            holders = {entry_name(types, m): m.value for m in entries} | {record.name: field.type}
            for name, type in holders.items():
                if isinstance(type, FixedBytes):
                    return (
                        f"avrohugger 1.3.1 makes every new {name} with a fixed of no bytes, "
                        "which Avro's reader writes into"
                    )
            if reason := _why_not_back(record, field.type):
                return reason
    return None


def _why_not_back(record: Record, type: Type) -> str | None:
    """Why the generator cannot do the recursion through a field; None where it can, or there is none."""
    maps = [each for each in _within(type) if isinstance(each, Map)]
    for ref in back_references(type):
        entered = any(each.key != string and ref in back_references(each) for each in maps)
        if ref.name != record.name or entered:  # a map by anything else is a list of records
            return (
                "avrohugger 1.3.1 generates nothing for types that lead back through "
                f"others, as {record.name} does"
            )
        if any(ref in back_references(each) for each in maps):
            return (
                f"the constructor that avrohugger 1.3.1 makes of {record.name} puts another "
                "into its map, and never ends"
            )
    return None


def _within(type: Type) -> list[Type]:
    """Return a type and the types that it is made of, without those of the fields of records in it."""
    return [
        type,
        *(each for part in parts(type) if not isinstance(part, Record | Union) for each in _within(part)),
    ]


class _Glue(AvroRecords, ScalaMessages):
    what = "avrohugger's case classes"
    scalars = scalars(bytes="Array[Byte]")

    def name_of(self, name: str) -> str:
        return quoted(name)

    def build_map(self, type: Map, low: Map) -> None:
        if self.is_map(low):
            super().build_map(type, low)
        else:
            self.out(f"value.toVector.map(pair => {self.entry(low)}({self.built_pair(type, low)}))")

    def bytes_to_native(self, array: str) -> str:
        return array

    def bytes_to_domain(self, native: str) -> str:
        return native

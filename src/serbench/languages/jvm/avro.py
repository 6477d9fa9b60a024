"""Generates code between domain objects and Avro's specific records on the JVM, of whichever generator."""

from __future__ import annotations

from serbench.idl.avsc import SCALARS as AVRO_SCALARS
from serbench.idl.avsc import entry_name, fixed_name
from serbench.languages.jvm.collections import CollectionMessages, quoted
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.message_values import NATIVE
from serbench.model import Enum, FixedBytes, Map, Type, string

_SCALA = {
    "boolean": "Boolean",
    "int": "Int",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "string": "String",
}


def scalars(bytes: str) -> dict[str, str]:
    """Return the Scala type that Avro's records have for each scalar's name; for bytes, it is ``bytes``."""
    return {name: _SCALA.get(avro, bytes) for name, avro in AVRO_SCALARS.items()}


class AvroRecords(CollectionMessages):
    """Generates code for Avro's records: enums are Java's, and maps whose keys are no strings arrays of
    entries.

    Attributes:
        entry_parts: expressions for key and value of the entry ``pair``.
    """

    entry_parts = ("pair.key", "pair.value")
    packages = "serbench.avro_types"
    imported = ("org.apache.avro.specific.SpecificRecordBase",)
    trait = "serbench.codec.AvroGlue[{}]"
    member = "override def schema = {}.SCHEMA$"

    def is_map(self, low: Map) -> bool:
        """Whether a map is a map in Avro's records too, and not an array of entries."""
        return low.key == string

    def entry(self, low: Map) -> str:
        """Return the class of a map's entries, where Avro's records have an array of entries for the map."""
        return f"{NATIVE}.{entry_name(self.types, low)}"

    def native(self, low: Type) -> str:
        match low:
            case Map() if not self.is_map(low):
                return f"{self.sequence}[{self.entry(low)}]"
            case FixedBytes(length):
                return f"{NATIVE}.{fixed_name(length)}"
        return super().native(low)

    def pairs(self, low: Map) -> tuple[str, str, str]:
        return super().pairs(low) if self.is_map(low) else ("message.iterator", *self.entry_parts)

    def build(self, type: Type, low: Type, value: str) -> str:
        if isinstance(low, FixedBytes):
            return f"{self.new}{self.native(low)}({value})"
        return super().build(type, low, value)

    def extract(self, type: Type, low: Type, native: str) -> str:
        if isinstance(low, FixedBytes):
            return f"{native}.bytes.clone()"
        return super().extract(type, low, native)

    def sum(self, type: Type, low: Type, native: str) -> str:
        if isinstance(low, FixedBytes):
            return f"Checksum.of({native}.bytes)"
        return super().sum(type, low, native)

    def enum_to_native(self, enum: Enum) -> None:
        with self.out.block("value match {"):
            native = self.natives[enum.name]
            for (member, _), (symbol, _) in zip(enum.members, native.members, strict=True):
                self.out(f"case {domain_type(enum)}.{member} => {NATIVE}.{native.name}.{quoted(symbol)}")

    def enum_to_domain(self, enum: Enum) -> str:
        """Return the expression for the domain's enum, by the index of the symbol ``message``."""
        return f"{domain_type(enum)}.all.get(message.ordinal)"

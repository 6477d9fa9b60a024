"""Generates code between domain objects and the messages that a compiler makes of a ``.proto`` for the JVM.

Lists, maps and optionals belong to the accessors of a message's field, so that functions are for messages
alone.
"""

from __future__ import annotations

from abc import abstractmethod
from types import MappingProxyType
from typing import Any

from serbench.idl.oneofs import holder_of, is_in_place
from serbench.idl.proto import SCALARS
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.message_values import NATIVE
from serbench.languages.jvm.messages import JvmGlue
from serbench.model import Array, Enum, List, Record, Scalar, Type, Union

_SCALA = {
    "bool": "Boolean",
    "int32": "Int",
    "uint32": "Int",
    "int64": "Long",
    "uint64": "Long",
    "float": "Float",
    "double": "Double",
    "string": "String",
    "bytes": "ByteString",
}

RUNTIME = ("com.google.protobuf.ByteString", "com.google.protobuf.UnsafeByteOperations")
"""The library's classes that generated functions for bytes use, for their imports."""

_PACKED = """
/** The array is not changed any more. */
private def packed(items: Vector[Short]): ByteString = {
  val bytes = new Array[Byte](items.length)
  val from = items.iterator
  var n = 0
  while (n < bytes.length) {
    bytes(n) = from.next().toByte
    n += 1
  }
  UnsafeByteOperations.unsafeWrap(bytes)
}"""
_UNPACKED = """
private def unpacked(bytes: ByteString, count: Int): Vector[Short] =
  Vector.tabulate(count)(n => (bytes.byteAt(n) & 0xff).toShort)"""
_SUM_OF_BYTES = """
private def sumOfBytes(bytes: ByteString): Long = {
  var sum = bytes.size.toLong
  val each = bytes.iterator
  while (each.hasNext) sum += each.nextByte() & 0xff
  sum
}"""


class ProtobufMessages(JvmGlue):
    """Generates code for messages of protobuf in Java: bytes are ``ByteString``, u32 an ``Int``'s bits."""

    what = "Protocol Buffers messages"
    packages = "serbench.pb"
    scalars = MappingProxyType({name: _SCALA[proto] for name, proto in SCALARS.items()})
    sum_of_bytes = "sumOfBytes"
    helpers = MappingProxyType({"packed": _PACKED, "unpacked": _UNPACKED, "sumOfBytes": _SUM_OF_BYTES})

    @abstractmethod
    def enum_to_native(self, enum: Enum, value: str) -> str:
        """Return the expression for a domain enum's ``value`` as a message holds it."""

    @abstractmethod
    def enum_number(self, native: str) -> str:
        """Return the expression for the number of a message's enum."""

    def native(self, low: Any) -> str:
        return f"{NATIVE}.{self.holder_of(low)}"

    def holder_of(self, low: Record | Union) -> str:
        """Return the name of the message that has the fields of a record or the alternatives of a union."""
        return holder_of(low, self.types).name

    def is_in_place(self, low: Type) -> bool:
        """Whether a type is a union without a message of its own."""
        return is_in_place(low, self.types)

    def build(self, type: Type, low: Type, value: str) -> str:
        match type, low:
            case Enum(), Enum():
                return self.enum_to_native(type, value)
            case ((List() | Array()), Scalar("bytes")):
                return f"packed({value})"
        return super().build(type, low, value)

    def extract(self, type: Type, low: Type, native: str) -> str:
        match type, low:
            case Enum(), Enum():
                return f"{domain_type(type)}.of({self.enum_number(native)})"
            case ((List() | Array()), Scalar("bytes")):
                size = f"{native}.size"
                if isinstance(type, Array):
                    size = f"Narrow.count({size}, {type.length})"
                return f"unpacked({native}, {size})"
        return super().extract(type, low, native)

    def sum(self, type: Type, low: Type, native: str) -> str:
        return self.enum_number(native) if isinstance(low, Enum) else super().sum(type, low, native)

    def bytes_to_native(self, array: str) -> str:
        return f"UnsafeByteOperations.unsafeWrap({array})"  # as good as a copy: domain objects do not change

    def bytes_to_domain(self, native: str) -> str:
        return f"{native}.toByteArray"

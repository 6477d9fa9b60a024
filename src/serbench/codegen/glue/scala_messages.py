"""Glue in Scala between domain objects and immutable messages that are generated from a ``.proto``.

Each record, and each message that was made for a nesting that proto3 lacks, gets ``build``, ``extract`` and ``sum``. ``type``
is always a value's type in the domain and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from serbench.codegen.idl.proto import lowered
from serbench.codegen.scala import domain_type, function_name, package
from serbench.codegen.source import Source
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, Walk
from serbench.model.names import SCALA, SCALA_TYPES

# Numbers that a message has in another type than the domain, or in a wider range; a u32 is the bits of an Int.
_TO_NATIVE = dict.fromkeys(("i8", "i16", "u8", "u32"), "{}.toInt")
_TO_DOMAIN = {name: f"Narrow.{name}({{}})" for name in ("i8", "i16", "u8", "u16")} | {"u32": "({} & 0xffffffffL)"}

_IMPORTS = {
    "com.google.protobuf": ("ByteString", "UnsafeByteOperations"),
    "serbench": ("Checksum", "DepthFirst", "Narrow"),
}

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


@dataclass(frozen=True)
class Part:
    """One field of a message.

    Attributes:
        value: the domain value, in the function that builds the message.
        type: of that value.
        low: what it is in the IDL.
        name: by which the library's accessors call it.
    """

    value: str
    type: Type
    low: Type
    name: str


class ScalaMessages(ABC):
    """The object ``Glue`` of a workload.

    Attributes:
        trait: of the adapter, which the object implements.
        helpers: functions that are written where they are called, by name.
    """

    trait: str
    helpers: Mapping[str, str] = MappingProxyType({"packed": _PACKED, "unpacked": _UNPACKED, "sumOfBytes": _SUM_OF_BYTES})

    def __init__(self, schema: Schema, messages: str):
        """``messages`` is the import by which what is generated from the IDL is called ``pb``."""
        self.schema = schema
        self.types = lowered(schema)
        self.messages = messages
        self.out = Source()
        self.names: dict[Type, str] = {record: record.name for record in schema.records}
        self.left: list[tuple[Type, Record]] = []

    @abstractmethod
    def head(self, root: str) -> None:
        """Writes what else the trait asks for."""

    @abstractmethod
    def names_of(self, fields: Sequence[Field]) -> list[str]:
        """How accessors call the fields of a message."""

    @abstractmethod
    def build(self, head: str, message: str, parts: list[Part]) -> None:
        """Writes the function of this head, up to its ``=``, that gives a message for ``value``."""

    @abstractmethod
    def read(self, part: Part) -> str:
        """The expression that is a domain value, of ``message``."""

    @abstractmethod
    def sum(self, part: Part) -> None:
        """Writes the statements that add a field of ``message`` to ``sum``."""

    @abstractmethod
    def enum_to_native(self, type: Enum, it: str) -> str:
        """A domain enum's value as a message has it."""

    @abstractmethod
    def enum_number(self, it: str) -> str:
        """The number of a message's enum value."""

    @abstractmethod
    def walk_accessors(self, nodes: str, edges: str, target: str) -> tuple[str, str, str]:
        """With the names of these fields: how many nodes ``message`` has, the iterator over the edges of the one with the number
        ``node``, and the target of ``edge``."""

    def text(self) -> str:
        root = domain_type(self.schema.root)
        with self.out.block(f"object Glue extends {self.trait}[{root}] {{"):
            self.head(root)
            for name, sources in self.entries(root, self.schema.root.name).items():
                self.out(f"override def {name}{sources}")
            if self.schema.walk:
                self.walk(self.schema.walk)
            for record in self.schema.records:
                lows = self.types.record(record.name).fields
                named = zip(record.fields, lows, self.names_of(lows), strict=True)
                parts = [Part(f"value.{SCALA.mangle(f.name)}", f.type, low.type, name) for f, low, name in named]
                self.functions(record, record.name, parts)
            done: set[Type] = set(self.schema.records)
            while self.left:
                type, made = self.left.pop()
                if type not in done:
                    done.add(type)
                    self.functions(type, made.name, [Part("value", type, made.fields[0].type, *self.names_of(made.fields))])
            body = self.out.text()
            for name, helper in self.helpers.items():
                if f"{name}(" in body:
                    self.out(*helper.splitlines())
        return self.file_head() + self.out.text()

    def entries(self, root: str, name: str) -> dict[str, str]:
        """The functions that the adapter calls."""
        return {
            "build": f"(value: {root}): pb.{name} = build{name}(value)",
            "extract": f"(message: pb.{name}): {root} = extract{name}(message)",
            "traverse": f"(message: pb.{name}): Long = sum{name}(message)",
        }

    def file_head(self) -> str:
        head, body = Source(), self.out.text()
        head(
            f"// Generated by serbench from workload {self.schema.name}: domain objects to and from Protocol Buffers messages.",
            f"package serbench.glue.{package(self.schema)}",
            "",
        )
        for where, names in _IMPORTS.items():
            used = [name for name in names if name in body]
            if used:
                head(f"import {where}.{used[0] if len(used) == 1 else '{' + ', '.join(used) + '}'}")
        if ".asScala" in body:
            head("import scala.jdk.CollectionConverters._")
        head(f"import serbench.domain.{{{package(self.schema)} => domain}}", f"import {self.messages}", "")
        return head.text()

    def functions(self, type: Type, message: str, parts: list[Part]) -> None:
        """``build``, ``extract`` and ``sum`` of a message, which stands for a domain ``type``."""
        out, name, domain = self.out, self.names[type], domain_type(type)
        out("")
        self.build(f"private def build{name}(value: {domain}): pb.{message} =", message, parts)
        head = f"private def extract{name}(message: pb.{message}): {domain} ="
        out("")
        if isinstance(type, Record):
            with out.block(head, ""), out.block(f"domain.{SCALA_TYPES.mangle(type.name)}(", ")"):
                out(*(f"{part.value.removeprefix('value.')} = {self.read(part)}," for part in parts))
        else:
            out(f"{head} {self.read(parts[0])}", "")
        with out.block(f"private def sum{name}(message: pb.{message}): Long = {{"):
            out("var sum = 0L")
            for part in parts:
                self.sum(part)
            out("sum")

    def walk(self, walk: Walk) -> None:
        out = self.out
        names, record = [], self.schema.root
        for name in (walk.nodes, walk.edges, walk.target):
            at = next(n for n, field in enumerate(record.fields) if field.name == name)
            names.append(self.names_of(record.fields)[at])
            type = record.fields[at].type
            if isinstance(type, List) and isinstance(type.item, Record):
                record = type.item
        nodes, edges, target = self.walk_accessors(*names)
        out("")
        with out.block(f"override def walk(message: pb.{self.schema.root.name}): Long = {{"):
            out(f"val walk = new DepthFirst({nodes})", "var node = walk.next()")
            with out.block("while (node >= 0) {"):
                out(f"val edges = {edges}")
                with out.block("while (edges.hasNext) {"):
                    out("val edge = edges.next()", f"walk.reach({self.sum_of(type, type, target)})")
                out("node = walk.next()")
            out("walk.sum")

    # Values that are no list, map or optional: of these a message has only fields.

    def is_unchanged(self, convert: Callable[[Type, Type, str], str], type: Type, low: Type) -> bool:
        """Whether ``convert`` leaves what an optional, a list or a map holds as it is."""
        return all(convert(*each, "it") == "it" for each in item_types(type, low))

    def call(self, function: str, type: Type, low: Record, it: str) -> str:
        """The call of a message's function, which is written some time."""
        if type not in self.names:
            self.names[type] = function_name(type, self.names.values())
        self.left.append((type, low))
        return f"{function}{self.names[type]}({it})"

    def to_native(self, type: Type, low: Type, it: str) -> str:
        match type, low:
            case Scalar("bytes"), Scalar("bytes"):
                return f"UnsafeByteOperations.unsafeWrap({it})"  # as good as a copy: domain objects do not change
            case _, Scalar("bytes"):
                return f"packed({it})"
            case _, Record():
                return self.call("build", type, low, it)
            case Enum(), _:
                return self.enum_to_native(type, it)
            case Scalar(name), _:
                return _TO_NATIVE.get(name, "{}").format(it)
        raise TypeError(f"{type} is not expected as {low}")

    def to_domain(self, type: Type, low: Type, it: str) -> str:
        match type, low:
            case Scalar("bytes"), Scalar("bytes"):
                return f"{it}.toByteArray"
            case _, Scalar("bytes"):
                size = f"Narrow.count({it}.size, {type.length})" if isinstance(type, Array) else f"{it}.size"
                return f"unpacked({it}, {size})"
            case _, Record():
                return self.call("extract", type, low, it)
            case Enum(name), _:
                return f"domain.{SCALA_TYPES.mangle(name)}.of({self.enum_number(it)})"
            case Scalar(name), _:
                return _TO_DOMAIN.get(name, "{}").format(it)
        raise TypeError(f"{type} is not expected as {low}")

    def sum_of(self, type: Type, low: Type, it: str) -> str:
        """What a value in a message adds to the sum; a list counts its items, an array does not."""
        match type, low:
            case _, Scalar("bytes"):
                return f"sumOfBytes({it}){f' - {type.length}' if isinstance(type, Array) else ''}"
            case _, Record():
                return self.call("sum", type, low, it)
            case Enum(), _:
                return self.enum_number(it)
            case Scalar("u32"), _:
                return f"({it} & 0xffffffffL)"
            case Scalar(), _:
                return it if type.is_integer else f"Checksum.of({it})"
        raise TypeError(f"{type} is not expected as {low}")


def item_types(type: Type, low: Type) -> Iterator[tuple[Type, Type]]:
    """The types of an optional's value, of a list's items, or of a map's keys and values, each with what it is in the IDL."""
    match type, low:
        case (Map(), Map()):
            yield type.key, low.key
            yield type.value, low.value
        case (List(item) | Array(item, _), List(low_item)) | (Optional(item), Optional(low_item)):
            yield item, low_item

"""Generates code for messages on the JVM whose lists, maps and optionals are collections of Scala or Java."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from serbench.codegen.words import SCALA
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.message_values import NATIVE, MessageField
from serbench.languages.jvm.messages import JvmGlue
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Type, Union


def quoted(name: str) -> str:
    """Return a name of generated Scala, which stands between backticks where it is a reserved word."""
    return f"`{name}`" if name in SCALA else name


class CollectionMessages(JvmGlue):
    """Generates code for messages, with functions for each type of list, map and enum too. A message's bytes
    are a ``ByteBuffer``, unless a library says otherwise.

    Attributes:
        sequence: the type of lists.
        mapping: the type of maps.
    """

    sequence: str
    mapping: str

    def native(self, low: Type) -> str:
        match low:
            case Scalar(name):
                return self.scalars[name]
            case List(item):
                return f"{self.sequence}[{self.native(item)}]"
            case Map(key, value):
                return f"{self.mapping}[{self.native(key)}, {self.native(value)}]"
            case Optional(item):
                return f"Option[{self.native(item)}]"
            case Enum(name) | Record(name) | Union(name) | Ref(name):
                return f"{NATIVE}.{name}"
        raise TypeError(f"{low} is not expected in {self.what}")

    def bytes_to_native(self, array: str) -> str:
        return f"java.nio.ByteBuffer.wrap({array})"

    def bytes_to_domain(self, native: str) -> str:
        return f"Bytes.left({native})"

    def built_pair(self, type: Map, low: Map) -> str:
        """Return expressions for key and value of the domain's ``pair`` as a message's map holds them."""
        key = self.build(type.key, low.key, "pair._1")
        return f"{key}, {self.build(type.value, low.value, 'pair._2')}"

    @abstractmethod
    def build_list(self, type: List | Array, low: List) -> None:
        """Write the code that converts ``value``, a vector, to a message's list."""

    @abstractmethod
    def build_map(self, type: Map, low: Map) -> None:
        """Write the code that converts ``value``, a map, to a message's map."""

    @abstractmethod
    def enum_to_native(self, enum: Enum) -> None:
        """Write the code that converts ``value``, of the domain's enum, to the message's enum."""

    @abstractmethod
    def enum_to_domain(self, enum: Enum) -> str:
        """Return the expression that converts ``message``, of the library's enum, to the domain's enum."""

    def item(self, low: Type, expression: str) -> str:
        """Return the expression for a collection's item as a plain value, out of Java's object for it."""
        return expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        """Return expressions for an iterator over the map ``message``, and for key and value of its item
        ``pair``."""
        return "message.iterator", "pair._1", "pair._2"

    def sum(self, type: Type, low: Type, native: str) -> str:
        if isinstance(type, Enum) and isinstance(low, Enum):
            return f"{self.call('extract', type, low, native)}.number"
        return super().sum(type, low, native)

    # The functions of a pair of types that is no record.

    def build_composite(self, type: Type, low: Type) -> None:
        """Write the body of the function that converts an enum, a list or a map to what a message holds."""
        match type, low:
            case Enum(), _:
                self.enum_to_native(type)
            case ((List() | Array()), List()):
                self.build_list(type, low)
            case Map(), Map():
                self.build_map(type, low)
            case _:  # a list of bytes
                self.out(
                    "val bytes = new Array[Byte](value.length)", "val items = value.iterator", "var n = 0"
                )
                with self.out.block("while (n < bytes.length) {"):
                    self.out("bytes(n) = items.next().toByte", "n += 1")
                self.out(self.bytes_to_native("bytes"))

    def extract_composite(self, type: Type, low: Type) -> None:
        """Write the body of the function that converts a message's enum, list or map to the domain's."""
        out = self.out
        match type, low:
            case Enum(), _:
                out(self.enum_to_domain(type))
            case ((List(item) | Array(item, _)), List()):
                if isinstance(type, Array):
                    out(f"Narrow.count(message.size, {type.length})")
                out(f"val vector = Vector.newBuilder[{domain_type(item)}]")
                self.each_item(low, "vector", lambda native: self.extract(item, low.item, native))
                out("vector.result()")
            case Map(), Map():
                out(f"val map = Map.newBuilder[{domain_type(type.key)}, {domain_type(type.value)}]")
                with self.each_pair(low) as (key, value):
                    extracted = self.extract(type.key, low.key, key)
                    out(f"map += (({extracted}, {self.extract(type.value, low.value, value)}))")
                out("map.result()")
            case _:  # a list of bytes
                out(f"val bytes = {self.bytes_to_domain('message')}")
                if isinstance(type, Array):
                    out(f"Narrow.count(bytes.length, {type.length})")
                out("val vector = Vector.newBuilder[Short]", "var n = 0")
                with out.block("while (n < bytes.length) {"):
                    out("vector += (bytes(n) & 0xff).toShort", "n += 1")
                out("vector.result()")

    def sum_composite(self, type: Type, low: Type) -> None:
        """Write the body of the function that sums a list or map with its count, or an array without."""
        out = self.out
        out(f"var sum = {'0L' if isinstance(type, Array) else 'message.size.toLong'}")
        match type, low:
            case ((List(item) | Array(item, _)), List()):
                self.each_item(low, "sum", lambda native: self.sum(item, low.item, native))
            case Map(), Map():
                with self.each_pair(low) as (key, value):
                    out(f"sum += {self.sum(type.key, low.key, key)}")
                    out(f"sum += {self.sum(type.value, low.value, value)}")
        out("sum")

    def each_item(self, low: List, to: str, made: Callable[[str], str]) -> None:
        """Write a loop over the list ``message`` that adds ``made`` of each item to the variable ``to``."""
        item = made(self.item(low.item, "items.next()"))
        self.out("val items = message.iterator", f"while (items.hasNext) {to} += {item}")

    @contextmanager
    def each_pair(self, low: Map) -> Iterator[tuple[str, str]]:
        """Write a loop over the map ``message`` around the body's code; yield its expressions for a pair."""
        iterator, key, value = self.pairs(low)
        self.out(f"val pairs = {iterator}")
        with self.out.block("while (pairs.hasNext) {"):
            self.out("val pair = pairs.next()")
            yield key, value


class ScalaCollections(JvmGlue):
    """Generates code for messages that hold ``Seq``, ``Map`` and ``Option``: a message takes a collection of
    the domain as it is where their items are the same."""

    def read(self, message: str, part: MessageField) -> str:
        return f"{message}.{part.name}"

    def is_taken(self, type: Type, low: Type) -> bool:
        match type, low:
            case ((List(item) | Array(item, _)), List(low_item)) | (Optional(item), Optional(low_item)):
                return self.is_taken(item, low_item)
            case Map(key, value), Map(low_key, low_value):
                return self.is_map(low) and self.is_taken(key, low_key) and self.is_taken(value, low_value)
            case _:
                return super().is_taken(type, low)

    def is_given(self, type: Type, low: Type) -> bool:
        match type, low:
            case (List(item), List(low_item)) | (Optional(item), Optional(low_item)):
                return isinstance(item, Scalar) and self.is_given(item, low_item)
            case Map(key, value), Map(low_key, low_value):
                same = self.is_given(key, low_key) and self.is_given(value, low_value)
                return self.is_map(low) and isinstance(value, Scalar) and same
            case _:
                return super().is_given(type, low)

    def is_map(self, low: Map) -> bool:
        """Whether a map is a map in messages too, and not a list of entries."""
        return True

    def given(self, type: Type, native: str) -> str:
        match type:
            case List():
                return f"{native}.toVector"
            case Map():
                return f"{native}.toMap"
            case _:
                return native

    def build(self, type: Type, low: Type, value: str) -> str:
        if isinstance(type, Optional) and isinstance(low, Optional) and not self.is_taken(type, low):
            return f"{value}.map(item => {self.build(type.item, low.item, 'item')})"
        return super().build(type, low, value)


class ScalaMessages(ScalaCollections, CollectionMessages):
    """Generates code for messages in Scala, each made by a call with all of its fields."""

    sequence = "Seq"
    mapping = "Map"

    def build_message(self, type: Type, low: Record) -> None:
        with self.out.block(f"{NATIVE}.{low.name}(", ")"):
            for part in self.parts(type, low):
                self.out(f"{self.build(part.type, part.low, part.value)},")

    def build_list(self, type: List | Array, low: List) -> None:
        self.out(f"value.map(item => {self.build(type.item, low.item, 'item')})")

    def build_map(self, type: Map, low: Map) -> None:
        self.out(f"value.map(pair => ({self.built_pair(type, low)}))")

    def optional(self, part: MessageField) -> tuple[str, str]:
        field = self.read("message", part)
        return f"{field}.isDefined", f"{field}.get"

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        self.out(f"val items = {self.read(message, part)}.toIndexedSeq")
        return "items.size", "items(node)"


class JavaMessages(CollectionMessages):
    """Generates code for messages with setters and getters, which hold Java's lists and maps, and null where
    an optional is absent."""

    sequence = "java.util.List"
    mapping = "java.util.Map"

    def native(self, low: Type) -> str:
        return boxed(super().native(low))

    def read(self, message: str, part: MessageField) -> str:
        return f"{message}.get{part.name}"

    def build_message(self, type: Type, low: Record) -> None:
        self.out(f"val message = new {NATIVE}.{low.name}")
        for part in self.parts(type, low):
            if isinstance(part.type, Optional) and isinstance(part.low, Optional):
                built = self.build(part.type.item, part.low.item, f"{part.value}.get")
                self.out(f"if ({part.value}.isDefined) message.set{part.name}({built})")
            else:
                self.out(f"message.set{part.name}({self.build(part.type, part.low, part.value)})")
        self.out("message")

    def build_list(self, type: List | Array, low: List) -> None:
        self.fill_list(self.native(low.item), "item", self.build(type.item, low.item, "item"))

    def fill_list(self, type: str, each: str, item: str) -> None:
        """Write code that makes a Java list: the expression ``item`` for each value ``each`` of ``value``."""
        self.out(f"val list = new java.util.ArrayList[{type}](value.size)", "val items = value.iterator")
        with self.out.block("while (items.hasNext) {"):
            self.out(f"val {each} = items.next()", f"list.add({item})")
        self.out("list")

    def build_map(self, type: Map, low: Map) -> None:
        types = f"[{self.native(low.key)}, {self.native(low.value)}]"
        # So big that it does not grow.
        self.out(
            f"val map = new java.util.HashMap{types}(value.size * 4 / 3 + 1)", "val pairs = value.iterator"
        )
        with self.out.block("while (pairs.hasNext) {"):
            self.out("val pair = pairs.next()", f"map.put({self.built_pair(type, low)})")
        self.out("map")

    def optional(self, part: MessageField) -> tuple[str, str]:
        field = self.read("message", part)
        return f"{field} != null", self.item(part.low.item, field)

    def item(self, low: Type, expression: str) -> str:
        return unboxed(self.scalars[low.name], expression) if isinstance(low, Scalar) else expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        key, value = self.item(low.key, "pair.getKey"), self.item(low.value, "pair.getValue")
        return "message.entrySet.iterator", key, value

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        self.out(f"val items = {self.read(message, part)}")
        return "items.size", "items.get(node)"


_NUMBERS = ("Boolean", "Byte", "Short", "Int", "Long", "Float", "Double")


def unboxed(scalar: str, expression: str) -> str:
    """Return the expression that turns a Java collection's item, an object, into a value of a Scala type."""
    return f"{expression}.{scalar.lower()}Value" if scalar in _NUMBERS else expression


def boxed(scalar: str) -> str:
    """Return the type of the objects that stand for values of a Scala type in a Java collection."""
    return "java.lang." + {"Int": "Integer"}.get(scalar, scalar) if scalar in _NUMBERS else scalar

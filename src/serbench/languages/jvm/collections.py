"""Messages on the JVM whose lists, maps and optionals are values: Scala's collections, or Java's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from serbench.codegen.words import SCALA
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.messages import NATIVE, JvmGlue, MessageField
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Type, Union


def quoted(name: str) -> str:
    """A name of generated Scala, whose generator puts those that are reserved between backticks."""
    return f"`{name}`" if name in SCALA else name


class CollectionMessages(JvmGlue):
    """Messages whose glue has functions for each type of list, map and enum too. Their bytes are a
    ``ByteBuffer``, unless a library says otherwise.

    Attributes:
        sequence: the type of lists.
        mapping: the type of maps.
    """

    sequence: str
    mapping: str

    def native(self, low: Type) -> str:
        match low:
            case Scalar(name):
                return self.scalar(self.scalars[name])
            case List(item):
                return f"{self.sequence}[{self.native(item)}]"
            case Map(key, value):
                return f"{self.mapping}[{self.native(key)}, {self.native(value)}]"
            case Optional(item):
                return f"Option[{self.native(item)}]"
            case Enum(name) | Record(name) | Union(name) | Ref(name):
                return f"{NATIVE}.{name}"
        raise TypeError(f"{low} is not expected in {self.what}")

    def scalar(self, scalar: str) -> str:
        """A scalar type, as a collection holds it."""
        return scalar

    def bytes_to_native(self, array: str) -> str:
        return f"java.nio.ByteBuffer.wrap({array})"

    def bytes_to_domain(self, native: str) -> str:
        return f"Bytes.left({native})"

    def built_pair(self, type: Map, low: Map) -> str:
        """Key and value of the domain's ``pair`` as a message's map holds them."""
        key = self.build(type.key, low.key, "pair._1")
        return f"{key}, {self.build(type.value, low.value, 'pair._2')}"

    @abstractmethod
    def present(self, message: str, part: MessageField) -> str:
        """Whether an optional field is there."""

    @abstractmethod
    def there(self, message: str, part: MessageField) -> str:
        """The value of an optional field that is there."""

    @abstractmethod
    def build_list(self, type: List | Array, low: List) -> None:
        """Writes what makes a message's list of the vector ``value``."""

    @abstractmethod
    def build_map(self, type: Map, low: Map) -> None:
        """Writes what makes a message's map of the map ``value``."""

    @abstractmethod
    def enum_to_native(self, enum: Enum) -> None:
        """Writes what makes a message's enum of ``value``."""

    @abstractmethod
    def enum_to_domain(self, enum: Enum) -> str:
        """The expression that is the domain's enum of ``message``."""

    def item(self, low: Type, expression: str) -> str:
        """The item of a collection in the form that a field has it in."""
        return expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        """Code for an iterator over the map ``message``, and for the key and the value of its item
        ``pair``."""
        return "message.iterator", "pair._1", "pair._2"

    @abstractmethod
    def at(self, list: str, index: str) -> tuple[str, str]:
        """Code for ``list`` in a form that can be indexed, and the text to append to it for an item."""

    def sum(self, type: Type, low: Type, native: str) -> str:
        if isinstance(type, Enum) and isinstance(low, Enum):
            return f"{self.call('extract', type, low, native)}.number"
        return super().sum(type, low, native)

    def extract_field(self, part: MessageField) -> str:
        type, low = part.type, part.low
        if isinstance(type, Optional) and isinstance(low, Optional) and not self.is_given(type, low):
            value = self.extract(type.item, low.item, self.there("message", part))
            return f"if ({self.present('message', part)}) Some({value}) else None"
        return self.extract(type, low, self.read("message", part))

    def sum_field(self, part: MessageField) -> None:
        type, low = part.type, part.low
        if isinstance(type, Optional) and isinstance(low, Optional):
            value = self.sum(type.item, low.item, self.there("message", part))
            self.out(f"if ({self.present('message', part)}) sum += 1L + {value}")
        else:
            self.out(f"sum += {self.sum(type, low, self.read('message', part))}")

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        items, at = self.at(self.read(message, part), "node")
        self.out(f"val items = {items}")
        return "items.size", f"items{at}"

    # The functions of a pair of types that is no record.

    def build_composite(self, type: Type, low: Type) -> None:
        match type, low:
            case Enum(), Enum():
                self.enum_to_native(type)
            case ((List() | Array()), List()):
                self.build_list(type, low)
            case Map(), Map():
                self.build_map(type, low)
            case ((List() | Array()), Scalar("bytes")):
                self.out(
                    "val bytes = new Array[Byte](value.length)", "val items = value.iterator", "var n = 0"
                )
                with self.out.block("while (n < bytes.length) {"):
                    self.out("bytes(n) = items.next().toByte", "n += 1")
                self.out(self.bytes_to_native("bytes"))
            case _:
                super().build_composite(type, low)

    def extract_composite(self, type: Type, low: Type) -> None:
        out = self.out
        match type, low:
            case Enum(), Enum():
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
            case ((List() | Array()), Scalar("bytes")):
                out(f"val bytes = {self.bytes_to_domain('message')}")
                if isinstance(type, Array):
                    out(f"Narrow.count(bytes.length, {type.length})")
                out("val vector = Vector.newBuilder[Short]", "var n = 0")
                with out.block("while (n < bytes.length) {"):
                    out("vector += (bytes(n) & 0xff).toShort", "n += 1")
                out("vector.result()")
            case _:
                super().extract_composite(type, low)

    def sum_composite(self, type: Type, low: Type) -> None:
        """A list counts its items, an array does not."""
        out = self.out
        out(f"var sum = {'0L' if isinstance(type, Array) else 'message.size.toLong'}")
        match type, low:
            case ((List(item) | Array(item, _)), List()):
                self.each_item(low, "sum", lambda native: self.sum(item, low.item, native))
            case Map(), Map():
                with self.each_pair(low) as (key, value):
                    out(f"sum += {self.sum(type.key, low.key, key)}")
                    out(f"sum += {self.sum(type.value, low.value, value)}")
            case _:
                super().sum_composite(type, low)
        out("sum")

    def each_item(self, low: List, to: str, made: Callable[[str], str]) -> None:
        """Writes a loop over the list ``message``, which adds to a variable what is made of each item."""
        item = made(self.item(low.item, "items.next()"))
        self.out("val items = message.iterator", f"while (items.hasNext) {to} += {item}")

    @contextmanager
    def each_pair(self, low: Map) -> Iterator[tuple[str, str]]:
        """A loop over the map ``message``; gives its key and value."""
        iterator, key, value = self.pairs(low)
        self.out(f"val pairs = {iterator}")
        with self.out.block("while (pairs.hasNext) {"):
            self.out("val pair = pairs.next()")
            yield key, value


class ScalaCollections(JvmGlue):
    """Messages that hold ``Seq``, ``Map`` and ``Option``: they take the domain's as they are where the items
    are the same."""

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
        """Whether a map of these types is a map in messages too."""
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
    """Messages that are made by a function of all their fields."""

    sequence = "Seq"
    mapping = "Map"

    def build_record(self, low: Record, parts: list[MessageField]) -> None:
        with self.out.block(f"{NATIVE}.{low.name}(", ")"):
            self.out(*(f"{self.build(part.type, part.low, part.value)}," for part in parts))

    def build_list(self, type: List | Array, low: List) -> None:
        self.out(f"value.map(item => {self.build(type.item, low.item, 'item')})")

    def build_map(self, type: Map, low: Map) -> None:
        self.out(f"value.map(pair => ({self.built_pair(type, low)}))")

    def present(self, message: str, part: MessageField) -> str:
        return f"{self.read(message, part)}.isDefined"

    def there(self, message: str, part: MessageField) -> str:
        return f"{self.read(message, part)}.get"

    def at(self, list: str, index: str) -> tuple[str, str]:
        return f"{list}.toIndexedSeq", f"({index})"


class JavaMessages(CollectionMessages):
    """Messages with setters and getters, which hold Java's lists and maps, and null where an optional is
    absent."""

    sequence = "java.util.List"
    mapping = "java.util.Map"

    def scalar(self, scalar: str) -> str:
        return boxed(scalar)

    def read(self, message: str, part: MessageField) -> str:
        return f"{message}.get{part.name}"

    def build_record(self, low: Record, parts: list[MessageField]) -> None:
        self.out(f"val message = new {NATIVE}.{low.name}")
        for part in parts:
            if isinstance(part.type, Optional) and isinstance(part.low, Optional):
                built = self.build(part.type.item, part.low.item, f"{part.value}.get")
                self.out(f"if ({part.value}.isDefined) message.set{part.name}({built})")
            else:
                self.out(f"message.set{part.name}({self.build(part.type, part.low, part.value)})")
        self.out("message")

    def build_list(self, type: List | Array, low: List) -> None:
        self.fill_list(self.native(low.item), "item", self.build(type.item, low.item, "item"))

    def fill_list(self, type: str, each: str, item: str) -> None:
        """Writes what makes a list: for ``each`` one in ``value``, an ``item`` of this ``type``."""
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

    def present(self, message: str, part: MessageField) -> str:
        return f"{self.read(message, part)} != null"

    def there(self, message: str, part: MessageField) -> str:
        assert isinstance(part.low, Optional)
        return self.item(part.low.item, self.read(message, part))

    def item(self, low: Type, expression: str) -> str:
        return unboxed(self.scalars[low.name], expression) if isinstance(low, Scalar) else expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        return (
            "message.entrySet.iterator",
            self.item(low.key, "pair.getKey"),
            self.item(low.value, "pair.getValue"),
        )

    def at(self, list: str, index: str) -> tuple[str, str]:
        return list, f".get({index})"


_NUMBERS = ("Boolean", "Byte", "Short", "Int", "Long", "Float", "Double")


def unboxed(scalar: str, expression: str) -> str:
    """The value of a Scala type for what a Java collection holds."""
    return f"{expression}.{scalar.lower()}Value" if scalar in _NUMBERS else expression


def boxed(scalar: str) -> str:
    """The type of what a Java collection holds in place of a Scala type."""
    return "java.lang." + {"Int": "Integer"}.get(scalar, scalar) if scalar in _NUMBERS else scalar

"""What messages on the JVM consist of: Scala's collections, or Java's."""

from __future__ import annotations

from abc import abstractmethod

from serbench.codegen.glue.jvm_messages import NATIVE, JvmGlue, Part
from serbench.codegen.notation import Notation
from serbench.model import Array, Field, List, Map, Optional, Record, Scalar, Type


class ScalaMessages(JvmGlue):
    """Messages made by a function of all their fields, which hold ``Seq``, ``Map`` and ``Option``: they take the domain's
    as they are where the items are the same.

    Attributes:
        sequence: the type of lists.
        mapping: the type of maps.
    """

    sequence = "Seq"
    mapping = "Map"

    def native(self, low: Type) -> str:
        return Notation(
            self.what,
            self.scalars,
            list=f"{self.sequence}[{{}}]",
            map=f"{self.mapping}[{{}}, {{}}]",
            optional="Option[{}]",
            named=lambda name: f"{NATIVE}.{name}",
        )(low)

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
        """Whether a map of these types is one in messages too."""
        return True

    def given(self, type: Type, native: str) -> str:
        match type:
            case List():
                return f"{native}.toVector"
            case Map():
                return f"{native}.toMap"
            case _:
                return native

    def build_record(self, low: Record, parts: list[Part]) -> None:
        with self.out.block(f"{NATIVE}.{low.name}(", ")"):
            self.out(*(f"{self.build(type, field.type, value)}," for type, field, value in parts))

    def build(self, type: Type, low: Type, value: str) -> str:
        if isinstance(type, Optional) and isinstance(low, Optional) and not self.is_taken(type, low):
            return f"{value}.map(item => {self.build(type.item, low.item, 'item')})"
        return super().build(type, low, value)

    def build_list(self, type: List | Array, low: List) -> None:
        self.out(f"value.map(item => {self.build(type.item, low.item, 'item')})")

    def build_map(self, type: Map, low: Map) -> None:
        key, value = self.build(type.key, low.key, "pair._1"), self.build(type.value, low.value, "pair._2")
        self.out(f"value.map(pair => ({key}, {value}))")

    def present(self, message: str, field: Field) -> str:
        return f"{self.read(message, field)}.isDefined"

    def there(self, message: str, field: Field) -> str:
        return f"{self.read(message, field)}.get"

    def item(self, low: Type, expression: str) -> str:
        return expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        return "message.iterator", "pair._1", "pair._2"

    def at(self, list: str, index: str) -> tuple[str, str]:
        return f"{list}.toIndexedSeq", f"({index})"


class JavaMessages(JvmGlue):
    """Messages with setters and getters, which hold Java's lists and maps, and null where an optional is absent."""

    def native(self, low: Type) -> str:
        return Notation(
            self.what,
            {name: _boxed(scalar) for name, scalar in self.scalars.items()},
            list="java.util.List[{}]",
            map="java.util.Map[{}, {}]",
            named=lambda name: f"{NATIVE}.{name}",
        )(low)

    @abstractmethod
    def write(self, field: Field, value: str) -> str:
        """The statement that sets a field of ``message``."""

    def build_record(self, low: Record, parts: list[Part]) -> None:
        self.out(f"val message = new {NATIVE}.{low.name}")
        for type, field, value in parts:
            if isinstance(type, Optional) and isinstance(field.type, Optional):
                built = self.build(type.item, field.type.item, f"{value}.get")
                self.out(f"if ({value}.isDefined) {self.write(field, built)}")
            else:
                self.out(self.write(field, self.build(type, field.type, value)))
        self.out("message")

    def build_list(self, type: List | Array, low: List) -> None:
        self.fill_list(self.native(low.item), "item", self.build(type.item, low.item, "item"))

    def fill_list(self, type: str, each: str, item: str) -> None:
        """Writes what makes a list of an ``item`` of this ``type`` for each one in ``value``."""
        self.out(f"val list = new java.util.ArrayList[{type}](value.size)", "val items = value.iterator")
        with self.out.block("while (items.hasNext) {"):
            self.out(f"val {each} = items.next()", f"list.add({item})")
        self.out("list")

    def build_map(self, type: Map, low: Map) -> None:
        key, value = self.build(type.key, low.key, "pair._1"), self.build(type.value, low.value, "pair._2")
        types = f"[{self.native(low.key)}, {self.native(low.value)}]"
        # So big that it does not grow.
        self.out(f"val map = new java.util.HashMap{types}(value.size * 4 / 3 + 1)", "val pairs = value.iterator")
        with self.out.block("while (pairs.hasNext) {"):
            self.out("val pair = pairs.next()", f"map.put({key}, {value})")
        self.out("map")

    def present(self, message: str, field: Field) -> str:
        return f"{self.read(message, field)} != null"

    def there(self, message: str, field: Field) -> str:
        assert isinstance(field.type, Optional)
        return self.item(field.type.item, self.read(message, field))

    def item(self, low: Type, expression: str) -> str:
        number = self.scalars[low.name] if isinstance(low, Scalar) else ""
        return f"{expression}.{number.lower()}Value" if number in _NUMBERS else expression

    def pairs(self, low: Map) -> tuple[str, str, str]:
        return "message.entrySet.iterator", self.item(low.key, "pair.getKey"), self.item(low.value, "pair.getValue")

    def at(self, list: str, index: str) -> tuple[str, str]:
        return list, f".get({index})"


_NUMBERS = ("Boolean", "Byte", "Short", "Int", "Long", "Float", "Double")


def _boxed(scalar: str) -> str:
    """What a Java collection holds of a Scala type."""
    return "java.lang." + {"Int": "Integer"}.get(scalar, scalar) if scalar in _NUMBERS else scalar

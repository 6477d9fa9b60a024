"""What messages on the JVM consist of: Scala's collections, or Java's."""

from __future__ import annotations

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
        with self.out.block(f"{self.native(low)}(", ")"):
            self.out(*(f"{self.build(type, field.type, value)}," for type, field, value in parts))

    def build_optional(self, item: Type, low: Type, value: str) -> str:
        return f"{value}.map(item => {self.build(item, low, 'item')})"

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

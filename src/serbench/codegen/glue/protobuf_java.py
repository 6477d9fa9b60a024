"""Glue between domain objects and the messages that protoc generates for Java.

Lists of numbers are read by their index, since their iterators box each number anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codegen.glue.scala_messages import Part, ScalaMessages
from serbench.codegen.idl.proto import lowered
from serbench.model import Array, Enum, Field, List, Map, Optional, Scalar, Schema, Type, string
from serbench.model.names import PROTO, PROTO_JAVA, proto_pascal

# What gives the value of an object, which all keys and values of java.util.Map are.
_UNBOXED = {
    "bool": "{}.booleanValue",
    **dict.fromkeys(("i8", "i16", "i32", "u8", "u16", "u32"), "{}.intValue"),
    **dict.fromkeys(("i64", "u64"), "{}.longValue"),
    "f32": "{}.floatValue",
    "f64": "{}.doubleValue",
}


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(schema, f"serbench.pb.{{{outer_class(schema)} => pb}}").text()


def outer_class(schema: Schema) -> str:
    """The class that protoc puts all messages of a file into."""
    name = proto_pascal(schema.name)
    taken = {record.name for record in lowered(schema).records} | {enum.name for enum in schema.enums}
    return f"{name}OuterClass" if name in taken else name


def accessors(fields: Sequence[Field]) -> list[str]:
    """What follows ``get`` and ``set``, as protoc writes it: with the field's number where two would have methods of one name."""
    names = [PROTO_JAVA.mangle(PROTO.mangle(field.name)) for field in fields]
    clashing: set[int] = set()
    for at, field in enumerate(fields):
        own = {names[at]}
        if isinstance(field.type, List | Map):
            own |= {f"{names[at]}Count", f"{names[at]}List"}
        others = {other for other, name in enumerate(names) if other != at and name in own}
        clashing |= others | {at} if others else set()
    return [f"{name}{fields[at].number}" if at in clashing else name for at, name in enumerate(names)]


class _Glue(ScalaMessages):
    trait = "serbench.codec.ProtobufGlue"

    def head(self, root: str) -> None:
        self.out(f"override type Message = pb.{self.schema.root.name}")
        self.out(f"override def parser = pb.{self.schema.root.name}.parser()", "")

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return accessors(fields)

    def build(self, head: str, message: str, parts: list[Part]) -> None:
        with self.out.block(f"{head} {{"):
            self.out(f"val message = pb.{message}.newBuilder()")
            for part in parts:
                self.set(part)
            self.out("message.build()")

    def set(self, part: Part) -> None:
        """The statement that sets a field of the builder ``message``."""
        type, low, it = part.type, part.low, part.value
        match type, low:
            case Map(key, value), Map():
                pair = f"{self.to_native(key, low.key, 'key')}, {self.to_native(value, low.value, 'item')}"
                self.out(f"{it}.foreachEntry((key, item) => message.put{part.name}{_raw(value)}({pair}))")
            case List(item) | Array(item, _), List():
                added = self.to_native(item, low.item, "item")
                self.out(f"{it}.foreach(item => message.add{part.name}{_raw(item)}({added}))")
            case Optional(item), Optional():
                there = self.to_native(item, low.item, "item")
                self.out(f"{it}.foreach(item => message.set{part.name}{_raw(item)}({there}))")
            case _:
                self.out(f"message.set{part.name}{_raw(type)}({self.to_native(type, low, it)})")

    def read(self, part: Part) -> str:
        type, low, name = part.type, part.low, part.name
        match type, low:
            case Map(key, value), Map():
                entries = f"message.get{name}{_raw(value)}Map.asScala"
                if key == value == string:
                    return f"{entries}.toMap"
                to_key = self.to_domain(key, low.key, _unboxed(low.key, "key"))
                to_value = self.to_domain(value, low.value, _unboxed(low.value, "item"))
                return f"{entries}.iterator.map {{ case (key, item) => ({to_key}, {to_value}) }}.toMap"
            case List(item) | Array(item, _), List():
                count = f"message.get{name}Count"
                if isinstance(type, Array):
                    count = f"Narrow.count({count}, {type.length})"
                each = self.to_domain(item, low.item, f"message.get{name}{_raw(item)}(n)")
                return f"Vector.tabulate({count})(n => {each})"
            case Optional(item), Optional():
                there = self.to_domain(item, low.item, f"message.get{name}{_raw(item)}")
                return f"if (message.has{name}) Some({there}) else None"
        return self.to_domain(type, low, f"message.get{name}{_raw(type)}")

    def sum(self, part: Part) -> None:
        type, low, name = part.type, part.low, part.name
        match type, low:
            case Map(key, value), Map():
                self.out(f"sum += message.get{name}Count")
                self.out(f"val in{name} = message.get{name}{_raw(value)}Map.entrySet.iterator")
                with self.out.block(f"while (in{name}.hasNext) {{"):
                    self.out(f"val entry = in{name}.next()")
                    self.out(f"sum += {self.sum_of(key, low.key, _unboxed(low.key, 'entry.getKey'))}")
                    self.out(f"sum += {self.sum_of(value, low.value, _unboxed(low.value, 'entry.getValue'))}")
            case List(item) | Array(item, _), List():
                if isinstance(type, List):
                    self.out(f"sum += message.get{name}Count")
                self.out(f"var of{name} = 0")
                with self.out.block(f"while (of{name} < message.get{name}Count) {{"):
                    self.out(
                        f"sum += {self.sum_of(item, low.item, f'message.get{name}{_raw(item)}(of{name})')}", f"of{name} += 1"
                    )
            case Optional(item), Optional():
                there = self.sum_of(item, low.item, f"message.get{name}{_raw(item)}")
                self.out(f"if (message.has{name}) sum += 1L + {there}")
            case _:
                self.out(f"sum += {self.sum_of(type, low, f'message.get{name}{_raw(type)}')}")

    def enum_to_native(self, type: Enum, it: str) -> str:
        return f"{it}.number.toInt"

    def enum_number(self, it: str) -> str:
        return it

    def walk_accessors(self, nodes: str, edges: str, target: str) -> tuple[str, str, str]:
        return f"message.get{nodes}Count", f"message.get{nodes}(node).get{edges}List.iterator", f"edge.get{target}"


def _raw(type: Type) -> str:
    """What follows in accessors that take and give an enum's number, whether or not it is known."""
    return "Value" if isinstance(type, Enum) else ""


def _unboxed(low: Type, it: str) -> str:
    if isinstance(low, Enum):
        return f"{it}.intValue"
    return _UNBOXED.get(low.name, "{}").format(it) if isinstance(low, Scalar) else it

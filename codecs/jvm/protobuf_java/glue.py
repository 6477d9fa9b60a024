"""Generates code between domain objects and the messages that protoc generates for Java.

Lists of numbers are read by their index, since their iterators box each number anew.
"""

from __future__ import annotations

from serbench.codegen.words import package, words
from serbench.idl.proto import lowered, oneof_of, proto_pascal
from serbench.languages.jvm.collections import unboxed
from serbench.languages.jvm.message_values import NATIVE, MessageField
from serbench.languages.jvm.protobuf import RUNTIME, ProtobufMessages
from serbench.model import (
    Alternative,
    Array,
    Enum,
    List,
    Map,
    Optional,
    Record,
    Scalar,
    Schema,
    Type,
    Union,
    string,
)


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


def outer_class(schema: Schema) -> str:
    """Return the class that protoc puts all messages of a file into."""
    types, name = lowered(schema), proto_pascal(package(schema))
    taken = {type.name for type in types.named}
    return f"{name}OuterClass" if name in taken else name


# Protoc keeps these from what every message has.
_METHODS = words(
    """AllFields CachedSize Class DefaultInstanceForType DescriptorForType InitializationErrorString
    ParserForType SerializedSize UnknownFields"""
)


def accessor(name: str) -> str:
    """Return the part of a field's name that protoc writes after ``get`` or ``set``, such as ``OutEdges``."""
    written = proto_pascal(name)
    return f"{written}_" if written in _METHODS else written


class _Glue(ProtobufMessages):
    imported = ("com.google.protobuf.MessageLite", *RUNTIME)
    trait = "serbench.codec.ProtobufGlue[{}]"
    member = "override def parser = {}.parser()"

    @property
    def holder(self) -> str:
        return outer_class(self.types.declared)

    def imports(self, body: str) -> list[str]:
        converters = ["import scala.jdk.CollectionConverters._"] if ".asScala" in body else []
        return sorted(super().imports(body) + converters)

    def name_of(self, name: str) -> str:
        return accessor(name)

    def read(self, message: str, part: MessageField) -> str:
        return f"{message}.get{part.name}{_raw(part.low)}"

    def build_message(self, type: Type, low: Record) -> None:
        self.out(f"val message = {NATIVE}.{low.name}.newBuilder()")
        for part in self.parts(type, low):
            self.set(part)
        self.out("message.build()")

    def set(self, part: MessageField) -> None:
        """Write the statement that sets a field of the builder ``message``."""
        type, low, it = part.type, part.low, part.value
        match type, low:
            case Map(key, value), Map():
                pair = f"{self.build(key, low.key, 'key')}, {self.build(value, low.value, 'item')}"
                self.out(f"{it}.foreachEntry((key, item) => message.put{part.name}{_raw(low.value)}({pair}))")
            case Optional(item), Optional(union) if self.is_in_place(union):
                self.out(f"{it}.foreach(item => {self.call('build', item, union, 'item, message')})")
            case List(item) | Array(item, _) | Optional(item), List() | Optional():
                verb = "set" if isinstance(low, Optional) else "add"
                built = self.build(item, low.item, "item")
                self.out(f"{it}.foreach(item => message.{verb}{part.name}{_raw(low.item)}({built}))")
            case _:
                self.out(f"message.set{part.name}{_raw(low)}({self.build(type, low, it)})")

    def extract_field(self, part: MessageField) -> str:
        type, low, name = part.type, part.low, part.name
        match type, low:
            case Map(key, value), Map():
                entries = f"message.get{name}{_raw(low.value)}Map.asScala"
                if key == value == string:
                    return f"{entries}.toMap"
                to_key = self.extract(key, low.key, self.unboxed(low.key, "key"))
                to_value = self.extract(value, low.value, self.unboxed(low.value, "item"))
                return f"{entries}.iterator.map {{ case (key, item) => ({to_key}, {to_value}) }}.toMap"
            case List(item) | Array(item, _), List():
                count = f"message.get{name}Count"
                if isinstance(type, Array):
                    count = f"Narrow.count({count}, {type.length})"
                each = self.extract(item, low.item, f"message.get{name}{_raw(low.item)}(n)")
                return f"Vector.tabulate({count})(n => {each})"
        return super().extract_field(part)

    def sum_field(self, part: MessageField) -> None:
        type, low, name = part.type, part.low, part.name
        match type, low:
            case Map(key, value), Map():
                self.out(f"sum += message.get{name}Count")
                self.out(f"val in{name} = message.get{name}{_raw(low.value)}Map.entrySet.iterator")
                with self.out.block(f"while (in{name}.hasNext) {{"):
                    self.out(f"val entry = in{name}.next()")
                    self.out(f"sum += {self.sum(key, low.key, self.unboxed(low.key, 'entry.getKey'))}")
                    self.out(
                        f"sum += {self.sum(value, low.value, self.unboxed(low.value, 'entry.getValue'))}"
                    )
            case List(item) | Array(item, _), List():
                if isinstance(type, List):
                    self.out(f"sum += message.get{name}Count")
                self.out(f"var of{name} = 0")
                with self.out.block(f"while (of{name} < message.get{name}Count) {{"):
                    each = self.sum(item, low.item, f"message.get{name}{_raw(low.item)}(of{name})")
                    self.out(f"sum += {each}", f"of{name} += 1")
            case _:
                super().sum_field(part)

    def optional(self, part: MessageField) -> tuple[str, str]:
        """Return the condition that an optional part has a value, and the expression for the value; a oneof
        that lies directly in the message is read from the message itself."""
        item = part.low.item
        if isinstance(item, Union) and self.is_in_place(item):
            return f"message.{self.case_of(item)} != 0", "message"
        return f"message.has{part.name}", f"message.get{part.name}{_raw(item)}"

    def unboxed(self, low: Type, expression: str) -> str:
        """Return the expression for a key or value of a ``java.util.Map`` without its box, if it has one."""
        if isinstance(low, Enum):
            return unboxed("Int", expression)
        return unboxed(self.scalars[low.name], expression) if isinstance(low, Scalar) else expression

    def enum_to_native(self, enum: Enum, value: str) -> str:
        return f"{value}.number.toInt"

    def enum_number(self, native: str) -> str:
        return native

    def case_of(self, union: Union) -> str:
        """The method of a message that gives the number of the alternative of a oneof; 0 if it has none."""
        return f"get{accessor(oneof_of(union, self.types))}Case.getNumber"

    def build_head(self, name: str, domain: str, low: Type) -> str:
        """Return the first line of the function that builds a message, or sets a oneof in ``message``."""
        if not self.is_in_place(low):
            return super().build_head(name, domain, low)
        return f"private def build{name}(value: {domain}, message: {self.native(low)}.Builder): Unit ="

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        setter = f"set{accessor(choice.name)}{_raw(choice.type)}({built})"
        if self.is_in_place(low):
            return f"message.{setter}"
        return f"{NATIVE}.{low.name}.newBuilder().{setter}.build()"

    def chosen(self, low: Union) -> str:
        return f"message.{self.case_of(low)}"

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        return f"{choice.number}", f"message.get{accessor(choice.name)}{_raw(choice.type)}"

    def empty(self, low: Record) -> str:
        return f"{NATIVE}.{low.name}.getDefaultInstance"

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        self.out(f"val graph = {message}")
        return f"graph.get{part.name}Count", f"graph.get{part.name}(node)"

    def iterator(self, message: str, part: MessageField) -> str:
        return f"{message}.get{part.name}List.iterator"


def _raw(type: Type | None) -> str:
    """Return the end of an accessor's name: ``Value`` for an enum, which is read and set as a number."""
    return "Value" if isinstance(type, Enum) else ""

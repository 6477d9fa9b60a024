"""Glue between domain objects and the classes that Apache Thrift makes for Java."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.idl.thrift import lowered
from serbench.languages.jvm.collections import JavaMessages, quoted
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.messages import NATIVE, MessageField, is_bytes
from serbench.languages.jvm.thrift import PACKAGES, STRUCT_SCALARS
from serbench.languages.jvm.unions import Choice
from serbench.model import Enum, Field, Optional, Record, Schema, Type, Union, bool_
from serbench.model.names import capitalised


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(JavaMessages):
    what = "Thrift's classes"
    packages = PACKAGES
    imported = ("org.apache.thrift.TBase",)
    trait = "serbench.codec.ThriftGlue[{}]"
    scalars = STRUCT_SCALARS

    @property
    def base(self) -> str:
        return "TBase[_, _]"

    def members(self, root: Record) -> list[str]:
        return [f"override def create(): {self.base} = new {NATIVE}.{root.name}"]

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [capitalised(field.name) for field in fields]

    def read(self, message: str, part: MessageField) -> str:
        low = part.low.item if isinstance(part.low, Optional) else part.low
        verb = "is" if low == bool_ else "bufferFor" if is_bytes(low) else "get"
        return f"{message}.{verb}{part.name}"

    def present(self, message: str, part: MessageField) -> str:
        return f"{message}.isSet{part.name}"

    def there(self, message: str, part: MessageField) -> str:
        return self.read(message, part)

    def enum_to_native(self, enum: Enum) -> None:
        self.out(f"{NATIVE}.{self.natives[enum.name].name}.findByValue(value.number.toInt)")

    def enum_to_domain(self, enum: Enum) -> str:
        return f"{domain_type(enum)}.of(message.getValue.toLong)"

    def choice_to_native(self, low: Union, choice: Choice, built: str) -> str:
        return f"{NATIVE}.{low.name}.{quoted(low.alternatives[choice.index].name)}({built})"

    def chosen(self, low: Union, choices: Sequence[Choice]) -> tuple[str, list[tuple[str, str]]]:
        """Alternatives are told by the number of the field that is set; no field has 0."""
        head = "(if (message.isSet) message.getSetField.getThriftFieldId.toInt else 0)"
        return head, [(f"{each.number}", f"message.{_verb(each.low)}{each.name}") for each in choices]

    def empty(self, low: Record) -> str:
        return f"new {NATIVE}.{low.name}"


def _verb(low: Type | None) -> str:
    """Unions have no accessor that begins with "is"."""
    return "bufferFor" if low is not None and is_bytes(low) else "get"

"""Glue around the accessors that a library's compiler generates: messages are written by builders and read
through views, and records stand for the types that their IDL lacks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.idl.lower import Lowered
from serbench.idl.nesting import deepest
from serbench.languages.cpp.composites import CompositeGlue
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import describe_in_snake
from serbench.model import Alternative, Array, Field, List, Map, Optional, Record, Ref, Type
from serbench.model.parts import resolved


@dataclass(frozen=True)
class FieldSlot:
    """A field or an alternative with the C++ expressions for its values in the domain and in a message.

    Attributes:
        name: the name by which accessors have it.
        type: its type in the type model.
        native: the lowered type, which messages have.
        domain: the C++ expression of the domain value.
        view: the C++ expression of the accessor that reads it.
        is_pointer: whether the domain has a pointer, never null, since the value leads back.
        is_key: whether it is the key of an entry.
        is_member: whether it is a member of a struct that has a fixed size.
    """

    name: str
    type: Any
    native: Any
    domain: str
    view: str
    is_pointer: bool = False
    is_key: bool = False
    is_member: bool = False

    @property
    def item_native(self) -> Any:
        """The lowered type of an optional's value, which may be a record that was made to hold the value."""
        return resolved(self.native.item if isinstance(self.native, Optional) else self.native)

    def of_item(self, domain: str, view: str = "") -> FieldSlot:
        """The same slot for the value inside of an optional; ``domain`` and ``view`` are its expressions."""
        return replace(
            self, type=resolved(self.type.item), native=self.item_native, domain=domain,
            view=view or self.view, is_pointer=False,
        )  # fmt: skip


class ViewGlue(CompositeGlue):
    """Generator of functions that build, extract and sum each record, union, and record made by lowering."""

    def __init__(self, types: Lowered, what: str, header: str, root: str, whole: Lowered | None = None):
        """Writes the head of the file: ``what`` names the library's messages in a comment, ``header`` is the
        file that declares them, and ``root`` the C++ type of the root's message; ``whole`` are the types of
        the whole messages where code reads a part of them."""
        includes = ["domain.hpp", header, "support.hpp"]
        super().__init__(types, f"between domain objects and {what}", includes, f"using NativeRoot = {root};")
        self.written: set[str] = set()
        if levels := deepest(whole or types):
            self.out("", "template <>", f"inline constexpr int nesting_limit<NativeRoot> = {levels};")

    @abstractmethod
    def view(self, low: Record, field: Field) -> tuple[str, str]:
        """A field's name in the names of the library's accessors, and the C++ that reads the field."""

    @abstractmethod
    def ordered(self, low: Record) -> Sequence[Field]:
        """The fields of a record in the order in which code has to write them."""

    @abstractmethod
    def build_record(self, low: Record, slots: Sequence[FieldSlot]) -> None:
        """Writes the statements that build the library's record ``low`` of the values in ``slots``."""

    @abstractmethod
    def extract(self, slot: FieldSlot) -> None:
        """Writes the statements that overwrite a field's value in the domain by that of the message."""

    @abstractmethod
    def traverse(self, slot: FieldSlot) -> None:
        """Writes the statements that add the value of a message's field to ``sum``."""

    @abstractmethod
    def key(self, slot: FieldSlot) -> str:
        """The expression for the key of a map's entry in a message, converted to the domain's type."""

    def built_empty(self, low: Record) -> str:
        """The statement that builds the library's record ``low``, which has no fields."""
        return ""

    def record(self, record: Record, low: Record) -> None:
        self.made_records(record.fields, low.fields)
        own = {lower.name: each for lower, each in zip(low.fields, record.fields, strict=True)}
        slots = [
            self.slot(low, each, own[each.name].type, f"value.{own[each.name].name}")
            for each in self.ordered(low)
        ]
        self.record_functions(f"domain::{record.name}", low, slots)

    def slot(self, low: Record, field: Field, type: Type, domain: str) -> FieldSlot:
        """The slot of a record's field; ``domain`` is the expression for its value in the domain."""
        name, view = self.view(low, field)
        return FieldSlot(name, resolved(type), resolved(field.type), domain, view, isinstance(type, Ref))

    def record_functions(
        self, domain: str, low: Record, slots: Sequence[FieldSlot], traverse: str = "traverse"
    ) -> None:
        """Writes ``build``, ``extract`` and ``traverse`` between a domain type and the library's ``low``."""
        heads = self.heads(domain, low.name, traverse)
        if not slots:
            self.empty_functions(heads, self.built_empty(low))
            return
        with self.function(heads[0]):
            self.build_record(low, slots)
        with self.function(heads[1]):
            for slot in slots:
                self.extract(slot)
        self.sums(heads[2], slots)

    def sums(self, head: str, slots: Sequence[FieldSlot]) -> None:
        """Writes the function ``head`` that sums the values of fields, unless it was written before."""
        if self.is_new(head):
            with self.sum_function(head):
                for slot in slots:
                    self.traverse(slot)

    def is_new(self, function: str) -> bool:
        """Whether a function is not written yet: types that differ only in references back may share one."""
        new = function not in self.written
        self.written.add(function)
        return new

    # Records that lowering made, before what uses them.

    def made_records(
        self, parts: Sequence[Field | Alternative], lowered: Sequence[Field | Alternative]
    ) -> None:
        for own, low in zip(parts, lowered, strict=True):
            if own.type is not None and low.type is not None:
                self.made_record(own.type, low.type)

    def made_record(self, type: Type, low: Type) -> None:
        match type, low:
            case Optional(item), Optional(lower):
                self.made_record(item, lower)
            case ((List(item) | Array(item, _)), List(lower)):
                self.made_record(item, lower)
            case Map(), List(Record(name)):
                self.entry(type, self.types.record(name))
            case _, Record(name) if name in self.types.made:
                self.holder(resolved(type), self.types.record(name))

    def holder(self, type: Type, low: Record) -> None:
        """Writes the functions of a record ``low`` that lowering made around a value, since the IDL cannot
        have the value itself in a list or a union."""
        inner, domain = low.fields[0], cpp_type(type, "domain::")
        self.made_record(type, inner.type)
        if self.is_new(f"{domain} {low.name}"):
            slot = self.slot(low, inner, type, "value")
            self.record_functions(domain, low, [slot], f"traverse_{describe_in_snake(type)}")

    def entry(self, type: Map, low: Record) -> None:
        """Writes the functions of a map's entry, which is built from a pair and extracted into a map."""
        (key, value), domain = low.fields, cpp_type(type, "domain::")
        self.made_record(type.value, value.type)
        if not self.is_new(f"{domain} {low.name}"):
            return
        slots = [
            replace(self.slot(low, key, type.key, "entry.first"), is_key=True),
            self.slot(low, value, resolved(type.value), "entry.second"),
        ]
        build, extract, traverse = self.heads(domain, low.name, f"traverse_{describe_in_snake(type)}")
        with self.function(build.replace("& value", "::value_type& entry")):
            self.build_record(low, slots)
        with self.function(extract.replace(" extract(", " extract_entry(").replace("& value", "& map")):
            self.out(f"auto& value = map.try_emplace(map.end(), {self.key(slots[0])})->second;")
            self.extract(replace(slots[1], domain="value"))
        self.sums(traverse, slots)

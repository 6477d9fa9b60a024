"""Functions of their own for the types of a schema, in Scala: every call has one target, as in code written by hand."""

from __future__ import annotations

from abc import ABC, abstractmethod

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import domain_types, function_name
from serbench.model import Array, Record, Scalar, Schema, Type
from serbench.model.types import parts


class TypeFunctions(ABC):
    """A file with functions for each type: ``put`` a value into an ``out``, ``get`` one from an ``in``, and what is added."""

    def __init__(self, schema: Schema):
        self.declared, self.schema = schema, domain_types(schema)
        self.out = Source()
        self.names: dict[Type, str] = {enum: enum.name for enum in self.schema.enums}
        self.names |= {record: record.name for record in self.schema.records}

    def name(self, type: Type) -> str:
        """What a type's functions are called; no two types share it."""
        if type not in self.names:
            self.names[type] = function_name(type, self.names.values())
        return self.names[type]

    def all_functions(self) -> None:
        """Writes the functions of the root's type, then of the types it is made of, depth first."""
        done: set[Type] = set()
        left: list[Type] = [self.schema.root]
        while left:
            type = left.pop()
            if isinstance(type, Scalar) or type in done:
                continue
            done.add(type)
            self.functions(type)
            left += reversed(parts(type))

    @abstractmethod
    def functions(self, type: Type) -> None:
        """Writes the functions of a type that is no scalar; nothing where expressions are enough."""

    def put(self, type: Type, value: str) -> str:
        """The expression that puts a value."""
        return f"out.{type.name}({value})" if isinstance(type, Scalar) else f"put{self.name(type)}({value}, out)"

    def get(self, type: Type) -> str:
        """The expression that gets a value."""
        return f"in.{type.name}()" if isinstance(type, Scalar) else f"get{self.name(type)}(in)"

    # What the functions of records, lists and arrays consist of.

    def put_fields(self, type: Record) -> None:
        self.out(*(self.put(f.type, f"value.{f.name}") for f in type.fields))

    def get_fields(self, type: Record) -> None:
        """Scala evaluates arguments from left to right."""
        with self.out.block(f"domain.{type.name}(", ")"):
            self.out(*(f"{f.name} = {self.get(f.type)}," for f in type.fields))

    def put_items(self, item: Type) -> None:
        self.out("val items = value.iterator", f"while (items.hasNext) {self.put(item, 'items.next()')}")

    def check_length(self, type: Array) -> None:
        message = f'"an array has " + value.length + " items, expected {type.length}"'
        self.out(f"if (value.length != {type.length}) throw new IllegalArgumentException({message})")

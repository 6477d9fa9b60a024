"""Writes functions in Scala for each type of a schema: so every call has one target, as in code written by
hand."""

from __future__ import annotations

from abc import ABC, abstractmethod

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import domain_type, domain_types, function_name
from serbench.model import Alternative, Array, FixedBytes, Record, Scalar, Schema, Type, Union
from serbench.model.parts import parts


class FunctionNames:
    """The names of the functions or values of types; no two types share one."""

    def __init__(self, schema: Schema):
        self._names: dict[Type, str] = {type: type.name for type in schema.named}

    def __call__(self, type: Type) -> str:
        if type not in self._names:
            self._names[type] = function_name(type, self._names.values())
        return self._names[type]


class TypeFunctions(ABC):
    """A file with functions for each type: one to ``put`` a value into an ``out``, one to ``get`` it from an
    ``in``, and what a generator adds."""

    def __init__(self, schema: Schema):
        self.declared, self.schema = schema, domain_types(schema)
        self.out = Source()
        self.name = FunctionNames(self.schema)

    def all_functions(self) -> None:
        """Writes the functions of the root's type, then of the types it is made of, depth first."""
        done: set[Type] = set()
        left: list[Type] = [self.schema.root]
        while left:
            type = left.pop()
            if isinstance(type, Scalar | FixedBytes) or type in done:
                continue
            done.add(type)
            self.functions(type)
            left += reversed(parts(type))

    @abstractmethod
    def functions(self, type: Type) -> None:
        """Writes the functions of a type that is no scalar; nothing where expressions are enough. For a
        ``Ref``, they do what a step back takes besides the functions of its target."""

    def put(self, type: Type, value: str) -> str:
        """The expression that puts a value."""
        if isinstance(type, FixedBytes):
            return f"out.fixedBytes({value}, {type.length})"
        return (
            f"out.{type.name}({value})" if isinstance(type, Scalar) else f"put{self.name(type)}({value}, out)"
        )

    def get(self, type: Type) -> str:
        """The expression that gets a value."""
        if isinstance(type, FixedBytes):
            return f"in.fixedBytes({type.length})"
        return f"in.{type.name}()" if isinstance(type, Scalar) else f"get{self.name(type)}(in)"

    # What the functions of records, unions, lists and arrays consist of.

    def put_fields(self, type: Record) -> None:
        self.out(*(self.put(f.type, f"value.{f.name}") for f in type.fields))

    def get_fields(self, type: Record) -> None:
        """Writes what gets the fields in their order: Scala evaluates arguments from left to right."""
        with self.out.block(f"domain.{type.name}(", ")"):
            self.out(*(f"{f.name} = {self.get(f.type)}," for f in type.fields))

    def put_items(self, item: Type) -> None:
        self.out("val items = value.iterator", f"while (items.hasNext) {self.put(item, 'items.next()')}")

    def check_length(self, type: Array) -> None:
        message = f'"an array has " + value.length + " items, expected {type.length}"'
        self.out(f"if (value.length != {type.length}) throw new IllegalArgumentException({message})")


def domain_alternative(union: Union, each: Alternative) -> str:
    """The class or object of an alternative, in a file that imports the workload's package as ``domain``."""
    return f"{domain_type(union)}.{each.name}"


def pattern(union: Union, each: Alternative, value: str = "value") -> str:
    """The pattern that an alternative's values match, and the expression that makes one; ``value`` stands for
    what it holds."""
    return domain_alternative(union, each) + ("" if each.type is None else f"({value})")

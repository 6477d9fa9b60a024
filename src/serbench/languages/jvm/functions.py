"""Generates functions in Scala for each type of a schema, as in code written by hand: every call leads to one
function, which the JIT compiler can inline."""

from __future__ import annotations

from contextlib import AbstractContextManager

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import domain_type, domain_types, function_name
from serbench.model import Alternative, Array, FixedBytes, Record, Scalar, Schema, Type, Union
from serbench.model.parts import parts


class FunctionNames:
    """Gives each type a name for its functions or values, which no other type has."""

    def __init__(self, schema: Schema):
        self._names: dict[Type, str] = {type: type.name for type in schema.named}

    def __call__(self, type: Type) -> str:
        if type not in self._names:
            self._names[type] = function_name(type, self._names.values())
        return self._names[type]


class TypeFunctions:
    """Generates functions for each type: ``put`` writes a value to ``out``, ``get`` reads a value from
    ``in``. A subclass has a method for each kind of type, which writes the functions."""

    def __init__(self, schema: Schema):
        self.declared, self.schema = schema, domain_types(schema)
        self.declared_unions = dict(zip(self.schema.unions, schema.unions, strict=True))
        self.out = Source()
        self.name = FunctionNames(self.schema)

    def all_functions(self) -> None:
        """Write the functions of the root's type, then of the types that the root is made of, depth first."""
        done: set[Type] = set()
        left: list[Type] = [self.schema.root]
        while left:
            type = left.pop()
            if isinstance(type, Scalar | FixedBytes) or type in done:
                continue
            done.add(type)
            self.functions(type)
            left += reversed(parts(type))

    def functions(self, type: Type) -> None:
        """Write the functions of a type by the method with the name of its kind; the functions of a ``Ref``
        wrap those of the type that it refers back to."""
        getattr(self, type.__class__.__name__.lower())(type)

    def function(self, head: str, end: str = "}") -> AbstractContextManager[None]:
        """Write a function behind an empty line, around what the body writes."""
        self.out("")
        return self.out.block(head, end)

    def put(self, type: Type, value: str) -> str:
        """Return the expression that writes a value."""
        if isinstance(type, FixedBytes):
            return f"out.fixedBytes({value}, {type.length})"
        return (
            f"out.{type.name}({value})" if isinstance(type, Scalar) else f"put{self.name(type)}({value}, out)"
        )

    def get(self, type: Type) -> str:
        """Return the expression that reads a value."""
        if isinstance(type, FixedBytes):
            return f"in.fixedBytes({type.length})"
        return f"in.{type.name}()" if isinstance(type, Scalar) else f"get{self.name(type)}(in)"

    # Pieces of the functions of records, unions, lists and arrays.

    def put_fields(self, type: Record) -> None:
        """Write the statements that write each field of ``value``."""
        self.out(*(self.put(f.type, f"value.{f.name}") for f in type.fields))

    def get_fields(self, type: Record) -> None:
        """Write the expression that makes a record of its fields, which it reads in their order."""
        with self.out.block(f"domain.{type.name}(", ")"):
            self.out(*(f"{f.name} = {self.get(f.type)}," for f in type.fields))

    def put_items(self, item: Type) -> None:
        """Write the loop that writes each item of ``value``."""
        self.out("val items = value.iterator", f"while (items.hasNext) {self.put(item, 'items.next()')}")

    def check_length(self, type: Array) -> None:
        """Write the statement that refuses a ``value`` whose length is not that of the array type."""
        message = f'"an array has " + value.length + " items, expected {type.length}"'
        self.out(f"if (value.length != {type.length}) throw new IllegalArgumentException({message})")


def domain_alternative(union: Union, each: Alternative) -> str:
    """Return the name of the Scala class or object for a union's alternative."""
    return f"{domain_type(union)}.{each.name}"


def pattern(union: Union, each: Alternative, value: str = "value") -> str:
    """Return the pattern that matches an alternative, which is also the expression that makes the alternative
    from a ``value``."""
    return domain_alternative(union, each) + ("" if each.type is None else f"({value})")

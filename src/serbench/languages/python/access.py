"""Expressions that read and make the parts of a message, so that the same generators write for dataclasses,
plain dicts, structs of msgspec and models of pydantic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from serbench.codegen.source import Source
from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.domain import NAMING, by_keywords, classes_of
from serbench.languages.python.options import Domain
from serbench.model import Alternative, Enum, Field, Optional, Record, Schema, Union
from serbench.model.names import upper_snake


@dataclass(frozen=True)
class Access:
    """Generates the expressions that read and make messages, as one kind of domain objects.

    Attributes:
        declared: the schema without logical types; ``schema``, the same with the names of Python.
    """

    declared: Schema
    domain: Domain = "dataclass"
    schema: Schema = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", NAMING.spell(self.declared))

    @property
    def is_dict(self) -> bool:
        return self.domain == "dict"

    @cached_property
    def classes(self) -> dict[tuple[str, str], str]:
        return classes_of(self.schema)

    @cached_property
    def _written(self) -> dict[tuple[str, str], str]:
        """(type's name, part's name), both in Python → the written name of a field, alternative or member."""
        found: dict[tuple[str, str], str] = {}
        for old, new in zip(self.declared.named, self.schema.named, strict=True):
            if isinstance(old, Enum) and isinstance(new, Enum):
                written = [old.wire_name(name) for name, _ in old.members]
                names = [name for name, _ in new.members]
            else:
                written = [part.wire_name for part in _parts(old)]
                names = [part.name for part in _parts(new)]
            found |= {(new.name, name): wire for name, wire in zip(names, written, strict=True)}
        return found

    def written(self, type: str, part: str) -> str:
        """Return the name of a field, alternative or member in formats that carry names."""
        return self._written[type, part]

    def quoted(self, type: str, part: str) -> str:
        return json.dumps(self.written(type, part), ensure_ascii=False)

    def get(self, place: str, record: Record, part: Field) -> str:
        """Return the expression for a field of the record at ``place``. A dict that a program of another
        schema wrote may lack an optional one."""
        if not self.is_dict:
            return f"{place}.{part.name}"
        name = self.quoted(record.name, part.name)
        return f"{place}.get({name})" if isinstance(part.type, Optional) else f"{place}[{name}]"

    def make(self, record: Record, values: Sequence[str]) -> tuple[str, list[str], str]:
        """The expression that makes a record, in three parts: text before the values, values, text after."""
        if self.is_dict:
            names = (self.quoted(record.name, part.name) for part in record.fields)
            return "{", [f"{n}: {v}" for n, v in zip(names, values, strict=True)], "}"
        if by_keywords(record, self.domain):
            named = zip(record.fields, values, strict=True)
            return f"{record.name}(", [f"{part.name}={v}" for part, v in named], ")"
        return f"{record.name}(", list(values), ")"

    def made(self, record: Record, values: Sequence[str]) -> str:
        head, items, tail = self.make(record, values)
        return f"{head}{', '.join(items)}{tail}"

    def alternative(self, union: Union, name: str, value: str | None) -> str:
        """Return the expression that makes an alternative of a union with its value, where it has one."""
        if self.is_dict:
            return f"{{{self.quoted(union.name, name)}: {value}}}"
        given = "" if value is None else f"value={value}" if self.domain == "model" else value
        return f"{self.classes[union.name, name]}({given})"

    def give(self, out: Source, record: Record, values: Sequence[str]) -> None:
        """Write the statement that returns a record, made of the expressions for its ``values``."""
        head, items, tail = self.make(record, values)
        wrapped(out, f"return {head}", items, tail)

    def told_apart(self, out: Source, union: Union) -> Iterator[Alternative]:
        """Write a branch for each alternative, told by the class of ``value``; yield the alternative, for
        which the loop's body writes the content of the branch."""
        for each in union.alternatives:
            with suite(out, f"if type(value) is {self.classes[union.name, each.name]}:"):
                yield each
        out(f'raise ValueError(f"{{value!r}} is no {union.name}")')

    def number_of(self, enum: Enum, value: str) -> str:
        """Return the expression for the number of an enum's value."""
        if not self.is_dict:
            return value
        numbers = numbers_of(enum)
        return f"{numbers}.get({value}, {value})" if enum.open else f"{numbers}[{value}]"

    def from_number(self, enum: Enum, number: str) -> str:
        """The expression for an enum's value by its number, which raises an error where there is none."""
        if self.is_dict:
            return f"{names_of(enum)}.get({number}, {number})" if enum.open else f"{names_of(enum)}[{number}]"
        return number if enum.open else f"{enum.name}({number})"

    def imported(self) -> list[str]:
        """Return the names of ``cell.domain`` that code needs to make messages."""
        unions = [self.classes[u.name, a.name] for u in self.schema.unions for a in u.alternatives]
        records = [record.name for record in self.schema.records]
        enums = [enum.name for enum in self.schema.enums if not enum.open]
        return sorted([*records, *unions, *enums])


def _parts(type: Any) -> Sequence[Field | Alternative]:
    return type.fields if isinstance(type, Record) else type.alternatives


def renamed_field(schema: Schema) -> str | None:
    """Return why a library that writes fields of dataclasses by their names in Python cannot do a schema;
    None if it can."""
    access = Access(schema)
    parts = ((record.name, part.name) for record in access.schema.records for part in record.fields)
    for record, part in parts:
        if (written := access.written(record, part)) != part:
            return f"it writes a field of a dataclass by its name in Python, which is {part} for {written}"
    return None


def numbers_of(enum: Enum) -> str:
    """Return the variable for the dict of an enum's numbers by its names."""
    return f"{upper_snake(enum.name)}_NUMBERS"


def names_of(enum: Enum) -> str:
    """Return the variable for the dict of an enum's names by its numbers."""
    return f"{upper_snake(enum.name)}_NAMES"


def members_of(enum: Enum) -> str:
    """Return the variable for the dict or list: value in the library → member of an enum."""
    return f"{upper_snake(enum.name)}_MEMBERS"

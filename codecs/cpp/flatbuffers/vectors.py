"""Generates code that writes the values to which tables have offsets: strings, vectors and other tables."""

from __future__ import annotations

from typing import Any

from serbench.idl.fbs import Tables
from serbench.model import Array, Enum, List, Record, Ref, Scalar, Type, bool_, string
from serbench.model.parts import describe, resolved

from .structs import is_packed


def offset(value: str, type: Type, native: Type, tables: Tables) -> str:
    """The expression that writes a value into the buffer and gives its offset."""
    match type:
        case Scalar():
            return f"builder.CreateString({value})" if type == string else f"builder.CreateBytes({value})"
        case Record():
            return f"build({value}, builder)"
        case _:
            return vector(f"({value})" if value.startswith("*") else value, type, native, tables)


def vector(value: str, type: Type, native: Any, tables: Tables) -> str:
    """The expression that writes the vector for a list, array or map, and gives its offset."""
    data = f"{value}.data(), {value}.size()"
    item = resolved(type.item) if isinstance(type, List | Array) else type
    match item, resolved(native.item):
        case Scalar(), Record(name):  # bytes in a table of their own
            return _vector_of_tables(name, value)
        case Scalar(), _ if item == string:
            return f"builder.CreateVectorOfStrings({value}.begin(), {value}.end())"
        case Scalar(), _ if item == bool_:
            as_bytes = f"builder.CreateVectorScalarCast<std::uint8_t>({data})"
            return as_bytes if isinstance(type, Array) else f"builder.CreateVector({value})"
        case Scalar(), _:
            return f"builder.CreateVector({data})"
        case Enum(), Enum(name):
            return f"builder.CreateVectorOfEnums<fbs::{name}>({value})"
        case Record(), Record(name) if is_packed(item) and tables.is_struct(native.item):
            return f"builder.CreateVectorOfPackedStructs<fbs::{name}>({value})"
        case _, Record(name) if tables.is_struct(native.item):
            return (
                f"builder.CreateVectorOfStructsFrom<fbs::{name}>({value}, "
                f"[](const auto& item) {{ return build(item); }})"
            )
        case _, Record(name):
            is_pointer = isinstance(type, Array) and isinstance(type.item, Ref)
            return _vector_of_tables(name, value, "*item" if is_pointer else "item")
        case _:
            raise TypeError(f"{describe(type)} has no FlatBuffers vector")


def _vector_of_tables(name: str, value: str, item: str = "item") -> str:
    return (
        f"builder.CreateVectorOfTables<fbs::{name}>({value}, [&](const auto& item) {{ "
        f"return build({item}, builder); }})"
    )

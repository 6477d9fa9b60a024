"""The type model: the neutral description of data that everything else is generated from."""

from serbench.model.schema import Schema, Walk
from serbench.model.types import (
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    bool_,
    bytes_,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
    u8,
    u16,
    u32,
    u64,
)

__all__ = [
    "Array", "Enum", "Field", "List", "Map", "Optional", "Record", "Ref", "Scalar", "Schema", "Type", "Walk",
    "bool_", "bytes_", "f32", "f64", "i8", "i16", "i32", "i64", "string", "u8", "u16", "u32", "u64",
]  # fmt: skip

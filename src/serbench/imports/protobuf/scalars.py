"""The scalars of Protocol Buffers, and their types in the type model."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor

from serbench.model.types import Scalar, bool_, bytes_, f32, f64, i32, i64, string, u32, u64

SCALARS = {
    "double": f64,
    "float": f32,
    "int32": i32,
    "int64": i64,
    "uint32": u32,
    "uint64": u64,
    "sint32": i32,
    "sint64": i64,
    "fixed32": u32,
    "fixed64": u64,
    "sfixed32": i32,
    "sfixed64": i64,
    "bool": bool_,
    "string": string,
    "bytes": bytes_,
}

KINDS: dict[int, str] = {
    getattr(FieldDescriptor, f"TYPE_{name.upper()}"): name for name in (*SCALARS, "enum", "message", "group")
}
"""The library's number for a type → its word in a schema."""


def scalar_of(field: FieldDescriptor) -> Scalar:
    """The type of a single value of a field that is neither a message nor an enum."""
    return SCALARS[KINDS[field.type]]


def is_packable(field: FieldDescriptor) -> bool:
    """Whether the items of a repeated field can be packed, without a tag for each."""
    return KINDS[field.type] not in ("string", "bytes", "message", "group")

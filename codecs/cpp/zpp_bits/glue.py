"""What zpp::bits cannot do in its variant for Protocol Buffers."""

from __future__ import annotations

from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    bool_,
    i8,
    u8,
)


def fits(schema: Schema, variant: str) -> str | None:
    """Only its protobuf protocol has limits. Some of what it refuses would come back whole, but is no
    Protocol Buffers."""
    if variant != "protobuf":
        return None
    return next(filter(None, (_why_not(field.type) for field in schema.root.fields)), None)


def _why_not(type: Type) -> str | None:
    match type:
        case Scalar() if type.is_integer and type.width < 4:
            return "its protobuf protocol has neither 8- nor 16-bit integers"
        case Record() | Union() | Ref():
            return (
                "its protobuf protocol takes only the root for a message: "
                "a domain type would be one in every variant"
            )
        case Optional():
            return "its protobuf protocol has no optionals"
        case Array() | FixedBytes():
            return "its protobuf protocol has no arrays"
        case List(item) if item in (i8, u8):
            return None  # as bytes
        case List(item) if item == bool_:
            return "its protobuf protocol has no lists of bool"
        case List(List() | Map()) | Map(_, List() | Map()):
            return "Protocol Buffers has no lists and maps in lists and maps"
        case List(item):
            return _why_not(item)
        case Map(Enum(), _):
            return "Protocol Buffers has no enums as keys of maps"
        case Map(key, value):
            return _why_not(key) or _why_not(value)
        case _:
            return None

"""Which domain types take no memory in Rust; some libraries refuse lists of them."""

from __future__ import annotations

from serbench.model import Array, FixedBytes, Record, Type, Union


def takes_none(type: Type | None) -> bool:
    """Whether values of a type, or of an alternative without one, take no memory."""
    match type:
        case None:
            return True
        case Record():
            return all(takes_none(field.type) for field in type.fields)
        case Union():
            return len(type.alternatives) == 1 and takes_none(type.alternatives[0].type)
        case Array(item, length):
            return length == 0 or takes_none(item)
        case FixedBytes(length):
            return length == 0
    return False

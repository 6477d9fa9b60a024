"""Generates the code that puts domain values into objects of Thrift's structs and takes them out; Thrift's
integers are signed."""

from __future__ import annotations

from serbench.languages.python.objects import LibraryObjects
from serbench.model import Enum, Scalar, Type

_MASKS = {"u8": "0xFF", "u64": "0xFFFFFFFFFFFFFFFF"}
"""The masks of unsigned integers, which Thrift has as signed ones of the same width."""


class ThriftObjects(LibraryObjects):
    """Generates expressions for the objects of Thrift's classes."""

    def held(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Enum() if isinstance(low, Enum):
                return place
            case Enum():
                return self.held(type.underlying, low, place)
            case Scalar("u8"):
                return f"({place} ^ 0x80) - 0x80"
            case Scalar("u64"):
                return f"_signed({place})"
            case _:
                return super().held(type, low, place)

    def given(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Enum():
                number = place if isinstance(low, Enum) else self.given(type.underlying, low, place)
                return number if type.open else f"{type.name}({number})"
            case Scalar("u16" | "u32"):
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case Scalar(name):
                return f"{place} & {_MASKS[name]}" if name in _MASKS else place
            case _:
                return super().given(type, low, place)

    def summed(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Enum():
                return place if isinstance(low, Enum) else self.summed(type.underlying, low, place)
            case Scalar("u8"):
                return f"{place} & 0xFF"
            case _:
                return super().summed(type, low, place)

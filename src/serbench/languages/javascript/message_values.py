"""Generates JavaScript expressions for values of the domain as a library's messages hold them, and back.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from serbench.idl.proto import is_required
from serbench.languages.javascript.names import arrow
from serbench.model import Array, Enum, Field, FixedBytes, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import SCALARS

Way = Literal["build", "extract"]

NARROW = ("i8", "i16", "u8", "u16")
"""Integers that messages hold in a wider type, so that code that reads them has to check their range."""


def _narrow(name: str) -> str:
    least, most = SCALARS[name].bounds
    return f"""
function {name}(number) {{
  if (number < {least} || number > {most}) throw new Error(`found ${{number}}, which is no {name}`);
  return number;
}}"""


HELPERS = {name: _narrow(name) for name in (*NARROW, "u32")} | {
    "counted": """
function counted(items, count) {
  if (items.length !== count) throw new Error(`found ${items.length} items, expected ${count}`);
  return items;
}""",
}


class ValueExpressions(ABC):
    """Generates expressions for values, for a library whose integers of 64 bits are bigints unless its own
    class says otherwise.

    Attributes:
        absent: the value in a message of an optional field that is absent.
        octets: the class of bytes that a message takes; a message that was read may have another.
    """

    absent: ClassVar[Literal["null", "undefined"]]
    octets: ClassVar[Literal["Uint8Array", "Buffer"]] = "Uint8Array"

    @abstractmethod
    def call(self, way: Way, type: Type, low: Type) -> str:
        """Return the name of the function that converts a record or union, one way."""

    @abstractmethod
    def empty(self, low: Record | Union) -> str:
        """Return the expression for a message that holds nothing."""

    def wide_to(self, scalar: Scalar, value: str) -> str:
        """Return the expression for what messages hold for a bigint."""
        return value

    def wide_from(self, scalar: Scalar, held: str) -> str:
        """Return the expression for the bigint that a message holds."""
        return held

    def wide_zero(self, scalar: Scalar) -> str:
        """Return the expression for what messages hold for zero."""
        return "0n"

    def scalar_from(self, scalar: Scalar, held: str) -> str:
        """The expression that converts a scalar to the domain's, and refuses an integer that is too wide."""
        if scalar.name in ("i64", "u64"):
            return self.wide_from(scalar, held)
        return f"{scalar.name}({held})" if scalar.name in NARROW else held

    def wide_key(self, scalar: Scalar, key: str) -> str:
        """Return the expression for the bigint of a map's key, which is text in messages."""
        return f"BigInt({key})"

    def to(self, type: Type, low: Type, value: str) -> str:
        """Return the expression that converts a value of the domain to what a message holds."""
        low = resolved(low)
        match type, low:
            case Optional(item), Optional(lower):
                made = self.to(item, lower, value)
                return value if made == value else f"{value} === null ? {self.absent} : {made}"
            case _, (Record() | Union()):
                given = value if has_parts(low) else ""
                return f"{self.call('build', resolved(type), low)}({given})"
            case ((List(Scalar("u8")) | Array(Scalar("u8"), _)), Scalar("bytes")):
                return f"{self.octets}.from({value})"
            case ((List(item) | Array(item, _)), List(lower)):
                made = self.to(item, lower, "item")
                return value if made == "item" else f"{value}.map({arrow(made)})"
            case Map(), Map():
                made = self.to(type.value, low.value, "item")
                if made == "item":
                    return f"Object.fromEntries({value})"
                return f"Object.fromEntries(Array.from({value}, ([key, item]) => [key, {made}]))"
            case Enum(), Enum():
                return f"Number({value})" if type.underlying.width == 8 else value
            case Enum(), Scalar():
                return self.to(type.underlying, low, value)
            case Scalar("i64" | "u64"), Scalar():
                return self.wide_to(type, value)
            case ((Scalar("bytes") | FixedBytes()), Scalar()):
                return value if self.octets == "Uint8Array" else f"bufferOf({value})"
            case Scalar(), Scalar():
                return value
        raise TypeError(f"{type} is not expected as {low}")

    def from_field(self, type: Type, lower: Field, held: str) -> str:
        """Return the expression that converts a message's field to the domain's value, and gives zero or an
        empty record for a field that the message leaves out."""
        low = resolved(lower.type)
        if isinstance(low, Record | Union) and has_parts(low):
            return self.from_(type, low, f"{held} ?? {self.empty(low)}")
        if is_required(lower) and isinstance(low, Scalar | Enum):
            return self.from_(type, low, f"{held} ?? {self._zero(low)}")
        return self.from_(type, low, held)

    def _zero(self, low: Scalar | Enum) -> str:
        match low:
            case Scalar("i64" | "u64"):
                return self.wide_zero(low)
            case Scalar(name):
                return {"bool": "false", "string": '""', "bytes": "new Uint8Array(0)"}.get(name, "0")
            case _:
                return "0"

    def from_(self, type: Type, low: Type, held: str) -> str:
        """Return the expression that converts what a message holds to the domain's value."""
        low = resolved(low)
        match type, low:
            case Optional(item), Optional(lower):
                made = self.from_(item, lower, held)
                if made != held:
                    return f"{held} === {self.absent} ? null : {made}"
                return held if self.absent == "null" else f"{held} ?? null"
            case _, (Record() | Union()):
                given = held if has_parts(low) else ""
                return f"{self.call('extract', resolved(type), low)}({given})"
            case ((List(Scalar("u8")) | Array(Scalar("u8"), _)), Scalar("bytes")):
                return f"Array.from({_counted(type, held)})"
            case ((List(item) | Array(item, _)), List(lower)):
                made = self.from_(item, lower, "item")
                items = _counted(type, held)
                return items if made == "item" else f"{items}.map({arrow(made)})"
            case Map(), Map():
                return self._map_from(type, low, held)
            case Enum(), Enum():
                return self._enum(type, f"BigInt({held})" if type.underlying.width == 8 else held)
            case Enum(), Scalar():
                if type.open:
                    return self.from_(type.underlying, low, held)
                return self._enum(type, self.scalar_from(type.underlying, held))
            case Scalar(), Scalar():
                return self.scalar_from(type, held)
            case FixedBytes(), Scalar():
                return _counted(type, held)
        raise TypeError(f"{type} is not expected as {low}")

    def _enum(self, type: Enum, number: str) -> str:
        if not type.open:
            return f"known{type.name}({number})"
        name = type.underlying.name
        return f"{name}({number})" if name in NARROW else number

    def _map_from(self, type: Map, low: Map, held: str) -> str:
        key, item = self._key(type.key), self.from_(type.value, low.value, self.entry(low.value))
        entries = f"Object.entries({held})"
        if (key, item) == ("key", "item"):
            return f"new Map({entries})"
        return f"new Map({entries}.map(([key, item]) => [{key}, {item}]))"

    def entry(self, low: Type) -> str:
        """Return the expression for a map entry's value; a library that leaves out zeros overrides it."""
        return "item"

    def _key(self, type: Type) -> str:
        """Return the expression that converts a map's key, which is text in messages, to the domain's."""
        match type:
            case Enum() if type.open:
                return self._key(type.underlying)
            case Enum(_, underlying):
                is_wide = underlying.width == 8
                return f"known{type.name}({self._key(underlying) if is_wide else 'Number(key)'})"
            case Scalar("bool"):
                return 'key === "true"'
            case Scalar("i64" | "u64"):
                return self.wide_key(type, "key")
            case Scalar() if type.is_integer:
                return self.scalar_from(type, "Number(key)")
            case _:
                return "key"


def has_parts(low: Type) -> bool:
    return isinstance(low, Union) or (isinstance(low, Record) and bool(low.fields))


def _counted(type: Type, held: str) -> str:
    """The expression for the items or bytes ``held``; for a type of fixed length, it checks their count."""
    return f"counted({held}, {type.length})" if isinstance(type, Array | FixedBytes) else held

"""A reader of FlatBuffers, written from the documents Internals and Schema alone: a second opinion on what
their catalogue of cases says. It takes nothing that these do not have, as a verifier does."""

from __future__ import annotations

import struct
from typing import Any

from serbench.model import List, Optional, Record, Scalar, Type, Union

_FORMATS = {"i32": "<i", "i64": "<q", "f64": "<d", "bool": "<?"}


class Reader:
    """A buffer, of which places are counted from its beginning."""

    def __init__(self, message: bytes):
        self.message = message

    def root(self, type: Record) -> tuple[Any, ...]:
        """The fields of the root, in the order of the schema; raise ValueError where the buffer has none."""
        return self._table(self._led(0), type)

    def _number(self, at: int, form: str) -> Any:
        """A number, which lies at a multiple of its size."""
        size = struct.calcsize(form)
        if at % size or not 0 <= at <= len(self.message) - size:
            raise ValueError(f"{size} bytes at {at} of {len(self.message)}")
        return struct.unpack_from(form, self.message, at)[0]

    def _led(self, at: int) -> int:
        """The place to which an offset leads."""
        place: int = at + self._number(at, "<I")
        return place

    def _table(self, at: int, type: Record) -> tuple[Any, ...]:
        entries = self._entries(at)
        found: list[Any] = []
        slot = 0
        for field in type.fields:
            if isinstance(field.type, Union):
                kind = self._number(at + entries[slot], "<B") if entries.get(slot) else 0
                found.append(self._alternative(field.type, kind, at, entries.get(slot + 1, 0)))
                slot += 1
            else:
                found.append(self._field(field.type, at, entries.get(slot, 0)))
            slot += 1
        return tuple(found)

    def _entries(self, at: int) -> dict[int, int]:
        """The places of a table's fields, from its beginning, by their slots; 0 is that of no field."""
        vtable = at - self._number(at, "<i")
        size = self._number(vtable, "<H")
        if size % 2 or size < 4:
            raise ValueError(f"a vtable of {size} bytes")
        numbers = [self._number(vtable + n, "<H") for n in range(2, size, 2)]
        return dict(enumerate(numbers[1:]))

    def _alternative(self, union: Union, kind: int, at: int, entry: int) -> tuple[int, Any]:
        """The value of a union, whose alternatives that are no tables are in one with this field alone."""
        if not (kind and entry):
            raise ValueError("a union that is required is not set")
        type = union.alternatives[kind - 1].type
        assert type is not None
        table = self._led(at + entry)
        return kind - 1, self._field(type, table, self._entries(table).get(0, 0))

    def _field(self, type: Type, at: int, entry: int) -> Any:
        """The value of a field of the table at a place, or its default."""
        if entry:
            return self._value(type.item if isinstance(type, Optional) else type, at + entry)
        match type:
            case Optional():
                return None
            case List():
                return []
            case Scalar("string"):
                return ""
            case Scalar("bytes"):
                return b""
            case Scalar("f64"):
                return 0.0
            case Scalar("bool"):
                return False
            case Scalar():
                return 0
        raise ValueError("without a field that is required")

    def _value(self, type: Type, at: int) -> Any:
        """A value at its own place, or at that to which the offset there leads."""
        match type:
            case Scalar("string"):
                text, end = self._vector(self._led(at), 1)
                if self._number(end, "<B"):
                    raise ValueError("a string without a zero behind it")
                return bytes(self.message[text:end]).decode()
            case Scalar("bytes"):
                begin, end = self._vector(self._led(at), 1)
                return self.message[begin:end]
            case Scalar(name):
                return self._number(at, _FORMATS[name])
            case List(item):
                width = _width(item)
                begin, end = self._vector(self._led(at), width)
                return [self._value(item, place) for place in range(begin, end, width)]
            case Record() as record if _is_struct(record):
                widths = [_width(each.type) for each in record.fields]
                places = [at + sum(widths[:n]) for n in range(len(widths))]
                return tuple(self._value(f.type, p) for f, p in zip(record.fields, places, strict=True))
            case Record() as record:
                return self._table(self._led(at), record)
        raise AssertionError(type)

    def _vector(self, at: int, width: int) -> tuple[int, int]:
        """The places at which the items of a vector begin and end."""
        begin, end = at + 4, at + 4 + width * self._number(at, "<I")
        if end > len(self.message):
            raise ValueError(f"a vector until {end} of {len(self.message)}")
        return begin, end


def _is_struct(record: Record) -> bool:
    return all(isinstance(each.type, Scalar) and each.type.width for each in record.fields)


def _width(type: Type) -> int:
    """How many bytes a value takes in place; its struct's numbers are of one size, so without padding."""
    return type.width if isinstance(type, Scalar) and type.width else 4

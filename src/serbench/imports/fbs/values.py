"""Makes values of the type model from FlatBuffers, by the reflection of the schema.

Every place is checked before it is read. flatc, which could write buffers as JSON, does not check them: for a
damaged buffer, it may crash, or print other parts of its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct, calcsize, error, unpack_from
from typing import Any

from serbench.imports.base import Unfit
from serbench.imports.fbs.compiler import FbsField, Object, Reflected, ReflectedType
from serbench.imports.fbs.mapping import KINDS, can_be_absent, is_bytes, is_entry, with_values
from serbench.model.types import MAX_DEPTH

MOST_VALUES = 10_000_000
"""The most values in one message, which take a gigabyte: many offsets can lead to the same few bytes."""

Reader = Callable[["Message", int], Any]
"""Reads the value at a place (offset in bytes) in a message."""

TablePart = Callable[["Message", int, "Places"], Any]
"""Reads one field of the table at a place, given the places of all fields of the table."""

_PLACE, _BACK, _SHORT = Struct("<I"), Struct("<i"), Struct("<H")


_LEAST_LIST = 4
"""The fewest bytes of a vtable, which lists the fields of a table: the sizes of the vtable and the table."""


class Message:
    """The bytes of a message that is being read; counts its values, of which there is a limit.

    Attributes:
        depth: how many tables inside each other are being read.
    """

    def __init__(self, data: bytes):
        self.data = data
        self.depth = 0
        self._left = MOST_VALUES

    def count(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise Unfit(f"more than {MOST_VALUES} values in one message")

    def target(self, at: int) -> int:
        """The place in the bytes to which the offset that is stored at the place ``at`` leads."""
        return at + int(_PLACE.unpack_from(self.data, at)[0])

    def vector(self, at: int) -> tuple[int, int]:
        """The number and the place of the items of the vector to which the offset at ``at`` leads."""
        start = self.target(at)
        length: int = _PLACE.unpack_from(self.data, start)[0]
        if length > len(self.data) - start:
            raise Unfit("a vector beyond the end")
        self.count(length)
        return length, start + 4


class Places:
    """Finds the fields of the table at a place, by its vtable."""

    def __init__(self, message: Message, table: int):
        self._message, self._table = message, table
        self._list = table - int(_BACK.unpack_from(message.data, table)[0])
        if self._list < 0:
            raise Unfit("a table without a list of its fields")
        self._size: int = _SHORT.unpack_from(message.data, self._list)[0]

    def check(self) -> None:
        """Raises Unfit for an impossible vtable: without this check, arbitrary bytes may look like a table
        that has no fields."""
        if self._size < _LEAST_LIST or self._size % 2 or self._list + self._size > len(self._message.data):
            raise Unfit("a table without a list of its fields")

    def of(self, offset: int) -> int:
        """The place of the field whose entry in the vtable has this offset; 0 if the field is absent, since
        no field is at the beginning of a message."""
        if offset + 2 > self._size:
            return 0
        found: int = _SHORT.unpack_from(self._message.data, self._list + offset)[0]
        return self._table + found if found else 0


class Values:
    """Turns FlatBuffers messages with one root table into values of the type model."""

    def __init__(self, schema: Reflected, root: str):
        self._schema = schema
        self._tables: dict[str, list[TablePart]] = {}
        self._left: list[Object] = []
        self._read = self._table(next(each for each in schema.objects if each.name == root))
        for declared in self._left:  # it grows meanwhile
            self._tables[declared.name] += [
                self._part(field, f"{declared.name}.{field.name}") for field in _kept(declared)
            ]

    def of(self, data: bytes) -> Any:
        """The value of a message; raises Unfit, which names a path, if the bytes do not fit the type."""
        try:
            message = Message(data)
            root = message.target(0)
            Places(message, root).check()
            return self._read(message, root)
        except error:
            raise Unfit("a place beyond the end") from None
        except RecursionError:
            raise Unfit("tables too deep inside each other") from None

    def _table(self, declared: Object) -> Reader:
        """The reader (place in the bytes → value) of a table. The readers of its fields are made later, since
        fields may lead back to the table."""
        if declared.name not in self._tables:
            self._tables[declared.name] = []
            self._left.append(declared)
        parts = self._tables[declared.name]

        def read(message: Message, at: int) -> Any:
            message.count(1 + len(parts))
            message.depth += 1
            if message.depth > MAX_DEPTH:
                raise Unfit("tables too deep inside each other")
            places = Places(message, at)
            value = tuple([part(message, at, places) for part in parts])
            message.depth -= 1
            return value

        return read

    def _part(self, field: FbsField, path: str) -> TablePart:
        if field.type.base == "Union":
            return self._union_field(field, path)
        if field.type.element == "Union":
            return self._unions(field, path)
        offset, read = field.offset, self._field(field.type, path)
        absent = self._absent(field, path)

        def part(message: Message, table: int, places: Places) -> Any:
            at = places.of(offset)
            return read(message, at) if at else absent()

        return part

    def _absent(self, field: FbsField, path: str) -> Callable[[], Any]:
        """The function that gives the value of an absent field (None, default or empty) or raises Unfit."""
        if field.is_required:

            def refuse() -> Any:
                raise Unfit(f"{path}: nothing, though it is required")

            return refuse
        if can_be_absent(field):
            return lambda: None
        if field.type.base in KINDS:
            scalar, default = KINDS[field.type.base], field.default
            if scalar.is_integer and not scalar.is_signed and default < 0:
                default += 1 << 64
            plain = Struct(f"<{scalar.struct_format}")
            value = plain.unpack(plain.pack(default))[0]
            return lambda: value
        return dict if is_entry(field.type, self._schema) else list

    def _field(self, part: ReflectedType, path: str) -> Reader:
        """The reader (place in the bytes → value) of a field that is present, in a table or a struct."""
        if part.base == "Vector":
            return self._vector(part, path)
        if part.base == "Array":
            return self._items(part, path, lambda message, at: (part.length, at))
        return self._element(part.base, part.index, path)

    def _element(self, base: str, index: int, path: str) -> Reader:
        """The reader (place in the bytes → value) of a single value, which is a field or an item."""
        if base in KINDS:
            plain = Struct(f"<{KINDS[base].struct_format}")
            return lambda message, at: plain.unpack_from(message.data, at)[0]
        if base == "String":
            return lambda message, at: _text(message, at, path)
        declared = self._schema.objects[index]
        if declared.is_struct:
            return self._struct(declared)
        read = self._table(declared)
        return lambda message, at: read(message, message.target(at))

    def _struct(self, declared: Object) -> Reader:
        parts = [
            (field.offset, self._field(field.type, f"{declared.name}.{field.name}"))
            for field in _kept(declared)
        ]

        def read(message: Message, at: int) -> Any:
            message.count(len(parts))
            return tuple([part(message, at + offset) for offset, part in parts])

        return read

    def _vector(self, part: ReflectedType, path: str) -> Reader:
        if is_bytes(part):
            return _bytes
        read = self._items(part, path, Message.vector)
        if not is_entry(part, self._schema):
            return read

        def entries(message: Message, at: int) -> Any:
            pairs = read(message, at)
            found = dict(pairs)
            if len(found) < len(pairs):
                raise Unfit(f"{path}: a key twice")
            return found

        return entries

    def _items(
        self, part: ReflectedType, path: str, place: Callable[[Message, int], tuple[int, int]]
    ) -> Reader:
        if part.element in KINDS:
            letter = KINDS[part.element].struct_format

            def numbers(message: Message, at: int) -> Any:
                length, start = place(message, at)
                return list(unpack_from(f"<{length}{letter}", message.data, start))

            return numbers
        read, width = self._element(part.element, part.index, path), 4
        if part.element == "Obj" and self._schema.objects[part.index].is_struct:
            width = self._schema.objects[part.index].size

        def items(message: Message, at: int) -> Any:
            length, start = place(message, at)
            return [read(message, start + width * n) for n in range(length)]

        return items

    def _union_field(self, field: FbsField, path: str) -> TablePart:
        alternatives = self._alternatives(field.type, path)
        offset, is_required = field.offset, field.is_required

        def part(message: Message, table: int, places: Places) -> Any:
            kind, at = places.of(offset - 2), places.of(offset)  # the field with its alternative comes first
            number = message.data[kind] if 0 < kind < len(message.data) else 0
            if number and at:
                return self._alternative(alternatives, number, message, at, path)
            if number or is_required:
                raise Unfit(f"{path}: no value of a union")
            return None

        return part

    def _unions(self, field: FbsField, path: str) -> TablePart:
        alternatives = self._alternatives(field.type, path)
        offset = field.offset

        def part(message: Message, table: int, places: Places) -> Any:
            kinds, at = places.of(offset - 2), places.of(offset)
            if not kinds and not at and not field.is_required:
                return []
            (length, first), (values, start) = message.vector(kinds), message.vector(at)
            if length != values or not kinds or not at:
                raise Unfit(f"{path}: {values} values of unions, and {length} that tell which")
            numbers = unpack_from(f"<{length}B", message.data, first)
            return [
                self._alternative(alternatives, each, message, start + 4 * n, path)
                for n, each in enumerate(numbers)
            ]

        return part

    def _alternatives(self, part: ReflectedType, path: str) -> dict[int, tuple[int, Reader]]:
        """Number of an alternative → its index in the type model, and its reader."""
        members = [
            (each.number, each.type)
            for each in self._schema.enums[part.index].members
            if each.number and each.type is not None
        ]
        return {number: (n, self._held(held, path)) for n, (number, held) in enumerate(members)}

    def _held(self, part: ReflectedType, path: str) -> Reader:
        read = self._element(part.base, part.index, path)
        if part.base == "Obj" and self._schema.objects[part.index].is_struct:
            return lambda message, at: read(message, message.target(at))
        return read

    @staticmethod
    def _alternative(
        alternatives: dict[int, tuple[int, Reader]], number: int, message: Message, at: int, path: str
    ) -> Any:
        if number not in alternatives:
            raise Unfit(f"{path}: the alternative {number}, which the union has not")
        n, read = alternatives[number]
        return n, read(message, at)


def _kept(declared: Object) -> list[FbsField]:
    return [field for field in with_values(declared) if not field.is_deprecated]


def _bytes(message: Message, at: int) -> bytes:
    start = message.target(at)
    (length,) = _PLACE.unpack_from(message.data, start)
    if length > len(message.data) - start - calcsize("<I"):
        raise Unfit("a text or bytes beyond the end")
    message.count(1 + length // 8)
    return message.data[start + 4 : start + 4 + length]


def _text(message: Message, at: int, path: str) -> str:
    try:
        return _bytes(message, at).decode()
    except UnicodeDecodeError:
        raise Unfit(f"{path}: a string that is not UTF-8") from None

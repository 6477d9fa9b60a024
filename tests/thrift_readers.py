"""Readers of Thrift's protocols, written from the specifications of the binary and the compact one alone: a
second opinion on what catalogues of cases say."""

from __future__ import annotations

import struct
from typing import Any, ClassVar, Protocol

from serbench.model import List, Record, Type


class Reader(Protocol):
    """A place in a message."""

    kinds: ClassVar[dict[str, tuple[int, ...]]]
    struct_kind: int
    list_kind: int

    def head(self, last: int) -> tuple[int, int] | None:
        """The kind and the number of the next field, behind that of the number ``last``; None at the stop."""

    def value(self, kind: int, type: Type | None, *, in_list: bool = False) -> Any:
        """A value of a kind; of a type where the schema has the field, and passed over otherwise."""


def struct_of(reader: Reader, root: Record) -> tuple[Any, ...]:
    """The fields of a struct, in the order of the schema; raise ValueError where the message is none."""
    found: dict[int, Any] = {}
    last = 0
    while (head := reader.head(last)) is not None:
        kind, last = head
        known = root.fields[last - 1].type if 0 < last <= len(root.fields) else None
        if known is not None and kind not in _kinds(reader, known):
            known = None
        value = reader.value(kind, known)
        if known is not None:
            found[last] = value
    if missing := [each.name for n, each in enumerate(root.fields, 1) if n not in found]:
        raise ValueError(f"without {missing}")
    return tuple(found[n] for n in range(1, len(root.fields) + 1))


def _kinds(reader: Reader, type: Type) -> tuple[int, ...]:
    if isinstance(type, Record):
        return (reader.struct_kind,)
    return (reader.list_kind,) if isinstance(type, List) else reader.kinds[str(getattr(type, "name", ""))]


class _Bytes:
    """A message that is taken from its beginning."""

    def __init__(self, message: bytes):
        self.message, self.at = message, 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.message):
            raise ValueError(f"{size} bytes at {self.at} of {len(self.message)}")
        self.at += size
        return self.message[self.at - size : self.at]

    def number(self, form: str) -> Any:
        (found,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return found

    def text(self, size: int, type: Type | None) -> Any:
        data = self.take(size)
        return data.decode() if str(getattr(type, "name", "")) == "string" else data


class Binary(_Bytes):
    """The binary protocol."""

    kinds: ClassVar[dict[str, tuple[int, ...]]] = {
        "bool": (2,),
        "i8": (3,),
        "f64": (4,),
        "i16": (6,),
        "i32": (8,),
        "i64": (10,),
    }
    kinds |= {"string": (11,), "bytes": (11,)}
    struct_kind, list_kind = 12, 15
    numbers: ClassVar[dict[int, str]] = {3: ">b", 4: ">d", 6: ">h", 8: ">i", 10: ">q"}

    def head(self, last: int) -> tuple[int, int] | None:
        kind = self.number(">B")
        return (kind, self.number(">h")) if kind else None

    def value(self, kind: int, type: Type | None, *, in_list: bool = False) -> Any:
        if kind in self.numbers:
            return self.number(self.numbers[kind])
        if kind == 2:
            return self.number(">B") == 1
        if kind == 11:
            return self.text(self.number(">i"), type)
        if kind == 12:
            return _inner(self, type)
        if kind == 13:
            kinds = self.number(">B"), self.number(">B")
            return [self.value(each, None) for _ in range(self.size()) for each in kinds]
        if kind in (14, 15):
            of = self.number(">B")
            item = type.item if isinstance(type, List) else None
            if of not in (2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15):
                raise ValueError(f"items of kind {of}")
            return [self.value(of, item) for _ in range(self.size())]
        raise ValueError(f"kind {kind}")

    def size(self) -> int:
        found: int = self.number(">i")
        if found < 0:
            raise ValueError(f"{found} items")
        return found


class Compact(_Bytes):
    """The compact protocol."""

    kinds: ClassVar[dict[str, tuple[int, ...]]] = {
        "bool": (1, 2),
        "i8": (3,),
        "i16": (4,),
        "i32": (5,),
        "i64": (6,),
        "f64": (7,),
    }
    kinds |= {"string": (8,), "bytes": (8,)}
    struct_kind, list_kind = 12, 9

    def head(self, last: int) -> tuple[int, int] | None:
        first = self.number("B")
        if not first:
            return None
        kind, more = first & 15, first >> 4
        return kind, last + more if more else self.signed()

    def varint(self) -> int:
        found, shift = 0, 0
        while True:
            byte: int = self.number("B")
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found
            if shift >= 70:
                raise ValueError("a varint of more than ten bytes")

    def signed(self) -> int:
        found: int = self.varint()
        return found >> 1 ^ -(found & 1)

    def value(self, kind: int, type: Type | None, *, in_list: bool = False) -> Any:
        if kind in (1, 2):
            return self.number("B") == 1 if in_list else kind == 1
        if kind == 3:
            return self.number("b")
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 7:
            return self.number("<d")
        if kind == 8:
            return self.text(self.varint(), type)
        if kind in (9, 10):
            head = self.number("B")
            item = type.item if isinstance(type, List) else None
            count = self.varint() if head >> 4 == 15 else head >> 4
            if not 0 < head & 15 < 13:
                raise ValueError(f"items of kind {head & 15}")
            return [self.value(head & 15, item, in_list=True) for _ in range(count)]
        if kind == 11:
            count = self.varint()
            both = self.number("B") if count else 0
            pair = (both >> 4, both & 15)
            return [self.value(each, None, in_list=True) for _ in range(count) for each in pair]
        if kind == 12:
            return _inner(self, type)
        raise ValueError(f"kind {kind}")


def _inner(reader: Reader, type: Type | None) -> Any:
    if isinstance(type, Record):
        return struct_of(reader, type)
    last = 0
    while (head := reader.head(last)) is not None:
        kind, last = head
        reader.value(kind, None)
    return None

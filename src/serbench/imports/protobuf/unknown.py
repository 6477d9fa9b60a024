"""Finds fields in data that their schema does not have, in a first pass before any values are made.

Fields of a newer schema and extensions are counted, and are a loss. A field that is written in another way
than the schema says is an error: the data are wrong, or belong to another schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.unknown_fields import UnknownFieldSet

from serbench.imports.base import Loss, Unfit
from serbench.imports.protobuf.descriptors import entry

_WIRE_TYPES = {0: "a varint", 1: "64 bits", 2: "bytes with a length", 3: "a group", 5: "32 bits"}

# These methods are not taken from a message itself, since it may have a field of the same name.
bytes_of: Any = Empty.SerializePartialToString
_fields: Any = Empty.ListFields
_discard: Any = Empty.DiscardUnknownFields


class Unknown:
    """Counts the unknown fields in messages of one type."""

    def __init__(self, type: str) -> None:
        self.type = type
        self._messages: Counter[tuple[str, int, str]] = Counter()
        self._with_bytes = self._strange = self._longer = 0

    def look(self, message: Any, size: int) -> None:
        """Counts the unknown fields of one message, which was read from ``size`` bytes, and removes them.
        Raises Unfit if a field is written in another way than the schema says."""
        self._with_bytes += size > 0
        data, cls = bytes_of(message), type(message)
        _discard(message)
        if len(bytes_of(message)) != len(data):
            self._messages.update(set(_unknown(cls.FromString(data))))
            self._strange += not _fields(message)
        self._longer += size != len(data)

    @property
    def all_are(self) -> bool:
        """Whether no message has a field of the schema, although some messages have fields."""
        return 0 < self._with_bytes == self._strange

    def losses(self) -> Iterator[Loss]:
        """A loss for each unknown field, and one for messages that serbench writes in fewer bytes."""
        for (message, number, what), count in sorted(self._messages.items()):
            times = _times(count)
            yield Loss(f"{message}, number {number}", f"{what}, in {times}; ours are smaller by it")
        if self._longer:
            what = (
                "the way messages are written: explicit defaults, duplicate fields, numbers in "
                "more bytes than needed"
            )
            yield Loss(self.type, f"{what}; in {_times(self._longer)}")


def _times(messages: int) -> str:
    return f"{messages} message{'' if messages == 1 else 's'}"


def _unknown(message: Any) -> Iterator[tuple[str, int, str]]:
    """Each unknown field of a message and of the messages in it: the message's type, the field's number, and
    words for the kind of field."""
    declared = message.DESCRIPTOR
    for unknown in UnknownFieldSet(message):  # type: ignore[attr-defined]
        number, wire_type = unknown.field_number, unknown.wire_type
        field = declared.fields_by_number.get(number)
        if field is None:
            yield declared.full_name, number, "a field that is not in the schema"
        elif enum := _unnamed(field, wire_type):
            yield declared.full_name, number, f"a number that {enum} has no name for"
        else:
            raise Unfit(_otherwise(declared, field, wire_type))
    for field, value in _fields(message):
        for each in _messages_of(field, value):
            yield from _unknown(each)


def _unnamed(field: FieldDescriptor, wire_type: int) -> str:
    """The name of the closed enum of a field, or of a map's values, if the field is unknown because the enum
    has no member of that number; else empty."""
    pair = entry(field)
    enum = (pair[1] if pair else field).enum_type
    return enum.full_name if enum is not None and enum.is_closed and wire_type == (2 if pair else 0) else ""


def _otherwise(declared: Descriptor, field: FieldDescriptor, wire_type: int) -> str:
    found = _WIRE_TYPES.get(wire_type, f"the wire type {wire_type}")
    return f"{found} under the number {field.number}, but {declared.full_name}.{field.name} has another type"


def _messages_of(field: FieldDescriptor, value: Any) -> list[Any]:
    if field.message_type is None:
        return []
    if pair := entry(field):
        return list(value.values()) if pair[1].message_type is not None else []
    return list(value) if field.is_repeated else [value]

"""Makes values of the type model from messages of protobuf's library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor
from google.protobuf.empty_pb2 import Empty

from serbench.imports.base import Unfit
from serbench.imports.protobuf.descriptors import Descriptors, entry
from serbench.imports.protobuf.mapping import parts
from serbench.imports.protobuf.scalars import KINDS
from serbench.imports.protobuf.wellknown import TypeSettings

Reader = Callable[[Any], Any]
"""Makes a value of the type model from a message or a value of protobuf's library."""

# These methods are not taken from a message itself, since it may have a field of the same name.
_has: Callable[[Any, str], bool] = Empty.HasField
_which: Callable[[Any, str], str | None] = Empty.WhichOneof

MOST_VALUES = 10_000_000
"""The most values in one message; more would take a gigabyte."""


class Values:
    """Makes values of the type model from messages of one type, reading everything in them once."""

    def __init__(self, types: Descriptors, settings: TypeSettings, root: Descriptor):
        self._settings = settings
        self._records: dict[str, list[Reader]] = {}
        self._met: list[Descriptor] = []
        self._left = 0
        self._read = self._message(root)
        for message in self._met:  # it grows meanwhile
            self._records[message.full_name] += [self._part(part) for part in parts(message, types)]

    def of(self, message: Any) -> Any:
        """The value of a message; raises Unfit, which names a path, if the message does not fit its type."""
        self._left = MOST_VALUES
        try:
            return self._read(message)
        except RecursionError:
            raise Unfit("too deeply nested messages") from None

    def _count(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise Unfit(f"more than {MOST_VALUES} values in one message")

    def _message(self, message: Descriptor) -> Reader:
        """The function that makes the value of a message of a type. Those for its fields are made later,
        since fields may lead back to the type."""
        if message.full_name not in self._records:
            self._records[message.full_name] = []
            self._met.append(message)
        readers = self._records[message.full_name]

        def read(value: Any) -> Any:
            self._count(len(readers))
            return tuple([each(value) for each in readers])

        return read

    def _part(self, part: FieldDescriptor | OneofDescriptor) -> Reader:
        """The function that makes the value of a field or oneof from its message."""
        if isinstance(part, OneofDescriptor):
            return self._oneof(part)
        get: Reader = attrgetter(part.name)
        if pair := entry(part):
            key, item = (self._single(each, part.full_name) for each in pair)
            return self._map(get, key, item)
        if part.is_repeated:
            return self._list(get, self._single(part, part.full_name))
        return self._presence(part) if part.has_presence else self._held(part)

    def _presence(self, field: FieldDescriptor) -> Reader:
        """The function that makes the value of a field that may be absent from its message."""
        name, held, is_required = field.name, self._held(field), field.is_required

        def read(message: Any) -> Any:
            if _has(message, name):
                return held(message)
            if is_required:
                raise Unfit(f"no field {field.full_name}, which is required")
            return None

        return read

    def _held(self, field: FieldDescriptor) -> Reader:
        """The function that makes the value of a field that is neither a list nor a map from its message."""
        get: Reader = attrgetter(field.name)
        single = self._single(field, field.full_name)
        return get if single is None else lambda message: single(get(message))

    def _single(self, field: FieldDescriptor, path: str) -> Reader | None:
        """The function that makes a value of the type model from one of the library, which is that of a field
        or of an item; None if both are the same."""
        if KINDS[field.type] == "string":
            return lambda value: _text(value, path)
        if field.message_type is None:
            return None
        if (meaning := self._settings.meaning(path, field.message_type)) is None:
            return self._message(field.message_type)
        value = meaning.value

        def read(message: Any) -> Any:
            try:
                return value(message)
            except Unfit as unfit:
                raise Unfit(f"{path}: {unfit}") from None

        return read

    def _list(self, get: Reader, item: Reader | None) -> Reader:
        def read(message: Any) -> Any:
            items = get(message)
            self._count(len(items))
            return list(_each(item, items))

        return read

    def _map(self, get: Reader, key: Reader | None, item: Reader | None) -> Reader:
        def read(message: Any) -> Any:
            pairs = get(message)
            self._count(2 * len(pairs))
            return dict(zip(_each(key, pairs.keys()), _each(item, pairs.values()), strict=True))

        return read

    def _oneof(self, oneof: OneofDescriptor) -> Reader:
        name = oneof.name
        held = {field.name: (n, self._held(field)) for n, field in enumerate(oneof.fields)}

        def read(message: Any) -> Any:
            chosen = _which(message, name)
            if chosen is None:
                return None
            n, get = held[chosen]
            return n, get(message)

        return read


def _each(change: Reader | None, values: Iterable[Any]) -> Iterable[Any]:
    return map(change, values) if change else values


def _text(value: Any, path: str) -> Any:
    """Refuses a string that is not UTF-8, for which protobuf's library returns bytes in proto2."""
    if isinstance(value, bytes):
        raise Unfit(f"{path}: a string that is not UTF-8")
    return value

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

# These methods are not taken from a message itself, since it may have a field of the same name.
_has: Callable[[Any, str], bool] = Empty.HasField
_which: Callable[[Any, str], str | None] = Empty.WhichOneof

MOST_VALUES = 10_000_000
"""The most values in one message; more would take a gigabyte."""


def _checked(field: FieldDescriptor, get: Reader, texts: Callable[[Any], Iterable[Any]]) -> Reader:
    """The reader of a field that holds strings; it raises Unfit if one is not UTF-8, which in proto2 the
    library returns as bytes."""

    def read(message: Any) -> Any:
        value = get(message)
        if bytes in map(type, texts(value)):
            raise Unfit(f"{field.full_name}: a string that is not UTF-8")
        return value

    return read


class Values:
    """Makes the values of messages of one type.

    Everything in a message is read once.
    """

    def __init__(self, types: Descriptors, settings: TypeSettings, root: Descriptor):
        self._settings = settings
        self._records: dict[str, list[Reader]] = {}
        self._met: list[Descriptor] = []
        self._left = 0
        self._read = self._message(root)
        for message in self._met:  # it grows meanwhile
            self._records[message.full_name] += [self._part(part) for part in parts(message, types)]

    def of(self, message: Any) -> Any:
        """The value of a message; raises Unfit, which names the path in it, if it does not fit the type."""
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
        """The reader of messages of a type. The readers of its fields are made later, since these may lead
        back to it."""
        if message.full_name not in self._records:
            self._records[message.full_name] = []
            self._met.append(message)
        readers = self._records[message.full_name]

        def read(value: Any) -> Any:
            self._count(len(readers))
            return tuple([each(value) for each in readers])

        return read

    def _part(self, part: FieldDescriptor | OneofDescriptor) -> Reader:
        if isinstance(part, OneofDescriptor):
            return self._oneof(part)
        if pair := entry(part):
            return self._map(part, *pair)
        if part.is_repeated:
            return self._list(part)
        name, held = part.name, self._held(part)
        if part.is_required:
            return self._required(part, held)
        if not part.has_presence:
            return held
        return lambda message: held(message) if _has(message, name) else None

    def _required(self, field: FieldDescriptor, held: Reader) -> Reader:
        name, path = field.name, field.full_name

        def read(message: Any) -> Any:
            if not _has(message, name):
                raise Unfit(f"no field {path}, which is required")
            return held(message)

        return read

    def _held(self, field: FieldDescriptor) -> Reader:
        """The reader of a field with a single value."""
        get: Reader = attrgetter(field.name)
        if KINDS[field.type] == "string":
            return _checked(field, get, lambda value: [value])
        if field.message_type is None:
            return get
        inner = self._inner(field, field.full_name)
        return lambda message: inner(get(message))

    def _inner(self, field: FieldDescriptor, path: str) -> Reader:
        """The reader of a message that a field holds."""
        assert field.message_type is not None
        if (meaning := self._settings.meaning(path, field.message_type)) is None:
            return self._message(field.message_type)
        value = meaning.value

        def read(message: Any) -> Any:
            try:
                return value(message)
            except Unfit as unfit:
                raise Unfit(f"{path}: {unfit}") from None

        return read

    def _list(self, field: FieldDescriptor) -> Reader:
        get: Reader = attrgetter(field.name)
        inner = self._inner(field, field.full_name) if field.message_type is not None else None
        if KINDS[field.type] == "string":
            get = _checked(field, get, list)

        def read(message: Any) -> Any:
            items = get(message)
            self._count(len(items))
            return list(items) if inner is None else [inner(each) for each in items]

        return read

    def _map(self, field: FieldDescriptor, key: FieldDescriptor, value: FieldDescriptor) -> Reader:
        get: Reader = attrgetter(field.name)
        inner = self._inner(value, field.full_name) if value.message_type is not None else None
        if KINDS[value.type] == "string":
            get = _checked(field, get, lambda pairs: pairs.values())
        if KINDS[key.type] == "string":
            get = _checked(field, get, lambda pairs: pairs.keys())

        def read(message: Any) -> Any:
            pairs = get(message)
            self._count(2 * len(pairs))
            return dict(pairs.items()) if inner is None else {key: inner(each) for key, each in pairs.items()}

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

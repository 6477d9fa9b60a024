"""Loads a compiled schema into protobuf's library, without extensions, and chooses the root message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    OneofDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool

from serbench.errors import LONGEST_FAULT
from serbench.imports.base import refused
from serbench.imports.protobuf.compiler import Compiled
from serbench.imports.roots import chosen
from serbench.text import shortened


@dataclass(frozen=True)
class Descriptors:
    """A schema that protobuf's library has loaded.

    Attributes:
        pool: has every message and enum. It knows no extensions, so they are unknown fields in data.
        extensions: full name of a message → the extensions declared for it, as ``shop.v1.note = 100``.
        optionals: full names of the fields with proto3's ``optional``, for each of which protoc adds a oneof.
        given: the messages that the user's files declare, also inside other messages.
    """

    pool: DescriptorPool
    extensions: Mapping[str, Sequence[str]]
    optionals: frozenset[str]
    given: Sequence[Descriptor]


def loaded(schema: Compiled, file: Path) -> Descriptors:
    """Loads a schema into protobuf's library; raises InputError with ``file`` if the library rejects it."""
    extensions: dict[str, list[str]] = {}
    optionals: set[str] = set()
    pool = DescriptorPool()
    try:
        for each in schema.files:
            _take_extensions(each.extension, each.package, extensions)
            for message in each.message_type:
                _prepare(message, each.package, extensions, optionals)
            pool.Add(each)
        files = [pool.FindFileByName(each.name) for each in schema.files if each.name in schema.given]
    except (TypeError, KeyError, RecursionError) as error:
        what = shortened(str(error), LONGEST_FAULT)
        raise refused(
            file, "", f"a schema that protobuf's library rejects ({what})", "a schema that it can use"
        ) from None
    given = [message for each in files for message in _with_nested(each.message_types_by_name.values())]
    return Descriptors(pool, extensions, frozenset(optionals), given)


def _prepare(
    message: DescriptorProto, scope: str, extensions: dict[str, list[str]], optionals: set[str]
) -> None:
    """Moves extensions out of a message and those in it, notes its optionals, renames oneofs protoc added."""
    name = f"{scope}.{message.name}" if scope else message.name
    _take_extensions(message.extension, name, extensions)
    optionals.update(f"{name}.{field.name}" for field in message.field if field.proto3_optional)
    _name_oneofs(message)
    for nested in message.nested_type:
        _prepare(nested, name, extensions, optionals)


def _name_oneofs(message: DescriptorProto) -> None:
    """Renames oneofs that protoc added whose name is also the JSON name of a field.

    protoc calls the oneof of an optional ``note`` ``_note``. Python's library refuses that if a field has the
    same name in JSON, though the compilers of languages do not. The name does not occur in data.
    """
    json_names = {field.json_name for field in message.field}
    inner: list[FieldDescriptorProto | OneofDescriptorProto | DescriptorProto | EnumDescriptorProto] = [
        *message.field, *message.oneof_decl, *message.nested_type, *message.enum_type
    ]  # fmt: skip
    taken = (
        json_names
        | {each.name for each in inner}
        | {value.name for enum in message.enum_type for value in enum.value}
    )
    for field in message.field:
        oneof = message.oneof_decl[field.oneof_index] if field.proto3_optional else None
        if oneof and oneof.name in json_names:
            while oneof.name in taken:
                oneof.name += "_"
            taken.add(oneof.name)


def _take_extensions(declared: object, scope: str, extensions: dict[str, list[str]]) -> None:
    fields: list[FieldDescriptorProto] = list(declared)  # type: ignore[call-overload]
    for field in fields:
        name = f"{scope}.{field.name}" if scope else field.name
        extensions.setdefault(field.extendee.removeprefix("."), []).append(f"{name} = {field.number}")
    del declared[:]  # type: ignore[attr-defined]


def _with_nested(messages: Iterable[Descriptor]) -> Iterator[Descriptor]:
    """Messages and the messages inside them, in the order of the file, without the entries of maps."""
    for message in messages:
        if not message.GetOptions().map_entry:
            yield message
            yield from _with_nested(message.nested_types)


def entry(field: FieldDescriptor) -> tuple[FieldDescriptor, FieldDescriptor] | None:
    """The fields for key and value in the entries of a map field; None if the field is not a map."""
    message = field.message_type
    if message is None or not field.is_repeated or not message.GetOptions().map_entry:
        return None
    return message.fields_by_name["key"], message.fields_by_name["value"]


def chosen_root(types: Descriptors, wanted: str, file: Path) -> Descriptor:
    """The message called ``wanted``, of which the end of its full name is enough; if ``wanted`` is empty, the
    only message to which no other refers.

    Raises:
        InputError: there is no such message, or more than one; names the candidates.
    """
    wanted = wanted.removeprefix(".")
    with suppress(KeyError, TypeError, ValueError):  # it may be one that the given files only import
        found: Descriptor = types.pool.FindMessageTypeByName(wanted)
        if found.fields:
            return found
    messages = {each.full_name: each for each in types.given if each.fields}
    referred = {target.full_name for each in types.given for target in _referred(each) if target is not each}
    return messages[chosen([*messages], referred, wanted, file, "message")]


def _referred(message: Descriptor) -> Iterator[Descriptor]:
    """The messages that the fields of a message hold."""
    for field in message.fields:
        pair = entry(field)
        target = (pair[1] if pair else field).message_type
        if target is not None:
            yield target

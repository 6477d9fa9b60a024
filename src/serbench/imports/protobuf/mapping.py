"""Maps protobuf's messages, enums and oneofs to records, enums and unions.

A field that may be absent becomes an ``Optional``. A field whose absence and default are the same (implicit
presence, as proto3's scalars have it) is no optional, and neither is a required one. A oneof becomes an
optional union.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, OneofDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto

from serbench.idl.proto import SCALARS as WRITTEN
from serbench.imports.base import setting
from serbench.imports.declaring import Declaring
from serbench.imports.names import ScopeNames, enum_of, identifier, wire
from serbench.imports.protobuf.descriptors import Descriptors, entry
from serbench.imports.protobuf.scalars import KINDS, SCALARS, is_packable, scalar_of
from serbench.imports.protobuf.wellknown import TypeSettings, meaning_of
from serbench.model.names import capitalised, pascal
from serbench.model.types import (
    NOTHING,
    Alternative,
    Enum,
    Field,
    Gone,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Type,
    Union,
)


class TypeMapping(Declaring):
    """Maps the types that a root message reaches to the type model."""

    most_types = sys.maxsize  # protoc has compiled the schema, so there are not too many

    def __init__(self, types: Descriptors, settings: TypeSettings, root: Descriptor, file: Path):
        super().__init__(file)
        self.types = types
        self.settings = settings
        self._declarations: dict[str, Descriptor | EnumDescriptor] = {}
        self._named(root)
        for key in self.left:  # it grows meanwhile
            declaration = self._declarations[key]
            if isinstance(declaration, Descriptor):
                self._record(declaration)
            else:
                self._enum(declaration)

    def _named(self, declaration: Descriptor | EnumDescriptor) -> Ref:
        """A reference to the record or enum that a message or enum of the schema becomes."""
        self._declarations[declaration.full_name] = declaration
        return self.ref(declaration.full_name)

    def _record(self, message: Descriptor) -> None:
        name, at, names = self._named(message).name, len(self.declared), ScopeNames()
        fields = []
        for part in parts(message, self.types):
            if isinstance(part, OneofDescriptor):
                fields.append(self._oneof(part, name, names))
            else:
                fields.append(self._field(part, names))
        proto = DescriptorProto()
        message.CopyToProto(proto)
        ranges = [(each.start, each.end - 1) for each in proto.reserved_range]
        gone = _gone(ranges, [names.of(each) for each in proto.reserved_name])
        self.declared.insert(at, Record(name, fields, wire(message.full_name, name), gone))
        for extension in self.types.extensions.get(message.full_name, ()):
            self.lose(message.full_name, f"the extension {extension}; in data it is an unknown field")

    def _field(self, field: FieldDescriptor, names: ScopeNames) -> Field:
        name = names.of(field.name)
        type, why = self._type(field)
        self.tell(field.full_name, in_words(field), type, why)
        default = self._default(field)
        return Field(name, type, field.number, wire(field.name, name), default, hints(field))

    def _oneof(self, oneof: OneofDescriptor, message: str, names: ScopeNames) -> Field:
        """The field for a oneof, which is an optional union. Its number is that of one of the oneof's fields,
        which share the numbers of the message."""
        name = names.of(oneof.name)
        union = self.type_names.of(f"{capitalised(message)}{pascal(identifier(oneof.name))}")
        path = f"{oneof.containing_type.full_name}.{oneof.name}"
        type = Optional(Ref(union))
        self.tell(path, f"oneof of {len(oneof.fields)}", type)
        alternatives = []
        for field in oneof.fields:
            held, why = self._element(field, field.full_name)
            own = names.of(field.name)
            alternatives.append(Alternative(own, held, field.number, wire(field.name, own), hints(field)))
            self.tell(field.full_name, f"in the oneof {oneof.name}: {in_words(field)}", held, why)
        self.declared.append(Union(union, alternatives, path))
        return Field(
            name,
            type,
            min(f.number for f in oneof.fields),
            wire(oneof.name, name),
            hints=[("proto", "oneof")],
        )

    def _type(self, field: FieldDescriptor) -> tuple[Type, str]:
        """The type of a field, and a reason for it if the field could also have another type."""
        if pair := entry(field):
            held, why = self._element(pair[1], field.full_name)
            return Map(scalar_of(pair[0]), held), why
        held, why = self._element(field, field.full_name)
        if field.is_repeated:
            return List(held), why
        return (Optional(held) if field.has_presence and not field.is_required else held), why

    def _element(self, field: FieldDescriptor, path: str) -> tuple[Type, str]:
        """The type of a single value of a field, and a reason for it if there are other possible types."""
        message = field.message_type
        if field.enum_type is not None:
            return self._named(field.enum_type), ""
        if message is None:
            return scalar_of(field), ""
        if KINDS[field.type] == "group":
            what = "our protobuf rows write a message with its number, with a length instead of an end tag"
            self.lose(path, f"that it is a group; {what}")
        if meaning := self.settings.meaning(path, message):
            what = f"it is set to {meaning.word}, so our protobuf rows have other bytes"
            self.lose(path, f"that it is a {message.full_name}: {what}")
            return meaning.type, "set"
        meaning = meaning_of(message)
        why = f"as written; {setting(path, meaning.word)} gives it its meaning" if meaning else ""
        return self._named(message), why

    def _default(self, field: FieldDescriptor) -> Any:
        """The declared default if the JSON form of a schema can hold it; else NOTHING, and it is a loss."""
        if not field.has_default_value or field.is_repeated:
            return NOTHING
        value = field.default_value
        if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
            self.lose(
                field.full_name, "its default, of bytes or not a finite number; it is not part of messages"
            )
            return NOTHING
        return value

    def _enum(self, enum: EnumDescriptor) -> None:
        members = ((value.name, value.number) for value in enum.values)
        made = enum_of(self._named(enum).name, members, open=not enum.is_closed)
        made = replace(made, gone=_gone_members(enum, made))
        kind = "closed" if enum.is_closed else "open"
        self.add_enum(enum.full_name, made, f"{kind} enum of {len(enum.values)}")


def _gone(ranges: Iterable[tuple[int, int]], names: Iterable[str]) -> list[Gone]:
    """The numbers and the names that a message or an enum reserves; which number had which name is unknown.

    Args:
        ranges: the first and the last number of each range.
    """
    numbers = [Gone(number=first, last=None if first == last else last) for first, last in ranges]
    return [*numbers, *(Gone(name) for name in names)]


def _gone_members(enum: EnumDescriptor, made: Enum) -> tuple[Gone, ...]:
    """The members that an enum reserves; ``made`` is the enum with the others."""
    proto, names = EnumDescriptorProto(), ScopeNames(name for name, _ in (*made.members, *made.aliases))
    enum.CopyToProto(proto)
    ranges = [(each.start, each.end) for each in proto.reserved_range]
    return tuple(_gone(ranges, [names.of(each) for each in proto.reserved_name]))


def parts(message: Descriptor, types: Descriptors) -> Iterator[FieldDescriptor | OneofDescriptor]:
    """The fields of a message, but each oneof of several fields instead of these, in the place of the first:
    the record in the type model has one field for it."""
    met = set()
    for field in message.fields:
        oneof = None if field.full_name in types.optionals else field.containing_oneof
        if oneof is None or len(oneof.fields) == 1:
            yield field
        elif oneof.name not in met:
            met.add(oneof.name)
            yield oneof


def in_words(field: FieldDescriptor) -> str:
    """The type of a field as a schema writes it: ``repeated sint32 = 4 [packed = true]``."""
    if pair := entry(field):
        return f"map<{_kind(pair[0])}, {_kind(pair[1])}> = {field.number}"
    label = "repeated " if field.is_repeated else "required " if field.is_required else ""
    oneof = field.containing_oneof
    if (
        not label
        and field.has_presence
        and field.message_type is None
        and (oneof is None or oneof.name == f"_{field.name}")
    ):
        label = "optional "
    packed = f" [{_packed(field)}]" if field.is_repeated and is_packable(field) else ""
    return f"{label}{_kind(field)} = {field.number}{packed}"


def _kind(field: FieldDescriptor) -> str:
    named = field.enum_type or field.message_type
    group = "group " if KINDS[field.type] == "group" else ""
    return f"{group}{named.full_name}" if named is not None else KINDS[field.type]


def _packed(field: FieldDescriptor) -> str:
    return f"packed = {'true' if field.is_packed else 'false'}"


def hints(field: FieldDescriptor) -> list[tuple[str, str]]:
    """The hints of a field, by which ``idl/proto.py`` writes a schema with the same bytes."""
    words: list[str] = []
    if pair := entry(field):
        words += [
            f"{part} {word}"
            for part, held in zip(("key", "value"), pair, strict=True)
            for word in _other_kind(held)
        ]
    else:
        words += _other_kind(field)
        words += [_packed(field)] if field.is_repeated and is_packable(field) else []
        words += ["required"] if field.is_required else []
        words += [] if field.is_repeated or field.has_presence else ["implicit"]
        words += ["group"] if KINDS[field.type] == "group" else []
    return [("proto", word) for word in words]


def _other_kind(field: FieldDescriptor) -> list[str]:
    """The hint for the type of a number; none if ``idl/proto.py`` chooses this type without a hint."""
    kind = KINDS[field.type]
    return [kind] if kind in SCALARS and WRITTEN[SCALARS[kind].name] != kind else []

"""Maps FlatBuffers' tables, structs, unions and enums to records, unions and enums.

A number that is absent has its default, and so is no optional, unless ``= null`` says so. Strings, bytes,
tables, structs and unions can be absent, and so become optionals unless they are required. A vector becomes a
list, whether it is absent or empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from serbench.idl.fbs import SCALARS as WRITTEN
from serbench.idl.fbs import Tables, has_zero
from serbench.imports.base import Imported
from serbench.imports.declaring import Declaring
from serbench.imports.fbs import compiler as told
from serbench.imports.fbs.compiler import Object, Reflected, ReflectedType
from serbench.imports.names import ScopeNames, enum_of, wire
from serbench.model import types

KINDS = {
    f"U{word[1:].capitalize()}" if word.startswith("u") else word.capitalize(): types.SCALARS[name]
    for name, word in WRITTEN.items()
    if types.SCALARS[name].width
}
"""Name of a scalar type in the reflection → the type in the type model."""

_LOST = {
    "flexbuffer": "that its bytes are a FlexBuffer; they are bytes, whose content nothing looks into",
    "nested_flatbuffer": (
        "that its bytes are another FlatBuffer; they are bytes, whose content nothing looks into"
    ),
    "offset64": "that it is reached by 64 bits; rows of FlatBuffers have 32",
    "vector64": "that its length has 64 bits; rows of FlatBuffers have 32",
    "hash": "that texts become its number by a hash; it is the number",
    "shared": "that equal ones are written once; rows of FlatBuffers write each",
    "force_align": "that it is aligned to more bytes than it needs; rows of FlatBuffers may be shorter",
}
"""Attribute that changes bytes or their meaning → the loss of it."""


class TypeMapping(Declaring):
    """Maps the types that a root table reaches to the type model."""

    def __init__(self, schema: Reflected, root: str, file: Path):
        super().__init__(file)
        self._schema = schema
        self._objects = {each.name: each for each in schema.objects}
        self._enums = {each.name: each for each in schema.enums}
        self._empties: list[str] = []
        self.ref(root)
        for name in self.left:  # it grows meanwhile
            if name in self._objects:
                self._record(self._objects[name])
            elif self._enums[name].is_union:
                self._union(self._enums[name])
            else:
                self._enum(self._enums[name])
        if self._empties:
            more = f", and {len(self._empties) - 1} more" if len(self._empties) > 1 else ""
            what = f"whether it is empty or absent{more}; rows of FlatBuffers leave out what is empty"
            self.lose(self._empties[0], what)
        if schema.identifier and schema.root and root == schema.root.name:
            self.lose(
                root, f"the identifier {schema.identifier!r} in each message; rows of FlatBuffers have none"
            )
        for service in schema.services:
            self.lose(service.name, "a service: calls are not data")

    def imported(self, root: str) -> Imported:
        """The schema of all declared types, with a loss for each struct that serbench's own schema has as a
        table, or the reverse: there, all records of a fixed size are structs, if they can be."""
        tables = Tables(super().imported(root).schema("imported"))
        written = {
            ours.name: theirs
            for ours, theirs in zip(tables.lowered.declared.records, tables.schema.records, strict=True)
        }
        for name in self.left:
            ours = written.get(self.ref(name).name) if name in self._objects else None
            if ours is None or tables.is_struct(ours) == (is_struct := self._objects[name].is_struct):
                continue
            theirs, why = ("table", "a union has it") if is_struct else ("struct", "its size is fixed")
            own = "struct" if is_struct else "table"
            self.lose(name, f"that it is a {own}; rows of FlatBuffers have a {theirs}, since {why}")
        return super().imported(root)

    def _record(self, declared: Object) -> None:
        ref, at, names = self.ref(declared.name), len(self.declared), ScopeNames()
        fields = []
        for field in with_values(declared):
            path = f"{declared.name}.{field.name}"
            if field.is_deprecated:
                what = f"a field that is deprecated, of id {field.id}"
                self.lose(path, f"{what}; rows of FlatBuffers have no place for it")
            else:
                fields.append(self._field(field, path, declared.is_struct, names))
        self._lose_attributes(declared.name, declared)
        self.declared.insert(at, types.Record(ref.name, fields, wire(declared.name, ref.name)))

    def _field(self, field: told.FbsField, path: str, in_struct: bool, names: ScopeNames) -> types.Field:
        type, why = self._type(field.type, path)
        if not in_struct and not field.is_required and can_be_absent(field):
            type = types.Optional(type)
        if type in (types.string, types.bytes_) or isinstance(type, types.List | types.Map):
            self._empties.append(path)
        if field.is_key and not isinstance(type, types.Map):
            self.lose(path, "that vectors are sorted by it; they stay as they come")
        self._lose_attributes(path, field)
        name = names.of(field.name)
        self.tell(path, self._in_words(field), type, why)
        return types.Field(name, type, field.id + 1, wire(field.name, name), self._default(field, type, path))

    def _type(self, part: ReflectedType, path: str) -> tuple[types.Type, str]:
        """The type of a field that is present, and a reason for it if there are other possible types."""
        if part.base == "Vector":
            if is_bytes(part):
                return types.bytes_, ""
            if is_entry(part, self._schema):
                declared = self._schema.objects[part.index]
                return self._map(declared, path), "a vector of entries with a key and a value"
            if part.element == "Union":
                self.lose(
                    path, "that it holds its unions themselves; rows of FlatBuffers have a table around each"
                )
            return types.List(self._element(part.element, part.index, path)), ""
        if part.base == "Array":
            return types.Array(self._element(part.element, part.index, path), part.length), ""
        return self._element(part.base, part.index, path), ""

    def _element(self, base: str, index: int, path: str) -> types.Type:
        if base == "Obj":
            return self.ref(self._schema.objects[index].name)
        if base == "Union" or (base in KINDS and index >= 0):
            return self.ref(self._schema.enums[index].name)
        if base == "String":
            return types.string
        if base in KINDS:
            return KINDS[base]
        raise self.cannot(path, f"the type {base} of a newer flatc")

    def _map(self, declared: Object, path: str) -> types.Type:
        key, value = with_values(declared)
        held, _ = self._type(value.type, f"{path}.value")
        if not declared.is_struct and not value.is_required and can_be_absent(value):
            held = types.Optional(held)
        elif not declared.is_struct and key.type.base in KINDS and value.type.base in KINDS:
            self.lose(
                path,
                "that its entries are tables; rows of FlatBuffers have structs, since their size is fixed",
            )
        for each in (key, value):
            self._lose_attributes(f"{path}.{each.name}", each)
            self._default(each, held if each is value else types.string, f"{path}.{each.name}")
        return types.Map(self._element(key.type.base, key.type.index, f"{path}.key"), held)

    def _default(self, field: told.FbsField, type: types.Type, path: str) -> int | float | bool:
        """The declared default if the JSON form of a schema can hold it, else NOTHING. The default is a loss
        if it differs from that of the schemas that serbench writes."""
        if field.type.base not in KINDS or isinstance(type, types.Optional):
            return types.NOTHING  # type: ignore[no-any-return]
        scalar, default = KINDS[field.type.base], field.default
        if scalar.is_integer and default < 0 and not scalar.is_signed:
            default += 1 << 64
        if default == self._own_default(field):
            return types.NOTHING  # type: ignore[no-any-return]
        told, ours = _number(default, scalar), _number(self._own_default(field), scalar)
        what = f"its default {told}: rows of FlatBuffers write it as any other number, and leave out {ours}"
        self.lose(path, what)
        if isinstance(default, float) and not math.isfinite(default):
            return types.NOTHING  # type: ignore[no-any-return]
        return bool(default) if scalar.name == "bool" else default

    def _own_default(self, field: told.FbsField) -> int:
        """The default that a schema written by serbench has for a field."""
        if field.type.index < 0:
            return 0
        enum = self._made(self._schema.enums[field.type.index])
        return 0 if has_zero(enum) else enum.members[0][1]

    def _enum(self, enum: told.FbsEnum) -> None:
        flags = " of flags" if enum.has("bit_flags") else ""
        theirs = f"enum{flags} of {len(enum.members)} over {enum.underlying.base.lower()}"
        self.add_enum(enum.name, self._made(enum), theirs)

    def _made(self, enum: told.FbsEnum) -> types.Enum:
        underlying = KINDS.get(enum.underlying.base)
        if underlying is None or (not underlying.is_integer and underlying.name != "bool"):
            raise self.cannot(enum.name, f"an enum over {enum.underlying.base.lower()}")
        if underlying.name == "bool":
            underlying = types.SCALARS["u8"]
        beyond = 0 if underlying.is_signed else 1 << 64
        members = [(each.name, each.number + beyond * (each.number < 0)) for each in enum.members]
        return enum_of(self.ref(enum.name).name, members, underlying, open=True)

    def _union(self, union: told.FbsEnum) -> None:
        ref, names = self.ref(union.name), ScopeNames()
        alternatives = []
        for member in union.members:
            name, part = member.name, member.type
            if member.number == 0 or part is None:  # NONE, which says that the union is absent
                continue
            path, own = f"{union.name}.{name}", names.of(name)
            type = self._element(part.base, part.index, path)
            self.tell(path, f"in the union: {self._words(part)} = {member.number}", type)
            if type == types.string:
                self.lose(path, "that it is a string alone; rows of FlatBuffers have a table around it")
            alternatives.append(types.Alternative(own, type, member.number, wire(name, own)))
        if [each.number for each in alternatives] != list(range(1, len(alternatives) + 1)):
            self.lose(union.name, "the numbers of its alternatives; rows of FlatBuffers count them from 1")
        self.declared.append(types.Union(ref.name, alternatives, wire(union.name, ref.name)))

    def _lose_attributes(self, path: str, declared: Object | told.FbsField) -> None:
        self.lose(path, *(what for name, what in _LOST.items() if declared.has(name)))

    def _in_words(self, field: told.FbsField) -> str:
        """The type of a field as a schema writes it, with the default and the attributes of the field."""
        scalar, default = KINDS.get(field.type.base), ""
        if scalar and field.is_optional:
            default = " = null"
        elif scalar and field.default:
            default = f" = {_number(field.default, scalar)}"
        marks = [word for word, is_so in (("required", field.is_required), ("key", field.is_key)) if is_so]
        return f"{self._words(field.type)}{default} ({', '.join([f'id: {field.id}', *marks])})"

    def _words(self, part: ReflectedType) -> str:
        if part.base == "Vector":
            return f"[{self._word(part.element, part.index)}]"
        if part.base == "Array":
            return f"[{self._word(part.element, part.index)}:{part.length}]"
        return self._word(part.base, part.index)

    def _word(self, base: str, index: int) -> str:
        if index < 0:
            return base.lower()
        return (self._schema.objects if base == "Obj" else self._schema.enums)[index].name


def can_be_absent(field: told.FbsField) -> bool:
    """Whether a field of a table is of a type that can be absent; a number can only with ``= null``."""
    if field.type.base in KINDS:
        return field.is_optional
    return field.type.base in ("String", "Obj", "Union") or is_bytes(field.type)


def is_entry(part: ReflectedType, schema: Reflected) -> bool:
    """Whether the items of a vector are entries of a map: tables or structs that have a key, of a type that
    keys of maps can have, and a value, and nothing else."""
    if part.element != "Obj":
        return False
    fields = with_values(schema.objects[part.index])
    names = [field.name for field in fields if not field.is_deprecated]
    if names != ["key", "value"] or len(fields) > 2 or not fields[0].is_key:
        return False
    base = fields[0].type.base
    return base == "String" or (base in KINDS and not KINDS[base].is_float)


def is_bytes(part: ReflectedType) -> bool:
    """Whether a type is a vector of ``ubyte``."""
    return (part.base, part.element, part.index) == ("Vector", "UByte", -1)


def with_values(declared: Object) -> list[told.FbsField]:
    """The fields of a table or struct, without those that flatc adds to tell a union's alternative."""
    return [field for field in declared.fields if "UType" not in (field.type.base, field.type.element)]


def _number(value: float, scalar: types.Scalar) -> str:
    return str(bool(value)).lower() if scalar.name == "bool" else str(value)


def referred(schema: Reflected) -> Iterator[str]:
    """The names of the tables and structs to which another one refers, directly or by a union."""
    for declared in schema.objects:
        for field in declared.fields:
            base = field.type.element if field.type.base in ("Vector", "Array") else field.type.base
            held = [field.type] if base == "Obj" else []
            if base == "Union":
                members = schema.enums[field.type.index].members
                held = [each.type for each in members if each.type and each.type.base == "Obj"]
            yield from {schema.objects[part.index].name for part in held} - {declared.name}

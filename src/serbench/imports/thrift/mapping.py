"""Maps Thrift's structs, exceptions, unions and enums to records, unions and enums.

An ``optional`` field becomes an optional. A field that is required, or says neither, is always written, and
so is no optional.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from serbench.idl.thrift import REQUIRED
from serbench.imports.declaring import Declaring
from serbench.imports.names import ScopeNames, enum_of, identifier, wire
from serbench.imports.thrift.compiler import Struct, ThriftProgram, ThriftType
from serbench.imports.thrift.compiler import ThriftField as Theirs
from serbench.model import types
from serbench.model.names import capitalised, pascal
from serbench.model.parts import AnyPart, numbered
from serbench.text import shortened

KINDS = {
    "bool": types.bool_, "i8": types.i8, "byte": types.i8, "i16": types.i16, "i32": types.i32,
    "i64": types.i64, "double": types.f64, "string": types.string, "binary": types.bytes_,
}  # fmt: skip
"""Thrift's word for a type → ours."""

_DEEPEST = 100
"""The most typedefs of typedefs, and the most containers inside each other."""


class TypeMapping(Declaring):
    """Maps the types that a root struct reaches to the type model."""

    def __init__(self, schema: ThriftProgram, root: str, file: Path):
        super().__init__(file)
        self._schema = schema
        self._entries: dict[str, tuple[types.Type, types.Type]] = {}
        self._endless = _leading_back(schema)
        self.ref(root)
        for name in self.left:  # it grows meanwhile
            if name in schema.enums:
                self._enum(name)
            elif name in self._entries:
                key, value = self._entries[name]
                self.declared.append(
                    types.Record(self.ref(name).name, [types.Field("key", key), types.Field("value", value)])
                )
            elif schema.structs[name].is_union:
                self._union(schema.structs[name])
            else:
                self._record(schema.structs[name])
        for service in schema.services:
            self.lose(service, "a service: calls are not data")
        if schema.annotations:
            told = shortened(", ".join(schema.annotations), 300)
            self.lose(root, f"annotations of Facebook's Thrift, which Apache's does not have: {told}")

    def _record(self, struct: Struct) -> None:
        ref, at, names = self.ref(struct.name), len(self.declared), ScopeNames()
        fields = [self._field(struct, field, names) for field in struct.fields]
        made = types.Record(ref.name, self._with_numbers(struct, fields), wire(struct.name, ref.name))
        self.declared.insert(at, made)

    def _with_numbers(self, struct: Struct, parts: list[AnyPart]) -> list[AnyPart]:
        if all(field.id >= 1 for field in struct.fields):
            return parts
        self.lose(
            struct.name,
            "the numbers of its fields, of which one is less than 1; rows of Thrift count them from 1",
        )
        return numbered(parts)

    def _field(self, struct: Struct, field: Theirs, names: ScopeNames) -> types.Field:
        path = f"{struct.name}.{field.name}"
        type, why = self._type(field.type, path), ""
        if field.required == "optional":
            type = types.Optional(type)
        elif not field.required and (struct.name, field.name) in self._endless:
            type, why = types.Optional(type), "it leads back to its struct, so it must be optional"
        name = names.of(field.name)
        self.tell(path, self._in_words(field), type, why)
        default = self._default(field, type, path)
        hints = [REQUIRED] if field.required == "required" else []
        return types.Field(name, type, max(field.id, 0), wire(field.name, name), default, hints)

    def _union(self, union: Struct) -> None:
        ref, names, alternatives = self.ref(union.name), ScopeNames(), []
        for field in union.fields:
            path, name = f"{union.name}.{field.name}", names.of(field.name)
            type = self._type(field.type, path)
            self.tell(path, f"in the union: {self._in_words(field)}", type)
            self._default(field, types.Optional(type), path)
            alternatives.append(types.Alternative(name, type, max(field.id, 0), wire(field.name, name)))
        made = types.Union(ref.name, self._with_numbers(union, alternatives), wire(union.name, ref.name))
        self.declared.append(made)

    def _enum(self, name: str) -> None:
        members = self._schema.enums[name]
        self.add_enum(name, enum_of(self.ref(name).name, members), f"enum of {len(members)}")

    def _type(self, part: ThriftType, path: str, depth: int = 0) -> types.Type:
        if depth > _DEEPEST:
            raise self.cannot(path, "too deeply nested types", f"{_DEEPEST} at most")
        match part:
            case ThriftType("id", name):
                return self._named(name, path, depth)
            case ThriftType("list", item=ThriftType() as item):
                return types.List(self._type(item, path, depth + 1))
            case ThriftType("set", item=ThriftType() as item):
                self.lose(path, "that it is a set; rows of Thrift have a list, which is as long")
                return types.List(self._type(item, path, depth + 1))
            case ThriftType("map", key=ThriftType() as key, item=ThriftType() as item):
                is_enum = resolved(self._schema, key).name in self._schema.enums
                return self._map(
                    self._type(key, path, depth + 1), self._type(item, path, depth + 1), path, is_enum
                )
            case ThriftType(word) if word in KINDS:
                return KINDS[word]
        raise self.cannot(path, f"the type {part.word}")

    def _named(self, name: str, path: str, depth: int) -> types.Type:
        if name in self._schema.typedefs:
            return self._type(self._schema.typedefs[name], path, depth + 1)
        return self.ref(name)

    def _map(self, key: types.Type, value: types.Type, path: str, is_enum: bool) -> types.Type:
        """The type for a map: a list of entries if the type model does not have such keys."""
        if is_enum or (isinstance(key, types.Scalar) and key not in (types.f64, types.bytes_)):
            return types.Map(key, value)
        self.lose(
            path, "that it is a map, which has no such keys here; rows of Thrift have a list of entries"
        )
        *_, outer, own = map(identifier, path.split("."))
        name = f"{capitalised(outer)}{pascal(own)}Entry{len(self._entries) + 1}"
        self._entries[f" {name}"] = key, value  # no name in a schema begins with a blank
        return types.List(self.ref(f" {name}", name))

    def _default(self, field: Theirs, type: types.Type, path: str) -> Any:
        """The declared default if schemas that serbench writes can have it; else NOTHING, and the default is
        a loss. Defaults are not part of messages."""
        default = field.default
        if default is None:
            return types.NOTHING
        match type:
            case types.Scalar("bool") if isinstance(default, int):
                return bool(default)
            case types.Scalar("double" | "f64") if isinstance(default, int | float) and math.isfinite(
                default
            ):
                return float(default)
            case types.Scalar("string") if (
                isinstance(default, str) and default.isprintable() and not set(default) & set('"\\')
            ):
                return default
            case types.Scalar() if (
                type.is_integer and isinstance(default, int) and type.bounds[0] <= default <= type.bounds[1]
            ):
                return default
            case types.Ref() if isinstance(default, int):
                return default
        self.lose(path, "its default; it is not part of messages")
        return types.NOTHING

    def _in_words(self, field: Theirs) -> str:
        default = "" if field.default is None or isinstance(field.default, tuple) else f" = {field.default!r}"
        return " ".join(filter(None, (f"{field.id}:", field.required, in_words(field.type)))) + default


def in_words(part: ThriftType) -> str:
    """A type as a schema writes it: ``map<string, list<shop.Line>>``."""
    held = ", ".join(in_words(each) for each in (part.key, part.item) if each is not None)
    return part.name or (f"{part.word}<{held}>" if held else part.word)


def resolved(schema: ThriftProgram, part: ThriftType) -> ThriftType:
    """The type for which ``part`` stands if it is a typedef (of another one, maybe); else ``part`` itself."""
    for _ in range(_DEEPEST):
        if part.name not in schema.typedefs:
            break
        part = schema.typedefs[part.name]
    return part


def _leading_back(schema: ThriftProgram) -> set[tuple[str, str]]:
    """The fields (struct, field) that are not optional, hold a struct, and lead back to their own struct."""
    edges = {
        (struct.name, field.name): resolved(schema, field.type).name
        for struct in schema.structs.values()
        if not struct.is_union
        for field in struct.fields
        if field.required != "optional" and resolved(schema, field.type).name in schema.structs
    }
    targets: dict[str, list[str]] = {}
    for (struct, _), target in edges.items():
        targets.setdefault(struct, []).append(target)
    ring = _rings(targets)
    return {edge for edge, target in edges.items() if ring[edge[0]] == ring[target]}


def _rings(targets: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name → one name of its ring, the same for all names that lead to each other (strongly connected
    components, by Kosaraju's algorithm without recursion)."""
    sources: dict[str, list[str]] = {}
    for name, each in targets.items():
        for target in each:
            sources.setdefault(target, []).append(name)
    met: set[str] = set()
    ended: list[str] = []
    steps = [(name, False) for name in targets]
    while steps:
        name, has_ended = steps.pop()
        if has_ended:
            ended.append(name)
        elif name not in met:
            met.add(name)
            steps += [(name, True), *((target, False) for target in targets.get(name, ()))]
    ring: dict[str, str] = {}
    for first in reversed(ended):
        left = [first]
        while left:
            if (name := left.pop()) not in ring:
                ring[name] = first
                left += sources.get(name, ())
    return ring


def referred(schema: ThriftProgram) -> Iterator[str]:
    """The names of the structs and unions to which others refer."""
    for struct in schema.structs.values():
        left = [field.type for field in struct.fields]
        for _ in range(10_000):
            if not left:
                break
            part = resolved(schema, left.pop())
            left += [each for each in (part.key, part.item) if each is not None]
            if part.name and part.name != struct.name:
                yield part.name

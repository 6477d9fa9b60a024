"""Maps Cap'n Proto's structs, groups, unions and enums to records, unions and enums.

Numbers are always present, and so do not become optionals. Text, Data and structs are pointers, which can be
null, and so become optionals. A list becomes a list, whether it is null or empty. A struct that is nothing
but a union becomes a union; any other union becomes one in a field of its record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from serbench.idl.capnp import SCALARS as WRITTEN
from serbench.imports.base import Mapped
from serbench.imports.capnp.compiler import CapnpField as Theirs
from serbench.imports.capnp.compiler import CapnpNode, Nodes
from serbench.imports.declaring import Declaring
from serbench.imports.names import ScopeNames, enum_of, identifier, wire
from serbench.model import types
from serbench.model.names import capitalised, pascal
from serbench.model.parts import AnyPart, numbered

KINDS = {word.lower(): types.SCALARS[name] for name, word in WRITTEN.items()}
"""The compiler's name for a type → ours."""

UNION = "union"
"""The name of the field in the type model for a union without a name."""

_OWN_STRUCT = "rows of Cap'n Proto have a struct of its own for it, and a pointer to that"


class TypeMapping(Declaring):
    """Maps the types that a root struct reaches to the type model."""

    def __init__(self, schema: Nodes, root: CapnpNode, file: Path):
        super().__init__(file)
        self._schema = schema
        self._unions: dict[str, tuple[str, Sequence[Theirs]]] = {}
        self._lists: list[str] = []
        self._root = root
        self.ref(root.id, root.name)
        for key in self.left:  # it grows meanwhile
            if key in self._unions:
                self._union(key, *self._unions[key])
            else:
                self._declare(schema.by_id[key])
        if self._lists:
            more = f", and {len(self._lists) - 1} more" if len(self._lists) > 1 else ""
            self.lose(
                self._lists[0], f"whether it is empty or null{more}; rows of Cap'n Proto have an empty list"
            )

    def _declare(self, node: CapnpNode) -> None:
        if node.kind == "enum":
            self._enum(node)
        elif is_union(node) and node is not self._root:
            self._union(node.id, node.name, node.fields)
        else:
            self._record(node)

    def _named(self, node: CapnpNode) -> types.Ref:
        if not node.is_group:
            return self.ref(node.id, node.name)
        *_, outer, own = ["", *map(identifier, node.name.split("."))]
        return self.ref(node.id, f"{capitalised(outer)}{pascal(own)}")

    def _record(self, node: CapnpNode) -> None:
        ref, at, names = self._named(node), len(self.declared), ScopeNames()
        fields = []
        union = [field for field in node.fields if field.member is not None]
        for field in node.fields:
            path = f"{node.name}.{field.name}"
            if field.member is not None:
                if field is union[0]:
                    fields.append(self._unnamed(node, union, names))
            elif field.type and "interface" in field.type:
                self.lose(path, "a capability; it is no part of messages that are kept, and left out")
            elif field.type and "void" in field.type:
                self.lose(path, "a Void, which has no value; it is left out")
            else:
                fields.append(self._field(field, path, names))
        if node.is_group:
            self.lose(node.name, f"that it is a group of its struct; {_OWN_STRUCT}")
        self.declared.insert(at, types.Record(ref.name, _with_numbers(fields), wire(node.name, ref.name)))

    def _unnamed(self, node: CapnpNode, members: Sequence[Theirs], names: ScopeNames) -> types.Field:
        """The field for an unnamed union, which stands in its struct directly."""
        path = f"{node.name}.{UNION}"
        self._unions[path] = (path, members)
        ref = self.ref(path, f"{capitalised(identifier(node.name.rpartition('.')[2]))}{pascal(UNION)}")
        self.tell(path, f"union of {len(members)}", ref)
        self.lose(path, f"that it stands in its struct; {_OWN_STRUCT}")
        return types.Field(names.of(UNION), ref, self._first(members) + 1)

    def _field(self, field: Theirs, path: str, names: ScopeNames) -> types.Field:
        name = names.of(field.name)
        if field.group:
            type: types.Type = self._group(field, path)
            return types.Field(name, type, self._first([field]) + 1, wire(field.name, name))
        type = self._type(field.type, path)
        default = self._default(field, type, path)
        if isinstance(type, types.List):
            self._lists.append(path)
        elif (type in (types.string, types.bytes_) and field.default is None) or "struct" in field.type:
            type = types.Optional(type)
        self.tell(path, self._in_words(field), type)
        return types.Field(name, type, field.ordinal + 1, wire(field.name, name), default)

    def _group(self, field: Theirs, path: str) -> types.Type:
        """The type of a group: a union, if the group is nothing but a union; an optional, if that union is of
        a number and a Void; else a record."""
        node = self._schema.by_id[field.group]
        if held := optional_in(node):
            type: types.Type = types.Optional(self._type(held.type, path))
            self._default(held, type, path)
            self.tell(
                path,
                f"union of {node.fields[0].name} and {node.fields[1].name}: {self._words(held.type)}",
                type,
            )
            return type
        type = self._named(node)
        if is_union(node):
            self.tell(path, f"union of {len(node.fields)}", type)
            self.lose(path, f"that it stands in its struct; {_OWN_STRUCT}")
        else:
            self.tell(path, f"group of {len(node.fields)}", type)
        return type

    def _first(self, fields: Sequence[Theirs]) -> int:
        """The least number of any of the fields, or of the fields in groups among them."""
        numbers = [
            self._first(self._schema.by_id[field.group].fields) if field.group else field.ordinal
            for field in fields
        ]
        return min((number for number in numbers if number >= 0), default=-1)

    def _type(self, type: Mapping[str, Any], path: str) -> types.Type:
        kind = next(iter(type))
        match kind:
            case "list":
                return types.List(self._item(type["list"]["elementType"], path))
            case "enum" | "struct":
                node = self._schema.by_id[type[kind]["typeId"]]
                if node.is_generic:
                    raise self.cannot(
                        path,
                        f"the generic struct {node.name}",
                        remedy="declare a struct for the concrete types",
                    )
                return self._named(node)
            case "anyPointer":
                raise self.cannot(path, "an AnyPointer, or a parameter of a generic struct", "a type")
            case _ if kind in KINDS:
                return KINDS[kind]
        raise self.cannot(path, f"a {kind.capitalize()}")

    def _item(self, type: Mapping[str, Any], path: str) -> types.Type:
        if "interface" in type:
            raise self.cannot(path, "a list of capabilities")
        return self._type(type, path)

    def _default(self, field: Theirs, type: types.Type, path: str) -> Any:
        """The declared default, which is a loss; NOTHING if the JSON form of a schema cannot hold it."""
        if field.default is None:
            return types.NOTHING
        kind, value = next(iter(field.default.items()))
        if kind in ("list", "struct", "data"):
            self.lose(path, f"its default, of a {kind}; rows of Cap'n Proto have none")
            return types.NOTHING
        if kind in KINDS and KINDS[kind].is_integer:
            value = int(value)
        elif kind in KINDS and KINDS[kind].is_float:
            value = float(value)  # values that are not finite are texts here
        told = repr(value) if kind == "text" else str(value).lower()
        self.lose(path, f"its default {told}; rows of Cap'n Proto have none, so its bits are others")
        is_held = not isinstance(type, types.Optional) and not (
            isinstance(value, float) and not math.isfinite(value)
        )
        return value if is_held else types.NOTHING

    def _enum(self, node: CapnpNode) -> None:
        made = enum_of(self._named(node).name, zip(node.members, count()), types.u16)
        self.add_enum(node.name, made, f"enum of {len(node.members)}")
        self.lose(node.name, "that a message may have a number without a name; here it has none")

    def _union(self, key: str, path: str, members: Sequence[Theirs]) -> None:
        ref, names, alternatives = self.ref(key), ScopeNames(), []
        for field in sorted(members, key=lambda field: field.member or 0):
            inner = f"{path}.{field.name}"
            own = names.of(field.name)
            type = self._alternative(field, inner)
            theirs = f"in the union: {self._in_words(field)}"
            self.rows.append(
                Mapped(inner, theirs, "nothing") if type is None else Mapped.to(inner, theirs, type)
            )
            alternatives.append(types.Alternative(own, type, self._first([field]) + 1, wire(field.name, own)))
        self.declared.append(types.Union(ref.name, _with_numbers(alternatives), wire(path, ref.name)))

    def _alternative(self, field: Theirs, path: str) -> types.Type | None:
        if field.group:
            return self._named(self._schema.by_id[field.group])
        if "void" in field.type:
            return None
        if "interface" in field.type:
            raise self.cannot(path, "a capability in a union", "a type of the type model")
        type = self._type(field.type, path)
        self._default(field, types.Optional(type), path)
        return type

    def _in_words(self, field: Theirs) -> str:
        if field.group:
            return "group"
        return f"{self._words(field.type)} @{field.ordinal}"

    def _words(self, type: Mapping[str, Any]) -> str:
        kind = next(iter(type))
        if kind == "list":
            return f"List({self._words(type['list']['elementType'])})"
        if kind in ("enum", "struct", "interface"):
            return self._schema.by_id[type[kind]["typeId"]].name
        return {name.lower(): name for name in WRITTEN.values()}.get(kind, capitalised(kind))


def _with_numbers(parts: Sequence[AnyPart]) -> Sequence[AnyPart]:
    """The fields or alternatives with their own numbers; if two have the same, as groups without fields do,
    all are numbered by their order."""
    return parts if len({part.number for part in parts}) == len(parts) else numbered(parts)


def is_union(node: CapnpNode) -> bool:
    """Whether a struct or group is a union and nothing else."""
    return len(node.fields) > 1 and all(field.member is not None for field in node.fields)


def optional_in(node: CapnpNode) -> Theirs | None:
    """The field of the number in a union of a number and a Void; None for any other node."""
    if len(node.fields) != 2 or not is_union(node):
        return None
    nothing, held = sorted(node.fields, key=lambda field: field.member or 0)
    is_number = held.type and (set(held.type) & set(KINDS) - {"text", "data"} or "enum" in held.type)
    return held if nothing.type and "void" in nothing.type and is_number else None


def referred(schema: Nodes) -> Iterator[str]:
    """The ids of the declarations to which other declarations of the schema refer. Parameters and results of
    methods do not count: they often are the messages."""
    for node in schema.by_id.values():
        is_of_method = node.name.endswith(("$Params", "$Results"))
        for field in () if is_of_method else node.fields:
            type = field.type
            while "list" in type:
                type = type["list"]["elementType"]
            if "struct" in type and type["struct"]["typeId"] != node.id:
                yield type["struct"]["typeId"]

"""Makes values of the type model from messages in the JSON that capnp prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from serbench.imports.base import Unfit
from serbench.imports.capnp.compiler import CapnpField, CapnpNode, Nodes
from serbench.imports.capnp.mapping import is_union, optional_in

Reader = Callable[[Any], Any]
"""Makes a value from its JSON, which is None if the pointer to the value is null."""

Part = Callable[[Mapping[str, Any]], Any]
"""Makes the value of a field from the JSON of the struct that it is in."""


class Values:
    """Makes the values of messages that are of the struct ``root``."""

    def __init__(self, schema: Nodes, root: CapnpNode):
        self._schema = schema
        self._root = root
        self._parts: dict[str, list[Part]] = {}
        self._left: list[CapnpNode] = []
        self._read = self._record(root)
        for node in self._left:  # it grows meanwhile
            self._parts[node.id] += self._parts_of(node)

    def of(self, message: Any) -> Any:
        """The value of a message; raises Unfit with a path if the message does not fit its struct."""
        try:
            return self._read(message)
        except RecursionError:
            raise Unfit("structs too deep inside each other") from None

    def _record(self, node: CapnpNode) -> Reader:
        """The reader (JSON → value) of a struct or group as a record. The readers of the fields are made
        later, since fields may lead back to the struct."""
        if node.id not in self._parts:
            self._parts[node.id] = []
            self._left.append(node)
        parts, name = self._parts[node.id], node.name

        def read(value: Any) -> Any:
            fields = _of_kind(dict, value, name, "struct")
            return tuple([part(fields) for part in parts])

        return read

    def _struct(self, node: CapnpNode) -> Reader:
        """The reader (JSON → value) of a struct or group as a record, or as a union if it is nothing else."""
        return self._union(node.name, node.fields) if is_union(node) else self._record(node)

    def _parts_of(self, node: CapnpNode) -> list[Part]:
        parts: list[Part] = []
        union = [field for field in node.fields if field.member is not None]
        for field in node.fields:
            if field.member is not None:
                parts += [self._union(node.name, union)] if field is union[0] else []
            elif field.group or not {"interface", "void"} & field.type.keys():
                parts.append(self._field(field, f"{node.name}.{field.name}"))
        return parts

    def _field(self, field: CapnpField, path: str) -> Part:
        name = field.name
        if field.group:
            node = self._schema.by_id[field.group]
            if (held := optional_in(node)) is not None:
                return self._optional(name, held, path)
            read = self._struct(node)
            return lambda fields: read(fields.get(name))
        read = self._reader(field, path)
        can_be_null = "struct" in field.type or (
            {"text", "data"} & field.type.keys() and field.default is None
        )
        if can_be_null and field.default is None:
            return lambda fields: read(value) if (value := fields.get(name)) is not None else None
        return lambda fields: read(fields.get(name))

    def _optional(self, name: str, held: CapnpField, path: str) -> Part:
        read, inner = self._reader(held, path), held.name

        def optional(fields: Mapping[str, Any]) -> Any:
            value = _of_kind(dict, fields.get(name), path, "struct").get(inner)
            return None if value is None else read(value)

        return optional

    def _union(self, path: str, members: Sequence[CapnpField]) -> Reader:
        """The reader (JSON → value) of a union, from the JSON of its struct. Where the JSON has no member of
        the union, the value is of the first alternative."""
        ordered = sorted(members, key=lambda field: field.member or 0)
        readers = {
            field.name: (n, self._alternative(field, f"{path}.{field.name}"))
            for n, field in enumerate(ordered)
        }
        first = ordered[0].name

        def read(value: Any) -> Any:
            fields = _of_kind(dict, value, path, "struct")
            found = readers.keys() & fields.keys() or {first}
            if len(found) > 1:
                raise Unfit(f"{path}: {len(found)} members of a union")
            (name,) = found
            n, alternative = readers[name]
            return n, alternative(fields.get(name))

        return read

    def _alternative(self, field: CapnpField, path: str) -> Reader:
        if field.group:
            return self._struct(self._schema.by_id[field.group])
        return (lambda value: None) if "void" in field.type else self._reader(field, path)

    def _reader(self, field: CapnpField, path: str) -> Reader:
        """The reader (JSON → value) of a field's value, or of its default if the pointer is null."""
        read = self._of_type(field.type, path)
        kind, default = next(iter(field.default.items())) if field.default else ("", None)
        if kind in ("text", "data"):
            return lambda value: read(default if value is None else value)
        if kind in ("list", "struct"):

            def told(value: Any) -> Any:
                if value is None:
                    raise Unfit(f"{path}: a null pointer, which means a default that capnp does not tell")
                return read(value)

            return told
        return read

    def _of_type(self, type: Mapping[str, Any], path: str) -> Reader:
        kind = next(iter(type))
        match kind:
            case "list":
                item = self._of_type(type["list"]["elementType"], path)
                return lambda value: [item(each) for each in _of_kind(list, value, path, "list")]
            case "struct":
                return self._struct(self._schema.by_id[type["struct"]["typeId"]])
            case "enum":
                return self._enum(self._schema.by_id[type["enum"]["typeId"]], path)
            case "text":
                return lambda value: _of_kind(str, value, path, "text")
            case "data":
                return lambda value: _bytes(value, path)
            case "bool":
                return lambda value: bool(value)
        if kind in ("float32", "float64"):
            return lambda value: _number(float, value, path)
        return lambda value: _number(int, value, path)

    def _enum(self, node: CapnpNode, path: str) -> Reader:
        numbers = {name: number for number, name in enumerate(node.members)}

        def read(value: Any) -> Any:
            if value is not None and value not in numbers:
                raise Unfit(f"{path}: a number that {node.name} has no name for")
            return numbers.get(value, 0)

        return read


def _of_kind(kind: type[Any], value: Any, path: str, word: str) -> Any:
    """Returns the value if it is of this Python type; raises Unfit, which calls it ``word``, if not. A null
    pointer becomes the type's empty value, so that the fields of a struct have their defaults."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise Unfit(f"{path}: no {word}")
    return value


def _bytes(value: Any, path: str) -> bytes:
    try:
        return bytes(_of_kind(list, value, path, "list"))
    except (TypeError, ValueError):
        raise Unfit(f"{path}: no bytes") from None


def _number(kind: Callable[[Any], Any], value: Any, path: str) -> Any:
    """A number from JSON, which is a text for a number that is long or not finite."""
    try:
        return kind(0 if value is None else value)
    except (TypeError, ValueError, OverflowError):
        raise Unfit(f"{path}: no number") from None

"""Glue in Go between domain objects and a library whose native objects are structs with the same fields.

There is a function for each of ``build``, ``extract`` and ``sum`` and each pair of types that needs one:
``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.idl.lower import Lowered
from serbench.languages.go.domain import NAMING, SCALARS
from serbench.languages.go.functions import ROOTS, Functions, bare, value_at
from serbench.model import (
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bytes_,
)
from serbench.model.names import pascal

_IMPORTS = ("math", "cell/domain", "serbench")
"""What the functions may use, in the order of gofmt."""


def resolved(type: Type) -> Any:
    """What a type leads back to, or the type itself."""
    return type.target if isinstance(type, Ref) else type


class Messages:
    """The file ``glue.go``, and what a library's structs are. A library's own class says the latter.

    Attributes:
        numbers: name of a scalar in the type model → the type that a message has for it.
        by_pointer: whether fields, items and values of maps lead to structs, and do not hold them.
        package: what stands before the names of messages.
        imported: what the file imports for messages.
    """

    numbers: Mapping[str, str]
    by_pointer: bool
    package = ""
    imported: tuple[str, ...] = ()

    def __init__(self, types: Lowered, kinds: Mapping[str, type[Conversion]]):
        self.types = types
        self.schema = NAMING.spell(types.declared)
        self.natives = counterparts(self.schema, types.schema)
        self.domains = counterparts(types.schema, self.schema)
        self.out = Source("\t")
        self.wanted: dict[tuple[str, Type, Type], str] = {}
        self.conversions = {
            name: kind(self.schema, self.out, "domain.", self) for name, kind in kinds.items()
        }

    # What a library's structs are.

    def struct(self, low: Record | Union) -> str:
        """The name of the struct for a record or union."""
        raise NotImplementedError

    def part(self, low: Record | Union, name: str) -> str:
        """The name of a field or alternative in a struct."""
        raise NotImplementedError

    def enum(self, low: Enum) -> str:
        """The type of an enum in a message."""
        raise NotImplementedError

    def optional(self, item: Type) -> str:
        """The type of a field that may be absent."""
        raise NotImplementedError

    def map(self, low: Map) -> str:
        """The type of a map."""
        return f"map[{self.native(low.key)}]{self.native(low.value)}"

    def is_pointer(self, item: Type) -> bool:
        """Whether a field that may be absent leads to its value; else a slice or a map that is nil is
        absent."""
        raise NotImplementedError

    def more(self) -> None:
        """Writes what a library has besides."""

    # What they have in common.

    def native(self, low: Type) -> str:
        """The type of a value in a message."""
        match resolved(low):
            case Scalar(name):
                return self.numbers[name]
            case Enum() as enum:
                return self.enum(enum)
            case FixedBytes(length):
                return f"[{length}]byte"
            case List(item):
                return f"[]{self.native(item)}"
            case Map() as map:
                return self.map(map)
            case Optional(item):
                return self.optional(item)
            case (Record() | Union()) as low:
                return f"{'*' if self.by_pointer else ''}{self.message(low)}"
            case _:
                raise TypeError(low)

    def message(self, low: Type) -> str:
        """The struct of a record or union, as code names it."""
        low = resolved(low)
        assert isinstance(low, Record | Union)
        return f"{self.package}{self.struct(low)}"

    def call(self, kind: str, type: Type, low: Type) -> str:
        """The name of a function, which is written when those before it are."""
        key = (kind, type, low)
        if key not in self.wanted:
            assert isinstance(low, Record | Union)
            name = f"{kind}{pascal(self.struct(low))}"
            taken = [*ROOTS, *self.wanted.values()]
            self.wanted[key] = name if name not in taken else f"{name}{len(taken)}"
        return self.wanted[key]

    def text(self) -> str:
        """The file ``glue.go``."""
        root = self.schema.root
        low = self.types.record(self.natives[root.name].name)
        out = self.out
        out(
            f"type message = {self.message(low)}",
            "",
            "func buildRoot(to *message, value *domain.Root) {",
            f"\t{self.call('build', root, low)}(to, value)",
            "}",
            "",
            "func extractRoot(from *message, value *domain.Root, faults *serbench.Faults) {",
            f"\t{self.call('extract', root, low)}(from, value, faults)",
            "}",
            "",
            f"func sumRoot(from *message) uint64 {{ return {self.call('sum', root, low)}(from) }}",
        )
        written = 0
        while written < len(self.wanted):
            (kind, type, low_type), name = list(self.wanted.items())[written]
            self.conversions[kind].function(name, type, low_type)
            written += 1
        self._walk(low)
        self.more()
        body = out.text()
        head = Source("\t")
        head(
            f"// Generated by serbench from workload {self.schema.name}: domain objects and messages.",
            "",
            "package adapter",
            "",
        )
        used = [path for path in (*_IMPORTS, *self.imported) if re.search(rf"\b{_last(path)}\.", body)]
        with head.block("import (", ")"):
            head(*(f'"{path}"' for path in sorted(used)))
        return f"{head.text()}\n{body}"

    def _walk(self, low: Record) -> None:
        """``func walkRoot``, which for messages that are no graph is never called."""
        walk = self.types.schema.walk
        self.out("")
        if walk is None:
            self.out("func walkRoot(*message) uint64 { return 0 }")
            return
        node = _item_of(low, walk.nodes)
        edge = _item_of(node, walk.edges)
        nodes, edges, target = (
            self.part(each, name)
            for each, name in ((low, walk.nodes), (node, walk.edges), (edge, walk.target))
        )
        with (
            self.out.block("func walkRoot(from *message) uint64 {"),
            self.out.block(
                f"return serbench.DepthFirst(len(from.{nodes}), func(node int, reach func(int)) {{", "})"
            ),
            self.out.block(f"for edge := range from.{nodes}[node].{edges} {{"),
        ):
            self.out(f"reach(int(from.{nodes}[node].{edges}[edge].{target}))")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _item_of(record: Record, name: str) -> Record:
    """The record that a list has."""
    type = next(field.type for field in record.fields if field.name == name)
    assert isinstance(type, List) and isinstance(type.item, Record)
    return type.item


@dataclass
class Conversion(Functions):
    """What the functions of all kinds have in common."""

    glue: Any = None  # the Messages that want it

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        raise NotImplementedError

    def same(self, type: Type, low: Type) -> bool:
        """Whether a value is in a message as it is in the domain."""
        match resolved(type), resolved(low):
            case Scalar(name), Scalar():
                return bool(self.glue.numbers[name] == SCALARS[name])
            case List(Scalar("u8")), Scalar("bytes"):
                return True
            case List(item), List(lower):
                return self.same(item, lower)
            case Map(key, value), Map(low_key, low_value) as map:
                is_map = self.glue.map(map).startswith("map[")
                return is_map and self.same(key, low_key) and self.same(value, low_value)
            case FixedBytes(), FixedBytes():
                return True
            case _:
                return False

    def parts(self, type: Type, low: Record) -> list[tuple[Type, Field, str]]:
        """The fields of a message, each with the place of its value in the domain; of a made one, the value
        that it was made for is the only one."""
        made = self.glue.types.made.get(low.name)
        if made == "empty":
            return []
        if made is not None:
            return [(type, low.fields[0], "(*value)")]
        assert isinstance(type, Record)
        return [
            (each.type, lower, f"value.{each.name}")
            for each, lower in zip(type.fields, low.fields, strict=True)
        ]

    def argument(self, type: Type | None, low: Type) -> str:
        """What a function takes of the domain."""
        if type is None or self.glue.types.made.get(getattr(low, "name", "")) == "empty":
            return "_ *struct{}"
        return f"value *{self.held(type)}"

    def pointer(self, low: Type, native: str) -> str:
        """A pointer to the struct that is at a place in a message."""
        if self.glue.by_pointer:
            return native
        return native[2:-1] if native.startswith("(*") and native.endswith(")") else f"&{native}"

    def held_by(self, low: Type, native: str) -> str:
        """The place of the value of a field that may be absent and is not."""
        is_itself = self.glue.by_pointer and isinstance(resolved(low), Record | Union)
        return f"(*{bare(native)})" if self.glue.is_pointer(low) and not is_itself else native

    def held_in(self, place: str, type: Type) -> str:
        """The place of a field's value: what leads back is behind a pointer."""
        return value_at(place) if isinstance(type, Ref) and place.startswith("value.") else place

    def made(self, pointer: str, type: Type | None) -> None:
        """Sees to it that a pointer leads somewhere."""
        with self.out.block(f"if {bare(pointer)} == nil {{"):
            self.out(f"{bare(pointer)} = new({'struct{}' if type is None else self.held(type)})")

    def is_cast(self, name: str) -> bool:
        """Whether a message has a number in as many bits."""
        bits = [re.sub(r"\D", "", each) for each in (SCALARS[name], self.glue.numbers[name])]
        return bits[0] == bits[1]


def is_nilable(low: Type) -> bool:
    """Whether values are slices or maps."""
    return resolved(low) == bytes_ or isinstance(resolved(low), List | Map)

"""Generates code between domain objects and the messages that protoc-gen-go generates.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from serbench.codegen.words import words
from serbench.idl.lower import Lowered
from serbench.idl.nesting import deepest
from serbench.idl.oneofs import holder_of, placed_in
from serbench.idl.proto import lowered, oneof
from serbench.languages.go.conversion import Faults
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.structs import Structs
from serbench.model import Alternative, Enum, Record, Schema, Type, Union
from serbench.model.parts import resolved

from .conversions import Builds, Reads

_METHODS = words("Reset String ProtoMessage Marshal Unmarshal ExtensionRangeArray ExtensionMap Descriptor")
"""Names that protoc-gen-go gives no field of a message, since methods of messages have them."""

_LEAST_LIMIT = 10_000
"""The default of the library's limit on messages inside each other; ours is never lower."""


_WIDER = {"i8": "int32", "i16": "int32", "u8": "uint32", "u16": "uint32"}
"""The types of fields for numbers of widths that Protocol Buffers do not have."""


def go_camel(name: str) -> str:
    """Return a name in the spelling of protoc-gen-go: ``out_edges`` → ``OutEdges``; an underscore stays where
    no lower-case letter follows."""
    name = re.sub(r"_([a-z])", lambda m: m[1].upper(), name)
    return re.sub(r"(?<=\d)([a-z])", lambda m: m[1].upper(), name[:1].upper() + name[1:])


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(lowered(schema)).text()


@dataclass
class _Names:
    """The identifiers of the parts of a message in Go.

    Attributes:
        parts: name of a field or alternative in the IDL → its identifier.
        oneofs: name of a union → the identifier of its oneof.
    """

    parts: dict[str, str] = field(default_factory=dict)
    oneofs: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=lambda: set(_METHODS))

    def add(self, name: str) -> str:
        """Return an identifier for a part, which differs from those of other parts and of getters."""
        made = self._free(name)
        self._taken |= {made, f"Get{made}"}
        return made

    def _free(self, name: str) -> str:
        made = go_camel(name)
        while made in self._taken or f"Get{made}" in self._taken:
            made += "_"
        return made

    def add_union(self, union: Union, name: str) -> None:
        """Choose identifiers for a union's first alternative, then its oneof, then all other alternatives."""
        for number, each in enumerate(union.alternatives):
            self.parts[each.name] = self.add(each.name)
            if number == 0:
                self.oneofs[union.name] = self._free(name)
                self._taken.add(self.oneofs[union.name])


class _Glue(Structs):
    builds = Builds
    reads = Reads
    faults = Faults(type="*faults", add="add", check="check", fill="fill", narrow="narrow")
    imports = (
        {"math": '"math"'},
        {"domain": '"cell/domain"', "pb": '"cell/pb"', "serbench": '"serbench"'},
    )
    numbers = SCALARS | _WIDER
    by_pointer = True
    package = "pb."

    def __init__(self, types: Lowered):
        super().__init__(types)
        self.names = {each.name: self._names_of(each) for each in types.composites}

    def _names_of(self, low: Record | Union) -> _Names:
        names = _Names()
        if isinstance(low, Union):
            names.add_union(low, oneof(low, self.types.naming))
            return names
        for each in low.fields:
            if union := placed_in(each, self.types):
                names.add_union(union, each.name)
            else:
                names.parts[each.name] = names.add(each.name)
        return names

    def _names(self, low: Record | Union) -> _Names:
        return self.names[holder_of(low, self.types).name]

    def oneof_of(self, low: Union) -> str:
        """Return the name of the Go field that holds the oneof of a union."""
        return self._names(low).oneofs[low.name]

    def around(self, union: Union, low: Alternative) -> str:
        """Return the Go name of the struct that a oneof has around the value of an alternative."""
        return f"{self.holder(union)}_{self.part(union, low.name)}"

    def struct(self, low: Record | Union) -> str:
        return go_camel(low.name)

    def holder(self, low: Record | Union) -> str:
        return f"pb.{go_camel(holder_of(low, self.types).name)}"

    def part(self, low: Record | Union, name: str) -> str:
        return self._names(low).parts[name]

    def enum(self, low: Enum) -> str:
        return f"pb.{go_camel(low.name)}"

    def function_name(self, kind: str, low: Type) -> str:
        return f"{kind}{go_camel(resolved(low).name)}"

    def declare(self, low: Record) -> None:
        super().declare(low)
        self.out("", f"const recursionLimit = {max(_LEAST_LIMIT, deepest(self.types))}")

    def edge_of(self, edges: str) -> tuple[str, str]:
        return f"_, edge := range {edges}", "edge"

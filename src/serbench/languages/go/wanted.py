"""Functions between domain objects and a library's own, each of which is written where another one calls it:
for libraries that reach a message by accessors, so that there is no object to go through beside the domain's.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.idl.lower import Lowered
from serbench.languages.go.domain import NAMING
from serbench.languages.go.functions import ROOTS, Functions, bare, value_at
from serbench.model import Enum, Record, Ref, Scalar, Schema, Type, Union
from serbench.model.names import pascal


def resolved(type: Type) -> Any:
    """What a type leads back to, or the type itself."""
    return type.target if isinstance(type, Ref) else type


def is_number(low: Type) -> bool:
    """Whether a type is a number, a bool or an enum."""
    return isinstance(low, Enum) or (isinstance(low, Scalar) and bool(low.width))


@dataclass(frozen=True)
class Part:
    """A field, or an alternative.

    Attributes:
        place: of its value in the domain; what leads back is behind a pointer.
        name: of its accessor.
    """

    type: Type
    low: Type
    place: str
    name: str

    @property
    def held(self) -> str:
        """The place of the value itself."""
        return value_at(self.place) if isinstance(self.type, Ref) else self.place


@dataclass
class Conversion(Functions):
    """The functions of one kind.

    Attributes:
        glue: what wants them.
    """

    glue: Any = None

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        raise NotImplementedError

    def made(self, low: Type) -> str:
        """What a record was made for; empty for a declared one."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def present(self, pointer: str, type: Type | None) -> None:
        """Sees to it that a pointer leads somewhere."""
        with self.out.block(f"if {bare(pointer)} == nil {{"):
            self.out(f"{bare(pointer)} = new({'struct{}' if type is None else self.held(type)})")


class Wanted:
    """The functions of a workload.

    Args:
        types: the schema in the IDL's terms.
        kinds: what writes the functions of each kind.
    """

    def __init__(self, schema: Schema, types: Lowered, kinds: Mapping[str, type[Conversion]]):
        self.types = types
        self.schema = NAMING.spell(schema)
        self.natives = counterparts(self.schema, types.schema)
        self.out = Source("\t")
        self.wanted: dict[tuple[str, Type, Type], str] = {}
        self.conversions = {
            name: kind(self.schema, self.out, "domain.", self) for name, kind in kinds.items()
        }

    def call(self, kind: str, type: Type, low: Type) -> str:
        """The name of a function, which is written when those before it are."""
        key = (kind, type, low)
        if key not in self.wanted:
            assert isinstance(low, Record | Union)
            name = f"{kind}{pascal(low.name)}"
            taken = [*ROOTS, *self.wanted.values()]
            self.wanted[key] = name if name not in taken else f"{name}_{len(taken)}"
        return self.wanted[key]

    def write_functions(self) -> None:
        """Writes all that are called, and those that these call."""
        written = 0
        while written < len(self.wanted):
            (kind, type, low), name = list(self.wanted.items())[written]
            self.conversions[kind].function(name, type, low)
            written += 1

"""The names that flatc's code for Go has for the fields of tables and structs.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl import fbs_parts
from serbench.idl.fbs_go import go_camel
from serbench.idl.fbs_parts import Parts
from serbench.languages.go.conversion import GoConversion
from serbench.languages.go.functions import bare, held_at
from serbench.model import Enum, Record, Type


@dataclass(frozen=True)
class Part(fbs_parts.TablePart):
    """A field of a table."""

    @property
    def tag(self) -> str:
        """The accessor for the number of a union's alternative. flatc appends ``_type`` to the field's name,
        and leaves out underscores before another character."""
        return f"{self.name}{'type' if self.name.endswith('_') else 'Type'}"

    @property
    def value_place(self) -> str:
        """The Go expression for the value itself, also where the domain has a pointer to it."""
        return held_at(self.type, self.place)


@dataclass
class TableConversion(GoConversion, Parts[Part]):
    """Base of generators; each writes Go functions of one kind for tables and structs, such as ``build``."""

    part_class = Part

    def accessor(self, name: str) -> str:
        return go_camel(name)

    def values(self, type: Type, low: Record) -> list[tuple[Type, str]]:
        is_octets = self.made_for(low) == "fixed"
        return [(type, "value")] if is_octets else super().values(type, low)

    def argument_of(self, low: Type, place: str) -> str:
        return f"fbs.{low.name}({bare(place)})" if isinstance(low, Enum) else bare(place)

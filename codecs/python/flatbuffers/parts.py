"""The names that flatc's Python has for the fields of tables and structs, and code that all functions share.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.idl import fbs_parts
from serbench.idl.fbs_parts import Parts
from serbench.idl.fbs_py import camel
from serbench.languages.python.code import LocalNames, wrapped
from serbench.languages.python.domain import KEYWORDS
from serbench.model import Enum, Record, Type, Union

LOCALS = KEYWORDS | words(
    "to value view kind table key item total native copysign range len list bytes sorted dict bool"
)
"""Names that generated code uses or Python reserves; variables that are named after fields avoid them."""


def number_of(low: Type) -> Any:
    """Return the integer type beneath an enum; any other type of numbers as it is."""
    return low.underlying if isinstance(low, Enum) else low


@dataclass(frozen=True)
class Part(fbs_parts.TablePart):
    @property
    def octets(self) -> str:
        """The expression for the bytes of a vector."""
        return f"_octets(view._tab, {self.place_in_vtable})"

    @property
    def variable(self) -> str:
        """The name of a variable for the field."""
        return self.place.rpartition(".")[2]


@dataclass
class Conversion(Parts[Part]):
    """Base of generators; each writes functions of one kind, such as ``build``. The methods ``record``
    and ``union`` of a subclass write the function for a type.

    Attributes:
        glue: the generator of the whole module.
    """

    out: Source
    glue: Any
    part_class = Part
    spread = "*"
    _names: LocalNames = field(default_factory=lambda: LocalNames(LOCALS))

    def function(self, name: str, type: Type, low: Type) -> None:
        """Write the function ``name`` for a record or union."""
        self._names = LocalNames(LOCALS)
        self.out("", "")
        getattr(self, "union" if isinstance(low, Union) else "record")(name, type, low)

    def local(self, name: str) -> str:
        """Return the name of a variable that the function does not have yet."""
        return self._names.fresh(name)

    def line(self, head: str, items: Sequence[str], end: str) -> None:
        """Write a line, with its items in lines of their own where it is too long."""
        wrapped(self.out, head, items, end)

    def view_of(self, low: Record) -> None:
        """Write statements that make ``view``, of flatc's class for ``low``, from the generic ``table``."""
        self.out(f"view = {self.glue.of(low)}.{low.name}()", "view.Init(table.Bytes, table.Pos)")

    def accessor(self, name: str) -> str:
        return camel(name)

    def place(self, name: str) -> str:
        return f"value.{name}"

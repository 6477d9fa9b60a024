"""The fields of tables and structs, as flatc's Python names them.

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
from serbench.model import Enum, Record, Scalar, Type, Union

LOCALS = KEYWORDS | words(
    "to value view kind table key item total native copysign range len list bytes sorted dict bool"
)
"""Names that no variable has that is named after a field."""


def number_of(low: Type) -> Scalar:
    """The number that an enum is, or the number itself."""
    number = low.underlying if isinstance(low, Enum) else low
    assert isinstance(number, Scalar)
    return number


@dataclass(frozen=True)
class Part(fbs_parts.TablePart):
    @property
    def octets(self) -> str:
        """The bytes of a vector."""
        return f"_octets(view._tab, {self.place_in_vtable})"

    @property
    def variable(self) -> str:
        """The name of a variable for it."""
        return self.place.rpartition(".")[2]


@dataclass
class Conversion(Parts[Part]):
    """The functions of one kind.

    Attributes:
        glue: the module that calls them.
    """

    out: Source
    glue: Any
    part_class = Part
    spread = "*"
    _names: LocalNames = field(default_factory=lambda: LocalNames(LOCALS))

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        self._names = LocalNames(LOCALS)
        self.out("", "")
        if isinstance(low, Union):
            self.union(name, type, low)
        else:
            self.record(name, type, low)

    def union(self, name: str, type: Any, low: Union) -> None:
        raise NotImplementedError(f"{self.__class__.__name__} has no union")

    def record(self, name: str, type: Any, low: Any) -> None:
        raise NotImplementedError(f"{self.__class__.__name__} has no record")

    def local(self, name: str) -> str:
        """A variable that its function has not yet."""
        return self._names.fresh(name)

    def line(self, head: str, items: Sequence[str], end: str) -> None:
        """A line, with its items in lines of their own where it is too long."""
        wrapped(self.out, head, items, end)

    def view_of(self, low: Record) -> None:
        """The table of an alternative, which is at ``table``."""
        self.out(f"view = {self.glue.of(low)}.{low.name}()", "view.Init(table.Bytes, table.Pos)")

    def accessor(self, name: str) -> str:
        return camel(name)

    def place(self, name: str) -> str:
        return f"value.{name}"

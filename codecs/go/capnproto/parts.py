"""The names that capnpc-go has for the fields of structs.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from dataclasses import dataclass

from serbench.codegen.steps import is_number
from serbench.idl.capnp import all_members, field_name, is_group
from serbench.languages.go.conversion import GoConversion
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.functions import held_at
from serbench.model import Enum, Gone, List, Record, Scalar, Type, Union
from serbench.model.names import capitalised
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Part:
    """A field of a struct, or an alternative.

    Attributes:
        place: the Go expression for its value in the domain.
        name: the name of its accessor.
        group: the Go type of the group that stands for an optional number; empty for other fields.
        pointer: the index of its pointer among those of the struct.
    """

    type: Type
    low: Type
    place: str
    name: str
    group: str = ""
    pointer: int = 0

    @property
    def value_place(self) -> str:
        """The Go expression for the value itself, also where the domain has a pointer to it."""
        return held_at(self.type, self.place)


@dataclass
class PartConversion(GoConversion):
    """Base of generators; each writes Go functions of one kind for structs, such as ``build``."""

    def parts(self, type: Type, low: Record) -> list[Part]:
        """Return the fields of a struct in the order of their numbers."""
        known = {lower.name: each for lower, each in zip(low.fields, self.values(type, low), strict=True)}
        found, pointers = [], 0
        for field in all_members(low):
            if not isinstance(field, Gone):
                each, place = known[field.name]
                name = field_name(low, field)
                group = f"messages.{low.name}_{name}" if is_group(field.type) else ""
                found.append(Part(each, field.type, place, capitalised(name), group, pointers))
            pointers += not is_group(field.type) and not is_number(field.type)
        return found

    def list_type(self, item: Type, new: bool = False) -> str:
        """Return the Go type of a list of ``item`` or, if ``new``, the function that makes one."""
        item, verb = resolved(item), "New" if new else ""
        match item:
            case Record() | Union() | Enum():
                return f"messages.{verb}{item.name}_List"
            case List():
                return f"capnp.{verb}PointerList"
            case Scalar("bool"):
                return f"capnp.{verb}BitList"
            case Scalar("string"):
                return f"capnp.{verb}TextList"
            case Scalar("bytes"):
                return f"capnp.{verb}DataList"
            case Scalar(name):
                word = SCALARS[name].capitalize().replace("Uint", "UInt")
                return f"capnp.{verb}{word}List"
            case _:
                raise TypeError(item)

"""The fields of structs on both sides, and what the functions of all kinds have in common.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.capnp import field_name, is_group, members
from serbench.languages.go import wanted
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.wanted import is_number, resolved
from serbench.model import Enum, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.names import capitalised


@dataclass(frozen=True)
class Part(wanted.Part):
    """A field of a struct, or an alternative.

    Attributes:
        group: the type of the group that an optional number is; empty for others.
        pointer: the place of its pointer among those of the struct.
    """

    group: str = ""
    pointer: int = 0


@dataclass
class Conversion(wanted.Conversion):
    def parts(self, type: Type, low: Record) -> list[Part]:
        """The fields of a struct in the order of their numbers; of a made one, the value that it was made for
        is the only one, and of an entry, the key and the value are."""
        made = self.made(low)
        values: list[tuple[Type, str]]
        if made == "entry":
            assert isinstance(type, Map)
            values = [(type.key, "key"), (resolved(type.value), "(*value)")]
        elif made:
            values = [(resolved(type), "(*value)")]
        else:
            assert isinstance(type, Record)
            values = [(each.type, f"value.{each.name}") for each in type.fields]
        known = {lower.name: each for lower, each in zip(low.fields, values, strict=True)}
        found, pointers = [], 0
        for member in members(low):
            each, place = known[member.field.name]
            name = field_name(low, member.field)
            group = f"messages.{low.name}_{name}" if is_group(member.field.type) else ""
            found.append(Part(each, member.field.type, place, capitalised(name), group, pointers))
            pointers += not group and not is_number(member.field.type)
        return found

    def chosen(self, low: Union) -> list[str]:
        """The constants that say which alternative there is."""
        return [f"messages.{low.name}_Which_{each.name}" for each in low.alternatives]

    def list_type(self, item: Type, new: bool = False) -> str:
        """The type of a list, or the function that makes one."""
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

    def argument(self, type: Type, low: Type) -> str:
        """What a function takes of the domain."""
        if self.made(low) == "entry":
            assert isinstance(type, Map)
            return f"key {self.type_of(type.key)}, value *{self.held(type.value)}"
        is_unused = isinstance(low, Record) and not low.fields
        return f"{'_' if is_unused else 'value'} *{self.held(type)}"

    def item_of(self, part: Part) -> tuple[Type, Type]:
        """The types of what is optional."""
        assert isinstance(part.type, Optional)
        low = part.low.item if isinstance(part.low, Optional) else part.low
        return part.type.item, resolved(low)

"""Glue that adds up what a reader of Cap'n Proto gives."""

from __future__ import annotations

from serbench.codegen.steps import is_number
from serbench.idl.capnp import is_group
from serbench.languages.cpp.glue import describe_in_snake
from serbench.languages.cpp.views import FieldSlot, ViewGlue
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type
from serbench.model.parts import resolved


class Traversal(ViewGlue):
    """Statements that add the values of a message to the variable ``sum``."""

    def traverse(self, slot: FieldSlot) -> None:
        out, view = self.out, slot.view
        match slot.type:
            case Optional() if is_group(slot.native):
                with out.block(f"if (const auto found = {view}; found.isSome()) {{"):
                    found = self.to_domain(slot.type.item, slot.of_item("").native, "found.getSome()")
                    out(f"sum += 1 + checksum_of({found});")
            case Optional() if isinstance(slot.native, Record):
                out(f"sum += traverse_{describe_in_snake(slot.type)}({view});")
            case Optional():
                with out.block(f"if (view.has{slot.name}()) {{"):
                    out("sum += 1;")
                    self.traverse(slot.of_item(""))
            case List() | Array() | Map():
                with out.block("{"):
                    out(f"const auto items = {view};")
                    self.traverse_items(slot.type, slot.native, 1)
            case _ if is_number(slot.type):
                out(f"sum += checksum_of({self.to_domain(slot.type, slot.native, view)});")
            case _:
                if slot.is_pointer:
                    out(f"require(view.has{slot.name}());")
                out(f"sum += traverse({view});")

    def to_domain(self, type: Type, native: Type, found: str) -> str:
        """A number as the domain has it."""
        if isinstance(type, Enum):
            return f"{'to_domain' if isinstance(native, Enum) else 'number'}<domain::{type.name}>({found})"
        return found

    def traverse_items(self, type: Type, native: Type, depth: int) -> None:
        """Adds the list ``items`` of this depth to the sum."""
        out, items, each = self.out, numbered("items", depth), numbered("item", depth)
        if not isinstance(type, Array):
            out(f"sum += {items}.size();")
        loop = f"for (const auto {each} : {items})"
        if isinstance(type, Map):
            out(f"{loop} sum += traverse_{describe_in_snake(type)}({each});")
            return
        assert isinstance(type, List | Array)
        item = resolved(type.item)
        match item:
            case Enum():
                assert isinstance(native, List)
                out(f"{loop} sum += checksum_of({self.to_domain(item, native.item, each)});")
            case Scalar() if is_number(item):
                out(f"sum += traverse_numbers({items});")
            case List() | Array() | Map():
                assert isinstance(native, List)
                with out.block(f"{loop} {{"):
                    out(f"const auto {numbered('items', depth + 1)} = {each};")
                    self.traverse_items(item, native.item, depth + 1)
            case Optional():
                out(f"{loop} sum += traverse_{describe_in_snake(item)}({each});")
            case _:
                out(f"{loop} sum += traverse({each});")


def numbered(name: str, depth: int) -> str:
    """The name of a variable of a loop in ``depth - 1`` others."""
    return name if depth == 1 else f"{name}{depth}"

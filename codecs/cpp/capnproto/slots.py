"""Fields and alternatives on both sides: in the domain, and in Cap'n Proto's structs."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.model import Optional, Ref, Type
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Slot:
    """One field on both sides.

    Attributes:
        accessor: what follows get, set, init and has.
        type: in the type model.
        native: the lowered type.
        domain: the C++ expression of the domain value.
        is_pointer: whether that is a pointer to the value, since it leads back to what it is in; it is never
            null.
    """

    accessor: str
    type: Type
    native: Type
    domain: str
    is_pointer: bool = False

    @property
    def view(self) -> str:
        return f"view.get{self.accessor}()"

    def of_item(self, domain: str) -> Slot:
        """The same for the value of an optional."""
        assert isinstance(self.type, Optional) and isinstance(self.native, Optional)
        return Slot(self.accessor, resolved(self.type.item), resolved(self.native.item), domain)


def slot_of(accessor: str, type: Type, native: Type, domain: str) -> Slot:
    """The slot of a field or alternative."""
    return Slot(accessor, resolved(type), resolved(native), domain, isinstance(type, Ref))


def heads(name: str, domain: str, traverse: str) -> tuple[str, str, str]:
    """Of the functions for a struct."""
    native = f"capnp_types::{name}"
    return (
        f"inline void build(const {domain}& value, {native}::Builder native)",
        f"inline void extract({native}::Reader view, {domain}& value)",
        f"inline Checksum {traverse}({native}::Reader view)",
    )

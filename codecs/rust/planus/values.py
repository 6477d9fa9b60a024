"""Values in tables and structs: the arguments that planus makes them with, and expressions that read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.languages.rust import domain
from serbench.model import Array, List, Optional, Scalar, Type, u8
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Value:
    """A value in a record.

    Attributes:
        place: its place in the domain.
        type: its type in the domain; for an array in a struct, the type of its items.
        natives: expressions for it in planus's code; for an array in a struct, for each item.
    """

    place: str
    type: Type
    low: Type
    natives: Sequence[str]
    is_array: bool = False

    @property
    def reads(self) -> list[str]:
        return [each if _is_plain(self.low) else f"Read::read({each})?" for each in self.natives]

    @property
    def read(self) -> str:
        return f"[{', '.join(self.reads)}]" if self.is_array else self.reads[0]

    @property
    def sums(self) -> list[str]:
        held = domain.domain_type(self.type)
        return [f"<{held} as Read<_>>::sum({each})?" for each in self.natives]


def as_result(value: str) -> str:
    """An expression that gives a value, or an error."""
    is_call = value.startswith(("Read::", "<")) and value.endswith("?")
    return value.removesuffix("?") if is_call else f"Ok({value})"


def _is_plain(low: Type) -> bool:
    """Whether the domain has it as planus has: a number, or none."""
    low = low.item if isinstance(low, Optional) else low
    return isinstance(low, Scalar) and bool(low.width)


def items_of(type: Type, low: Type) -> tuple[Type, Type]:
    """The items of an array in a struct."""
    item = type.item if isinstance(type, Array) else u8
    return item, low.item if isinstance(low, List) else u8


def given_of(type: Type, low: Type, place: str, is_reference: bool) -> str:
    """The argument for a table where planus takes a value of the domain; else nothing."""
    if _is_plain(low):
        return f"*{place}" if is_reference else place
    type, low = resolved(type), resolved(low)
    held = type.item if isinstance(type, Optional) else type
    low_held = low.item if isinstance(low, Optional) else low
    item = low_held.item if isinstance(low_held, List) else low_held
    if not isinstance(item, Scalar):
        return ""
    # In an array, planus 1.3 aligns the count and not the items.
    if isinstance(low, Optional):
        slice = ".map(|items| items.as_slice())" if isinstance(held, Array) else ""
        return f"{place}.as_ref(){slice}"
    if isinstance(held, Array):
        return f"{place}.as_slice()"
    return place if is_reference else f"&{place}"

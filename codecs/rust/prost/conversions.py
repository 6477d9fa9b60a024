"""Rust expressions that convert a value of the domain to a message's and back, and sum it in a message.

``type`` is always what a value is in the domain, and ``low`` what it is in messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from serbench.idl.oneofs import is_in_place
from serbench.languages.rust import domain
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union
from serbench.model.parts import resolved

from .messages import HELD, Messages, is_message


@dataclass(frozen=True)
class Place:
    """A Rust expression for a value or, where ``is_reference``, for a reference to it."""

    text: str
    is_reference: bool = False

    @property
    def value(self) -> str:
        return f"*{self.text}" if self.is_reference else self.text

    @property
    def reference(self) -> str:
        return self.text if self.is_reference else f"&{self.text}"

    @property
    def unboxed(self) -> str:
        """The expression for a reference to the value in a ``Box``."""
        return f"&**{self.text}" if self.is_reference else f"&*{self.text}"


_ITEM, _KEY, VALUE = Place("item", True), Place("key", True), Place("value", True)


class Conversions:
    """Makes the Rust expressions that convert the values of a schema to messages and back.

    Args:
        takes: whether domain objects are made by taking messages apart, so that texts and lists are moved;
            else they are copied.
    """

    def __init__(self, messages: Messages, takes: bool = False):
        self.messages, self.takes = messages, takes
        self.saves = False
        """Whether some expression so far moves a text, bytes or a whole list instead of copying it."""
        self.method = "into_domain()" if takes else "extract()"
        """The call by which a message becomes a domain object."""
        self.items = "into_iter()" if takes else "iter()"

    def reached(self, name: str) -> Place:
        """The expression for a value that a closure or an arm of ``match`` extracts, by its name there."""
        return Place(name, not self.takes)

    def _kept(self, place: Place) -> str:
        """The expression for a value: moved out of a message that is given up, else a copy of it."""
        self.saves |= self.takes
        return place.text if self.takes else f"{place.text}.clone()"

    # --- what fields hold ---

    def build_field(self, holder: str, type: Type, low: Type, place: Place) -> str:
        match type, low:
            case _, Optional(Union() as union) if is_in_place(union, self.messages.types):
                return f"{place.text}.as_ref().map({self.messages.oneof_of(union)}::from)"
            case Optional(item), Optional(low_item):
                if _is_same(item, low_item):
                    return self._copied(item, place)
                built = self.build(item, low_item, _ITEM, isinstance(item, Ref))
                boxed = f"Box::new({built})" if self.messages.is_boxed(holder, low_item) else built
                return f"{place.text}.as_ref().map({_closure(boxed)})"
        built = self.build(type, low, place, isinstance(type, Ref))
        if not is_message(low):
            return built
        return f"Some(Box::new({built}))" if self.messages.is_boxed(holder, low) else f"Some({built})"

    def extract_field(self, type: Type, low: Type, place: Place) -> tuple[str, bool]:
        """The expression for the domain's value of a field, and whether it is a ``Result``."""
        there = place.text if self.takes else f"{place.text}.as_ref()"
        match type, low:
            case Optional(item), Optional(low_item):
                if _is_same(item, low_item):
                    return self._extracted(item, place), False
                text, fails = self.extract(item, low_item, self.reached("item"))
                if isinstance(item, Ref):
                    text = f"{text}.map(Box::new)"
                taken = f"{there}.map(|item| {text})"
                return (f"{taken}.transpose()", True) if fails else (taken, False)
        if not is_message(low):
            return self.extract(type, low, place)
        if self.takes:
            text, fails = self.extract(type, low, Place(f"{place.text}.unwrap_or_default()"))
        else:
            text, fails = self.extract(type, low, _ITEM)
            text = f"held({there}, |item| {text})"
        return (f"{text}.map(Box::new)" if isinstance(type, Ref) else text), fails

    def sum_field(self, type: Type, low: Type, place: Place) -> str:
        match type, low:
            case Optional(item), Optional(low_item):
                if _is_same(item, low_item):
                    return f"{place.text}.sum()"
                sum = self.sum(item, low_item, _ITEM)
                return f"{place.text}.as_ref().map_or(0, |item| {sum}.wrapping_add(1))"
        if not is_message(low):
            return self.sum(type, low, place)
        return f"held({place.text}.as_ref(), |item| {self.sum(type, low, _ITEM)})"

    # --- values ---

    def made(self, low: Type) -> Record | None:
        """The message ``low``, if lowering made it to hold a single value; else None."""
        return low if isinstance(low, Record) and low.name in self.messages.types.made else None

    def build(self, type: Type, low: Type, place: Place, is_boxed: bool = False) -> str:
        """The expression that converts the domain's value to a message's, in a ``Box`` if ``is_boxed``."""
        reference = place.unboxed if is_boxed else place.reference
        type, low = resolved(type), resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return f"{made.name} {{ {held.name}: {self.build_field(made.name, type, held.type, place)} }}"
        match type, low:
            case ((Record() | Union()), (Record(name) | Union(name))):
                return f"{name}::from({reference})"
            case Enum(), _:
                if not type.open:
                    return f"{place.value} as {_number(low)}"
                is_same = domain.SCALARS[type.underlying.name] == _number(low)
                return f"{place.text}.0" if is_same else f"{place.text}.0 as {_number(low)}"
            case ((FixedBytes() | Array()), Scalar("bytes")):
                return f"{place.text}.to_vec()"
            case List(), Scalar("bytes"):
                return f"{place.text}.clone()"
            case ((List(item) | Array(item, _)), List(low_item)):
                if _is_same(item, low_item):
                    return f"{place.text}.{'clone' if isinstance(type, List) else 'to_vec'}()"
                built = self.build(item, low_item, _ITEM, _is_behind(type))
                return f"{place.text}.iter().map({_closure(built)}).collect()"
            case Map(key, value), Map(low_key, low_value):
                if _is_same(key, low_key) and _is_same(value, low_value):
                    return f"{place.text}.clone()"
                pair = f"({self.build(key, low_key, _KEY)}, {self.build(value, low_value, VALUE)})"
                return f"{place.text}.iter().map(|(key, value)| {pair}).collect()"
            case Scalar(), Scalar(name) if _is_same(type, low):
                return self._copied(type, place)
            case Scalar(), Scalar(name):
                return f"{HELD[name]}::from({place.value})"
        raise TypeError(f"{type} is not expected as {low}")

    def extract(self, type: Type, low: Type, place: Place) -> tuple[str, bool]:
        """The expression for the domain's value outside its ``Box``, and whether it is a ``Result``."""
        type, low = resolved(type), resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return self.extract_field(type, held.type, Place(f"{place.text}.{held.name}"))
        match type, low:
            case ((Record() | Union()), _):
                return f"{place.text}.{self.method}", True
            case Enum(), _:
                return self._enum(type, low, place)
            case ((FixedBytes() | Array()), Scalar("bytes")):
                return f"bytes({place.reference})", True
            case List(), Scalar("bytes"):
                return self._kept(place), False
            case ((List(item) | Array(item, _)), List(low_item)):
                if _is_same(item, low_item):
                    if isinstance(type, List):
                        return self._kept(place), False
                    return f"array({place.text if self.takes else f'{place.text}.clone()'})", True
                text, fails = self.extract(item, low_item, self.reached("item"))
                text = f"{text}.map(Box::new)" if _is_behind(type) else text
                items = f"{place.text}.{self.items}.map(|item| {text})"
                is_list = isinstance(type, List)
                if not fails:
                    return f"{items}.collect()" if is_list else f"array({items}.collect())", not is_list
                items = f"all({place.text if self.takes else place.reference}, |item| {text})"
                return items if is_list else f"{items}.and_then(array)", True
            case Map(key, value), Map(low_key, low_value):
                if _is_same(key, low_key) and _is_same(value, low_value):
                    return self._kept(place), False
                both = [
                    self.extract(key, low_key, self.reached("key")),
                    self.extract(value, low_value, self.reached("value")),
                ]
                pair = f"({', '.join(text + ('?' if fails else '') for text, fails in both)})"
                if not any(fails for _, fails in both):
                    return f"{place.text}.{self.items}.map(|(key, value)| {pair}).collect()", False
                pairs = f"{place.text}.{self.items}.map(|(key, value)| Ok({pair}))"
                return f"{pairs}.collect::<serbench::Result<_>>()", True
            case Scalar(), Scalar() if _is_same(type, low):
                return self._extracted(type, place), False
            case Scalar(), Scalar():
                return f"narrow({place.value})", True
        raise TypeError(f"{type} is not expected as {low}")

    def _enum(self, enum: Enum, low: Type, place: Place) -> tuple[str, bool]:
        own = domain.SCALARS[enum.underlying.name]
        if not enum.open:
            return f"member::<{own}, _, _>({place.value})", True
        if own == _number(low):
            return f"domain::{enum.name}({place.value})", False
        return f"narrow({place.value}).map(domain::{enum.name})", True

    def sum(self, type: Type, low: Type, place: Place) -> str:
        type, low = resolved(type), resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return self.sum_field(type, held.type, Place(f"{place.text}.{held.name}"))
        # An array and bytes of a fixed length do not count their items.
        less = f".wrapping_sub({type.length})" if isinstance(type, Array | FixedBytes) else ""
        match type, low:
            case ((Record() | Union()), _):
                return f"{place.text}.traverse()"
            case ((List(item) | Array(item, _)), List(low_item)) if _is_walked(item, low_item):
                return f"items({place.reference}, |item| {self.sum(item, low_item, _ITEM)}){less}"
            case Map(_, value), Map(_, low_value) if _is_walked(value, low_value):
                return f"entries({place.reference}, |value| {self.sum(value, low_value, VALUE)})"
        return f"{place.text}.sum(){less}"

    def _extracted(self, type: Type, place: Place) -> str:
        """The expression for a value that has the same Rust type in the domain, read from a message."""
        if not self.takes:
            return self._copied(type, place)
        return self._kept(place) if isinstance(type, Scalar) and type.width == 0 else place.text

    def _copied(self, type: Type, place: Place) -> str:
        """The expression for a copy of a value that has the same Rust type in the domain and in messages."""
        return f"{place.text}.clone()" if isinstance(type, Scalar) and type.width == 0 else place.value


def _number(low: Type) -> str:
    """The Rust type of the number that messages have for an enum."""
    return HELD[low.name] if isinstance(low, Scalar) else "i32"


def _is_walked(type: Type, low: Type) -> bool:
    """Whether the values in a list or map need a closure that sums each."""
    return not isinstance(low, Scalar | Enum) or isinstance(type, FixedBytes | Array)


def _is_behind(type: List | Array) -> bool:
    """Whether each item is in a ``Box``, as the domain has it in arrays of a type that leads back."""
    return isinstance(type, Array) and isinstance(type.item, Ref)


def _is_same(type: Type, low: Type) -> bool:
    """Whether the domain and messages have the same Rust type for a value."""
    return (
        isinstance(type, Scalar) and isinstance(low, Scalar) and domain.SCALARS[type.name] == HELD[low.name]
    )


def _closure(text: str) -> str:
    """The closure over ``item`` with this body; if that only calls a function, the path of the function."""
    called = text.removesuffix("(item)")
    return called if called != text and re.fullmatch(r"[\w:]+", called) else f"|item| {text}"

"""Decides the types of plain values, and applies the user's settings."""

from __future__ import annotations

from serbench.imports.json.places import Location
from serbench.imports.json.plain import Simple, simple_type
from serbench.imports.json.settings import WantedValues
from serbench.imports.json.shape import Node, Text
from serbench.imports.json_schema import telling
from serbench.imports.json_schema.kinds import Numbers
from serbench.imports.json_schema.shapes import ValueShape
from serbench.model.types import SCALARS, Scalar, i64, u64


def alike(one: ValueShape, other: ValueShape) -> bool:
    """Whether both have the same plain kind."""
    no_enum = not (one.strings and one.strings.members)
    return one.kinds == other.kinds and one.null == other.null and no_enum


def narrowest(numbers: Numbers) -> Scalar | None:
    """The narrowest type for the integers between the bounds; if a bound is missing, one of 64 bits. None if
    no type is wide enough."""
    low, high = numbers.low, numbers.high
    if low is None or high is None:
        kinds = [u64] if low is not None and low >= 0 else [i64]
    else:
        kinds = [each for each in SCALARS.values() if each.is_integer and (low >= 0) != each.is_signed]
    low, high = low or 0, high or 0
    return next((each for each in kinds if each.bounds[0] <= low and high <= each.bounds[1]), None)


def _as_found(shape: ValueShape, wanted: WantedValues) -> Node:
    """The node that data of this shape would give when JSON is imported, so that a setting does the same for
    a JSON Schema."""
    node = Node()
    node.wanted, node.flag, node.null = wanted, shape.boolean, shape.null
    if shape.numbers:
        low, high = shape.numbers.low, shape.numbers.high
        node.low, node.high = low or 0, high or 0
        node.number = not shape.numbers.whole
    if shape.strings or (shape.anything and wanted.type not in SCALARS.values()):
        node.text = Text()
    if shape.items is not None:
        node.items = Node()
    if shape.objects:
        node.values = Node()
    return node


def check_suits(wanted: WantedValues, shape: ValueShape, place: Location) -> None:
    """Raises InputError if a setting does not fit the schema."""
    suits = {"list": "array", "map": "object", "record": "object", "enum": "string"}.get(wanted.kind)
    if not suits or (shape.anything and wanted.kind in ("list", "map")):
        return
    is_enum = shape.strings and shape.strings.members is not None and shape.kinds == ("string",)
    is_record = shape.objects and not shape.objects.is_map
    fits = {"enum": is_enum, "record": is_record}.get(wanted.kind, True)
    if suits not in shape.kinds or not fits:
        raise wanted.unsuitable(place.path, telling.theirs(shape))


def as_wanted(wanted: WantedValues, shape: ValueShape, place: Location) -> Simple:
    """The type that a setting asks for; raises InputError if the values cannot have it."""
    made = simple_type(_as_found(shape, wanted), place.shown)
    if made is None:
        raise wanted.unsuitable(place.path, telling.theirs(shape))
    return made

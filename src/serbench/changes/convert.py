"""Conversions between the values of two schemas, part by part.

A strict conversion raises ValueMismatch, with the path, where a value has no equal in the other type. A
lenient one has FREE there.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from serbench.changes.change import Convert
from serbench.changes.free import FREE, empty_of
from serbench.errors import SelectionError, ValueMismatch
from serbench.model import Array, Enum, List, Logical, Map, Optional, Record, Scalar, Union, bytes_, string
from serbench.model.parts import describe, resolved
from serbench.model.types import NOTHING

Source = tuple[str, ...] | None
"""The path of names by which a part is found in the other value: ``()`` is the whole value, None stands for a
part that the other value lacks."""

Match = Callable[[Any, Any], Sequence[Source]]
"""A function that gives, for two records or two unions, the source of each part of the second one."""


def by_name(others: dict[tuple[str, str], Source]) -> Match:
    """A match of parts by name; ``others`` has the sources of parts that the name does not tell, by the names
    of type and part."""

    def match(source: Any, target: Any) -> list[Source]:
        known = {part.name for part in source.parts}
        return [
            others.get((target.name, part.name), (part.name,) if part.name in known else None)
            for part in target.parts
        ]

    return match


def default_of(part: Any) -> Any:
    """The default of a field, or else the empty value of its type."""
    return empty_of(part.type) if part.default is NOTHING else part.default


class Converter:
    """Makes the conversions of values of one schema to those of another."""

    def __init__(
        self,
        match: Match,
        *,
        strict: bool,
        lacking: Callable[[Any], Any] = default_of,
        unreadable: list[str] | None = None,
    ):
        """
        Args:
            lacking: gives the value of a field that the other value lacks.
            unreadable: takes the reason, with the path, for each field whose type no value of the other one
                can have; FREE stands there. None to refuse such fields.
        """
        self._match = match
        self._strict = strict
        self._lacking = lacking
        self._unreadable = unreadable
        self._made: dict[tuple[str, str], Convert] = {}

    def of(self, source: Any, target: Any, path: str = "") -> Convert:
        """The conversion of a value of ``source`` to one of ``target``; raises SelectionError, with ``path``,
        where no value of one can be one of the other."""
        source, target = resolved(source), resolved(target)
        match source, target:
            case (Record(), Record()) | (Union(), Union()):
                return self._composite(source, target, path)
            case Optional(inner), Optional(item):
                convert = self.of(inner, item, path)
                return lambda value: None if value is None else convert(value)
            case List(inner), Optional(item) if not isinstance(resolved(item), List):
                return self._one_of_list(self.of(inner, item, path), lambda: None)
            case Optional(inner), List(item) if not isinstance(resolved(inner), List):
                convert = self.of(inner, item, path)
                return lambda value: [] if value is None else [convert(value)]
            case _, Optional(item):
                return self.of(source, item, path)
            case Optional(inner), _:
                convert = self.of(inner, target, path)
                return lambda value: self._absent(target) if value is None else convert(value)
            case List(inner) | Array(inner, _), List(item) | Array(item, _):
                return self._items(self.of(inner, item, path), target)
            case Map(key, inner), Map(other, item):
                return self._map(self.of(key, other, path), self.of(inner, item, path))
            case _, List(item):
                convert = self.of(source, item, path)
                return lambda value: [convert(value)]
            case List(inner), _:
                return self._one_of_list(self.of(inner, target, path), lambda: self._absent(target))
        return self._leaf(source, target, path)

    def _unfit(self, reason: str) -> Any:
        if self._strict:
            raise ValueMismatch(f": {reason}")
        return FREE

    def _absent(self, target: Any) -> Any:
        return self._unfit("the value is absent") if self._strict else empty_of(target)

    def _one_of_list(self, convert: Convert, none: Callable[[], Any]) -> Convert:
        def one(value: Any) -> Any:
            if len(value) > 1:
                return self._unfit(f"a list of {len(value)} items is not one value")
            return convert(value[0]) if value else none()

        return one

    def _items(self, convert: Convert, target: Any) -> Convert:
        def items(value: Any) -> Any:
            if isinstance(target, Array) and len(value) != target.length:
                return self._unfit(f"{len(value)} items are not {target.length}")
            return [_at(f"[{n}]", convert, each) for n, each in enumerate(value)]

        return items

    def _map(self, key: Convert, convert: Convert) -> Convert:
        def pairs(value: Any) -> Any:
            made = {key(name): _at("[]", convert, each) for name, each in value.items()}
            if FREE in made or len(made) != len(value):
                return self._unfit("keys of the map do not fit")
            return made

        return pairs

    def _composite(self, source: Any, target: Any, path: str) -> Convert:
        names = (source.name, target.name)
        if names not in self._made:
            self._made[names] = lambda value: made(value)
            make = self._record if isinstance(source, Record) else self._union
            made = make(source, target, path)
            self._made[names] = made
        return self._made[names]

    def _record(self, source: Any, target: Any, path: str) -> Convert:
        takes: list[tuple[str, Convert]] = []
        for part, found in zip(target.fields, self._match(source, target), strict=True):
            place = f"{path}.{part.name}" if path else part.name
            if found is None:
                takes.append((part.name, partial(_constant, self._lacking(part))))
            else:
                at, type = _found(source, found)
                takes.append((part.name, _chained(at, self._readable(type, part.type, place))))
        return lambda value: tuple(_at(f".{name}", take, value) for name, take in takes)

    def _readable(self, source: Any, target: Any, path: str) -> Convert:
        """The conversion of a field, or one to FREE where there is none and the reason is taken."""
        if self._unreadable is None:
            return self.of(source, target, path)
        known = dict(self._made)
        try:
            return self.of(source, target, path)
        except SelectionError as error:
            self._made = known  # without those that were begun
            self._unreadable.append(str(error))
            return partial(_constant, FREE)

    def _union(self, source: Any, target: Any, path: str) -> Convert:
        names = [each.name for each in source.alternatives]
        ways: dict[int, tuple[int, Convert]] = {}
        for n, (part, found) in enumerate(zip(target.alternatives, self._match(source, target), strict=True)):
            if found is None:
                continue
            index = names.index(found[0])
            held = source.alternatives[index].type
            if (held is None) != (part.type is None):
                raise SelectionError(f"{path}.{part.name}: an alternative with a value cannot be one without")
            place = f"{path}.{part.name}"
            ways[index] = (n, self.of(held, part.type, place) if held is not None else lambda value: None)

        def choose(value: Any) -> Any:
            if value[0] not in ways:
                return self._unfit(f"there is no alternative for {names[value[0]]}")
            n, convert = ways[value[0]]
            return (n, _at(f".{names[value[0]]}", convert, value[1]))

        return choose

    def _leaf(self, source: Any, target: Any, path: str) -> Convert:
        if source == target:
            return lambda value: value
        source, target = (each.base if isinstance(each, Logical) else each for each in (source, target))
        convert = None if source == target else _leaf_convert(source, target)
        if source != target and convert is None:
            raise SelectionError(f"{path}: {describe(source)} cannot be read as {describe(target)}")

        def checked(value: Any) -> Any:
            made = value if convert is None else convert(value)
            return self._unfit(f"the value does not fit {describe(target)}") if made is NOTHING else made

        return checked


def _at(step: str, convert: Convert, value: Any) -> Any:
    try:
        return convert(value)
    except ValueMismatch as error:
        raise ValueMismatch(f"{step}{error}") from error


def _constant(made: Any, value: Any) -> Any:
    return made


def _chained(first: Convert, second: Convert) -> Convert:
    return lambda value: second(first(value))


def _found(source: Any, path: tuple[str, ...]) -> tuple[Convert, Any]:
    """A function that takes the part at a path out of a value of a record, and the part's type."""
    indexes: list[int] = []
    type: Any = source
    for name in path:
        index = [part.name for part in type.fields].index(name)
        indexes.append(index)
        type = resolved(type.fields[index].type)

    def take(value: Any) -> Any:
        for index in indexes:
            value = value[index]
        return value

    return take, type


def _leaf_convert(source: Any, target: Any) -> Convert | None:
    """A conversion between two types without parts, which gives NOTHING for a value that does not fit; None
    if there is none."""
    match source, target:
        case (Enum(), Enum()) | (Enum(), Scalar()) | (Scalar(), Enum()):
            return _of_numbers(source, target)
        case Scalar(), Scalar() if {source, target} == {string, bytes_}:
            return _decoded if target == string else lambda value: value.encode()
        case Scalar(), Scalar() if source.is_integer and target.is_integer:
            low, high = target.bounds
            return lambda value: value if low <= value <= high else NOTHING
        case Scalar(), Scalar() if source.is_float and target.is_float:
            return lambda value: as_float(target, value)
        case Scalar(), Scalar() if target == string and _is_plain(source):
            return lambda value: str(value).lower() if source.name == "bool" else repr(value)
        case Scalar(), Scalar() if source == string and _is_plain(target):
            return lambda value: _parsed(target, value)
    return None


def _of_numbers(source: Any, target: Any) -> Convert | None:
    """The conversion from an enum or to one, by the numbers of members; None if the other type is neither an
    enum nor an integer."""
    if not all(isinstance(each, Enum) or each.is_integer for each in (source, target)):
        return None
    if isinstance(target, Enum) and not target.open:
        numbers = {number for _, number in target.members}
        return lambda value: value if value in numbers else NOTHING
    low, high = (target.underlying if isinstance(target, Enum) else target).bounds
    return lambda value: value if low <= value <= high else NOTHING


def _decoded(value: bytes) -> Any:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return NOTHING


def _is_plain(type: Scalar) -> bool:
    return type.is_integer or type.is_float or type.name == "bool"


def as_float(target: Scalar, value: float) -> Any:
    """A float as one of the type ``target``; NOTHING where that would be another value."""
    try:
        (made,) = struct.unpack(target.struct_format, struct.pack(target.struct_format, value))
    except OverflowError:
        return NOTHING
    return made if made == value or math.isnan(value) else NOTHING


def _parsed(target: Scalar, text: str) -> Any:
    if target.name == "bool":
        return {"true": True, "false": False}.get(text, NOTHING)
    if target.is_float:
        try:
            return as_float(target, float(text))
        except ValueError:
            return NOTHING
    if not re.fullmatch(r"-?[0-9]{1,20}", text):
        return NOTHING
    low, high = target.bounds
    return int(text) if low <= int(text) <= high else NOTHING

"""Makes the same values of messages as ``values.py``, but faster: msgspec reads them directly into classes
for the records.

Messages that msgspec or a conversion refuses are left to ``values.py``, which can say what is wrong with
them, if anything is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from itertools import count
from operator import or_
from typing import Annotated, Any, ForwardRef

import msgspec
from msgspec import Meta

from serbench.imports.json.making import BuiltTypes
from serbench.imports.json.skim import UUID_TEXT, Unsuitable, object_type
from serbench.imports.json.values import Converter, Converters, Unfit, enum, logical, map_key, scalar
from serbench.model.parts import parts
from serbench.model.types import (
    Enum,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bool_,
    f64,
    string,
)

_numbers = count()


REFUSALS = (msgspec.MsgspecError, Unfit, ValueError, RecursionError)


def quick_reader(built: BuiltTypes) -> tuple[Callable[[bytes], Any], Converter] | None:
    """Two functions: one reads the text of a message, and the other makes a value of the root from what that
    returns. Both raise one of ``REFUSALS`` for a message that is left to ``values.py``. None if msgspec
    cannot read a key."""
    types = _Types(built)
    message = built.root.fields[0].type if built.wrapped else Ref(built.root.name)
    try:
        kind = types.of(message)
    except Unsuitable:
        return None
    types.bind()
    decode = msgspec.json.Decoder(kind).decode
    convert = types.converter(message)
    if not built.wrapped:
        assert convert is not None  # a record always has one
        return decode, convert
    return decode, lambda value: (convert(value) if convert and value is not None else value,)


class _Types:
    """Makes the types that msgspec reads, and the functions that make values from what it has read."""

    def __init__(self, built: BuiltTypes) -> None:
        self._built = built
        self._free = _free(built.declared)
        self._made: dict[str, Any] = {}
        self._begun: dict[str, str] = {}
        self._forward: dict[str, str] = {}
        self._structs: list[Any] = []
        self._converters: dict[str, Converter | None] = {}

    def of(self, type: Type) -> Any:
        match type:
            case Scalar():
                return _scalar(type)
            case Logical(kind):
                return UUID_TEXT if kind == "uuid" else int | str if kind == "timestamp" else str
            case Optional(item):
                return self.of(item) | None
            case List(item):
                return list[self.of(item)]  # type: ignore[misc]
            case Map(_, value):
                return dict[str, self.of(value)]  # type: ignore[misc]
            case Ref(name) if name in self._free:
                return Any
            case Ref(name) if name in self._made:
                return self._made[name]
            case Ref(name) if name in self._begun:
                self._forward[self._begun[name]] = name
                return ForwardRef(self._begun[name])
            case Ref(name):
                self._begun[name] = f"R{next(_numbers)}"
                self._made[name] = self._declared(self._built.declared[name])
                return self._made[name]
        raise TypeError(f"{type!r} is not a type of JSON values")

    def _declared(self, type: Any) -> Any:
        if isinstance(type, Enum):
            return str
        if isinstance(type, Union):
            return reduce(or_, (self.of(each.type) for each in type.alternatives if each.type))
        absent = [(None,) if isinstance(field.type, Optional) else () for field in type.fields]
        kinds = [(self.of(field.type), *default) for field, default in zip(type.fields, absent, strict=True)]
        self._structs.append(object_type(self._built.keys[type.name], kinds))
        return self._structs[-1]

    def bind(self) -> None:
        """Lets classes find the classes that they refer to by name: msgspec looks for them among a class's
        own attributes."""
        for struct in self._structs:
            for called, name in self._forward.items():
                setattr(struct, called, self._made[name])

    def converter(self, type: Type) -> Converter | None:
        """The function that makes a value of ``type`` from what msgspec has read, which is not None; None if
        that already is the value."""
        match type:
            case Scalar("f32"):
                return scalar(type)
            case Logical(kind):
                return None if kind == "uuid" else logical(type)
            case Optional(item):
                return self.converter(item)
            case List(item):
                return _each(self.converter(item), isinstance(item, Optional))
            case Map(key, value):
                return _map(None if key == string else map_key(key), self.converter(value))
            case Ref(name):
                return self._named(name)
        return None

    def _named(self, name: str) -> Converter | None:
        if name in self._free:
            return Converters(self._built).of(Ref(name))
        if name not in self._converters:
            self._converters[name] = lambda value: self._converters[name](value)  # type: ignore[misc]
            self._converters[name] = self._of_declared(self._built.declared[name])
        return self._converters[name]

    def _of_declared(self, type: Any) -> Converter | None:
        match type:
            case Enum():
                return enum(type)
            case Record(_, fields):
                made = [(n, self.converter(field.type)) for n, field in enumerate(fields)]
                return _record([(n, convert) for n, convert in made if convert])
            case _:
                return self._union(type)

    def _union(self, union: Union) -> Converter:
        classes = {"string": str, "array": list, "integer": int}
        by_class: dict[Any, tuple[int, Converter | None]] = {}
        for n, (kind, each) in enumerate(zip(self._built.kinds[union.name], union.alternatives, strict=True)):
            assert each.type is not None
            if each.type in (bool_, f64):  # f64 stands for integers beyond 64 bits too
                found: Any = self.of(each.type)
            else:
                found = classes.get(kind) or (dict if isinstance(each.type, Map) else self.of(each.type))
            by_class[found] = n, self.converter(each.type)

        def convert(value: Any) -> tuple[int, Any]:
            index, convert_chosen = by_class[type(value)]
            return index, convert_chosen(value) if convert_chosen else value

        return convert


def _free(declared: Mapping[str, Any]) -> set[str]:
    """The names of unions that hold themselves, directly or in lists, maps and other unions, without a record
    in between; msgspec can refer only to records."""

    def unions_in(union: Union) -> set[str]:
        found, left = set[str](), [*parts(union)]
        while left:
            type = left.pop()
            if not isinstance(type, Ref):
                left += parts(type)
            elif type.name not in found and isinstance(declared[type.name], Union):
                found.add(type.name)
                left += parts(declared[type.name])
        return found

    unions = (type for type in declared.values() if isinstance(type, Union))
    return {union.name for union in unions if union.name in unions_in(union)}


def _scalar(type: Scalar) -> Any:
    if type == string:
        return str
    if type.name == "bool":
        return bool
    if type.is_float:
        return float
    low, high = type.bounds
    return Annotated[int, Meta(ge=low, le=min(high, (1 << 63) - 1))]


def _record(converters: list[tuple[int, Converter]]) -> Converter:
    as_tuple = msgspec.structs.astuple
    if not converters:
        return as_tuple

    def convert(value: Any) -> tuple[Any, ...]:
        made = list(as_tuple(value))
        for n, convert_field in converters:
            each = made[n]
            if each is not None:
                made[n] = convert_field(each)
        return tuple(made)

    return convert


def _each(convert: Converter | None, is_optional: bool) -> Converter | None:
    if convert is None:
        return None
    if is_optional:
        return lambda value: [None if each is None else convert(each) for each in value]
    return lambda value: list(map(convert, value))


def _map(convert_key: Converter | None, convert: Converter | None) -> Converter | None:
    if convert_key is None and convert is None:
        return None

    def convert_map(value: Any) -> dict[Any, Any]:
        return {
            convert_key(key) if convert_key else key: convert(each) if convert and each is not None else each
            for key, each in value.items()
        }

    return convert_map

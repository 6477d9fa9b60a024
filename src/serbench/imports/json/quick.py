"""Makes the same values of messages as ``values.py``, but faster: msgspec reads objects into classes that are
made for the records.

Messages that msgspec or a conversion refuses are left to ``values.py``, which accepts them all the same or
says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from itertools import count
from operator import or_
from typing import Annotated, Any, ForwardRef

import msgspec
from msgspec import Meta

from serbench.imports.json.making import JsonTypes
from serbench.imports.json.parsing import FAULTS
from serbench.imports.json.skim import UUID_TEXT, Unsuitable, object_type
from serbench.imports.json.values import Converter, Converters, Unfit, same
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

REFUSALS = (*FAULTS, Unfit)
"""The errors that leave a message to ``values.py``."""


def quick_reader(built: JsonTypes) -> tuple[Callable[[bytes], Any], Converter] | None:
    """Returns two functions: one reads the text of a message, and the other makes a value of the root type
    from the result. Both raise one of ``REFUSALS`` for a message that is left to ``values.py``. None if
    msgspec cannot read a key."""
    types = _Types(built)
    try:
        kind = types.of(built.root.fields[0].type if built.wrapped else Ref(built.root.name))
    except Unsuitable:
        return None
    types.bind()
    return msgspec.json.Decoder(kind).decode, _QuickConverters(built, types).of_messages()


class _Types:
    """Makes the Python types by which msgspec reads values.

    Attributes:
        free: names of the unions for which msgspec has no type, so that it reads any value there.
    """

    def __init__(self, built: JsonTypes) -> None:
        self._built = built
        self.free = _free(built.declared)
        self._made: dict[str, Any] = {}
        self._begun: dict[str, str] = {}
        self._forward: dict[str, str] = {}
        self._structs: list[Any] = []

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
            case Ref(name) if name in self.free:
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
        """Gives every class attributes for the classes to which others refer by name, since msgspec looks the
        names up there."""
        for struct in self._structs:
            for called, name in self._forward.items():
                setattr(struct, called, self._made[name])


class _QuickConverters(Converters):
    """Makes converters of values that msgspec has read, most of which stay as they are."""

    def __init__(self, built: JsonTypes, types: _Types) -> None:
        super().__init__(built)
        self._types = types

    def of(self, type: Type) -> Converter:
        match type:
            case Ref(name) if name in self._types.free:
                return Converters(self._built).of(type)
            case Logical("uuid"):
                return same
            case Scalar(name) if name != "f32":
                return same
        return super().of(type)

    def record(self, record: Record) -> Converter:
        made = [(n, self.of(field.type)) for n, field in enumerate(record.fields)]
        changed = [(n, convert) for n, convert in made if convert is not same]
        as_tuple = msgspec.structs.astuple
        if not changed:
            return as_tuple

        def convert_record(value: Any) -> tuple[Any, ...]:
            found = list(as_tuple(value))
            for n, convert in changed:
                found[n] = convert(found[n])
            return tuple(found)

        return convert_record

    def union(self, union: Union) -> Converter:
        classes = {"string": str, "array": list, "integer": int}
        by_class: dict[Any, tuple[int, Converter]] = {}
        for n, (kind, each) in enumerate(zip(self._built.kinds[union.name], union.alternatives, strict=True)):
            assert each.type is not None
            if each.type in (bool_, f64):  # f64 stands for integers beyond 64 bits too
                found: Any = self._types.of(each.type)
            else:
                found = classes.get(kind) or (
                    dict if isinstance(each.type, Map) else self._types.of(each.type)
                )
            by_class[found] = n, self.of(each.type)

        def convert_union(value: Any) -> tuple[int, Any]:
            index, convert = by_class[type(value)]
            return index, convert(value)

        return convert_union


def _free(declared: Mapping[str, Any]) -> set[str]:
    """Returns the names of unions that hold themselves, directly or in lists, maps and other unions, without
    a record in between: msgspec's types can refer to records alone."""

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

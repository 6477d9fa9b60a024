"""Finds every fault of a set of declarations at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from serbench.model import types
from serbench.model.names import IDENTIFIER
from serbench.model.parts import describe, parts

MAX_NUMBER = (1 << 29) - 1
"""The greatest number that a field or an alternative may have: no IDL allows a greater one."""

UNITS = ("s", "ms", "us", "ns")

_BASES = {
    "timestamp": ("i64", (types.i64,)),
    "date": ("i32", (types.i32,)),
    "time": ("an i32 or i64", (types.i32, types.i64)),
    "duration": ("i64", (types.i64,)),
    "decimal": ("an i32, i64, bytes or bytes of a fixed length", (types.i32, types.i64, types.bytes_)),
    "uuid": ("16 bytes or string", (types.FixedBytes(16), types.string)),
}
"""Kind of a logical type → the possible bases, in words too; a decimal can also have any ``FixedBytes``."""


def check_declarations(declared: Sequence[types.Composite | types.Enum]) -> list[str]:
    """The faults of declarations, each as text that begins with the declaration and the part that has it."""
    problems: list[str] = []
    names = Counter(t.name for t in declared)
    problems += [f"{name}: declared {n} times with different contents" for name, n in names.items() if n > 1]
    known = {t.name: t for t in declared}
    for type in declared:
        match type:
            case types.Enum():
                problems += _enum_problems(type)
            case types.Record() | types.Union():
                problems += _composite_problems(type, known)
    if not problems:
        problems += _endless(known)
    return list(dict.fromkeys(problems))


def _enum_problems(enum: types.Enum) -> Iterator[str]:
    where = f"enum {enum.name}"
    yield from _type_name_problems(where, enum.name)
    if not isinstance(enum.underlying, types.Scalar) or not enum.underlying.is_integer:
        yield f"{where}: underlying type is {describe(enum.underlying)}; expected an integer type such as u8"
        return
    if not enum.members:
        yield f"{where}: has no members; expected at least one"
    low, high = enum.underlying.bounds
    for name, value in (*enum.members, *enum.aliases):
        yield from _name_problems(f"{where}, member {name}", name)
        if not low <= value <= high:
            yield f"{where}, member {name}: {value} is not a {enum.underlying.name} ({low} to {high})"
    yield from _duplicates(where, "member", [n for n, _ in (*enum.members, *enum.aliases)])
    yield from _duplicates(where, "value", [v for _, v in enum.members])
    for name, value in enum.aliases:
        if value not in dict(enum.members).values():
            yield f"{where}, alias {name}: no member has the number {value}"
    yield from _wire_problems(where, [*(n for n, _ in (*enum.members, *enum.aliases))], dict(enum.wire))
    yield from _gone_problems(where, enum.gone, enum.members, enum.aliases)


def _composite_problems(composite: types.Composite, known: Mapping[str, Any]) -> Iterator[str]:
    kind, called, number = (
        ("record", "field", "field number")
        if isinstance(composite, types.Record)
        else ("union", "alternative", "number of an alternative")
    )
    where = f"{kind} {composite.name}"
    yield from _type_name_problems(where, composite.name)
    if isinstance(composite, types.Union) and not composite.alternatives:
        yield f"{where}: has no alternatives; expected at least one"
    for part in composite.parts:
        place = f"{where}, {called} {part.name}"
        yield from _name_problems(place, part.name)
        if not isinstance(part.number, int) or not 1 <= part.number <= MAX_NUMBER:
            yield f"{place}: number {part.number}; expected 1 to {MAX_NUMBER}"
        if part.type is not None or isinstance(part, types.Field):
            yield from _type_problems(place, part.type, known)
    names = [part.name for part in composite.parts]
    yield from _duplicates(where, called, names)
    yield from _duplicates(where, number, [part.number for part in composite.parts])
    yield from _wire_problems(where, names, {part.name: part.wire for part in composite.parts if part.wire})
    yield from _gone_problems(where, composite.gone, [(part.name, part.number) for part in composite.parts])


def _gone_problems(
    where: str, gone: Sequence[types.Gone], parts: Sequence[tuple[str, int]], others: Any = ()
) -> Iterator[str]:
    """The faults of the parts that a type had once: no part may have their names or numbers again.

    Args:
        parts: the names and numbers of the parts that it has.
        others: names, with numbers, that may share the numbers of ``parts``.
    """
    for name, number in (*parts, *others):
        for each in gone:
            if each.name == name:
                yield f"{where}: the name {name} was that of a part which is gone"
            if isinstance(number, int) and number in each.numbers:
                yield f"{where}, {name}: the number {number} was that of a part which is gone"
    end = None
    for each in sorted(
        (each for each in gone if each.number is not None), key=lambda each: each.numbers.start
    ):
        if not each.numbers or (end is not None and each.numbers.start < end):
            yield f"{where}: the gone number {each.number} is declared twice, or its range is empty"
        end = each.numbers.stop
    yield from _duplicates(where, "gone name", [each.name for each in gone if each.name])
    for each in gone:
        if each.name or each.number is None:
            yield from _name_problems(f"{where}, gone", each.name)
        if not isinstance(each.place, int) or each.place < 0:
            yield f"{where}, gone {each.name}: the place {each.place!r}; expected 0 or more"


def _type_problems(where: str, type: Any, known: Mapping[str, Any]) -> Iterator[str]:
    match type:
        case types.Ref(name) if name not in known:
            yield (
                f"{where}: unknown type '{name}'; expected a scalar, or a record, "
                "union or enum of this schema"
            )
        case types.Map(key, _) if not _can_be_key(known.get(key.name) if isinstance(key, types.Ref) else key):
            yield f"{where}: map key is {describe(key)}; expected an integer type, string, bool or an enum"
        case types.Optional(types.Optional()):
            yield f"{where}: optional of optional; one of them is enough"
        case types.Array(_, length) if not (isinstance(length, int) and length >= 1):
            yield f"{where}: array of {length} items; expected at least 1"
        case types.FixedBytes(length) if not (isinstance(length, int) and length >= 1):
            yield f"{where}: {length} bytes; expected at least 1"
        case types.Logical():
            yield from _logical_problems(where, type)
        case _ if not isinstance(type, types.Type):
            yield f"{where}: {type!r} is not a type of the type model"
    if isinstance(type, types.List | types.Array | types.Map | types.Optional):
        for part in parts(type):
            yield from _type_problems(where, part, known)


def _can_be_key(type: Any) -> bool:
    return isinstance(type, types.Enum) or (
        isinstance(type, types.Scalar) and (type.is_integer or type == types.string or type.name == "bool")
    )


def _logical_problems(where: str, type: types.Logical) -> Iterator[str]:
    if type.kind not in _BASES:
        yield f"{where}: logical type {type.kind!r}; expected one of {', '.join(_BASES)}"
        return
    words, bases = _BASES[type.kind]
    if type.base not in bases and not (type.kind == "decimal" and isinstance(type.base, types.FixedBytes)):
        yield f"{where}: {type.kind} over {describe(type.base)}; expected {words}"
    if type.kind in ("timestamp", "time", "duration") and type.unit not in UNITS:
        yield f"{where}: {type.kind} in {type.unit!r}; expected one of {', '.join(UNITS)}"
    if type.kind == "decimal" and not (
        isinstance(type.precision, int) and type.precision >= 1 and 0 <= type.scale <= type.precision
    ):
        yield f"{where}: decimal of {type.precision} digits, {type.scale} of them behind the point"


def _type_name_problems(where: str, name: Any) -> Iterator[str]:
    yield from _name_problems(where, name)
    if name in types.SCALARS:
        yield f"{where}: also the name of a scalar; expected another"


def _name_problems(where: str, name: Any) -> Iterator[str]:
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        yield f"{where}: {name!r} is not a name; expected ASCII letters, digits and single inner underscores"


def _wire_problems(where: str, names: Sequence[str], wire: Mapping[str, Any]) -> Iterator[str]:
    """The faults of written names (``wire``), by which formats that carry names tell parts apart."""
    known = set(names)
    for name, written in wire.items():
        if name not in known:
            yield f"{where}: there is no {name} to be written as {written!r}"
        if not isinstance(written, str) or not written:
            yield f"{where}, {name}: is written as {written!r}; expected a name"
    if wire:
        yield from _duplicates(where, "written name", [wire.get(name, name) for name in names])


def _duplicates(where: str, what: str, values: Sequence[Any]) -> Iterator[str]:
    for value, n in Counter(values).items():
        if n > 1:
            yield f"{where}: {what} {value} is declared {n} times"


def _endless(known: Mapping[str, types.Composite | types.Enum]) -> Iterator[str]:
    """A fault for each type whose values would all have to hold another value of the type, without end."""
    ending = {name for name, type in known.items() if isinstance(type, types.Enum)}

    def ends(type: Any) -> bool:
        match type:
            case types.List() | types.Map() | types.Optional():
                return True
            case types.Ref(name) | types.Record(name) | types.Union(name):
                return name in ending
            case _:
                return all(ends(part) for part in parts(type))

    def has_end(type: types.Composite | types.Enum) -> bool:
        if isinstance(type, types.Union):
            return any(a.type is None or ends(a.type) for a in type.alternatives)
        return all(ends(part) for part in parts(type))

    users: dict[str, list[str]] = {}
    for name, type in known.items():
        for held in _held_names(type):
            users.setdefault(held, []).append(name)
    left = list(known.keys() - ending)
    while left:
        if (name := left.pop()) not in ending and has_end(known[name]):
            ending.add(name)
            left += users.get(name, ())
    for name in sorted(known.keys() - ending):
        yield (
            f"{name}: every value of it would hold another one; expected a list, map, "
            "optional or union on the way back"
        )


def _held_names(type: types.Composite | types.Enum) -> Iterator[str]:
    """The names of the types in every value of ``type``: not those in lists, maps and optionals."""
    left = list(parts(type))
    while left:
        match part := left.pop():
            case types.Ref(name) | types.Record(name) | types.Union(name):
                yield name
            case types.Array():
                left += parts(part)

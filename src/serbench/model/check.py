"""Finds every fault of a set of declarations at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from serbench.model.names import IDENTIFIER
from serbench.model.types import SCALARS, Array, Enum, Field, List, Map, Optional, Record, Ref, Scalar, describe, parts, string

MAX_FIELD_NUMBER = 32767
"""Of the IDLs, the one with the fewest keeps field ids in 16 signed bits."""

RESERVED_NUMBERS = range(19000, 20000)
"""An IDL keeps these for itself."""


def check_declarations(declared: Sequence[Record | Enum]) -> list[str]:
    """Every fault, each beginning with the record and field it is in; empty where there is none."""
    problems: list[str] = []
    names = Counter(t.name for t in declared)
    problems += [f"{name}: declared {n} times with different contents" for name, n in names.items() if n > 1]
    known = set(names)
    for type in declared:
        problems += _enum_problems(type) if isinstance(type, Enum) else _record_problems(type, known)
    problems += _recursion_problems(declared)
    return list(dict.fromkeys(problems))


def _enum_problems(enum: Enum) -> Iterator[str]:
    where = f"enum {enum.name}"
    yield from _type_name_problems(where, enum.name)
    if not isinstance(enum.underlying, Scalar) or not enum.underlying.is_integer:
        yield f"{where}: underlying type is {describe(enum.underlying)}; expected an integer type such as u8"
        return
    if not enum.members:
        yield f"{where}: has no members; expected at least one"
    low, high = enum.underlying.bounds
    for name, value in enum.members:
        yield from _name_problems(f"{where}, member {name}", name)
        if not low <= value <= high:
            yield f"{where}, member {name}: {value} is not a {enum.underlying.name} ({low} to {high})"
        # Most IDLs have enums of at most 32 bits.
        elif not -(1 << 31) <= value < 1 << 31:
            yield f"{where}, member {name}: {value} does not fit the 32 signed bits that IDLs have for enums"
    yield from _duplicates(where, "member", [n for n, _ in enum.members])
    yield from _duplicates(where, "value", [v for _, v in enum.members])


def _record_problems(record: Record, known: set[str]) -> Iterator[str]:
    where = f"record {record.name}"
    yield from _type_name_problems(where, record.name)
    if not record.fields:
        yield f"{where}: has no fields; expected at least one"
    for field in record.fields:
        yield from _field_problems(f"{where}, field {field.name}", field, known)
    names = [f.name for f in record.fields]
    yield from _duplicates(where, "field", names)
    yield from _duplicates(where, "field number", [f.number for f in record.fields])


def _field_problems(where: str, field: Field, known: set[str]) -> Iterator[str]:
    yield from _name_problems(where, field.name)
    if not 1 <= field.number <= MAX_FIELD_NUMBER or field.number in RESERVED_NUMBERS:
        yield f"{where}: number {field.number}; expected 1 to {MAX_FIELD_NUMBER} without 19000 to 19999"
    yield from _type_problems(where, field.type, known)


def _type_problems(where: str, type: Any, known: set[str]) -> Iterator[str]:
    match type:
        case Ref(name) if name not in known:
            yield f"{where}: unknown type '{name}'; expected a scalar, or a record or enum of this schema"
        case Map(key, _) if not (isinstance(key, Scalar) and (key.is_integer or key == string)):
            yield f"{where}: map key is {describe(key)}; expected an integer type or string"
        case Optional(Optional()):
            yield f"{where}: optional of optional; one of them is enough"
        case Array(_, length) if not (isinstance(length, int) and length >= 1):
            yield f"{where}: array of {length} items; expected at least 1"
        case Scalar() | Enum() | Record() | Ref() | List() | Array() | Map() | Optional():
            pass
        case _:
            yield f"{where}: {type!r} is not a type of the type model"
    if isinstance(type, List | Array | Map | Optional):
        for part in parts(type):
            yield from _type_problems(where, part, known)


def _type_name_problems(where: str, name: Any) -> Iterator[str]:
    yield from _name_problems(where, name)
    if name in SCALARS:
        yield f"{where}: also the name of a scalar; expected another"


def _name_problems(where: str, name: Any) -> Iterator[str]:
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        yield f"{where}: {name!r} is not a name; expected ASCII letters, digits and single inner underscores"


def _duplicates(where: str, what: str, values: Sequence[Any]) -> Iterator[str]:
    for value, n in Counter(values).items():
        if n > 1:
            yield f"{where}: {what} {value} is declared {n} times"


def _recursion_problems(declared: Sequence[Record | Enum]) -> Iterator[str]:
    """One problem per field that leads back to its own record."""
    records = {t.name: t for t in declared if isinstance(t, Record)}

    def reached(type: Any) -> set[str]:
        """Names of the records directly inside a field's type."""
        if isinstance(type, Record | Ref):
            return {type.name}
        return (
            {name for part in parts(type) for name in reached(part)} if isinstance(type, List | Array | Map | Optional) else set()
        )

    def leads_to(start: str, goal: str, seen: set[str]) -> bool:
        if start == goal:
            return True
        if start in seen or start not in records:
            return False
        seen.add(start)
        return any(leads_to(name, goal, seen) for f in records[start].fields for name in reached(f.type))

    for record in records.values():
        for field in record.fields:
            if any(leads_to(name, record.name, set()) for name in reached(field.type)):
                yield f"record {record.name}, field {field.name}: leads back to {record.name}; recursion is not supported yet"

"""Writes schemas as Cap'n Proto schemas."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.codegen.words import MACROS, words
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.model import Enum, Field, Gone, Optional, Record, Ref, Scalar, Schema, Type, Union, u16
from serbench.model.gone import with_gone
from serbench.model.names import bare, camel, capitalised, pascal

NAMESPACE = "serbench::capnp_types"

SCALARS = {
    "bool": "Bool",
    "i8": "Int8",
    "i16": "Int16",
    "i32": "Int32",
    "i64": "Int64",
    "u8": "UInt8",
    "u16": "UInt16",
    "u32": "UInt32",
    "u64": "UInt64",
    "f32": "Float32",
    "f64": "Float64",
    "string": "Text",
    "bytes": "Data",
}

# An absent pointer is a null pointer.
_type = Notation("Cap'n Proto", SCALARS, list="List({})", optional="{}", back="{}")

_POINTER = Ref("AnyPointer")
"""Stands for a pointer to anything."""

ABILITIES = Abilities(
    nested_lists=True,
    optional_lists=True,
    byte_lists=True,
    wide_enums=True,  # enumerants are numbered by their order
    list_alternatives=True,
    empty_alternatives=1 << 16,
)
"""Cap'n Proto's abilities. A union of the schema becomes a struct with an unnamed union; if it has one
alternative alone, a struct with a field, since Cap'n Proto has no such unions."""

# Enumerants become upper case in C++. The headers that the generated code includes define these families of
# macros, which have upper-case names too.
_MACRO_FAMILIES = re.compile(
    r"""E[A-Z0-9]+ | SIG[A-Z0-9]+ | SNAN\w* | W[A-Z]+ED | WNO\w+ | STD(IN|OUT|ERR)
    | .* (MAX|MIN|WIDTH|MASK|DIG|EXP|INITIALIZER) | NULL | WEOF | NAN | INFINITY | MAXFLOAT | DOMAIN
    | OVERFLOW | UNDERFLOW | SING | PLOSS | TLOSS | BUFSIZ | NSIG | NZERO
    | NGREG | NFDBITS | CSIGNAL | MINSIGSTKSZ | UNIX | LINUX
    | (ADJ|AIO|ATOMIC|BC|BIG|BUS|BYTE|CAPNP|CHAR|CLD|CLOCKS?|CLONE|CLOSE|DBL|EXIT|EXPR|F|FD|FE|FLT|FP|FPE|HUGE
    |ILL|INT|IOV|ITIMER|KJ|L|LC|LDBL|LITTLE|LONG|M|MATH|MOD|NL|PDP|PIPE|POLL|PRI|PTHREAD|R|RE|REG|RENAME|SA
    |SCHED|SEEK|SEGV|SEM|SI|SIG|SIGEV|SS|STA|TIME|TIMER|TRAP|UINT|W|WORD|X)_.*""",
    re.VERBOSE,
)


def enumerant(name: str) -> str:
    return camel(name.lower() if name.isupper() else name)


def constant(name: str) -> str:
    """The name in generated C++ of an enumerant, or of the constant for a chosen alternative: ``aBC`` →
    ``A_B_C``."""
    return re.sub(r"(?<=.)(?=[A-Z])", "_", name).upper()


def _of_field(name: str) -> list[str]:
    """The names that generated code derives from a field's name: an optional number gets a class of that
    name. A name that is a macro of C++ also claims ``!``, which is reserved, so that no field gets it."""
    return [name, *(["!"] if MACROS.fullmatch(capitalised(name)) else [])]


def _of_enumerant(name: str) -> list[str]:
    """The names that generated code derives from an enumerant's name. If the name in upper case, as C++ has
    it, is a macro, ``!`` is among them, which is reserved, so that no enumerant gets the name."""
    upper = constant(name)
    return [name, f"~{bare(name)}", *(["!"] if _MACRO_FAMILIES.fullmatch(upper) else [])]


def _of_alternative(name: str) -> list[str]:
    """The names that generated code derives from an alternative's name: those of a field, and in upper case
    the constant for the chosen alternative."""
    return [*_of_field(name), *_of_enumerant(name)]


BUILT_IN = words(
    """AnyList AnyPointer AnyStruct Bool Capability Cxx Data Float32 Float64 Int16 Int32 Int64 Int8 List
    Object Text UInt16 UInt32 UInt64 UInt8 Void"""
)

_NESTED = words("Builder Pipeline Reader Which")
"""The classes that are nested in the C++ class of each struct."""

NAMING = Naming(
    types=Scope(style=pascal, reserved=BUILT_IN | _NESTED, pattern=MACROS, suffix="Type"),
    # Cap'n Proto allows its keywords as names. The C++ class of an optional number is nested in that of its
    # record, beside the classes with the reserved names.
    fields=Scope(
        style=camel,
        reserved=words("reader builder pipeline which !"),
        claims=_of_field,
        suffix="Value",
        prefix="value",
    ),
    alternatives=Scope(
        style=camel,
        reserved=words("reader builder pipeline which !"),
        claims=_of_alternative,
        suffix="Value",
        prefix="value",
    ),
    members=Scope(
        style=enumerant, reserved=frozenset("!"), claims=_of_enumerant, suffix="Value", prefix="value"
    ),
)
"""Makes names that Cap'n Proto, which allows no underscores, and the generated C++ can have."""


def is_alone(union: Union) -> bool:
    """Whether a union has and had one alternative alone."""
    return len(union.alternatives) == 1 and not any(each.is_known for each in union.gone)


def is_group(type: Type) -> bool:
    """Whether an optional becomes a group, a union of nothing and its value: numbers need one, since they
    cannot be null as pointers can."""
    return isinstance(type, Optional) and (
        isinstance(type.item, Enum) or (isinstance(type.item, Scalar) and type.item.width > 0)
    )


@dataclass(frozen=True)
class CapnpDialect:
    """The rules that schemas follow for one of Cap'n Proto's code generators.

    Attributes:
        naming: makes names that Cap'n Proto and the generated code can have.
        head: the lines that name the namespace or package of the generated code.
    """

    naming: Naming
    head: tuple[str, ...]


_CPP = CapnpDialect(NAMING, ('using Cxx = import "/capnp/c++.capnp";', f'$Cxx.namespace("{NAMESPACE}");'))


def lowered(schema: Schema, dialect: CapnpDialect = _CPP) -> Lowered:
    return lower(schema, ABILITIES, dialect.naming)


def members(record: Record) -> list[Field]:
    """The fields in the order of their numbers. They get ordinals in this order, a group gets two."""
    return sorted(record.fields, key=lambda field: field.number)


def all_members(composite: Record | Union) -> list[Any]:
    """The parts of a struct in the order of their numbers, among them those that are gone, each with a type
    that takes the same place."""
    is_union = isinstance(composite, Union)
    found = []
    for part in with_gone(composite.parts, composite.gone):
        if isinstance(part, Gone):
            in_struct = is_union and isinstance(part.type, Optional)
            part = replace(part, type=_POINTER if in_struct else _kept(part.type))
        found.append(part)
    return sorted(found, key=lambda part: part.number)


def enumerants(enum: Enum) -> list[tuple[str | Gone, int]]:
    """The name and the number of each enumerant in the order of the ordinals, from 0. A member that is gone
    keeps its ordinal; it stands in place of the name."""
    together = with_gone(enum.members, enum.gone)
    return [(each, each.number or 0) if isinstance(each, Gone) else each for each in together]


def ordinals(enum: Enum) -> dict[str, int]:
    """Name of each member → the ordinal of its enumerant."""
    found = enumerate(name for name, _ in enumerants(enum))
    return {name: ordinal for ordinal, name in found if isinstance(name, str)}


def obsolete(gone: Gone, others: Iterable[str]) -> str:
    """The name of a part that is gone, which no other part has."""
    name = f"obsolete{capitalised(gone.name)}"
    while name in others:
        name += "Value"
    return name


def field_name(record: Record, field: Field) -> str:
    """The name of a field in the schema; a group's class in C++ cannot have its record's name."""
    clashes = is_group(field.type) and pascal(field.name) == record.name
    return f"{field.name}Group" if clashes else field.name


def file_id(schema: Schema) -> int:
    """The file's 64-bit id; Cap'n Proto requires its top bit to be set."""
    digest = hashlib.sha256(f"serbench {schema.name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") | 1 << 63


def emit(schema: Schema, dialect: CapnpDialect = _CPP) -> str:
    """The text of the ``.capnp`` file."""
    out = Source()
    out(
        f"# Generated by serbench from workload {schema.name}.",
        *dialect.naming.told(schema, "#"),
        "",
        f"@0x{file_id(schema):016x};",
        "",
        *dialect.head,
    )
    types = lowered(schema, dialect)
    for enum in types.enums:
        out("")
        with out.block(f"enum {enum.name} {{"):
            for ordinal, (name, value) in enumerate(enumerants(enum)):
                written = obsolete(name, dict(enum.members)) if isinstance(name, Gone) else name
                out(f"{written} @{ordinal};" + (f"  # {value}" if value != ordinal else ""))
    for composite in types.composites:
        out("")
        if isinstance(composite, Union):
            _union(out, composite)
        else:
            _struct(out, composite)
    return out.text()


def _struct(out: Source, record: Record) -> None:
    with out.block(f"struct {record.name} {{"):
        ordinals, names = (
            count(),
            {camel(record.name), *(field_name(record, field) for field in record.fields)},
        )
        for field in all_members(record):
            type = field.type
            name = obsolete(field, names) if isinstance(field, Gone) else field_name(record, field)
            if isinstance(type, Optional) and is_group(type):
                with out.block(f"{name} :union {{"):
                    out(f"none @{next(ordinals)} :Void;", f"some @{next(ordinals)} :{_type(type.item)};")
            else:
                out(f"{name} @{next(ordinals)} :{_type(type)};")


def _union(out: Source, union: Union) -> None:
    names = {each.name for each in union.alternatives}
    with out.block(f"struct {union.name} {{"), nullcontext() if is_alone(union) else out.block("union {"):
        for ordinal, each in enumerate(all_members(union)):
            name = obsolete(each, names) if isinstance(each, Gone) else each.name
            out(f"{name} @{ordinal} :{'Void' if each.type is None else _type(each.type)};")


def _kept(type: Any) -> Any:
    """A type that has the same place in a struct as that of a part which is gone; for all but numbers and
    text, that is a pointer."""
    match type:
        case Optional(item) if is_group(type):
            return Optional(_kept(item))
        case Optional(item):
            return _kept(item)
        case Enum(_, underlying):
            return underlying if type.open else u16
        case Scalar() | None:
            return type
        case _:
            return _POINTER

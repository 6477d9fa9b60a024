"""Writes schemas as FlatBuffers schemas from which flatc generates TypeScript.

For each type, TypeScript has a module of its own, whose file is named after the type, and for each field
methods that begin with its name: no name has an underscore at either end, since flatc writes such names
otherwise in one method than in another.
"""

from __future__ import annotations

import re
from functools import partial

from serbench.codegen.naming import Naming, Scope, apart_by_case
from serbench.codegen.words import words
from serbench.idl import fbs
from serbench.idl.fbs import SCALARS, FbsDialect
from serbench.idl.fbs_names import WORDS
from serbench.model.names import pascal, snake

__all__ = ["SCALARS", "camel", "emit", "lowered"]

# flatc reads the words of schemas otherwise where a field could stand. Versions of it differ in which words
# of TypeScript they write with an underscore; parameters of generated functions are named like fields.
_WORDS = WORDS | words(
    """abstract any arguments as async await bigint boolean break builder case catch class const constructor
    continue data debugger declare default delete do else eval export extends false finally flatbuffers for
    from function get global if implements import in infer instanceof interface is keyof let module native
    never new null number object of package private protected public readonly require return set static super
    switch symbol this throw true try type typeof undefined unique unknown var void while with yield"""
)

_METHODS = words(
    "bb hasOwnProperty isPrototypeOf pack prototype then toJSON toString unpack unpackTo valueOf"
)
"""Members that generated classes have besides the ones made from fields."""

_GLOBALS = words(
    """Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean Buffer Date Error Float32Array
    Float64Array Function Infinity Int16Array Int32Array Int8Array JSON Map Math NaN Number Object Promise
    Proxy RegExp Set String Symbol Uint16Array Uint32Array Uint8Array Uint8ClampedArray"""
)
"""Names of TypeScript's own classes and constants, which generated code uses, or flatc changes in types."""

_OF_FIELDS = re.compile(r".+Vector")
"""Matches names that no type gets, since a type's functions may be called like those for a field's vector."""


def camel(name: str) -> str:
    """The name that flatc makes of a field's, which has no capitals: ``out_edges`` → ``outEdges``."""
    return re.sub(r"_(.)", lambda m: m[1].upper(), name)


def _of_field(name: str) -> list[str]:
    """The names of a field's methods, and those for the second field that a union has for its type."""
    method = camel(name)
    made = f"{method} {method}Array {method}Length {method}Type"
    return [name, *made.split()]


NAMING = Naming(
    types=Scope(pascal, _GLOBALS, _OF_FIELDS, apart_by_case, suffix="Type"),
    fields=Scope(style=snake, reserved=_WORDS | _METHODS, claims=_of_field, suffix="_field"),
    alternatives=Scope(style=pascal, reserved=_GLOBALS | {"NONE"}, suffix="Value"),
    members=Scope(style=lambda name: f"_{name}"),
    fields_apart=False,
)
"""Makes names that FlatBuffers and the generated TypeScript can have."""

TYPESCRIPT = FbsDialect(NAMING, "fbs", has_arrays=False, narrow_enums=True)

lowered = partial(fbs.lowered, dialect=TYPESCRIPT)
emit = partial(fbs.emit, dialect=TYPESCRIPT)

"""Writes schemas as FlatBuffers schemas from which flatc generates Python.

For each type, Python has a module of its own, whose file is named after the type, with functions whose names
begin with it, and for each field methods that begin with its name: no name has an underscore at either end,
since flatc writes such names otherwise in one method than in another.
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

# flatc reads the words of schemas otherwise where a field could stand; parameters of generated functions are
# named like fields.
_WORDS = WORDS | words(
    """and as assert async await break builder case class continue def del elif else except finally
    flatbuffers for from global if import in is lambda match nonlocal not np numElems or pass raise return
    self try type while with yield"""
)

_METHODS = words("False GetRootAs Init None Pack SizeOf True UnPack")
"""Names that no method of a field can have: other methods of generated classes, and words of Python."""

_TYPES = words("Any End False GetRootAs Init List None Optional Start True Union")
"""Names that no type gets, since each module defines or imports them besides its type."""

_OF_FIELDS = re.compile(r"(Add|Create|Start)[A-Z0-9].*")
"""Matches names that no type gets, since its module may have a function for a field with the same name."""


def camel(name: str) -> str:
    """The name that flatc makes of a field's, which has no capitals: ``out_edges`` → ``OutEdges``."""
    return re.sub(r"_(.)", lambda m: m[1].upper(), name[:1].upper() + name[1:])


def _of_field(name: str) -> list[str]:
    """The names of a field's methods, and those for the second field that a union has for its type."""
    method = camel(name)
    made = f"{method} {method}AsNumpy {method}IsNone {method}Length {method}Type"
    return [name, *made.split()]


NAMING = Naming(
    types=Scope(pascal, _TYPES, _OF_FIELDS, apart_by_case, suffix="Kind"),  # a union field x has AddXType()
    fields=Scope(style=snake, reserved=_WORDS | _METHODS, claims=_of_field, suffix="_field"),
    alternatives=Scope(pascal, words("False NONE None True"), suffix="Value"),
    members=Scope(style=lambda name: f"_{name}"),
    fields_apart=False,
)
"""Makes names that FlatBuffers and the generated Python can have."""

PYTHON = FbsDialect(NAMING, "fbs", has_arrays=False)

lowered = partial(fbs.lowered, dialect=PYTHON)
emit = partial(fbs.emit, dialect=PYTHON)

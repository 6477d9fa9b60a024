"""Writes schemas as FlatBuffers schemas from which flatc generates Go.

For each type, Go also has functions and constants in the same package, whose names begin with that of the
type: types are written without underscores, and members of enums begin with one, as in ``Color_red``.
"""

from __future__ import annotations

import re
from functools import partial

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import words
from serbench.idl import fbs
from serbench.idl.fbs import SCALARS, FbsDialect
from serbench.idl.fbs_names import WORDS
from serbench.model.names import pascal, snake

__all__ = ["SCALARS", "emit", "lowered"]

# flatc reads the words of schemas otherwise where a field could stand. The others are what parameters of
# generated functions would hide: these are named like fields.
_WORDS = WORDS | words("builder flatbuffers rcv numElems")

_METHODS = words(
    """Init KeyCompareLessThan KeyCompareWithValue Pack String Table UnPack UnPackTo UnPackToX _tab"""
)
"""Methods and fields that generated types have besides the ones made from fields."""

_OF_FIELDS = re.compile(r".+(Add|Start)[A-Z].*")
"""Matches names that no type gets, since they may be those of functions for a field of another type."""


def go_camel(name: str) -> str:
    """The name that flatc makes of a field's: ``out_edges`` → ``OutEdges``; an underscore at the end stays.
    Versions of flatc differ in how they treat capitals, so names of fields have none."""
    return re.sub(r"_(.)", lambda m: m[1].upper(), name[:1].upper() + name[1:])


def _of_type(name: str) -> list[str]:
    """The names that flatc declares for a type, and its file's, by which types differ by more than case."""
    made = (
        "{} {}End {}Start {}T {}KeyCompare Create{} EnumNames{} EnumValues{} Finish{}Buffer GetRootAs{} "
        "GetSizePrefixedRootAs{} FinishSizePrefixed{}Buffer {}NONE"
    )
    return [f"~{name.lower()}", *made.replace("{}", name).split()]


def _of_field(name: str) -> list[str]:
    """The names of a field's methods, and those for the second field that a union has for its type."""
    made = "{} {}Bytes {}ByKey {}Length Mutate{}".replace("{}", go_camel(name)).split()
    return [name, *made, go_camel(f"{name}_type")]


NAMING = Naming(
    types=Scope(style=pascal, pattern=_OF_FIELDS, claims=_of_type),
    fields=Scope(style=snake, reserved=_WORDS | _METHODS, claims=_of_field),
    alternatives=Scope(style=lambda name: f"_{name}"),
    members=Scope(style=lambda name: f"_{name}"),
    fields_apart=False,
)
"""Makes names that FlatBuffers and the generated Go can have."""

GO = FbsDialect(NAMING, "fbs", has_arrays=False)

lowered = partial(fbs.lowered, dialect=GO)
emit = partial(fbs.emit, dialect=GO)

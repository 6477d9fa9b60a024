"""Writes schemas as Thrift files with names for Thrift's generated Go."""

from __future__ import annotations

import re
from functools import partial

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import words
from serbench.idl import thrift
from serbench.idl.thrift import SCALARS, TELLS_NUMBERS_APART, WORDS
from serbench.model.names import pascal

__all__ = ["SCALARS", "TELLS_NUMBERS_APART", "emit", "lowered"]

_METHODS = words("Equals LogValue Read String Validate Write")
"""Methods that generated structs have besides the ones made from fields."""

_OF_PLACES = re.compile(r"(ReadField|writeField)\d+|CountSetFields.*", re.IGNORECASE)
"""Matches names that no field gets, since generated structs and unions have methods with such names."""


def go_name(name: str) -> str:
    """The name that the compiler makes with ``ignore_initialisms``: ``out_edges`` → ``OutEdges``. An
    underscore stays unless a small letter follows; one is added behind New…, …Args and …Result."""
    made = re.sub(r"_([a-z])", lambda m: m[1].upper(), name[:1].upper() + name[1:])
    return f"{made}_" if made.startswith("New") or made.endswith(("Args", "Result")) else made


def _of_type(name: str) -> list[str]:
    made = go_name(name)
    return [name, made, f"New{made}", f"{made}FromString", f"{made}Ptr"]


def _of_field(name: str) -> list[str]:
    made = go_name(name)
    return [name, made, f"Get{made}", f"IsSet{made}"]


NAMING = Naming(
    types=Scope(style=pascal, reserved=WORDS, claims=_of_type),
    fields=Scope(reserved=WORDS | _METHODS, pattern=_OF_PLACES, claims=_of_field),
    members=Scope(reserved=WORDS),
    fields_apart=False,
)
"""Makes names that Thrift and the generated Go can have. Types have no underscores, since the name of a
constant is that of a type, an underscore and more."""

lowered = partial(thrift.lowered, naming=NAMING)
emit = partial(thrift.emit, references=False, naming=NAMING)

"""Writes schemas as Cap'n Proto schemas from which capnpc-go generates Go."""

from __future__ import annotations

from functools import partial

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import words
from serbench.idl import capnp
from serbench.idl.capnp import BUILT_IN, SCALARS, CapnpDialect, enumerant
from serbench.model.names import camel, capitalised, pascal

__all__ = ["SCALARS", "emit", "lowered"]

_METHODS = words("DecodeFromPtr EncodeAsPtr Future IsValid Message Segment String Struct ToPtr Which")
"""Methods that generated types, or those of their futures, have besides the ones made from fields."""


def _of_type(name: str) -> list[str]:
    return "{} {}FromString New{} NewRoot{} ReadRoot{}".replace("{}", name).split()


def _of_field(name: str) -> list[str]:
    made = "{} {}Bytes Has{} New{} Set{}".replace("{}", capitalised(name)).split()
    return [name, *made]


NAMING = Naming(
    types=Scope(style=pascal, reserved=BUILT_IN, claims=_of_type, suffix="Type"),
    fields=Scope(style=camel, reserved=_METHODS, claims=_of_field, suffix="Value"),
    members=Scope(style=enumerant, suffix="Value"),
    fields_apart=False,
)
"""Makes names that Cap'n Proto, which allows no underscores, and the generated Go can have. In Go, names with
an underscore begin with that of a type."""

_GO = CapnpDialect(
    NAMING,
    (
        "# The annotations of capnpc-go, by their ids: so nobody needs the path of its file go.capnp.",
        "annotation goPackage @0xbea97f1023792be0 (file) :Text;",
        "annotation goImport @0xe130b601260e44b5 (file) :Text;",
        '$goPackage("messages");',
        '$goImport("cell/messages");',
    ),
)

lowered = partial(capnp.lowered, dialect=_GO)
emit = partial(capnp.emit, dialect=_GO)

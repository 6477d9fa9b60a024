"""Protocol Buffers as libraries for C have them: no maps, and bytes for strings, which may hold NUL."""

from __future__ import annotations

from dataclasses import replace

from serbench.codegen.naming import Scope
from serbench.codegen.words import CPP, MACROS, words
from serbench.idl import proto
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.idl.oneofs import oneofs_in_place
from serbench.languages.c.types import KEYWORDS
from serbench.model import Schema, bytes_, string
from serbench.model.names import bare, pascal

SYNTAX = {"proto": "proto3", "proto2": "proto2"}
"""The syntax for each IDL that ``[idl] language`` of a ``codec.toml`` can name."""

NAMING = replace(
    proto.NAMING,
    # Generated code joins the words of a type's name with underscores.
    types=Scope(style=pascal, claims=lambda name: (name, f"~{bare(name)}"), suffix="Type"),
    # Members are in lower case, each with has_x or n_x beside it.
    fields=Scope(
        style=str.lower,
        reserved=CPP | KEYWORDS | words("base"),
        pattern=MACROS,
        claims=lambda name: (name, f"has_{name}", f"n_{name}"),
        suffix="_value",
    ),
)


def lowered(schema: Schema) -> Lowered:
    """The schema as the IDL file has it. Maps are lists of entries, which have the same bytes; strings are
    bytes, since strings in generated C have no length."""
    with_bytes = schema.rewritten(lambda type: bytes_ if type == string else type)
    abilities = Abilities(
        entries_of_maps=True,
        byte_lists=True,
        reserved_numbers=proto.RESERVED_NUMBERS,
        in_place=oneofs_in_place,
    )
    return lower(with_bytes, abilities, NAMING)


def emit(schema: Schema, language: str) -> str:
    """The file ``<workload>.proto``."""
    return proto.text(lowered(schema), SYNTAX[language])

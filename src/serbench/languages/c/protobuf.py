"""Protocol Buffers as libraries for C have them: no maps, and strings that may hold NUL are bytes."""

from __future__ import annotations

from dataclasses import replace

from serbench.codegen.naming import Scope
from serbench.codegen.words import CPP, MACROS, words
from serbench.idl import proto
from serbench.idl.lower import Abilities, Lowered, lower
from serbench.languages.c.types import KEYWORDS
from serbench.model import Array, Field, List, Map, Optional, Record, Scalar, Schema, Type, bytes_, string
from serbench.model.names import bare, pascal

SYNTAX = {"proto": "proto3", "proto2": "proto2"}
"""Of the IDLs that ``[idl] language`` of a ``codec.toml`` can name."""

NAMING = replace(
    proto.NAMING,
    # The code that is generated joins their words with underscores.
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
    """The schema as the IDL file has it: maps as entries, whose bytes are those of maps, and bytes for strings, which have no
    length in generated C."""
    return lower(_with_bytes(schema), Abilities(byte_lists=True), NAMING)


def emit(schema: Schema, language: str) -> str:
    """The file ``<workload>.proto``."""
    return proto.text(lowered(schema), SYNTAX[language])


def _with_bytes(schema: Schema) -> Schema:
    """The schema with bytes in place of all strings, map keys included."""
    changed: dict[str, Record] = {}

    def of(type: Type) -> Type:
        match type:
            case Scalar() if type == string:
                return bytes_
            case List(item):
                return List(of(item))
            case Array(item, length):
                return Array(of(item), length)
            case Optional(item):
                return Optional(of(item))
            case Map(key, value):
                return Map(of(key), of(value))
            case Record(name):
                return changed[name]
            case _:
                return type

    for record in schema.records:
        changed[record.name] = Record(record.name, [Field(f.name, of(f.type), f.number) for f in record.fields])
    return Schema.made(schema.name, changed[schema.root.name], changed.values(), schema.enums, schema.walk)

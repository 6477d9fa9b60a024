"""Generates a table for Jackson: the fields of a workload's case classes with their types, of which class
files keep too little.

Scala erases the numbers in ``Vector[Int]`` or ``Option[Long]`` to objects, which Jackson would read as
whatever number fits. Its users put annotations on such fields; the domain types have none, and
the table takes their place.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.codegen.source import Source
from serbench.languages.jvm.collections import boxed
from serbench.languages.jvm.domain import (
    SCALARS,
    alternatives_of,
    domain_type,
    domain_types,
    glue_file,
    literal,
)
from serbench.languages.jvm.functions import domain_alternative
from serbench.model import Schema

_TYPE = replace(
    domain_type,
    scalars={name: boxed(scala) for name, scala in SCALARS.items()} | {"u64": "serbench.codec.Unsigned64"},
)


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala``."""
    out = glue_file(
        schema,
        "the case classes' fields",
        "import com.fasterxml.jackson.core.`type`.TypeReference",
        "import serbench.codec.DomainField",
        of="cells",
    )
    with out.block("object Glue {"), out.block("val fields: Seq[DomainField] = Seq(", ")"):
        for declared, record in zip(schema.records, domain_types(schema).records, strict=True):
            owner = domain_type(record)
            for own, field in zip(declared.fields, record.fields, strict=True):
                _field(out, f"classOf[{owner}]", field.name, own.wire_name, _TYPE(field.type))
        for union, alternatives in alternatives_of(schema):
            for each, name in alternatives:
                made = domain_alternative(union, each)
                if each.type is None:
                    _field(out, f"{made}.getClass", "", name, "Null")
                else:
                    _field(out, f"classOf[{made}]", "value", name, _TYPE(each.type))
    return out.text()


def _field(out: Source, owner: str, scala: str, name: str, type: str) -> None:
    """Write the line of a class's field ``scala``: its written name, or its alternative's, and its type."""
    out(f"DomainField({owner}, {literal(scala)}, {literal(name)}, new TypeReference[{type}] {{}}),")

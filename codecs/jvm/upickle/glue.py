"""Generates upickle's picklers for a workload, which derive a reader and writer for each record.

A program has readers and writers as ``implicit val`` in the companions of its case classes; here they are in
one object per format.
"""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import (
    alternatives_of,
    before_colon,
    domain_type,
    domain_types,
    glue_file,
    literal,
    renamed_fields,
    written_names,
)
from serbench.languages.jvm.functions import domain_alternative
from serbench.model import Alternative, Schema, Union


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema, or None: a pickler renames fields alike in all classes, so
    two fields that are written with one name cannot have different names in Scala."""
    names = list(written_names(schema).values())
    for name in names:
        if names.count(name) > 1:
            return (
                "a pickler has one name in Scala for each that is written, whatever class it is in, "
                f"and '{name}' is that of two"
            )
    return None


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala``."""
    types, out = domain_types(schema), glue_file(schema, "what upickle derives", of="cells")
    with out.block("object Glue {"):
        out(
            "/** The names of the case classes' fields that are not the type model's, "
            "and those of the type model. */"
        )
        if renamed := renamed_fields(schema):
            with out.block("private val renamed = Map(", ")"):
                out(*(f"{scala} -> {written}," for scala, written in renamed.items()))
        else:
            out("private val renamed = Map.empty[String, String]")
        for pickler in ("Json", "MessagePack"):
            out("")
            with out.block(f"object {pickler} extends serbench.codec.Upickle{pickler}(renamed) {{"):
                for enum in types.enums:
                    type = domain_type(enum)
                    function = "openEnumeration" if enum.open and pickler == "Json" else "enumeration"
                    out(
                        f"implicit val {before_colon(f'enum{enum.name}')}: ReadWriter[{type}] = "
                        f"{function}({type})"
                    )
                for record in types.records:
                    type = domain_type(record)
                    out(f"implicit val {before_colon(f'record{record.name}')}: ReadWriter[{type}] = macroRW")
                for union, alternatives in alternatives_of(schema):
                    _union(out, union, alternatives)
    return out.text()


def _union(out: Source, union: Union, alternatives: list[tuple[Alternative, str]]) -> None:
    """Write the reader and writer of a union."""
    type = domain_type(union)
    out(f"implicit val {before_colon(f'union{union.name}')}: ReadWriter[{type}] = union[{type}](")
    with out.indented():
        for each, name in alternatives:
            made = domain_alternative(union, each)
            if each.type is None:
                out(f"empty({literal(name)}, {made}),")
            else:
                types = f"{type}, {domain_type(each.type)}"
                out(f"holding[{types}]({literal(name)}, {made}(_), _.asInstanceOf[{made}].value),")
    with out.block(") {", "}"):
        for n, (each, _) in enumerate(alternatives):
            out(f"case _: {domain_alternative(union, each)}{'.type' if each.type is None else ''} => {n}")

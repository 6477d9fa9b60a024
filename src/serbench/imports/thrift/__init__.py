"""Imports Thrift's schemas (``.thrift``), by the compiler thrift."""

from __future__ import annotations

from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.beginnings import statement
from serbench.imports.declaring import only_schema
from serbench.imports.roots import chosen
from serbench.imports.thrift.compiler import THRIFT, ThriftProgram, compiled
from serbench.imports.thrift.mapping import TypeMapping, referred


def read(request: Request) -> Imported:
    """Imports a schema, as ``Format.read`` does; raises SetupError if thrift is not installed. Data are
    refused, since no tool of Thrift writes them as text."""
    file = only_schema(request, "Thrift", THRIFT.syntax)
    return mapped(compiled(file, request.folders), request.root, file)


def mapped(schema: ThriftProgram, root: str, file: Path) -> Imported:
    """The types that a root struct reaches, in the type model; raises InputError."""
    structs = [
        name for name in schema.given if schema.structs[name].fields and not schema.structs[name].is_union
    ]
    name = chosen(structs, set(referred(schema)), root, file, "struct")
    return TypeMapping(schema, name, file).imported(name)


FORMAT = Format(
    name="thrift",
    title="Thrift",
    suffixes=(".thrift",),
    read=read,
    beginning=statement(rb"namespace\s+(\*|[a-z][\w.]*)\s+[\w.]+\s", "begins with a namespace of Thrift"),
)

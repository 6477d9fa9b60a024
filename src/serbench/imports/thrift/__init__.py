"""Thrift: schemas (``.thrift``), read by the thrift compiler."""

from __future__ import annotations

from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.beginnings import statement
from serbench.imports.declaring import only_schema
from serbench.imports.roots import chosen
from serbench.imports.thrift.compiler import ThriftProgram, compiled
from serbench.imports.thrift.mapping import TypeMapping, referred


def read(request: Request) -> Imported:
    """The schema of a request. Data are not read, since no tool of Thrift writes them as text.

    Raises:
        InputError: thrift refuses the schema, there is no such root, the type model cannot express it, or
            data are given.
        SetupError: thrift is not installed.
    """
    file = only_schema(request, "Thrift")
    return mapped(compiled(file, request.folders), request.root, file)


def mapped(schema: ThriftProgram, root: str, file: Path) -> Imported:
    """The types of a schema in the type model; raises InputError."""
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

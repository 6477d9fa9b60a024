"""Imports FlatBuffers: schemas (``.fbs``), by flatc, and data."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.declaring import only_schema
from serbench.imports.fbs.compiler import FLATC, Reflected, compiled
from serbench.imports.fbs.data import FRAMINGS, values_of
from serbench.imports.fbs.mapping import TypeMapping, referred
from serbench.imports.framing import with_data
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """Imports a schema and data, as ``Format.read`` does; raises SetupError if flatc is not installed."""
    file = only_schema(request, "FlatBuffers", FLATC.syntax, has_data=True)
    schema = compiled(file, request.folders)
    root = root_of(schema, request.root, file)
    values = partial(values_of, request.data, schema, root)
    newer = "they are not looked for"
    return with_data(mapped(schema, root, file), request, FRAMINGS, values, root, newer)


def root_of(schema: Reflected, wanted: str, file: Path) -> str:
    """The name of the root table; raises InputError if there is none, or more than one."""
    tables = [
        each.name
        for each in schema.objects
        if not each.is_struct and any(not f.is_deprecated for f in each.fields)
    ]
    declared = schema.root.name if schema.root and schema.root.name in tables else ""
    return chosen(tables, set(referred(schema)), wanted or declared, file, "table")


def mapped(schema: Reflected, root: str, file: Path) -> Imported:
    """The types that a root table reaches, in the type model; raises InputError."""
    return TypeMapping(schema, root, file).imported(root)


FORMAT = Format(name="fbs", title="FlatBuffers", suffixes=(".fbs",), read=read, framings=FRAMINGS)

"""FlatBuffers: schemas (``.fbs``), read by flatc, and data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from serbench.imports.base import Format, Imported, Loss, Request
from serbench.imports.declaring import only_schema
from serbench.imports.fbs.compiler import Reflected, compiled
from serbench.imports.fbs.data import FRAMINGS, values_of
from serbench.imports.fbs.mapping import TypeMapping, referred
from serbench.imports.framing import with_data
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """The schema and data of a request.

    Raises:
        InputError: flatc refuses the schema, there is no such root, the type model cannot express it, or data
            do not fit it.
        SetupError: flatc is not installed.
    """
    file = only_schema(request, "FlatBuffers", has_data=True)
    schema = compiled(file, request.folders)
    root = root_of(schema, request.root, file)
    imported = mapped(schema, root, file)
    if not request.data:
        return imported
    newer = Loss(root, "fields of a newer schema in the data, if any: they are not looked for")
    imported = replace(imported, losses=[*imported.losses, newer])
    values = partial(values_of, request.data, schema, root)
    return with_data(imported, request, FRAMINGS, values, root)


def root_of(schema: Reflected, wanted: str, file: Path) -> str:
    """The table of a message; raises InputError if there is none, or more than one."""
    tables = [
        each.name
        for each in schema.objects
        if not each.is_struct and any(not f.is_deprecated for f in each.fields)
    ]
    declared = schema.root.name if schema.root and schema.root.name in tables else ""
    return chosen(tables, set(referred(schema)), wanted or declared, file, "table")


def mapped(schema: Reflected, root: str, file: Path) -> Imported:
    """The types of a schema in the type model; raises InputError."""
    return TypeMapping(schema, root, file).imported_whole()


FORMAT = Format(name="fbs", title="FlatBuffers", suffixes=(".fbs",), read=read, framings=FRAMINGS)

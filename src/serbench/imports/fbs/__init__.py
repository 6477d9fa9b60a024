"""FlatBuffers: schemas (``.fbs``), which flatc reads."""

from __future__ import annotations

from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.declaring import only_schema
from serbench.imports.fbs.compiler import Reflected, compiled
from serbench.imports.fbs.mapping import TypeMapping, referred
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """The schema of a request.

    Raises:
        InputError: flatc refuses it, there is no such root, the type model cannot have it, or data are asked for.
        SetupError: there is no flatc.
    """
    file = only_schema(request, "FlatBuffers")
    return mapped(compiled(file, request.folders), request.root, file)


def mapped(schema: Reflected, root: str, file: Path) -> Imported:
    """What a schema declares, in the type model; raises InputError."""
    tables = [each.name for each in schema.objects if not each.is_struct and any(not f.is_deprecated for f in each.fields)]
    wanted = root or (schema.root if schema.root in tables else "")
    return TypeMapping(schema, chosen(tables, set(referred(schema)), wanted, file, "table"), file).imported_whole()


FORMAT = Format(name="fbs", title="FlatBuffers", suffixes=(".fbs",), read=read)

"""Cap'n Proto: schemas (``.capnp``), which capnp reads."""

from __future__ import annotations

from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.capnp.compiler import Nodes, compiled
from serbench.imports.capnp.mapping import TypeMapping, referred
from serbench.imports.declaring import only_schema
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """The schema of a request.

    Raises:
        InputError: capnp refuses it, there is no such root, the type model cannot have it, or data are asked for.
        SetupError: there is no capnp.
    """
    file = only_schema(request, "Cap'n Proto")
    return mapped(compiled(file, request.folders), request.root, file)


def mapped(schema: Nodes, root: str, file: Path) -> Imported:
    """What a schema declares, in the type model; raises InputError."""
    inner = set(referred(schema))
    given = [schema.by_id[id] for id in schema.given]
    structs = {node.name: node for node in given if node.kind == "struct" and node.fields and not node.is_generic}
    taken = {node.name for node in structs.values() if node.id in inner}
    name = chosen(list(structs), taken, root, file, "struct")
    return TypeMapping(schema, structs[name], file).imported(name)


FORMAT = Format(name="capnp", title="Cap'n Proto", suffixes=(".capnp",), read=read)

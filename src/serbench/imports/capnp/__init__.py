"""Cap'n Proto: schemas (``.capnp``) and data, read by the capnp tool."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from serbench.imports.base import Format, Imported, Loss, Request
from serbench.imports.beginnings import statement
from serbench.imports.capnp.compiler import CapnpNode, Nodes, compiled
from serbench.imports.capnp.data import FRAMINGS, check, values_of
from serbench.imports.capnp.mapping import TypeMapping, referred
from serbench.imports.declaring import only_schema
from serbench.imports.framing import with_data
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """The schema and data of a request.

    Raises:
        InputError: capnp refuses the schema, there is no such root, the type model cannot express it, or data
            do not fit it.
        SetupError: capnp is not installed.
    """
    file = only_schema(request, "Cap'n Proto", has_data=True)
    schema = compiled(file, request.folders)
    root = root_of(schema, request.root, file)
    imported = mapped(schema, root, file)
    if not request.data:
        return imported
    check(request.data, schema)
    newer = Loss(root.name, "fields of a newer schema in the data, if any: capnp does not report them")
    imported = replace(imported, losses=[*imported.losses, newer])
    values = partial(values_of, request, schema, root)
    return with_data(imported, request, FRAMINGS, values, root.name)


def root_of(schema: Nodes, wanted: str, file: Path) -> CapnpNode:
    """The struct of a message; raises InputError if there is none, or more than one."""
    inner = set(referred(schema))
    given = [schema.by_id[id] for id in schema.given]
    structs = {
        node.name: node for node in given if node.kind == "struct" and node.fields and not node.is_generic
    }
    taken = {node.name for node in structs.values() if node.id in inner}
    return structs[chosen(list(structs), taken, wanted, file, "struct")]


def mapped(schema: Nodes, root: CapnpNode, file: Path) -> Imported:
    """The types of a schema in the type model; raises InputError."""
    return TypeMapping(schema, root, file).imported(root.name)


FORMAT = Format(
    name="capnp",
    title="Cap'n Proto",
    suffixes=(".capnp",),
    read=read,
    framings=FRAMINGS,
    beginning=statement(rb"@0x[0-9a-fA-F]{16}\s*;", "begins with the id of a schema of Cap'n Proto"),
)

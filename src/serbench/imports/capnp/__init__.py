"""Imports Cap'n Proto: schemas (``.capnp``) and data, by the program capnp."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from serbench.imports.base import Format, Imported, Request
from serbench.imports.beginnings import statement
from serbench.imports.capnp.compiler import CAPNP, CapnpNode, Nodes, compiled
from serbench.imports.capnp.data import FRAMINGS, check, values_of
from serbench.imports.capnp.mapping import TypeMapping, referred
from serbench.imports.declaring import only_schema
from serbench.imports.framing import with_data
from serbench.imports.roots import chosen


def read(request: Request) -> Imported:
    """Imports a schema and data, as ``Format.read`` does; raises SetupError if capnp is not installed."""
    file = only_schema(request, "Cap'n Proto", CAPNP.syntax, has_data=True)
    request = replace(request, files=(file,))
    schema = compiled(file, request.folders)
    root = root_of(schema, request.root, file)
    imported = mapped(schema, root, file)
    check(request.data, schema)
    values = partial(values_of, request, schema, root)
    return with_data(imported, request, FRAMINGS, values, root.name, "capnp does not report them")


def root_of(schema: Nodes, wanted: str, file: Path) -> CapnpNode:
    """The root struct; raises InputError if there is none, or more than one."""
    inner = set(referred(schema))
    given = [schema.by_id[id] for id in schema.given]
    structs = {
        node.name: node for node in given if node.kind == "struct" and node.fields and not node.is_generic
    }
    taken = {node.name for node in structs.values() if node.id in inner}
    return structs[chosen(list(structs), taken, wanted, file, "struct")]


def mapped(schema: Nodes, root: CapnpNode, file: Path) -> Imported:
    """The types that a root struct reaches, in the type model; raises InputError."""
    return TypeMapping(schema, root, file).imported(root.name)


FORMAT = Format(
    name="capnp",
    title="Cap'n Proto",
    suffixes=(".capnp",),
    read=read,
    framings=FRAMINGS,
    beginning=statement(rb"@0x[0-9a-fA-F]{16}\s*;", "begins with the id of a schema of Cap'n Proto"),
)

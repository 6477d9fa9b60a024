"""Generates code between dataclasses and objects of the classes that thriftpy2 makes of an IDL file."""

from __future__ import annotations

from serbench.idl.nesting import deepest
from serbench.idl.thrift import lowered
from serbench.languages.python.object_glue import ObjectGlue
from serbench.languages.python.thrift_objects import ThriftObjects
from serbench.model import Schema

_DEPTH = 64
"""The default of the library's limit on values inside each other; ours is never lower."""


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    types = lowered(schema)
    head = [
        "import pathlib",
        "",
        "import thriftpy2",
        "",
        'FILE = pathlib.Path(__file__).parents[1] / "messages.thrift"',
        'messages = thriftpy2.load(str(FILE), module_name="messages_thrift")',
        "",
        f"DEEPEST = {max(_DEPTH, deepest(types))}",
        '"""Values inside each other that it has to allow."""',
    ]
    return ObjectGlue(schema, ThriftObjects(types, "messages", head)).text()

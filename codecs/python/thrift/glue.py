"""Generates code between dataclasses and objects of the classes that Thrift's compiler generates."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.idl.thrift import lowered
from serbench.languages.python.object_glue import ObjectGlue
from serbench.languages.python.thrift_objects import ThriftObjects
from serbench.model import Record, Schema, Union
from serbench.model.nesting import nested as nested_of


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    return ObjectGlue(
        schema, ThriftObjects(lowered(schema), "ttypes", ["from messages import ttypes"])
    ).text()


def nested(schema: Schema) -> Iterator[int]:
    """Yield how many structs and unions are at most inside each other, with 0, 1, 2 and so on steps back."""
    types = lowered(schema)
    return nested_of(types.composites, types.schema.root, lambda type: isinstance(type, Record | Union))

"""Dataclasses to and from objects of the classes that Thrift's compiler generates."""

from __future__ import annotations

from serbench.idl.thrift import lowered
from serbench.languages.python.object_glue import object_source
from serbench.languages.python.thrift_objects import ThriftObjects
from serbench.model import Record, Schema, Union
from serbench.model.nesting import levels

_MOST, _STEPS = 64, 20
"""How many structs inside each other the library writes and reads, and the steps in ``codec.toml``."""


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return object_source(schema, ThriftObjects(lowered(schema), "ttypes", ["from messages import ttypes"]))


def fits(schema: Schema, variant: str) -> str | None:
    """Its accelerator has a limit that nobody can raise."""
    types = lowered(schema.plain())
    inside = levels(types.composites, _STEPS, lambda type: isinstance(type, Record | Union))
    found = inside[types.schema.root.name]
    if found <= _MOST:
        return None
    return (
        f"it writes and reads at most {_MOST} structs inside each other; "
        f"there are {found} after {_STEPS} steps of recursion"
    )

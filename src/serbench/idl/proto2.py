"""Writes schemas as Protocol Buffers files in proto2, where repeated numbers are not packed."""

from __future__ import annotations

from serbench.idl import proto
from serbench.idl.lower import Lowered
from serbench.idl.proto import SCALARS
from serbench.model import Schema

__all__ = ["SCALARS", "emit", "lowered"]


def lowered(schema: Schema) -> Lowered:
    """The schema in the types and names of proto2."""
    return proto.lowered(schema, "proto2")


def emit(schema: Schema) -> str:
    """The text of ``<workload>.proto``."""
    return proto.emit(schema, "proto2")

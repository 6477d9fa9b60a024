"""The type model as a Protocol Buffers file of proto2, where repeated numbers are not packed."""

from __future__ import annotations

from serbench.idl import proto
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The file ``<workload>.proto``."""
    return proto.emit(schema, "proto2")

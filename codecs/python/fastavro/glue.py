"""Dataclasses as the dicts that fastavro writes and reads."""

from __future__ import annotations

from serbench.languages.python.avro_glue import AvroLibrary, avro_source
from serbench.model import Schema

_LIBRARY = AvroLibrary(
    "fastavro", ["import fastavro"], "fastavro.parse_schema(json.loads(_AVSC))", tells_branches=True
)


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return avro_source(schema, _LIBRARY)

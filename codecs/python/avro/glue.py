"""Dataclasses as the dicts that Avro's own library writes and reads."""

from __future__ import annotations

from serbench.languages.python.avro_glue import AvroLibrary, avro_source
from serbench.model import Schema

_LIBRARY = AvroLibrary("avro", ["import avro.schema"], "avro.schema.parse(_AVSC)", tells_branches=False)


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return avro_source(schema, _LIBRARY)

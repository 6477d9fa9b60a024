"""Generates the schema in Avro, in which records have the names of the structs that they are read into."""

from __future__ import annotations

from serbench.languages.rust import avro
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The text of the file ``glue.rs`` of a workload."""
    return avro.emit(schema, by_struct=True)


def writer_schema(schema: Schema) -> str:
    """The text of the schema by which programs of a workload write."""
    return avro.schema_text(schema, by_struct=True)

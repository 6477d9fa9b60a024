"""Generates the schema in Avro."""

from serbench.languages.rust.avro import emit
from serbench.languages.rust.avro import schema_text as writer_schema

__all__ = ["emit", "writer_schema"]

"""Generates the schema in Avro."""

from serbench.languages.rust.avro import emit

__all__ = ["emit"]

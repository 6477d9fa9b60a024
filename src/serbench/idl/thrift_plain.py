"""Writes schemas as Thrift files without references: only C++ needs those, and Scrooge's parser refuses
them."""

from __future__ import annotations

from serbench.idl import thrift
from serbench.idl.thrift import SCALARS, lowered
from serbench.model import Schema

__all__ = ["SCALARS", "emit", "lowered"]


def emit(schema: Schema) -> str:
    """The text of ``<workload>.thrift``."""
    return thrift.emit(schema, references=False)

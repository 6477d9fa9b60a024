"""The type model as a Thrift file without references, which only C++ needs, and which Scrooge's parser
refuses."""

from __future__ import annotations

from serbench.idl import thrift
from serbench.idl.thrift import SCALARS, lowered
from serbench.model import Schema

__all__ = ["SCALARS", "emit", "lowered"]


def emit(schema: Schema) -> str:
    """The file ``<workload>.thrift``."""
    return thrift.emit(schema, references=False)

"""Writes schemas as Protocol Buffers files in proto2, where repeated numbers are not packed."""

from __future__ import annotations

from functools import partial

from serbench.idl import proto
from serbench.idl.proto import SCALARS

__all__ = ["SCALARS", "emit", "lowered"]

DIALECT_OF = "proto"
"""The IDL that has its hints."""

lowered = partial(proto.lowered, syntax="proto2")
emit = partial(proto.emit, syntax="proto2")

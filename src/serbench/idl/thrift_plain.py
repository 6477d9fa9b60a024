"""Writes schemas as Thrift files without references: only C++ needs them, and Scrooge refuses them."""

from __future__ import annotations

from functools import partial

from serbench.idl import thrift
from serbench.idl.thrift import SCALARS, lowered

__all__ = ["SCALARS", "emit", "lowered"]

emit = partial(thrift.emit, references=False)

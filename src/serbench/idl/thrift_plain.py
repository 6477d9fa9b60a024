"""Writes schemas as Thrift files without references: only C++ needs them, and Scrooge refuses them."""

from __future__ import annotations

from functools import partial

from serbench.idl import thrift
from serbench.idl.thrift import SCALARS, TELLS_NUMBERS_APART, lowered

__all__ = ["SCALARS", "TELLS_NUMBERS_APART", "emit", "lowered"]

emit = partial(thrift.emit, references=False)

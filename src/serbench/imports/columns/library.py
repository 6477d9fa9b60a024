"""Gives access to pyarrow, which is an extra of serbench: it is larger than all other dependencies
together."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serbench.system.extras import need_packages

EXTRA = "parquet"


def arrow() -> Any:
    """The module pyarrow; if it is not installed, raises SetupError, which says how to get it."""
    need_packages(EXTRA, "pyarrow")
    return import_module("pyarrow")

"""pyarrow, which is an extra of serbench: it is larger than all the rest together."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serbench.extras import need_packages

EXTRA = "parquet"


def arrow() -> Any:
    """pyarrow; raises SetupError where it is not there, with how to get it."""
    need_packages(EXTRA, "pyarrow")
    return import_module("pyarrow")

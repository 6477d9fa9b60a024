"""Access to pyarrow, which only an extra of serbench installs: it is larger than all other dependencies
together."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serbench.system.extras import need_packages

EXTRA = "parquet"


def arrow() -> Any:
    """Returns the module pyarrow; raises SetupError, which says how to install it, if it is missing."""
    need_packages(EXTRA, "pyarrow")
    return import_module("pyarrow")

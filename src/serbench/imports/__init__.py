"""Reads other people's schemas and data into the type model and datasets. Each module here that has a
``FORMAT`` reads one format."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from serbench.imports.base import Format


@cache
def formats() -> dict[str, Format]:
    """Every format by its name; found in the modules of this package that declare a ``FORMAT``."""
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    declared = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {format.name: format for format in declared}

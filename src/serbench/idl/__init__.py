"""Interface description languages: each module's ``emit`` gives the text of a file for a schema."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from serbench.model import Schema

_SHARED = {"lower", "nesting"}


@cache
def emitters() -> tuple[str, ...]:
    """The names that ``[idl] language`` of a ``codec.toml`` may have."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _SHARED))


def emit(language: str, schema: Schema) -> str:
    """The text of an IDL file."""
    return str(importlib.import_module(f"{__name__}.{language}").emit(schema))

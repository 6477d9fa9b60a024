"""The languages: each folder here that has a ``language.py``, which core knows by the folder's name alone."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from serbench.languages.base import Language


@cache
def languages() -> Mapping[str, Language]:
    """Every language by the name of its folder."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name: importlib.import_module(f"{__name__}.{name}.language").LANGUAGE for name in names}

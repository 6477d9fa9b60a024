"""The languages: each folder here that has a ``language.py``, which core knows by the folder's name alone."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from serbench.languages.base import CompilerOption, Language


@cache
def languages() -> Mapping[str, Language]:
    """Every language by the name of its folder."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name: importlib.import_module(f"{__name__}.{name}.language").LANGUAGE for name in names}


def title_of(language: str) -> str:
    """A language's name as a sentence has it; of a run from elsewhere, whose language is not here, that of
    its folder."""
    return languages()[language].traits.title if language in languages() else language


def compiler_options() -> list[CompilerOption]:
    """The options by which a user names compilers, for the languages that have several; languages may share
    an option."""
    found = {option.flag: option for language in languages().values() if (option := language.compiler_option)}
    return list(found.values())


def contending_options() -> str:
    """In words, the options that make toolchains contend with each other when they are given two values."""
    return " or ".join(
        (", ".join(("--revision", "--prefix")), *(option.flag for option in compiler_options()))
    )

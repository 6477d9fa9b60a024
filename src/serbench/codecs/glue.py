"""Loads the Python module ``glue.py`` of a codec's folder: a generator of glue code, and functions that tell
what the codec cannot do."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from serbench.errors import FileError, line_of, loading
from serbench.model import Schema
from serbench.model.nesting import nested_in_schema

FILE = "glue.py"


@dataclass(frozen=True)
class Glue:
    """The functions and settings that a codec's ``glue.py`` defines.

    Attributes:
        emit: returns the source code of the glue between a schema's domain types and the library's own types;
            None if the codec needs no glue.
        fits: returns why a variant of the codec (by its name) cannot do a schema, or None if it can.
        nested: returns the most values inside each other that messages of a schema have with 0, 1, 2 and so
            on steps of recursion, as the library counts them.
        writer_schema: returns the text of the schema by which programs of a schema write; None if that is the
            file of the codec's IDL, or if readers need none.
        logical: whether these functions and the codec's IDL see logical types, since its library has types of
            its own for them; if not, they see the bases.
    """

    emit: Callable[[Schema], str] | None = None
    fits: Callable[[Schema, str], str | None] = lambda schema, variant: None
    nested: Callable[[Schema], Iterable[int]] = nested_in_schema
    writer_schema: Callable[[Schema], str] | None = None
    logical: bool = False

    def seen(self, schema: Schema) -> Schema:
        """Return the schema as the codec sees it: with logical types, or with their bases instead."""
        return schema if self.logical else schema.plain()


def load_glue(folder: Path) -> Glue:
    """Return the glue of a codec's folder; empty if it has none. Raise FileError, which names the file and
    the line, where ``glue.py`` cannot be loaded or defines none of its functions."""
    path = folder / FILE
    if not path.exists():
        return Glue()
    module = load_beside(folder, path.stem)
    defined = {
        name: getattr(module, name)
        for name in ("emit", "fits", "nested", "writer_schema")
        if callable(getattr(module, name, None))
    }
    if not defined:
        raise FileError(
            f"{path} defines neither emit(schema), which returns the text of the glue, nor "
            "fits(schema, variant), which returns the reason why a schema is not supported, or None, nor "
            "nested(schema), which returns how many values are inside each other"
        )
    if "fits" in defined:
        defined["fits"] = _guarded(folder, defined["fits"])
    if "nested" in defined:
        defined["nested"] = _counting(folder, defined["nested"])
    return Glue(**defined, logical=getattr(module, "LOGICAL", False) is True)


def _counting(folder: Path, nested: Callable[[Schema], Iterable[int]]) -> Callable[[Schema], Iterator[int]]:
    """Return ``nested`` of a codec's ``glue.py``, wrapped so that any failure in it is a ``FileError``."""

    def checked(schema: Schema) -> Iterator[int]:
        try:
            yield from nested(schema)
        except Exception as error:
            raise FileError(_failure(folder, "nested", error)) from error

    return checked


def _failure(folder: Path, function: str, error: Exception) -> str:
    path = folder / FILE
    return f"{path}{line_of(path, error)}: {function} failed: {type(error).__name__}: {error}"


def _guarded(folder: Path, fits: Callable[[Schema, str], str | None]) -> Callable[[Schema, str], str | None]:
    """Return ``fits`` of a codec's ``glue.py``, wrapped so that it never raises: if it fails, its failure is
    the reason why the schema is not supported."""

    def checked(schema: Schema, variant: str) -> str | None:
        try:
            reason = fits(schema, variant)
        except Exception as error:
            return _failure(folder, "fits", error)
        if reason is None or (isinstance(reason, str) and reason):
            return reason
        return (
            f"{folder / FILE}: fits returned {reason!r}; expected a reason, or None if the schema "
            "is supported"
        )

    return checked


def load_beside(folder: Path, name: str) -> ModuleType:
    """Return the Python module ``name`` of a codec's folder, which can import other modules of that folder
    with a leading dot. Raise FileError, which names the file and the line, where it cannot be loaded."""
    with loading(folder / f"{name}.py"):
        return importlib.import_module(f"{_package(folder.resolve())}.{name}")


@cache
def _package(folder: Path) -> str:
    """Make a Python package for this folder alone, and return its name: two editions of a codec have modules
    of the same names."""
    name = f"serbench_codec_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return name

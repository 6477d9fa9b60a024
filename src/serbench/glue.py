"""Generators that a codec brings along: ``glue.py`` in its folder."""

from __future__ import annotations

import hashlib
import importlib
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from serbench.errors import FileError, SerbenchError
from serbench.model import Schema

FILE = "glue.py"


@dataclass(frozen=True)
class Glue:
    """What ``glue.py`` defines.

    Attributes:
        emit: the text of the glue between the domain types of a schema and what the library generates for it.
        fits: why the library cannot do a schema; None where it can.
    """

    emit: Callable[[Schema], str]
    fits: Callable[[Schema], str | None]


def load_glue(folder: Path) -> Glue | None:
    """The glue of a codec's folder; None where it has none.

    Raises:
        FileError: ``glue.py`` cannot be loaded or defines no ``emit``; names the file and the line.
    """
    path = folder / FILE
    if not path.exists():
        return None
    module = load_beside(folder, path.stem)
    emit = getattr(module, "emit", None)
    if not callable(emit):
        raise FileError(f"{path} defines no emit(schema), which gives the text of the glue")
    return Glue(emit, getattr(module, "fits", _fits_all))


def load_beside(folder: Path, name: str) -> ModuleType:
    """The Python module ``name`` of a codec's folder, which can import those beside it with a leading dot.

    Raises:
        FileError: it fails; names the file and the line.
    """
    path = folder / f"{name}.py"
    try:
        return importlib.import_module(f"{_package(folder.resolve())}.{name}")
    except SerbenchError as error:
        raise FileError(f"{path}{line_of(folder, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(f"{path}{line_of(folder, error)} cannot be loaded: {type(error).__name__}: {error}") from error


@cache
def _package(folder: Path) -> str:
    """A package of this folder's own: two editions of a codec have modules of the same names."""
    name = f"serbench_codec_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return name


def line_of(folder: Path, error: BaseException) -> str:
    """``, line 12`` where loading a file below ``folder`` came to when it failed."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f", line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(folder)]
    return f", line {lines[-1]}" if lines else ""


def _fits_all(schema: Schema) -> str | None:
    return None

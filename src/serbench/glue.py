"""What a codec brings along in Python, ``glue.py`` in its folder: a generator, and what schemas it cannot
do."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from serbench.errors import FileError, SerbenchError, line_of
from serbench.model import Schema

FILE = "glue.py"


@dataclass(frozen=True)
class Glue:
    """What ``glue.py`` defines.

    Attributes:
        emit: the text of the glue between the domain types of a schema and what the library generates for it;
            None where none is needed.
        fits: why a variant of the codec, by its name, cannot do a schema; None where it can.
        logical: whether these and the codec's IDL see logical types, since its library has its own for them;
            else they see the bases.
    """

    emit: Callable[[Schema], str] | None = None
    fits: Callable[[Schema, str], str | None] = lambda schema, variant: None
    logical: bool = False

    def seen(self, schema: Schema) -> Schema:
        """The schema as the codec sees it."""
        return schema if self.logical else schema.plain()


def load_glue(folder: Path) -> Glue:
    """The glue of a codec's folder; empty where it has none.

    Raises:
        FileError: ``glue.py`` cannot be loaded or defines nothing of this; names the file and the line.
    """
    path = folder / FILE
    if not path.exists():
        return Glue()
    module = load_beside(folder, path.stem)
    defined = {
        name: getattr(module, name) for name in ("emit", "fits") if callable(getattr(module, name, None))
    }
    if not defined:
        raise FileError(
            f"{path} defines neither emit(schema), which returns the text of the glue, nor "
            "fits(schema, variant), which returns the reason why a schema is not supported, or None"
        )
    if "fits" in defined:
        defined["fits"] = _guarded(folder, defined["fits"])
    return Glue(**defined, logical=getattr(module, "LOGICAL", False) is True)


def _guarded(folder: Path, fits: Callable[[Schema, str], str | None]) -> Callable[[Schema, str], str | None]:
    """``fits`` of a stranger: where it fails, that is the reason, since what it would say is not known."""

    def checked(schema: Schema, variant: str) -> str | None:
        try:
            reason = fits(schema, variant)
        except Exception as error:
            return (
                f"{folder / FILE}{line_of(folder / FILE, error)}: fits failed: "
                f"{type(error).__name__}: {error}"
            )
        if reason is None or (isinstance(reason, str) and reason):
            return reason
        return (
            f"{folder / FILE}: fits returned {reason!r}; expected a reason, or None if the schema "
            "is supported"
        )

    return checked


def load_beside(folder: Path, name: str) -> ModuleType:
    """The Python module ``name`` of a codec's folder, which can import modules of that folder with a leading
    dot.

    Raises:
        FileError: it fails; names the file and the line.
    """
    path = folder / f"{name}.py"
    try:
        return importlib.import_module(f"{_package(folder.resolve())}.{name}")
    except SerbenchError as error:
        raise FileError(f"{path}{line_of(path, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(
            f"{path}{line_of(path, error)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


@cache
def _package(folder: Path) -> str:
    """A package of this folder's own: two editions of a codec have modules of the same names."""
    name = f"serbench_codec_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return name

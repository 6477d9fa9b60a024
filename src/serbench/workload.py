"""Workloads: a schema and a seeded generator of messages, in one file of ``workloads/``."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from serbench.errors import FileError, SelectionError, SerbenchError, line_of, unknown
from serbench.files import Loaded, first_of, not_there
from serbench.model import Enum, Record, Schema, Walk
from serbench.model.types import Composite


@dataclass(frozen=True)
class Parameter:
    """One named parameter of a workload's generator.

    Attributes:
        default: gives its type too: int, float or str.
        choices: the values of a str parameter; empty for any.
        least, most: bounds of a number, both included.
    """

    name: str
    default: int | float | str
    help: str
    choices: Sequence[str] = ()
    least: float | None = None
    most: float | None = None

    def parse(self, workload: str, text: str) -> Any:
        """The value that ``text`` stands for; raises SelectionError where it is none."""
        where = f"workload {workload}, parameter {self.name}"
        if self.choices:
            if text not in self.choices:
                raise SelectionError(f"{where}: found '{text}', expected {' or '.join(self.choices)}")
            return text
        kind = type(self.default)
        try:
            value = kind(text)
        except ValueError:
            raise SelectionError(f"{where}: found '{text}', expected {'a whole number' if kind is int else 'a number'}") from None
        if isinstance(value, str):
            return value
        low, high = self.least, self.most
        # Written so that NaN is refused too.
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            bounds = f"{'any' if low is None else low} to {'any' if high is None else high}"
            raise SelectionError(f"{where}: found {text}, expected {bounds}")
        return value


@dataclass(frozen=True)
class Workload:
    """What one file of ``workloads/`` declares.

    Attributes:
        generate: takes the parameters by name and yields values of ``root``.
        walk: how the data are a graph, if they are; gives the operation ``walk``.
        also: records, unions and enums that others refer to by name.
        default: whether a command that names no workload takes it.
        source: the file.
    """

    name: str
    summary: str
    root: Record
    generate: Callable[..., Iterable[Any]]
    parameters: Sequence[Parameter] = ()
    walk: Walk | None = None
    default: bool = False
    also: Sequence[Composite | Enum] = ()
    source: Path = field(default=Path())
    schema: Schema = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema(self.name, self.root, self.also, self.walk))
        object.__setattr__(self, "source", Path(self.generate.__code__.co_filename))


@dataclass(frozen=True)
class WorkloadSpec:
    """A workload with all its parameters, such as ``record:ids=mixed``."""

    workload: Workload
    parameters: dict[str, Any]

    @property
    def id(self) -> str:
        """Workload and every parameter that has no default value or chooses among few, as reports print it."""
        shown = [
            f"{p.name}={self.parameters[p.name]}"
            for p in self.workload.parameters
            if p.choices or self.parameters[p.name] != p.default
        ]
        return ":".join([self.workload.name, ",".join(shown)]) if shown else self.workload.name


@cache
def load_workloads(*folders: Path) -> Loaded[Workload]:
    """Every workload of the folders by name, that of the first folder where several have it; a file that cannot be loaded is
    among the broken."""
    return first_of(folders, _workloads_in)


def _workloads_in(directory: Path) -> Loaded[Workload]:
    found: Loaded[Workload] = Loaded()
    for path in sorted(directory.glob("*.py")):
        try:
            found[path.stem] = load_workload(path)
        except FileError as error:
            found.broken[path.stem] = error
    return found


def load_workload(path: Path) -> Workload:
    """The workload that a file declares.

    Raises:
        FileError: it cannot be loaded or declares no ``workload`` of its name; names the file and the line.
    """
    spec = importlib.util.spec_from_file_location(f"serbench_workload_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} cannot be loaded: it is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        sys.modules[spec.name] = module  # which dataclasses look up
        spec.loader.exec_module(module)
    except SerbenchError as error:
        raise FileError(f"{path}{line_of(path, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(f"{path}{line_of(path, error)} cannot be loaded: {type(error).__name__}: {error}") from error
    workload = getattr(module, "workload", None)
    if not isinstance(workload, Workload):
        found = f"{type(workload).__name__}, expected a Workload" if workload is not None else "nothing of that name"
        raise FileError(f"{path} declares no workload: 'workload' is {found}")
    if workload.name != path.stem:
        raise FileError(f"{path}: the workload is named '{workload.name}'; expected '{path.stem}', the file's name")
    return workload


def parse_workload(text: str, known: dict[str, Workload]) -> WorkloadSpec:
    """``record:ids=mixed,seed=2`` as a workload with its parameters; raises SelectionError with the nearest names."""
    name, _, rest = text.partition(":")
    if name not in known:
        raise not_there("workload", name, known)
    workload = known[name]
    parameters = {p.name: p for p in workload.parameters}
    values = {p.name: p.default for p in workload.parameters}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise SelectionError(f"workload {name}: found '{part}', expected NAME=VALUE such as {name}:{_example(workload)}")
        if key not in parameters:
            raise unknown(f"parameter of workload {name}", key, parameters)
        values[key] = parameters[key].parse(name, value)
    return WorkloadSpec(workload, values)


def _example(workload: Workload) -> str:
    return ",".join(f"{p.name}={p.default}" for p in workload.parameters[:1]) or "(it has no parameters)"

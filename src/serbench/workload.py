"""Workloads: a schema and messages. One is a file of ``workloads/`` with a seeded generator, or a folder with
messages that were imported."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from serbench.errors import FileError, SchemaError, SelectionError, SerbenchError, line_of, unknown
from serbench.files import (
    Count,
    Digest,
    FileName,
    Loaded,
    Name,
    Positive,
    Text,
    first_of,
    not_there,
    read_json,
    to_json,
)
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
        """The value that ``text`` stands for; raises SelectionError if it is not valid."""
        where = f"workload {workload}, parameter {self.name}"
        if self.choices:
            if text not in self.choices:
                raise SelectionError(f"{where}: found '{text}', expected {' or '.join(self.choices)}")
            return text
        kind = type(self.default)
        try:
            value = kind(text)
        except ValueError:
            raise SelectionError(
                f"{where}: found '{text}', expected {'a whole number' if kind is int else 'a number'}"
            ) from None
        if isinstance(value, str):
            return value
        low, high = self.least, self.most
        # Written so that NaN is refused too.
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            bounds = f"{'any' if low is None else low} to {'any' if high is None else high}"
            raise SelectionError(f"{where}: found {text}, expected {bounds}")
        return value


class Input(msgspec.Struct, frozen=True):
    """A file that was imported, without the folder that it was in."""

    name: Name
    bytes: Count
    sha256: Digest


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where the schema and the messages of an imported workload are from.

    Attributes:
        kind: ``data`` for the user's own messages; ``synthetic`` where they are made up; ``twin`` where they
            are like a user's, without the values.
        format: what was imported, as sentences have it.
        root: the type of a message, as the schema that was imported names it.
        read: messages that the data have, of which some may have been drawn; 0 where there were none.
        bytes: sizes of the messages in the canonical encoding, as many as are at most 2^n bytes long, n from
            0.
        seed: of the draw, or of what was made up.
    """

    kind: Literal["data", "synthetic", "twin"]
    format: Name
    root: Name
    messages: Positive
    read: Count = 0
    seed: int = 0
    inputs: tuple[Input, ...] = ()
    losses: tuple[tuple[Text, Text], ...] = ()
    sizes: tuple[Count, ...] = ()


class Stored(msgspec.Struct, frozen=True):
    """``workload.json`` of an imported workload, which is a folder."""

    version: Literal[1]
    summary: Text
    schema: dict[str, Any]
    data: FileName
    origin: Origin


STORED = "workload.json"


@dataclass(frozen=True)
class Workload:
    """What one file or folder of ``workloads/`` declares.

    Attributes:
        generate: takes the parameters by name and yields values of ``root``; None for a workload that has
            ``data``.
        walk: how the data are a graph, if they are; gives the operation ``walk``.
        also: records, unions and enums that others refer to by name.
        default: whether a command that names no workload takes it.
        source: the file.
        data: the messages in the canonical encoding, in place of a generator; None where there is one.
        origin: where they are from; None for a workload with a generator.
    """

    name: str
    summary: str
    root: Record
    generate: Callable[..., Iterable[Any]] = None  # type: ignore[assignment]  # checked below: data, or a generator
    parameters: Sequence[Parameter] = ()
    walk: Walk | None = None
    default: bool = False
    also: Sequence[Composite | Enum] = ()
    source: Path = field(default=Path())
    schema: Schema = field(init=False, compare=False)
    data: Path | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema(self.name, self.root, self.also, self.walk))
        if (self.generate is None) == (self.data is None):
            raise TypeError(
                f"workload {self.name} has no generator; expected generate=, which yields its messages"
            )
        if not self.data:
            object.__setattr__(self, "source", Path(self.generate.__code__.co_filename))


@dataclass(frozen=True)
class WorkloadSpec:
    """A workload with all its parameters, such as ``record:ids=mixed``."""

    workload: Workload
    parameters: dict[str, Any]

    @property
    def id(self) -> str:
        """Workload and every parameter that has no default value or chooses among few, as reports print
        it."""
        shown = [
            f"{p.name}={self.parameters[p.name]}"
            for p in self.workload.parameters
            if p.choices or self.parameters[p.name] != p.default
        ]
        return ":".join([self.workload.name, ",".join(shown)]) if shown else self.workload.name


@cache
def load_workloads(*folders: Path) -> Loaded[Workload]:
    """Every workload of the folders by name, that of the first folder where several have it; a file that
    cannot be loaded is among the broken."""
    return first_of(folders, _workloads_in)


def _workloads_in(directory: Path) -> Loaded[Workload]:
    found: Loaded[Workload] = Loaded()
    for path in sorted([*directory.glob("*.py"), *directory.glob(f"*/{STORED}")]):
        name = path.parent.name if path.name == STORED else path.stem
        try:
            found[name] = load_stored(path) if path.name == STORED else load_workload(path)
        except FileError as error:
            found.broken[name] = error
    return found


def load_workload(path: Path) -> Workload:
    """The workload that a file declares.

    Raises:
        FileError: it cannot be loaded or declares no ``workload`` of its name; names the file and the line.
    """
    spec = importlib.util.spec_from_file_location(f"serbench_workload_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} cannot be loaded: it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        sys.modules[spec.name] = module  # which dataclasses look up
        spec.loader.exec_module(module)
    except SerbenchError as error:
        raise FileError(f"{path}{line_of(path, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(
            f"{path}{line_of(path, error)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    workload = getattr(module, "workload", None)
    if not isinstance(workload, Workload):
        found = f"{type(workload).__name__}, expected a Workload" if workload is not None else "not defined"
        raise FileError(f"{path} declares no workload: 'workload' is {found}")
    if workload.name != path.stem:
        raise FileError(
            f"{path}: the workload is named '{workload.name}'; expected '{path.stem}', the file's name"
        )
    return workload


def load_stored(path: Path) -> Workload:
    """The workload of a folder, by its ``workload.json``; its messages are read when they are needed.

    Raises:
        FileError: it is none, or the folder has another name than the workload.
    """
    stored = read_json(path, Stored, "imported workload")
    try:
        schema = Schema.from_json(stored.schema)
    except SchemaError as error:
        raise FileError(f"{path}: {error}") from error
    if schema.name != path.parent.name:
        raise FileError(
            f"{path}: the workload is named '{schema.name}'; expected '{path.parent.name}', the folder's name"
        )
    count = Parameter(
        "count",
        stored.origin.messages,
        "use only this many of its messages, from the first",
        least=1,
        most=stored.origin.messages,
    )
    return Workload(
        schema.name,
        stored.summary,
        schema.root,
        parameters=[count],
        also=schema.named,
        source=path,
        data=path.parent / stored.data,
        origin=stored.origin,
    )


def store(folder: Path, schema: Schema, summary: str, data: str, origin: Origin) -> None:
    """Writes ``workload.json`` beside the dataset file ``data`` of a folder, which is the workload's name."""
    (folder / STORED).write_text(to_json(Stored(1, summary, schema.to_json(), data, origin)))


def parse_workload(text: str, known: dict[str, Workload]) -> WorkloadSpec:
    """``record:ids=mixed,seed=2`` as a workload with its parameters; raises SelectionError with the nearest
    names."""
    name, _, rest = text.partition(":")
    if name not in known:
        raise not_there("workload", name, known)
    workload = known[name]
    parameters = {p.name: p for p in workload.parameters}
    values = {p.name: p.default for p in workload.parameters}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise SelectionError(
                f"workload {name}: found '{part}', expected NAME=VALUE such as {name}:{_example(workload)}"
            )
        if key not in parameters:
            raise unknown(f"parameter of workload {name}", key, parameters)
        values[key] = parameters[key].parse(name, value)
    return WorkloadSpec(workload, values)


def _example(workload: Workload) -> str:
    return ",".join(f"{p.name}={p.default}" for p in workload.parameters[:1]) or "(it has no parameters)"

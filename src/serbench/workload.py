"""Workloads, each a schema with messages: Python files in ``workloads/`` that generate messages from a seed,
or folders with imported messages."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from serbench.errors import FileError, SchemaError, SelectionError, loading, unknown
from serbench.model import Enum, Record, Schema, Updates, Walk
from serbench.model.types import Composite
from serbench.system.files import (
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


@dataclass(frozen=True)
class Parameter:
    """One named parameter of a workload's generator.

    Attributes:
        default: the default value, whose type (int, float or str) is the parameter's type.
        help: the parameter's meaning, for people.
        choices: the values that a str parameter may have; empty for any.
        least, most: bounds of a number, both included; None for no bound.
    """

    name: str
    default: int | float | str
    help: str
    choices: Sequence[str] = ()
    least: float | None = None
    most: float | None = None

    def parse(self, workload: str, text: str) -> Any:
        """Return the value that ``text`` stands for; raise SelectionError if the value is not valid."""
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
        # Written with "not" so that NaN is refused too.
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            bounds = f"{'any' if low is None else low} to {'any' if high is None else high}"
            raise SelectionError(f"{where}: found {text}, expected {bounds}")
        return value


class Input(msgspec.Struct, frozen=True):
    """A file that was imported: its name without the folder, its size and its digest."""

    name: Name
    bytes: Count
    sha256: Digest


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of the schema and the messages of an imported workload.

    Attributes:
        kind: ``data`` for the user's own messages; ``synthetic`` for random messages of the user's schema;
            ``twin`` for random messages with the shape of the user's, without their values.
        format: the format that was imported, as it is written in sentences.
        root: the type of a message, as the imported schema names it.
        messages: how many messages the workload has.
        read: how many messages the input had, of which the workload's may be a sample.
        seed: the seed of the draw, or of the made-up messages.
        inputs: the files that were imported.
        losses: the features of the imported schema that the type model cannot express: path and description
            of each.
        sizes: how many messages have at most 1 byte in the canonical encoding, and of the longer ones how
            many have at most 2, at most 4, … bytes.
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
    """The content of ``workload.json``, the file in the folder of an imported workload."""

    version: Literal[1]
    summary: Text
    schema: dict[str, Any]
    data: FileName
    origin: Origin


STORED = "workload.json"


@dataclass(frozen=True)
class Workload:
    """A workload as a file or a folder in ``workloads/`` declares it.

    Attributes:
        generate: takes the parameters by name and yields values of ``root``; None if the workload has
            ``data``.
        walk: the fields by which records of a graph refer to each other; a workload that has them also has
            the operation ``walk``. None if the messages are no graph.
        default: whether a command that names no workload uses this one.
        also: records, unions and enums to which other types refer by name.
        source: the file that declares it.
        data: the dataset file with its messages; None if it has a generator.
        origin: the source of the messages; None if it has a generator.
        base: the workload whose schema was changed to this one's; None if it was declared so. The messages
            that ``generate`` or ``data`` give are the base's, and generated code has the base's name.
        whole: the schema of the messages that programs of this workload read a part of; None where they read
            messages of their own.
        updates: the parts of its types in which its programs change values; empty for other workloads.
        changes: a field of the root → the change inside it that ``verify --evolution`` tries, together with
            those inside other fields; the fields are optional. Empty where changes are tried one by one.
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
    base: Workload | None = None
    whole: Schema | None = field(default=None, compare=False)
    updates: Updates = field(default_factory=dict, compare=False)
    changes: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        named = self.base.name if self.base else self.name
        schema = Schema(named, self.root, self.also, self.walk, self.whole, self.updates)
        object.__setattr__(self, "schema", schema)
        if (self.generate is None) == (self.data is None):
            raise TypeError(
                f"workload {self.name} has no generator; expected generate=, which yields its messages"
            )
        if not self.data:
            object.__setattr__(self, "source", Path(self.generate.__code__.co_filename))


@dataclass(frozen=True)
class WorkloadSpec:
    """A workload with a value for each of its parameters, such as ``record:ids=mixed``, and perhaps with
    changes, such as ``record/drop=ids``.

    Attributes:
        changes: the changes as they were typed, in the order in which they are made.
        changed: makes the changed messages of all messages of ``declared``, and of a function that reads one
            of them; those that the changes leave out are not read.
        by_bytes: whether the changes choose and copy messages by their canonical bytes alone, so that
            ``changed`` may be given a function that decodes none.
        whole: the workload whose programs write the messages, of which programs of this one read a part, or
            change one; None where its own programs write them.
        label: names the workload in reports, where it has a name that nobody typed; else empty.
    """

    workload: Workload
    parameters: dict[str, Any]
    changes: tuple[str, ...] = ()
    changed: Callable[[Sequence[Any], Callable[[Any], Any]], Sequence[Any]] = field(
        default=lambda messages, read: [read(each) for each in messages], compare=False
    )
    by_bytes: bool = False
    whole: WorkloadSpec | None = None
    label: str = ""

    @classmethod
    def usual(cls, workload: Workload) -> WorkloadSpec:
        """Return the workload with the default value of each parameter."""
        return cls(workload, {each.name: each.default for each in workload.parameters})

    @property
    def id(self) -> str:
        """The workload as reports name it: with those parameters that have choices, or another value than the
        default."""
        if self.label:
            return self.label
        shown = [
            f"{p.name}={self.parameters[p.name]}"
            for p in self.workload.parameters
            if p.choices or self.parameters[p.name] != p.default
        ]
        declared = self.declared.workload.name
        named = ":".join([declared, ",".join(shown)]) if shown else declared
        return "/".join([named, *self.changes])

    @property
    def operation(self) -> str:
        """The only operation of programs that are handed another workload's messages; empty for others."""
        return self.changes[-1].partition("=")[0] if self.whole else ""

    @property
    def declared(self) -> WorkloadSpec:
        """The workload without the changes."""
        return WorkloadSpec(self.workload.base or self.workload, self.parameters)


_loaded: dict[Path, Loaded[Workload]] = {}
"""Folder → its workloads; each folder is loaded only once."""


def load_workloads(*folders: Path) -> Loaded[Workload]:
    """Return every workload of the folders by name; where several folders declare a name, the first counts. A
    workload that cannot be loaded is in ``Loaded.broken``."""
    return first_of(folders, _workloads_in)


def take_in(folder: Path, workload: Workload, replaced: str) -> None:
    """Add a workload, which was just written to a folder in place of the workload named ``replaced``, to
    those that ``load_workloads`` has loaded."""
    if (known := _loaded.get(folder)) is not None:
        known.pop(replaced, None)
        known.broken.pop(workload.name, None)
        known[workload.name] = workload


def _workloads_in(directory: Path) -> Loaded[Workload]:
    if directory in _loaded:
        return _loaded[directory]
    found: Loaded[Workload] = Loaded()
    for path in sorted([*directory.glob("*.py"), *directory.glob(f"*/{STORED}")]):
        name = path.parent.name if path.name == STORED else path.stem
        try:
            found[name] = load_stored(path) if path.name == STORED else load_workload(path)
        except FileError as error:
            found.broken[name] = error
    _loaded[directory] = found
    return found


def load_workload(path: Path) -> Workload:
    """Return the workload that a Python file declares; raise FileError, which names the file and the line,
    where it cannot be loaded or declares no ``workload`` of the file's name."""
    spec = importlib.util.spec_from_file_location(f"serbench_workload_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} cannot be loaded: it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    with loading(path):
        sys.modules[spec.name] = module  # dataclasses look their module up there
        spec.loader.exec_module(module)
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
    """Return the imported workload that a ``workload.json`` describes, whose messages are read only when they
    are needed; raise FileError where the file is not valid or its folder has another name than the
    workload."""
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
    """Write ``workload.json`` into a workload's folder, which has the workload's name and holds the dataset
    file ``data``."""
    (folder / STORED).write_text(to_json(Stored(1, summary, schema.to_json(), data, origin)))


def parse_workload(text: str, known: dict[str, Workload]) -> WorkloadSpec:
    """Return the workload and parameters that a text such as ``record:ids=mixed,seed=2`` names; raise
    SelectionError, with the most similar names, if there is no such workload or parameter."""
    name, _, rest = text.partition(":")
    if name not in known:
        raise not_there("workload", name, known)
    workload, spec = known[name], WorkloadSpec.usual(known[name])
    parameters = {p.name: p for p in workload.parameters}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise SelectionError(
                f"workload {name}: found '{part}', expected NAME=VALUE such as {name}:{_example(workload)}"
            )
        if key not in parameters:
            raise unknown(f"parameter of workload {name}", key, parameters)
        spec.parameters[key] = parameters[key].parse(name, value)
    return spec


def _example(workload: Workload) -> str:
    return ",".join(f"{p.name}={p.default}" for p in workload.parameters[:1]) or "(it has no parameters)"

"""Makes a workload of a user's files: reads the schema, draws a sample of the data, and stores both."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from serbench.dataset.canonical import encode
from serbench.dataset.file import ORIGIN, read_dataset, write_messages
from serbench.dataset.values import find_mismatch, kind_of
from serbench.errors import InputError, SchemaError, SelectionError, ValueMismatch
from serbench.imports.base import Format, Imported, PassOver, Request, refused
from serbench.imports.names import identifier
from serbench.imports.sample import MessageSample
from serbench.model import Schema
from serbench.workload import STORED, Input, Origin, Workload, load_stored, store, take_in


@dataclass(frozen=True)
class ImportOrder:
    """A user's order to import files and to make a workload of them.

    Attributes:
        format: the format of the files.
        name: the name of the workload; empty for that of the first file.
        sample: how many messages are drawn; None for as many as a pass can hold.
        seed: the seed of the draw.
    """

    request: Request
    format: Format
    name: str = ""
    sample: int | None = None
    seed: int = 1


def read(order: ImportOrder) -> Imported:
    """Reads and checks the schema in files; the messages can then be read through the result.

    Raises:
        InputError: the files cannot be imported; names file and place.
    """
    imported = order.format.read(order.request)
    try:
        imported.schema("imported")
    except SchemaError as error:
        raise InputError(f"{order.request.files[0]}: {error}") from error
    return imported


@dataclass(frozen=True)
class Messages:
    """The messages that a workload is made of, and whether they are real data, made up or a twin.

    Attributes:
        some: gives the wanted messages as values of the schema's root, anew each time.
        count: the number of messages, if that is known before they are read; else 0.
    """

    kind: Literal["data", "synthetic", "twin"]
    some: Callable[[PassOver], Iterator[Any]]
    count: Callable[[], int] = int

    @classmethod
    def of(cls, kind: Literal["data", "synthetic", "twin"], values: Callable[[], Iterator[Any]]) -> Messages:
        """The messages of ``values``, which makes all messages, whether they are wanted or not."""
        return cls(kind, lambda pass_over: (value for value in values() if not pass_over(1)))


def made(order: ImportOrder, imported: Imported, messages: Messages, folder: Path) -> Workload:
    """Makes a workload of an import, in a folder below ``folder``; it replaces a workload of the same name.

    Raises:
        InputError: the data do not fit the schema, or there are no messages.
        SelectionError: the name of the workload is not valid.
    """
    schema = imported.schema(name_of(order, messages.kind))
    folder.mkdir(parents=True, exist_ok=True)
    sample = MessageSample(order.seed, order.sample, count=messages.count())
    files = (*order.request.files, *order.request.data)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=folder) as temporary:
        new = Path(temporary) / schema.name
        new.mkdir()
        sizes = _Sizes()
        _draw(sample, schema, messages, order.request)
        if not sample.read:
            raise refused((order.request.data or order.request.files)[0], "", "no message", "at least one")
        dataset = write_messages(
            new, schema.name, {ORIGIN: messages.kind}, schema, sizes.counted(sample.messages())
        )
        origin = Origin(
            kind=messages.kind,
            format=order.format.title,
            root=imported.root.wire or imported.root.name,
            messages=dataset.messages,
            read=sample.read,
            seed=order.seed,
            # With a digest, somebody could tell whether a twin was made from a file that they suspect.
            inputs=() if messages.kind == "twin" else tuple(map(_input, files)),
            losses=tuple((loss.path, loss.what) for loss in imported.losses),
            sizes=tuple(sizes.at_most),
        )
        store(new, schema, _summary(origin, order), dataset.path.name, origin)
        return _put(new, folder)


def name_of(order: ImportOrder, kind: str) -> str:
    """The name of the workload, which says if the messages are synthetic or a twin, so that every table,
    picture and file with the name says so too.

    Raises:
        SelectionError: the name that the user gives is not valid.
    """
    return _called(order.name or _from_file(order.request.files[0]), kind)


def _called(name: str, kind: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", name) or len(name) > 60:
        raise SelectionError(
            f"found '{name}' as the name of a workload; expected at most 60 lower-case letters, "
            f"digits and single inner hyphens, such as {_from_file(Path(name))}"
        )
    return name if kind == "data" or name.endswith(f"-{kind}") else f"{name}-{kind}"


def renamed(workload: Workload, name: str, folder: Path) -> Workload:
    """Gives an imported workload below ``folder`` another name, which still says if the messages are
    synthetic or a twin.

    Raises:
        SelectionError: the name is not valid.
    """
    assert workload.origin and workload.data
    name = _called(name, workload.origin.kind)
    schema = Schema.from_json(workload.schema.to_json() | {"name": name})
    with tempfile.TemporaryDirectory(prefix=".import-", dir=folder) as temporary:
        new = Path(temporary) / name
        new.mkdir()
        messages = map(bytes, read_dataset(workload.data).read_messages())
        dataset = write_messages(new, name, {ORIGIN: workload.origin.kind}, schema, messages)
        store(new, schema, workload.summary, dataset.path.name, workload.origin)
        made = _put(new, folder, workload.name)
    shutil.rmtree(folder / workload.name)
    return made


def _from_file(path: Path) -> str:
    stem = path.name.removeprefix(".").partition(".")[0]
    return identifier(stem).lower().replace("_", "-")[:60].rstrip("-")


def _draw(sample: MessageSample, schema: Schema, messages: Messages, request: Request) -> None:
    for value in messages.some(sample.pass_over):
        try:
            sample.keep(encode(schema.root, value))
        except ValueMismatch:
            where = (request.data or request.files)[0]
            raise InputError(
                f"{where}, message {sample.read}, {find_mismatch(schema.root, value, kind_of)}"
            ) from None


class _Sizes:
    """Counts messages by length: those of at most 1 byte, of 2, of 3 to 4, of 5 to 8, … bytes."""

    def __init__(self) -> None:
        self.at_most: list[int] = []

    def counted(self, messages: Iterable[bytes]) -> Iterator[bytes]:
        for message in messages:
            at = max(len(message) - 1, 0).bit_length()
            self.at_most += [0] * (at + 1 - len(self.at_most))
            self.at_most[at] += 1
            yield message


def _input(path: Path) -> Input:
    """The entry for an imported file, with its digest, in the record of a workload's origin."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Input(path.name, file.tell(), digest)


def _summary(origin: Origin, order: ImportOrder) -> str:
    root = origin.root
    if origin.kind == "synthetic":
        return f"synthetic messages of {root}, made up with seed {origin.seed}, containing nobody's data"
    some = (
        f", {origin.messages:,} drawn of {origin.read:,} with seed {origin.seed}"
        if origin.messages < origin.read
        else ""
    )
    what = f"{origin.format} of {order.request.files[0].name}{some}"
    return what if origin.kind == "data" else f"a twin of {what}: same shapes and sizes, none of the values"


def _put(new: Path, folder: Path, replaced: str = "") -> Workload:
    """Moves the folder ``new`` of a workload into ``folder``, in place of one of the same name; returns the
    workload.

    Args:
        replaced: the name that the workload had before, if it was renamed.
    """
    place, old = folder / new.name, new.parent / "old"
    if place.exists():
        place.replace(old)
    new.replace(place)
    shutil.rmtree(old, ignore_errors=True)
    workload = load_stored(place / STORED)
    take_in(folder, workload, replaced)
    return workload

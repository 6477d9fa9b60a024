"""The input and the output of an import: somebody's schema in the type model, and their data as values of it.

Nothing is dropped silently. A part that the type model cannot express is refused with its path
(``InputError``), or becomes a ``Loss`` that the user is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from serbench.errors import InputError
from serbench.model import Enum, Record, Schema
from serbench.model.parts import describe
from serbench.model.types import Composite, Type


@dataclass(frozen=True)
class Request:
    """A user's request to import files.

    Attributes:
        files: schemas, or data that carry their own schema.
        data: further files with the data, which exist; empty if ``files`` hold the data, or there are none.
        root: the type of a message, as the schema names it; empty if there is only one candidate.
        framing: how messages follow one another in a file of data, if the format leaves that open.
        folders: the folders in which schemas that a schema imports are looked for.
        settings: path of a field → type that the user wants it to have.
    """

    files: tuple[Path, ...]
    data: tuple[Path, ...] = ()
    root: str = ""
    framing: str = ""
    folders: tuple[Path, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mapped:
    """A part of somebody's schema, and its type in the type model.

    Attributes:
        path: the part's path in their names: ``shop.v1.Order.lines``.
        theirs: its type, in the words of their schema.
        ours: its type, in the words of the type model.
        why: if the type was guessed, what from; else empty.
    """

    path: str
    theirs: str
    ours: str
    why: str = ""

    @classmethod
    def to(cls, path: str, theirs: str, type: Type, why: str = "") -> Mapped:
        return cls(path, theirs, describe(type), why)


@dataclass(frozen=True)
class Loss:
    """Something in somebody's schema or data that the type model cannot hold.

    Attributes:
        path: the path in their names of the part that loses something.
        what: the thing that is lost, and its effect on the figures.
    """

    path: str
    what: str


@dataclass(frozen=True)
class Open:
    """Something that data leave open, so that the user may know better.

    Attributes:
        path: the part's path in their names.
        what: the data that were seen, and the setting by which they become something else.
    """

    path: str
    what: str


Read = TypeVar("Read")

PassOver = Callable[[int], int]
"""Tells, of so many messages that come next, how many are not wanted before the first that is; as many if
none is. The messages passed over, and the wanted one behind them, are those it was asked about: the next call
is about the messages that follow. It is called before values of the messages are made."""


def pass_over_none(most: int) -> int:
    """The ``PassOver`` by which every message is wanted."""
    return 0


def wanted_of(messages: Sequence[Read], pass_over: PassOver) -> Iterator[Read]:
    """The wanted ones of ``messages``."""
    at = 0
    while (at := at + pass_over(len(messages) - at)) < len(messages):
        yield messages[at]
        at += 1


@dataclass(frozen=True)
class Imported:
    """Somebody's schema in the type model, and their data.

    Attributes:
        root: the type of every message.
        also: records, unions and enums that others refer to by name.
        mapping: a row for every field, alternative and enum, in the order of the schema.
        losses: the things that the type model cannot hold.
        values: begins to read the data and gives a value of ``root`` for each message, in bounded memory and
            in their order; may be called again. None if there are no data. Raises InputError with file and
            place if data do not fit the schema.
        some: as ``values``, but gives only the wanted messages, for formats where that is less work than to
            make all of them; messages that are not wanted need not be checked as closely. None for other
            formats.
        count: how many messages there are, if that is known before they are read; else 0.
        notes: remarks on the files, and questions that may be asked of them, a line each.
        open: the parts that the data leave open.
    """

    root: Record
    also: Sequence[Composite | Enum]
    mapping: Sequence[Mapped]
    losses: Sequence[Loss] = ()
    values: Callable[[], Iterator[Any]] | None = None
    some: Callable[[PassOver], Iterator[Any]] | None = None
    count: Callable[[], int] = int
    notes: Sequence[str] = ()
    open: Sequence[Open] = ()

    def wanted(self, pass_over: PassOver) -> Iterator[Any]:
        """The values of the messages that are wanted; there have to be data."""
        assert self.values
        if self.some:
            return self.some(pass_over)
        return (value for value in self.values() if not pass_over(1))

    def schema(self, name: str) -> Schema:
        """The schema, with the name of a workload; raises SchemaError if the declarations do not make one."""
        return Schema(name, self.root, self.also)


@dataclass(frozen=True)
class Format:
    """A format in which people have schemas or data.

    Attributes:
        name: the word by which a user asks for it: ``avro``.
        title: its name in sentences: ``Avro``.
        suffixes: the endings of its files, such as ``.avsc``, without those of packing; if several formats
            have one, ``recognises`` decides.
        recognises: tells by the first 64 KiB of a file with such a suffix whether it is of this format.
        read: does the import; raises InputError for files that are not of the format, or have something that
            the type model cannot express.
        framings: how messages may follow one another in a file of data, each with what it means; the first is
            taken if the user names none.
        beginning: tells by the first 64 KiB of a file with any ending, which may be packed, whether they can
            only be of this format, in words that follow "it": ``begins with PAR1``; empty if not.
        readings: how many times data are usually read, from which progress is computed.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Request], Imported]
    recognises: Callable[[bytes], bool] = lambda head: True
    framings: Mapping[str, str] = field(default_factory=dict)
    beginning: Callable[[bytes], str] = lambda head: ""
    readings: int = 1


class Refusal(InputError):
    """An input that cannot be imported: ``orders.proto, shop.Order.lines: found …; expected …; …``.

    Attributes:
        place: a line, a path of fields or the number of a message; empty if it is the file as a whole.
    """

    def __init__(self, file: Path | str, place: str, found: str, expected: str, remedy: str = ""):
        where = ", ".join(filter(None, (str(file), place)))
        super().__init__("; ".join(filter(None, (f"{where}: found {found}", f"expected {expected}", remedy))))
        self.file, self.place, self.found, self.expected = file, place, found, expected


refused = Refusal
"""The error, to be raised: ``raise refused(file, place, found, expected)``."""


class Unfit(Exception):
    """A part of a message does not fit its type; says which part."""

"""The input and the output of an import: a user's files, and their schema and data in the type model.

Nothing is dropped silently. A part that the type model cannot express is refused with its path
(``InputError``), or becomes a ``Loss`` that the user is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
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
        data: further files with data; empty if ``files`` have the data, or there are no data.
        root: the type of a message, as the schema names it; empty if there is only one candidate.
        framing: how messages follow one another in a file of data, if the format leaves that open.
        folders: the folders in which imports of schemas are looked for.
        settings: path of a field → the type that the user wants the field to have.
    """

    files: tuple[Path, ...]
    data: tuple[Path, ...] = ()
    root: str = ""
    framing: str = ""
    folders: tuple[Path, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mapped:
    """A part of a user's schema, and its type in the type model.

    Attributes:
        path: the path of the part in the names of the schema: ``shop.v1.Order.lines``.
        theirs: the type of the part, in the words of the schema.
        ours: the type of the part, in the words of the type model.
        why: the reason for the type, if it was guessed; else empty.
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
    """A feature of a user's schema or data that the type model cannot hold.

    Attributes:
        path: the path of the part that has the feature, in the names of the schema.
        what: the feature that is lost, and the effect on figures.
    """

    path: str
    what: str


@dataclass(frozen=True)
class Open:
    """A decision that data leave open, so that the user may know better.

    Attributes:
        path: the path of the part in the names of the data.
        what: the data that were seen, and the setting by which they become another type.
    """

    path: str
    what: str


Read = TypeVar("Read")

PassOver = Callable[[int], int]
"""A function of the number of the next messages that returns how many of them come before the first wanted
one; all of them if none is wanted. The next call is about the messages behind the wanted one. It is called
before values are made of the messages, so that readers can skip those that nobody wants."""


def pass_over_none(most: int) -> int:
    """The ``PassOver`` that passes over none of the next ``most`` messages, so that all are wanted."""
    return 0


def wanted_of(messages: Sequence[Read], pass_over: PassOver) -> Iterator[Read]:
    """The wanted ones of ``messages``; ``pass_over`` (a ``PassOver``) tells how many to skip before each."""
    at = 0
    while (at := at + pass_over(len(messages) - at)) < len(messages):
        yield messages[at]
        at += 1


@dataclass(frozen=True)
class Imported:
    """A user's schema in the type model, and the user's data.

    Attributes:
        root: the type of every message.
        also: the records, unions and enums to which other types refer by name.
        mapping: a row for every field, alternative and enum, in the order of the schema.
        losses: the features that the type model cannot hold.
        values: begins to read the data and gives a value of ``root`` for each message, in bounded memory and
            in the order of messages; may be called again. None if there are no data. Raises InputError with
            file and place if data do not fit the schema.
        some: like ``values``, but gives only the wanted messages, for formats where that is less work; the
            other messages need not be checked as closely. None for other formats.
        count: the number of messages, if that is known before they are read; else 0.
        notes: remarks on the files, a line each.
        open: the decisions that the data leave open.
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
        """The values of the wanted messages; there have to be data."""
        assert self.values
        if self.some:
            return self.some(pass_over)
        return (value for value in self.values() if not pass_over(1))

    def schema(self, name: str) -> Schema:
        """The schema of a workload of this name; raises SchemaError if the declarations do not make one."""
        return Schema(name, self.root, self.also)


@dataclass(frozen=True)
class Format:
    """A format of schemas or data that can be imported.

    Attributes:
        name: the word by which a user asks for it: ``avro``.
        title: the name in sentences: ``Avro``.
        suffixes: the endings of files, such as ``.avsc``, without those of packed files; if several formats
            have the same one, ``recognises`` decides.
        recognises: tells by the first 64 KiB of a file with such a suffix whether it is of this format.
        read: does the import; raises InputError for files that are not of the format, or have parts that the
            type model cannot express.
        framings: how messages may follow one another in a file of data, each way with its meaning; the first
            is taken if the user names none.
        beginning: given the first 64 KiB of a file with any ending, which may be packed, says in words that
            follow "it" why they can only be of this format: ``begins with PAR1``; empty if they need not be.
        has_signature: whether its beginning is a signature, which says more than the ending of a file's name.
        readings: how many times data are usually read, from which progress is computed.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Request], Imported]
    recognises: Callable[[bytes], bool] = lambda head: True
    framings: Mapping[str, str] = field(default_factory=dict)
    beginning: Callable[[bytes], str] = lambda head: ""
    has_signature: bool = False
    readings: int = 1


class Refusal(InputError):
    """The error of a file that is refused: ``orders.proto, shop.Order.lines: found …; expected …; …``.

    Attributes:
        place: a line, a path of fields or the number of a message; empty for the file as a whole.
    """

    def __init__(self, file: Path | str, place: str, found: str, expected: str, remedy: str = ""):
        where = ", ".join(filter(None, (str(file), place)))
        super().__init__("; ".join(filter(None, (f"{where}: found {found}", f"expected {expected}", remedy))))
        self.file, self.place, self.found, self.expected = Path(file), place, found, expected


refused = Refusal
"""The error, to be raised: ``raise refused(file, place, found, expected)``."""


class Unfit(Exception):
    """Raised for a part of a message that does not fit its type; says which part."""


def setting(path: str, type: str) -> str:
    """Returns the option that sets the type at a path, as a shell takes it."""
    text = f"{path}={type}"
    return f"--set {quote(text)}" if quote(text) != text else f"--set '{text}'"

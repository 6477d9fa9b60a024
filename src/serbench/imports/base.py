"""What an import is asked for, and what it gives: somebody's schema in the type model, and their data as
values of it.

Nothing is dropped silently. What the type model has not is refused with its path (``InputError``), or is a
``Loss`` that the user is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.errors import InputError
from serbench.model import Enum, Record, Schema
from serbench.model.parts import describe
from serbench.model.types import Composite, Type


@dataclass(frozen=True)
class Request:
    """What a user wants imported.

    Attributes:
        files: schemas, or data that carry their own.
        data: further files of data, each there; none where ``files`` have the data, or there are none.
        root: the type of a message as the schema names it; empty where there is only one that it can be.
        framing: how messages follow one another in a file of data, where the format leaves it open.
        folders: where schemas look for those that they import.
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
    """How one part of somebody's schema is told in the type model.

    Attributes:
        path: of the part, in their names: ``shop.v1.Order.lines``.
        theirs: its type in their words.
        ours: its type in those of the type model.
        why: what it follows from where that was a guess; empty where it was not.
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
    """What of somebody's schema or data the type model does not hold.

    Attributes:
        path: of the part that loses something, in their names.
        what: is lost, and what that means for the figures.
    """

    path: str
    what: str


Wants = Callable[[], bool]
"""Whether the next message is wanted; asked once for each, in their order, before its value is given."""


def all_of_them() -> bool:
    """Wants every message."""
    return True


@dataclass(frozen=True)
class Imported:
    """A schema of somebody's in the type model, and their data.

    Attributes:
        root: what every message is a value of.
        also: records, unions and enums that others refer to by name.
        mapping: every field, alternative and enum, in the order of the schema.
        losses: what is not held.
        values: begins to read the data and gives a value of ``root`` for each message, in bounded memory and
            in their order; may be called again. None where there are no data. Raises InputError with file and
            place where data are not of the schema.
        some: likewise those that are wanted, where that takes less than to make all of them; what is not
            wanted need not be looked at as closely.
        count: how many messages there are, where that is known before they are read.
    """

    root: Record
    also: Sequence[Composite | Enum]
    mapping: Sequence[Mapped]
    losses: Sequence[Loss] = ()
    values: Callable[[], Iterator[Any]] | None = None
    some: Callable[[Wants], Iterator[Any]] | None = None
    count: Callable[[], int] = int

    def wanted(self, wants: Wants) -> Iterator[Any]:
        """The values of the messages that are wanted, of data that there are."""
        assert self.values
        return self.some(wants) if self.some else (value for value in self.values() if wants())

    def schema(self, name: str) -> Schema:
        """The schema under the name of a workload; raises SchemaError where the declarations are none."""
        return Schema(name, self.root, self.also)


@dataclass(frozen=True)
class Format:
    """A way in which people write schemas or data.

    Attributes:
        name: by which a user asks for it: ``avro``.
        title: as sentences have it: ``Avro``.
        suffixes: of files of its own, ``.avsc``; a suffix that several formats have is decided by
            ``recognises``.
        recognises: whether a file with such a suffix is of this format, by its first 64 KiB.
        read: raises InputError where files are none of the format, or have what cannot be told in the type
            model.
        framings: how messages may follow one another in a file of data, with what each means; the first where
            the user says none.
        readings: how many times data are read as a rule, which progress is told by.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Request], Imported]
    recognises: Callable[[bytes], bool] = lambda head: True
    framings: Mapping[str, str] = field(default_factory=dict)
    readings: int = 1


def refused(file: Path | str, place: str, found: str, expected: str, remedy: str = "") -> InputError:
    """The error for what cannot be imported: ``orders.proto, shop.Order.lines: found …; expected …; …``.

    ``place`` is a line, a path of fields or the number of a message; empty where it is the file itself.
    """
    where = ", ".join(filter(None, (str(file), place)))
    return InputError("; ".join(filter(None, (f"{where}: found {found}", f"expected {expected}", remedy))))

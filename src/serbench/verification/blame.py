"""Tells to whom an outcome of evolution is due: to the library, to the adapter, or to the reader's schema."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from serbench.codecs.codec import Codec
from serbench.errors import By
from serbench.idl import requires_records
from serbench.model import Array, List, Logical, Map, Optional, Record, Ref, Scalar, Schema, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import NOTHING

Due = Literal[By, "schema"]
"""To whom an outcome is due: whose code made it, or the reader's schema, which cannot hold what it got."""

_DUE_TO_NOBODY = ("kept", "impossible", "not tried")


NO_NUMBERS: Mapping[str, str] = {}
"""The kinds of numbers of a format whose messages do not tell numbers apart."""


def blamed(outcome: str, raised_by: By, is_library: bool, held: bool = True) -> Due:
    """Return whose code an outcome is due to.

    A value that is not the expected one, without an error, is the library's: adapters copy what the library
    gives, and make up nothing for what is missing.

    Args:
        outcome: a key of ``OUTCOMES`` (``evolution.py``).
        raised_by: whose code raised the error that the reader reports; empty where there is none, or where
            the reader does not know.
        is_library: whether the codec is a library. All that another one does is the adapter's.
        held: whether the reader's schema can hold what the message has. Where it cannot, types of the domain
            have no such value, and code of ours that refuses it does what any program has to.

    Returns:
        ``library``, ``adapter`` or ``schema``; empty where nobody can tell, and for outcomes that nobody is
        to blame for.
    """
    if outcome in _DUE_TO_NOBODY:
        return ""
    if not is_library:
        return "adapter"
    if outcome in ("defaults", "misread"):
        return "library"
    return "schema" if outcome == "refused" and raised_by == "adapter" and not held else raised_by


def demanded(
    reader: Schema, writer: Schema, there: Collection[str], numbers: Mapping[str, str] = NO_NUMBERS
) -> str:
    """Return which part the reader's schema demands that a message of the writer has not, or has as something
    else, such as ``Order.note, which is missing``; empty where there is none. A part is the same by its name
    and its number, since formats have one or the other.

    Args:
        there: the names of the records that the message has.
        numbers: the name of each scalar → the kind of number that it is to the reader's format, where
            messages tell them apart (``told_apart``); else all numbers are of one kind.
    """
    written = {record.name: record.fields for record in writer.records if record.name in there}
    for record in (each for each in reader.records if each.name in written):
        names = {field.name: field.type for field in written[record.name]}
        numbered = {field.number for field in written[record.name]}
        for field in record.fields:
            may_lack = isinstance(field.type, Optional) or field.default is not NOTHING
            if field.name not in names or field.number not in numbered:
                if not may_lack:
                    return f"{record.name}.{field.name}, which is missing"
            elif not _holds(field.type, names[field.name], numbers):
                return f"{record.name}.{field.name}, which is of another kind"
    return ""


def records_in(type: Type, value: Any) -> Iterator[str]:
    """Yield the name of each record that a value of a type has."""
    left = [(type, value)]
    while left:
        held, value = left.pop()
        match resolved(held):
            case Optional(item) if value is not None:
                left.append((item, value))
            case List(item) | Array(item, _):
                left += [(item, each) for each in value]
            case Map(_, item):
                left += [(item, each) for each in value.values()]
            case Record(name, fields):
                yield name
                left += [(field.type, each) for field, each in zip(fields, value, strict=True)]
            case Union(_, alternatives) if inner := alternatives[value[0]].type:
                left.append((inner, value[1]))


def _holds(reader: Type, writer: Type, numbers: Mapping[str, str]) -> bool:
    """Whether values of the writer's type are of the kind of the reader's."""
    wanted, found = _kind(reader, numbers), _kind(writer, numbers)
    return found in (wanted, *([_kind(reader.item, numbers)] if isinstance(reader, Optional) else []))


def _kind(type: Type, numbers: Mapping[str, str]) -> str:
    """The kind of a type with that of its items."""
    match resolved(type):
        case Logical(_, base):
            return _kind(base, numbers)
        case Scalar(name):
            return name if name in ("bool", "string", "bytes") else numbers.get(name, "number")
        case Optional(item) | List(item) | Array(item, _) | Map(_, item) as outer:
            return f"{outer.__class__.__name__} of {_kind(item, numbers)}"
        case other:
            return str(other.__class__.__name__)


def requires_missing(codec: Codec, reader: Schema, writer: Schema) -> bool:
    """Return whether the reader refuses messages of the writer because of a word that serbench wrote into its
    IDL file: that a field which the writer's schema lacks is required."""
    if codec.idl is None or not requires_records(codec.idl.language):
        return False
    written = {record.name: {field.name for field in record.fields} for record in writer.records}
    return any(
        isinstance(field.type, Record | Union | Ref) and field.name not in written[record.name]
        for record in reader.records
        if record.name in written
        for field in record.fields
    )

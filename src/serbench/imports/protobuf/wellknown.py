"""Google's well-known types whose meaning the type model can express.

They are mapped like any other messages, so that bytes stay those of the user's format. Only where the user
says so (``--set``) do they become types with their meaning, such as a timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor

from serbench.imports.base import Unfit, refused
from serbench.imports.protobuf.descriptors import Descriptors
from serbench.imports.protobuf.scalars import KINDS, SCALARS
from serbench.model.types import Logical, Type, i64


@dataclass(frozen=True)
class WellKnown:
    """The meaning of a well-known message.

    Attributes:
        word: the word by which the user sets it.
        type: its type in the type model.
        shape: the name and kind of each of its fields; a message of the same name with other fields has not
            this meaning.
        value: makes the value of a message; raises Unfit.
    """

    word: str
    type: Type
    shape: tuple[tuple[str, str], ...]
    value: Callable[[Any], Any]


def _nanoseconds(message: Any) -> int:
    total: int = message.seconds * 1_000_000_000 + message.nanos
    low, high = i64.bounds
    if not low <= total <= high:
        raise Unfit("a time more than 292 years from 1970, or a span of such a length")
    return total


def _wrapper(kind: str) -> WellKnown:
    """The meaning of a message around one value of a kind, such as ``Int32Value``: the value alone."""
    return WellKnown(SCALARS[kind].name, SCALARS[kind], (("value", kind),), attrgetter("value"))


_TIME = (("seconds", "int64"), ("nanos", "int32"))

MEANINGS = {
    "google.protobuf.Timestamp": WellKnown("timestamp", Logical("timestamp", i64, "ns"), _TIME, _nanoseconds),
    "google.protobuf.Duration": WellKnown("duration", Logical("duration", i64, "ns"), _TIME, _nanoseconds),
    **{
        f"google.protobuf.{name}Value": _wrapper(name.lower())
        for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
    },
}


def meaning_of(message: Descriptor | None) -> WellKnown | None:
    """The meaning of a message that is a well-known type; None for any other message."""
    found = MEANINGS.get(message.full_name) if message else None
    if found is None or message is None:
        return None
    return found if tuple((f.name, KINDS[f.type]) for f in message.fields) == found.shape else None


class TypeSettings:
    """The types that the user sets for fields, by a field's path or by the name of its message type."""

    def __init__(self, given: Mapping[str, str], types: Descriptors, file: Path):
        """Reads settings; raises InputError if one is not for a field or message that can have its type."""
        self._given = given
        self._file = file
        self._met: set[str] = set()
        for path, word in given.items():
            message = _message_at(types, path)
            meaning = meaning_of(message)
            if meaning is None or meaning.word != word:
                other = "a field with a Timestamp, Duration or wrapper, such as StringValue"
                can = meaning.word if meaning else other
                raise refused(file, path, f"the setting {word!r}", can, "change --set")

    def meaning(self, path: str, message: Descriptor | None) -> WellKnown | None:
        """The meaning that the user sets for the message in the field at ``path``, if any."""
        if message is None or not (asked := {path, message.full_name} & self._given.keys()):
            return None
        self._met |= asked
        return meaning_of(message)

    def check_all_met(self) -> None:
        """Raises InputError if a setting is for a field that the root does not reach."""
        if left := self._given.keys() - self._met:
            found = "a setting for a field that is not reachable from the root"
            raise refused(self._file, min(left), found, "a reachable field", "change --set")


def _message_at(types: Descriptors, path: str) -> Descriptor | None:
    """The message called ``path``, or the message in the field at ``path``; None if there is neither."""
    message: Callable[[str], Descriptor] = types.pool.FindMessageTypeByName
    holder, _, field = path.rpartition(".")
    with suppress(KeyError, TypeError, ValueError):
        return message(path)
    with suppress(KeyError, TypeError, ValueError):
        return message(holder).fields_by_name[field].message_type
    return None

"""Makes values of the inferred types from JSON values.

A converter is a function that takes a JSON value, as Python reads it, and returns the value of the type
model, or raises Unfit, which says exactly what is wrong with the JSON value.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from serbench.imports.json.keys import UUID
from serbench.imports.json.making import JsonTypes
from serbench.imports.json.paths import joined, member
from serbench.imports.json.shape import LEVELS
from serbench.model.types import Enum, List, Logical, Map, Optional, Record, Ref, Scalar, Type, Union, string

# Each level takes about four nested Python calls.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20 * LEVELS))

Converter = Callable[[Any], Any]

_KINDS = {
    dict: "object",
    list: "array",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_UUID = re.compile(UUID)
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)
_LOCAL = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?()", re.ASCII)
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


class Unfit(Exception):
    """Raised for a value that does not fit its type. ``steps`` lead to the value; ``found`` tells its kind
    and length, and nothing else of it, since it is somebody's data."""

    def __init__(self, found: str, expected: str, path: str = "", remedy: str = ""):
        super().__init__(found, expected)
        self.found, self.expected, self.remedy = found, expected, remedy
        self.steps = [path] if path else []

    def at(self, step: str) -> Unfit:
        self.steps.insert(0, step)
        return self

    @property
    def path(self) -> str:
        return joined(self.steps)


class Converters:
    """Makes the converters for the types of messages, one for each declared type."""

    def __init__(self, built: JsonTypes) -> None:
        self._built = built
        self._of_names: dict[str, Converter] = {}

    def of_messages(self) -> Converter:
        """Returns the converter of messages to values of the root type."""
        root = self._built.root
        if not self._built.wrapped:
            return self.of(Ref(root.name))
        convert = self.of(root.fields[0].type)
        return lambda value: (convert(value),)

    def of(self, type: Type) -> Converter:
        match type:
            case Scalar():
                return scalar(type)
            case Logical():
                return logical(type)
            case Optional(item):
                convert = self.of(item)
                return same if convert is same else lambda value: None if value is None else convert(value)
            case List(item):
                return _list(self.of(item))
            case Map(key, value):
                return _map(map_key(key), self.of(value))
            case Ref(name):
                return self._named(name)
        raise TypeError(f"{type!r} is not a type of JSON values")

    def _named(self, name: str) -> Converter:
        """Returns the converter for a declared type, which is made when it is first used, since the type may
        lead back to itself."""

        def convert(value: Any) -> Any:
            made = self._of_names.get(name)
            if made is None:
                made = self._of_names[name] = self._declared(self._built.declared[name])
            return made(value)

        return convert

    def _declared(self, type: Record | Union | Enum) -> Converter:
        if isinstance(type, Enum):
            return enum(type)
        return self.record(type) if isinstance(type, Record) else self.union(type)

    def record(self, record: Record) -> Converter:
        fields = [
            (key, self.of(field.type), isinstance(field.type, Optional))
            for key, field in zip(self._built.keys[record.name], record.fields, strict=True)
        ]
        keys = {key for key, _, _ in fields}

        def convert_record(value: dict[str, Any]) -> tuple[Any, ...]:
            made = []
            for key, convert, may_be_missing in fields:
                try:
                    if key in value:
                        made.append(convert(value[key]))
                    elif may_be_missing:
                        made.append(None)
                    else:
                        raise Unfit("nothing", "a value")
                except Unfit as error:
                    raise error.at(member("", key).removeprefix(".")) from None
            if value.keys() - keys:
                more = next(key for key in value if key not in keys)
                found = f"an additional member, whose name has {len(more)} characters"
                raise Unfit(found, "the members of this record")
            return tuple(made)

        return _of_class(dict, convert_record)

    def union(self, union: Union) -> Converter:
        alternatives = zip(self._built.kinds[union.name], union.alternatives, strict=True)
        by_kind = {kind: (n, self.of(a.type)) for n, (kind, a) in enumerate(alternatives) if a.type}
        expected = " or ".join(by_kind)
        if "number" in by_kind:
            by_kind.setdefault("integer", by_kind["number"])

        def convert_union(value: Any) -> tuple[int, Any]:
            if (kind := kind_of(value)) not in by_kind:
                raise Unfit(kind, expected)
            index, convert = by_kind[kind]
            return index, convert(value)

        return convert_union


def kind_of(value: Any) -> str:
    """Returns the kind of a JSON value, in the words of JSON Schema."""
    return _KINDS[type(value)]


def scalar(type: Scalar) -> Converter:
    if type == string:
        return _of_class(str)
    if type.name == "bool":
        return _of_class(bool)
    return _float(type) if type.is_float else _integer(type)


def same(value: Any) -> Any:
    """Returns the value as it is: the converter where nothing has to be done."""
    return value


def _of_class(wanted: type, convert: Converter = same) -> Converter:
    """Returns a converter that refuses values of any other class of Python than ``wanted``."""

    def checked(value: Any) -> Any:
        if type(value) is not wanted:
            raise Unfit(kind_of(value), _KINDS[wanted])
        return convert(value)

    return checked


def _integer(wanted: Scalar) -> Converter:
    low, high = wanted.bounds

    def convert(value: Any) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise Unfit(kind_of(value), wanted.name)
        if not low <= value <= high:
            raise Unfit(
                f"an integer of {value.bit_length()} bits{' and a sign' if value < 0 else ''}", wanted.name
            )
        return value

    return convert


def _float(wanted: Scalar) -> Converter:
    pack = struct.Struct(f"<{wanted.struct_format}").pack

    def convert(value: Any) -> float:
        if type(value) is not int and type(value) is not float:
            raise Unfit(kind_of(value), wanted.name)
        try:
            made = float(value)
            pack(made)
        except OverflowError:
            raise Unfit("a number beyond its range", wanted.name) from None
        return made

    return convert


def logical(type: Logical) -> Converter:
    match type.kind:
        case "timestamp":
            return timestamp(type.unit, type.zoned)
        case "date":
            return _of_class(str, days)
    return _of_class(str, _uuid)


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise Unfit(f"a string of {len(text)} characters", "a UUID in lower-case letters")
    return text


def days(text: str) -> int:
    """Returns the days from 1970-01-01 to a date such as 2026-11-22; raises Unfit for other text."""
    try:
        if _DATE.fullmatch(text):
            return (date.fromisoformat(text) - date(1970, 1, 1)).days
    except ValueError:
        pass
    raise Unfit(f"a string of {len(text)} characters", "a date such as 2026-11-22")


def timestamp(unit: str, zoned: bool = True) -> Converter:
    """Returns the converter of strings and numbers to timestamps in a unit. Whole numbers stay as they are,
    also those in strings. Other strings are times as in RFC 3339, without a zone if not ``zoned``, and have
    to be whole in the unit."""
    digits, pattern = _DIGITS[unit], _TIMESTAMP if zoned else _LOCAL
    whole = _integer(Scalar("i64", "q", 8))

    def convert(value: Any) -> int:
        if type(value) is not str:
            return int(whole(value))
        if _WHOLE.fullmatch(value):
            return int(whole(int(value)))
        expected = f"a time such as 2026-11-22T15:04:05{'Z' if zoned else ''} that is whole in {unit}"
        found = pattern.fullmatch(value)
        if not found or len(fraction := (found[3] or "").rstrip("0")) > digits:
            raise Unfit(f"a string of {len(value)} characters", expected)
        try:
            moment = datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00") - datetime(1970, 1, 1, tzinfo=UTC)
        except ValueError:
            raise Unfit(f"a string of {len(value)} characters", expected) from None
        offset = (1 if found[4] == "+" else -1) * (int(found[5]) * 60 + int(found[6])) * 60 if found[4] else 0
        seconds = moment // timedelta(seconds=1) - offset
        return int(whole(seconds * 10**digits + int(fraction.ljust(digits, "0") or 0)))

    return convert


def enum(type: Enum) -> Converter:
    numbers = {type.wire_name(name): number for name, number in type.members}

    def convert(text: str) -> int:
        if text not in numbers:
            raise Unfit(f"a string of {len(text)} characters", f"one of {len(numbers)} members")
        return numbers[text]

    return _of_class(str, convert)


def map_key(key: Type) -> Converter:
    """Returns the converter of a map's keys from their text. A number has to be written as JSON writes
    numbers, so that it comes back as it was."""
    if key == string:
        return same
    assert isinstance(key, Scalar)
    whole = _integer(key)

    def convert(text: str) -> int:
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,19}", text):
            raise Unfit(f"a key of {len(text)} characters", "a whole number")
        return int(whole(int(text)))

    return convert


def _list(convert: Converter) -> Converter:
    if convert is same:  # items that need not be looked at are in lists that need not be either
        return same

    def convert_list(value: list[Any]) -> list[Any]:
        made: list[Any] = []
        try:
            for item in value:
                made.append(convert(item))
        except Unfit as error:
            raise error.at(f"[{len(made)}]") from None
        return made

    return _of_class(list, convert_list)


def _map(convert_key: Converter, convert: Converter) -> Converter:
    if convert_key is same and convert is same:
        return same

    def convert_map(value: dict[str, Any]) -> dict[Any, Any]:
        try:
            return {convert_key(key): convert(each) for key, each in value.items()}
        except Unfit as error:
            raise error.at("{}") from None

    return _of_class(dict, convert_map)

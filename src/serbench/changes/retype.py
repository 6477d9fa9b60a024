"""Texts and floats that hold values of a shorter type: how each is read from the text and written again.

A value fits a type only if the type gives back the very same text or float, so nothing is lost.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from serbench.changes.change import Change, declared, edited, refused
from serbench.changes.free import FREE
from serbench.changes.kinds import inside, with_type
from serbench.changes.paths import Place, place_of
from serbench.changes.wholes import edit_at
from serbench.errors import ValueMismatch
from serbench.model import Enum, Logical, Ref, Schema, Type, bytes_, f64, i64, logical, string, u8
from serbench.model.names import pascal
from serbench.model.types import NOTHING, SCALARS

_EPOCH = date(1970, 1, 1).toordinal()
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")
_PRECISION, _SCALES = 18, range(1, 7)
_NUMBER = re.compile(r"(-?[0-9]{1,12})\.([0-9]{1,6})")
"""The texts of numbers with decimals, which have at most ``_PRECISION`` digits."""


@dataclass(frozen=True)
class ValueForm:
    """A form that all texts, or all floats, of a field may have.

    Attributes:
        of: the type of the values that may have it: a string or an ``f64``.
        type: the type that holds such values in fewer bytes.
        read: makes of a value the one of ``type``; it may raise ValueError.
        write: makes of a value of ``type`` the value that was read.
    """

    of: Type
    type: Type
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]

    def forward(self, value: Any) -> Any:
        """The value of ``type`` that stands for a value, or NOTHING if it does not have this form."""
        try:
            made = self.read(value)
            return made if self.write(made) == value else NOTHING
        except (ValueError, OverflowError, binascii.Error):
            return NOTHING

    def holds(self, value: Any) -> bool:
        """Whether a value has this form."""
        return self.forward(value) is not NOTHING


def _read_moment(digits: int, text: str) -> int:
    found = _MOMENT.fullmatch(text)
    if not found or len(found[2] or "") != digits:
        raise ValueError(text)
    seconds = datetime.fromisoformat(found[1]).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    whole = seconds.days * 86_400 + seconds.seconds
    moment = whole * int(10**digits) + int(found[2] or 0)
    low, high = i64.bounds
    if not low <= moment <= high:
        raise ValueError(text)
    return moment


def _write_moment(digits: int, value: int) -> str:
    seconds, rest = divmod(value, 10**digits)
    moment = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{rest:0{digits}}Z" if digits else f"{moment}Z"


def _read_scaled(scale: int, value: float) -> int:
    if not math.isfinite(value) or math.copysign(1, value) < 0 == value:
        raise ValueError(value)
    made: int = round(value * 10**scale)
    if abs(made) >= 10**_PRECISION:
        raise ValueError(value)
    return made


def _write_scaled(scale: int, value: int) -> float:
    return float(value / 10**scale)


def _read_digits(scale: int, text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if not found or len(found[2]) != scale:
        raise ValueError(text)
    return int(found[1] + found[2])


def _write_digits(scale: int, value: int) -> str:
    digits = f"{abs(value):0{scale + 1}}"
    return f"{'-' * (value < 0)}{digits[:-scale]}.{digits[-scale:]}"


def _forms() -> dict[str, ValueForm]:
    found = {
        "uuid": ValueForm(
            string, logical.uuid(), lambda text: UUID(text).bytes, lambda value: str(UUID(bytes=value))
        ),
        "hex": ValueForm(string, bytes_, bytes.fromhex, bytes.hex),
        "base64": ValueForm(
            string,
            bytes_,
            partial(base64.b64decode, validate=True),
            lambda value: base64.b64encode(value).decode(),
        ),
        "date": ValueForm(
            string,
            logical.date(),
            lambda text: date.fromisoformat(text).toordinal() - _EPOCH,
            lambda value: date.fromordinal(value + _EPOCH).isoformat(),
        ),
    }
    for unit, digits in _DIGITS.items():
        found[f"timestamp({unit})"] = ValueForm(
            string, logical.timestamp(unit), partial(_read_moment, digits), partial(_write_moment, digits)
        )
    for scale in _SCALES:
        scaled = logical.decimal(_PRECISION, scale, i64)
        found[f"decimal({scale})"] = ValueForm(
            f64, scaled, partial(_read_scaled, scale), partial(_write_scaled, scale)
        )
        found[f"digits({scale})"] = ValueForm(
            string, scaled, partial(_read_digits, scale), partial(_write_digits, scale)
        )
    return found


FORMS = _forms()
"""The word of each form → the form."""


AS_BYTES = "utf8"
"""The word of the form that all texts have: the bytes of their UTF-8. It saves no bytes; a library may take
less time, since it need not look whether they are a text."""

_ALL_FORMS = {**FORMS, AS_BYTES: ValueForm(string, bytes_, str.encode, bytes.decode)}


def form_of(type: Any, word: str) -> ValueForm | None:
    """The form of that word if values of the type may have it."""
    form = _ALL_FORMS.get(word)
    plain = type.base if isinstance(type, Logical) and type.kind == "uuid" else type
    return form if form is not None and plain == form.of else None


_ENUM = re.compile(r"enum\((\d{1,3}),(\d{1,2})\)")
_MEMBERS = 255


def _enum_of(schema: Schema, place: Place, word: str) -> tuple[Enum, ValueForm] | None:
    """An enum with so many members, and the form of texts that it holds; None if the word says none.

    The texts get numbers in the order in which the messages have them. Members are named by these numbers and
    are as long as the word says, since some formats write names, and names of texts would tell the data.
    """
    found = _ENUM.fullmatch(word)
    if not found or place.inner != string or not 0 < int(found[1]) <= _MEMBERS:
        return None
    count, characters = int(found[1]), int(found[2])
    name = pascal(f"{place.part}_text")
    while name in declared(schema) or name in SCALARS:
        name += "Enum"
    enum = Enum(name, u8, [f"v{number:0{max(1, characters - 1)}}" for number in range(count)])
    numbers: dict[str, int] = {}

    def read(text: str) -> int:
        if text not in numbers and len(numbers) == count:
            raise ValueError
        return numbers.setdefault(text, len(numbers))

    def write(number: int) -> str:
        return list(numbers)[number] if number < len(numbers) else FREE

    return enum, ValueForm(string, Ref(name), read, write)


def retype(schema: Schema, text: str, argument: str) -> Change:
    """Texts or floats become values of the type that their form stands for, ``path:form``, or members of an
    enum, ``path:enum(3,8)``, of so many members of so many characters; values that do not have the form do
    not fit."""
    path, _, word = argument.partition(":")
    place = place_of(schema, path)
    enum = _enum_of(schema, place, word) if place.type is not None else None
    form = enum[1] if enum else form_of(place.inner, word) if place.type is not None else None
    if form is None:
        words = ", ".join([*_ALL_FORMS, f"enum(MEMBERS,CHARACTERS) of at most {_MEMBERS} members"])
        raise refused(text, f"expected the path of a string or f64, and one of {words}")
    types = with_type(schema, text, path, inside(lambda type: form.type))
    new = edited(text, schema, types | ({enum[0].name: enum[0]} if enum else {}))

    def read(value: Any) -> Any:
        made = None if value is None else form.forward(value)
        if made is NOTHING:
            raise ValueMismatch(f"{path}: the value is no {word}")
        return made

    def write(value: Any) -> Any:
        try:
            return None if value is None else form.write(value)
        except (ValueError, OverflowError, OSError):  # a moment beyond the years that texts have
            return FREE

    return Change(text, schema, new, edit_at(schema, place, read), edit_at(new, place, write))

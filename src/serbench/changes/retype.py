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

from serbench.changes.change import Change, edited, refused
from serbench.changes.kinds import inside, with_type
from serbench.changes.paths import place_of
from serbench.changes.wholes import edit_at
from serbench.errors import ValueMismatch
from serbench.model import Logical, Schema, Type, bytes_, f64, i64, logical, string
from serbench.model.types import NOTHING

_EPOCH = date(1970, 1, 1).toordinal()
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")
_PRECISION, _SCALES = 18, range(1, 7)


@dataclass(frozen=True)
class Form:
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
    return whole * int(10**digits) + int(found[2] or 0)


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


def _forms() -> dict[str, Form]:
    found = {
        "uuid": Form(
            string, logical.uuid(), lambda text: UUID(text).bytes, lambda value: str(UUID(bytes=value))
        ),
        "hex": Form(string, bytes_, bytes.fromhex, bytes.hex),
        "base64": Form(
            string,
            bytes_,
            partial(base64.b64decode, validate=True),
            lambda value: base64.b64encode(value).decode(),
        ),
        "date": Form(
            string,
            logical.date(),
            lambda text: date.fromisoformat(text).toordinal() - _EPOCH,
            lambda value: date.fromordinal(value + _EPOCH).isoformat(),
        ),
    }
    for unit, digits in _DIGITS.items():
        found[f"timestamp({unit})"] = Form(
            string, logical.timestamp(unit), partial(_read_moment, digits), partial(_write_moment, digits)
        )
    for scale in _SCALES:
        found[f"decimal({scale})"] = Form(
            f64,
            logical.decimal(_PRECISION, scale, i64),
            partial(_read_scaled, scale),
            partial(_write_scaled, scale),
        )
    return found


FORMS = _forms()
"""The word of each form → the form."""


def form_of(type: Any, word: str) -> Form | None:
    """The form of that word if values of the type may have it."""
    form = FORMS.get(word)
    plain = type.base if isinstance(type, Logical) and type.kind == "uuid" else type
    return form if form is not None and plain == form.of else None


def retype(schema: Schema, text: str, argument: str) -> Change:
    """Texts or floats become values of the type that their form stands for, ``path:form``; values that do
    not have the form do not fit."""
    path, _, word = argument.partition(":")
    place = place_of(schema, path)
    form = form_of(place.inner, word) if place.type is not None else None
    if form is None:
        raise refused(text, f"expected the path of a string or f64, and one of {', '.join(FORMS)}")
    new = edited(text, schema, with_type(schema, text, path, inside(lambda type: form.type)))

    def read(value: Any) -> Any:
        made = None if value is None else form.forward(value)
        if made is NOTHING:
            raise ValueMismatch(f"{path}: the value is no {word}")
        return made

    def write(value: Any) -> Any:
        return None if value is None else form.write(value)

    return Change(text, schema, new, edit_at(schema, place, read), edit_at(new, place, write))

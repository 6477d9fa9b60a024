"""The types, values and bytes that catalogues of cases name as data."""

from __future__ import annotations

import re
from typing import Any

from serbench.model import Alternative, Field, List, Optional, Record, Scalar, Type, Union
from serbench.model.types import SCALARS


def valued(type: Type, value: Any) -> Any:
    """A value of a catalogue as one of its type."""
    match type:
        case Scalar("bytes"):
            return bytes.fromhex(value)
        case Optional(item):
            return None if value == {} else valued(item, value)
        case List(item):
            return [valued(item, each) for each in value]
        case Record(_, fields):
            return tuple(valued(of.type, each) for of, each in zip(fields, value, strict=True))
        case Union(_, alternatives):
            of = alternatives[value[0]].type
            return value[0], None if of is None else valued(of, value[1])
    return value


def type_of(text: str) -> Type:
    """The type that a text names: a scalar, ``list<…>``, ``optional<…>``, or ``record<…,…>`` and
    ``union<…,…>`` of scalars, whose fields and alternatives are ``a``, ``b`` and so on; raise KeyError where
    it names none."""
    inner = re.fullmatch(r"(list|optional|record|union)<(.+)>", text)
    if not inner:
        return SCALARS[text]
    if inner[1] in ("list", "optional"):
        return (List if inner[1] == "list" else Optional)(type_of(inner[2]))
    types = [SCALARS[each.strip()] for each in inner[2].split(",")]
    named = zip("abcdefgh", types, strict=False)
    name = ("And" if inner[1] == "record" else "Or").join(each.name.capitalize() for each in types)
    if inner[1] == "record":
        return Record(name, [Field(each, type) for each, type in named])
    return Union(name, [Alternative(each, type) for each, type in named])


_HEX = re.compile(r"'(?P<text>[^']*)'|(?P<byte>[0-9a-f]{2})(?:\*(?P<times>[0-9]+))?|[ \n]+")


def bytes_of_hex(text: str) -> bytes:
    """The bytes of hexadecimal digits and texts in single quotes; raise ValueError where it is neither."""
    made, at = bytearray(), 0
    while at < len(text):
        part = _HEX.match(text, at)
        if part is None:
            raise ValueError(f"found '{text[at:]}', expected hexadecimal digits or text in single quotes")
        if part["byte"]:
            made += bytes.fromhex(part["byte"]) * int(part["times"] or 1)
        made += (part["text"] or "").encode()
        at = part.end()
    return bytes(made)

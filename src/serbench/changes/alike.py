"""The places of a schema whose values are of one kind, such as all texts."""

from __future__ import annotations

from typing import Any

from serbench.changes.paths import Place, places
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Scalar,
    Schema,
    Union,
)

_WORDS: dict[type, str] = {
    FixedBytes: "bytes",
    Enum: "enums",
    List: "lists",
    Array: "lists",
    Map: "maps",
    Record: "records",
    Union: "unions",
}


def places_by_kind(schema: Schema) -> dict[str, list[Place]]:
    """Return the word for each kind of value, such as ``texts``, → the places that have it. An optional value
    is of two kinds: ``optionals``, and that of the value. A logical type is a kind of its own."""
    found: dict[str, list[Place]] = {}
    for place in places(schema):
        if isinstance(place.type, Optional):
            found.setdefault("optionals", []).append(place)
        if place.type is not None and (word := _word(place.inner)):
            found.setdefault(word, []).append(place)
    return found


def _word(type: Any) -> str:
    match type:
        case Logical(kind):
            return f"{kind}s"
        case Scalar("string"):
            return "texts"
        case Scalar("bytes"):
            return "bytes"
        case Scalar("bool"):
            return "bools"
        case Scalar():
            return "integers" if type.is_integer else "floats"
        case _:
            return _WORDS.get(type.__class__, "")

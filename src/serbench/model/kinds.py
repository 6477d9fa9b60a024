"""Kinds of types, each with an example: codecs tell by these words which types their libraries have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from serbench.errors import unknown
from serbench.model.logical import date, decimal, duration, time_of_day, timestamp, uuid
from serbench.model.schema import Schema
from serbench.model.types import (
    SCALARS,
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bool_,
    f64,
    i32,
    i64,
    string,
    u8,
    u64,
)

_color = Enum("Color", u8, ["red", "green"])
_point = Record("Point", [Field("x", f64), Field("y", f64)])
_size = Record("Size", [Field("width", i32), Field("height", i32)])

WRITTEN_NAME = "written name"
"""The one kind that is not a type: a field whose written name is no identifier."""

KINDS: dict[str, Type] = {
    **SCALARS,
    "fixed bytes": FixedBytes(16),
    "enum": _color,
    "open enum": Enum("Status", i32, ["unset", "ok"], open=True),
    "wide enum": Enum("Flags", u64, [("none", 0), ("top", 1 << 63)]),
    "record": _point,
    "empty record": Record("Nothing", []),
    "union of records": Union("Shape", [Alternative("point", _point), Alternative("size", _size)]),
    "union of scalars": Union("Reading", [Alternative("number", i64), Alternative("text", string)]),
    "union with an empty alternative": Union(
        "Answer", [Alternative("unknown"), Alternative("known", _point)]
    ),
    "list": List(i32),
    "list of lists": List(List(i32)),
    "list of optionals": List(Optional(i32)),
    "array": Array(i32, 3),
    "map by string": Map(string, i64),
    "map by number": Map(i32, i64),
    "map by bool": Map(bool_, i64),
    "map by enum": Map(_color, i64),
    "optional number": Optional(i32),
    "optional record": Optional(_point),
    "optional list": Optional(List(i32)),
    "recursion in a list": Record("Folder", [Field("name", string), Field("folders", List(Ref("Folder")))]),
    "recursion in a map": Record("Scope", [Field("number", i32), Field("scopes", Map(string, Ref("Scope")))]),
    "recursion in an optional": Record("Chain", [Field("value", i32), Field("next", Optional(Ref("Chain")))]),
    "recursion in a union": Union(
        "Expression", [Alternative("number", _size), Alternative("negated", Ref("Expression"))]
    ),
    "timestamp": timestamp("ns"),
    "date": date(),
    "time": time_of_day("us"),
    "duration": duration("ns"),
    "decimal": decimal(18, 2),
    "uuid": uuid(),
    WRITTEN_NAME: Record("Spelt", [Field("spelt", i32, wire="@spelt")]),
}
"""Word for a kind → a field's type as an example. Apart from the scalars themselves, examples hold only
scalars that no IDL has to widen."""

LOGICAL = frozenset(word for word, type in KINDS.items() if isinstance(type, Logical))


def kinds_called(word: str) -> tuple[str, ...]:
    """The kinds that ``word`` stands for: the one of this name, and those whose names begin with this word,
    such as ``map by bool`` for ``map``.

    Raises:
        SerbenchError: there is no such kind; the message names all kinds.
    """
    found = tuple(kind for kind in KINDS if kind == word or kind.startswith(f"{word} "))
    if not found:
        raise unknown("kind of type", word, KINDS)
    return found


def schema_of(kinds: Iterable[str], name: str = "kinds") -> Schema:
    """A schema whose root has one field for each of ``kinds``, and a float beside them. Without the float,
    some libraries would write a root of a single field as that field alone, and codecs for floats would
    find none."""
    fields = [Field(field_of(kind), KINDS[kind]) for kind in kinds]
    return Schema(name, Record("Kinds", [Field("beside", f64), *fields]))


def field_of(kind: str) -> str:
    """The name of the field that stands for ``kind`` in ``schema_of``."""
    return f"of_{kind.replace(' ', '_')}"


def kinds_in(type: Type) -> Iterator[str]:
    """The kinds of a type and of types inside it, from the outside in, but not inside records and unions."""
    match type:
        case Scalar(name):
            yield name
        case FixedBytes():
            yield "fixed bytes"
        case Logical(kind):
            yield kind
        case Enum():
            numbers = type.underlying.bounds if type.open else [number for _, number in type.members]
            is_wide = not all(-(1 << 31) <= number < 1 << 31 for number in numbers)
            yield "wide enum" if is_wide else "open enum" if type.open else "enum"
        case Record(_, fields):
            yield "record" if fields else "empty record"
        case Union(_, alternatives):
            held = [each.type for each in alternatives]
            records = all(isinstance(each, Record) for each in held)
            yield (
                "union with an empty alternative"
                if None in held
                else f"union of {'records' if records else 'scalars'}"
            )
        case Ref():
            yield from kinds_in(type.target)
        case Optional(item) | List(item) | Array(item, _) | Map(_, item):
            yield _around(type, item)
            yield from kinds_in(item)


def _around(type: Optional | List | Array | Map, item: Type) -> str:
    place = {Optional: "an optional", List: "a list", Map: "a map"}.get(type.__class__)
    if isinstance(item, Ref) and place:
        return f"recursion in {place}"
    match type:
        case Optional(List() | Map() | Array()):
            return "optional list"
        case Optional():
            return "optional record" if isinstance(item, Record | Union) else "optional number"
        case List(List() | Map() | Array()):
            return "list of lists"
        case List():
            return "list of optionals" if isinstance(item, Optional) else "list"
        case Map(Scalar() as key, _):
            return f"map by {key.name}" if key in (string, bool_) else "map by number"
        case Map():
            return "map by enum"
    return "array"

"""Schemas as plain JSON values, as datasets carry them.

Features of the first edition of the type model are always written, and later ones only where a schema uses
them, so that older schemas keep their digests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from serbench.model.types import (
    NOTHING,
    SCALARS,
    Alternative,
    Array,
    Composite,
    Enum,
    Field,
    FixedBytes,
    Gone,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)


def to_json(name: str, root: Record, types: Iterable[Composite | Enum]) -> dict[str, Any]:
    """The types of a schema as plain JSON values; ``from_json`` reads them back."""
    given = list(types)
    unions = [_composite_to_json(t) for t in given if isinstance(t, Union)]
    return {
        "name": name,
        "root": root.name,
        "enums": [_enum_to_json(t) for t in given if isinstance(t, Enum)],
        "records": [_composite_to_json(t) for t in given if isinstance(t, Record)],
        **({"unions": unions} if unions else {}),
    }


def from_json(data: dict[str, Any]) -> tuple[str, Record | None, list[Composite | Enum]]:
    """The name, root and types of a schema; the root is None if it is not declared.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: ``data`` is not what ``to_json`` makes.
    """
    enums = [_enum_from_json(each) for each in data["enums"]]
    records = [_record_from_json(each) for each in data["records"]]
    unions = [_union_from_json(each) for each in data.get("unions", [])]
    root = next((r for r in records if r.name == data["root"]), None)
    return data["name"], root, [*enums, *records, *unions]


def _enum_to_json(enum: Enum) -> dict[str, Any]:
    return {
        "name": enum.name,
        "underlying": enum.underlying.name,
        "members": [list(member) for member in enum.members],
        **({"aliases": [list(alias) for alias in enum.aliases]} if enum.aliases else {}),
        **({"open": True} if enum.open else {}),
        **({"wire": [list(pair) for pair in enum.wire]} if enum.wire else {}),
        **_gone_to_json(enum.gone),
    }


def _enum_from_json(data: dict[str, Any]) -> Enum:
    return Enum(
        data["name"],
        SCALARS.get(data["underlying"], data["underlying"]),
        [(name, value) for name, value in data["members"]],
        [(name, value) for name, value in data.get("aliases", [])],
        data.get("open", False) is True,
        [(name, wire) for name, wire in data.get("wire", [])],
        _gone_from_json(data),
    )


def _record_from_json(data: dict[str, Any]) -> Record:
    fields = [_field_from_json(each) for each in data["fields"]]
    return Record(data["name"], fields, data.get("wire", ""), _gone_from_json(data))


def _union_from_json(data: dict[str, Any]) -> Union:
    alternatives = [Alternative(**_part_from_json(each)) for each in data["alternatives"]]
    return Union(data["name"], alternatives, data.get("wire", ""), _gone_from_json(data))


def _composite_to_json(composite: Composite, whole: bool = False) -> dict[str, Any]:
    return {
        "name": composite.name,
        "fields" if isinstance(composite, Record) else "alternatives": [
            _part_to_json(part, whole) for part in composite.parts
        ],
        **({"wire": composite.wire} if composite.wire else {}),
        **_gone_to_json(composite.gone),
    }


def _gone_to_json(gone: Sequence[Gone]) -> dict[str, Any]:
    def told(each: Gone) -> dict[str, Any]:
        return {
            **({"name": each.name} if each.name else {}),
            **({"number": each.number} if each.number is not None else {}),
            **({"type": _type_to_json(each.type, whole=True)} if each.type is not None else {}),
            "place": each.place,
            **({"last": each.last} if each.last is not None else {}),
            **({"hints": [list(hint) for hint in each.hints]} if each.hints else {}),
        }

    return {"gone": [told(each) for each in gone]} if gone else {}


def _gone_from_json(data: dict[str, Any]) -> list[Gone]:
    return [
        Gone(
            each.get("name", ""),
            each.get("number"),
            None if each.get("type") is None else _type_from_json(each["type"]),
            each["place"],
            each.get("last"),
            tuple((idl, hint) for idl, hint in each.get("hints", [])),
        )
        for each in data.get("gone", [])
    ]


def _part_to_json(part: Field | Alternative, whole: bool = False) -> dict[str, Any]:
    default = part.default if isinstance(part, Field) else NOTHING
    return {
        "name": part.name,
        "type": None if part.type is None else _type_to_json(part.type, whole),
        "number": part.number,
        **({"wire": part.wire} if part.wire else {}),
        **({"default": default} if default is not NOTHING else {}),
        **({"hints": [list(hint) for hint in part.hints]} if part.hints else {}),
    }


def _field_from_json(data: dict[str, Any]) -> Field:
    return Field(**_part_from_json(data), default=data.get("default", NOTHING))


def _part_from_json(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": data["name"],
        "type": None if data["type"] is None else _type_from_json(data["type"]),
        "number": data["number"],
        "wire": data.get("wire", ""),
        "hints": [(idl, hint) for idl, hint in data.get("hints", [])],
    }


def _type_to_json(type: Type, whole: bool = False) -> Any:
    """A type as plain JSON; ``whole`` is whether named types are in it with all that they have, as in the
    outline of a part that is gone, or only by name."""
    match type:
        case Enum() if whole:
            return {"enum": _enum_to_json(type)}
        case Record() | Union() if whole:
            kind = "record" if isinstance(type, Record) else "union"
            return {kind: _composite_to_json(type, whole)}
        case Scalar(name) | Enum(name) | Record(name) | Union(name) | Ref(name):
            return name
        case FixedBytes(length):
            return {"bytes": length}
        case Logical(kind, base, unit, zoned, precision, scale):
            return {
                "logical": kind,
                "over": _type_to_json(base, whole),
                **({"unit": unit} if unit else {}),
                **({"zoned": False} if not zoned else {}),
                **({"precision": precision, "scale": scale} if precision else {}),
            }
        case List(item):
            return {"list": _type_to_json(item, whole)}
        case Array(item, length):
            return {"array": _type_to_json(item, whole), "length": length}
        case Map(key, value):
            return {"map": [_type_to_json(key, whole), _type_to_json(value, whole)]}
        case Optional(item):
            return {"optional": _type_to_json(item, whole)}


def _type_from_json(data: Any) -> Any:
    match data:
        case str(name):
            return SCALARS.get(name, Ref(name))
        case {"list": item}:
            return List(_type_from_json(item))
        case {"array": item, "length": length}:
            return Array(_type_from_json(item), length)
        case {"map": [key, value]}:
            return Map(_type_from_json(key), _type_from_json(value))
        case {"optional": item}:
            return Optional(_type_from_json(item))
        case {"enum": enum}:
            return _enum_from_json(enum)
        case {"record": record}:
            return _record_from_json(record)
        case {"union": union}:
            return _union_from_json(union)
        case {"bytes": length}:
            return FixedBytes(length)
        case {"logical": kind, "over": base}:
            unit, zoned = data.get("unit", ""), data.get("zoned", True)
            return Logical(
                kind, _type_from_json(base), unit, zoned, data.get("precision", 0), data.get("scale", 0)
            )
        case _:
            return data  # not a type; the check of declarations says so

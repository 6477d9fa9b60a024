"""Schemas as plain JSON values, as datasets carry them.

Features of the first edition of the type model are always written, and later ones only where a schema uses
them, so that older schemas keep their digests.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    records = [
        Record(each["name"], [_field_from_json(f) for f in each["fields"]], each.get("wire", ""))
        for each in data["records"]
    ]
    unions = [
        Union(
            each["name"],
            [Alternative(**_part_from_json(part)) for part in each["alternatives"]],
            each.get("wire", ""),
        )
        for each in data.get("unions", [])
    ]
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
    }


def _enum_from_json(data: dict[str, Any]) -> Enum:
    return Enum(
        data["name"],
        SCALARS.get(data["underlying"], data["underlying"]),
        [(name, value) for name, value in data["members"]],
        [(name, value) for name, value in data.get("aliases", [])],
        data.get("open", False) is True,
        [(name, wire) for name, wire in data.get("wire", [])],
    )


def _composite_to_json(composite: Composite) -> dict[str, Any]:
    return {
        "name": composite.name,
        "fields" if isinstance(composite, Record) else "alternatives": [
            _part_to_json(part) for part in composite.parts
        ],
        **({"wire": composite.wire} if composite.wire else {}),
    }


def _part_to_json(part: Field | Alternative) -> dict[str, Any]:
    default = part.default if isinstance(part, Field) else NOTHING
    return {
        "name": part.name,
        "type": None if part.type is None else _type_to_json(part.type),
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


def _type_to_json(type: Type) -> Any:
    match type:
        case Scalar(name) | Enum(name) | Record(name) | Union(name) | Ref(name):
            return name
        case FixedBytes(length):
            return {"bytes": length}
        case Logical(kind, base, unit, zoned, precision, scale):
            return {
                "logical": kind,
                "over": _type_to_json(base),
                **({"unit": unit} if unit else {}),
                **({"zoned": False} if not zoned else {}),
                **({"precision": precision, "scale": scale} if precision else {}),
            }
        case List(item):
            return {"list": _type_to_json(item)}
        case Array(item, length):
            return {"array": _type_to_json(item), "length": length}
        case Map(key, value):
            return {"map": [_type_to_json(key), _type_to_json(value)]}
        case Optional(item):
            return {"optional": _type_to_json(item)}


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
        case {"bytes": length}:
            return FixedBytes(length)
        case {"logical": kind, "over": base}:
            unit, zoned = data.get("unit", ""), data.get("zoned", True)
            return Logical(
                kind, _type_from_json(base), unit, zoned, data.get("precision", 0), data.get("scale", 0)
            )
        case _:
            return data  # not a type; the check of declarations says so

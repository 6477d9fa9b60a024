"""Random Avro schemas that use every kind of type that Avro has, random values of them in the type model, and
the same values in the form that fastavro writes."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from random import Random
from typing import Any

import fastavro

from serbench.imports.avro import read
from serbench.imports.base import Imported, Request
from serbench.model import Enum, FixedBytes, List, Logical, Map, Optional, Record, Ref, Scalar, Type, Union
from serbench.model.parts import resolved

_LOGICAL: list[dict[str, Any]] = [
    {"type": "int", "logicalType": "date"},
    {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "time-micros"},
    *(
        {"type": "long", "logicalType": f"{local}timestamp-{unit}"}
        for local in ("", "local-")
        for unit in ("millis", "nanos")
    ),
    {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 2},
    {"type": "string", "logicalType": "uuid"},
    {"type": "long", "logicalType": "of-somebody"},
]

_PLAIN = ["boolean", "int", "long", "float", "double", "bytes", "string", "null"]


class DrawnSchema:
    """Draws a random Avro schema; ``json`` is its outermost record."""

    def __init__(self, draws: Random):
        self._draws = draws
        self._names: list[str] = []
        self._records: list[str] = []
        self.json = self._record(0)

    def _name(self) -> str:
        namespace = self._draws.choice(("a.b.", "a.c.", "x."))
        self._names.append(f"{namespace}T{len(self._names)}")
        return self._names[-1]

    def _record(self, depth: int) -> Any:
        name, count = self._name(), self._draws.randrange(0 if depth else 1, 6)
        names = self._draws.sample(
            ["a", "B", "a_b", "_c", "d__e", "int", "class", "value", "key", "f1", "A"], count
        )
        fields: list[Any] = []
        if count:
            self._records.append(name)  # lists may lead back to these records, so each has to take a byte
            fields.append({"name": "id", "type": "long"})
        fields += ({"name": each, "type": self._type(depth + 1)} for each in names)
        if depth and self._draws.random() < 0.4:
            fields.append({"name": "back", "type": self._way_back(self._draws.choice(self._records))})
        return {
            "type": "record",
            "name": name.rsplit(".", 1)[-1],
            "namespace": name.rpartition(".")[0],
            "fields": fields,
        }

    def _way_back(self, name: str) -> Any:
        return self._draws.choice(
            (["null", name], [name, "null"], {"type": "array", "items": name}, ["int", name, "null"])
        )

    def _named(self) -> Any:
        name = {"name": self._name()}
        match self._draws.randrange(4):
            case 0:
                return {
                    "type": "enum",
                    **name,
                    "symbols": self._draws.choice((["A"], ["A", "b", "_C", "null"])),
                }
            case 1:
                return {"type": "fixed", **name, "size": self._draws.choice((1, 12, 16))}
            case 2:
                return {"type": "fixed", **name, "size": 16, "logicalType": "uuid"}
            case _:
                return {
                    "type": "fixed",
                    **name,
                    "size": 12,
                    "logicalType": self._draws.choice(("duration", "decimal")),
                    "precision": 9,
                }

    def _type(self, depth: int) -> Any:
        kind = self._draws.randrange(10 if depth < 4 else 5)
        if kind < 3:
            return self._draws.choice(_PLAIN)
        if kind == 3:
            return dict(self._draws.choice(_LOGICAL))
        if kind == 4:
            return self._named()
        if kind == 5:
            return self._record(depth)
        if kind in (6, 7):
            inner = self._type(depth + 1)
            if kind == 6 and (inner == "null" or (isinstance(inner, dict) and inner.get("fields") == [])):
                inner = "string"  # a list of what takes no byte is refused
            return {"type": "array", "items": inner} if kind == 6 else {"type": "map", "values": inner}
        return self._union(depth)

    def _union(self, depth: int) -> Any:
        branches: dict[str, Any] = {}
        for _ in range(self._draws.randrange(1, 5)):
            known = len(self._records)
            branch = self._draws.choice(("null", None, None, None)) or self._type(depth + 1)
            kind = branch["type"] if isinstance(branch, dict) else "" if isinstance(branch, list) else branch
            if kind and kind not in branches:
                branches[str(id(branch)) if kind in ("record", "enum", "fixed") else kind] = branch
            else:
                del self._records[known:]  # with the branch, what it declares is left out
        return [*branches.values()] or ["null"]


def value_of(type: Type, draws: Random, depth: int = 0) -> Any:
    """A random value of a type; below a certain depth, lists are empty and optionals absent, so that
    recursion ends."""
    match type:
        case Ref():
            return value_of(type.target, draws, depth + 1)
        case Logical():
            return value_of(type.base, draws, depth)
        case Scalar("bool"):
            return draws.random() < 0.5
        case Scalar("string"):
            return draws.choice(("", "NUL \0", "日本", "x" * 70))
        case Scalar("bytes"):
            return draws.randbytes(draws.choice((0, 1, 100)))
        case Scalar("f32"):
            return draws.choice(
                (0.0, -0.0, math.inf, math.nan, struct.unpack("<f", struct.pack("<f", draws.random()))[0])
            )
        case Scalar("f64"):
            return draws.choice((0.0, -0.0, -math.inf, math.nan, draws.random()))
        case Scalar():
            low, high = type.bounds
            return draws.choice((low, high, 0, -1, draws.randint(-70, 70)))
        case FixedBytes(length):
            return draws.randbytes(length)
        case Enum(_, _, members):
            return draws.choice(members)[1]
        case List(item):
            return [
                value_of(item, draws, depth + 1) for _ in range(draws.choice((0, 1, 3)) if depth < 6 else 0)
            ]
        case Map(_, item):
            return {
                f"k{n}": value_of(item, draws, depth + 1)
                for n in range(draws.choice((0, 1, 3)) if depth < 6 else 0)
            }
        case Optional(item):
            return None if depth > 6 or draws.random() < 0.4 else value_of(item, draws, depth + 1)
        case Record(_, fields):
            return tuple(value_of(each.type, draws, depth + 1) for each in fields)
        case Union(_, alternatives):
            indexes = [
                n
                for n, each in enumerate(alternatives)
                if each.type is None or depth < 6 or isinstance(each.type, Scalar)
            ]
            index = draws.choice(indexes or range(len(alternatives)))
            chosen = alternatives[index].type
            return index, None if chosen is None else value_of(chosen, draws, depth + 1)
    raise TypeError(type)


def as_written(schema: Any, type: Type, value: Any, named: dict[str, Any]) -> Any:
    """A value of the type model in the form that fastavro's writers take.

    Args:
        schema: the Avro schema by which fastavro is to write the value: either the imported one, or the one
            that serbench writes, which has further records around types without a name.
        named: the Avro schema of each named type, by its name.
    """
    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    type = type.base if isinstance(type, Logical) else resolved(type)
    kind = "union" if isinstance(schema, list) else schema["type"] if isinstance(schema, dict) else schema
    if kind == "record" and not isinstance(type, Record):
        [field] = schema["fields"]
        return {field["name"]: as_written(field["type"], type, value, named)}
    match type:
        case Record(_, fields):
            if kind == "null":
                return None
            pairs = zip(schema["fields"], fields, value, strict=True)
            return {
                theirs["name"]: as_written(theirs["type"], each.type, v, named) for theirs, each, v in pairs
            }
        case Optional(item):
            if value is None:
                return None
            [branch] = (each for each in schema if each != "null")
            return _branch(branch), as_written(branch, item, value, named)
        case Union(_, alternatives):
            chosen = alternatives[value[0]].type
            return (
                None
                if chosen is None
                else (_branch(schema[value[0]]), as_written(schema[value[0]], chosen, value[1], named))
            )
        case List(item):
            return [as_written(schema["items"], item, each, named) for each in value]
        case Map(_, item):
            return {key: as_written(schema["values"], item, each, named) for key, each in value.items()}
        case Enum():
            return schema["symbols"][value]
    return value


def _branch(schema: Any) -> str:
    return str(schema.get("name") or schema["type"]) if isinstance(schema, dict) else schema


def without_logical(schema: Any) -> Any:
    """The schema without its logical types, so that fastavro takes plain integers, bytes and strings in place
    of dates and decimals."""
    if isinstance(schema, list):
        return [without_logical(each) for each in schema]
    if isinstance(schema, dict):
        return {key: without_logical(each) for key, each in schema.items() if key != "logicalType"}
    return schema


def parsed(schema: Any) -> tuple[Any, dict[str, Any]]:
    named: dict[str, Any] = {}
    return fastavro.parse_schema(json.loads(json.dumps(without_logical(schema))), named), named


def imported(folder: Path, schema: Any, messages: list[Any] | None = None, **options: Any) -> Imported:
    """Imports an Avro schema; or, if ``messages`` are given in the form that fastavro takes, a container file
    of these messages."""
    file = folder / ("m.avsc" if messages is None else "m.avro")
    if messages is None:
        file.write_text(json.dumps(schema))
    else:
        with file.open("wb") as stream:
            fastavro.writer(stream, without_logical(schema), messages, **options)
    return read(Request((file,)))

"""A checked, closed set of types with a root: what generators and encoders are given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from serbench.errors import SchemaError
from serbench.model.check import check_declarations
from serbench.model.types import SCALARS, Array, Enum, Field, List, Map, Optional, Record, Ref, Scalar, Type, parts


@dataclass(frozen=True)
class Walk:
    """Where a schema's graph is.

    Attributes:
        nodes: the root's list of nodes.
        edges: a node's list of the edges that lead from it.
        target: an edge's index of the node that it leads to.
        source: an edge's index of the node that it leads from; empty where edges do not say.
    """

    nodes: str
    edges: str
    target: str
    source: str = ""


class Schema:
    """The types of one workload.

    Attributes:
        name: names the generated files and namespaces.
        root: the record that every message of a dataset is a value of.
        records: every record that the root reaches, each after those it contains.
        enums: every enum that the root reaches.
        walk: how its data are a graph, if they are; no part of the layout.
    """

    def __init__(self, name: str, root: Record, also: Iterable[Record | Enum] = (), walk: Walk | None = None):
        """``also`` holds records and enums that fields refer to by name.

        Raises:
            SchemaError: names every fault of the declarations, not only the first.
        """
        declared = _collect([root, *also])
        problems = check_declarations(declared)
        if problems:
            raise SchemaError(name, problems)
        self.name = name
        self._resolved: dict[str, Record | Enum] = {}
        self._named: dict[str, Record | Enum] = {t.name: t for t in declared}
        self.root: Record = self._resolve(root)
        self.records = [t for t in self._resolved.values() if isinstance(t, Record)]
        self.enums = [t for t in self._resolved.values() if isinstance(t, Enum)]
        self.walk = walk
        if walk:
            self._check_walk(walk)

    @property
    def named(self) -> list[Record | Enum]:
        """Every enum, then every record."""
        return [*self.enums, *self.records]

    @classmethod
    def made(cls, name: str, root: Any, records: Iterable[Any], enums: Iterable[Any], walk: Walk | None = None) -> Schema:
        """A schema of checked types under other names, each record after those it contains."""
        schema = cls.__new__(cls)
        schema.name, schema.root, schema.walk = name, root, walk
        schema.records, schema.enums = list(records), list(enums)
        return schema

    def _check_walk(self, walk: Walk) -> None:
        record = self.root
        for name in (walk.nodes, walk.edges):
            type = next((f.type for f in record.fields if f.name == name), None)
            if not (isinstance(type, List) and isinstance(type.item, Record)):
                raise SchemaError(self.name, [f"walk: record {record.name} has no field {name} that is a list of records"])
            record = type.item
        target, source = (next((f.type for f in record.fields if f.name == name), None) for name in (walk.target, walk.source))
        if not (isinstance(target, Scalar) and target.is_integer):
            raise SchemaError(self.name, [f"walk: record {record.name} has no integer field {walk.target}"])
        if walk.source and (source != target or walk.source == walk.target):
            raise SchemaError(self.name, [f"walk: record {record.name} has no other {target.name} field {walk.source}"])

    def _resolve(self, type: Type) -> Any:
        match type:
            case Ref(name):
                return self._resolve(self._named[name])
            case List(item):
                return List(self._resolve(item))
            case Array(item, length):
                return Array(self._resolve(item), length)
            case Optional(item):
                return Optional(self._resolve(item))
            case Map(key, value):
                return Map(self._resolve(key), self._resolve(value))
            case Enum(name):
                return self._resolved.setdefault(name, type)
            case Record(name, fields):
                if name not in self._resolved:
                    resolved = [Field(f.name, self._resolve(f.type), f.number) for f in fields]
                    unchanged = all(new == old for new, old in zip(resolved, fields, strict=True))
                    self._resolved[name] = type if unchanged else Record(name, resolved)
                return self._resolved[name]
            case _:
                return type

    def to_json(self) -> dict[str, Any]:
        """The schema as plain JSON values; ``from_json`` reads it back."""
        return {
            "name": self.name,
            "root": self.root.name,
            "enums": [
                {"name": e.name, "underlying": e.underlying.name, "members": [list(m) for m in e.members]} for e in self.enums
            ],
            "records": [
                {
                    "name": r.name,
                    "fields": [{"name": f.name, "type": _type_to_json(f.type), "number": f.number} for f in r.fields],
                }
                for r in self.records
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Schema:
        """Raises SchemaError where ``data`` does not declare a schema."""
        try:
            return cls._from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SchemaError("from JSON", [f"{type(error).__name__}: {error}"]) from error

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Schema:
        enums = [
            Enum(e["name"], SCALARS.get(e["underlying"], e["underlying"]), [(n, v) for n, v in e["members"]])
            for e in data["enums"]
        ]
        records = [
            Record(r["name"], [Field(f["name"], _type_from_json(f["type"]), f["number"]) for f in r["fields"]])
            for r in data["records"]
        ]
        roots = [r for r in records if r.name == data["root"]]
        if not roots:
            raise SchemaError(data["name"], [f"root record {data['root']} is not declared"])
        return cls(data["name"], roots[0], [*records, *enums])

    def digest(self) -> str:
        """SHA-256 of the schema's JSON, in hexadecimal: two schemas with one digest have one layout."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _collect(types: Iterable[Any]) -> list[Record | Enum]:
    """Every record and enum object met, in the order of meeting; equal ones once."""
    found: list[Record | Enum] = []

    def meet(type: Any) -> None:
        if isinstance(type, Record | Enum):
            if any(type is known or type == known for known in found):
                return
            found.append(type)
        for part in parts(type):
            meet(part)

    for type in types:
        meet(type)
    return found


def _type_to_json(type: Type) -> Any:
    match type:
        case Scalar(name) | Enum(name) | Record(name) | Ref(name):
            return name
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
        case _:
            return data  # the check names it as no type

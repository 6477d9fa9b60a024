"""Plans how the messages of a schema are read: makes its ``SchemaPart``s, and schemas for fastavro.

A record that leads back to itself becomes several copies, one for each step of recursion that a value may
take: else fastavro would follow data until its stack ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import fastavro

from serbench.imports.avro import parts
from serbench.imports.avro.branches import refuse_wrong_indexes
from serbench.imports.avro.mapping import VALUE
from serbench.imports.avro.parts import SchemaPart, Written
from serbench.imports.avro.schemas import RECORDS, Parsed, inner_schemas, kind_of, name_of, nullable
from serbench.model import i32
from serbench.model.types import MAX_DEPTH

DEEPER = {"type": "fixed", "name": "deeper", "size": (1 << 40) + 1}
"""Stands for one step of recursion too many: no data have so many bytes, so reading it fails."""

MOST_CALLS = 8000
"""The most of fastavro's reading functions inside each other: 13,500 fill a stack of 8 MiB."""

MOST_COPIES = 200_000
"""The most fields of copied records: these take a second to make, and some ten MB."""

BATCHES = (8, 2, 1)
"""The numbers of messages that one call reads, as the fields of a record; the greatest that fits is taken. A
call for each message would double the time for small ones, and more would not stay in the nearest cache."""

MEMORY = 256 << 20
"""The most bytes of memory that the objects of a window of data may take."""

MOST_WINDOW = 128 << 20


@dataclass(frozen=True)
class _Unit:
    """An item of a list, an entry of a map or the branch of a union, of which data may have any number.

    Attributes:
        path: the path of the list, map or union.
        part: the part of the item, of the entry's value, or of the branch.
        memory: the bytes of memory of the Python object around it.
        width: the fewest bytes of its key or index in the data.
    """

    path: str
    part: SchemaPart
    memory: int
    width: int

    @property
    def least(self) -> int:
        return self.width + self.part.width

    @property
    def memory_per_byte(self) -> float:
        return (self.memory + self.part.memory) / max(1, self.least)


class ReadingPlan:
    """How the messages of a schema are read.

    Attributes:
        message: the part that is a whole message.
        calls: how deep fastavro's reading functions call each other, without steps of recursion.
        steps: how many steps of recursion a value may take.
    """

    def __init__(self, parsed: Parsed, message: Any):
        self._records = _Records(parsed, message)
        self._passed = _Records(parsed, message, passed=True)
        self.message = self._records.message
        self.calls = self.message.calls
        self.steps = self._records.most_steps(MOST_CALLS - self.calls)

    @property
    def endless(self) -> str:
        """The path of a list whose items take no byte, of which any number may be claimed; else empty."""
        return next((unit.path for unit in self._records.units if not unit.least), "")

    @cached_property
    def window(self) -> int:
        """The number of bytes to read at once, so that objects made of them take at most ``MEMORY``."""
        most = max((unit.memory_per_byte for unit in self._records.units), default=0.0)
        return max(1, int(min(MOST_WINDOW, MEMORY / most))) if most else MOST_WINDOW

    def schemas(self, steps: int, passed: bool = False) -> dict[int, Any]:
        """For each of ``BATCHES``, the schema of a record with so many messages, each of which may take
        ``steps`` steps of recursion. ``passed`` is for messages of which no values are made: they are read to
        find where they end, and faults in them."""
        records = self._passed if passed else self._records
        named: dict[str, Any] = {}
        fastavro.parse_schema([DEEPER, *records.declared(steps)], named)
        schemas = {}
        for count in BATCHES:
            fields = [{"name": str(n), "type": records.message.schema(steps)} for n in range(count)]
            schemas[count] = fastavro.parse_schema(
                {"type": "record", "name": f"batch{count}", "fields": fields}, named
            )
        refuse_wrong_indexes([*named.values(), *schemas.values()])
        return schemas


class _Records:
    """Makes the ``SchemaPart``s of a message: how each part of its schema is read.

    Attributes:
        message: the part that is a whole message.
        units: the items of all lists, entries of all maps, and branches of all unions in it.
    """

    def __init__(self, parsed: Parsed, message: Any, passed: bool = False):
        """``passed`` says that no values are made from what is read."""
        self._parsed = parsed
        self._passed = passed
        self.units: list[_Unit] = []
        self._fixed: set[int] = set()
        self._boxes = 0
        self._parts: dict[str, SchemaPart] = {}
        self._of_fields: dict[str, list[SchemaPart]] = {}
        self._fields: dict[str, list[Any]] = {"": [{"name": VALUE, "type": message}]}
        self._back: dict[tuple[str, str], SchemaPart] = {}
        self._order = self._visit()
        self._copied = self._recursive()
        self._numbers = {name: f"record{number}" for number, name in enumerate(("", *self._order))}
        self._declared: set[str] = set()
        for name in self._order:
            self._parts[name] = self._record(name)
        for (_, target), part in self._back.items():
            part.width, part.memory = self._parts[target].width, self._parts[target].memory
        self.message = self._part(message, "", "") if kind_of(message) in RECORDS else self._record("")

    def _visit(self) -> list[str]:
        """Finds all steps back. Returns the names of records, each after those that it refers to without a
        step back."""
        order: list[str] = []
        left = {"": self._inner("")}
        begun = {""}
        while left:
            name = next(reversed(left))
            target = next(left[name], None)
            if target is None:
                del left[name]
                order.append(name)
            elif target in left:
                self._back[name, target] = self._step_back(target)
            elif target not in begun:
                begun.add(target)
                self._fields[target] = self._parsed.named[target]["fields"]
                left[target] = self._inner(target)
        return order[:-1]  # without the message itself

    def _inner(self, name: str) -> Iterator[str]:
        """The names of the records to which the fields of the record ``name`` refer."""
        left = [field["type"] for field in reversed(self._fields[name])]
        while left:
            schema = self._parsed.declaration(left.pop())
            if kind_of(schema) in RECORDS:
                yield name_of(schema)
            else:
                left += reversed([*inner_schemas(schema)])

    def _recursive(self) -> set[str]:
        """The names of the records to copy: those on a way from a step back's target to a record with one."""
        edges = [(name, target) for name in self._order for target in self._inner(name)]
        forth = _reached({target for _, target in self._back}, edges)
        return forth & _reached({name for name, _ in self._back}, [(target, name) for name, target in edges])

    def most_steps(self, calls: int) -> int:
        """The most steps of recursion with which fastavro's functions nest no deeper than ``calls``."""
        if not self._back:
            return 0
        deepest = max(self._parts[target].calls for _, target in self._back)
        copied = sum(1 + len(self._fields[name]) for name in self._copied)
        return min(MAX_DEPTH, calls // deepest, MOST_COPIES // copied)

    def declared(self, steps: int) -> Iterator[Any]:
        """The declarations of the types that the schema of a message uses by name. Other types are declared
        where they first occur, which is quicker to read; but copies that are declared inside each other would
        be too deep for fastavro."""
        self._declared.clear()
        yield from ({"type": "fixed", "name": f"fixed_{size}", "size": size} for size in sorted(self._fixed))
        for left in range(steps + 1):
            yield from (self._declaration(name, left) for name in self._order if name in self._copied)

    def _declaration(self, name: str, left: int) -> Any:
        called = f"{self._numbers[name]}_{left}" if name in self._copied else self._numbers[name]
        fields = zip(self._fields[name], self._of_fields[name], strict=True)
        written = [{"name": field["name"], "type": part.schema(left)} for field, part in fields]
        return {"type": "record", "name": called, "fields": written}

    def _record(self, name: str) -> SchemaPart:
        fields = self._fields[name]
        self._of_fields[name] = [
            self._part(field["type"], name, f"{name}.{field['name']}") for field in fields
        ]
        called = self._numbers[name]

        def schema(left: int) -> Any:
            if called in self._declared:
                return called
            self._declared.add(called)
            return self._declaration(name, left)

        copy: Written = lambda left: f"{called}_{left}"  # noqa: E731
        return parts.record(
            [field["name"] for field in fields],
            self._of_fields[name],
            copy if name in self._copied else schema,
        )

    def _step_back(self, target: str) -> SchemaPart:
        """The ``SchemaPart`` for a reference to the record ``target``, inside which the reference stands."""
        records = self._parts
        return SchemaPart(
            lambda left: records[target].schema(left - 1) if left else "deeper",
            dict,
            "{1}({0})",
            lambda value: records[target].call(value),  # type: ignore[misc]
            lambda value: (("", records[target], value),),
        )

    def _part(self, schema: Any, owner: str, path: str) -> SchemaPart:
        """The ``SchemaPart`` for a schema that the record ``owner`` has at ``path``."""
        schema = self._parsed.declaration(schema)
        kind = kind_of(schema)
        if kind in RECORDS:
            return self._back.get((owner, schema["name"])) or self._parts[schema["name"]]
        if kind == "union":
            return self._union(schema, owner, path)
        if kind == "array":
            return parts.list_of(self._unit(schema["items"], owner, path, parts.OF_AN_ITEM, 0))
        if kind == "map":
            entry = self._unit(schema["values"], owner, path, parts.OF_AN_ENTRY, 1)
            return parts.map_passed(entry) if self._passed else parts.map_of(self._box(), entry)
        if kind == "enum":
            most = len(schema["symbols"]) - 1
            return parts.integer(0, most, f"that of a symbol of {schema['name']}, 0 to {most}")
        if kind == "fixed":
            self._fixed.add(schema["size"])
            return parts.fixed(schema["size"])
        if kind == "null":
            return parts.NULL
        return parts.integer(*i32.bounds, "an int of 32 bits") if kind == "int" else parts.scalar(kind)

    def _union(self, branches: Any, owner: str, path: str) -> SchemaPart:
        if found := nullable(branches):
            other, index = found
            return parts.optional(self._unit(other, owner, path, 0, 1), index)
        held = []
        for branch in branches:
            part = self._unit(branch, owner, path, parts.OF_A_BRANCH, 1)
            held.append((name_of(branch) or kind_of(branch), parts.NO_VALUE if part is parts.NULL else part))
        return parts.union_passed(held) if self._passed else parts.union(self._box(), held)

    def _unit(self, schema: Any, owner: str, path: str, memory: int, width: int) -> SchemaPart:
        part = self._part(schema, owner, path)
        self.units.append(_Unit(path, part, memory, width))
        return part

    def _box(self) -> str:
        """A new name for the records that stand for a map's entries or a union's branches."""
        self._boxes += 1
        return f"box{self._boxes}"


def _reached(begin: Iterable[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    """The names in ``begin``, and all names that can be reached from them along edges."""
    following: dict[str, list[str]] = {}
    for name, target in edges:
        following.setdefault(name, []).append(target)
    found: set[str] = set()
    left = [*begin]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += following.get(name, ())
    return found

"""Plans how the messages of a schema are read, from its parts (parts.py). A record that leads back to itself
becomes several copies, one for each step of recursion that a value may take: else fastavro would follow data
until its stack ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import fastavro

from serbench.imports.avro.branches import refuse_wrong_indexes
from serbench.imports.avro.mapping import VALUE
from serbench.imports.avro.parts import (
    NO_VALUE,
    NULL,
    OF_A_BRANCH,
    OF_AN_ENTRY,
    OF_AN_ITEM,
    SchemaPart,
    Written,
    fixed,
    integer,
    list_of,
    map_of,
    map_passed,
    optional,
    record,
    scalar,
    union,
    union_passed,
)
from serbench.imports.avro.schemas import RECORDS, Parsed, inner_schemas, kind_of, name_of, nullable
from serbench.model import i32
from serbench.model.types import MAX_DEPTH

DEEPER = {"type": "fixed", "name": "deeper", "size": (1 << 40) + 1}
"""Stands for one step of recursion too many: no data have so many bytes, so reading it fails."""

MOST_CALLS = 8000
"""The most of fastavro's reading functions inside each other: 13,500 of version 1.13 fill a stack of 8
MiB."""

MOST_COPIES = 200_000
"""The most fields of copied records: they take a second to make, and some ten MB."""

BATCHES = (8, 2, 1)
"""How many messages are read at once, as the fields of a record: a call for each message would take as long
as reading a small one. The values of more messages would not stay in the nearest cache."""

MEMORY = 256 << 20
"""The most bytes of memory that the objects of a window of data may take."""

MOST_WINDOW = 128 << 20


@dataclass(frozen=True)
class _Unit:
    """An item, entry or branch, of which data may have any number.

    Attributes:
        path: the path of the list, map or union.
        part: the part of the item.
        memory: the bytes of memory of whatever holds it.
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
    """How messages are read.

    Attributes:
        message: the part of a message.
        calls: how many of fastavro's reading functions are inside each other, without steps of recursion.
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
        """The path of a list whose items take no byte, so that a few bytes may claim any number of them;
        empty if there is none."""
        return next((unit.path for unit in self._records.units if not unit.least), "")

    @cached_property
    def window(self) -> int:
        """How many bytes of data are read at once, so that their objects take no more than ``MEMORY``,
        whatever the data are."""
        most = max((unit.memory_per_byte for unit in self._records.units), default=0.0)
        return max(1, int(min(MOST_WINDOW, MEMORY / most))) if most else MOST_WINDOW

    def schemas(self, steps: int, passed: bool = False) -> dict[int, Any]:
        """For each of ``BATCHES``, the schema of a record with so many messages; each message may take
        ``steps`` steps of recursion. ``passed`` is for messages that are read only to find where they end,
        and what is wrong with them."""
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
    """The parts of all records that a message may have.

    Attributes:
        message: the part of a message.
        units: all items, entries and branches.
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
        """The names of records, each after those that it refers to, except by steps back. Also finds all
        steps back."""
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
        """The names of the records to which the fields of one refer."""
        left = [field["type"] for field in reversed(self._fields[name])]
        while left:
            schema = self._parsed.declaration(left.pop())
            if kind_of(schema) in RECORDS:
                yield name_of(schema)
            else:
                left += reversed([*inner_schemas(schema)])

    def _recursive(self) -> set[str]:
        """The names of the records on a way from a step back to the next one."""
        edges = [(name, target) for name in self._order for target in self._inner(name)]
        forth = _reached({target for _, target in self._back}, edges)
        return forth & _reached({name for name, _ in self._back}, [(target, name) for name, target in edges])

    def most_steps(self, calls: int) -> int:
        """The most steps of recursion that take no more than ``calls`` calls inside each other."""
        if not self._back:
            return 0
        deepest = max(self._parts[target].calls for _, target in self._back)
        copied = sum(1 + len(self._fields[name]) for name in self._copied)
        return min(MAX_DEPTH, calls // deepest, MOST_COPIES // copied)

    def declared(self, steps: int) -> Iterator[Any]:
        """The declarations of all types that are not declared where they first occur. fastavro is quicker if
        a type need not be looked up by its name, but copies declared inside each other would be too deep for
        it."""
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
        return record(
            [field["name"] for field in fields],
            self._of_fields[name],
            copy if name in self._copied else schema,
        )

    def _step_back(self, target: str) -> SchemaPart:
        """The part of a reference back to a record that the value is part of."""
        parts = self._parts
        return SchemaPart(
            lambda left: parts[target].schema(left - 1) if left else "deeper",
            dict,
            "{1}({0})",
            lambda value: parts[target].call(value),  # type: ignore[misc]
            lambda value: parts[target].fault(value),
        )

    def _part(self, schema: Any, owner: str, path: str) -> SchemaPart:
        """The part of a schema inside the record ``owner``."""
        schema = self._parsed.declaration(schema)
        kind = kind_of(schema)
        if kind in RECORDS:
            return self._back.get((owner, schema["name"])) or self._parts[schema["name"]]
        if kind == "union":
            return self._union(schema, owner, path)
        if kind == "array":
            return list_of(self._unit(schema["items"], owner, path, OF_AN_ITEM, 0))
        if kind == "map":
            entry = self._unit(schema["values"], owner, path, OF_AN_ENTRY, 1)
            return map_passed(entry) if self._passed else map_of(self._box(), entry)
        if kind == "enum":
            most = len(schema["symbols"]) - 1
            return integer(0, most, f"that of a symbol of {schema['name']}, 0 to {most}")
        if kind == "fixed":
            self._fixed.add(schema["size"])
            return fixed(schema["size"])
        if kind == "null":
            return NULL
        return integer(*i32.bounds, "an int of 32 bits") if kind == "int" else scalar(kind)

    def _union(self, branches: Any, owner: str, path: str) -> SchemaPart:
        if found := nullable(branches):
            other, index = found
            return optional(self._unit(other, owner, path, 0, 1), index)
        parts = []
        for branch in branches:
            part = self._unit(branch, owner, path, OF_A_BRANCH, 1)
            parts.append((name_of(branch) or kind_of(branch), NO_VALUE if part is NULL else part))
        return union_passed(parts) if self._passed else union(self._box(), parts)

    def _unit(self, schema: Any, owner: str, path: str, memory: int, width: int) -> SchemaPart:
        part = self._part(schema, owner, path)
        self.units.append(_Unit(path, part, memory, width))
        return part

    def _box(self) -> str:
        """A new name for the records that stand for a map's entries or a union's branches."""
        self._boxes += 1
        return f"box{self._boxes}"


def _reached(begin: Iterable[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    """All names that can be reached along edges, with those where it begins."""
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
